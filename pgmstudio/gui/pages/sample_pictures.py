"""Small pictures on the sample cards: a graph for models, a table for data."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from pgmstudio.gui.pages.samples import Sample
from pgmstudio.gui.style.theme import theme

# Nodes on the unit square and edges between them: Asia's, and a wider network's.
_ASIA_NODES = ((0.1, 0.0), (0.62, 0.0), (0.1, 0.33), (0.42, 0.33), (0.9, 0.33), (0.26, 0.66))
_ASIA = (
    (*_ASIA_NODES, (0.1, 1.0), (0.62, 1.0)),
    ((0, 2), (1, 3), (1, 4), (2, 5), (3, 5), (5, 6), (5, 7), (4, 7)),
)
_WIDE = (
    tuple((x / 5 + 0.1 * (y % 2) * 0.5, y / 3) for y in range(4) for x in range(6)),
    tuple(
        (y * 6 + x, (y + 1) * 6 + min(5, max(0, x + step)))
        for y in range(3)
        for x in range(6)
        for step in ((-1, 1), (0,), (1, 0))[(x + 2 * y) % 3]
    ),
)


def paint_sample(painter: QPainter, area: QRectF, sample: Sample) -> None:
    """The picture of a sample inside `area`."""
    if sample.group == "Models":
        nodes, edges = _ASIA if sample.file.startswith("asia") else _WIDE
        _paint_graph(
            painter, area, nodes, edges, accent=1 if sample.file.startswith("asia") else -1
        )
    else:
        _paint_table(painter, area, gaps="gaps" in sample.chip, salt=len(sample.file))


def _paint_graph(
    painter: QPainter,
    area: QRectF,
    nodes: tuple[tuple[float, float], ...],
    edges: tuple[tuple[int, int], ...],
    *,
    accent: int,
) -> None:
    wide = len(nodes) > 10
    width = area.width() * (0.8 if wide else 0.42)
    radius = 4.0 if wide else 6.5
    frame = QRectF(area.center().x() - width / 2, area.top() + radius, width, 0)
    frame.setHeight(area.height() - 2 * radius)
    places = [QPointF(frame.left() + x * width, frame.top() + y * frame.height()) for x, y in nodes]
    painter.setPen(QPen(theme().color("edge"), theme().line("edge")))
    for source, target in edges:
        painter.drawLine(places[source], places[target])
    painter.setPen(QPen(theme().color("border_control"), theme().line("edge")))
    for number, place in enumerate(places):
        painter.setBrush(theme().color("evidence" if number == accent else "surface"))
        painter.drawEllipse(place, radius, radius)


def _paint_table(painter: QPainter, area: QRectF, *, gaps: bool, salt: int) -> None:
    columns, rows = 7, 6
    cell = min(area.height() / rows, area.width() / columns / 1.6)
    width = cell * 1.6
    left = area.center().x() - columns * width / 2
    top = area.center().y() - rows * cell / 2
    painter.setPen(Qt.PenStyle.NoPen)
    for r in range(rows):
        for c in range(columns):
            if r == 0:
                color = theme().color("border_control")
            elif gaps and (r * 5 + c * 3) % 7 == 0:
                continue
            else:
                color = theme().sequential((r * r + c * salt + r * c + salt) % 4 + 1)
            painter.setBrush(color)
            spot = QRectF(left + c * width, top + r * cell, width, cell).adjusted(
                1.5, 1.5, -1.5, -1.5
            )
            painter.drawRoundedRect(spot, 2, 2)
