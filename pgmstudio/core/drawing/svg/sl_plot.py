"""SL-curves as an SVG plot: size against bits per row, a colour and a marker for each language.

Test points are filled and joined by a line, training points hollow with a dashed one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.layout.boxes import text_width
from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.drawing.svg.elements import element, font_families, line, path, rect, text
from pgmstudio.core.drawing.svg.plot_labels import Box, Crowd, draw_marker
from pgmstudio.core.drawing.theme import colors, tokens
from pgmstudio.core.number_format import TYPOGRAPHIC


@dataclass(frozen=True, slots=True)
class Axis:
    """Numbers from `low` to `high` laid onto `start` to `end`, straight or by their logarithm."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    @classmethod
    def around(
        cls, values: Iterable[float], start: float, end: float, *, is_log: bool = False
    ) -> Axis:
        """An axis that shows all these numbers with a small margin."""
        usable = [v for v in values if math.isfinite(v) and (v > 0 or not is_log)]
        low, high = (min(usable), max(usable)) if usable else (1.0, 10.0)
        if is_log:
            margin = max(0.04 * math.log10(high / low), 0.05)
            return cls(low / 10**margin, high * 10**margin, start, end, True)
        margin = max(0.05 * (high - low), 1e-3 * max(abs(low), abs(high)), 1e-9)
        return cls(low - margin, high + margin, start, end)

    def to_pixels(self, value: float) -> float:
        """Where the number lies on the plane."""
        if self.is_log:
            fraction = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            fraction = (value - self.low) / (self.high - self.low)
        return self.start + fraction * (self.end - self.start)

    def ticks(self, most: int = 7) -> tuple[float, ...]:
        """Round numbers along the axis: 1, 2 and 5 times powers of ten."""
        return _log_ticks(self.low, self.high, most) if self.is_log else self._even_ticks(most)

    def _even_ticks(self, most: int) -> tuple[float, ...]:
        rough = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        first = math.ceil(self.low / step)
        last = math.floor(self.high / step)
        digits = max(0, -math.floor(math.log10(step)))
        return tuple(round(number * step, digits) for number in range(first, last + 1))


def _log_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        result = [f * 10.0**p for p in powers for f in factors if low <= f * 10.0**p <= high]
        if len(result) <= most:
            break
    return tuple(result)


def even_digits(texts: Sequence[str]) -> list[str]:
    """`−16`, `−16.5` become `−16.0`, `−16.5`; numbers with an exponent stay."""
    if any("e" in text for text in texts):
        return list(texts)
    most = max((len(text.partition(".")[2]) for text in texts), default=0)
    return [_with_digits(text, most) for text in texts]


def _with_digits(text: str, digits: int) -> str:
    whole, _, rest = text.partition(".")
    return f"{whole}.{rest:0<{digits}}" if digits else text


LEFT, TOP, RIGHT, BOTTOM = 72.0, 44.0, 200.0, 56.0
Attributes = dict[str, Any]
LABEL_SIZE = 10.0  # px
MARK, SMALL_MARK = 4.5, 2.5  # from the middle of a mark to its edge


@dataclass(frozen=True, slots=True)
class PlotMark:
    """One model on the plot; `spread` is the half length of its bar, `label` stands next to it."""

    size: float
    bits: float
    spread: float | None = None
    label: str = ""
    is_ringed: bool = False


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """One curve, its marks from small to large."""

    name: str
    marker: Marker
    test: tuple[PlotMark, ...]
    train: tuple[PlotMark, ...] = ()


