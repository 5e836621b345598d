"""Lines of means with bars of their spread, as SVG: what an experiment found along a setting."""

from __future__ import annotations

from pgmstudio.core.experiments.sweep_lines import Sweep, SweepLine
from pgmstudio.core.pictures.axes import Axis
from pgmstudio.core.pictures.curve_signs import sign
from pgmstudio.core.pictures.picture import Point
from pgmstudio.core.pictures.svg_elements import element, font_families, line, path, rect, text
from pgmstudio.core.pictures.tokens import colors, tokens

LEFT, TOP, RIGHT, BOTTOM = 72.0, 44.0, 204.0, 56.0
# Each line has its own sign as well as its colour.
SIGNS = ("o", "s", "t1", "d", "h", "star")


def sweep_svg(
    sweep: Sweep, *, theme: str = "light", width: float = 760.0, height: float = 440.0
) -> str:
    """The picture as text; the same lines give the same text."""
    ink, inks = colors(theme), tokens()["category"][theme]
    marks = [mark for one in sweep.lines for mark in one.marks]
    across = Axis.around((m.x for m in marks), LEFT, width - RIGHT, is_log=sweep.is_log)
    has_bars = not sweep.is_log_up
    ends = (m.mean + side * (m.spread or 0.0) * has_bars for m in marks for side in (-1, 1))
    up = Axis.around(ends, height - BOTTOM, TOP, is_log=sweep.is_log_up)
    parts = [rect(0, 0, width, height, fill=ink["surface"])]
    faint, plain = ink["grid"], ink["text_secondary"]
    for value in across.ticks():
        x = across.place(value)
        parts.append(line((x, up.start), (x, up.end), stroke=faint, stroke_width=1.0))
        parts.append(text(f"{value:g}", x, up.start + 16, size=12, fill=plain, anchor="middle"))
    for value in up.ticks():
        y, told = up.place(value), f"{value:g}".replace("-", "−")
        parts.append(line((LEFT, y), (across.end, y), stroke=faint, stroke_width=1.0))
        parts.append(text(told, LEFT - 8, y, size=12, fill=plain, anchor="end"))
    scale = ", logarithmic" if sweep.is_log else ""
    middle = (LEFT + across.end) / 2
    under = f"{sweep.x_title}{scale}"
    parts.append(text(under, middle, up.start + 38, size=12, fill=plain, anchor="middle"))
    parts.append(text(sweep.title, LEFT, 18, size=15, fill=ink["text"], weight="semibold"))
    beside = f"{sweep.y_title}, logarithmic" if sweep.is_log_up else sweep.y_title
    parts.append(text(beside, LEFT, 34, size=11, fill=plain))
    for number, one in enumerate(sweep.lines):
        color = inks[number % len(inks)]
        marker = SIGNS[number % len(SIGNS)]
        parts += _line(one, marker, color["line"], across, up, has_bars=has_bars)
        y = TOP + 8 + 20 * number
        told_sign = sign(marker, (across.end + 16, y), 4.5, fill=color["line"])
        parts += [told_sign, text(one.name, across.end + 28, y, size=12, fill=color["ink"])]
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
        x, y = across.place(mark.x), up.place(mark.mean)
        steps += ["L" if steps else "M", (x, y)]
        if mark.spread and has_bars:
            ends = [up.place(mark.mean + side * mark.spread) for side in (1, -1)]
            parts.append(line((x, ends[0]), (x, ends[1]), stroke=color, stroke_width=1.0))
            for end in ends:
                parts.append(line((x - 3, end), (x + 3, end), stroke=color, stroke_width=1.0))
        parts.append(sign(marker, (x, y), 4.5, fill=color))
    return [path(*steps, fill="none", stroke=color, stroke_width=2.0), *parts]
