"""Cards that show one variable in up to four scenarios: thin bars with letters, prior outlines."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QListView

from pgmstudio.core.pictures.svg_nodes import percent
from pgmstudio.gui.document.scenarios import LETTERS
from pgmstudio.gui.panels.bar_cards import BarCard, BarCardList, BarCardPainter, BarCards
from pgmstudio.gui.style.theme import theme


@dataclass(frozen=True, slots=True)
class Card(BarCard):
    """One variable: per scenario its letter and one number per state."""

    title: str
    priors: tuple[float, ...]
    groups: tuple[tuple[str, tuple[float, ...]], ...]
    observed: frozenset[str] = frozenset()  # letters of the scenarios with evidence on it

    @property
    def bars(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        return self.groups

    @property
    def heading(self) -> str:
        return self.title

    @property
    def evidence(self) -> str:
        told = ", ".join(sorted(self.observed))
        return f"evidence in {told}" if told else ""

    def colors(self, number: int) -> tuple[QColor, QColor]:
        color = LETTERS.index(self.groups[number][0])
        return theme().category(color, "fill"), theme().category(color, "ink")

    def prior(self, place: int) -> float | None:
        return self.priors[place] if self.priors else None

    @property
    def description(self) -> str:
        words = [self.title]
        for letter, values in self.groups:
            pairs = zip(self.states, values, strict=True)
            words.append(f"{letter}: " + ", ".join(f"{s} {percent(v)} percent" for s, v in pairs))
        return "; ".join(words)


class CardPainter(BarCardPainter):
    """Narrow lines; four scenarios at most."""

    width = 222
    widest = "D"


class CardList(BarCardList):
    """Several cards can be chosen."""

    def __init__(self, model: BarCards) -> None:
        super().__init__(model)
        self.setObjectName("scenarioCards")
        self.setAccessibleName("Beliefs by scenario")
        self.setToolTip("One card per variable, one thin bar per scenario and state.")
        self.setItemDelegate(CardPainter(self))
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
