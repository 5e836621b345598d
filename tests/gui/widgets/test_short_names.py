"""Names of a list are shortened so that no two look the same."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.short_names import ShortNames
from pgmstudio.gui.widgets.soft_breaks import halves

REGIONS = [
    f"region-{side}-household-income-share-{number:02d}"
    for number in range(25)
    for side in ("north", "south", "northeast", "northwest")
]


@pytest.mark.parametrize(
    ("names", "like"),
    [
        (["region-north", "region-south", "region-west"], "region-no"),
        (REGIONS, "region-no…-share-00"),
        (REGIONS, "…northeast…00"),
        (["aaaaaaaaaaaabaaaaaaaaaaaaa", "aaaaaaaaaaaacaaaaaaaaaaaaa"], "aaaa…aaaa"),
    ],
)
def test_no_two_names_look_the_same(qtbot: QtBot, names: list[str], like: str) -> None:
    metrics = QFontMetrics(theme().font("dense"))
    width = metrics.horizontalAdvance(like) + 8
    shown = ShortNames(names).all(metrics, width)
    assert len(set(shown.values())) == len(names)
    assert all(metrics.horizontalAdvance(text) <= width for text in shown.values())


def test_what_tells_names_apart_is_kept(qtbot: QtBot) -> None:
    metrics = QFontMetrics(theme().font("dense"))
    width = metrics.horizontalAdvance("region-northwest…24") + 2
    shown = ShortNames(REGIONS).all(metrics, width)
    assert shown["region-northwest-household-income-share-24"] == "region-northwest…24"
    assert ShortNames(["ab", "cd"]).shorten("ab", metrics, "", 500) == "ab"


def test_a_shortened_name_does_not_pass_for_the_beginning_of_another(qtbot: QtBot) -> None:
    metrics = QFontMetrics(theme().font("dense"))
    first, second = "Optimum spanning tree", "Optimum spanning tree 2"
    shown = ShortNames([first, second]).all(metrics, metrics.horizontalAdvance(first) + 1)
    assert shown[first] == first
    assert shown[second].startswith("Optimum")
    assert shown[second].endswith("tree 2")


def test_names_are_cut_in_two_where_words_end() -> None:
    assert halves("Religious groups") == ("Religious", "groups")
    assert halves("physical_work") == ("physical_", "work")
    assert halves("pressure") == ("pressure",)
    assert halves("pressure", in_words=True) == ("pres", "sure")
