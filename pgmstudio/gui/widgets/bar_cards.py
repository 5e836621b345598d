"""Cards of variables with thin bars, one for each model or scenario and state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.belief_text import belief_text, necessity_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.basic import named

Index = QModelIndex | QPersistentModelIndex
CARD = Qt.ItemDataRole.UserRole
PADDING, GAP = 10, 8
WIDTH = 204  # of a card at scale 1
MAX_STATES = 8
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class BarGroup:
    """The bars of one model or scenario: its letter and a number for each state."""

    letter: str
    values: tuple[float | None, ...]
    colors: Callable[[], tuple[QColor, QColor]]  # fill of the bars, ink of the letter
    missing: str = ""  # the reason for missing numbers


@dataclass(frozen=True, slots=True)
class BarCard:
    """One variable and its belief in every model or scenario."""

    name: str
    states: tuple[str, ...]
    groups: tuple[BarGroup, ...]
    title: str
    subtitle: str = ""
    evidence: str = ""  # next to the title
    is_framed: bool = False  # in the colour of evidence
    observed: str = ""  # the state that is observed
    priors: tuple[float, ...] = ()  # outlines of the bars
    scale: Scale = Scale.PROBABILITY

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands below the bars, a line each."""
        return tuple(f"{group.letter}: {group.missing}" for group in self.groups if group.missing)

    @property
    def description(self) -> str:
        """The card as text, for screen readers."""
        lines = [", ".join(filter(None, (self.title, self.evidence))), self.subtitle]
        for group in self.groups:
            beliefs = [
                f"{state} "
                + ("unknown" if value is None else belief_text(value, self.scale, unit=" percent"))
                for state, value in zip(self.states, group.values, strict=True)
            ]
            lines.append(f"{group.letter}: {group.missing or ', '.join(beliefs)}")
        return "\n".join(filter(None, lines))

    def shown(self) -> tuple[int, ...]:
        """All states, or those that are largest anywhere."""
        count = len(self.states)
        if count <= MAX_STATES:
            return tuple(range(count))
        size = [
            max((group.values[i] or 0.0 for group in self.groups), default=0.0)
            for i in range(count)
        ]
        return tuple(sorted(sorted(range(count), key=lambda i: (-size[i], i))[:MAX_STATES]))


class _Cards(QAbstractListModel):
    """The cards of variables, in order."""

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
            return card.title
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return card.description
        return None


def _shape(card: BarCard) -> tuple[str, int, int, bool]:
    return card.name, len(card.shown()), len(card.groups), bool(card.notes)


