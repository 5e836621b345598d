"""K2 step by step: the graph so far, the columns tried as parents, and what joined."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QSlider

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, PictureNode
from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import (
    SCORE_MEASURES,
    K2Step,
    K2Trace,
)
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.layout_worker import LayoutMaker, LayoutQuestion, Placed
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.results.result_page import (
    ArtifactPage,
    one_above_the_other,
    under_the_picture,
)
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import label, row, tool_button
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.param_form import choice_label
from pgmstudio.gui.widgets.table import Column, Table


def _value(number: float) -> str:
    return f"{number:.6f}".replace("-", "−")


_COLUMNS = (
    Column("Tried as a parent", str, stretches=True),
    Column("Measure with it ↑", _value, True),
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


class TracePage(ArtifactPage):
    """One run of K2; back and forth by buttons, keys or the slider."""

    export_dialog = ("Export steps", "steps.csv", "Table (*.csv);;All (*.json)")
    _artifact: K2Trace

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        super().__init__("trace", app, source)
        artifact = source.artifact
        assert isinstance(artifact, K2Trace)
        self._artifact = artifact
        self._step = 0
        self._positions: dict[str, tuple[float, float]] = {}
        self.caption = ElidedLabel()
        self.caption.setObjectName("traceCaption")
        self.facts = label("", "secondary", size="dense", wrap=True)
        self.facts.setObjectName("traceFacts")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("traceSlider")
        self.slider.setAccessibleName("Step of the search")
        self.slider.setToolTip("Go to any step.")
        self.slider.setRange(0, len(artifact.steps))
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self.go_to)
        self.back = tool_button(
            "caret-left", "The step before (PgUp)", self._back, name="traceBack"
        )
        self.forth = tool_button(
            "caret-right", "The next step (PgDn)", self._forth, name="traceForth"
        )
        self.back.setShortcut("PgUp")
        self.forth.setShortcut("PgDown")
        self.canvas = Canvas()
        self.canvas.view.is_editable = False
        self.canvas.shows_legend = False  # the text above the graph explains it
        self._layouts = LayoutMaker(self)
        self._layouts.placed.connect(self._on_layout)
        self._layouts.failed.connect(app.errors.report)
        self.table = Table("traceTable", "Columns tried in this step", _COLUMNS)
        export = self._export_button(
            "Export CSV…", "traceExport", "Every step with everything it tried."
        )
        lower = under_the_picture(self.facts, self.table, top=4)
        splitter = one_above_the_other(self.canvas, lower)
        splitter.setSizes([420, 240])
        hint = "Dashed edges are tried in this step; the green one joins."
        self._lay_out(
            row(self.back, self.slider, self.forth, export),
            self.caption,
            label(hint, "tertiary", size="dense"),
            splitter,
        )
        self._ask_layout()
        self.go_to(0)

    @property
    def title(self) -> str:
        return f"Steps of {self._source.title}"

    def page_icon(self) -> QIcon:
        return icon("list-numbers")

    @property
    def step(self) -> int:
        return self._step

    def closed(self) -> None:
        self._layouts.stop()
        self.canvas.stop()

    # -- steps

    def _back(self) -> None:
        self.go_to(self._step - 1)

    def _forth(self) -> None:
        self.go_to(self._step + 1)

    def go_to(self, step: int) -> None:
        """Show a step, from 0; the one after the last is the result."""
        self._step = max(0, min(step, len(self._artifact.steps)))
        self.slider.blockSignals(True)
        self.slider.setValue(self._step)
        self.slider.blockSignals(False)
        self.back.setEnabled(self._step > 0)
        self.forth.setEnabled(self._step < len(self._artifact.steps))
        trace = self._artifact
        if self._step < len(trace.steps):
            now = trace.steps[self._step]
            self.caption.setText(f"Step {self._step + 1} of {len(trace.steps)}. {now}")
            self.facts.setText(_facts(now, trace.measure))
            rows = [
                (t.candidate, t.value, t.value - now.value, "joins" * (t.candidate == now.added))
                for t in now.trials
            ]
        else:
            self.caption.setText(f"The result after {len(trace.steps)} steps.")
            order = " → ".join(trace.order)
            total = f"{choice_label(trace.measure)} over all columns: {_value(trace.total)}"
            self.facts.setText(f"Order {order}. Sum of {total}.")
            rows = []
        self.table.show_rows(rows)
        self._draw()

    def _ask_layout(self) -> None:
        """Lay out the whole result once; a step only shows and hides edges."""
        picture = step_picture(self._artifact, len(self._artifact.steps))
        sizes = {n.id: face_size(n, NodeView(n.label)) for n in picture.nodes}
        self._layouts.ask(LayoutQuestion("k2", picture, sizes, "layered"))

    def _on_layout(self, placed: Placed) -> None:
        self._positions = dict(placed.positions)
        self._draw()
        self.canvas.view.fit()

    def _draw(self) -> None:
        if not self._positions:
            return
        picture = step_picture(self._artifact, self._step)
        faces = {node.id: NodeView(node.label) for node in picture.nodes}
        if self._step < len(self._artifact.steps):
            child = self._artifact.steps[self._step].child
            faces[child] = NodeView(child, is_target=True)
        self.canvas.scene.show_picture(picture, faces, self._positions)


def _facts(step: K2Step, measure: str) -> str:
    parents = ", ".join(step.parents) or "no parents yet"
    details = f"{step.child} with {parents}: {choice_label(measure)} {_value(step.value)}"
    if measure in SCORE_MEASURES:
        # Scores are in bits here; lectures print natural logarithms.
        details += f" bits, {_value(step.value * math.log(2))} nats"
    return f"{details}."


def open_trace(app: AppContext, source: ArtifactSource) -> None:
    app.open_page(f"trace:{source.key}", partial(TracePage, app, source))
