"""The size history of decision graphs: a plot of size against likelihood for every version."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPen
from PySide6.QtWidgets import QSizePolicy

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.number_format import counted, decimal, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.plots.chart import StillChart
from pgmstudio.gui.plots.items import Frame, Text
from pgmstudio.gui.project.model_state import ByModel
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Section, label

# More cells are counted in the background.
MAX_AT_ONCE = 200_000
MAX_CACHED = 200
_RING = 12  # percent of the range at each side


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


_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight


class _Trail(StillChart):
    """Size to the right, bits per row upwards; the current version is ringed."""

    background = "surface"

    def __init__(self) -> None:
        super().__init__("graphTrail")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Effective size against bits per row; the current version is ringed.")
        self.points: tuple[TrailPoint, ...] = ()
        self.current: TrailPoint | None = None

    @property
    def is_empty(self) -> bool:
        return not self.points

    def sizeHint(self) -> QSize:
        return QSize(160, round(104 * theme().scale))

    def show_points(self, points: tuple[TrailPoint, ...], graph: DecisionGraph) -> None:
        self.points = tuple(p for p in points if math.isfinite(p.bits))
        self.current = next((p for p in self.points if p.graph is graph), None)
        parts = [f"size {p.size}, {p.bits:.3f} bits per row" for p in self.points]
        self.setAccessibleName("Versions: " + "; ".join(parts))
        self.refresh()

    def _margins(self) -> tuple[float, float, float, float]:
        scale = theme().scale
        return 12 * scale, 22 * scale, 12 * scale, 26 * scale

    def _seen(self, area: QRectF) -> QRectF:
        """All points and, as items are cut at the edge, room for the ring."""
        sizes, bits = [p.size for p in self.points], [p.bits for p in self.points]
        wide, high = max(1, max(sizes) - min(sizes)), max(1e-9, max(bits) - min(bits))
        seen = QRectF(min(sizes), min(bits), wide, high)
        across, up = (_RING * length / 100 for length in (wide, high))
        return seen.adjusted(-across, -up, across, up)

    def _draw_items(self, frame: Frame) -> None:
        look = theme()
        xs = np.array([float(p.size) for p in self.points])
        ys = np.array([p.bits for p in self.points])
        self.items.line("trail", xs, ys, QPen(look.color("edge_dim"), 1), 0)
        fill = look.color("belief")
        self.items.marks("versions", xs, ys, 1, size=7, ink=fill, width=0.1, fill=fill)
        if self.current is not None:
            at = np.array([float(self.current.size)]), np.array([self.current.bits])
            self.items.marks("current", *at, 2, size=14, ink=look.color("accent"), width=2)
        inside = QRectF(8, 3, self.width() - 16, self.height() - 7)
        line = QFontMetricsF(look.font("caption")).height()
        top = QRectF(inside.topLeft(), QSizeF(inside.width(), line))
        bottom = top.translated(0, inside.height() - line)
        low, high = decimal(ys.min()), decimal(ys.max())
        ink, (small, large) = "text_tertiary", (grouped(round(x)) for x in (xs.min(), xs.max()))
        texts = [
            Text(top, f"{high} bits per row ↑", ink=ink, side=_LEFT),
            Text(bottom, f"{low}, size {small}", ink=ink, side=_LEFT),
            Text(bottom, f"size {large}", ink=ink, side=_RIGHT),
        ]
        self.items.texts("texts", texts, 3)
        card = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        pen, radius = QPen(look.color("border")), look.radius("card")
        self.items.frame("card", card, 3, ink=pen, radius=radius)


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
