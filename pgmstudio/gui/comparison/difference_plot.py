"""Plot of paired differences with confidence intervals; left of the line is worse."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from pgmstudio.core.experiments.comparison_rows import DIFFERENCE, Line
from pgmstudio.core.number_format import decimal
from pgmstudio.gui.plots.tornado_plot import ticks_of
from pgmstudio.gui.theme.language_symbols import mark_colors, paint_marker
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTER = Qt.AlignmentFlag.AlignCenter


class DifferencePlot(QWidget):
    """Paired differences to the reference; a click or ↑↓ selects a language, Enter opens it."""

    language_selected = Signal(str)
    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("compareDifferences")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setToolTip("Bits per row against the reference; whiskers are 95 % intervals.")
        self.setAccessibleName("Paired differences")
        self._lines: tuple[Line, ...] = ()
        self._selected = ""

    def show_lines(self, lines: Sequence[Line], selected: str) -> None:
        """Show the lines that have a difference."""
        self._lines = tuple(line for line in lines if line.pair is not None)
        self._selected = selected
        texts = [f"{line.title} {line.cell_text(DIFFERENCE)}" for line in self._lines]
        self.setAccessibleName("Paired differences: " + "; ".join(texts))
        self.update()

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 150)

    # -- geometry

    def _axis(self) -> tuple[float, float]:
        """Range in bits: all intervals and 0, with a margin."""
        ends = [0.0]
        for line in self._lines:
            if line.pair is not None and line.pair.value is not None:
                ends.append(line.pair.value)
                ends += line.pair.interval or ()
        low, high = min(ends), max(ends)
        wide = max(high - low, 1e-3)
        return low - 0.06 * wide, high + 0.06 * wide

    def _plot_area(self) -> QRectF:
        metrics = QFontMetricsF(theme().font("dense"))
        names = max((metrics.horizontalAdvance(line.title) for line in self._lines), default=60.0)
        left = min(names + 28, 0.36 * self.width())
        small = QFontMetricsF(theme().font("caption"))
        labels = [line.cell_text(DIFFERENCE) for line in self._lines]
        right = max((small.horizontalAdvance(text) for text in labels), default=60.0) + 16
        bottom = 2 * small.height() + 16
        return QRectF(left, 6, max(40.0, self.width() - left - right), self.height() - bottom - 6)

    def x_of(self, bits: float) -> float:
        """Pixel x of a difference."""
        low, high = self._axis()
        area = self._plot_area()
        return area.left() + area.width() * (bits - low) / (high - low)

    def row_center(self, index: int) -> float:
        """Pixel y of a line's marker."""
        area = self._plot_area()
        return area.top() + area.height() * (index + 0.5) / max(1, len(self._lines))

    def ticks(self, most: int) -> list[float]:
        """At most `most` ticks, but never 0 alone, which would show no scale."""
        candidates = (ticks_of(*self._axis(), count) for count in range(most, most + 8))
        return next((ticks for ticks in candidates if len(ticks) > 1), [0.0])

    # -- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_on(painter)

    def paint_on(self, painter: QPainter, selected: bool = True) -> None:
        """Paint the plot; `selected`: highlight the selected line."""
        if not self._lines:
            painter.setFont(theme().font("dense"))
            painter.setPen(theme().color("text_secondary"))
            text = "Differences are shown when languages are learned."
            painter.drawText(self.rect(), _CENTER | Qt.TextFlag.TextWordWrap, text)
            return
        self._paint_axis(painter)
        for index, line in enumerate(self._lines):
            is_marked = selected and line.title == self._selected
            self._paint_line(painter, line, self.row_center(index), is_marked)

    def _paint_axis(self, painter: QPainter) -> None:
        area = self._plot_area()
        painter.setFont(theme().font("caption"))
        metrics = QFontMetricsF(painter.font())
        most = max(2, int(area.width() / (70 * theme().scale)))
        ticks = self.ticks(most)
        step = abs(ticks[1] - ticks[0]) if len(ticks) > 1 else 1.0
        digits = next((d for d in range(5) if abs(step * 10**d % 1 - 0.5) > 0.499), 5)
        for tick in ticks:
            x = round(self.x_of(tick)) + 0.5
            is_zero = abs(tick) < 1e-12
            painter.setPen(QPen(theme().color("border_control" if is_zero else "border"), 1))
            painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
            painter.setPen(theme().color("text_secondary"))
            text = "0" if is_zero else decimal(tick, digits)
            box = QRectF(x - 40, area.bottom() + 4, 80, metrics.height())
            painter.drawText(box, _CENTER, text)
        x = self.x_of(0.0)
        painter.setPen(QPen(theme().color("border_control"), 1.4))
        painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        base = next((line.title for line in self._lines if line.is_reference), "the reference")
        painter.setPen(theme().color("text_secondary"))
        under = QRectF(0, area.bottom() + metrics.height() + 8, self.width(), metrics.height())
        text = f"Bits per row against {base} (left is worse)"
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, under.width() - 8)
        painter.drawText(under, _CENTER, shown)

    def _paint_line(self, painter: QPainter, line: Line, y: float, is_marked: bool) -> None:
        pair, area = line.pair, self._plot_area()
        tall = area.height() / max(1, len(self._lines))
        if is_marked:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().color("selection", 0.6))
            high = min(tall, 34 * theme().scale)
            painter.drawRoundedRect(QRectF(2, y - high / 2, self.width() - 4, high), 4, 4)
            if self.hasFocus():
                painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(3, y - high / 2, self.width() - 6, high), 4, 4)
        painter.setFont(theme().font("dense"))
        painter.setPen(theme().color("text"))
        metrics = QFontMetricsF(painter.font())
        name = metrics.elidedText(line.title, Qt.TextElideMode.ElideRight, area.left() - 22)
        painter.drawText(QRectF(8, y - 12, area.left() - 20, 24), _RIGHT, name)
        if pair is None or pair.value is None:
            painter.setPen(theme().color("text_secondary"))
            painter.drawText(
                QRectF(area.left(), y - 12, area.width(), 24), _LEFT, "probability 0 on other rows"
            )
            return
        ink = mark_colors(line.row.language.family)[1]
        x = self.x_of(pair.value)
        low, high_end = pair.interval or (pair.value, pair.value)
        left, right = self.x_of(low), self.x_of(high_end)
        painter.setPen(QPen(ink, 1.8))
        if not line.is_reference:
            painter.drawLine(QLineF(left, y, right, y))
            for end in (left, right):
                painter.drawLine(QLineF(end, y - 5, end, y + 5))
        paint_marker(painter, QPointF(x, y), line.row.language, 11.0 * theme().scale)
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text_secondary"))
        text_rect = QRectF(area.right(), y - 10, self.width() - area.right() - 8, 20)
        painter.drawText(text_rect, _RIGHT, line.cell_text(DIFFERENCE))

    # -- mouse and keys

    def _index_at(self, y: float) -> int | None:
        area = self._plot_area()
        if not self._lines or not area.top() <= y <= area.bottom():
            return None
        return min(len(self._lines) - 1, int((y - area.top()) / area.height() * len(self._lines)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().y())
        if index is not None:
            self.language_selected.emit(self._lines[index].title)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().y())
        if index is not None:
            self.chosen.emit(self._lines[index].title)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        names = [line.title for line in self._lines]
        at = names.index(self._selected) if self._selected in names else 0
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if names and event.key() in steps:
            self.language_selected.emit(
                names[max(0, min(len(names) - 1, at + steps[Qt.Key(event.key())]))]
            )
        elif names and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(names[at])
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()


class DifferenceDrawing:
    """The plot as a picture for a file, in its size on screen, without highlighting."""

    has_parts = False

    def __init__(self, plot: DifferencePlot, title: str) -> None:
        self._plot, self.title = plot, title

    def size(self, _options: PictureOptions) -> QSizeF:
        return QSizeF(self._plot.size())

    def paint(self, painter: QPainter, _options: PictureOptions) -> None:
        self._plot.paint_on(painter, selected=False)
