"""Cards of variables with thin bars, one for each model or scenario and state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pgmstudio.core.drawing.svg.nodes import percent
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar

Index = QModelIndex | QPersistentModelIndex
CARD = Qt.ItemDataRole.UserRole
PADDING, GAP = 10, 8
MAX_STATES = 8
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Reading = tuple[str, tuple[float | None, ...]]  # a letter, and a number for each state


@dataclass(frozen=True, slots=True)
class BarCard(ABC):
    """One variable and its belief in every model or scenario."""

    name: str
    states: tuple[str, ...]

    @property
    @abstractmethod
    def bars(self) -> Sequence[Reading]:
        """The bars of each model or scenario, in order."""

    @property
    @abstractmethod
    def description(self) -> str:
        """The card as text, for screen readers."""

    @abstractmethod
    def colors(self, number: int) -> tuple[QColor, QColor]:
        """Colours of a model or scenario: fill of its bars, ink of its letter."""

    @property
    def heading(self) -> str:
        return self.name

    @property
    def under(self) -> str:
        """What stands under the heading; the painter keeps the height for it."""
        return ""

    @property
    def evidence(self) -> str:
        """Text next to the heading."""
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands below the bars, a line each."""
        return ()

    @property
    def frame(self) -> str:
        """The colour of a frame that is marked whether or not the card is chosen."""
        return ""

    def state_ink(self, state: str) -> str:
        return "text"

    def prior(self, index: int) -> float | None:
        """Where the outline of a state goes; None: without one."""
        return None

    def shown(self) -> tuple[int, ...]:
        """All states, or those that are largest anywhere."""
        count = len(self.states)
        if count <= MAX_STATES:
            return tuple(range(count))
        size = [
            max((values[i] or 0.0 for _, values in self.bars), default=0.0) for i in range(count)
        ]
        return tuple(sorted(sorted(range(count), key=lambda i: (-size[i], i))[:MAX_STATES]))


