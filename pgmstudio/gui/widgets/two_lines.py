"""Rows of a list with a title and a quiet line below it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.keyed_list import KEY

FACTS = KEY + 1  # the second line


class TwoLines(QStyledItemDelegate):
    """Draws a title and a line of facts; a row without a key is the heading of a group."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.initStyleOption(option, index)
        title, option.text = option.text, ""
        is_heading = index.data(KEY) is None
        style = option.widget.style()
        if not is_heading:
            style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.save()
        gap = theme().space(2)
        left = gap if is_heading else theme().px("icon") + 3 * gap
        area = option.rect.adjusted(left, gap, -gap, -gap)
        bottom = Qt.AlignmentFlag.AlignBottom
        lines = [
            (title, theme().font("body"), "text", Qt.AlignmentFlag.AlignTop),
            (index.data(FACTS), theme().font("dense"), "text_secondary", bottom),
        ]
        if is_heading:
            lines = [(title, theme().font("dense", "semibold"), "text_secondary", bottom)]
        for text, font, color, side in lines:
            painter.setFont(font)
            painter.setPen(theme().color(color))
            whole = QFontMetrics(font).elidedText(
                str(text or ""), Qt.TextElideMode.ElideRight, area.width()
            )
            painter.drawText(area, int(side | Qt.AlignmentFlag.AlignLeft), whole)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        sizes = ("dense",) if index.data(KEY) is None else ("body", "dense")
        heights = [QFontMetrics(theme().font(size)).height() for size in sizes]
        return QSize(super().sizeHint(option, index).width(), sum(heights) + 2 * theme().space(2))
