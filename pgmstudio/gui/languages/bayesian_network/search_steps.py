"""Searches step by step: what PC tests and directs, and what K2 tries as parents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    PictureNode,
    edges_of,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc_steps import (
    PcSteps,
    decision,
    edges_text,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    numbers_of,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import (
    SCORE_MEASURES,
    K2Step,
    K2Trace,
)
from pgmstudio.core.number_format import counted, decimal, general, signed
from pgmstudio.core.scores.independence import STATED
from pgmstudio.gui.canvas.weighted_canvas import StepCanvas
from pgmstudio.gui.runs.results.content import (
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import STEP, step_field
from pgmstudio.gui.widgets.param_form import choice_label
from pgmstudio.gui.widgets.table import Column

# With more trials than this, a step of K2 is a decision with all its trials.
MAX_TRIALS = 1000
# Letters of the names of columns that have a button each.
MAX_MARK_LETTERS = 40


# -- PC

# Of `numbers_of` a test.
NUMBER_COLUMNS = (
    Column("Statistic", general, True),
    Column("df", partial(decimal, digits=0), True, tip="Degrees of freedom."),
    Column("p-value", partial(general, digits=3), True),
    Column(
        "Bits",
        partial(decimal, digits=4),
        True,
        tip="The (conditional) information gain.",
        explains="Bits (test)",
    ),
)
_PC_COLUMNS = (
    Column("Step", str, True),
    Column("Phase", str),
    Column("Test or direction", str, stretches=True),
    *NUMBER_COLUMNS,
    Column("Result", str, stretches=True),
)
_STATED_COLUMNS = (*_PC_COLUMNS[:3], _PC_COLUMNS[-1])
_PHASES = {
    "rules": "Rules about edges",
    "v-structure": "v-structures",
    "conflict": "v-structures",
    "decision": "Decisions",
}


def _phases(steps: PcSteps) -> list[str]:
    """The phase of each step, as text."""
    levels = [f"Level {test.level}" for test in steps.tests]
    return levels + [_PHASES.get(step.rule, "Meek’s rules") for step in steps.directions]


def pc_picture(steps: PcSteps, index: int) -> GraphPicture:
    """The graph when a step begins, with what it tests, removes or directs."""
    undirected, directed = steps.edges_before(index)
    removed: list[tuple[str, str]] = []
    tested: list[PictureEdge] = []
    added: list[tuple[str, str]] = []
    if index < len(steps.tests):
        test = steps.tests[index]
        if test.outcome.independent:
            removed = [(test.a, test.b)]
        else:
            tested = [PictureEdge(test.a, test.b, test.strength, EdgeStyle.UNDIRECTED)]
    elif index < len(steps):
        step = steps.directions[index - len(steps.tests)]
        added = [] if step.rule == "conflict" else list(step.edges)
    new = {frozenset(edge) for edge in (*removed, *added, *((e.source, e.target) for e in tested))}
    edges = (
        *edges_of([e for e in undirected if frozenset(e) not in new], EdgeStyle.UNDIRECTED),
        *edges_of([e for e in directed if frozenset(e) not in new], EdgeStyle.DIRECTED),
        *tested,
        *(PictureEdge(a, b, "−", EdgeStyle.MISSING_LINE) for a, b in removed),
        *(PictureEdge(a, b, "+", EdgeStyle.ADDED) for a, b in added),
    )
    return GraphPicture(_nodes(steps.names), edges)


def _set(names: tuple[str, ...]) -> str:
    return f"{{{', '.join(names)}}}" if names else "∅"


def _question(test: LoggedTest) -> str:
    given = f" | {', '.join(test.given)}" if test.given else ""
    return f"{test.a} ⊥ {test.b}{given}?"


def _pc_step_text(steps: PcSteps, index: int) -> str:
    """What happens in a step, in one sentence."""
    if index < len(steps.tests):
        test = steps.tests[index]
        few = "" if test.outcome.reliable else " The test has few rows."
        if not test.outcome.independent:
            return f"{_question(test)} {test.strength}: the edge stays.{few}"
        pair = f"{test.a}, {test.b}"
        return f"{_question(test)} {test.strength}: removed, S({pair}) = {_set(test.given)}.{few}"
    step = steps.directions[index - len(steps.tests)]
    if step.rule == "conflict":
        return f"{edges_text(step)} is left out: {step.reason}"
    name = f"{step.rule}: " if step.rule.startswith("R") else ""
    return f"{name}{edges_text(step)}, because {step.reason}."


def pc_content(steps: PcSteps, state: ResultState) -> ResultContent | None:
    """One step of PC: the graph before it, and what it removes or directs."""
    count = len(steps)
    index = min(state.value(STEP, 0), count)
    phases = [*_phases(steps), "Result"]
    marks = tuple(
        (at, text.removeprefix("Level ") if at else text)  # Level 0, 1, 2, …
        for at, text in enumerate(phases)
        if at == 0 or text != phases[at - 1]
    )
    result = f"{counted(len(steps.directed), 'directed edge')}, {len(steps.undirected)} undirected"
    if index < count:
        caption = f"Step {index + 1} of {count}, {phases[index]}. {_pc_step_text(steps, index)}"
    else:
        caption = f"The result: {result}."
    left_out = "; those that removed an edge are shown" if len(steps.tests) < steps.made else ""
    targets: tuple[str, ...] = ()
    if index < len(steps.tests):
        targets = (steps.tests[index].a, steps.tests[index].b)
    return ResultContent(
        facts=f"{counted(steps.made, 'test')}{left_out} · {steps.rule.threshold} · {result}",
        caption=caption,
        fields=(step_field(index, count, marks),),
        view=ResultView(
            "graph",
            StepCanvas,
            lambda canvas: canvas.show_picture(
                steps, pc_picture(steps, count), pc_picture(steps, index), targets
            ),
        ),
        tables=(_pc_table(steps),),
    )


def _pc_table(steps: PcSteps) -> ResultTable:
    """The log of the search; statements have no numbers."""
    columns: tuple[Column, ...] = _PC_COLUMNS
    rows = _pc_rows(steps)
    if steps.rule.test == STATED:
        columns, rows = _STATED_COLUMNS, [(*row[:3], row[-1]) for row in rows]
    return ResultTable("table", "Steps of PC", columns, rows, steps=range(len(rows)))


def _pc_rows(steps: PcSteps) -> list[tuple[object, ...]]:
    phases = _phases(steps)
    rows: list[tuple[object, ...]] = []
    for number, test in enumerate(steps.tests, start=1):
        result = decision(test)
        if test.outcome.independent:
            result += f", S = {_set(test.given)}"
        rows.append(
            (number, phases[number - 1], _question(test), *numbers_of(test.outcome), result)
        )
    for number, step in enumerate(steps.directions, start=len(steps.tests) + 1):
        name = step.rule if step.rule.startswith("R") else phases[number - 1]
        result = f"left out: {step.reason}" if step.rule == "conflict" else step.reason
        rows.append((number, name, edges_text(step), None, None, None, None, result))
    return rows


# -- K2

_value_text = partial(decimal, digits=6)
_gain_text = partial(signed, digits=6)


@dataclass(frozen=True, slots=True)
class K2Frame:
    """One picture of the walk: a column as it starts, a trial, or a decision."""

    child: str
    parents: tuple[str, ...]  # with the one that is tried or has joined
    value: float
    gain: float | None
    result: str
    before: int  # the step of the trace whose graph is shown
    tried: tuple[str, ...] = ()
    joins: str | None = None


def k2_frames(trace: K2Trace) -> list[K2Frame]:
    """Every column that starts, every trial and every decision, in the order of the search."""
    is_short = sum(len(step.trials) for step in trace.steps) <= MAX_TRIALS
    frames: list[K2Frame] = []
    done = 0
    values = dict(zip(trace.dag.names, trace.values, strict=False))
    for child in reversed(trace.order):
        own = [(n, step) for n, step in enumerate(trace.steps) if step.child == child]
        if own:
            first = own[0][1]
            frames.append(K2Frame(child, first.parents, first.value, None, "start", done))
        elif child in values:
            parents = trace.dag.parents(child)
            frames.append(K2Frame(child, parents, values[child], None, "no candidates", done))
        for number, step in own:
            frames += _step_frames(step, number, is_short)
        done += len(own)
    return frames


def _step_frames(step: K2Step, number: int, is_short: bool) -> Iterator[K2Frame]:
    for trial in step.trials if is_short else ():
        parents = (*step.parents, trial.candidate)
        gain = trial.value - step.value
        yield K2Frame(step.child, parents, trial.value, gain, "tried", number, (trial.candidate,))
    tried = () if is_short else tuple(trial.candidate for trial in step.trials)
    parents = step.parents if step.added is None else (*step.parents, step.added)
    result = "no further parent" if step.added is None else f"{step.added} joins"
    gain = step.value_after - step.value
    yield K2Frame(step.child, parents, step.value_after, gain, result, number, tried, step.added)


def k2_picture(trace: K2Trace, frame: K2Frame | None) -> GraphPicture:
    """The graph of a frame; what it tries is dashed, what joins is green. None: the result."""
    graph = trace.dag if frame is None else trace.graph_before(frame.before)
    edges = [*edges_of(graph.edges, EdgeStyle.DIRECTED)]
    if frame is not None:
        for name in dict.fromkeys((*frame.tried, *filter(None, (frame.joins,)))):
            joins = name == frame.joins
            style = EdgeStyle.ADDED if joins else EdgeStyle.TRIAL
            edges.append(PictureEdge(name, frame.child, "+" if joins else "", style))
    return GraphPicture(_nodes(trace.order), tuple(edges))


def k2_content(trace: K2Trace, state: ResultState) -> ResultContent:
    """One frame: the graph, what is tried or joins, and the log of the measure."""
    frames = k2_frames(trace)
    count = len(frames)
    index = min(state.value(STEP, 0), count)
    frame = frames[index] if index < count else None
    starts = [(n, one.child) for n, one in enumerate(frames) if one.gain is None]
    is_short = sum(len(name) + 2 for _, name in starts) <= MAX_MARK_LETTERS
    marks = (*starts, (count, "Result")) if is_short else ()
    measure = choice_label(trace.measure)
    return ResultContent(
        facts=f"{measure}, order {' → '.join(trace.order)} · "
        f"sum over all columns {_both(trace, trace.total)}",
        caption=_k2_caption(trace, frame, index, count),
        fields=(step_field(index, count, marks),),
        view=ResultView(
            "graph",
            StepCanvas,
            lambda canvas: canvas.show_picture(
                trace,
                k2_picture(trace, None),
                k2_picture(trace, frame),
                () if frame is None else (frame.child,),
            ),
        ),
        tables=(_k2_table(trace, frames),),
    )


def _both(trace: K2Trace, value: float) -> str:
    """A score in bits and nats, since lectures print natural logarithms; a measure as it is."""
    if trace.measure not in SCORE_MEASURES:
        return _value_text(value)
    return f"{_value_text(value)} bits, {_value_text(value * math.log(2))} nats"


def _k2_caption(trace: K2Trace, frame: K2Frame | None, index: int, count: int) -> str:
    if frame is None:
        return f"The result after {count} steps. Sum of all columns: {_both(trace, trace.total)}."
    number, value = f"Step {index + 1} of {count}.", _both(trace, frame.value)
    if frame.gain is None:
        parents = ", ".join(frame.parents) or "no parents"
        return f"{number} {frame.child} with {parents}: {value}."
    if frame.result == "tried":
        (tried,) = frame.tried
        return f"{number} {tried} is inserted as a parent of {frame.child} for a trial: {value}."
    if frame.joins is None:
        return f"{number} {frame.child}: no further parent raises the measure, {value}."
    return f"{number} {frame.joins} becomes a parent of {frame.child}: {value}."


def _k2_table(trace: K2Trace, frames: list[K2Frame]) -> ResultTable:
    is_score = trace.measure in SCORE_MEASURES
    in_nats = math.log(2) if is_score else 1.0
    columns = [
        Column("Step", str, True),
        Column("Column", str),
        Column("Parents", lambda names: ", ".join(names) or "∅", stretches=True),
    ]
    if is_score:
        columns.append(Column("Bits ↑", _value_text, True, tip="The score of the column."))
    name = f"{'ln ' if is_score else ''}{choice_label(trace.measure)}"
    tip = "The same in natural logarithms, as lectures print it." if is_score else ""
    columns += [
        Column(f"{name} ↑", _value_text, True, tip=tip),
        Column("Gain", _gain_text, True, tip="Over the parents before."),
        Column("Result", str),
    ]
    rows: list[tuple[object, ...]] = []
    for number, frame in enumerate(frames, start=1):
        bits = (frame.value,) if is_score else ()
        gain = frame.gain * in_nats if frame.gain else None
        value = frame.value * in_nats
        rows.append((number, frame.child, frame.parents, *bits, value, gain, frame.result))
    title = "Scores of every step" if is_score else "Measure in every step"
    return ResultTable("table", title, columns, rows, steps=range(len(rows)))


def _nodes(names: tuple[str, ...]) -> tuple[PictureNode, ...]:
    return tuple(PictureNode(name, name, variable=name) for name in names)
