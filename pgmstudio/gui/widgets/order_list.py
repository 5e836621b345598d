"""An order of columns, changed by dragging names or with Alt+Up and Alt+Down."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem

from pgmstudio.core.csv_text import csv_text
from pgmstudio.gui.theme.icons import icon

MAX_ROWS = 6  # that are visible at once


class OrderList(QListWidget):
    """The names of the columns in an order; its text is empty until somebody changes it."""

    order_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setProperty("role", "field")
        self.ensurePolished()  # rows have their height from the start
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._columns: tuple[str, ...] = ()
        self._listed: tuple[str, ...] = ()  # as it was set or dragged; empty: the order of the data
        self._fit()

    def show_columns(self, columns: Sequence[str]) -> None:
        """Other columns; the order of those that stay is kept."""
        if tuple(columns) != self._columns:
            self._columns = tuple(columns)
            self._show(self._listed)

    def text(self) -> str:
        """The names separated by commas; empty if the order is that of the data."""
        names = self.names() if self._columns else self._listed
        return csv_text([names]).strip() if self._listed else ""

    def set_text(self, text: str) -> None:
        (listed,) = csv.reader([text], skipinitialspace=True) if text.strip() else ([],)
        self._listed = tuple(name.strip() for name in listed)
        self._show(self._listed)
        self.order_changed.emit()

    def names(self) -> tuple[str, ...]:
        return tuple(self.item(row).text() for row in range(self.count()))

    def _show(self, listed: Sequence[str]) -> None:
        known = [name for name in listed if name in self._columns]
        self.clear()
        for name in (*known, *(name for name in self._columns if name not in known)):
            self.addItem(QListWidgetItem(icon("dots-six-vertical", "text_tertiary"), name))
        self._fit()

    def _fit(self) -> None:
        rows = max(1, min(self.count(), MAX_ROWS))
        row_height = self.sizeHintForRow(0) if self.count() else self.fontMetrics().height() + 6
        self.setFixedHeight(rows * row_height + 2 * self.frameWidth() + 8)

    def _changed(self) -> None:
        names = self.names()
        self._listed = () if names == self._columns else names
        self.order_changed.emit()

    def dropEvent(self, event: QDropEvent) -> None:
        super().dropEvent(event)
        self._changed()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}
        by = steps.get(event.key(), 0)
        if by and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_current(by)
        else:
            super().keyPressEvent(event)

    def move_current(self, by: int) -> None:
        """Move the selected name up (-1) or down (1)."""
        row = self.currentRow()
        if row >= 0 and 0 <= row + by < self.count():
            item = self.takeItem(row)
            self.insertItem(row + by, item)
            self.setCurrentRow(row + by)
            self._changed()
