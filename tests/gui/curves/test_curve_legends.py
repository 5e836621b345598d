"""The legend of a plot of curves stands where it hides least of them."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.sl_curves.sweep import Sweep, lines_of
from pgmstudio.gui.plots.plot_widget import points_along
from pgmstudio.gui.plots.scan_plots import SweepLinesPlot


def test_places_lie_on_the_lines_between_the_marks() -> None:
    xs, ys = points_along([([0.0, 2.0], [1.0, 5.0])])
    assert xs == pytest.approx(ys)
    assert xs == pytest.approx([part / 12 for part in range(13)])
    xs, _ = points_along([([0.0, 2.0], [1.0, 5.0])], [([4.0], [1.0])])
    assert max(xs) == pytest.approx(0.5)  # what stands beside spans too


def at_corner(qtbot: QtBot, rising: bool, corner: tuple[int, int]) -> None:
    plot = SweepLinesPlot("plotOfLines")
    qtbot.addWidget(plot)
    plot.resize(500, 300)
    plot.show()
    values = [(0, 0.0), (1, 1.0)] if rising else [(0, 1.0), (1, 0.0)]
    plot.show_sweep(Sweep("T", "x", "y", lines_of([("a line", x, y) for x, y in values])))
    qtbot.waitUntil(lambda: plot._legend.opts["offset"] == corner)


def test_the_legend_goes_where_no_line_is(qtbot: QtBot) -> None:
    at_corner(qtbot, True, (-8, -8))  # low at the right
    at_corner(qtbot, False, (8, -8))  # low at the left
