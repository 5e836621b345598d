"""Rows of a list with a title and a quiet line below it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.keyed_list import KEY

FACTS = KEY + 1  # the second line


class TwoLines(QStyledItemDelegate):
    """Draws a title and a line of facts, or two where one is too short for them.

    A row without a key is the heading of a group.
    """

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.initStyleOption(option, index)
        title, option.text = option.text, ""
        is_heading = index.data(KEY) is None
        if not is_heading:
            style = option.widget.style()
            style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.save()
        gap = theme().space(2)
        left = gap if is_heading else _indent()
        area = option.rect.adjusted(left, gap, -gap, -gap)
        font = theme().font("dense", "semibold") if is_heading else theme().font("body")
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme().color("text_secondary" if is_heading else "text"))
        painter.drawText(area, _TOP, metrics.elidedText(title, _RIGHT, area.width()))
        area.setTop(area.top() + metrics.height())
        font = theme().font("dense")
        painter.setFont(font)
        painter.setPen(theme().color("text_secondary"))
        for line in _lines(str(index.data(FACTS) or ""), QFontMetrics(font), area.width()):
            painter.drawText(area, _TOP, line)
            area.setTop(area.top() + QFontMetrics(font).height())
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        width = super().sizeHint(option, index).width()
        dense = QFontMetrics(theme().font("dense"))
        if index.data(KEY) is None:
            return QSize(width, dense.height() + 2 * theme().space(2))
        view = option.widget
        room = view.viewport().width() if isinstance(view, QAbstractItemView) else width
        room -= _indent() + theme().space(2)
        lines = _lines(str(index.data(FACTS) or ""), dense, room)
        title = QFontMetrics(theme().font("body")).height()
        return QSize(width, title + max(1, len(lines)) * dense.height() + 2 * theme().space(2))


_TOP = int(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
_RIGHT = Qt.TextElideMode.ElideRight


def _indent() -> int:
    return theme().px("icon") + 3 * theme().space(2)


def _lines(text: str, metrics: QFontMetrics, width: int) -> list[str]:
    """The text in one line, or broken into two at a space; the second is elided."""
    if not text:
        return []

    def elided(words: list[str]) -> str:
        return metrics.elidedText(" ".join(words), _RIGHT, width)

    if elided([text]) == text:
        return [text]
    words = text.split(" ")
    count = 1
    # Not by the advance: a text that is exactly as wide is elided.
    while elided(words[: count + 1]) == " ".join(words[: count + 1]):
        count += 1
    return [elided(words[:count]), elided(words[count:])]
