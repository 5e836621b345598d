"""One card for each variable: a bar for every model under every state; a click sets evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QStyleOptionViewItem

from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.panels.bar_cards import (
    CARD,
    GAP,
    PADDING,
    Bar,
    BarCard,
    BarCardList,
    BarCardPainter,
    BarCards,
    Index,
)
from pgmstudio.gui.plots.language_marks import mark_colors
from pgmstudio.gui.style.theme import theme


@dataclass(frozen=True, slots=True)
class Voice:
    """One model on a card: its letter, its language, and a number for each state it has."""

    letter: str
    family: str
    values: tuple[float | None, ...]
    lacking: str = ""  # why it has no numbers, or not all


@dataclass(frozen=True, slots=True)
class EvidenceCard(BarCard):
    """One variable: what every model believes, and how far they are apart."""

    voices: tuple[Voice, ...]
    distance: str  # in words, “” where nothing can be compared
    between: str
    finding: str = ""  # the evidence on it
    seen: str = ""  # the state that is observed

    @property
    def bars(self) -> tuple[Bar, ...]:
        return tuple((voice.letter, voice.values) for voice in self.voices)

    @property
    def under(self) -> str:
        return f"{self.distance} · {self.between}" if self.distance else "nothing to compare"

    @property
    def evidence(self) -> str:
        return self.finding

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"{voice.letter}: {voice.lacking}" for voice in self.voices if voice.lacking)

    @property
    def frame(self) -> str:
        return "evidence" if self.finding else ""

    def colors(self, number: int) -> tuple[QColor, QColor]:
        return mark_colors(self.voices[number].family)

    def state_ink(self, state: str) -> str:
        return "evidence_ink" if state == self.seen else "text"

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


class CardPainter(BarCardPainter):
    """The distance stands under the name; a state can be clicked."""

    clicked = Signal(str, str)  # variable, state

    width = 204
    leading = 1
    more = "more states"

    def head(self) -> int:
        return super().head() + QFontMetrics(theme().font("caption")).height() + 2

    def state_at(self, card: BarCard, place: QRectF, at: QPointF) -> str | None:
        """The state whose bars are at a point of the list."""
        top = place.top() + PADDING + self.head()
        row = int((at.y() - top) // self.block(card))
        inside = place.left() < at.x() < place.right() - GAP
        if at.y() < top or not inside or row >= len(card.shown()):
            return None
        return card.states[card.shown()[row]]

    def editorEvent(
        self, event: QEvent, model: Any, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            card: BarCard = index.data(CARD)
            state = self.state_at(card, QRectF(option.rect), event.position())
            if state is not None and event.button() == Qt.MouseButton.LeftButton:
                self.clicked.emit(card.name, state)
                return True
        return super().editorEvent(event, model, option, index)


class EvidenceCardList(BarCardList):
    """Keys 1…9 set the states of the chosen card."""

    state_clicked = Signal(str, str)

    def __init__(self, model: BarCards) -> None:
        super().__init__(model)
        self.setObjectName("sameEvidenceCards")
        self.setAccessibleName("Beliefs of every model, by variable")
        self.setToolTip("A click on a state sets it as evidence in all models; 1…9 do so by key.")
        self._cards = model
        self.painter_of_cards = CardPainter(self)
        self.painter_of_cards.clicked.connect(self.state_clicked)
        self.setItemDelegate(self.painter_of_cards)

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
        row = [card.states[i] for i in card.shown()].index(state)
        top = place.top() + PADDING + made.head() + (row + 0.4) * made.block(card)
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
