"""The logo of the program: two observed causes and a hidden one."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.gui.theme.theme import theme

# Nodes on a square of 20: middle, radius, and whether it is filled.
_SIDE = 20.0
_NODES = ((7.0, 4.5, 2.9, True), (15.5, 10.0, 2.9, True), (6.5, 15.5, 2.9, False))


def paint_logo(painter: QPainter, area: QRect) -> None:
    """Three nodes and their edges in the accent colour, as large as fits into `area`."""
    scale = min(area.width(), area.height()) / _SIDE
    accent = theme().color("accent")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(
        area.center().x() + 0.5 - scale * _SIDE / 2, area.center().y() + 0.5 - scale * _SIDE / 2
    )
    painter.scale(scale, scale)
    points = [QPointF(x, y) for x, y, _, _ in _NODES]
    painter.setPen(QPen(accent, 1.7))
    painter.drawPolygon(points)
    for place, (_, _, radius, filled) in zip(points, _NODES, strict=True):
        painter.setBrush(theme().color("accent" if filled else "window"))
        painter.drawEllipse(place, radius, radius)
    painter.restore()


class Logo(QWidget):
    """The logo at the left end of the menu bar."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("logo")
        self.setAccessibleName("PGM Studio")
        self.setToolTip("PGM Studio")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = theme().px("icon")
        return QSize(side + theme().space(5) + theme().space(2), side + theme().space(4))

    def paintEvent(self, event: QPaintEvent) -> None:
        side = theme().px("icon") * 5 // 4
        left = theme().space(3)
        paint_logo(QPainter(self), QRect(left, (self.height() - side) // 2, side, side))


def logo_icon() -> QIcon:
    """The same for the title bar and the task bar."""
    picture = QPixmap(128, 128)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    paint_logo(painter, picture.rect())
    painter.end()
    return QIcon(picture)
