"""Results of learning spanning trees: the edges in the order of Kruskal's algorithm."""

from __future__ import annotations

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, PictureNode
from pgmstudio.core.learning.kruskal import NOT_UNIQUE, KruskalStep, SpanningTreeSteps
from pgmstudio.core.number_format import decimal
from pgmstudio.core.scores.association_measures import MEASURES
from pgmstudio.gui.canvas.weighted_canvas import StepCanvas
from pgmstudio.gui.runs.results.content import (
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
    Column("Weight", decimal, True, tip="The measure of the pair."),
    Column("Result", str),
)


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
