"""One card for each variable: a bar for every model under every state; a click sets evidence."""

from __future__ import annotations

from collections.abc import Sequence
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
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.plots.language_marks import mark_colors
from pgmstudio.gui.style.theme import theme

Index = QModelIndex | QPersistentModelIndex
CARD = Qt.ItemDataRole.UserRole
CARD_WIDTH, PADDING, GAP = 204, 10, 8
MOST_STATES = 8
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Voice:
    """One model on a card: its letter, its language, and a number for each state it has."""

    letter: str
    family: str
    values: tuple[float | None, ...]
    lacking: str = ""  # why it has no numbers, or not all


@dataclass(frozen=True, slots=True)
class EvidenceCard:
    """One variable: what every model believes, and how far they are apart."""

    name: str
    states: tuple[str, ...]
    voices: tuple[Voice, ...]
    distance: str  # in words, “” where nothing can be compared
    between: str
    finding: str = ""  # the evidence on it
    seen: str = ""  # the state that is observed

    def shown(self) -> tuple[int, ...]:
        """All states, or those that are largest anywhere."""
        count = len(self.states)
        if count <= MOST_STATES:
            return tuple(range(count))
        size = [max((v.values[i] or 0.0 for v in self.voices), default=0.0) for i in range(count)]
        return tuple(sorted(sorted(range(count), key=lambda i: (-size[i], i))[:MOST_STATES]))

    @property
    def description(self) -> str:
        words = [f"{self.name}, {self.finding or 'no evidence'}"]
        if self.distance:
            words.append(f"{self.distance} between {self.between}")
        for voice in self.voices:
            told = [
                f"{state} {'unknown' if value is None else percent(value) + ' percent'}"
                for state, value in zip(self.states, voice.values, strict=True)
            ]
            words.append(f"{voice.letter}: {voice.lacking or ', '.join(told)}")
        return "\n".join(words)


