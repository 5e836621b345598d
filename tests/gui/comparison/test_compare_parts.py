"""Parts of the page that compares languages: the scale of the differences, what the star means."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.comparison_rows import Line
from pgmstudio.core.experiments.language_comparison.candidates import LANGUAGES
from pgmstudio.core.experiments.language_comparison.results import (
    LanguageRow,
    LanguageTable,
    Paired,
    State,
)
from pgmstudio.gui.comparison.detail_tabs import DetailTabs
from pgmstudio.gui.comparison.difference_plot import DifferencePlot
from pgmstudio.gui.comparison.table import legend_text
from pgmstudio.gui.theme.language_symbols import language_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow


def line(key: str, value: float, half: float, state: State = "learned") -> Line:
    pair = Paired(value, half / 2, (value - half, value + half), 100)
    return Line(LanguageRow(LANGUAGES[key], state), pair, value == 0, value == 0)


@pytest.mark.parametrize(
    ("value", "half"),
    [(-0.001, 0.006), (-0.049, 0.03), (-0.37, 0.03), (-9.0, 0.5), (0.4, 0.1)],
)
@pytest.mark.parametrize("width", [300, 420, 900])
def test_the_scale_of_differences_has_more_than_its_zero(
    qtbot: QtBot, value: float, half: float, width: int
) -> None:
    plot = DifferencePlot()
    qtbot.addWidget(plot)
    plot.resize(width, 200)
    plot.show_lines([line("tree", 0.0, 0.0), line("pdg", value, half)], "")
    plot.show()
    qtbot.waitUntil(lambda: plot.canvas is not None)
    axis = plot.canvas.getAxis("bottom")  # type: ignore[union-attr]
    levels = axis.tickValues(*plot.axis, plot.frame.area.width())
    labels = {text for distance, ticks in levels for text in axis.tickStrings(ticks, 1.0, distance)}
    assert len(labels) > 1
    low, high = plot.axis
    font, per_bit = QFontMetricsF(theme().font("caption")), plot.frame.area.width() / (high - low)
    for distance, ticks in levels:  # no number touches the next one
        for text in axis.tickStrings(ticks, 1.0, distance):
            assert font.horizontalAdvance(text) < distance * per_bit


def test_a_language_is_selected_and_opened_on_the_plot_by_mouse_and_keys(qtbot: QtBot) -> None:
    plot = DifferencePlot()
    qtbot.addWidget(plot)
    plot.resize(500, 240)
    lines = [line("tree", 0.0, 0.0), line("pdg", -0.2, 0.1), line("bn", 0.1, 0.02)]
    plot.show_lines(lines, lines[0].title)
    plot.show()
    left = Qt.MouseButton.LeftButton
    with qtbot.waitSignal(plot.row_selected) as selected:
        qtbot.mouseClick(plot, left, pos=plot.row_rect(lines[1].title).center())
    assert selected.args == [lines[1].title]
    with qtbot.waitSignal(plot.row_selected) as selected:
        qtbot.keyClick(plot, Qt.Key.Key_Down)
    assert selected.args == [lines[2].title]
    with qtbot.waitSignal(plot.chosen) as chosen:
        qtbot.mouseDClick(plot, left, pos=plot.row_rect(lines[1].title).center())
    assert chosen.args == [lines[1].title]


def test_rows_of_the_plot_do_not_overlap_at_its_smallest_size(qtbot: QtBot) -> None:
    plot = DifferencePlot()
    qtbot.addWidget(plot)
    plot.show_lines([line(key, -0.1 * n, 0.1) for n, key in enumerate(LANGUAGES)], "")
    plot.resize(plot.minimumSize())
    assert plot.row_height >= QFontMetricsF(theme().font("dense")).height()


def test_a_star_at_a_time_is_explained_where_there_is_one() -> None:
    whole, stopped = line("tree", 0.0, 0.0), line("pdg", -0.1, 0.01, "stopped")
    assert "stopped early" not in legend_text([whole])
    assert "* stopped early by the time budget or by the user" in legend_text([whole, stopped])


def test_every_language_has_a_sign_of_its_own(qtbot: QtBot) -> None:
    """Also without colour: as grey shapes no two are alike."""
    shapes = []
    for language in LANGUAGES.values():
        image = language_icon(language).pixmap(32, 32).toImage()
        size = range(image.width())
        shapes.append(tuple(image.pixelColor(x, y).alpha() > 127 for y in size for x in size))
    assert len(set(shapes)) == len(LANGUAGES)


def test_all_pairs_have_short_names_on_both_sides_and_whole_ones_in_their_tips(
    window: MainWindow, qtbot: QtBot
) -> None:
    lower = DetailTabs(window.app)
    qtbot.addWidget(lower)
    rows = [line("tree", 0.0, 0.0), line("hybrid", -0.1, 0.01)]
    lower.show_comparison(LanguageTable(tuple(one.row for one in rows), None, None), (), rows, "")
    lower.right.button("pairs").click()
    assert set(lower.by_pair.values) == {
        (a, b) for a in ("Tree", "Hybrid") for b in ("Tree", "Hybrid")
    }
    tip = lower.by_pair.model().index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "Chow–Liu tree against Hybrid PDG"


def test_all_pairs_of_all_languages_fit_into_half_a_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    lower = DetailTabs(window.app)
    qtbot.addWidget(lower)
    lower.resize(1030, 320)
    lower.show()
    rows = [line(key, -0.1 * index, 0.01) for index, key in enumerate(LANGUAGES)]
    lower.show_comparison(LanguageTable(tuple(one.row for one in rows), None, None), (), rows, "")
    lower.right.button("pairs").click()
    grid = lower.by_pair
    qtbot.waitUntil(lambda: grid.isVisible() and grid.horizontalHeader().count() == len(LANGUAGES))
    assert grid.horizontalHeader().length() <= grid.viewport().width()
