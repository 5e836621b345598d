"""The grid of a large data set: only what is in sight is read."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.gui.pages.data_page_model import DataTableModel


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
