"""Rows and columns of widgets that follow the space."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.gui.widgets.basic import TwoSides


def test_two_sides_are_one_below_the_other_where_they_do_not_fit(qtbot: QtBot) -> None:
    left, right = QCheckBox("Selected variables only"), QPushButton("Export CSV")
    page = QWidget()
    sides = TwoSides(left, right)
    sides.setParent(page)
    qtbot.addWidget(page)
    wanted = left.sizeHint().width() + right.sizeHint().width()
    sides.resize(wanted + 60, 80)
    page.show()
    assert right.x() > left.geometry().right()
    sides.resize(max(left.sizeHint().width(), right.sizeHint().width()) + 10, 80)
    qtbot.waitUntil(lambda: right.y() > left.geometry().bottom())
    assert left.width() >= left.sizeHint().width()
