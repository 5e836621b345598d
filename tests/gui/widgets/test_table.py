"""The table widget: order, selection, filter, check boxes, editing and the clipboard."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pgmstudio.core.number_format import decimal
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.table import Column, Table

Key, Order = Qt.Key, Qt.SortOrder


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    bits: float | None
    is_used: bool = True


ROWS = (Model("tree", -3.5), Model("network", None), Model("mixture", -1234.25))
COLUMNS = (
    Column("", is_ticked=lambda row: row.is_used),
    Column("Name", value=lambda row: row.name, is_editable=True),
    Column("Bits", decimal, True, value=lambda row: row.bits),
)


@pytest.fixture
def table(qtbot: QtBot) -> Table:
    made = Table("models", "Models", COLUMNS, key=lambda row: row.name)
    qtbot.addWidget(made)
    made.show_rows(ROWS)
    made.show()
    return made


def names(table: Table) -> list[str]:
    model = table.model()
    return [model.index(row, 1).data() for row in range(model.rowCount())]


def test_rows_without_a_value_come_last_in_both_directions(table: Table) -> None:
    table.sortByColumn(2, Order.AscendingOrder)
    assert names(table) == ["mixture", "tree", "network"]
    table.sortByColumn(2, Order.DescendingOrder)
    assert names(table) == ["tree", "mixture", "network"]
    table.sortByColumn(-1, Order.AscendingOrder)
    assert names(table) == ["tree", "network", "mixture"]


def test_not_a_number_is_no_value(qtbot: QtBot) -> None:
    made = Table("numbers", "Numbers", [Column("Number", decimal, True)])
    qtbot.addWidget(made)
    made.show_rows([(math.nan,), (2.0,), (1.0,)])
    made.sortByColumn(0, Order.AscendingOrder)
    assert [made.row_at(made.model().index(row, 0))[0] for row in (0, 1)] == [1.0, 2.0]


def test_the_selected_row_stays_selected_when_the_table_is_sorted_filtered_and_updated(
    qtbot: QtBot, table: Table
) -> None:
    table.select_key("mixture")
    with qtbot.assertNotEmitted(table.selected):
        table.sortByColumn(2, Order.AscendingOrder)
        assert table.current_row is ROWS[2]
        table.show_filtered("MIX")
        assert names(table) == ["mixture"]
        assert table.current == 2
        table.show_filtered("")
        changed = Model("mixture", -2.0)
        table.show_rows([changed, *ROWS[:2]])
        assert table.current_row is changed


def test_values_that_change_do_not_reset_the_table(qtbot: QtBot, table: Table) -> None:
    with qtbot.assertNotEmitted(table.model().modelReset):
        table.show_rows([ROWS[0], Model("network", -9.0), ROWS[2]])
    assert table.model().index(1, 2).data() == "−9.000"


def test_rows_are_copied_with_plain_numbers(qtbot: QtBot, table: Table) -> None:
    qtbot.keyClick(table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QApplication.clipboard().text().splitlines()
    assert lines == ["Name\tBits", "tree\t-3.500", "network\t–", "mixture\t-1234.250"]
    table.select_key("tree")
    qtbot.keyClick(table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "Name\tBits\ntree\t-3.500\n"


def test_boxes_names_and_removal_are_requests(qtbot: QtBot, table: Table) -> None:
    table.select(1)
    with qtbot.waitSignal(table.ticked) as ticked:
        qtbot.keyClick(table, Key.Key_Space)
    assert ticked.args == [1, False]
    with qtbot.waitSignal(table.edited) as edited:
        table.model().setData(table.model().index(1, 1), "BN")
    assert edited.args == [1, 1, "BN"]
    assert names(table)[1] == "network"
    with qtbot.waitSignal(table.removal_requested) as removal:
        qtbot.keyClick(table, Key.Key_Delete)
    assert removal.args == [1]


def test_very_many_rows_are_sorted_by_the_keys_of_their_column(qtbot: QtBot) -> None:
    bits = np.random.default_rng(1).normal(size=200_000)
    made = Table("rows", "Rows", [Column("Bits", str, True, value=bits.__getitem__, keys=bits)])
    qtbot.addWidget(made)
    made.show_rows(range(bits.size))
    made.sortByColumn(0, Order.DescendingOrder)
    assert made.row_at(made.model().index(0, 0)) == int(bits.argmax())


def test_a_bar_is_as_long_as_its_fraction_and_unknown_ones_are_empty(qtbot: QtBot) -> None:
    for value, filled in ((0.5, True), (None, False), (0.0, False)):
        image = QImage(100, 9, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        paint_bar(painter, QRectF(image.rect()), Bar(value))
        painter.end()
        fill, track = theme().color("belief"), theme().color("belief_track")
        assert image.pixelColor(40, 4) == (fill if filled else track)
        assert image.pixelColor(60, 4) == track
