"""A tornado chart: how far a belief moves, one bar per cause, the widest on top.

The line is the belief as it is. What would lower it lies at the left, what would raise it at the
right. The two ends of a bar differ by hatching, not by colour alone, and the legend that
explains them is on the chart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPen

from pgmstudio.core.number_format import percent
from pgmstudio.gui.plots.items import Frame, Text
from pgmstudio.gui.plots.row_chart import HOVER_Z, RowChart
from pgmstudio.gui.theme.theme import theme

_MIN_SPAN = 0.02  # of the axis; a smaller one would show rounding


@dataclass(frozen=True, slots=True)
class TornadoRow:
    """One cause: the belief at its two ends, each with a word; either end may be the larger."""

    key: str
    title: str
    fact: str  # a number next to the title
    hatched: float
    solid: float
    hatched_text: str = ""
    solid_text: str = ""

    @property
    def description(self) -> str:
        ends = f"from {percent(self.hatched)} to {percent(self.solid)} percent"
        return f"{self.title}, {self.fact}, {ends}"


@dataclass(frozen=True, slots=True)
class Tornado:
    """Content of a tornado chart; `hatched` and `solid` explain the two kinds of end."""

    belief: float = 0.0
    rows: tuple[TornadoRow, ...] = ()
    fact_head: str = ""
    hatched: str = ""
    solid: str = ""
    belief_text: str = ""

    @property
    def axis(self) -> tuple[float, float]:
        """The least and the largest belief shown."""
        ends = [self.belief, *(end for row in self.rows for end in (row.hatched, row.solid))]
        low, high = min(ends), max(ends)
        lack = max(0.0, _MIN_SPAN - (high - low)) / 2
        return max(0.0, low - lack), min(1.0, high + lack)


_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
_PAD = 16.0
_TICKS_UP = 7  # px from the rows to the numbers of the axis
BAR_Z, LINE_Z, TEXT_Z = 1, 2, 3


class TornadoChart(RowChart):
    """Tornado chart; hovering or moving selects a row, a click or Enter chooses it."""

    scales = ("top",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("Tornado chart")
        self._tornado = Tornado()

    @property
    def tornado(self) -> Tornado:
        return self._tornado

    def show_tornado(self, tornado: Tornado) -> None:
        """Another chart; the row with the focus stays when it is still there."""
        before = self.current
        self._tornado = tornado
        self._row = self.keys.index(before) if before in self.keys else 0
        self._hovered = None
        descriptions = [row.description for row in tornado.rows[:10]]
        self.setAccessibleName("Tornado chart: " + "; ".join(descriptions))
        self.refresh()

    # -- geometry

    @property
    def keys(self) -> list[str]:
        return [row.key for row in self._tornado.rows]

    @property
    def row_height(self) -> float:
        return round(QFontMetricsF(theme().font("dense")).height() * 2) + 4.0

    @property
    def axis(self) -> tuple[float, float]:
        return self._tornado.axis

    def columns(self) -> tuple[float, float, float, float]:
        """x of the end of titles, of the facts, and both ends of the area of the bars."""
        width = self._size.width() - self._bar_width
        fact = QFontMetricsF(theme().font("dense")).horizontalAdvance("0.000  100.0 %") + 6
        title = width * (0.36 if width > 640 * theme().scale else 0.32)
        number = QFontMetricsF(theme().font("caption")).horizontalAdvance("100.0") + 6
        return title, title + fact, title + fact + number + 8, width - _PAD - number

    def _margins(self) -> tuple[float, float, float, float]:
        _, _, left, right = self.columns()
        line = QFontMetricsF(theme().font("dense")).height()
        return left, round(2 * line + 22), self._size.width() - right, 0.0

    def minimumSizeHint(self) -> QSize:
        return QSize(320, round(self._margins()[1] + 3 * self.row_height))

    # -- drawing

    def _build(self) -> None:
        super()._build()
        axis = self._canvas.getAxis("top")
        axis.setStyle(maxTickLevel=1, tickTextOffset=_TICKS_UP)
        axis.tickStrings = lambda values, *_: [f"{100 * value:.4g} %" for value in values]

    def _draw_items(self, frame: Frame) -> None:
        tornado, top = self._tornado, self._margins()[1]
        ends = np.array([frame.seen.top(), frame.seen.bottom()])
        pen = QPen(theme().color("text"), 1.5)
        self.items.line("belief", np.full(2, tornado.belief), ends, pen, LINE_Z)
        middles, tall = -np.arange(len(tornado.rows)) - 0.5, 9.0 * theme().scale / self.row_height
        has_text = np.array([bool(row.hatched_text or row.solid_text) for row in tornado.rows])
        middles = middles + np.where(has_text, 5.0 * theme().scale / self.row_height, 0.0)
        for index, name in enumerate(("solid", "hatched")):
            ends = np.array([getattr(row, name) for row in tornado.rows])
            self.items.boxes(
                name,
                (np.minimum(ends, tornado.belief), np.maximum(ends, tornado.belief)),
                (middles - tall / 2, middles + tall / 2),
                BAR_Z,
                fill=theme().category(index, "fill"),
                ink=theme().category(index, "ink"),
                is_hatched=name == "hatched",
            )
        texts: list[Text] = []
        for number, row in enumerate(tornado.rows):
            box = self.row_box(number)
            if box.bottom() > top and box.top() < self._size.height():
                texts += self._row_texts(row, box, frame)
        rows = QRectF(QPointF(0, top), QPointF(self._size.width(), self._size.height()))
        self.items.texts("rows", texts, TEXT_Z, clip=rows)
        self.items.frame("background", rows, HOVER_Z - 1, fill=theme().color("surface"))
        self._draw_head(QRectF(0, 0, self._size.width(), top))
        self._draw_focus()

    def _row_texts(self, row: TornadoRow, box: QRectF, frame: Frame) -> Iterator[Text]:
        title_to, fact_to, *_ = self.columns()
        font = theme().font("dense")
        yield from _title_texts(
            row.title, QRectF(_PAD, box.top(), title_to - _PAD - 8, box.height())
        )
        fact = QRectF(title_to, box.top(), fact_to - title_to, box.height())
        yield Text(fact, row.fact, ink="text_secondary", font=font, side=_RIGHT)
        now, small = (
            frame.point(self._tornado.belief, 0).x(),
            QFontMetricsF(theme().font("caption")),
        )
        lift = 5.0 * theme().scale if row.hatched_text or row.solid_text else 0.0
        for end, text in ((row.hatched, row.hatched_text), (row.solid, row.solid_text)):
            x = frame.point(end, 0).x()
            if abs(x - now) < 1.0:
                continue
            is_right, number = x > now, percent(end)
            wide = small.horizontalAdvance(number)
            near = QRectF(x + 4 if is_right else x - 4 - wide, box.top() - lift, wide, box.height())
            yield Text(near, number)
            # Under the bar, what leads there.
            wide = (box.right() - now if is_right else now - fact_to) - 12
            under = QRectF(0, box.bottom() - small.height() - 1, wide, small.height())
            under.moveLeft(now + 4 if is_right else now - 4 - wide)
            yield Text(under, text, ink="text_secondary", side=_LEFT if is_right else _RIGHT)

    def _draw_head(self, area: QRectF) -> None:
        """The legend over the axis, which stay while the rows scroll."""
        look, tornado = theme(), self._tornado
        font = look.font("dense")
        metrics = QFontMetricsF(font)
        line, x, texts = metrics.height(), _PAD, []
        for index, (kind, text) in enumerate(
            (("hatched", tornado.hatched), ("solid", tornado.solid), ("", tornado.belief_text))
        ):
            if not text:
                continue
            sample = QRectF(x, 6 + line / 2 - 4.5, 22, 9)
            if kind:
                self.items.boxes(
                    f"legend {kind}",
                    (sample.left(), sample.right()),
                    (sample.top(), sample.bottom()),
                    TEXT_Z,
                    fill=look.category(1 - index, "fill"),
                    ink=look.category(1 - index, "ink"),
                    is_hatched=kind == "hatched",
                    in_px=True,
                )
            else:
                stroke = QRectF(x + 10.25, 5, 1.5, line)
                self.items.frame("legend line", stroke, TEXT_Z, fill=look.color("text"))
            wide = metrics.horizontalAdvance(text)
            box = QRectF(x + 28, 5, min(wide, area.width() - x - 36), line)
            texts.append(Text(box, text, ink="text_secondary", font=font, side=_LEFT))
            x += 28 + wide + 16
        title_to, fact_to, _, _ = self.columns()
        height = QFontMetricsF(look.font("caption")).height()
        top = area.bottom() - _TICKS_UP - height
        box = QRectF(title_to - 60, top, fact_to - title_to + 60, height)
        texts.append(Text(box, tornado.fact_head, ink="text_secondary", font=font, side=_RIGHT))
        self.items.texts("head", texts, TEXT_Z)
        under = QRectF(0, area.bottom() - 1, area.width(), 1)
        self.items.frame("under the head", under, TEXT_Z, fill=look.color("border"))

    # -- mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row is not None and row != self._hovered:
            self._hovered = row
            self.select_row(row)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self._row = row
            self.chosen.emit(self.keys[row])
            self.redraw()


def _title_texts(title: str, area: QRectF) -> Iterator[Text]:
    """In one line, or in two where a condition follows."""
    font = theme().font("dense")
    metrics, lines = QFontMetricsF(font), [title]
    if metrics.horizontalAdvance(title) > area.width() and " | " in title:
        first, second = title.split(" | ", 1)
        lines = [f"{first} |", second]
    height = metrics.height()
    top = area.center().y() - height * len(lines) / 2
    for number, text in enumerate(lines):
        box = QRectF(area.left(), top + number * height, area.width(), height)
        yield Text(box, text, font=font, side=_LEFT)
