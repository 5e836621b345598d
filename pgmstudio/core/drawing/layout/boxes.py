"""Boxes of nodes: their sizes in px at 100 %, overlaps, and packing.

Text widths are estimated without a font, on the safe side: a box that is a little too wide looks
better than a title that runs over its edge.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.diagram import GraphPicture, PictureNode, Point, Size

NARROWEST, WIDEST = 136.0, 168.0
HEAD = 23.0  # title line of a box with state rows
ROW = 17.0
FOOT = 6.0  # air around the state rows
LINE = 16.0  # one line of a box that holds only its label
MAX_ROWS = 6
MIN_BAR = 60.0

_NARROW = frozenset("ijlftrI|.,:;'!()[] ")
_BROAD = frozenset("mwMW@%—…")


def _ems(character: str) -> float:
    if character in _NARROW:
        return 0.36
    if character in _BROAD:
        return 0.96
    return 0.72 if character.isupper() else 0.62


def text_width(text: str, size_px: float) -> float:
    """About how wide `text` is in a sans serif of this size."""
    return sum(map(_ems, text)) * size_px


def elided(text: str, size_px: float, width: float) -> str:
    """`text`, its middle replaced by … when it would be wider than `width`."""
    if text_width(text, size_px) <= width:
        return text
    for length in range(len(text) - 1, 1, -1):
        shorter = f"{text[: (length + 1) // 2]}…{text[len(text) - length // 2 :]}"
        if text_width(shorter, size_px) <= width:
            return shorter
    return text[:1] + "…"


def row_count(states: int) -> int:
    """State rows of a node: all states, or from seven on the five largest and a row “n more”."""
    return min(states, MAX_ROWS)


def box_size(node: PictureNode, states: Collection[str] = ()) -> Size:
    """The box of a node; without states it holds only its label."""
    lines = node.label.split("\n")
    wanted = max(text_width(line, 12) for line in lines) + 20
    if states:
        wanted = max(wanted, max(text_width(state, 11) for state in states) + MIN_BAR + 56)
    width = float(round(min(max(wanted, NARROWEST), WIDEST)))
    if states:
        return width, HEAD + ROW * row_count(len(states)) + FOOT
    return width, LINE * len(lines) + 12


def box_sizes(
    picture: GraphPicture, states: Mapping[str, Collection[str]] | None = None
) -> dict[str, Size]:
    """Boxes by node id; nodes of the variables in `states` have room for a row per state."""
    states = states or {}
    return {node.id: box_size(node, states.get(node.variable or "", ())) for node in picture.nodes}


_MIN_NAME_PX = 7.0  # on screen
NAME_PART_OF_BOX = 0.7  # of the height of a box that its name can have
_READABLE_FROM = 0.22, 0.42  # zooms


def readable_zoom(sizes: Iterable[Size]) -> float:
    """The zoom from which names can be read in boxes of these sizes; high ones have more room."""
    heights = sorted(height for _, height in sizes)
    if not heights:
        return _READABLE_FROM[0]
    needed = _MIN_NAME_PX / (NAME_PART_OF_BOX * max(1.0, heights[len(heights) // 2] - 2))
    return min(max(needed, _READABLE_FROM[0]), _READABLE_FROM[1])


NODE_GAP = 40.0  # between neighbours of one layer
LAYER_GAP = 64.0  # between layers: room for an arrow
_MAX_COVER = 0.3  # the fraction of a drawing that boxes may cover before they are pushed apart
MIN_GAP = 12.0  # what any two boxes keep, however they were placed
_SHELVES_TRIED = 12  # one of the first so many drawings may end the first shelf


def overlapping_pairs(centres: Floats, sizes: Floats, gap: float = 0.0) -> NDArray[np.intp]:
    """Index pairs (rows of two, smaller first) of boxes closer than `gap` in both directions."""
    close = np.ones((len(centres), len(centres)), dtype=bool)
    for centre, size in zip(centres.T, sizes.T, strict=True):
        needed = np.add.outer(size, size) / 2 + gap
        close &= np.abs(np.subtract.outer(centre, centre)) < needed - 1e-9
    return np.argwhere(np.triu(close, 1))


def without_overlaps(
    centres: Floats, sizes: Floats, gap: float = MIN_GAP, max_cover: float = _MAX_COVER
) -> Floats:
    """Centres moved until no two boxes are closer than `gap`, keeping the shape of the drawing.

    Pairs are pushed apart along the direction that needs less; where that does not settle soon, the
    whole drawing is stretched a little, which ends it for certain once all centres differ.
    """
    # Centres on one spot have no direction to part in; give each its own tiny one.
    turns = np.arange(len(centres)) * 2.399963  # golden angle: no two are equal
    centres = centres + np.stack([np.cos(turns), np.sin(turns)], axis=1) * 0.01
    # Pushing cannot settle where boxes hardly fit.
    area = float(np.prod(np.ptp(centres, axis=0) + sizes.max(axis=0)))
    crowding = float(((sizes + gap).prod(axis=1)).sum()) / (max_cover * area)
    centres *= math.sqrt(max(crowding, 1.0))
    sweep = 0
    while len(pairs := overlapping_pairs(centres, sizes, gap)):
        sweep += 1
        if sweep % 10 == 0:
            centres *= 1.1
            continue
        first, second = pairs.T
        apart = centres[second] - centres[first]
        lacking = (sizes[first] + sizes[second]) / 2 + gap - np.abs(apart)
        axis = np.argmin(lacking, axis=1)
        rows = np.arange(len(pairs))
        push = np.zeros_like(apart)
        sign = np.where(apart[rows, axis] >= 0, 1.0, -1.0)
        push[rows, axis] = sign * (lacking[rows, axis] / 2 + 0.5)
        np.add.at(centres, second, push)
        np.add.at(centres, first, -push)
    return centres


def spread_in_row(desired: Sequence[float], widths: Sequence[float], gap: float) -> list[float]:
    """Centres nearest (least squares) to the desired ones, in their order, `gap` between boxes.

    With z = x − (the least distance from the first box), this is isotonic regression, solved by
    pooling adjacent violators.
    """
    reach = [0.0]
    for before, after in pairwise(widths):
        reach.append(reach[-1] + (before + after) / 2 + gap)
    pools: list[tuple[float, int]] = []  # mean and how many
    for centre, offset in zip(desired, reach, strict=True):
        mean, count = centre - offset, 1
        while pools and pools[-1][0] > mean:
            earlier, many = pools.pop()
            mean = (mean * count + earlier * many) / (count + many)
            count += many
        pools.append((mean, count))
    flat = [mean for mean, count in pools for _ in range(count)]
    return [z + offset for z, offset in zip(flat, reach, strict=True)]


def corners(
    positions: Mapping[str, Point], sizes: Mapping[str, Size]
) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all boxes together; zeros when there are none."""
    if not positions:
        return 0.0, 0.0, 0.0, 0.0
    lefts, tops, rights, bottoms = zip(
        *(
            (x - sizes[i][0] / 2, y - sizes[i][1] / 2, x + sizes[i][0] / 2, y + sizes[i][1] / 2)
            for i, (x, y) in positions.items()
        ),
        strict=True,
    )
    return min(lefts), min(tops), max(rights), max(bottoms)


