"""The distribution of a node: proposed by dragging or typing, then accepted or taken back."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.gui.languages.pdg.inspector import ParameterBars, with_fraction
from pgmstudio.gui.widgets.elided_label import ElidedLabel

LEFT = Qt.MouseButton.LeftButton
STATES = ("low", "middle", "high")
SHARES = (0.5, 0.3, 0.2)


@pytest.fixture
def bars(qtbot: QtBot) -> ParameterBars:
    made = ParameterBars("bars")
    qtbot.addWidget(made)
    made.resize(300, 120)
    made.show_shares(STATES, SHARES)
    made.show()
    return made


def accepted_by(bars: ParameterBars) -> list[tuple[float, ...]]:
    result: list[tuple[float, ...]] = []
    bars.changed.connect(result.append)
    return result


def test_other_shares_follow_the_one_that_is_set() -> None:
    assert with_fraction((0.5, 0.3, 0.2), 0, 0.75) == pytest.approx((0.75, 0.15, 0.1))
    assert with_fraction((1.0, 0.0, 0.0), 0, 0.4) == pytest.approx((0.4, 0.3, 0.3))
    assert math.isclose(sum(with_fraction((0.2, 0.8), 1, 1.7)), 1)


def test_names_of_states_are_not_cut_while_the_bars_have_room(bars: ParameterBars) -> None:
    bars.resize(262, 120)
    bars.show_shares(("negative", "positive", "unknown"), SHARES)
    QApplication.processEvents()
    names = [one for one in bars.findChildren(ElidedLabel) if one.isVisible()]
    assert {one.text() for one in names} == {"negative", "positive", "unknown"}
    for one in names:
        assert one.fontMetrics().horizontalAdvance(one.text()) <= one.width()


def test_a_drag_proposes_and_letting_go_accepts(bars: ParameterBars, qtbot: QtBot) -> None:
    accepted = accepted_by(bars)
    bar = bars.findChild(QWidget, "parameterBar.low")
    for share in (0.7, 0.25):
        qtbot.mousePress(bar, LEFT, pos=QPoint(round(share * bar.width()), 5))
    assert bars.proposal == pytest.approx((0.25, 0.45, 0.3), abs=0.01)
    assert not accepted
    proposed = bars.proposal
    qtbot.mouseRelease(bar, LEFT)
    assert accepted == [proposed]
    assert bars.proposal is None


def test_escape_takes_a_proposal_back(bars: ParameterBars, qtbot: QtBot) -> None:
    accepted = accepted_by(bars)
    bar = bars.findChild(QWidget, "parameterBar.high")
    field = bars.findChild(QDoubleSpinBox, "parameter.high")
    qtbot.mousePress(bar, LEFT, pos=QPoint(bar.width() - 1, 5))
    assert field.value() > 0.9
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    qtbot.mouseRelease(bar, LEFT)
    assert field.value() == 0.2
    field.selectAll()
    qtbot.keyClicks(field, "0.6")
    assert bars.proposal == pytest.approx((0.25, 0.15, 0.6))
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not accepted
    assert field.value() == 0.2


def test_what_is_shown_again_leaves_a_proposal_and_what_is_new_ends_it(
    bars: ParameterBars, qtbot: QtBot
) -> None:
    field = bars.findChild(QDoubleSpinBox, "parameter.low")
    field.selectAll()
    qtbot.keyClicks(field, "0.8")
    bars.show_shares(STATES, SHARES)
    assert bars.proposal is not None
    bars.show_shares(STATES, (0.1, 0.1, 0.8))
    assert bars.proposal is None
    assert field.value() == 0.1


def test_undo_is_the_field_s_own_only_while_something_is_typed(
    bars: ParameterBars, qtbot: QtBot
) -> None:
    field = bars.findChild(QDoubleSpinBox, "parameter.low")

    def is_taken() -> bool:
        undo = QKeyEvent(
            QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
        )
        undo.ignore()
        QApplication.sendEvent(field, undo)
        return undo.isAccepted()

    assert not is_taken()
    field.selectAll()
    qtbot.keyClicks(field, "0.8")
    assert is_taken()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not is_taken()
