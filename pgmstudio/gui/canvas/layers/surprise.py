"""The layer of surprise: the bits of each finding on its node; darker is more."""

from __future__ import annotations

import math
from collections.abc import Mapping

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pgmstudio.gui.canvas.fonts import font_of_height
from pgmstudio.gui.canvas.layers.layer import SceneLayer
from pgmstudio.gui.canvas.legend import LegendEntry
from pgmstudio.gui.canvas.node_view import Detail
from pgmstudio.gui.canvas.scene import CanvasScene
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.row_surprise import row_surprise_of, surprises
from pgmstudio.gui.theme.theme import theme

# Bits of the darkest step: a state of probability 1/256 given the rest.
MAX_BITS = 8.0
STEPS = 8
# Smaller values are no surprise and would clutter the canvas.
MIN_BITS, MIN_ZOOMED_OUT = 0.05, 1.0
_HEIGHT = 15.0


def step_of(bits: float) -> int:
    """The step of the heat ramp, 0 to 7."""
    return min(STEPS - 1, max(0, int(bits / MAX_BITS * STEPS)))


def ink_on(step: int) -> QColor:
    """Readable on the step: its own text colour on light ones, the opposite on dark ones."""
    return theme().color("text") if step <= 4 else theme().color("surface")


class SurpriseLayer(SceneLayer):
    """A layer above the nodes that ignores the mouse."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__(scene, 2.1)
        self._bits: dict[str, float] = {}
        self._given = "rest"

    @property
    def bits(self) -> Mapping[str, float]:
        """The bits by node."""
        return self._bits

    def show_bits(self, bits: Mapping[str, float], given: str = "rest") -> None:
        """Show bits on nodes; `given` names the measure in the legend."""
        self._given = given
        self._bits = {name: value for name, value in bits.items() if value >= MIN_BITS}
        self.follow()
        self.update()

    def follow(self) -> None:
        """Update after nodes were added, removed or moved."""
        if not self._bits and not self.has_bounds:
            return
        around = self._scene.content_rect().adjusted(-40, -40, 40, 40)
        self.cover(around if self._bits else QRectF())

    def legend_entries(self) -> list[LegendEntry]:
        text = f"surprise in bits, given the {self._given}"
        return [LegendEntry(text, _sample)] if self._bits else []

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        zoom = self._scene.zoomed.zoom_of(painter)
        is_far = self._scene.zoomed.detail_of(zoom) is not Detail.FULL
        scale = 1 / max(0.3, min(1.0, zoom))
        for name, bits in self._bits.items():
            item = self._scene.nodes.get(name)
            if item is None or not item.isVisible() or (is_far and bits < MIN_ZOOMED_OUT):
                continue
            corner = item.box.bottomRight()
            paint_bits(painter, bits, corner.x(), corner.y() + 4 * scale, scale)


def paint_bits(painter: QPainter, bits: float, right: float, middle: float, scale: float) -> None:
    """A pill with the number, its right end a little beyond the corner of the node."""
    text = f"{bits:.1f}" if math.isfinite(bits) else "∞"
    font = font_of_height(round(10 * scale))
    painter.setFont(font)
    wide = QFontMetricsF(font).horizontalAdvance(text) + 10 * scale
    high = _HEIGHT * scale
    step = step_of(bits)
    pill = QRectF(right - wide + 6 * scale, middle - high / 2, wide, high)
    painter.setPen(QPen(theme().color("border_control"), 1))
    painter.setBrush(theme().sequential(step))
    painter.drawRoundedRect(pill, high / 2, high / 2)
    painter.setPen(ink_on(step))
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


def _sample(painter: QPainter, position: QRectF) -> None:
    paint_bits(painter, 4.2, position.right() - 6, position.center().y(), 1.0)


class SurpriseMarks(QObject):
    """Fills the layer of one model's page while surprise is marked."""

    def __init__(
        self, app: AppContext, model_id: str, layer: SurpriseLayer, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._app, self._model_id, self._layer = app, model_id, layer
        self._surprise = row_surprise_of(app)
        self._surprise.changed.connect(self._follow)
        live = app.workspace.beliefs(model_id)
        self._live, self._keeper = live, live.diagnostics
        self._keeper.changed.connect(self._follow)
        live.changed.connect(self._follow)
        live.evidence_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        if self._model_id not in self._app.project.models:
            return
        bits: Mapping[str, float] = {}
        if self._surprise.marks_surprise:
            self._keeper.follow()
            bits = surprises(self._surprise, self._live)
        self._layer.show_bits(bits, self._surprise.measure)
        if (canvas := self.parent()) is not None and hasattr(canvas, "refresh_soon"):
            canvas.refresh_soon()
