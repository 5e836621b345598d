"""The bars of one variable's belief, with the prior as an outline; clicking a bar sets evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPoint, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen

from pgmstudio.core.drawing.svg.nodes import Mark
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.belief_text import belief_text, necessity_of, state_text
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar, paint_bar
from pgmstudio.gui.widgets.bar_rows import LEFT, RIGHT, BarRows

MAX_ROWS = 12


_WIDEST = {
    Scale.PROBABILITY: "100.00 %",
    Scale.POSSIBILITY: "Π 0.00  N 0.00",
    Scale.RELATION: "impossible",
}

Key = Qt.Key

# What Shift makes of the digits on a US keyboard.
_SHIFTED = {
    Key.Key_Exclam: 0,
    Key.Key_At: 1,
    Key.Key_NumberSign: 2,
    Key.Key_Dollar: 3,
    Key.Key_Percent: 4,
    Key.Key_AsciiCircum: 5,
    Key.Key_Ampersand: 6,
    Key.Key_Asterisk: 7,
    Key.Key_ParenLeft: 8,
}


def digit_of(event: QKeyEvent) -> int | None:
    """The index of a digit key: 0 for the key 1, … 8 for the key 9; None for other keys."""
    key = Key(event.key())
    if Key.Key_1 <= key <= Key.Key_9:
        return int(key) - int(Key.Key_1)
    return _SHIFTED.get(key) if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else None


@dataclass(frozen=True, slots=True)
class Bars:
    """Content of the bars; equal values look the same."""

    title: str = ""
    states: tuple[str, ...] = ()
    beliefs: tuple[float, ...] = ()  # empty: not known yet
    priors: tuple[float, ...] = ()
    mark: Mark | None = None
    weights: tuple[float, ...] = ()  # of a likelihood
    impossible: frozenset[str] = frozenset()
    most_probable: str | None = None
    is_stale: bool = False
    scale: Scale = Scale.PROBABILITY
    errors: tuple[float, ...] = ()  # of estimated beliefs; empty: exact

    @property
    def tint(self) -> str:
        """The colour of the chosen state: seen, or done."""
        return "evidence" if self.mark is None else self.mark.tint

    @property
    def description(self) -> str:
        pairs = zip(self.states, self.beliefs, strict=False)
        parts = [f"{s} {belief_text(v, self.scale, unit=' percent')}" for s, v in pairs]
        return ", ".join([self.title, *(["stale"] if self.is_stale else []), *parts])


class BeliefBars(BarRows):
    """One row per state: name, bar, number. Keys: ↑↓, Enter or Space, 1…9, Shift, Ctrl."""

    state_used = Signal(str, object, object)  # state, modifiers, position for a refusal
    likelihood_requested = Signal()  # L
    cleared = Signal()  # C
    target_requested = Signal()  # T

    def __init__(self, name: str) -> None:
        super().__init__(name, "Belief", "Beliefs of the states; a click sets evidence.")
        self._bars = Bars()
        self._shown: tuple[float, ...] = ()  # on their way to the beliefs
        self._starts: tuple[float, ...] = ()
        self._shows_all = False
        self.tip_of: Callable[[str], str] = str  # replaced by owners that know more
        self._slide = QVariantAnimation(self)
        self._slide.setStartValue(0.0)
        self._slide.setEndValue(1.0)
        self._slide.valueChanged.connect(self._on_slide)

    @property
    def bars(self) -> Bars:
        return self._bars

    def show_bars(self, bars: Bars) -> None:
        """Other bars; those of the same states slide to their new length."""
        if bars == self._bars:
            return
        is_same = bars.states == self._bars.states and bars.title == self._bars.title
        if not is_same:
            self._row, self._shows_all, self._hovered = 0, False, None
        self._starts = self._shown if is_same and len(self._shown) == len(bars.beliefs) else ()
        self._bars = bars
        self.setAccessibleName(bars.description)
        if not is_same:  # equal states are as high as before
            self.updateGeometry()
        self._slide.stop()
        duration = theme().motion_ms("bars")
        if self._starts and duration and self.isVisible():
            self._slide.setDuration(duration)
            self._slide.start()
        else:
            self._shown = bars.beliefs
        self.update()

    def _on_slide(self, fraction: float) -> None:
        eased = 1 - (1 - fraction) ** 3
        ends = self._bars.beliefs
        if len(self._starts) == len(ends):
            pairs = zip(self._starts, ends, strict=True)
            self._shown = tuple(a + (b - a) * eased for a, b in pairs)
        self.update()

    # -- geometry

    @property
    def _order(self) -> list[int]:
        """The states that are shown, in their order; of many the largest."""
        count = len(self._bars.states)
        if count <= MAX_ROWS or self._shows_all:
            return list(range(count))
        size = self._bars.beliefs or (0.0,) * count
        largest = sorted(range(count), key=lambda i: (-size[i], i))[: MAX_ROWS - 1]
        return sorted(largest)

    @property
    def _hidden(self) -> int:
        return len(self._bars.states) - len(self._order)

    def _row_height(self) -> int:
        return max(theme().px("row"), super()._row_height())

    def _row_count(self) -> int:
        return len(self._order) + (1 if self._hidden else 0)

    def _columns(self) -> tuple[float, float]:
        """Where bars begin and end."""
        metrics = QFontMetrics(theme().font("dense"))
        names = max((metrics.horizontalAdvance(s) for s in self._bars.states), default=0)
        left = min(max(names + 10, 30), self.width() * 0.34)
        return left, self.width() - metrics.horizontalAdvance(_WIDEST[self._bars.scale]) - 8

    def _index_at(self, position: QPoint) -> int | None:
        row = position.y() // self._row_height()
        order = self._order
        return order[row] if 0 <= row < len(order) else None

    def row_rect(self, state: str) -> QRectF:
        """Where the row of a state is, for tests and tooltips."""
        row = self._order.index(self._bars.states.index(state))
        height = self._row_height()
        return QRectF(0, row * height, self.width(), height)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self._row_height()
        for row, index in enumerate(self._order):
            self._paint_row(painter, QRectF(0, row * height, self.width(), height), row, index)
        if self._hidden:
            rest = QRectF(0, len(self._order) * height, self.width(), height)
            painter.setFont(theme().font("dense"))
            painter.setPen(theme().color("accent"))
            painter.drawText(rest, LEFT, f"{self._hidden} more")

    def _paint_row(self, painter: QPainter, row: QRectF, number: int, index: int) -> None:
        bars, colors = self._bars, theme()
        state, mark = bars.states[index], bars.mark
        is_out = state in bars.impossible or (mark is not None and state in mark.struck)
        is_chosen = mark is not None and state == mark.chosen
        if self._hovered == index and state not in bars.impossible:
            self._paint_background(painter, row)
        left, right = self._columns()
        ink = colors.color("text_secondary" if is_out else "text")
        painter.setFont(colors.font("dense"))
        painter.setPen(ink)
        width = self._paint_name(painter, row, state, left)
        if is_out:
            middle = row.center().y() + 0.5
            painter.drawLine(QLineF(0, middle, width, middle))
        bar = QRectF(left, row.center().y() - 6, right - left, 12)
        self._paint_bar(painter, bar, index, is_chosen)
        if bars.beliefs:
            painter.setFont(colors.font("dense", "medium"))
            painter.setPen(colors.color(f"{bars.tint}_ink") if is_chosen else ink)
            painter.drawText(row, RIGHT, state_text(bars.beliefs, index, bars.scale, digits=2))
        # Frames go round the bar: names and numbers begin and end where the row does.
        around = QRectF(left - 5, row.top(), right - left + 10, row.height())
        if bars.most_probable == state:
            painter.setPen(QPen(colors.color("mpe"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(around.adjusted(2, 2, -2, -2), 3, 3)
        if self.hasFocus() and number == self._row:
            self._paint_focus(painter, around)

    def _paint_bar(self, painter: QPainter, bar: QRectF, index: int, is_chosen: bool) -> None:
        bars = self._bars
        has_inner = bars.scale is Scale.POSSIBILITY and bool(self._shown)
        shown = Bar(
            self._shown[index] if self._shown else None,
            "stale" if bars.is_stale else bars.tint if is_chosen else "belief",
            inner=necessity_of(self._shown)[index] if has_inner else 0.0,
            prior=bars.priors[index] if bars.priors and bars.beliefs else None,
            weight=bars.weights[index] if bars.weights else None,
            error=bars.errors[index] if bars.errors and self._shown else 0.0,
        )
        paint_bar(painter, bar, shown)

    # -- pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().toPoint())
        if index is not None:
            self._row = self._order.index(index)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        slot = event.position().toPoint()
        index = self._index_at(slot)
        if index is not None and self.rect().contains(slot):
            self.state_used.emit(self._bars.states[index], event.modifiers(), slot)
        elif self._hidden and self.rect().contains(slot):
            self._shows_all = True
            self.updateGeometry()
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hovered = self._index_at(event.position().toPoint())
        state = None if hovered is None else self._bars.states[hovered]
        self._hover(hovered, can_be_used=state not in {None, *self._bars.impossible})

    def tip_at(self, position: QPoint) -> str | None:
        index = self._index_at(position)
        return None if index is None else self.tip_of(self._bars.states[index])

    # -- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, order = event.key(), self._order
        if not order:
            return super().keyPressEvent(event)
        number = digit_of(event)
        if number is not None and number < len(self._bars.states):
            self._use(number, event.modifiers())
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if key == Qt.Key.Key_Down else -1
            self._row = min(len(order) - 1, max(0, self._row + step))
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._use(order[self._row], event.modifiers())
        elif key == Qt.Key.Key_L:
            self.likelihood_requested.emit()
        elif key == Qt.Key.Key_C and not event.modifiers():
            self.cleared.emit()
        elif key == Qt.Key.Key_T and not event.modifiers():
            self.target_requested.emit()
        else:
            super().keyPressEvent(event)
        return None

    def _use(self, index: int, held: Qt.KeyboardModifier) -> None:
        state = self._bars.states[index]
        position = QPoint(0, 0)
        if index in self._order:
            position = self.row_rect(state).center().toPoint()
        self.state_used.emit(state, held, position)


def tuple_of(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(map(float, values))
