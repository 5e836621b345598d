"""Routes of edges between boxes, straight or with one bend around a box, and positions of their
tags."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, Point, Size
from pgmstudio.core.drawing.layout.boxes import text_width

# Air between a line and a box it passes.
_CLEARANCE = 6.0
# With more boxes than this in the way, no single bend will do.
_MAX_IN_THE_WAY = 6
# Bends tried, the gentle ones first: how far along the line, and how far to either side of it.
_ALONG = (0.5, 0.35, 0.65, 0.2, 0.8, 0.05, 0.95)
_ASIDES = ((20.0, 40.0, 60.0), (85.0, 110.0, 140.0), (180.0, 230.0, 300.0, 400.0))
_BENDS = [
    tuple(
        np.array(
            [(along, offset * turn) for offset in some for along in _ALONG for turn in (1, -1)]
        ).T[:, :, None]
    )
    for some in _ASIDES
]
# A quadratic curve at 13 points: the weights of its start, control point and end.
_SHARES = np.linspace(0.0, 1.0, 13)[:, None]
_AT_START, _AT_BEND, _AT_END = (1 - _SHARES) ** 2, 2 * _SHARES * (1 - _SHARES), _SHARES**2


@dataclass(frozen=True, slots=True)
class EdgeRoute:
    """From `start` to `end`, both on the outlines of their boxes; `bend` is the control point of a
    quadratic curve, None for a straight line."""

    start: Point
    end: Point
    bend: Point | None = None

    def at(self, fraction: float) -> Point:
        """The point at this fraction of the route, 0 at the start and 1 at the end."""
        (x0, y0), (x2, y2) = self.start, self.end
        if self.bend is None:
            return x0 + (x2 - x0) * fraction, y0 + (y2 - y0) * fraction
        x1, y1 = self.bend
        a, b, c = (1 - fraction) ** 2, 2 * fraction * (1 - fraction), fraction**2
        return a * x0 + b * x1 + c * x2, a * y0 + b * y1 + c * y2

    @property
    def arrival(self) -> float:
        """The angle in which the edge comes in at its end, in radians; y points down."""
        x, y = self.start if self.bend is None else self.bend
        return math.atan2(self.end[1] - y, self.end[0] - x)

    def shortened(self, gap: float) -> EdgeRoute:
        """The same way, ending so far before its end; at most half of it is left out."""
        (x, y), (x0, y0), angle = self.end, self.start, self.arrival
        gap = min(gap, math.hypot(x - x0, y - y0) / 2)
        return EdgeRoute(
            self.start, (x - gap * math.cos(angle), y - gap * math.sin(angle)), self.bend
        )

    def shifted(self, distance: float) -> EdgeRoute:
        """The same way, moved so far to its right hand; y points down."""
        (x0, y0), (x2, y2) = self.start, self.end
        length = math.hypot(x2 - x0, y2 - y0) or 1.0
        dx, dy = -(y2 - y0) / length * distance, (x2 - x0) / length * distance
        bend = None if self.bend is None else (self.bend[0] + dx, self.bend[1] + dy)
        return EdgeRoute((x0 + dx, y0 + dy), (x2 + dx, y2 + dy), bend)


def edge_route(
    picture: GraphPicture,
    positions: Mapping[str, Point],
    sizes: Mapping[str, Size],
    edges: Sequence[PictureEdge] | None = None,
) -> tuple[EdgeRoute, ...]:
    """A route for every edge of the picture, or for the given ones (those of a dragged node)."""
    ids = picture.ids
    number = {identity: i for i, identity in enumerate(ids)}
    centres = np.array([positions[i] for i in ids], dtype=np.float64).reshape(-1, 2)
    halves = np.array([sizes[i] for i in ids], dtype=np.float64).reshape(-1, 2) / 2
    router = _Router(centres, halves)
    chosen = picture.edges if edges is None else edges
    return tuple(router.route(number[edge.source], number[edge.target]) for edge in chosen)


class _Router:
    """Boxes as arrays, asked for one edge at a time."""

    def __init__(self, centres: Floats, halves: Floats) -> None:
        self._centres = centres
        self._halves = halves
        # Column by column in memory: sides are compared one at a time.
        self._low = np.asfortranarray(centres - halves - _CLEARANCE)
        self._high = np.asfortranarray(centres + halves + _CLEARANCE)

    def route(self, source: int, target: int) -> EdgeRoute:
        """Straight where nothing is in the way, else the gentlest bend that meets fewest boxes."""
        begin, end = self._centres[source], self._centres[target]
        ends = np.stack([self._on_outline(source, end), self._on_outline(target, begin)])
        straight = EdgeRoute(_point(ends[0]), _point(ends[1]))
        hit = self._boxes_hit(ends[None], source, target)[0]
        line = end - begin
        length = math.hypot(*line)
        if length == 0 or not 0 < hit <= _MAX_IN_THE_WAY:
            return straight
        side = np.array([-line[1], line[0]]) / length
        best = straight
        for along, offset in _BENDS:
            bends = begin + along * line + offset * side
            starts, ends = self._on_outline(source, bends), self._on_outline(target, bends)
            curves = _AT_START * starts[:, None] + _AT_BEND * bends[:, None]
            curves += _AT_END * ends[:, None]
            hits = self._boxes_hit(curves, source, target)
            fewest = int(np.argmin(hits))
            if hits[fewest] < hit:
                hit = hits[fewest]
                best = EdgeRoute(*(_point(array[fewest]) for array in (starts, ends, bends)))
            if hit == 0:
                break
        return best

    def _on_outline(self, node: int, toward: Floats) -> Floats:
        """Where lines from the box's centre leave it; `toward` itself when that is inside."""
        away = toward - self._centres[node]
        reach = np.abs(away) / self._halves[node]
        left: Floats = self._centres[node] + away / np.maximum(
            reach.max(axis=-1, keepdims=True), 1.0
        )
        return left

    def _boxes_hit(self, lines: Floats, source: int, target: int) -> NDArray[np.intp]:
        """How many boxes each line (lines × points × 2) meets, besides the two it joins."""
        (left, top), (right, bottom) = lines.min(axis=(0, 1)), lines.max(axis=(0, 1))
        (west, north), (east, south) = self._low.T, self._high.T
        reached = (east >= left) & (west <= right) & (south >= top) & (north <= bottom)
        reached[source] = reached[target] = False
        if not reached.any():
            return np.zeros(len(lines), dtype=np.intp)
        low, high = self._low[reached][:, None, None], self._high[reached][:, None, None]
        begin, step = lines[None, :, :-1], np.diff(lines, axis=1)[None]
        # Slabs: the stretch of each segment that lies between the box's sides, in x and in y.
        # A segment along one axis is given the slightest slant, so that it can be divided by.
        step = np.where(np.abs(step) < 1e-9, 1e-9, step)
        one, two = (low - begin) / step, (high - begin) / step
        first = np.maximum(np.minimum(one, two).max(axis=3), 0.0)
        last = np.minimum(np.maximum(one, two).min(axis=3), 1.0)
        met: NDArray[np.bool_] = (first <= last).any(axis=2)
        counts: NDArray[np.intp] = met.sum(axis=0)
        return counts


