"""A menu with a row number to set a row of data as evidence."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QWidgetAction

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.row_evidence import use_row_as_evidence
from pgmstudio.gui.widgets.basic import button, label, row
from pgmstudio.gui.widgets.number_box import whole_box


class RowChooser(QMenu):
    """A menu to choose a row; Enter accepts it."""

    def __init__(self, app: AppContext, data: DataSet, name: str) -> None:
        super().__init__(app.window)
        self.setObjectName("rowChooser")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._app, self._data = app, data
        tip = f"Row number, 1 to {grouped(data.row_count)}."
        self._number = whole_box("rowChooserNumber", "Row", tip, 1, data.row_count)
        take = button(
            "Use as evidence",
            self.take,
            role="primary",
            name="rowChooserTake",
            tip="Replace the evidence by the states of this row.",
        )
        take.setDefault(True)
        whose = label(f"of {grouped(data.row_count)} in {name}", "secondary", name="rowChooserData")
        content = row(label("Row"), self._number, whose, take)
        content.setContentsMargins(12, 8, 12, 8)
        action = QWidgetAction(self)
        action.setDefaultWidget(content)
        self.addAction(action)
        self._number.lineEdit().returnPressed.connect(self.take)

    def take(self) -> None:
        row_number = self._number.value() - 1
        self.close()
        use_row_as_evidence(self._app, self._data, row_number)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._number.setFocus()
        self._number.selectAll()