class BarCardPainter(QStyledItemDelegate):
    """Bars of one state stand together, each with its letter."""

    state_clicked = Signal(str, str)  # variable, state

    def line(self) -> int:
        return QFontMetrics(theme().font("micro")).height() + 1

    def head(self, card: BarCard) -> int:
        """The height of the title and the line under it."""
        under = QFontMetrics(theme().font("caption")).height() + 2 if card.subtitle else 0
        return QFontMetrics(theme().font("dense", "semibold")).height() + 6 + under

    def block(self, card: BarCard) -> int:
        """The height of one state."""
        return max(1, len(card.groups)) * self.line() + 5

    def editorEvent(
        self, event: QEvent, model: Any, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            card: BarCard = index.data(CARD)
            state = self._state_at(card, QRectF(option.rect), event.position())
            if state is not None and event.button() == Qt.MouseButton.LeftButton:
                self.state_clicked.emit(card.name, state)
                return True
        return super().editorEvent(event, model, option, index)

    def _state_at(self, card: BarCard, position: QRectF, at: QPointF) -> str | None:
        """The state whose bars are at a point of the list."""
        top = position.top() + PADDING + self.head(card)
        row = int((at.y() - top) // self.block(card))
        inside = position.left() < at.x() < position.right() - GAP
        if at.y() < top or not inside or row >= len(card.shown()):
            return None
        return card.states[card.shown()[row]]

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        card: BarCard = index.data(CARD)
        lines = len(card.notes) + (len(card.shown()) < len(card.states))
        high = self.head(card) + len(card.shown()) * self.block(card) + lines * self.line()
        return QSize(self._width(option.widget), 2 * PADDING + high + GAP)

    def _width(self, view: QWidget | None) -> int:
        """Of a card and its gap: as many columns as fit fill the width of the list."""
        least = round(WIDTH * theme().scale) + GAP
        if not isinstance(view, QListView):
            return least
        # A list with wrapped rows leaves the space of its scroll bar free.
        bar = view.verticalScrollBar().sizeHint().width()
        area = view.maximumViewportSize().width() - bar - 1
        return max(least, min(area // max(1, area // least), least * 5 // 4))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        card: BarCard = index.data(CARD)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Every cell of a wrapped row is as high as the row; a card keeps its own height.
        high = self.sizeHint(option, index).height() - GAP
        position = QRectF(option.rect.left(), option.rect.top(), option.rect.width() - GAP, high)
        position.adjust(0.5, 0.5, -0.5, -0.5)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        ink = "evidence" if card.is_framed else "accent" if is_chosen else "border"
        painter.setPen(QPen(theme().color(ink), 2 if card.is_framed or is_chosen else 1))
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
        painter.drawText(head, LEFT, metrics.elidedText(card.title, middle, int(max(0, space))))
        small = QFontMetrics(theme().font("caption"))
        under = QRectF(inner.left(), head.bottom() + 1, inner.width(), small.height())
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(under, LEFT, small.elidedText(card.subtitle, right, int(under.width())))

    def _paint_states(self, painter: QPainter, inner: QRectF, card: BarCard) -> float:
        """Returns where the last one ends."""
        line, y = self.line(), inner.top() + self.head(card)
        small, micro = theme().font("caption"), theme().font("micro")
        metrics = QFontMetrics(small)
        names = max((metrics.horizontalAdvance(card.states[i]) for i in card.shown()), default=0)
        left = inner.left() + min(names + 8, inner.width() * 0.34)
        block, space = self.block(card), left - inner.left()
        for index in card.shown():
            state = card.states[index]
            painter.setFont(small)
            painter.setPen(theme().color("evidence_ink" if state == card.observed else "text"))
            name = metrics.elidedText(state, Qt.TextElideMode.ElideMiddle, int(space - 6))
            painter.drawText(QRectF(inner.left(), y, space, block - 5), LEFT, name)
            painter.setFont(micro)
            for number, group in enumerate(card.groups):
                row = QRectF(left, y + number * line, inner.right() - left, line)
                self._paint_bar(painter, row, group, index, card)
            y += block
        return y

    def _paint_bar(
        self, painter: QPainter, row: QRectF, group: BarGroup, index: int, card: BarCard
    ) -> None:
        metrics = painter.fontMetrics()
        before = metrics.horizontalAdvance("M") + 5
        after = metrics.horizontalAdvance("impossible" if card.scale is Scale.RELATION else "100.0")
        after += 6
        (fill, ink), value = group.colors(), group.values[index]
        painter.setPen(ink)
        painter.drawText(row, LEFT, group.letter)
        painter.setPen(theme().color("text_secondary"))
        number = "–" if value is None else belief_text(value, card.scale)
        inner = 0.0
        if card.scale is Scale.POSSIBILITY and None not in group.values:
            inner = necessity_of([known or 0.0 for known in group.values])[index]
        painter.drawText(row, RIGHT, number)
        bar = QRectF(row.left() + before, row.center().y() - 3, row.width() - before - after, 6)
        prior = card.priors[index] if card.priors else None
        paint_bar(painter, bar, Bar(value, fill, inner=inner, prior=prior))

    def _paint_notes(self, painter: QPainter, inner: QRectF, y: float, card: BarCard) -> None:
        painter.setFont(theme().font("micro"))
        painter.setPen(theme().color("text_tertiary"))
        hidden = len(card.states) - len(card.shown())
        for parts in (*([f"{hidden} more states"] if hidden else []), *card.notes):
            box = QRectF(inner.left(), y, inner.width(), self.line())
            right = Qt.TextElideMode.ElideRight
            shown = painter.fontMetrics().elidedText(parts, right, int(box.width()))
            painter.drawText(box, LEFT, shown)
            y += self.line()


class BarCardList(QListView):
    """Cards in as many columns as fit; a click on a state or a key 1…9 sends the state."""

    state_clicked = Signal(str, str)  # variable, state

    def __init__(self, name: str, title: str, tip: str) -> None:
        super().__init__()
        named(self, name, title, tip)
        self._cards = _Cards(self)
        self.setModel(self._cards)
        self._painter = BarCardPainter(self)
        self._painter.state_clicked.connect(self.state_clicked)
        self.setItemDelegate(self._painter)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def cards(self) -> tuple[BarCard, ...]:
        return self._cards.cards

    def show_cards(self, cards: Sequence[BarCard]) -> None:
        self._cards.show(cards)

    def show_card(self, name: str) -> None:
        """Select a card and scroll to it."""
        for position, card in enumerate(self.cards):
            if card.name == name:
                self.setCurrentIndex(self._cards.index(position))
                self.scrollTo(self._cards.index(position))

    def state_point(self, name: str, state: str) -> QPointF:
        """The middle of the bars of a state, for tests and tours."""
        number = [card.name for card in self.cards].index(name)
        card, position = self.cards[number], self.visualRect(self._cards.index(number))
        row = [card.states[i] for i in card.shown()].index(state)
        middle = self._painter.head(card) + (row + 0.4) * self._painter.block(card)
        return QPointF(position.left() + position.width() * 0.6, position.top() + PADDING + middle)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        number = event.key() - Qt.Key.Key_1
        current = self.currentIndex()
        if 0 <= number < 9 and current.isValid():
            card = self.cards[current.row()]
            if number < len(card.states):
                self.state_clicked.emit(card.name, card.states[number])
            return
        super().keyPressEvent(event)
