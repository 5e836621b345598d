"""Sweeps over one setting: lines of means with their spread over repeats, also as SVG."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.svg.elements import element, font_families, line, path, rect, text
from pgmstudio.core.drawing.svg.plot_labels import draw_marker
from pgmstudio.core.drawing.svg.sl_plot import Axis
from pgmstudio.core.drawing.theme import colors, tokens
from pgmstudio.core.languages.tree_mixture.learning.params import MixturePoint, MixtureScan


@dataclass(frozen=True, slots=True)
class SweepMark:
    """The mean over `count` repeats at one value of the setting; ± `spread`, None for one."""

    x: float
    mean: float
    spread: float | None
    count: int


@dataclass(frozen=True, slots=True)
class SweepLine:
    """Marks by rising x."""

    name: str
    marks: tuple[SweepMark, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """All lines, and what the two axes are; `is_log` for settings that grow by factors, and
    `is_log_up` for what falls or grows by factors along them: there no spread is drawn."""

    title: str
    x_title: str
    y_title: str
    lines: tuple[SweepLine, ...]
    is_log: bool = False
    is_log_up: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """Which quantities of a recipe lie on lines: `pattern` finds the line's name and x in a key."""

    x_title: str
    y_title: str
    pattern: str
    is_log: bool = False
    is_log_up: bool = False

    def place_of(self, key: str) -> tuple[str, float] | None:
        """The line of a quantity and the index on it; None for other quantities."""
        result = re.fullmatch(self.pattern, key)
        return None if result is None else (result["line"], float(result["x"]))


def lines_of(result: Iterable[tuple[str, float, float]]) -> tuple[SweepLine, ...]:
    """Lines through (name, x, value), repeats averaged, in the order of first appearance."""
    values: dict[str, dict[float, list[float]]] = {}
    for name, x, value in result:
        if math.isfinite(value):
            values.setdefault(name, {}).setdefault(x, []).append(value)
    return tuple(
        SweepLine(name, tuple(_mark(x, of_line[x]) for x in sorted(of_line)))
        for name, of_line in values.items()
    )


def _mark(x: float, values: Sequence[float]) -> SweepMark:
    spread = statistics.stdev(values) if len(values) > 1 else None
    return SweepMark(x, statistics.fmean(values), spread, len(values))


def trees_sweep(scan: MixtureScan) -> Sweep:
    """Bits per row against the number of trees, over the starts of a run.

    Where smoothings were compared, each number of trees has the one that is best for it.
    """
    kinds = (
        ("training", lambda p: p.train_bits),
        ("BIC", lambda p: p.bic_bits),
        ("AIC", lambda p: p.aic_bits),
        ("held-out", _held),
    )
    points = scan.points
    if has_smoothings(scan):
        by_trees = smoothing_sweep(scan).lines
        best = {line.name: max(line.marks, key=lambda mark: mark.mean).x for line in by_trees}
        points = tuple(p for p in points if best.get(_trees(p)) == p.smoothing)
    result = ((name, float(p.trees), value(p)) for name, value in kinds for p in points)
    return Sweep("Numbers of trees", "Trees", "Bits per row ↑", lines_of(result))


def has_smoothings(scan: MixtureScan) -> bool:
    """Whether the run compared several smoothings for one number of trees from one start."""
    tried = [(point.trees, point.start) for point in scan.points]
    return len(set(tried)) < len(tried)


def smoothing_sweep(scan: MixtureScan) -> Sweep:
    """What the run chose by against the smoothing α, a line for each number of trees."""
    result = [(_trees(p), p.smoothing, p.value(scan.criterion)) for p in scan.points]
    is_log = all(x > 0 for _, x, _ in result)
    criterion = {
        "held-out": "Held-out bits",
        "bic": "BIC, bits",
        "aic": "AIC, bits",
        "aic-thesis": "AIC (thesis), bits",
    }
    y_title = f"{criterion[scan.criterion]} per row ↑"
    return Sweep("Smoothing", "Smoothing α", y_title, lines_of(result), is_log)


