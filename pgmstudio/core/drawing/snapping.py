"""Snapping a dragged box to its neighbours or to the grid, and lining up selected boxes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pgmstudio.core.drawing.diagram import Point, Size

SIDES = {"left": "Align left", "right": "Align right", "top": "Align top", "bottom": "Align bottom"}

GRID = 20.0
_PLACES_TRIED = 40  # in each direction


@dataclass(frozen=True, slots=True)
class Box:
    """A box by its middle."""

    x: float
    y: float
    width: float
    height: float

    def across(self) -> tuple[float, float, float]:
        return self.x, self.x - self.width / 2, self.x + self.width / 2

    def down(self) -> tuple[float, float, float]:
        return self.y, self.y - self.height / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Guide:
    """A line that shows what a box has snapped to."""

    start: Point
    end: Point


def snapped_to_grid(point: Point) -> Point:
    return round(point[0] / GRID) * GRID, round(point[1] / GRID) * GRID


def snap(box: Box, others: Iterable[Box], reach: float) -> tuple[Point, tuple[Guide, ...]]:
    """The shift that lines `box` up with the nearest middle or side of another, and the lines."""
    best_x: tuple[float, float, Box] | None = None
    best_y: tuple[float, float, Box] | None = None
    for other in others:
        for mine, its in zip(box.across(), other.across(), strict=True):
            if abs(its - mine) <= reach and (best_x is None or abs(its - mine) < abs(best_x[0])):
                best_x = (its - mine, its, other)
        for mine, its in zip(box.down(), other.down(), strict=True):
            if abs(its - mine) <= reach and (best_y is None or abs(its - mine) < abs(best_y[0])):
                best_y = (its - mine, its, other)
    dx, dy = (best_x[0] if best_x else 0.0), (best_y[0] if best_y else 0.0)
    guides = []
    if best_x is not None:
        _, at, other = best_x
        ends = sorted((box.y + dy, other.y))
        guides.append(Guide((at, ends[0]), (at, ends[1])))
    if best_y is not None:
        _, at, other = best_y
        ends = sorted((box.x + dx, other.x))
        guides.append(Guide((ends[0], at), (ends[1], at)))
    return (dx, dy), tuple(guides)


def lined_up(boxes: Mapping[str, Box], side: str) -> dict[str, Point]:
    """Middles after lining up at the outermost left, right, top or bottom of all.

    A box that would then lie on another moves on along the line, so that none is hidden.
    """
    if side in ("left", "right"):
        along = _parted({i: (b.y, b.height) for i, b in boxes.items()})
        if side == "left":
            edge = min(b.x - b.width / 2 for b in boxes.values())
            return {i: (edge + b.width / 2, along[i]) for i, b in boxes.items()}
        edge = max(b.x + b.width / 2 for b in boxes.values())
        return {i: (edge - b.width / 2, along[i]) for i, b in boxes.items()}
    along = _parted({i: (b.x, b.width) for i, b in boxes.items()})
    if side == "top":
        edge = min(b.y - b.height / 2 for b in boxes.values())
        return {i: (along[i], edge + b.height / 2) for i, b in boxes.items()}
    edge = max(b.y + b.height / 2 for b in boxes.values())
    return {i: (along[i], edge - b.height / 2) for i, b in boxes.items()}


def _parted(stretches: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Middles of stretches (middle, length) on a line, in their order, none over another."""
    placed: dict[str, float] = {}
    end = -math.inf
    for identity, (middle, length) in sorted(stretches.items(), key=lambda entry: entry[1][0]):
        if middle - length / 2 < end:
            middle = end + GRID + length / 2
        placed[identity] = middle
        end = middle + length / 2
    return placed


def distributed(boxes: Mapping[str, Box], *, across: bool) -> dict[str, Point]:
    """Middles with equal gaps between neighbours; the outermost two stay."""
    order = sorted(boxes, key=lambda i: boxes[i].x if across else boxes[i].y)
    lengths = [boxes[i].width if across else boxes[i].height for i in order]
    middles = [boxes[i].x if across else boxes[i].y for i in order]
    begin = middles[0] - lengths[0] / 2
    end = middles[-1] + lengths[-1] / 2
    gap = (end - begin - sum(lengths)) / max(1, len(order) - 1)
    placed: dict[str, Point] = {}
    at = begin
    for identity, length in zip(order, lengths, strict=True):
        middle = at + length / 2
        box = boxes[identity]
        placed[identity] = (middle, box.y) if across else (box.x, middle)
        at += length + gap
    return placed