class BarCards(QAbstractListModel):
    """The variables, in order."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.cards: tuple[BarCard, ...] = ()

    def show(self, cards: Sequence[BarCard]) -> None:
        before, cards = self.cards, tuple(cards)
        if [_shape(card) for card in before] == [_shape(card) for card in cards]:
            self.cards = cards
            if cards:
                self.dataChanged.emit(self.index(0), self.index(len(cards) - 1))
            return
        self.beginResetModel()
        self.cards = cards
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = 0) -> Any:
        card = self.cards[index.row()]
        if role == CARD:
            return card
        if role == Qt.ItemDataRole.DisplayRole:
            return card.heading
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return card.description
        return None


def _shape(card: BarCard) -> tuple[str, int, int, bool]:
    return card.name, len(card.shown()), len(card.bars), bool(card.notes)


class BarCardPainter(QStyledItemDelegate):
    """Bars of one state stand together, each with its letter."""

    width: ClassVar[int]  # of a card at scale 1
    leading: ClassVar[int] = 0  # between two bars
    widest: ClassVar[str] = "M"  # character of the font
    more: ClassVar[str] = "more"  # after the number of the states left out

    def line(self) -> int:
        return QFontMetrics(theme().font("micro")).height() + self.leading

    def head(self) -> int:
        return QFontMetrics(theme().font("dense", "semibold")).height() + 6

    def block(self, card: BarCard) -> int:
        """The height of one state."""
        return max(1, len(card.bars)) * self.line() + 5

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        card: BarCard = index.data(CARD)
        lines = len(card.notes) + (len(card.shown()) < len(card.states))
        high = self.head() + len(card.shown()) * self.block(card) + lines * self.line()
        return QSize(round(self.width * theme().scale) + GAP, 2 * PADDING + high + GAP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        card: BarCard = index.data(CARD)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Every cell of a wrapped row is as high as the row; a card keeps its own height.
        high = self.sizeHint(option, index).height() - GAP
        position = QRectF(option.rect.left(), option.rect.top(), option.rect.width() - GAP, high)
        position.adjust(0.5, 0.5, -0.5, -0.5)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        ink = card.frame or ("accent" if is_chosen else "border")
        painter.setPen(QPen(theme().color(ink), 2 if card.frame or is_chosen else 1))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(position, theme().radius("card"), theme().radius("card"))
        inner = position.adjusted(PADDING, PADDING, -PADDING, -PADDING)
        self._paint_head(painter, inner, card)
        below = self._paint_states(painter, inner, card)
        self._paint_notes(painter, inner, below, card)
        painter.restore()

    def _paint_head(self, painter: QPainter, inner: QRectF, card: BarCard) -> None:
        font = theme().font("dense", "semibold")
        metrics = QFontMetrics(font)
        head = QRectF(inner.left(), inner.top(), inner.width(), metrics.height())
        painter.setFont(theme().font("caption", "semibold"))
        painter.setPen(theme().color("evidence_ink"))
        painter.drawText(head, RIGHT, card.evidence)
        space = inner.width() - painter.fontMetrics().horizontalAdvance(card.evidence) - 8
        painter.setFont(font)
        painter.setPen(theme().color("text"))
        middle, right = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight
        painter.drawText(head, LEFT, metrics.elidedText(card.heading, middle, int(max(0, space))))
        small = QFontMetrics(theme().font("caption"))
        under = QRectF(inner.left(), head.bottom() + 1, inner.width(), small.height())
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(under, LEFT, small.elidedText(card.under, right, int(under.width())))

    def _paint_states(self, painter: QPainter, inner: QRectF, card: BarCard) -> float:
        """Returns where the last one ends."""
        line, y = self.line(), inner.top() + self.head()
        small, micro = theme().font("caption"), theme().font("micro")
        metrics = QFontMetrics(small)
        names = max((metrics.horizontalAdvance(card.states[i]) for i in card.shown()), default=0)
        left = inner.left() + min(names + 8, inner.width() * 0.34)
        block, space = self.block(card), left - inner.left()
        for index in card.shown():
            state = card.states[index]
            painter.setFont(small)
            painter.setPen(theme().color(card.state_ink(state)))
            name = metrics.elidedText(state, Qt.TextElideMode.ElideMiddle, int(space - 6))
            painter.drawText(QRectF(inner.left(), y, space, block - 5), LEFT, name)
            painter.setFont(micro)
            for number in range(len(card.bars)):
                row = QRectF(left, y + number * line, inner.right() - left, line)
                self._paint_bar(painter, row, card, number, index)
            y += block
        return y

    def _paint_bar(
        self, painter: QPainter, row: QRectF, card: BarCard, number: int, index: int
    ) -> None:
        metrics = painter.fontMetrics()
        before = metrics.horizontalAdvance(self.widest) + 5
        after = metrics.horizontalAdvance("100.0") + 6
        letter, values = card.bars[number]
        fill, ink = card.colors(number)
        value, prior = values[index], card.prior(index)
        painter.setPen(ink)
        painter.drawText(row, LEFT, letter)
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(row, RIGHT, "–" if value is None else percent(value))
        bar = QRectF(row.left() + before, row.center().y() - 3, row.width() - before - after, 6)
        paint_bar(painter, bar, Bar(value, fill, prior=prior))

    def _paint_notes(self, painter: QPainter, inner: QRectF, y: float, card: BarCard) -> None:
        painter.setFont(theme().font("micro"))
        painter.setPen(theme().color("text_tertiary"))
        hidden = len(card.states) - len(card.shown())
        for parts in (*([f"{hidden} {self.more}"] if hidden else []), *card.notes):
            box = QRectF(inner.left(), y, inner.width(), self.line())
            right = Qt.TextElideMode.ElideRight
            shown = painter.fontMetrics().elidedText(parts, right, int(box.width()))
            painter.drawText(box, LEFT, shown)
            y += self.line()


class BarCardList(QListView):
    """Cards in as many columns as fit."""

    def __init__(self, model: BarCards) -> None:
        super().__init__()
        self.setModel(model)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
