"""The card of one component: its line, its weight before and after evidence, a bar."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from pgmstudio.core.drawing.diagram import Strand
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.core.number_format import percent
from pgmstudio.gui.canvas.edge_item import paint_strands
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar

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