class EvidenceCards(QAbstractListModel):
    """The variables, the largest disagreement first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.cards: tuple[EvidenceCard, ...] = ()

    def show(self, cards: Sequence[EvidenceCard]) -> None:
        before, self.cards = self.cards, tuple(cards)
        if [_shape(card) for card in before] == [_shape(card) for card in cards]:
            if cards:
                self.dataChanged.emit(self.index(0), self.index(len(cards) - 1))
            return
        self.beginResetModel()
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = 0) -> Any:
        card = self.cards[index.row()]
        if role == CARD:
            return card
        if role == Qt.ItemDataRole.DisplayRole:
            return card.name
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return card.description
        return None


def _shape(card: EvidenceCard) -> tuple[str, int, int, bool]:
    return card.name, len(card.shown()), len(card.voices), any(v.lacking for v in card.voices)


class CardPainter(QStyledItemDelegate):
    """Bars of one state stand together, each with the letter of its model."""

    clicked = Signal(str, str)  # variable, state

    def line(self) -> int:
        return QFontMetrics(theme().font("micro")).height() + 1

    def head(self) -> int:
        small = QFontMetrics(theme().font("caption")).height()
        return QFontMetrics(theme().font("dense", "semibold")).height() + small + 8

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        card: EvidenceCard = index.data(CARD)
        block = max(1, len(card.voices)) * self.line() + 5
        high = 2 * PADDING + self.head() + len(card.shown()) * block + GAP
        if len(card.states) > len(card.shown()):
            high += self.line()
        high += self.line() * sum(1 for voice in card.voices if voice.lacking)
        return QSize(round(CARD_WIDTH * theme().scale) + GAP, high)

    def state_at(self, card: EvidenceCard, place: QRectF, at: QPointF) -> str | None:
        """The state whose bars are at a point of the list."""
        top = place.top() + PADDING + self.head()
        block = max(1, len(card.voices)) * self.line() + 5
        row = int((at.y() - top) // block)
        inside = place.left() < at.x() < place.right() - GAP
        if at.y() < top or not inside or row >= len(card.shown()):
            return None
        return card.states[card.shown()[row]]

    def editorEvent(
        self, event: QEvent, model: Any, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            card: EvidenceCard = index.data(CARD)
            state = self.state_at(card, QRectF(option.rect), event.position())
            if state is not None and event.button() == Qt.MouseButton.LeftButton:
                self.clicked.emit(card.name, state)
                return True
        return super().editorEvent(event, model, option, index)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        card: EvidenceCard = index.data(CARD)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        high = self.sizeHint(option, index).height() - GAP
        place = QRectF(option.rect.left(), option.rect.top(), option.rect.width() - GAP, high)
        place.adjust(0.5, 0.5, -0.5, -0.5)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        ink = "evidence" if card.finding else "accent" if is_chosen else "border"
        painter.setPen(QPen(theme().color(ink), 2 if card.finding or is_chosen else 1))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(place, theme().radius("card"), theme().radius("card"))
        inner = place.adjusted(PADDING, PADDING, -PADDING, -PADDING)
        self._paint_head(painter, inner, card)
        self._paint_states(painter, inner, card)
        painter.restore()

    def _paint_head(self, painter: QPainter, inner: QRectF, card: EvidenceCard) -> None:
        font = theme().font("dense", "semibold")
        metrics, small = QFontMetrics(font), QFontMetrics(theme().font("caption"))
        head = QRectF(inner.left(), inner.top(), inner.width(), metrics.height())
        painter.setFont(theme().font("caption", "semibold"))
        painter.setPen(theme().color("evidence_ink"))
        painter.drawText(head, int(_RIGHT), card.finding)
        room = inner.width() - painter.fontMetrics().horizontalAdvance(card.finding) - 8
        painter.setFont(font)
        painter.setPen(theme().color("text"))
        middle = Qt.TextElideMode.ElideMiddle
        painter.drawText(head, int(_LEFT), metrics.elidedText(card.name, middle, int(room)))
        under = QRectF(inner.left(), head.bottom() + 1, inner.width(), small.height())
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text_secondary"))
        told = f"{card.distance} · {card.between}" if card.distance else "nothing to compare"
        right = Qt.TextElideMode.ElideRight
        painter.drawText(under, int(_LEFT), small.elidedText(told, right, int(under.width())))

    def _paint_states(self, painter: QPainter, inner: QRectF, card: EvidenceCard) -> None:
        line, y = self.line(), inner.top() + self.head()
        small, micro = theme().font("caption"), theme().font("micro")
        metrics = QFontMetrics(small)
        names = max((metrics.horizontalAdvance(card.states[i]) for i in card.shown()), default=0)
        left = inner.left() + min(names + 8, inner.width() * 0.34)
        for place in card.shown():
            block = max(1, len(card.voices)) * line
            painter.setFont(small)
            state = card.states[place]
            painter.setPen(theme().color("evidence_ink" if state == card.seen else "text"))
            room = int(left - inner.left() - 6)
            name = metrics.elidedText(state, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(QRectF(inner.left(), y, room + 2, block), int(_LEFT), name)
            painter.setFont(micro)
            for number, voice in enumerate(card.voices):
                row = QRectF(left, y + number * line, inner.right() - left, line)
                self._paint_bar(painter, row, voice, voice.values[place])
            y += block + 5
        painter.setFont(micro)
        painter.setPen(theme().color("text_tertiary"))
        hidden = len(card.states) - len(card.shown())
        if hidden:
            box = QRectF(inner.left(), y, inner.width(), line)
            painter.drawText(box, int(_LEFT), f"{hidden} more states")
            y += line
        for voice in card.voices:
            if voice.lacking:
                box = QRectF(inner.left(), y, inner.width(), line)
                told = f"{voice.letter}: {voice.lacking}"
                shown = painter.fontMetrics().elidedText(
                    told, Qt.TextElideMode.ElideRight, int(box.width())
                )
                painter.drawText(box, int(_LEFT), shown)
                y += line

    def _paint_bar(self, painter: QPainter, row: QRectF, voice: Voice, value: float | None) -> None:
        metrics = painter.fontMetrics()
        letter, number = metrics.horizontalAdvance("M") + 5, metrics.horizontalAdvance("100.0") + 6
        fill, ink = mark_colors(voice.family)
        painter.setPen(ink)
        painter.drawText(row, int(_LEFT), voice.letter)
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(row, int(_RIGHT), "–" if value is None else percent(value))
        bar = QRectF(row.left() + letter, row.center().y() - 3, row.width() - letter - number, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("belief_track"))
        painter.drawRect(bar)
        if value is not None:
            bar.setWidth(max(1.0 if value > 0 else 0.0, bar.width() * value))
            painter.setBrush(fill)
            painter.drawRect(bar)


class EvidenceCardList(QListView):
    """Cards in as many columns as fit; keys 1…9 set the states of the chosen card."""

    state_clicked = Signal(str, str)

    def __init__(self, model: EvidenceCards) -> None:
        super().__init__()
        self.setObjectName("sameEvidenceCards")
        self.setAccessibleName("Beliefs of every model, by variable")
        self.setToolTip("A click on a state sets it as evidence in all models; 1…9 do so by key.")
        self.setModel(model)
        self._cards = model
        self.painter_of_cards = CardPainter(self)
        self.painter_of_cards.clicked.connect(self.state_clicked)
        self.setItemDelegate(self.painter_of_cards)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme().changed.connect(self.doItemsLayout)

    def show_card(self, name: str) -> None:
        """Choose a card and bring it into sight."""
        for place, card in enumerate(self._cards.cards):
            if card.name == name:
                self.setCurrentIndex(self._cards.index(place))
                self.scrollTo(self._cards.index(place))

    def state_place(self, name: str, state: str) -> QPointF:
        """The middle of the bars of a state, for whoever points at it."""
        number = [card.name for card in self._cards.cards].index(name)
        card, index = self._cards.cards[number], self._cards.index(number)
        place, made = self.visualRect(index), self.painter_of_cards
        block = max(1, len(card.voices)) * made.line() + 5
        row = [card.states[i] for i in card.shown()].index(state)
        top = place.top() + PADDING + made.head() + (row + 0.4) * block
        return QPointF(place.left() + place.width() * 0.6, top)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        number = event.key() - Qt.Key.Key_1
        current = self.currentIndex()
        if 0 <= number < 9 and current.isValid():
            card = self._cards.cards[current.row()]
            if number < len(card.states):
                self.state_clicked.emit(card.name, card.states[number])
            return
        super().keyPressEvent(event)
