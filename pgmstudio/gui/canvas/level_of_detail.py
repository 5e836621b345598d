"""The zoom an item is painted at, as in the zoom control: 1 is 100 %."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from pgmstudio.gui.canvas.node_view import Detail, detail_at
from pgmstudio.gui.theme.theme import theme


class LevelOfDetail:
    """Shared by the items of a scene; an export forces detail and zoom, whatever its size."""

    def __init__(self) -> None:
        self.forced: Detail | None = None
        self.forced_zoom: float | None = None

    def zoom_of(self, painter: QPainter) -> float:
        """The painter's scale without the font scale, which enlarges the whole canvas."""
        if self.forced_zoom is not None:
            return self.forced_zoom
        lod = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        return float(lod) / theme().scale

    def detail_of(self, zoom: float) -> Detail:
        return detail_at(zoom) if self.forced is None else self.forced
