"""Parts of the page that compares languages: the scale of the differences, what the star means."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.languages import LANGUAGES
from pgmstudio.core.experiments.languages_table import LanguageRow, Paired, State
from pgmstudio.gui.pages.compare_differences import DifferencePlot
from pgmstudio.gui.pages.compare_lines import Line
from pgmstudio.gui.pages.compare_words import legend_words


def line(key: str, value: float, half: float, state: State = "learned") -> Line:
    pair = Paired(value, half / 2, (value - half, value + half), 100)
    return Line(LanguageRow(LANGUAGES[key], state), pair, value == 0, value == 0)


@pytest.mark.parametrize(
    ("value", "half"),
    [(-0.001, 0.006), (-0.049, 0.03), (-0.37, 0.03), (-9.0, 0.5), (0.4, 0.1)],
)
@pytest.mark.parametrize("most", [2, 3, 5])
def test_the_scale_of_differences_has_more_than_its_zero(
    qtbot: QtBot, value: float, half: float, most: int
) -> None:
    plot = DifferencePlot()
    qtbot.addWidget(plot)
    plot.show_lines([line("tree", 0.0, 0.0), line("pdg", value, half)], "")
    assert len(plot.ticks(most)) > 1


def test_a_star_at_a_time_is_explained_where_there_is_one() -> None:
    whole, stopped = line("tree", 0.0, 0.0), line("pdg", -0.1, 0.01, "stopped")
    assert "stopped" not in legend_words([whole])
    assert "* stopped when its time was up or by hand." in legend_words([whole, stopped])
