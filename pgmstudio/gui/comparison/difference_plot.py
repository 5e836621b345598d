"""Plot of paired differences with confidence intervals; left of the line is worse."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPen

from pgmstudio.core.experiments.comparison_rows import DIFFERENCE, Line
from pgmstudio.core.languages.markers import language_marker, marker_family
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.gui.plots.items import Frame, Text
from pgmstudio.gui.plots.matrix_plot import longest_name
from pgmstudio.gui.plots.row_chart import HOVER_Z, RowChart
from pgmstudio.gui.theme.language_symbols import mark_colors
from pgmstudio.gui.theme.theme import theme

_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
_CAP = 5.0  # px of the ends of an interval, up and down
_GAP = 10.0  # px between the numbers of two ticks
_NICE_STEPS = [m * 10.0**power for power in range(-6, 4) for m in (1.0, 2.0, 5.0)]
_MAX_ROW = 34.0  # px of a highlighted row
ZERO_Z, INTERVAL_Z, MARK_Z, TEXT_Z = range(4)


class DifferencePlot(RowChart):
    """Paired differences to the reference; a click or ↑↓ selects a language, Enter opens it."""

    scales = ("bottom",)

    def __init__(self) -> None:
        super().__init__("compareDifferences", "Differences are shown when languages are learned.")
        self.setToolTip("Bits per row against the reference; whiskers are 95 % intervals.")
        self.setAccessibleName("Paired differences")
        self._lines: tuple[Line, ...] = ()
        self._selected = ""

    def show_lines(self, lines: Sequence[Line], selected: str) -> None:
        """Show the lines that have a difference."""
        self._lines = tuple(line for line in lines if line.pair is not None)
        self._row = self.keys.index(selected) if selected in self.keys else 0
        self._selected = selected
        texts = [f"{line.title} {line.cell_text(DIFFERENCE)}" for line in self._lines]
        self.setAccessibleName("Paired differences: " + "; ".join(texts))
        self.refresh()

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines

    # -- geometry

    @property
    def keys(self) -> list[str]:
        return [line.title for line in self._lines]

    @property
    def axis(self) -> tuple[float, float]:
        """Range in bits: all intervals and 0, with a margin."""
        ends = [0.0]
        for line in self._lines:
            if line.pair is not None and line.pair.value is not None:
                ends += [line.pair.value, *(line.pair.interval or ())]
        low, high = min(ends), max(ends)
        wide = max(high - low, 1e-3)
        return low - 0.06 * wide, high + 0.06 * wide

    @property
    def row_height(self) -> float:
        _, top, _, bottom = self._margins()
        return max(1.0, self._size.height() - top - bottom) / max(1, len(self._lines))

    def _margins(self) -> tuple[float, float, float, float]:
        left = min(longest_name(self.keys, "dense") + 28, 0.36 * self._size.width())
        right = longest_name(line.cell_text(DIFFERENCE) for line in self._lines) + 16
        line = QFontMetricsF(theme().font("caption")).height()
        return left, 6.0, right, 2 * line + 16

    def minimumSizeHint(self) -> QSize:
        """Names of rows do not overlap."""
        _, top, _, bottom = self._margins()
        rows = len(self._lines) * QFontMetricsF(theme().font("dense")).height()
        return QSize(280, max(150, math.ceil(top + rows + bottom)))

    # -- drawing

    def _tick_step(self, width: float) -> float:
        """The distance of ticks in bits whose numbers have room on so many pixels."""
        low, high = self.axis
        font, per_bit = QFontMetricsF(theme().font("caption")), width / (high - low)
        for step in _NICE_STEPS:
            digits = max(0, math.ceil(-math.log10(step)))
            widest = font.horizontalAdvance(decimal(-max(-low, high), digits))
            if step * per_bit >= widest + _GAP * theme().scale:
                return step
        return _NICE_STEPS[-1]

    def _draw_items(self, frame: Frame) -> None:
        step = self._tick_step(frame.area.width())
        self._canvas.getAxis("bottom").setTickSpacing(levels=[(step, 0)])
        look, ends = theme(), np.array([frame.seen.top(), frame.seen.bottom()])
        pen = QPen(look.color("border_control"), 1.4)
        self.items.line("zero", np.zeros(2), ends, pen, ZERO_Z)
        texts: list[Text] = []
        for number, line in enumerate(self._lines):
            if line.title == self._selected and not self._is_for_file:
                self._draw_selected(number)
            self._draw_interval(line, number)
            texts += self._row_texts(line, self.row_box(number), frame.area)
        base = next((line.title for line in self._lines if line.is_reference), "the reference")
        height = QFontMetricsF(look.font("caption")).height()
        under = QRectF(4, self._size.height() - height - 2, self._size.width() - 8, height)
        text = f"Bits per row against {base} (left is worse)"
        texts.append(Text(under, text, ink="text_secondary"))
        self.items.texts("texts", texts, TEXT_Z)

    def _draw_selected(self, number: int) -> None:
        look, box = theme(), self.row_box(number)
        rest = max(0.0, box.height() - _MAX_ROW * look.scale) / 2
        box.adjust(2, rest, -2, -rest)
        pen = QPen(look.color("focus"), look.line("focus")) if self.shows_focus else None
        fill = look.color("selection", 0.6)
        self.items.frame("selected", box, HOVER_Z, fill=fill, ink=pen, radius=4)

    def _draw_interval(self, line: Line, number: int) -> None:
        pair, y = line.pair, -number - 0.5
        if pair is None or pair.value is None:
            return
        family = marker_family(line.row.language.family, line.row.language.learner)
        (fill, ink), cap = mark_colors(family), _CAP / self.row_height
        if pair.interval is not None and not line.is_reference:
            low, high = pair.interval
            xs = np.array([low, high, low, low, high, high])
            ys = y + np.array([0, 0, -cap, cap, -cap, cap])
            pen = QPen(ink, 1.8)
            self.items.line(f"interval {line.title}", xs, ys, pen, INTERVAL_Z, connect="pairs")
        self.items.marks(
            f"mark {line.title}",
            np.array([pair.value]),
            np.array([y]),
            MARK_Z,
            symbol=language_marker(family).symbol,
            size=11 * theme().scale,
            ink=ink,
            width=1.2,
            fill=fill,
        )

    def _row_texts(self, line: Line, row: QRectF, area: QRectF) -> list[Text]:
        font = theme().font("dense")
        name = QRectF(8, row.top(), area.left() - 20, row.height())
        value = QRectF(area.right(), row.top(), row.right() - area.right() - 8, row.height())
        texts = [Text(name, line.title, font=font, side=_RIGHT)]
        if line.pair is None or line.pair.value is None:
            inside = QRectF(area.left(), row.top(), area.width(), row.height())
            text = "probability 0 on other rows than the reference"
            if line.zero_rows:
                text = f"−∞: probability 0 on {counted(line.zero_rows, 'test row')}"
            return [*texts, Text(inside, text, ink="text_secondary", font=font, side=_LEFT)]
        text = line.cell_text(DIFFERENCE)
        return [*texts, Text(value, text, ink="text_secondary", side=_RIGHT)]

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row is not None:
            self.select_row(row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row is not None:
            self.chosen.emit(self.keys[row])
