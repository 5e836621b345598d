"""The size history of decision graphs: a plot of size against likelihood for every version."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.number_format import counted, decimal, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.project.model_state import ByModel
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Section, label

# More cells are counted in the background.
MAX_AT_ONCE = 200_000
MAX_CACHED = 200


@dataclass(frozen=True, eq=False)
class TrailPoint:
    """One version: its effective size, and bits per row of the rows it was measured on."""

    graph: DecisionGraph
    rows: str  # their fingerprint
    size: int
    bits: float


class SizeHistory(QObject):
    """The points of all models; `changed` emits the model that has another point."""

    changed = Signal(str)

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._points: ByModel[list[TrailPoint]] = ByModel(app.document)
        self._latest_task = LatestTask(self, self._on_measured, app.errors.report)
        app.document.replaced.connect(self._latest_task.forget)

    def points(self, model_id: str) -> tuple[TrailPoint, ...]:
        """In the order in which they were first seen."""
        return tuple(self._points.get(model_id, ()))

    def see(self, model_id: str, graph: DecisionGraph, rows: DataSet | None) -> None:
        """Add a point for the graph that is shown now, if it has none."""
        if rows is None:
            return
        # Bits of other rows are no points of this chart.
        take_rows = [p for p in self._points.get(model_id, ()) if p.rows == rows.fingerprint]
        self._points[model_id] = take_rows
        if any(p.graph is graph for p in take_rows):
            return
        if rows.codes.size <= MAX_AT_ONCE:
            self._on_measured((model_id, _measured(graph, rows)))
        else:
            self._latest_task.ask(partial(_answered, model_id, graph, rows))

    def _on_measured(self, result: tuple[str, TrailPoint]) -> None:
        model_id, point = result
        if model_id not in self._app.project.models:
            return  # it was deleted meanwhile
        self._points[model_id] = [*self._points.get(model_id, ()), point][-MAX_CACHED:]
        self.changed.emit(model_id)


def _measured(graph: DecisionGraph, rows: DataSet) -> TrailPoint:
    bits = np.average(graph.log2_probabilities(rows), weights=rows.weights)
    return TrailPoint(graph, rows.fingerprint, graph.effective_size(), float(bits))


def _answered(
    model_id: str, graph: DecisionGraph, rows: DataSet, _cancel: CancelToken
) -> tuple[str, TrailPoint]:
    return model_id, _measured(graph, rows)


def graph_trail(app: AppContext) -> SizeHistory:
    """The `SizeHistory` of a window, made on first use."""
    return app.service(SizeHistory)


class _Trail(QWidget):
    """Size to the right, bits per row upwards; the current version is ringed."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("graphTrail")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Effective size against bits per row; the current version is ringed.")
        self.points: tuple[TrailPoint, ...] = ()
        self.current: TrailPoint | None = None

    def sizeHint(self) -> QSize:
        return QSize(160, round(104 * theme().scale))

    def show_points(self, points: tuple[TrailPoint, ...], graph: DecisionGraph) -> None:
        self.points = tuple(p for p in points if math.isfinite(p.bits))
        self.current = next((p for p in self.points if p.graph is graph), None)
        parts = [f"size {p.size}, {p.bits:.3f} bits per row" for p in self.points]
        self.setAccessibleName("Versions: " + "; ".join(parts))
        self.update()

    def position_of(self, point: TrailPoint) -> QPointF:
        """Where a point is drawn."""
        area = self._plot_area()
        sizes, bits = [p.size for p in self.points], [p.bits for p in self.points]
        across = (point.size - min(sizes)) / max(1, max(sizes) - min(sizes))
        up = (point.bits - min(bits)) / max(1e-9, max(bits) - min(bits))
        return QPointF(area.left() + across * area.width(), area.bottom() - up * area.height())

    def _plot_area(self) -> QRectF:
        scale = theme().scale
        return QRectF(self.rect()).adjusted(12 * scale, 22 * scale, -12 * scale, -26 * scale)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(theme().color("border"))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(frame, theme().radius("card"), theme().radius("card"))
        if self.points:
            self._paint_points(painter)
        painter.end()

    def _paint_points(self, painter: QPainter) -> None:
        positions = [self.position_of(point) for point in self.points]
        painter.setPen(QPen(theme().color("edge_dim"), 1))
        painter.drawPolyline(positions)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("belief"))
        for position in positions:
            painter.drawEllipse(position, 3.5, 3.5)
        if self.current is not None:
            painter.setPen(QPen(theme().color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(self.position_of(self.current), 7, 7)
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text_tertiary"))
        inside = QRectF(self.rect()).adjusted(8, 3, -8, -4)
        sizes = [p.size for p in self.points]
        low, high = map(decimal, self._range())
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(inside, top | Qt.AlignmentFlag.AlignLeft, f"{high} bits per row ↑")
        bottom = Qt.AlignmentFlag.AlignBottom
        text = f"{low}, size {grouped(min(sizes))}"
        painter.drawText(inside, bottom | Qt.AlignmentFlag.AlignLeft, text)
        painter.drawText(
            inside, bottom | Qt.AlignmentFlag.AlignRight, f"size {grouped(max(sizes))}"
        )

    def _range(self) -> tuple[float, float]:
        bits = [p.bits for p in self.points]
        return min(bits), max(bits)


class TrailSection(Section):
    """Only for decision graphs with rows, from the second version on."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Size and likelihood")
        self.setObjectName("inspectorTrail")
        self._trail = graph_trail(app)
        self._trail.changed.connect(self._on_changed)
        self._subject: ActiveModel | None = None
        self.plot = _Trail()
        self.note = label("", "tertiary", size="dense", wrap=True)
        self.add(self.plot, self.note)
        self.hide()

    def show_subject(self, subject: ActiveModel, _names: tuple[str, ...] = ()) -> None:
        self._subject = subject
        graph = subject.model
        points = self._trail.points(subject.model_id)
        self.setVisible(isinstance(graph, DecisionGraph) and len(points) > 1)
        if isinstance(graph, DecisionGraph):
            self.plot.show_points(points, graph)
            versions = counted(len(points), "version")
            self.note.setText(f"{versions} since the page was opened; up and left is better.")

    def _on_changed(self, model_id: str) -> None:
        if self._subject is not None and self._subject.model_id == model_id:
            self.show_subject(self._subject)
