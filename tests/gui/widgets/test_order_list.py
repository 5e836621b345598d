"""An order of columns: dragged, moved by keys, kept when other columns come."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import K2Params
from pgmstudio.gui.widgets.param_form import OrderList, ParamForm


def test_names_are_moved_by_keys_and_the_order_of_the_data_is_no_text(qtbot: QtBot) -> None:
    listed = OrderList()
    qtbot.addWidget(listed)
    listed.show_columns(("L", "KA", "M, b", "KV"))
    assert listed.text() == ""
    listed.setCurrentRow(3)
    with qtbot.waitSignal(listed.order_changed):
        QTest.keyClick(listed, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert listed.text() == 'L,KA,KV,"M, b"'
    QTest.keyClick(listed, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert listed.text() == ""
    listed.set_text('"M, b", Q, KA')  # others follow; unknown names are left out
    assert listed.names() == ("M, b", "KA", "L", "KV")
    listed.show_columns(("KA", "Z", "M, b"))
    assert listed.names() == ("M, b", "KA", "Z")


def test_the_form_of_k2_has_the_order_of_the_list(qtbot: QtBot) -> None:
    form = ParamForm(K2Params)
    qtbot.addWidget(form)
    form.set_params(K2Params(order="M, L"))
    assert form.params() == K2Params(order="M,L")  # no columns are known yet
    form.show_columns(("L", "KA", "M", "KV"))
    assert form.params() == K2Params(order="M,L,KA,KV")
    form.set_params(K2Params())
    assert form.params() == K2Params()
