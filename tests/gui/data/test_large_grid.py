"""The grid of a large data set: only what is in sight is read."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QTableView
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.project.edits import add_data
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.data.associations_tab import AssociationTab
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.data.table_tab import DataTableModel
from pgmstudio.gui.navigation import open_data_page
from pgmstudio.gui.window.main_window import MainWindow


class CountingModel(DataTableModel):
    """Counts which cells are asked for."""

    def __init__(self, data: DataSet) -> None:
        super().__init__(data)
        self.asked: set[int] = set()

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        self.asked.add(index.row())
        return super().data(index, role)


def test_a_million_rows_are_read_only_where_one_looks(qtbot: QtBot) -> None:
    domain = Domain(tuple(Variable(f"x{i}", ("a", "b", "c")) for i in range(20)))
    codes = np.zeros((20, 1_000_000), dtype=np.uint8)
    model = CountingModel(DataSet(domain, codes))
    view = QTableView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.resize(800, 600)
    with qtbot.waitExposed(view):
        view.show()
    for row in (0, 400_000, 999_999):
        view.scrollTo(model.index(row, 0))
        QApplication.processEvents()
        view.grab()
    assert {0, 400_000, 999_999} <= model.asked
    assert len(model.asked) < 300


def test_every_pair_of_many_columns_can_be_reached_in_the_heat_map(
    window: MainWindow, qtbot: QtBot
) -> None:
    domain = Domain(tuple(Variable(f"x{i}", ("a", "b")) for i in range(200)))
    codes = np.random.default_rng(1).integers(0, 2, (200, 40), dtype=np.uint8)
    entry = DataEntry("wide", DataSet(domain, codes))
    window.app.change("Import", partial(add_data, entry=entry))
    open_data_page(window.app, next(iter(window.app.project.data)))
    page = window.app.center.current
    assert isinstance(page, DataPage)
    tab = page.show_tab("associations")
    assert isinstance(tab, AssociationTab)
    qtbot.waitUntil(lambda: bool(tab.map.order), timeout=60_000)
    area = tab.findChild(QScrollArea, "heatScroll")
    assert area is not None
    qtbot.waitUntil(lambda: area.horizontalScrollBar().isVisible())
    hidden = area.horizontalScrollBar().maximum()
    assert hidden + area.viewport().width() >= tab.map.minimumSizeHint().width()
