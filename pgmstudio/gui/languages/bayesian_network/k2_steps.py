"""K2 step by step: the graph so far, the columns tried as parents, and what joined."""

from __future__ import annotations

import math

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, PictureNode
from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import (
    SCORE_MEASURES,
    K2Trace,
)
from pgmstudio.gui.canvas.step_canvas import StepCanvas
from pgmstudio.gui.runs.results.content import (
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import SliderField
from pgmstudio.gui.widgets.param_form import choice_label
from pgmstudio.gui.widgets.table import Column


def _value_text(number: float) -> str:
    return f"{number:.6f}".replace("-", "−")


_COLUMNS = (
    Column("Tried as a parent", str, stretches=True),
    Column("Measure with it ↑", _value_text, True),
    Column("Gain", lambda gain: f"\u2003{gain:+.6f}".replace("-", "−"), True),
    Column("", str),
)


def step_picture(trace: K2Trace, step: int) -> GraphPicture:
    """The graph when a step begins; what it tries is dashed, what joins is added."""
    nodes = tuple(PictureNode(name, name, variable=name) for name in trace.order)
    graph = trace.graph_before(step)
    edges = [PictureEdge(*edge) for edge in graph.edges]
    if step < len(trace.steps):
        now = trace.steps[step]
        for trial in now.trials:
            joins = trial.candidate == now.added
            style = EdgeStyle.ADDED if joins else EdgeStyle.FILL_IN
            edges.append(PictureEdge(trial.candidate, now.child, "+" if joins else "", style))
    return GraphPicture(nodes, tuple(edges))


def steps_content(trace: K2Trace, state: ResultState) -> ResultContent:
    """One step: the graph before it and what it tries; the one after the last is the result."""
    index, count = state.value("slider", 0), len(trace.steps)
    measure = choice_label(trace.measure)
    rows: list[tuple[object, ...]] = []
    if index < count:
        step = trace.steps[index]
        parents = ", ".join(step.parents) or "no parents yet"
        facts = f"{step.child} with {parents}: {measure} {_value_text(step.value)}"
        if trace.measure in SCORE_MEASURES:
            # Scores are in bits here; lectures print natural logarithms.
            facts += f" bits, {_value_text(step.value * math.log(2))} nats"
        caption = (
            f"Step {index + 1} of {count}. {step}. "
            "Dashed edges are tried in this step; the green one joins."
        )
        rows = [
            (t.candidate, t.value, t.value - step.value, "joins" * (t.candidate == step.added))
            for t in step.trials
        ]
    else:
        total = f"{measure} over all columns: {_value_text(trace.total)}"
        facts = f"Order {' → '.join(trace.order)}. Sum of {total}"
        caption = f"The result after {count} steps."
    return ResultContent(
        facts=f"{facts}.",
        caption=caption,
        fields=(
            SliderField(
                "slider",
                index,
                "Step of the search",
                "Go to any step.",
                limits=(0, count),
                has_steps=True,
            ),
        ),
        view=ResultView(
            "graph",
            StepCanvas,
            lambda canvas: canvas.show_picture(
                trace,
                step_picture(trace, count),
                step_picture(trace, index),
                [step.child for step in trace.steps[index : index + 1]],
            ),
        ),
        tables=(ResultTable("table", "Columns tried in this step", _COLUMNS, rows),),
    )
