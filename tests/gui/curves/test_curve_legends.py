"""The legend of a plot of curves stands where it hides least of them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.sl_curves.sweep import Sweep, lines_of
from pgmstudio.gui.plots.curve_plot import points_along
from pgmstudio.gui.plots.scan_plots import SweepLinesPlot


def test_places_lie_on_the_lines_between_the_marks() -> None:
    xs, ys = points_along([0.0, 2.0], [1.0, 5.0])
    assert (xs / 2).tolist() == pytest.approx([part / 12 for part in range(13)])
    assert ys.tolist() == pytest.approx((1 + 2 * xs).tolist())


@pytest.mark.parametrize(
    "lines",
    [
        [("rising", [0.0, 1.0])],
        [("falling", [1.0, 0.0])],
        [("low", [0.0, 0.0, 0.0]), ("high", [1.0, 1.1, 0.9])],  # every corner has a line
        [("low", [0.0, 0.0]), ("rising", [0.0, 1.0]), ("high", [1.0, 1.0])],
    ],
    ids=lambda lines: ", ".join(name for name, _ in lines),
)
def test_the_legend_covers_no_line_where_there_is_room(
    qtbot: QtBot, lines: list[tuple[str, list[float]]]
) -> None:
    plot = SweepLinesPlot("plotOfLines")
    qtbot.addWidget(plot)
    plot.resize(560, 340)
    plot.show()
    marks = [(name, float(x), y) for name, ys in lines for x, y in enumerate(ys)]
    plot.show_sweep(Sweep("T", "x", "y", lines_of(marks)))

    def is_clear() -> bool:
        view = plot.canvas.getViewBox()  # type: ignore[union-attr]
        points = (
            view.mapViewToScene(QPointF(x, y))
            for xs, ys in plot.curves.values()
            for x, y in zip(*points_along(xs, ys), strict=True)
        )
        return not any(plot.legend_area.contains(point) for point in points)

    qtbot.waitUntil(is_clear)
    assert plot.legend_area.width() > 30


def test_the_legend_covers_no_error_bar(qtbot: QtBot) -> None:
    plot = SweepLinesPlot("plotOfSpreads")
    qtbot.addWidget(plot)
    plot.resize(560, 340)
    plot.show()
    spreads = {0.0: (2.0, 4.0), 1.0: (1.5, 0.1), 2.0: (1.2, 0.1), 3.0: (3.0, 0.1)}
    marks = [
        ("line", x, mean + side * spread)
        for x, (mean, spread) in spreads.items()
        for side in (-1, 1)
    ]
    other = [("low", x, 0.0) for x in spreads]
    plot.show_sweep(Sweep("T", "x", "y", lines_of([*marks, *other])))

    def is_clear() -> bool:
        view = plot.canvas.getViewBox()  # type: ignore[union-attr]
        parts = [view.mapViewToScene(QPointF(0.0, y / 4)) for y in range(-8, 25)]
        return not any(plot.legend_area.contains(point) for point in parts)

    qtbot.waitUntil(is_clear)
