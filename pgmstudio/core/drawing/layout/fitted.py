"""Layouts that fill a canvas: of several, the one in which names are largest when all is shown.

Layers of Graphviz' dot read best, but its long edges reserve space in every layer they pass, and
nothing bounds a layer. Here its order of the nodes is kept and its space is not: layers are
squeezed into a width, cut into rows where they are wider, or folded into columns where there are
many. Deep and tangled graphs fit better by stress majorization (Gansner, Koren and North 2004) in
which arrows are pulled downward. Graphs of which no layout has names that can be read are seen as
dots: then few crossings count, and springs show their clusters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.diagram import GraphPicture, Point, Size
from pgmstudio.core.drawing.layout.arrangements import force
from pgmstudio.core.drawing.layout.boxes import (
    MIN_GAP,
    corners,
    readable_zoom,
    spread_in_row,
    without_overlaps,
)
from pgmstudio.core.drawing.layout.edge_routing import crossings
from pgmstudio.core.drawing.layout.layered import layered

Sizes = Mapping[str, Size]
Points = dict[str, Point]

CANVAS: Size = (730.0, 620.0)  # the canvas of a window of 1280 × 800
ENOUGH = 0.77  # from nine tenths of it on all in a node can be read: more is no gain
_ABOUT_AS_LARGE = 0.9  # zooms within this factor of the largest count as equal
_MAX_ASPECT = 3  # a drawing that is longer is taken only where there is no other
_AGAINST = 2  # an arrow against the reading direction is as bad as so many crossings
_STRESS_UP_TO = 150  # nodes; beyond, stress takes seconds and is a tangle
_MANY = 400  # nodes or edges; beyond, few layouts are tried, which take seconds by themselves
_SPRINGS_UP_TO = 1500  # nodes; all pairs repel each other
_MAX_COMPARED = 12  # layouts of many edges whose crossings are counted
_NARROWER = tuple(np.geomspace(1.0, 0.25, 12).tolist())  # widths tried, of that of dot
_ROW_SHAPES = (0.7, 0.85, 1.0, 1.2, 1.5, 2.0)  # widths tried, of that of boxes without waste


@dataclass(frozen=True, slots=True)
class Gaps:
    """Space between neighbours of a row and between rows."""

    across: float
    down: float

    @staticmethod
    def between(sizes: Sizes, roomy: bool) -> Gaps:
        """Low boxes stand closer; labels on edges need room."""
        if roomy:
            return Gaps(32.0, 64.0)
        heights = sorted(height for _, height in sizes.values())
        return Gaps(16.0, min(44.0, max(28.0, 0.8 * heights[len(heights) // 2])))


def zoom_at_fit(points: Mapping[str, Point], sizes: Sizes, canvas: Size = CANVAS) -> float:
    """The largest zoom at which the canvas shows all boxes."""
    left, top, right, bottom = corners(points, sizes)
    return min(canvas[0] / max(right - left, 1.0), canvas[1] / max(bottom - top, 1.0))


def fitted(
    picture: GraphPicture, sizes: Sizes, canvas: Size = CANVAS, roomy: bool = False
) -> Points:
    """The layout of a connected picture in which names are largest at fit; of those about as
    large the one with fewest crossings, then with the shortest edges. Where no names could be read,
    the one with fewest crossings. `roomy` leaves space for labels."""
    gaps = Gaps.between(sizes, roomy)
    candidates = list(_candidates(picture, sizes, canvas, gaps))
    zooms = [min(ENOUGH, zoom_at_fit(points, sizes, canvas)) for points in candidates]
    least = _ABOUT_AS_LARGE * max(zooms)
    order = sorted(range(len(zooms)), key=lambda at: -zooms[at])
    compared = order[:_MAX_COMPARED] if len(picture.edges) > _MANY else order
    largest = [candidates[at] for at in compared if zooms[at] >= least]
    if max(zooms) < readable_zoom(sizes.values()) and len(picture.nodes) <= _SPRINGS_UP_TO:
        springs = force(picture, sizes, canvas[0] / canvas[1])
        return min([*largest, springs], key=lambda points: crossings(picture, points))
    largest = [points for points in largest if not _is_strip(points, sizes)] or largest
    if len(largest) == 1:
        return largest[0]
    return min(largest, key=lambda points: _disorder(picture, points))


def _is_strip(points: Points, sizes: Sizes) -> bool:
    left, top, right, bottom = corners(points, sizes)
    width, height = right - left, bottom - top
    return max(width, height) > _MAX_ASPECT * min(width, height)


def _disorder(picture: GraphPicture, points: Points) -> tuple[int, float]:
    """Crossings with arrows against the reading direction, then the length of all edges."""
    arrows = [edge for edge in picture.edges if edge.style.has_arrow]
    against = min(
        sum(points[e.source][axis] >= points[e.target][axis] for e in arrows) for axis in (0, 1)
    )
    length = sum(math.dist(points[e.source], points[e.target]) for e in picture.edges)
    return crossings(picture, points) + _AGAINST * against, length


def _candidates(picture: GraphPicture, sizes: Sizes, canvas: Size, gaps: Gaps) -> Iterator[Points]:
    plain = layered(picture, sizes)
    yield plain
    if zoom_at_fit(plain, sizes, canvas) >= ENOUGH and not crossings(picture, plain):
        return
    shape = canvas[0] / canvas[1]
    rows = Rows.of(plain, sizes, gaps)
    yield from rows.squeezed(picture, shape)
    yield from rows.folded(picture, shape)
    if len(picture.nodes) > _MANY:
        return
    turned = _turned(sizes)
    columns = Rows.of(layered(picture, turned), turned, gaps)
    yield from map(_turned, columns.squeezed(picture, 1 / shape))
    yield force(picture, sizes, shape)
    if 2 < len(picture.nodes) <= _STRESS_UP_TO:
        for downward in (True, False):
            yield by_stress(picture, sizes, canvas, gaps, downward)


def _turned(points: Mapping[str, Point]) -> Points:
    """Mirrored at the diagonal, so that rows become columns."""
    return {i: (y, x) for i, (x, y) in points.items()}


@dataclass(frozen=True, slots=True)
class Rows:
    """Nodes in rows from top to bottom, each from left to right, with the x they would like."""

    rows: Sequence[Sequence[str]]
    desired: Mapping[str, float]
    sizes: Sizes
    gaps: Gaps

    @staticmethod
    def of(points: Mapping[str, Point], sizes: Sizes, gaps: Gaps) -> Rows:
        """The rows of a layered layout; those on one height are one row."""
        rows: list[list[str]] = []
        for node in sorted(points, key=lambda i: (points[i][1], points[i][0])):
            if rows and abs(points[rows[-1][0]][1] - points[node][1]) < 1:
                rows[-1].append(node)
            else:
                rows.append([node])
        left = min(x for x, _ in points.values())
        return Rows(rows, {i: x - left for i, (x, _) in points.items()}, sizes, gaps)

    @property
    def widest(self) -> float:
        return max(self.sizes[i][0] for row in self.rows for i in row)

    def height(self, row: Sequence[str]) -> float:
        return max(self.sizes[i][1] for i in row)

    def squeezed(self, picture: GraphPicture, shape: float) -> Iterator[Points]:
        """In several widths, rows that are wider cut into rows of their own."""
        area = sum(
            (self.sizes[i][0] + self.gaps.across) * (self.sizes[i][1] + self.gaps.down)
            for row in self.rows
            for i in row
        )
        full = max(self.desired.values()) + self.widest
        widths = {full * part for part in _NARROWER}
        widths |= {math.sqrt(area * shape) * part for part in _ROW_SHAPES}
        sources = {edge.source for edge in picture.edges}
        for width in sorted({max(self.widest, min(full, width)) for width in widths}):
            yield self._in_width(width, sources=None)
            if any(self._needed(row) > width for row in self.rows):
                yield self._in_width(width, sources)

    def _needed(self, row: Sequence[str]) -> float:
        return sum(self.sizes[i][0] + self.gaps.across for i in row) - self.gaps.across

    def _in_width(self, width: float, sources: set[str] | None) -> Points:
        widest = self.widest
        scale = min(1.0, (width - widest) / max(max(self.desired.values()), 1e-9))
        placed: Points = {}
        y = 0.0
        for row in self.rows:
            parts = self._cut(row, math.ceil(self._needed(row) / width - 1e-9), sources)
            for number, part in enumerate(parts):
                desired = [self.desired[i] * scale + widest / 2 for i in part]
                height = self.height(part)
                for node, x in zip(part, self._in_row(part, desired, width), strict=True):
                    placed[node] = (x, y + height / 2)
                # Rows of one layer have no edges between them, so they stand closer.
                y += height + self.gaps.down * (1.0 if number == len(parts) - 1 else 0.5)
        return placed

    def _cut(self, row: Sequence[str], count: int, sources: set[str] | None) -> list[list[str]]:
        """Every so manieth node in a row, or those without children first, so that edges leave from
        the lowest row."""
        count = min(count, len(row))
        if count <= 1:
            return [list(row)]
        if sources is None:
            return [list(row[start::count]) for start in range(count)]
        ordered = sorted(row, key=lambda i: i in sources)  # stable: else from left to right
        size = math.ceil(len(row) / count)
        parts = [ordered[at : at + size] for at in range(0, len(row), size)]
        return [sorted(part, key=self.desired.__getitem__) for part in parts]

    def _in_row(self, row: Sequence[str], desired: Sequence[float], width: float) -> list[float]:
        """As near to the desired x as boxes allow, between 0 and the width where they fit."""
        widths = [self.sizes[i][0] for i in row]
        spread = spread_in_row(desired, widths, self.gaps.across)
        right = width
        for at in reversed(range(len(row))):
            spread[at] = min(spread[at], right - widths[at] / 2)
            right = spread[at] - widths[at] / 2 - self.gaps.across
        left = 0.0
        for at, wide in enumerate(widths):
            spread[at] = max(spread[at], left + wide / 2)
            left = spread[at] + wide / 2 + self.gaps.across
        return spread

    def folded(self, picture: GraphPicture, shape: float) -> Iterator[Points]:
        """Many narrow rows as columns of text: on from the foot of one to the head of the next."""
        heights = [self.height(row) + self.gaps.down for row in self.rows]
        wide = max(self.desired.values()) + self.widest + self.gaps.down
        even = math.sqrt(shape * sum(heights) / wide)
        for count in {math.floor(even), math.ceil(even)}:
            if 2 <= count <= len(self.rows) // 2:
                yield self._in_columns(count, heights, picture)

    def _in_columns(self, count: int, heights: Sequence[float], picture: GraphPicture) -> Points:
        row_of = {node: number for number, row in enumerate(self.rows) for node in row}
        cut_edges = np.zeros(len(self.rows) + 1)  # edges that lead past the upper end of each row
        for edge in picture.edges:
            first, last = sorted((row_of[edge.source], row_of[edge.target]))
            cut_edges[first + 1 : last + 1] += 1
        ends = np.concatenate([[0.0], np.cumsum(heights)])
        column_height = ends[-1] / count
        cuts = [0]
        for number in range(1, count):
            near = [
                at
                for at in range(cuts[-1] + 1, len(self.rows))
                if abs(ends[at] - number * column_height) <= column_height / 6
            ] or [max(cuts[-1] + 1, int(np.argmin(np.abs(ends - number * column_height))))]
            cuts.append(
                min(near, key=lambda at: (cut_edges[at], abs(ends[at] - number * column_height)))
            )
        placed: Points = {}
        left = 0.0
        for first, last in zip(cuts, [*cuts[1:], len(self.rows)], strict=True):
            nodes = [node for row in self.rows[first:last] for node in row]
            if not nodes:
                continue
            start = min(self.desired[i] - self.sizes[i][0] / 2 for i in nodes)
            for number in range(first, last):
                y = ends[number] - ends[first] + (heights[number] - self.gaps.down) / 2
                for node in self.rows[number]:
                    placed[node] = (left + self.desired[node] - start, float(y))
            left = self.gaps.down + max(placed[i][0] + self.sizes[i][0] / 2 for i in nodes)
        return placed


def by_stress(
    picture: GraphPicture, sizes: Sizes, canvas: Size, gaps: Gaps, downward: bool
) -> Points:
    """Distances as in the graph, the whole in the shape of the canvas; arrows are pulled
    downward on request. Boxes are pushed apart at the end."""
    number = {node: at for at, node in enumerate(picture.ids)}
    ends = np.array(
        [(number[e.source], number[e.target]) for e in picture.edges if e.source != e.target],
        dtype=np.intp,
    ).reshape(-1, 2)
    boxes = np.array([sizes[node] for node in picture.ids], dtype=np.float64)
    cell = boxes.mean(axis=0) + np.array([1.5 * gaps.across, gaps.down])
    points = _majorized(_distances(len(number), ends), ends, downward)
    extent = np.ptp(points, axis=0) + 1.0
    shape = canvas[0] / cell[0] / (canvas[1] / cell[1])
    stretch = min(2.5, max(0.4, math.sqrt(extent[0] / extent[1] / shape)))
    points *= cell * (1 / stretch, stretch)
    area = float(np.prod(np.ptp(points, axis=0) + boxes.max(axis=0)))
    needed = float(np.prod(boxes + MIN_GAP, axis=1).sum())
    points *= math.sqrt(needed / (_STRESS_COVER * area))
    points = without_overlaps(points, boxes, max_cover=1.0)
    return {node: (float(x), float(y)) for node, (x, y) in zip(picture.ids, points, strict=True)}


_STRESS_COVER = 0.5  # the fraction of the drawing that boxes cover
_SWEEPS = 150


def _distances(count: int, ends: NDArray[np.intp]) -> Floats:
    import networkx as nx  # not before the first picture of the window

    graph = nx.empty_graph(count)
    graph.add_edges_from(ends.tolist())
    result = np.full((count, count), float(count))
    for source, lengths in nx.all_pairs_shortest_path_length(graph):
        result[source, list(lengths)] = list(lengths.values())
    np.fill_diagonal(result, 1.0)
    return result


def _majorized(
    distances: Floats,
    ends: NDArray[np.intp],
    downward: bool,
) -> Floats:
    """Positions whose distances are near the given ones, near ones counting most; one unit an
    edge."""
    weights = distances**-2.0
    np.fill_diagonal(weights, 0.0)
    points = _scaled_to_distances(distances)
    if downward and len(ends):
        along = (points[ends[:, 1]] - points[ends[:, 0]]).mean(axis=0)
        turn = math.pi / 2 - math.atan2(along[1], along[0])
        cos, sin = math.cos(turn), math.sin(turn)
        points = points @ np.array([[cos, sin], [-sin, cos]])
    total = weights.sum(axis=1)[:, None]
    for sweep in range(_SWEEPS):
        away = points[:, None] - points[None]
        length = np.hypot(away[..., 0], away[..., 1])
        pull = weights * distances / np.maximum(length, 1e-9)
        np.fill_diagonal(pull, 0.0)
        points = (weights @ points + pull.sum(axis=1)[:, None] * points - pull @ points) / total
        if downward:
            drop = points[ends[:, 1], 1] - points[ends[:, 0], 1]
            lacking = np.maximum(0.0, _DROP - drop) * min(1.0, sweep / 60) / 4
            np.add.at(points[:, 1], ends[:, 1], lacking)
            np.add.at(points[:, 1], ends[:, 0], -lacking)
    centred: Floats = points - points.mean(axis=0)
    return centred


_DROP = 0.6  # how far arrows should lead down, in units


def _scaled_to_distances(distances: Floats) -> Floats:
    """Classical scaling, the beginning; signs are fixed, so that it is the same everywhere."""
    count = len(distances)
    squared = distances**2 - np.eye(count)
    centring = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centring @ squared @ centring)
    axes = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 1e-9))
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    # Nodes on one spot (leaves of a star) need a direction to part in.
    turns = np.arange(count) * 2.399963
    scattered: Floats = axes + 0.02 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return scattered