def spread(
    positions: Mapping[str, Point], sizes: Mapping[str, Size], gap: float
) -> dict[str, Point]:
    """The same arrangement, stretched in x and y just enough that no boxes are closer than `gap`.

    Pairs that overlap in both directions are parted along the one that needs less stretching.
    """
    ids: Sequence[str] = list(positions)
    stretch_x = stretch_y = 1.0
    for number, one in enumerate(ids):
        (x0, y0), (w0, h0) = positions[one], sizes[one]
        for other in ids[number + 1 :]:
            (x1, y1), (w1, h1) = positions[other], sizes[other]
            dx, dy = abs(x1 - x0), abs(y1 - y0)
            need_x, need_y = (w0 + w1) / 2 + gap, (h0 + h1) / 2 + gap
            if dx * stretch_x >= need_x or dy * stretch_y >= need_y:
                continue
            by_x = need_x / dx if dx > 1 else float("inf")
            by_y = need_y / dy if dy > 1 else float("inf")
            if by_x / stretch_x <= by_y / stretch_y and by_x != float("inf"):
                stretch_x = by_x
            elif by_y != float("inf"):
                stretch_y = by_y
    if stretch_x == 1.0 and stretch_y == 1.0:
        return dict(positions)
    return {i: (round(x * stretch_x), round(y * stretch_y)) for i, (x, y) in positions.items()}


def free_place(wanted: Box, others: Sequence[Box], gap: float) -> Point:
    """`wanted`, or the nearest point of a grid around it where it covers no other box."""
    step_x, step_y = wanted.width + 2 * gap, wanted.height + 2 * gap
    reach = 1 + math.isqrt(len(others))
    steps = range(-reach, reach + 1)
    grid = [(wanted.x + i * step_x, wanted.y + j * step_y) for i in steps for j in steps]
    return _nearest_free(wanted, grid, others) or (wanted.x, wanted.y)


def free_place_within(frame: Box, wanted: Box, others: Sequence[Box], gap: float) -> Point | None:
    """The point nearest to `wanted` where it is inside `frame`, `gap` away from its sides and from
    other boxes; None: there is none."""
    reach_x, reach_y = (
        (frame.width - wanted.width) / 2 - gap,
        (frame.height - wanted.height) / 2 - gap,
    )
    if reach_x < 0 or reach_y < 0:
        return None
    xs, ys = _around(wanted.x, frame.x, reach_x), _around(wanted.y, frame.y, reach_y)
    roomy = replace(wanted, width=wanted.width + 2 * gap, height=wanted.height + 2 * gap)
    others = [
        other
        for other in others
        if abs(frame.x - other.x) < (frame.width + other.width) / 2
        and abs(frame.y - other.y) < (frame.height + other.height) / 2
    ]
    return _nearest_free(roomy, [(x, y) for x in xs for y in ys], others)


def _around(wanted: float, middle: float, reach: float) -> list[float]:
    """Places from `middle` − `reach` to `middle` + `reach`, among them that nearest to `wanted`."""
    step = max(GRID, 2 * reach / _PLACES_TRIED)
    nearest = min(max(wanted, middle - reach), middle + reach)
    back = int((nearest - (middle - reach)) / step)
    on = int((middle + reach - nearest) / step)
    return [nearest + number * step for number in range(-back, on + 1)]


def _nearest_free(wanted: Box, places: list[Point], others: Sequence[Box]) -> Point | None:
    """The place nearest to `wanted` where it covers no other box."""
    places.sort(key=lambda place: math.dist(place, (wanted.x, wanted.y)))

    def is_free(place: Point) -> bool:
        return not any(
            abs(place[0] - other.x) < (wanted.width + other.width) / 2
            and abs(place[1] - other.y) < (wanted.height + other.height) / 2
            for other in others
        )

    return next(filter(is_free, places), None)
