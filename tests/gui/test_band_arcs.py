"""Arcs between the nodes of a decision graph, as they are painted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPixmap
from pytestqt.qtbot import QtBot

from pgmstudio.gui.views.band_arcs import stroke_arcs


@pytest.mark.parametrize("state", range(5))
def test_every_state_can_be_stroked_thin_and_wide(qtbot: QtBot, state: int) -> None:
    pixels = QPixmap(60, 60)
    pixels.fill(Qt.GlobalColor.white)
    painter = QPainter(pixels)
    path = QPainterPath(QPointF(5, 30))
    path.lineTo(55, 30)
    for width in (1.0, 9.0):
        stroke_arcs(painter, path, state, width)
    painter.end()
    image = pixels.toImage()
    assert any(image.pixelColor(x, 27) != Qt.GlobalColor.white for x in range(5, 55))