def _trees(point: MixturePoint) -> str:
    return f"{point.trees} trees" if point.trees > 1 else "1 tree"


def _held(point: MixturePoint) -> float:
    return math.nan if point.held_bits is None else point.held_bits


LEFT, TOP, RIGHT, BOTTOM = 72.0, 44.0, 204.0, 56.0
# Each line has its own marker as well as its colour.
MARKERS = ("o", "s", "t1", "d", "h", "star")


def sweep_svg(sweep: Sweep) -> str:
    """The picture as text; the same lines give the same text."""
    ink, inks, (width, height) = colors("light"), tokens()["category"]["light"], (760.0, 440.0)
    marks = [mark for one in sweep.lines for mark in one.marks]
    across = Axis.around((m.x for m in marks), LEFT, width - RIGHT, is_log=sweep.is_log)
    has_bars = not sweep.is_log_up
    ends = (m.mean + side * (m.spread or 0.0) * has_bars for m in marks for side in (-1, 1))
    up = Axis.around(ends, height - BOTTOM, TOP, is_log=sweep.is_log_up)
    parts = [rect(0, 0, width, height, fill=ink["surface"])]
    faint, plain = ink["grid"], ink["text_secondary"]
    for value in across.ticks():
        x = across.to_pixels(value)
        parts.append(line((x, up.start), (x, up.end), stroke=faint, stroke_width=1.0))
        parts.append(text(f"{value:g}", x, up.start + 16, size=12, fill=plain, anchor="middle"))
    for value in up.ticks():
        y, label = up.to_pixels(value), f"{value:g}".replace("-", "−")
        parts.append(line((LEFT, y), (across.end, y), stroke=faint, stroke_width=1.0))
        parts.append(text(label, LEFT - 8, y, size=12, fill=plain, anchor="end"))
    scale = ", logarithmic" if sweep.is_log else ""
    middle = (LEFT + across.end) / 2
    under = f"{sweep.x_title}{scale}"
    parts.append(text(under, middle, up.start + 38, size=12, fill=plain, anchor="middle"))
    parts.append(text(sweep.title, LEFT, 18, size=15, fill=ink["text"], weight="semibold"))
    y_label = f"{sweep.y_title}, logarithmic" if sweep.is_log_up else sweep.y_title
    parts.append(text(y_label, LEFT, 34, size=11, fill=plain))
    for number, one in enumerate(sweep.lines):
        color = inks[number % len(inks)]
        marker = MARKERS[number % len(MARKERS)]
        parts += _line(one, marker, color["line"], across, up, has_bars=has_bars)
        y = TOP + 8 + 20 * number
        drawn_marker = draw_marker(marker, (across.end + 16, y), 4.5, fill=color["line"])
        parts += [drawn_marker, text(one.name, across.end + 28, y, size=12, fill=color["ink"])]
    if has_bars:
        y, bars = TOP + 14 + 20 * len(sweep.lines), "bars: ± one standard deviation"
        parts.append(text(bars, across.end + 12, y, size=11, fill=plain))
    return element(
        "svg",
        element("g", "".join(parts), font_family=font_families()),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {width:g} {height:g}",
    )


def _line(
    one: SweepLine, marker: str, color: str, across: Axis, up: Axis, *, has_bars: bool
) -> list[str]:
    steps: list[str | Point] = []
    parts: list[str] = []
    for mark in one.marks:
        x, y = across.to_pixels(mark.x), up.to_pixels(mark.mean)
        steps += ["L" if steps else "M", (x, y)]
        if mark.spread and has_bars:
            ends = [up.to_pixels(mark.mean + side * mark.spread) for side in (1, -1)]
            parts.append(line((x, ends[0]), (x, ends[1]), stroke=color, stroke_width=1.0))
            for end in ends:
                parts.append(line((x - 3, end), (x + 3, end), stroke=color, stroke_width=1.0))
        parts.append(draw_marker(marker, (x, y), 4.5, fill=color))
    return [path(*steps, fill="none", stroke=color, stroke_width=2.0), *parts]
