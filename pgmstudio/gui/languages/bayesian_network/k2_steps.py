"""K2 step by step: the graph so far, the columns tried as parents, and what joined."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, PictureNode, Point
from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import (
    SCORE_MEASURES,
    K2Trace,
)
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.layout_worker import LayoutMaker, LayoutQuestion, Placed
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeView
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


class StepCanvas(QWidget):
    """The canvas of the graph of a step; the result is laid out once, so that nodes stay."""

    def __init__(self) -> None:
        super().__init__()
        self.canvas = Canvas()
        self.canvas.view.is_editable = False
        self.canvas.shows_legend = False  # the text above the graph explains it
        self._trace: K2Trace | None = None
        self._step = 0
        self._positions: dict[str, Point] = {}
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_layout)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.canvas)

    def show_step(self, trace: K2Trace, step: int) -> None:
        self._step = step
        if trace is not self._trace:
            self._trace = trace
            picture = step_picture(trace, len(trace.steps))
            sizes = {node.id: face_size(node, NodeView(node.label)) for node in picture.nodes}
            self._layouts.ask(LayoutQuestion("k2", picture, sizes, "layered"))
        self._draw()

    def _on_layout(self, placed: Placed) -> None:
        self._positions = dict(placed.positions)
        self._draw()
        self.canvas.view.fit()

    def _draw(self) -> None:
        if self._trace is None or not self._positions:
            return
        picture = step_picture(self._trace, self._step)
        faces = {node.id: NodeView(node.label) for node in picture.nodes}
        if self._step < len(self._trace.steps):
            child = self._trace.steps[self._step].child
            faces[child] = NodeView(child, is_target=True)
        self.canvas.scene.show_picture(picture, faces, self._positions)

    def stop(self) -> None:
        """Stop background work when the page is closed."""
        self._layouts.stop()
        self.canvas.stop()


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
        view=ResultView("graph", StepCanvas, lambda canvas: canvas.show_step(trace, index)),
        tables=(ResultTable("table", "Columns tried in this step", _COLUMNS, rows),),
    )
