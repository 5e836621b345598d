"""A layout for blocks of nodes, each a tree, in rows around a head node."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pgmstudio.core.drawing.diagram import (
    GraphPicture,
    PictureEdge,
    Point,
    Size,
)
from pgmstudio.core.drawing.layout.arrangements import tidy_tree
from pgmstudio.core.drawing.layout.boxes import NODE_GAP, corners

_HEAD_GAP = 24.0


_BLOCK_GAP = 96.0  # grounds are drawn around blocks


_SHAPE = 1.7  # width over height of the rows of blocks


def blocks_around(picture: GraphPicture, sizes: Mapping[str, Size]) -> dict[str, Point]:
    """Groups side by side in rows, a head above each; who is in no group stands in their middle,
    above them when they fit into one row."""
    drawn = [_block(picture, group, sizes) for group in picture.groups]
    extents = [_extent(positions, sizes) for positions in drawn]
    widths = [width + _BLOCK_GAP for width, _ in extents]
    area = sum(
        width * (height + _BLOCK_GAP) for width, (_, height) in zip(widths, extents, strict=True)
    )
    widest = max([math.sqrt(area * _SHAPE), *widths])
    rows = [[0]] if drawn else []
    for number in range(1, len(drawn)):
        if sum(widths[i] for i in rows[-1]) + widths[number] > widest:
            rows.append([])
        rows[-1].append(number)
    middle = [node.id for node in picture.nodes if node.group not in picture.groups]
    before = len(rows) // 2
    placed: dict[str, Point] = {}
    y = 0.0
    for at in range(len(rows) + 1):
        if at == before and middle:
            y = _set_row(middle, y, sizes, placed) + _BLOCK_GAP
        if at == len(rows):
            break
        x = -(sum(widths[i] for i in rows[at]) - _BLOCK_GAP) / 2
        for number in rows[at]:
            left, top, _, bottom = corners(drawn[number], sizes)
            for identity, (a, b) in drawn[number].items():
                # Above the middle they stand on their heads, for arrows come from below.
                down = b - top if at >= before else bottom - b
                placed[identity] = (x + a - left, y + down)
            x += widths[number]
        y += max(extents[i][1] for i in rows[at]) + _BLOCK_GAP
    return placed


def _set_row(
    ids: Sequence[str], top: float, sizes: Mapping[str, Size], placed: dict[str, Point]
) -> float:
    """Boxes side by side around x = 0; the lower end."""
    height = max(sizes[i][1] for i in ids)
    x = -(sum(sizes[i][0] for i in ids) + NODE_GAP * (len(ids) - 1)) / 2
    for identity in ids:
        placed[identity] = (x + sizes[identity][0] / 2, top + height / 2)
        x += sizes[identity][0] + NODE_GAP
    return top + height


def _block(picture: GraphPicture, group: str, sizes: Mapping[str, Size]) -> dict[str, Point]:
    """The head over the tree of a group."""
    inside = [node for node in picture.nodes if node.group == group]
    names = {node.id for node in inside if node.variable is not None}
    heads = [node.id for node in inside if node.id not in names]
    tree = GraphPicture(
        tuple(node for node in inside if node.id in names),
        tuple(e for e in picture.edges if e.source in names and e.target in names),
    )
    placed = tidy_tree(_from_its_centre(tree), sizes) if names else {}
    if not heads:
        return placed
    left, top, right, _ = corners(placed, sizes) if placed else (0.0, 0.0, 0.0, 0.0)
    y = top - _HEAD_GAP
    for head in reversed(heads):
        placed[head] = ((left + right) / 2, y - sizes[head][1] / 2)
        y -= sizes[head][1] + _HEAD_GAP
    return placed


def _from_its_centre(tree: GraphPicture) -> GraphPicture:
    """The same with edges leading away from the middle of a longest path: so it is low."""
    if not tree.nodes:
        return tree
    above = _above(tree, [*_above(tree, tree.ids[0])][-1])
    path = [[*above][-1]]  # from one far end to the other
    while (step := above[path[-1]]) is not None:
        path.append(step)
    above = _above(tree, path[len(path) // 2])
    edges = tuple(PictureEdge(up, node) for node, up in above.items() if up is not None)
    return GraphPicture(tuple(tree.node[node] for node in above), edges)


def _above(tree: GraphPicture, start: str) -> dict[str, str | None]:
    """Who leads to each node from the start, the nearest nodes first."""
    result: dict[str, str | None] = {start: None}
    queue = [start]
    for node in queue:
        for other in tree.neighbours[node]:
            if other not in result:
                result[other] = node
                queue.append(other)
    return result


def _extent(positions: Mapping[str, Point], sizes: Mapping[str, Size]) -> Size:
    left, top, right, bottom = corners(positions, sizes)
    return right - left, bottom - top
