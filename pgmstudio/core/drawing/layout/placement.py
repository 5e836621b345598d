"""Node positions of a diagram: centres of boxes in px at 100 %; deterministic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.diagram import GraphPicture, Point, Size
from pgmstudio.core.drawing.layout.arrangements import (
    blocks_around,
    circle,
    force,
    lanes,
    panels,
    star,
    tidy_tree,
)
from pgmstudio.core.drawing.layout.boxes import (
    LAYER_GAP,
    MIN_GAP,
    NODE_GAP,
    box_sizes,
    corners,
    packed,
)
from pgmstudio.core.drawing.layout.fitted import CANVAS, fitted, zoom_at_fit
from pgmstudio.core.drawing.layout.layered import layered
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.execution.events import CancelToken

_TAG_ROOM = (40.0, 0.0)
_LABELS_FROM = 0.7  # the zoom at fit from which there is space for plain labels

Sizes = Mapping[str, Size]
Tiers = Sequence[Sequence[str]]

Blocks = list[dict[str, Point]]  # drawings that are packed next to each other


@dataclass(frozen=True, slots=True)
class Frame:
    """What a layout has to respect besides the boxes: lanes, and the canvas it is seen on."""

    tiers: Tiers = ()
    canvas: Size = CANVAS


def _in_parts(
    layout: Callable[[GraphPicture, Sizes], dict[str, Point]],
) -> Callable[[GraphPicture, Sizes, Frame], Blocks]:
    """Every connected part by itself."""

    def blocks(picture: GraphPicture, sizes: Sizes, frame: Frame) -> Blocks:
        return [layout(part, sizes) for part in picture.components()]

    return blocks


def _whole(
    layout: Callable[[GraphPicture, Sizes], dict[str, Point]],
) -> Callable[[GraphPicture, Sizes, Frame], Blocks]:
    """All parts in one drawing."""

    def blocks(picture: GraphPicture, sizes: Sizes, frame: Frame) -> Blocks:
        return [layout(picture, sizes)]

    return blocks


def _fitted(picture: GraphPicture, sizes: Sizes, frame: Frame) -> Blocks:
    roomy = any(edge.label and not edge.style.is_difference for edge in picture.edges)
    is_tagged = any(edge.style.has_tag for edge in picture.edges)
    blocks = []
    for part in picture.components():
        block = fitted(part, sizes, frame.canvas, roomy)
        # Names come first: percentages that find no place are left out, tags are not.
        if roomy and not is_tagged and zoom_at_fit(block, sizes, frame.canvas) < _LABELS_FROM:
            block = fitted(part, sizes, frame.canvas)
        blocks.append(block)
    return blocks


def _by_springs(picture: GraphPicture, sizes: Sizes, frame: Frame) -> Blocks:
    shape = frame.canvas[0] / frame.canvas[1]
    return [force(part, sizes, shape, stretches=True) for part in picture.components()]


_STAR_SHAPES = 1.0, 2.6  # the narrowest and the widest


def _around_one(picture: GraphPicture, sizes: Sizes, frame: Frame) -> Blocks:
    narrowest, widest = _STAR_SHAPES
    return [star(picture, sizes, min(max(frame.canvas[0] / frame.canvas[1], narrowest), widest))]


def _in_lanes(picture: GraphPicture, sizes: Sizes, frame: Frame) -> Blocks:
    groups = [[node.id for node in picture.nodes if node.group == g] for g in picture.groups]
    return [lanes(picture, sizes, frame.tiers or groups)]


METHODS: dict[str, Callable[[GraphPicture, Sizes, Frame], Blocks]] = {
    "fit": _fitted,
    "layered": _in_parts(layered),
    "force": _by_springs,
    "tree": _in_parts(tidy_tree),
    "circle": _whole(circle),
    "star": _around_one,
    "tiers": _in_lanes,
    "panels": _whole(panels),
    "blocks": _whole(blocks_around),
}


def place(
    picture: GraphPicture,
    fixed_points: Mapping[str, Point] | None = None,
    method: str = "fit",
    sizes: Sizes | None = None,
    frame: Frame = Frame(),
) -> dict[str, Point]:
    """The centre of every node, so that no two boxes touch.

    Nodes in `fixed_points` stay exactly where they are, and new ones are put near their neighbours;
    without fixed nodes everything is laid out afresh with its top left corner at (0, 0). `sizes`
    defaults to boxes that hold the labels. "fit" takes the layout that shows most on the canvas of
    the frame; "tiers" draws its tiers, or else the picture's groups, as lanes.
    """
    if method not in METHODS:
        raise UnknownNameError("layout", method, METHODS)
    sizes = box_sizes(picture) if sizes is None else sizes
    fixed = {i: fixed_points[i] for i in picture.ids if i in fixed_points} if fixed_points else {}
    if not fixed:
        if any(edge.style.has_tag for edge in picture.edges):  # tags need space between the boxes
            sizes = {i: (w + _TAG_ROOM[0], h + _TAG_ROOM[1]) for i, (w, h) in sizes.items()}
        return _afresh(picture, method, sizes, frame)
    return _beside(picture, fixed, method, sizes, frame)


@dataclass(frozen=True, slots=True)
class Placement:
    """A layout as a task for a child process; it yields the positions, once."""

    picture: GraphPicture
    fixed_points: Mapping[str, Point] = field(default_factory=dict)
    method: str = "fit"
    sizes: Sizes | None = None
    frame: Frame = Frame()

    def __call__(self, cancel: CancelToken, /) -> Iterator[dict[str, Point]]:
        cancel.raise_if_cancelled()
        yield place(self.picture, self.fixed_points, self.method, self.sizes, self.frame)


def _afresh(picture: GraphPicture, method: str, sizes: Sizes, frame: Frame) -> dict[str, Point]:
    if not picture.nodes:
        return {}
    shape = frame.canvas[0] / frame.canvas[1]
    placed = packed(METHODS[method](picture, sizes, frame), sizes, shape)
    # Whole pixels: boxes keep their gaps, lines stay crisp, files stay short.
    return {i: (float(round(placed[i][0])), float(round(placed[i][1]))) for i in picture.ids}


def _beside(
    picture: GraphPicture, fixed: Mapping[str, Point], method: str, sizes: Sizes, frame: Frame
) -> dict[str, Point]:
    """Fixed nodes stay; nodes connected to them are put near, the rest below as a block."""
    placed = dict(fixed)
    # How many neighbours of each new node have a position.
    waiting = {
        i: sum(other in placed for other in picture.neighbours[i])
        for i in picture.ids
        if i not in placed
    }
    sources: dict[str, set[str]] = {i: set() for i in picture.ids}
    for edge in picture.edges:
        sources[edge.target].add(edge.source)
    while waiting:
        node = max(waiting, key=waiting.__getitem__)  # the first of the best connected
        if waiting[node] == 0:
            break
        del waiting[node]
        near = [o for o in picture.neighbours[node] if o in placed]
        desired = _desired_point(node, near, sources[node], placed, sizes)
        placed[node] = _free_spot(desired, sizes[node], placed, sizes)
        for other in picture.neighbours[node]:
            if other in waiting:
                waiting[other] += 1
    if waiting:
        away = frozenset(waiting)
        rest = GraphPicture(
            tuple(node for node in picture.nodes if node.id in away),
            tuple(edge for edge in picture.edges if edge.source in away),
            picture.groups,
        )
        left, _, _, bottom = corners(placed, sizes)
        for identity, (x, y) in _afresh(rest, method, sizes, frame).items():
            placed[identity] = (left + x, bottom + LAYER_GAP + y)
    return {identity: placed[identity] for identity in picture.ids}


def _desired_point(
    node: str, near: Sequence[str], sources: set[str], placed: Mapping[str, Point], sizes: Sizes
) -> Point:
    """Below its parents, above its children, between them when it has both."""
    x = sum(placed[other][0] for other in near) / len(near)
    half = sizes[node][1] / 2 + LAYER_GAP
    below = [placed[o][1] + sizes[o][1] / 2 + half for o in near if o in sources]
    above = [placed[o][1] - sizes[o][1] / 2 - half for o in near if o not in sources]
    if below and above:
        return x, (max(below) + min(above)) / 2
    return x, max(below) if below else min(above)


@cache
def _steps() -> Floats:
    """Moves away from a desired position, nearest first; sideways counts half, to stay in a
    layer."""
    ticks = np.arange(-60, 61) * 20.0
    dx, dy = np.meshgrid(ticks, ticks)
    moves = np.stack([dx.ravel(), dy.ravel()], axis=1)
    return moves[np.lexsort((moves[:, 0], moves[:, 1], np.hypot(moves[:, 0] / 2, moves[:, 1])))]


def _free_spot(desired: Point, size: Size, placed: Mapping[str, Point], sizes: Sizes) -> Point:
    """The free position nearest to the desired one; right of everything when all around is
    taken."""
    centres = np.array(list(placed.values()), dtype=np.float64)
    clearance = (np.array([sizes[i] for i in placed], dtype=np.float64) + size) / 2 + MIN_GAP
    start = np.round(np.array(desired))
    moves = _steps()
    for begin in range(0, len(moves), 128):
        tried = start + moves[begin : begin + 128]
        close = np.abs(tried[:, None] - centres[None]) < clearance[None]
        touches = np.any(np.all(close, axis=2), axis=1)
        if not touches.all():
            x, y = tried[np.argmin(touches)]
            return float(x), float(y)
    _, _, right, _ = corners(placed, sizes)
    return float(round(right + NODE_GAP + size[0] / 2)), float(start[1])