def packed(
    blocks: Sequence[Mapping[str, Point]], sizes: Mapping[str, Size], shape: float = 1.6
) -> dict[str, Point]:
    """Separate drawings on shelves, the large ones first, together about `shape` times as wide as
    high; the top left corner becomes (0, 0)."""
    outlines = [corners(block, sizes) for block in blocks]
    extents = [(r - x + NODE_GAP, b - y + LAYER_GAP) for x, y, r, b in outlines]
    order = sorted(range(len(blocks)), key=lambda i: -extents[i][0] * extents[i][1])
    ordered = [extents[i] for i in order]
    area = sum(width * height for width, height in extents)
    even = max([math.sqrt(area * shape), *(width for width, _ in extents)])
    # Few drawings fill no shelf evenly: then the first shelf may hold a drawing more or fewer.
    fitting = accumulate(width for width, _ in ordered[:_SHELVES_TRIED])
    shelves = [even, *(width for width in fitting if width >= max(w for w, _ in ordered))]

    def reach(shelf_width: float) -> float:
        placed = list(zip(_on_shelves(ordered, shelf_width), ordered, strict=True))
        right = max((x + width for (x, _), (width, _) in placed), default=0.0)
        low = max((y + height for (_, y), (_, height) in placed), default=0.0)
        return max(right - NODE_GAP, (low - LAYER_GAP) * shape)

    placed: dict[str, Point] = {}
    for number, (x, y) in zip(order, _on_shelves(ordered, min(shelves, key=reach)), strict=True):
        left, top, _, _ = outlines[number]
        for identity, (px, py) in blocks[number].items():
            placed[identity] = (px - left + x, py - top + y)
    return placed


def _on_shelves(extents: Sequence[Size], shelf_width: float) -> list[Point]:
    """The top left corner of each box, set from left to right on one shelf below the other."""
    result = []
    x = y = shelf_height = 0.0
    for width, height in extents:
        if x > 0 and x + width > shelf_width + 1e-6:
            x, y, shelf_height = 0.0, y + shelf_height, 0.0
        result.append((x, y))
        x, shelf_height = x + width, max(shelf_height, height)
    return result
