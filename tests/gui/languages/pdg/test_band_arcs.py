"""Arcs between the nodes of a decision graph, as they are painted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPixmap
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.pdg.diagrams import band_picture
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from pgmstudio.gui.languages.pdg.arcs import MAX_DRAWN, BandArcs, stroke_arcs


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


def many_arcs() -> BandArcs:
    """144 arcs from twelve nodes of twelve states to twenty nodes, no two with the same flow."""
    rng = np.random.default_rng(3)
    domain = Domain.of({name: [f"s{i}" for i in range(12)] for name in "ABC"})
    counts = (1, 12, 20)
    graph = DecisionGraph(
        domain,
        (None, 0, 1),
        tuple(rng.dirichlet([1.0] * 12, size=count) for count in counts),
        (None, np.arange(12).reshape(1, 12), rng.permutation(np.arange(144) % 20).reshape(12, 12)),
    )
    arcs = BandArcs(graph, band_picture(graph), 2)
    arcs.show_flow(DecisionGraphSession(graph).node_flows().arcs[1])
    return arcs


def paint(arcs: BandArcs, zoom: float, left: float = 0.0, screen: QWidget | None = None) -> None:
    """On a screen of 800 × 600 whose left edge is there in the scene, or on paper."""
    image = QImage(800, 600, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    painter.scale(zoom, zoom)
    painter.translate(-left, 0)
    arcs.paint(painter, QStyleOptionGraphicsItem(), screen)
    painter.end()


def test_of_too_many_arcs_those_with_most_flow_are_drawn(qtbot: QtBot) -> None:
    arcs = many_arcs()
    assert arcs.count == 144
    paint(arcs, 0.2, screen=QWidget())
    assert arcs._drawn is not None
    assert arcs._drawn.size == MAX_DRAWN
    others = np.setdiff1d(np.arange(144), arcs._drawn)
    assert arcs._flow[others].max() <= arcs._flow[arcs._drawn].min()


def test_of_few_arcs_in_sight_all_are_drawn_and_none_elsewhere(qtbot: QtBot) -> None:
    arcs = many_arcs()
    left = arcs.boundingRect().left()
    screen = QWidget()
    paint(arcs, 2.0, left, screen)
    assert arcs._drawn is not None
    assert 0 < arcs._drawn.size < MAX_DRAWN
    reach = left + 2 * 400 / 2.0 + 400 / 2.0  # the screen, and the strip that one may pan on to
    far = arcs._ends[:, [0, 2]].min(axis=1) > reach
    assert far.any()
    assert not np.isin(np.flatnonzero(far), arcs._drawn).any()
    paint(arcs, 2.0, arcs.boundingRect().right() + 4000, screen)
    assert arcs._drawn.size == 0


def test_only_arcs_that_are_drawn_can_be_pointed_at(qtbot: QtBot) -> None:
    arcs = many_arcs()
    paint(arcs, 0.2, screen=QWidget())
    assert arcs._drawn is not None
    hidden = np.setdiff1d(np.arange(144), arcs._drawn)
    for position in hidden.tolist():
        x, y = arcs._ends[position, :2]
        result = arcs.arc_at(QPointF(x, y + 1))
        one = (arcs._tails[position], arcs._states[position])
        assert result is None or (result[0].node, result[0].state) != one


def test_on_paper_all_arcs_are_drawn(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    arcs = many_arcs()
    drawn: list[int] = []
    strokes_of = arcs._strokes_of

    def counted(positions: Any, lod: float, **more: Any) -> Any:
        drawn.append(positions.size)
        return strokes_of(positions, lod, **more)

    monkeypatch.setattr(arcs, "_strokes_of", counted)
    paint(arcs, 0.2, screen=QWidget())
    paint(arcs, 0.2)
    assert drawn == [MAX_DRAWN, 144]
