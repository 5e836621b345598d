"""Cards that show one variable in up to four scenarios: thin bars with letters, prior outlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.document.scenarios import LETTERS
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.views.bar_marks import paint_prior

Index = QModelIndex | QPersistentModelIndex
CARD = Qt.ItemDataRole.UserRole
CARD_WIDTH, PADDING, GAP = 222, 10, 8
MOST_STATES = 8
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Card:
    """One variable: per scenario its letter and one number per state."""

    name: str
    title: str
    states: tuple[str, ...]
    priors: tuple[float, ...]
    groups: tuple[tuple[str, tuple[float, ...]], ...]
    observed: frozenset[str] = frozenset()  # letters of the scenarios with evidence on it

    def shown(self) -> tuple[int, ...]:
        """All states, or those that are largest anywhere."""
        count = len(self.states)
        if count <= MOST_STATES:
            return tuple(range(count))
        size = [max((g[1][i] for g in self.groups), default=0.0) for i in range(count)]
        return tuple(sorted(sorted(range(count), key=lambda i: (-size[i], i))[:MOST_STATES]))

    @property
    def description(self) -> str:
        words = [self.title]
        for letter, values in self.groups:
            pairs = zip(self.states, values, strict=True)
            words.append(f"{letter}: " + ", ".join(f"{s} {percent(v)} percent" for s, v in pairs))
        return "; ".join(words)


class Cards(QAbstractListModel):
    """The variables, in order."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.cards: tuple[Card, ...] = ()

    def show(self, cards: Sequence[Card]) -> None:
        before, cards = self.cards, tuple(cards)
        if [_shape(card) for card in before] == [_shape(card) for card in cards]:
            self.cards = cards
            if cards:
                self.dataChanged.emit(self.index(0), self.index(len(cards) - 1))
            return
        self.beginResetModel()
        self.cards = cards
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = 0) -> Any:
        card = self.cards[index.row()]
        if role == CARD:
            return card
        if role == Qt.ItemDataRole.DisplayRole:
            return card.title
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return card.description
        return None


def _shape(card: Card) -> tuple[str, int, int]:
    return card.name, len(card.shown()), len(card.groups)


class CardDelegate(QStyledItemDelegate):
    """Bars of one state stand together, each with its letter."""

    def _line(self) -> int:
        return QFontMetrics(theme().font("micro")).height()

    def _head(self) -> int:
        return QFontMetrics(theme().font("dense", "semibold")).height() + 6

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        card: Card = index.data(CARD)
        per_state = max(1, len(card.groups)) * self._line() + 5
        more = self._line() if len(card.shown()) < len(card.states) else 0
        height = 2 * PADDING + self._head() + len(card.shown()) * per_state + more
        return QSize(round(CARD_WIDTH * theme().scale) + GAP, height + GAP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        card: Card = index.data(CARD)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Every cell of a wrapped row is as high as the row; a card keeps its own height.
        height = self.sizeHint(option, index).height() - GAP
        place = QRectF(option.rect.left(), option.rect.top(), option.rect.width() - GAP, height)
        place.adjust(0.5, 0.5, -0.5, -0.5)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.setPen(QPen(theme().color("accent" if is_chosen else "border"), 1 + is_chosen))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(place, theme().radius("card"), theme().radius("card"))
        inner = place.adjusted(PADDING, PADDING, -PADDING, -PADDING)
        self._paint_title(painter, inner, card)
        self._paint_states(painter, inner, card)
        painter.restore()

    def _paint_title(self, painter: QPainter, inner: QRectF, card: Card) -> None:
        font = theme().font("dense", "semibold")
        head = QRectF(inner.left(), inner.top(), inner.width(), self._head() - 6)
        told = ", ".join(sorted(card.observed))
        words = f"evidence in {told}" if told else ""
        painter.setFont(theme().font("caption", "semibold"))
        painter.setPen(theme().color("evidence_ink"))
        painter.drawText(head, _RIGHT, words)
        room = inner.width() - painter.fontMetrics().horizontalAdvance(words) - 8
        painter.setFont(font)
        painter.setPen(theme().color("text"))
        shown = QFontMetrics(font).elidedText(
            card.title, Qt.TextElideMode.ElideMiddle, int(max(0, room))
        )
        painter.drawText(head, _LEFT, shown)

    def _paint_states(self, painter: QPainter, inner: QRectF, card: Card) -> None:
        line, y = self._line(), inner.top() + self._head()
        small, micro = theme().font("caption"), theme().font("micro")
        metrics = QFontMetrics(small)
        names = max((metrics.horizontalAdvance(card.states[i]) for i in card.shown()), default=0)
        left = inner.left() + min(names + 8, inner.width() * 0.34)
        number = QFontMetrics(micro).horizontalAdvance("100.0") + 6
        letter = QFontMetrics(micro).horizontalAdvance("D") + 5
        for index in card.shown():
            block = max(1, len(card.groups)) * line
            painter.setFont(small)
            painter.setPen(theme().color("text"))
            name = metrics.elidedText(
                card.states[index], Qt.TextElideMode.ElideMiddle, int(left - inner.left() - 6)
            )
            painter.drawText(QRectF(inner.left(), y, left - inner.left(), block), _LEFT, name)
            painter.setFont(micro)
            for place, (sign, values) in enumerate(card.groups):
                row = QRectF(left, y + place * line, inner.right() - left, line)
                color = LETTERS.index(sign)
                painter.setPen(theme().category(color, "ink"))
                painter.drawText(row, _LEFT, sign)
                painter.setPen(theme().color("text_secondary"))
                painter.drawText(row, _RIGHT, percent(values[index]))
                bar = QRectF(left + letter, row.center().y() - 3, row.width() - letter - number, 6)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme().color("belief_track"))
                painter.drawRect(bar)
                painter.setBrush(theme().category(color, "fill"))
                part = QRectF(bar)
                part.setWidth(max(1.0 if values[index] > 0 else 0.0, bar.width() * values[index]))
                painter.drawRect(part)
                if card.priors:
                    paint_prior(painter, bar, card.priors[index])
            y += block + 5
        hidden = len(card.states) - len(card.shown())
        if hidden:
            painter.setFont(micro)
            painter.setPen(theme().color("text_tertiary"))
            painter.drawText(QRectF(inner.left(), y, inner.width(), line), _LEFT, f"{hidden} more")


class CardList(QListView):
    """Cards in as many columns as fit."""

    def __init__(self, model: Cards) -> None:
        super().__init__()
        self.setObjectName("scenarioCards")
        self.setAccessibleName("Beliefs by scenario")
        self.setToolTip("One card per variable, one thin bar per scenario and state.")
        self.setModel(model)
        self.setItemDelegate(CardDelegate(self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
