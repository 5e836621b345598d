"""Forms of parameters: how wide they are, and what choices are called."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.markov_network.learning.mpl import MplParams
from pgmstudio.gui.widgets.combo_box import Combo
from pgmstudio.gui.widgets.param_form import ParamForm, ParamSlider

WIDTH = 380  # of the form in a window of 1280 pixels


@pytest.mark.parametrize("key", list(all_learners()))
def test_the_form_of_a_learner_fits_beside_the_inspector(qtbot: QtBot, key: str) -> None:
    form = ParamForm(all_learners()[key].params_type)
    qtbot.addWidget(form)
    form.show_advanced(True)
    assert form.minimumSizeHint().width() <= WIDTH


def test_sliders_have_space_beside_their_fields_in_a_narrow_form_too(qtbot: QtBot) -> None:
    form = ParamForm(all_learners()["bn.hill-climb"].params_type)
    qtbot.addWidget(form)
    form.resize(700, 600)
    form.show()
    slider = form.findChild(ParamSlider)
    assert isinstance(slider, ParamSlider)
    assert slider.isVisible()
    form.resize(WIDTH, 600)
    qtbot.waitUntil(lambda: slider.width() < 200)
    assert slider.width() >= 40
    form.set_locked(True)
    assert not slider.isVisible()


def test_rules_that_combine_blankets_are_written_out(qtbot: QtBot) -> None:
    form = ParamForm(MplParams)
    qtbot.addWidget(form)
    box = form.findChild(Combo, "param.combine")
    assert isinstance(box, Combo)
    names = [box.itemText(n) for n in range(box.count())]
    assert names == ["hill climbing", "AND", "OR", "exhaustive"]


def test_the_wheel_changes_only_the_field_with_the_focus(qtbot: QtBot) -> None:
    form = ParamForm(MplParams)
    qtbot.addWidget(form)
    with qtbot.waitActive(form):
        form.show()
    box = form.findChild(Combo, "param.combine")
    assert isinstance(box, Combo)

    def turn_wheel() -> tuple[str, bool]:
        """The text then, and whether the page is left to scroll."""
        place = QPointF(box.rect().center())
        event = QWheelEvent(
            place,
            box.mapToGlobal(place),
            QPoint(),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(box, event)
        return box.currentText(), not event.isAccepted()

    assert turn_wheel() == ("hill climbing", True)
    assert not box.hasFocus()
    box.setFocus()
    assert turn_wheel() == ("AND", False)
