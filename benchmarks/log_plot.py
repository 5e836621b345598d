"""Curves on two logarithmic axes as an SVG file, for benchmarks that show how a time grows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from pgmstudio.core.drawing.svg.elements import element, escaped, line

Curve = Sequence[tuple[float, float]]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 420, 70, 170, 40, 50
COLOURS = ("#0b6e99", "#c2410c", "#3f7d20", "#7a3e9d", "#8a6d00")


def write_log_plot(
    path: Path, title: str, across: str, upwards: str, curves: Mapping[str, Curve]
) -> None:
    """One line with dots per curve, named at the right."""
    low_x, high_x = _decades([x for curve in curves.values() for x, _ in curve])
    low_y, high_y = _decades([y for curve in curves.values() for _, y in curve])

    def place(x: float, y: float) -> tuple[float, float]:
        right = (math.log10(x) - low_x) / (high_x - low_x)
        up = (math.log10(y) - low_y) / (high_y - low_y)
        return (
            LEFT + right * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM),
        )

    parts = [
        element("rect", width=WIDTH, height=HEIGHT, fill="#ffffff"),
        _text(LEFT, TOP - 16, title, size=15),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, across, anchor="middle"),
        _text(8, TOP - 16, upwards),
    ]
    for power in range(low_x, high_x + 1):
        start, end = place(10**power, 10**low_y), place(10**power, 10**high_y)
        parts.append(line(start, end, stroke="#dddddd"))
        parts.append(_text(start[0], start[1] + 16, f"{10.0**power:g}", anchor="middle"))
    for power in range(low_y, high_y + 1):
        start, end = place(10**low_x, 10**power), place(10**high_x, 10**power)
        parts.append(line(start, end, stroke="#dddddd"))
        parts.append(_text(start[0] - 6, start[1] + 4, f"{10.0**power:g}", anchor="end"))
    for row, (colour, (name, curve)) in enumerate(zip(COLOURS, curves.items(), strict=False)):
        points = [place(x, y) for x, y in curve]
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(element("polyline", points=told, fill="none", stroke=colour, stroke_width=2.0))
        parts += [element("circle", cx=x, cy=y, r=3.5, fill=colour) for x, y in points]
        parts.append(_text(WIDTH - RIGHT + 20, TOP + 12 + 20 * row, name, fill=colour))
    path.parent.mkdir(parents=True, exist_ok=True)
    space = "http://www.w3.org/2000/svg"
    drawn = element("svg", "".join(parts), xmlns=space, width=WIDTH, height=HEIGHT)
    path.write_text(drawn, encoding="utf-8")
    print(f"plot: {path.parent.name}/{path.name}")


def _decades(values: list[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _text(
    x: float, y: float, words: str, *, size: float = 12, anchor: str = "start", fill: str = "#333"
) -> str:
    return element(
        "text",
        escaped(words),
        x=x,
        y=y,
        font_family="sans-serif",
        font_size=size,
        text_anchor=anchor,
        fill=fill,
    )
