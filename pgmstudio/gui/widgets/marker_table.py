"""A table whose rows carry the marker of a model language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt

from pgmstudio.gui.theme.language_symbols import mark_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.column_table import Index
from pgmstudio.gui.widgets.table import Column, Facts, FactTable, Row


class _MarkerFacts(Facts):
    """Rows whose last value, beyond the columns, is the kind of a model."""

    def data(self, index: Index, role: int = 0) -> Any:
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0:
            return mark_icon(str(self._given[self._order[index.row()]][-1]))
        return super().data(index, role)


class MarkerTable(FactTable):
    """A fact table with markers; column widths fit the visible rows, as there may be thousands."""

    facts_type = _MarkerFacts

    def __init__(self, name: str, title: str, columns: Sequence[Column]) -> None:
        super().__init__(name, title, columns)
        self.horizontalHeader().setResizeContentsPrecision(24)
        size = theme().px("icon_small")
        self.setIconSize(QSize(size, size))

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show rows; equal rows are left alone because measuring and drawing takes time."""
        if tuple(rows) != self.facts.rows:
            super().show_rows(rows)
