"""How a row of the project tree is painted: its title, and at the right what is told of it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pgmstudio.gui.style.theme import theme

FACTS = 1  # the column of what is told
_MARGIN = 5  # px, of the row
_GAP = 8  # between icon, title and fact


class TitleAndFact(QStyledItemDelegate):
    """Every title has the room that its own fact leaves, not the one that the longest does."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        place: QRect = option.rect
        if place.width() <= 0:
            return  # only its size is asked for
        sign = 0 if option.icon.isNull() else option.decorationSize.width() + _GAP
        fact = index.sibling(index.row(), FACTS).data() or ""
        taken = QFontMetrics(theme().font("caption")).horizontalAdvance(fact) + _GAP if fact else 0
        room = place.width() - 2 * _MARGIN - sign - taken
        metrics = QFontMetrics(option.font)
        option.text = metrics.elidedText(option.text, Qt.TextElideMode.ElideMiddle, max(0, room))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        if not (fact := index.sibling(index.row(), FACTS).data()):
            return
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text" if is_chosen else "text_tertiary"))
        place = option.rect.adjusted(0, 0, -_MARGIN, 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, fact)
        painter.restore()
