"""A search by blankets: the blanket of every variable, the graphs made of them, and the climb."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    edges_of,
    variable_nodes,
)
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.markov_network.fitting import fit
from pgmstudio.core.languages.markov_network.learning.blanket_record import (
    BlanketRecord,
    NamedEdge,
)
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.markov_network.summaries import LN2
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.weighted_canvas import StepCanvas
from pgmstudio.gui.runs.results.content import (
    ModelOpening,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import ComboField, ResultField, SegmentsField, SliderField
from pgmstudio.gui.widgets.table import Column

BLANKETS, GRAPHS, STEPS = "blankets", "graphs", "steps"
_VIEWS = (
    (
        BLANKETS,
        "Blankets",
        "The blanket of every variable by itself: a dependency network.",
    ),
    (GRAPHS, "AND and OR", "The graphs that combine the blankets, over all edges that were found."),
    (STEPS, "Steps", "Hill climbing over the edges that were found, step by step."),
)
# Titles of a record's graphs; the others are ranks of an exhaustive search.
_TITLES = {
    "and": "AND: found from both ends",
    "or": "OR: found from one end",
    "hc": "Hill climbing",
}


def _nats(bits: float) -> str:
    return decimal(bits * LN2, digits=2)


def _gain(bits: float) -> str:
    return decimal(bits * LN2, digits=3)


_BLANKET_COLUMNS = (
    Column("Variable", str),
    Column("Blanket", str, stretches=True, tip="Its neighbours, if it were the only variable."),
    Column("Search", str, tip="What joined (+) and left (−), in order."),
    Column(
        "Score ↑",
        _nats,
        True,
        tip="Of the variable given its blanket, natural logarithm.",
        explains="Score (graph)",
    ),
    Column(
        "Without",
        _nats,
        True,
        tip="Score of the variable given nothing, natural logarithm.",
        explains="Score (graph)",
    ),
)
_GRAPH_COLUMNS = (
    Column("Graph", str),
    Column(
        "Score ↑",
        _nats,
        True,
        tip="Sum over all variables given their neighbours, natural logarithm.",
        explains="Score (graph)",
    ),
    Column("Count", str, True, tip="The number of edges."),
    Column("Edges", str, stretches=True),
)
_STEP_COLUMNS = (
    Column("Step", str, True),
    Column("", str, tip="The step that is shown."),
    Column("Edge", str, stretches=True),
    Column("Gain", _gain, True, tip="Change in the score, natural logarithm.", explains="Δ score"),
    Column(
        "Score ↑",
        _nats,
        True,
        tip="Of the graph after the step, natural logarithm.",
        explains="Score (graph)",
    ),
)


def _edge_text(edge: NamedEdge) -> str:
    return " – ".join(edge)


def blanket_picture(record: BlanketRecord) -> GraphPicture:
    """The dependency network: a line where each end is in the blanket of the other, else an arrow
    to the variable whose blanket has the other."""
    members = {one.variable: one.members for one in record.blankets}
    edges = []
    for variable, blanket in members.items():
        for member in blanket:
            if variable not in members[member]:
                edges.append(PictureEdge(member, variable))
            elif not any({e.source, e.target} == {member, variable} for e in edges):
                edges.append(PictureEdge(member, variable, style=EdgeStyle.UNDIRECTED))
    return GraphPicture(variable_nodes(members), tuple(edges))


def graph_picture(
    record: BlanketRecord, edges: Collection[NamedEdge], marked: tuple[PictureEdge, ...] = ()
) -> GraphPicture:
    """A graph; edges that were found from one end at least and are not in it are dashed."""
    shown = {frozenset(edge) for edge in edges}
    shown |= {frozenset((edge.source, edge.target)) for edge in marked}
    rest = [
        (edge.source, edge.target)
        for edge in blanket_picture(record).edges
        if frozenset((edge.source, edge.target)) not in shown
    ]
    done = {frozenset((edge.source, edge.target)) for edge in marked}
    return GraphPicture(
        variable_nodes(one.variable for one in record.blankets),
        (
            *edges_of([e for e in edges if frozenset(e) not in done], EdgeStyle.UNDIRECTED),
            *edges_of(rest, EdgeStyle.FILL_IN),
            *marked,
        ),
    )


def edges_before(record: BlanketRecord, step: int) -> list[NamedEdge]:
    """The edges when a step of the climb begins: those of its end, steps taken back."""
    final = next((graph.edges for graph in record.graphs if graph.title == "hc"), ())
    edges = {frozenset(edge): edge for edge in final}
    for later in reversed(record.steps[step:]):
        edge = (later.first, later.second)
        if later.is_added:
            edges.pop(frozenset(edge), None)
        else:
            edges[frozenset(edge)] = edge
    return list(edges.values())


def blankets_content(record: BlanketRecord, state: ResultState) -> ResultContent:
    """Blankets, the graphs made of them, or one step of the climb."""
    views = [view for view in _VIEWS if view[0] != STEPS or record.steps]
    chosen = state.value("view", BLANKETS)
    views_field = SegmentsField("view", chosen, views)
    edges = blanket_picture(record).edges
    both = sum(not edge.style.has_arrow for edge in edges)
    facts = (
        f"{counted(len(record.blankets), 'blanket')} · {counted(both, 'edge')} found from both "
        f"ends, {len(edges) - both} from one"
    )
    if chosen == GRAPHS:
        return _graphs_content(record, state, views_field, facts)
    if chosen == STEPS:
        return _steps_content(record, state, views_field)
    return ResultContent(
        facts=facts,
        caption="A line joins two variables that are in the blanket of each other. An arrow leads "
        "to the variable whose blanket has the other one; the other's blanket does not.",
        fields=(views_field,),
        view=_view(record, blanket_picture(record)),
        tables=(
            ResultTable(
                BLANKETS,
                "The blanket of every variable",
                _BLANKET_COLUMNS,
                [
                    (b.variable, ", ".join(b.members), "  ".join(b.steps), b.score, b.empty_score)
                    for b in record.blankets
                ],
            ),
        ),
    )


def _view(
    record: BlanketRecord, picture: GraphPicture, targets: Collection[str] = ()
) -> ResultView:
    arranged = blanket_picture(record)
    return ResultView(
        "graph",
        StepCanvas,
        lambda canvas: canvas.show_picture(record, arranged, picture, targets),
    )


def _graphs_content(
    record: BlanketRecord, state: ResultState, views: ResultField, facts: str
) -> ResultContent:
    titles = {g.title: _TITLES.get(g.title, g.title.capitalize()) for g in record.graphs}
    chosen = state.value("graph", record.graphs[-1].title if record.graphs else "")
    graph = next((g for g in record.graphs if g.title == chosen), None)
    fields: tuple[ResultField, ...] = (views,)
    if graph is not None:
        fields = (views, ComboField("graph", chosen, titles, "The graph to draw"))
    return ResultContent(
        facts=facts,
        caption="Dashed edges were found from one end at least and are not in this graph.",
        fields=fields,
        view=_view(record, graph_picture(record, graph.edges if graph else ())),
        tables=(
            ResultTable(
                GRAPHS,
                "Graphs made of the blankets",
                _GRAPH_COLUMNS,
                [
                    (titles[g.title], g.score, len(g.edges), ", ".join(map(_edge_text, g.edges)))
                    for g in record.graphs
                ],
            ),
        ),
        opening=None
        if graph is None
        else ModelOpening(
            text="Open as model",
            icon="polygon",
            tip="The graph that is drawn, with its parameters fitted, as a model of the project.",
            is_of_row=False,
            fit=partial(_fitted, graph.edges, titles[chosen], state),
        ),
    )


def _fitted(
    edges: tuple[NamedEdge, ...],
    title: str,
    state: ResultState,
    task: LearnTask,
    cancel: CancelToken,
) -> ModelEntry:
    structure = MarkovStructure.of_names(task.data.domain, edges)
    fitted = run_to_end(fit(structure, task.data, smoothing=task.params.smoothing, cancel=cancel))
    return ModelEntry(
        f"{state.run_title}, {title}",
        fitted.network,
        data_id=state.data_id,
        provenance={"made by": f"{title} of {state.run_title}"},
    )


def _steps_content(record: BlanketRecord, state: ResultState, views: ResultField) -> ResultContent:
    count = len(record.steps)
    index = min(state.value("slider", 0), count)
    edges = edges_before(record, index)
    marked: tuple[PictureEdge, ...] = ()
    caption = f"The result after {counted(count, 'step')}."
    if index < count:
        step = record.steps[index]
        verb, style, sign = (
            ("joins", EdgeStyle.ADDED_LINE, "+")
            if step.is_added
            else ("is removed", EdgeStyle.MISSING_LINE, "−")
        )
        marked = (PictureEdge(step.first, step.second, sign, style),)
        caption = (
            f"Step {index + 1} of {count}. {step.first} – {step.second} {verb}: "
            f"{_gain(step.gain)} nats. Dashed edges may still join."
        )
    final = next(graph.score for graph in record.graphs if graph.title == "hc")
    start = final - sum(step.gain for step in record.steps)
    rows, score = [], start
    for number, one in enumerate(record.steps):
        score += one.gain
        sign = "+ " if one.is_added else "− "
        mark = "▸" if number == index else ""
        rows.append(
            (str(number + 1), mark, sign + _edge_text((one.first, one.second)), one.gain, score)
        )
    return ResultContent(
        facts=f"{counted(count, 'step')} from {_nats(start)} to {_nats(final)} nats",
        caption=caption,
        fields=(
            views,
            SliderField(
                "slider",
                index,
                "Step of the search",
                "Go to any step.",
                limits=(0, count),
                has_steps=True,
            ),
        ),
        view=_view(record, graph_picture(record, edges, marked)),
        tables=(ResultTable(STEPS, "Steps of the climb", _STEP_COLUMNS, rows),),
    )