def _point(pair: Floats) -> Point:
    return float(pair[0]), float(pair[1])


def crossings(picture: GraphPicture, positions: Mapping[str, Point]) -> int:
    """How many pairs of edges cross or lie upon each other, drawn as straight lines between
    centres."""
    if not picture.edges:
        return 0
    a = np.array([positions[edge.source] for edge in picture.edges], dtype=np.float64)
    b = np.array([positions[edge.target] for edge in picture.edges], dtype=np.float64)

    def turn(p: Floats, q: Floats, r: Floats) -> Floats:
        one = (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1])
        two = (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
        return np.sign(one - two)

    first, second, third, fourth = a[:, None], b[:, None], a[None], b[None]
    to_third, to_fourth = turn(first, second, third), turn(first, second, fourth)
    parted = to_third * to_fourth < 0
    parted &= turn(third, fourth, first) * turn(third, fourth, second) < 0
    on_one_line = (to_third == 0) & (to_fourth == 0)
    if np.triu(on_one_line, 1).any():
        low, high = np.minimum(a, b), np.maximum(a, b)
        shared = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
        parted |= on_one_line & (shared >= 0).all(axis=2) & (shared > 0).any(axis=2)
    return int(np.triu(parted, 1).sum())


TAG_HEIGHT = 20.0
TAG_GAP = 3.0  # of ground around a tag, so that the line has a gap
_PADDING = 20.0  # both ends together
# Fractions of the route at which a tag may stand, the best first.
_TAGS_SHARES = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.2, 0.8)
# Parts of its width by which a tag may be shifted to either side and still stand on its line.
_TAG_SHIFTS = (0.0, -0.22, 0.22, -0.4, 0.4)
_TAGS_ALONG = tuple(step / 24 for step in range(25))  # sampled points of a route

