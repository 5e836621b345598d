"""Evidence on the page of a model: clicks, keys and drags on the bars of its nodes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Excluded, Likelihood, Observed
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.garden_page import (
    bar_of,
    click,
    garden,
    open_garden,
    settled,
    shown,
)
from tests.oracles.brute_force import BruteForceSession

Key, Mods = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    return open_garden(qtbot, window)


# -- evidence


def test_a_click_on_a_bar_sets_evidence_and_a_second_one_retracts_it(
    qtbot: QtBot, page: ModelPage
) -> None:
    prior = shown(page, "rain")
    click(qtbot, page, bar_of(page, "grass", "wet"))
    settled(qtbot, page)
    assert page.asking.live.evidence == {"grass": Observed("wet")}
    reference = BruteForceSession(garden())
    reference.set_evidence("grass", Observed("wet"))
    assert shown(page, "rain") == pytest.approx(tuple(reference.belief("rain").values))
    mark = page.scene().nodes["grass"].face.mark
    assert mark is not None
    assert mark.text == "= wet"
    click(qtbot, page, bar_of(page, "grass", "wet"))
    settled(qtbot, page)
    assert page.asking.live.evidence == {}
    assert shown(page, "rain") == pytest.approx(prior)


def test_shift_excludes_a_state_and_ctrl_allows_several(qtbot: QtBot, page: ModelPage) -> None:
    click(qtbot, page, bar_of(page, "sprinkler", "low"), Mods.ShiftModifier)
    settled(qtbot, page)
    assert page.asking.live.evidence == {"sprinkler": Excluded(frozenset({"low"}))}
    assert page.scene().nodes["sprinkler"].face.mark.text == "≠ low"
    click(qtbot, page, bar_of(page, "sprinkler", "low"), Mods.ShiftModifier)
    click(qtbot, page, bar_of(page, "sprinkler", "off"), Mods.ControlModifier)
    assert page.asking.live.evidence == {"sprinkler": Observed("off")}
    click(qtbot, page, bar_of(page, "sprinkler", "high"), Mods.ControlModifier)
    settled(qtbot, page)
    assert page.asking.live.evidence == {"sprinkler": Excluded(frozenset({"low"}))}


def test_dragging_a_bar_sets_a_likelihood_while_dragging(qtbot: QtBot, page: ModelPage) -> None:
    viewport = page.canvas.view.viewport()
    prior = shown(page, "grass")
    qtbot.mousePress(viewport, LEFT, pos=bar_of(page, "rain", "no", 0.9))
    qtbot.mouseMove(viewport, bar_of(page, "rain", "no", 0.5))
    qtbot.mouseMove(viewport, bar_of(page, "rain", "no", 0.25))
    settled(qtbot, page)  # the button is still held
    assert isinstance(page.asking.live.evidence["rain"], Likelihood)
    assert shown(page, "grass") != pytest.approx(prior)
    qtbot.mouseRelease(viewport, LEFT, pos=bar_of(page, "rain", "no", 0.25))
    finding = page.asking.live.evidence["rain"]
    assert isinstance(finding, Likelihood)
    assert dict(finding.weights) == {"yes": 1.0, "no": pytest.approx(0.25, abs=0.03)}
    assert page.scene().nodes["rain"].pos() == page.scene().nodes["rain"].pos()


def test_an_impossible_state_cannot_be_clicked_and_says_what_excludes_it(
    qtbot: QtBot, page: ModelPage
) -> None:
    click(qtbot, page, bar_of(page, "rain", "no"))
    click(qtbot, page, bar_of(page, "sprinkler", "off"))
    settled(qtbot, page)
    assert shown(page, "grass")[0] == 0
    before = dict(page.asking.live.evidence)
    click(qtbot, page, bar_of(page, "grass", "wet"))
    assert dict(page.asking.live.evidence) == before
    assert page.canvas.bubble.isVisible()
    assert "rain" in page.canvas.bubble.text


def test_the_bar_counts_evidence_and_clears_it(qtbot: QtBot, page: ModelPage) -> None:
    click(qtbot, page, bar_of(page, "rain", "yes"))
    click(qtbot, page, bar_of(page, "grass", "dry"))
    chip = page.bar.findChild(object, "evidenceChip")
    assert chip.isVisible()
    assert "2" in chip.text()
    assert chip.toolTip() == chip.accessibleName() == "2 findings"
    qtbot.mouseClick(page.bar.findChild(object, "clearEvidence"), LEFT)
    assert page.asking.live.evidence == {}
    assert not chip.isVisible()


def test_keys_set_evidence_and_targets(qtbot: QtBot, window: MainWindow, page: ModelPage) -> None:
    view = page.canvas.view
    view.keys.go_to("rain")
    qtbot.keyClick(view, Key.Key_Return)
    qtbot.keyClick(view, Key.Key_2)
    assert page.asking.live.evidence == {"rain": Observed("no")}
    qtbot.keyClick(view, Key.Key_T)
    assert window.app.workspace.target == "rain"
    assert page.scene().nodes["rain"].face.is_target
    qtbot.keyClick(view, Key.Key_C)
    assert page.asking.live.evidence == {}
    qtbot.keyClick(view, Key.Key_Escape)
    window.app.workspace.select(("rain",))
    qtbot.keyClick(view, Key.Key_1)  # of the selected node, without entering it
    assert page.asking.live.evidence == {"rain": Observed("yes")}
