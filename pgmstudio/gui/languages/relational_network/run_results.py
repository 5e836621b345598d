"""Results of runs: the edges of a spanning tree in their order, and the ranking of all graphs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    PictureNode,
    edges_of,
)
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.graph_ranking import (
    DEGREES,
    TUPLES,
    FitsGraphs,
    GraphRanking,
    RankedGraph,
)
from pgmstudio.core.learning.kruskal import NOT_UNIQUE, KruskalStep, SpanningTreeSteps
from pgmstudio.core.number_format import counted, decimal, grouped
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.core.scores.association_measures import MEASURES
from pgmstudio.gui.canvas.weighted_canvas import StepCanvas
from pgmstudio.gui.runs.results.content import (
    ModelOpening,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import STEP, step_field
from pgmstudio.gui.widgets.table import Column

_COLUMNS = (
    Column("Step", str, True),
    Column("Edge", str, stretches=True),
    Column("Weight", decimal, True, tip="The measure of the pair.", explains="Weight (pair)"),
    Column("Result", str),
)


_TOTALS = {
    TUPLES: "Tuples that the graph represents, |R_G|.",
    DEGREES: "The sum of the degrees of all joint states.",
}
_ADDED = {
    TUPLES: "Tuples of the graph that the data do not have; 0: it is exact.",
    DEGREES: "The sum of the differences of its degrees to those of the data; 0: it is exact.",
}


def kruskal_picture(steps: SpanningTreeSteps, index: int) -> GraphPicture:
    """The forest before a step with its edge: green if it is added, dashed if it is not."""
    names = dict.fromkeys(name for step in steps.steps for name in (step.first, step.second))
    edges = [
        PictureEdge(step.first, step.second, decimal(step.weight, 2), EdgeStyle.UNDIRECTED)
        for step in steps.steps[:index]
        if step.is_added
    ]
    for step in steps.steps[index : index + 1]:
        style = EdgeStyle.ADDED_LINE if step.is_added else EdgeStyle.FILL_IN
        edges.append(PictureEdge(step.first, step.second, decimal(step.weight, 2), style))
    nodes = tuple(PictureNode(name, name, variable=name) for name in names)
    return GraphPicture(nodes, tuple(edges))


def _step_text(step: KruskalStep) -> str:
    return f"{step.first} – {step.second}, {decimal(step.weight, 2)}: {step.result}."


def kruskal_content(steps: SpanningTreeSteps, state: ResultState) -> ResultContent | None:
    """One step: the forest before it, and the edge it looks at; after the last is the tree."""
    if not steps.steps:
        return None
    count = len(steps.steps)
    index = min(state.value(STEP, 0), count)
    measure = MEASURES.get(steps.measure)
    title = steps.measure if measure is None else measure.title
    order = "the largest" if measure is None or measure.larger_is_stronger else "the smallest"
    total = sum(step.weight for step in steps.steps if step.is_added)
    if index < count:
        text = _step_text(steps.steps[index])
        caption = f"Step {index + 1} of {count}. {text} Green: added. Dashed: not added."
    else:
        caption = f"The tree after {count} steps, of total weight {decimal(total, 2)}."
    rows = [
        (number, f"{step.first} – {step.second}", step.weight, step.result)
        for number, step in enumerate(steps.steps, start=1)
    ]
    return ResultContent(
        facts=f"{title}, {order} first · total of the tree {decimal(total, 2)}",
        caption=caption,
        note="" if steps.is_unique else NOT_UNIQUE,
        fields=(step_field(index, count),),
        view=ResultView(
            "graph",
            StepCanvas,
            lambda canvas: canvas.show_picture(
                steps,
                kruskal_picture(steps, count),
                kruskal_picture(steps, index),
                [
                    name
                    for step in steps.steps[index : index + 1]
                    for name in (step.first, step.second)
                ],
            ),
        ),
        tables=(
            ResultTable(
                "table", "Edges in the order of their weight", _COLUMNS, rows, steps=range(count)
            ),
        ),
    )


def _measure(value: float) -> str:
    return grouped(int(value)) if value.is_integer() else decimal(value)


def ranking_picture(ranking: GraphRanking, edges: Sequence[tuple[str, str]]) -> GraphPicture:
    """A graph over the variables of a ranking."""
    style = EdgeStyle.DIRECTED if ranking.is_directed else EdgeStyle.UNDIRECTED
    nodes = tuple(PictureNode(name, name, variable=name) for name in ranking.names)
    return GraphPicture(nodes, edges_of(edges, style))


def ranking_content(ranking: GraphRanking, state: ResultState) -> ResultContent | None:
    """All graphs with what each adds, and the diagram of the selected one."""
    if not ranking.ranking:
        return None
    graphs = ranking.ranking
    index = min(state.row or 0, len(graphs) - 1)
    shown = graphs[index]
    listed = "" if len(graphs) == ranking.graphs else f", the best {grouped(len(graphs))} listed"
    columns = (
        Column("No.", str, True, tip="The place in the ranking."),
        Column("Graph", stretches=True, cell_tip=lambda row: row[1]),
        Column("Edges", str, True),
        Column(ranking.unit.capitalize(), _measure, True, tip=_TOTALS[ranking.unit]),
        Column(
            "Additional",
            _measure,
            True,
            tip=_ADDED[ranking.unit],
            color=lambda row: "success_ink" if row[4] == 0 else None,
            weight=lambda row: "semibold" if row[4] == 0 else "regular",
        ),
        Column("Cells", grouped, True, tip="The cells of its tables, over all joint states."),
    )
    rows = [
        (number, ranking.edge_text(one), len(one.edges), one.total, one.additional, one.cells)
        for number, one in enumerate(graphs, start=1)
    ]
    complete = [(a, b) for a, b in combinations(ranking.names, 2)]
    return ResultContent(
        facts=f"{counted(ranking.graphs, 'graph')}{listed} · the data have "
        f"{_measure(ranking.total)} {ranking.unit}",
        caption=f"No. {index + 1}: {_measure(shown.total)} {ranking.unit}, "
        f"{_measure(shown.additional)} more than the data.",
        view=ResultView(
            "graph",
            StepCanvas,
            lambda canvas: canvas.show_picture(
                ranking, ranking_picture(ranking, complete), ranking_picture(ranking, shown.edges)
            ),
            follows_row=True,
        ),
        tables=(ResultTable("table", "Graphs, the best first", columns, rows, best=0),),
        opening=ModelOpening(
            text="Use this graph",
            icon="check",
            tip="Add the selected graph with the tables of the data as a model.",
            fit=partial(_fit_graph, shown, f"{state.run_title}, No. {index + 1}", state.data_id),
        ),
    )


def _fit_graph(
    graph: RankedGraph, title: str, data_id: str | None, task: LearnTask, _cancel: CancelToken
) -> ModelEntry:
    learner = learner_of(task.learner_key)
    assert isinstance(learner, FitsGraphs)
    model = learner.fit_graph(task.data, task.params, graph.edges)
    provenance = {"made by": f"{title} of the ranking of all graphs"}
    return ModelEntry(title, model, data_id=data_id, provenance=provenance)
