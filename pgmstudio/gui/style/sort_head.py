"""The head of a table: names that have no room are shortened, the order has a sign of its own."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QHeaderView, QStyleOptionHeader, QTableView

_PADDING = 4  # px at each side, as the sheets of heads have it, and one more


class SortHead(QHeaderView):
    """The sign of the order stands behind the words; the style would draw it over them."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setSectionsClickable(True)
        table.setHorizontalHeader(self)

    def words(self, section: int, name: str) -> str:
        """The name of a column as far as it fits, and the sign if the table is sorted by it."""
        sign = ""
        if self.isSortIndicatorShown() and section == self.sortIndicatorSection():
            is_up = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
            sign = " ▴" if is_up else " ▾"
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)  # as the sheet has it, of which the font says nothing
        metrics = QFontMetrics(font)
        room = self.sectionSize(section) - 2 * _PADDING - metrics.horizontalAdvance(sign)
        return metrics.elidedText(name, Qt.TextElideMode.ElideRight, room) + sign

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        option.text = self.words(section, option.text)
        option.sortIndicator = QStyleOptionHeader.SortIndicator.None_