@dataclass(frozen=True)
class CurvePlot:
    """All that is drawn: `ceiling` is −H, `front` the test front, `line` two points of equal score,
    `truth` the size and bits of the model the rows come from."""

    series: tuple[PlotSeries, ...]
    title: str = ""
    size_title: str = "Effective size"
    ceiling: float | None = None
    front: tuple[tuple[float, float], ...] = ()
    line: tuple[tuple[float, float], tuple[float, float]] | None = None
    line_title: str = ""
    truth: tuple[float, float] | None = None
    is_log: bool = True
    marks: tuple[PlotMark, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        every = tuple(mark for one in self.series for mark in (*one.test, *one.train))
        object.__setattr__(self, "marks", every)


def curve_svg(
    plot: CurvePlot, *, width: float = 900, height: float = 520, theme: str = "light"
) -> str:
    """The picture as text; the same plot gives the same text."""
    return _Drawing(plot, width, height, theme).svg()


class _Drawing:
    def __init__(self, plot: CurvePlot, width: float, height: float, theme: str) -> None:
        self._plot, self._width, self._height = plot, width, height
        self._colors = colors(theme)
        self._inks = {entry["name"]: entry for entry in tokens()["category"][theme]}
        sizes = [mark.size for mark in plot.marks] + ([plot.truth[0]] if plot.truth else [])
        bits = [mark.bits for mark in plot.marks] + ([plot.truth[1]] if plot.truth else [])
        if plot.ceiling is not None:
            bits.append(plot.ceiling)
        self._x = Axis.around(sizes, LEFT, width - RIGHT, is_log=plot.is_log)
        self._y = Axis.around(bits, height - BOTTOM, TOP)
        self._crowd = Crowd(Box(LEFT, TOP, width - RIGHT, height - BOTTOM))

    def svg(self) -> str:
        parts = [
            rect(0, 0, self._width, self._height, fill=self._colors["surface"]),
            *self._axes(),
            *self._under(),
            *(piece for one in self._plot.series for piece in self._series(one)),
            *self._labels(),  # when all is known that they must not lie over
            *self._legend(),
        ]
        inside = element("g", "".join(parts), font_family=font_families())
        return element(
            "svg",
            inside,
            xmlns="http://www.w3.org/2000/svg",
            width=self._width,
            height=self._height,
            viewBox=f"0 0 {self._width:g} {self._height:g}",
        )

    def _text(self, content: str, x: float, y: float, **attributes: Any) -> str:
        usual: Attributes = {"size": 12.0, "fill": self._colors["text_secondary"]}
        return text(content, x, y, **(usual | attributes))

    def _axes(self) -> list[str]:
        left, right = self._x.start, self._x.end
        bottom, top = self._y.start, self._y.end
        grid: Attributes = {"stroke": self._colors["grid"], "stroke_width": 1.0}
        parts = []
        free = -math.inf  # where the last label ends; those of large numbers are long
        for value in self._x.ticks():
            x, label = self._x.to_pixels(value), _tick_text(value)
            parts.append(line((x, bottom), (x, top), **grid))
            half = text_width(label, 12.0) / 2
            if x - half > free:
                parts.append(self._text(label, x, bottom + 16, anchor="middle"))
                free = x + half + 6
        heights = self._y.ticks()
        for value, label in zip(heights, even_digits(list(map(_tick_text, heights))), strict=True):
            y = self._y.to_pixels(value)
            parts.append(line((left, y), (right, y), **grid))
            parts.append(self._text(label, left - 8, y, anchor="end"))
        frame: Attributes = {"stroke": self._colors["border_control"], "stroke_width": 1.0}
        parts += [line((left, bottom), (right, bottom), **frame)]
        parts += [line((left, bottom), (left, top), **frame)]
        scale = ", logarithmic" if self._plot.is_log else ""
        under = f"{self._plot.size_title}{scale}"
        parts.append(self._text(under, (left + right) / 2, bottom + 38, anchor="middle"))
        head = self._plot.title or "Bits per row against size"
        strong: Attributes = {"size": 15.0, "fill": self._colors["text"], "weight": "semibold"}
        parts.append(self._text(head, left, 20, **strong))
        parts.append(self._text("Bits per row, higher is better", left, 36, size=11.0))
        return parts

    def _under(self) -> list[str]:
        """What lies below the marks: the front, the ceiling, the line of equal score."""
        plot, parts = self._plot, []
        if plot.front:
            steps: list[str | Point] = ["M", self._at(*plot.front[0])]
            for (_, before), (size, bits) in zip(plot.front, plot.front[1:], strict=False):
                steps += ["L", self._at(size, before), "L", self._at(size, bits)]
            steps += ["L", (self._x.end, self._y.to_pixels(plot.front[-1][1]))]
            accent: Attributes = {"stroke": self._colors["accent"], "stroke_opacity": 0.16}
            parts.append(path(*steps, fill="none", stroke_width=8, **accent))
        if plot.ceiling is not None:
            y = self._y.to_pixels(plot.ceiling)
            dashed: Attributes = {
                "stroke": self._colors["text_tertiary"],
                "stroke_dasharray": "6 4",
            }
            parts.append(line((self._x.start, y), (self._x.end, y), **dashed))
            self._crowd.add_line([(self._x.start, y), (self._x.end, y)])
        if plot.line is not None:
            parts += self._equal_score(*plot.line)
        if plot.truth is not None and self._can_show(*plot.truth):
            x, y = self._at(*plot.truth)
            ink = self._colors["text"]
            parts.append(rect(x - 7, y - 7, 14, 14, fill="none", stroke=ink, stroke_width=1.5))
        return parts

    def _equal_score(self, one: tuple[float, float], other: tuple[float, float]) -> list[str]:
        """The line, which is bent where sizes are shown by their logarithm."""
        slope = (other[1] - one[1]) / (other[0] - one[0])
        steps: list[str | Point] = []
        last: Point | None = None
        for position in range(65):
            fraction = position / 64
            if self._x.is_log:
                size = self._x.low * (self._x.high / self._x.low) ** fraction
            else:
                size = self._x.low + fraction * (self._x.high - self._x.low)
            bits = one[1] + slope * (size - one[0])
            if self._y.low <= bits <= self._y.high:
                last = self._at(size, bits)
                steps += ["L" if steps else "M", last]
        if last is None:
            return []
        self._crowd.add_line([position for position in steps if not isinstance(position, str)])
        ink = self._colors["text"]
        drawn = path(*steps, fill="none", stroke=ink, stroke_width=1.2, stroke_dasharray="2 3")
        size = text_width(self._plot.line_title, 11.0), 11.0
        box = self._crowd.take([Box.around((last[0] - size[0] / 2, last[1] - 8), *size)])
        attributes: Attributes = {"size": 11.0, "anchor": "middle"}
        return [drawn, self._text(self._plot.line_title, *box.middle, **attributes)]

    def _at(self, size: float, bits: float) -> Point:
        return self._x.to_pixels(size), self._y.to_pixels(bits)

    def _can_show(self, size: float, bits: float) -> bool:
        return math.isfinite(bits) and (size > 0 or not self._plot.is_log)

    def _series(self, one: PlotSeries) -> list[str]:
        colors = self._inks[one.marker.color]
        ink, fill = colors["line"], colors["fill"]
        faint: Attributes = {"stroke": ink, "stroke_width": 1.2, "stroke_opacity": 0.75}
        strong: Attributes = {"stroke": ink, "stroke_width": 2.0}
        parts = self._joined(one.train, stroke_dasharray="4 4", **faint)
        parts += self._joined(one.test, **strong)
        hollow: Attributes = {"fill": self._colors["surface"], **faint}
        for mark in self._shown(one.train):
            at = self._at(mark.size, mark.bits)
            self._crowd.add_mark(at, SMALL_MARK)
            parts.append(draw_marker(one.marker.symbol, at, SMALL_MARK, **hollow))
        for mark in self._shown(one.test):
            parts += self._test_mark(mark, one.marker.symbol, ink, fill)
        return parts

    def _test_mark(self, mark: PlotMark, symbol: str, ink: str, fill: str) -> list[str]:
        x, y = self._at(mark.size, mark.bits)
        parts = []
        self._crowd.add_mark((x, y), 8.0 if mark.is_ringed else MARK)
        if mark.spread:
            up, down = (self._y.to_pixels(mark.bits + side * mark.spread) for side in (1, -1))
            parts.append(line((x, up), (x, down), stroke=ink, stroke_width=1))
            self._crowd.add_line([(x, up), (x, down)])
            for end in (up, down):
                parts.append(line((x - 3, end), (x + 3, end), stroke=ink, stroke_width=1))
        parts.append(draw_marker(symbol, (x, y), MARK, fill=fill, stroke=ink, stroke_width=1))
        if mark.is_ringed:
            ring: Attributes = {
                "fill": "none",
                "stroke": self._colors["text"],
                "stroke_width": 1.5,
            }
            parts.append(element("circle", cx=x, cy=y, r=8.0, **ring))
        return parts

    def _labels(self) -> list[str]:
        """What BIC and AIC take, and the name of the ceiling."""
        parts = []
        for one in self._plot.series:
            ink = self._inks[one.marker.color]["ink"]
            for mark in self._shown(one.test):
                if mark.label:
                    size = text_width(mark.label, LABEL_SIZE), LABEL_SIZE
                    box = self._crowd.place_label(self._at(mark.size, mark.bits), *size)
                    parts.append(self._label(mark.label, box, ink))
        if self._plot.ceiling is not None:
            label, y = "−H of the training rows", self._y.to_pixels(self._plot.ceiling) - 9
            wide = text_width(label, LABEL_SIZE)
            middles = (self._x.start + 8 + wide / 2, self._x.end - 8 - wide / 2)
            box = self._crowd.take([Box.around((x, y), wide, LABEL_SIZE) for x in middles])
            parts.append(self._label(label, box, self._colors["text_secondary"]))
        return parts

    def _label(self, label: str, box: Box, ink: str) -> str:
        """A label over a patch of the background, where no area is quite free."""
        wide, tall = box.right - box.left + 2, box.bottom - box.top + 2
        ground: Attributes = {"fill": self._colors["surface"], "fill_opacity": 0.8}
        patch = rect(box.left - 1, box.top - 1, wide, tall, 2, **ground)
        return patch + self._text(label, *box.middle, size=LABEL_SIZE, anchor="middle", fill=ink)

    def _shown(self, marks: Sequence[PlotMark]) -> list[PlotMark]:
        return [mark for mark in marks if self._can_show(mark.size, mark.bits)]

    def _joined(self, marks: Sequence[PlotMark], **attributes: Any) -> list[str]:
        """The line is broken at a model that rules out rows: joining would hide it."""
        drawn = []
        for run in _runs([self._at_or_none(mark) for mark in marks]):
            self._crowd.add_line(run)
            if len(run) > 1:
                steps = [step for position in run for step in ("L", position)]
                drawn.append(path("M", *steps[1:], fill="none", **attributes))
        return drawn

    def _at_or_none(self, mark: PlotMark) -> Point | None:
        known = self._can_show(mark.size, mark.bits)
        return self._at(mark.size, mark.bits) if known else None

    def _legend(self) -> list[str]:
        x, y, parts = self._x.end + 16, TOP + 8.0, []
        for one in self._plot.series:
            colors = self._inks[one.marker.color]
            ink, fill = colors["line"], colors["fill"]
            parts.append(
                draw_marker(one.marker.symbol, (x, y), MARK, fill=fill, stroke=ink, stroke_width=1)
            )
            parts.append(self._text(one.name, x + 12, y, fill=colors["ink"]))
            y += 20
        y += 6
        lines = ["filled: test rows", "hollow: training rows", "ring: best on test rows"]
        lines += ["broad line: the front"] if self._plot.front else []
        lines += ["square: true model"] if self._plot.truth is not None else []
        gone = len(self._plot.marks) - len(self._shown(self._plot.marks))
        if gone:
            lines += [f"not shown, at −∞: {gone},", "where rows have probability 0"]
        for position, label in enumerate(lines):
            parts.append(self._text(label, x - 4, y + 16 * position, size=11.0))
        return parts


def _runs(positions: Sequence[Point | None]) -> list[list[Point]]:
    """Consecutive points that are known."""
    result: list[list[Point]] = [[]]
    for position in positions:
        if position is None:
            result.append([])
        else:
            result[-1].append(position)
    return [run for run in result if run]


def _tick_text(value: float) -> str:
    if float(value).is_integer():
        return TYPOGRAPHIC.whole(value)
    return f"{value:g}".replace("-", "−")