Box = tuple[float, float, float, float]  # left, top, right, bottom


def tag_size(label: str) -> Size:
    """Estimated size of a tag with this text."""
    return text_width(label, 11) + _PADDING, TAG_HEIGHT


@dataclass(frozen=True, slots=True)
class TagPlace:
    """Where a tag stands: so far along the route, and so many px to the right of it."""

    fraction: float = 0.5
    shift: float = 0.0

    def on(self, route: EdgeRoute) -> Point:
        """The centre of the tag."""
        x, y = route.at(self.fraction)
        return x + self.shift, y


def tag_places(
    routes: Sequence[EdgeRoute],
    sizes: Sequence[Size],
    boxes: Iterable[Box],
    lines: Sequence[EdgeRoute] = (),
) -> list[TagPlace]:
    """Where each tag covers least of boxes and of other tags, then of the ways of other edges,
    those of `lines` and of other tags; in the middle of its line where it can."""
    taken, result = list(boxes), []
    points = np.array([way.at(fraction) for way in (*routes, *lines) for fraction in _TAGS_ALONG])
    for number, (route, size) in enumerate(zip(routes, sizes, strict=True)):
        own = slice(number * len(_TAGS_ALONG), (number + 1) * len(_TAGS_ALONG))
        others = np.delete(points, own, axis=0)

        def covered(choice: tuple[TagPlace, Box], others: Floats = others) -> tuple[float, int]:
            chosen, position = choice
            left, top, right, bottom = position
            inside = (others > (left, top)) & (others < (right, bottom))
            # A shift that uncovers a sliver is not worth it.
            area = abs(chosen.shift) + sum(_shared(position, box) for box in taken)
            return area, int(inside.all(axis=1).sum())

        places = [
            TagPlace(fraction, part * size[0]) for part in _TAG_SHIFTS for fraction in _TAGS_SHARES
        ]
        place, position = min(((p, _box_at(p.on(route), size)) for p in places), key=covered)
        taken.append(position)
        result.append(place)
    return result


_BESIDE = 3.0  # between a line and the label beside it


def points_beside(
    routes: Sequence[EdgeRoute],
    widths: Sequence[float],
    sizes: Sequence[Size],
    boxes: Iterable[Box],
    lines: Sequence[EdgeRoute] = (),
) -> list[Point | None]:
    """Centres of labels beside lines of these widths, where they cover no box and no other label
    and hardly a line; None for a label that has no such place."""
    taken = np.array(list(boxes), dtype=np.float64).reshape(-1, 4)
    points = np.array([way.at(fraction) for way in (*routes, *lines) for fraction in _TAGS_ALONG])
    result: list[Point | None] = []
    for route, width, (wide, high) in zip(routes, widths, sizes, strict=True):
        centres = []
        for fraction in _TAGS_SHARES:
            (x, y), (ahead_x, ahead_y) = route.at(fraction), route.at(fraction + 0.02)
            length = math.hypot(ahead_x - x, ahead_y - y) or 1.0
            across, down = (y - ahead_y) / length, (ahead_x - x) / length  # the normal
            away = (wide * abs(across) + high * abs(down) + width) / 2 + _BESIDE
            centres += [(x + side * away * across, y + side * away * down) for side in (1, -1)]
        middle, half = np.array(centres), np.array([wide, high]) / 2
        low, upper = middle - half, middle + half
        covers = (
            (low[:, None, 0] < taken[:, 2])
            & (upper[:, None, 0] > taken[:, 0])
            & (low[:, None, 1] < taken[:, 3])
            & (upper[:, None, 1] > taken[:, 1])
        ).any(axis=1)
        inside = (points > low[:, None]) & (points < upper[:, None])
        crossed = inside.all(axis=2).sum(axis=1)
        covers |= crossed > 1
        best = int(np.argmin(np.where(covers, len(points) + 1, crossed)))
        if covers[best]:
            result.append(None)
            continue
        result.append(centres[best])
        taken = np.concatenate([taken, [[*low[best], *upper[best]]]])
    return result


def _box_at(centre: Point, size: Size) -> Box:
    (x, y), (width, height) = centre, size
    half, high = width / 2 + TAG_GAP, height / 2 + TAG_GAP
    return x - half, y - high, x + half, y + high


def _shared(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, wide) * max(0.0, high)
