"""Curves on two logarithmic axes as an SVG file, for benchmarks that show how a time grows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from pgmstudio.core.drawing.svg.elements import element, escaped, line

Curve = Sequence[tuple[float, float]]
DOCS = Path(__file__).resolve().parents[1] / "docs"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 420, 70, 170, 40, 50
PANEL_WIDTH, PANEL_HEIGHT, PANEL_GAP, PANELS_IN_ROW = 150, 96, 34, 5
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
    _write(path, parts, WIDTH, HEIGHT)


def write_log_panels(path: Path, title: str, across: str, curves: Mapping[str, Curve]) -> None:
    """A small plot for each curve below its name, all with the same axes; grey is the slope 1."""
    low_x, high_x = (
        edge(math.log10(x) for curve in curves.values() for x, _ in curve) for edge in (min, max)
    )
    low_y, high_y = _decades([y for curve in curves.values() for _, y in curve])
    rows = -(-len(curves) // PANELS_IN_ROW)
    width = PANEL_GAP + PANELS_IN_ROW * (PANEL_WIDTH + PANEL_GAP)
    height = TOP + rows * (PANEL_HEIGHT + PANEL_GAP) + BOTTOM
    parts = [
        element("rect", width=width, height=height, fill="#ffffff"),
        _text(PANEL_GAP, 20, title, size=15),
        _text(width / 2, height - 16, across, anchor="middle"),
    ]
    for number, (name, curve) in enumerate(curves.items()):
        row, column = divmod(number, PANELS_IN_ROW)
        left = PANEL_GAP + column * (PANEL_WIDTH + PANEL_GAP)
        top = TOP + row * (PANEL_HEIGHT + PANEL_GAP)

        def place(x: float, y: float, left: float = left, top: float = top) -> tuple[float, float]:
            right = (x - low_x) / (high_x - low_x)
            up = (y - low_y) / (high_y - low_y)
            return left + right * PANEL_WIDTH, top + (1 - up) * PANEL_HEIGHT

        frame = {"fill": "none", "stroke": "#dddddd"}
        parts.append(
            element("rect", x=left, y=top, width=PANEL_WIDTH, height=PANEL_HEIGHT, **frame)
        )
        parts.append(_text(left, top - 5, name, size=9.5))
        if column == 0:
            for power in (low_y, high_y):
                parts.append(
                    _text(
                        left - 4, place(0, power)[1] + 4, f"{10.0**power:g}", size=9, anchor="end"
                    )
                )
        if row == rows - 1:
            for edge, anchor in ((low_x, "start"), (high_x, "end")):
                at = place(edge, low_y)
                parts.append(_text(at[0], at[1] + 12, f"{10.0**edge:.0f}", size=9, anchor=anchor))
        logs = [(math.log10(x), math.log10(y)) for x, y in curve]
        last_x, last_y = logs[-1]
        back = min(last_x - low_x, last_y - low_y)
        if back > 0:
            parts.append(
                line(place(last_x - back, last_y - back), place(last_x, last_y), stroke="#bbbbbb")
            )
        points = [place(x, y) for x, y in logs]
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(
            element("polyline", points=told, fill="none", stroke=COLOURS[0], stroke_width=1.5)
        )
        parts += [element("circle", cx=x, cy=y, r=2, fill=COLOURS[0]) for x, y in points]
    _write(path, parts, width, height)


def _write(path: Path, parts: Sequence[str], width: float, height: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    space = "http://www.w3.org/2000/svg"
    drawn = element("svg", "".join(parts), xmlns=space, width=width, height=height)
    path.write_text(drawn, encoding="utf-8")
    if path.is_relative_to(DOCS):  # the page of benchmarks shows it
        print(f"plot: {path.relative_to(DOCS).as_posix()}")
    else:
        print(f"plotted to {path}")


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
