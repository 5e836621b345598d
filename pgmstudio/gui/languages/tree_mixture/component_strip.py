"""The strip of components under the view bar: all trees, or one, or some of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from pgmstudio.core.languages.tree_mixture.model import nearly_empty
from pgmstudio.gui.languages.tree_mixture.component_card import ComponentCard
from pgmstudio.gui.theme.theme import theme

# So many stand side by side in their order; more are sorted by weight and scroll.
MAX_SIDE_BY_SIDE = 5
HEIGHT = 60


class ComponentStrip(QFrame):
    """The strip of component cards, which selects the trees that are shown."""

    chosen = Signal(tuple)  # numbers from 0; empty: all

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("componentStrip")
        self.setProperty("role", "surface")
        self.setAccessibleName("Trees of the mixture with their weights")
        self.overlay = ComponentCard(-1, "Overlay")
        self.overlay.picked.connect(self._on_picked)
        self.cards: list[ComponentCard] = []
        self._shown: tuple[int, ...] = ()
        self._weights: tuple[float, ...] = ()
        self._inside = QWidget()
        self._row = QHBoxLayout(self._inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._area = QScrollArea()
        self._area.setObjectName("componentScroll")
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._inside)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 6)
        layout.setSpacing(8)
        layout.addWidget(self.overlay, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._area, 1)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_components(self, names: Sequence[str], weights: Sequence[float]) -> None:
        """A card for each; other components get other cards."""
        titles = [name[:1].upper() + name[1:] for name in names]
        if [c.title for c in sorted(self.cards, key=lambda c: c.number)] != titles:
            for card in self.cards:
                self._row.removeWidget(card)
                card.deleteLater()
            self.cards = [ComponentCard(number, title) for number, title in enumerate(titles)]
            for card in self.cards:
                card.picked.connect(self._on_picked)
        self._weights = tuple(weights)
        order = list(range(len(titles)))
        if len(titles) > MAX_SIDE_BY_SIDE:
            order.sort(key=lambda number: -weights[number])
        self.cards.sort(key=lambda card: order.index(card.number))
        is_long = len(titles) > MAX_SIDE_BY_SIDE
        for card in self.cards:
            self._row.addWidget(card)
            card.setMinimumWidth(card.sizeHint().width() if is_long else 0)
        policy = Qt.ScrollBarPolicy
        self._area.setHorizontalScrollBarPolicy(
            policy.ScrollBarAsNeeded if is_long else policy.ScrollBarAlwaysOff
        )
        self._restyle()
        self.overlay.show_fact("1 tree" if len(titles) == 1 else f"all {len(titles)} trees")
        self.show_shares(weights, is_moved=False)
        self.show_chosen(self._shown)

    def show_shares(self, fractions: Sequence[float], *, is_moved: bool) -> None:
        """The weights given the evidence; `is_moved` when there is any."""
        if len(fractions) != len(self._weights):
            fractions = self._weights
        light = nearly_empty(np.array(self._weights))
        for card in self.cards:
            card.show_weight(
                self._weights[card.number],
                fractions[card.number],
                is_moved=is_moved,
                is_light=bool(light[card.number]),
            )

    def show_chosen(self, trees: Sequence[int]) -> None:
        self._shown = tuple(trees)
        self.overlay.setChecked(not trees)
        for card in self.cards:
            card.setChecked(card.number in trees)
            if card.number in trees:
                self._area.ensureWidgetVisible(card)

    def _on_picked(self, number: int, joins: bool) -> None:
        if number < 0:
            self.chosen.emit(())
        elif not joins:
            self.chosen.emit(() if self._shown == (number,) else (number,))
        else:
            left = set(self._shown) ^ {number}
            self.chosen.emit(() if len(left) == len(self.cards) else tuple(sorted(left)))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.height())

    def _restyle(self) -> None:
        extra = 14 if len(self.cards) > MAX_SIDE_BY_SIDE else 0
        self.overlay.setFixedHeight(round(HEIGHT * theme().scale) - 12)
        self.setFixedHeight(round(HEIGHT * theme().scale) + extra)
