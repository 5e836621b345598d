"""The strip of components over a mixture: a card for each tree with its weight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from pgmstudio.core.drawing.diagram import Strand
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.core.languages.tree_mixture.model import nearly_empty
from pgmstudio.core.number_format import percent
from pgmstudio.gui.canvas.edge_item import paint_strands
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.basic import named

_PAD = 10.0
_SAMPLE = 22.0
_BAR = 9.0
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ComponentCard(QAbstractButton):
    """The card of a component; number −1 is the card of all, Ctrl adds a tree to those shown."""

    picked = Signal(int, bool)  # its number, and whether it joins the others

    def __init__(self, number: int, title: str) -> None:
        super().__init__()
        self.number, self.title = number, title
        self._prior = self._fraction = 0.0
        self._is_moved = self._is_light = False
        self.fact = ""
        self.setObjectName("card.overlay" if number < 0 else f"card.tree-{number + 1}")
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._update_descriptions()

    @property
    def shown_weight(self) -> float:
        """The weight that the bar shows."""
        return self._fraction

    @property
    def weight_text(self) -> str:
        """“39.2 → 66.0 %”, or the weight alone while nothing has moved it."""
        if self.number < 0:
            return self.fact
        if not self._is_moved:
            return f"{percent(self._prior)} %"
        return f"{percent(self._prior)} → {percent(self._fraction)} %"

    def show_weight(self, prior: float, fraction: float, *, is_moved: bool, is_light: bool) -> None:
        """Show the weights; `is_moved`: the evidence changed them, `is_light`: nearly empty."""
        shown = (prior, fraction, is_moved, is_light)
        if shown == (self._prior, self._fraction, self._is_moved, self._is_light):
            return
        self._prior, self._fraction, self._is_moved, self._is_light = shown
        self._update_descriptions()
        self.update()

    def show_fact(self, fact: str) -> None:
        self.fact = fact
        self._update_descriptions()
        self.updateGeometry()
        self.update()

    def _update_descriptions(self) -> None:
        state = ", nearly empty" if self._is_light else ""
        self.setAccessibleName(f"{self.title}{state}, {self.weight_text}")
        if self.number < 0:
            self.setToolTip(f"{self.title}: {self.fact} over each other.")
            return
        light = "\nNearly empty: less than a quarter of the mean weight." if self._is_light else ""
        self.setToolTip(
            f"{self.title}: weight {percent(self._prior)} %, given the evidence "
            f"{percent(self._fraction)} %.{light}\nClick shows it alone, Ctrl-click adds it."
        )

    # -- Qt

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(theme().font("dense", "semibold"))
        title = max(self.title, "Tree 00", key=metrics.horizontalAdvance)
        wide = metrics.horizontalAdvance(title) + 2 * _PAD
        small = QFontMetricsF(theme().font("dense"))
        if self.number >= 0:
            wide += _SAMPLE + 8 + small.horizontalAdvance("10.0 → 10.0 %") + 16
        else:
            wide = max(wide, small.horizontalAdvance(self.fact) + 2 * _PAD)
        return QSize(round(wide), round(48 * theme().scale))

    def minimumSizeHint(self) -> QSize:
        wanted = self.sizeHint()
        return wanted if self.number < 0 else QSize(round(96 * theme().scale), wanted.height())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_hit = self.isDown() and self.rect().contains(event.position().toPoint())
        self.setDown(False)
        if is_hit:
            self._pick(event.modifiers())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pick(event.modifiers())
        else:
            super().keyPressEvent(event)

    def _pick(self, modifiers: Qt.KeyboardModifier) -> None:
        self.picked.emit(self.number, bool(modifiers & Qt.KeyboardModifier.ControlModifier))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, painter = theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2.0 if self.isChecked() else 1.0
        card = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.setPen(QPen(look.color("accent" if self.isChecked() else "border"), width))
        background = (
            "accent_soft" if self.isChecked() else "hover" if self.underMouse() else "surface"
        )
        painter.setBrush(look.color(background))
        painter.drawRoundedRect(card, look.radius("card"), look.radius("card"))
        if self.hasFocus():
            painter.setPen(QPen(look.color("focus"), look.line("focus")))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inside = card.adjusted(3, 3, -3, -3)
            painter.drawRoundedRect(inside, look.radius("control"), look.radius("control"))
        upper = QRectF(_PAD, 4, self.width() - 2 * _PAD, self.height() / 2 - 3)
        lower = QRectF(_PAD, self.height() / 2, upper.width(), self.height() / 2 - 4)
        if self.number < 0:
            self._paint_text(painter, upper, lower)
        else:
            self._paint_weight(painter, upper, lower)

    def _paint_text(self, painter: QPainter, upper: QRectF, lower: QRectF) -> None:
        painter.setFont(theme().font("dense", "semibold"))
        painter.setPen(theme().color("accent" if self.isChecked() else "text"))
        painter.drawText(upper, _LEFT, self.title)
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text_secondary"))
        painter.drawText(lower, _LEFT, self.fact)

    def _paint_weight(self, painter: QPainter, upper: QRectF, lower: QRectF) -> None:
        look, middle = theme(), upper.center().y()
        route = EdgeRoute((upper.left(), middle), (upper.left() + _SAMPLE, middle))
        paint_strands(painter, route, (Strand(2.5, self.number),))
        painter.setFont(look.font("dense", "medium"))
        painter.setPen(look.color("text"))
        numbers = QFontMetricsF(painter.font())
        least = QFontMetricsF(look.font("dense", "semibold")).horizontalAdvance("Tree 00")
        text = self.weight_text  # only the weight where there is little space
        if numbers.horizontalAdvance(text) + least + _SAMPLE + 16 > upper.width():
            text = f"{percent(self._fraction)} %"
        painter.drawText(upper, _RIGHT, text)
        used = numbers.horizontalAdvance(text)
        area = upper.adjusted(_SAMPLE + 8, 0, -used - 8, 0)
        painter.setFont(look.font("dense", "semibold"))
        metrics = QFontMetricsF(painter.font())
        shown = metrics.elidedText(self.title, Qt.TextElideMode.ElideMiddle, area.width())
        painter.drawText(area, _LEFT, shown)
        light = "nearly empty" if self._is_light else ""
        small = QFontMetricsF(look.font("caption"))
        wide = small.horizontalAdvance(light) + 8 if light else 0.0
        bar = QRectF(lower.left(), lower.center().y() - _BAR / 2, lower.width() - wide, _BAR)
        fill = look.category(self.number, "line")
        paint_bar(painter, bar, Bar(self._fraction, fill, prior=self._prior))
        if light:
            painter.setFont(look.font("caption"))
            painter.setPen(look.color("warning_ink"))
            painter.drawText(lower, _RIGHT, light)


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
        self._area = named(QScrollArea(), "componentScroll")
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
