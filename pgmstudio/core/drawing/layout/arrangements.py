"""Trees, circles, lanes and springs: layouts for pictures that are not read from top to bottom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, PictureNode, Point, Size
from pgmstudio.core.drawing.layout.boxes import (
    LAYER_GAP,
    NODE_GAP,
    corners,
    packed,
    without_overlaps,
)
from pgmstudio.core.drawing.layout.edge_routing import tag_size
from pgmstudio.core.drawing.layout.layered import layered, order_by_barycentres

Sizes = Mapping[str, Size]

# Any fixed number: the same picture is to look the same tomorrow.
_SEED = 1
_GRAVITY = 0.5
# From so many nodes on a circle, even angles would make it too large to be read.
MANY_AROUND = 20


def tidy_tree(picture: GraphPicture, sizes: Sizes) -> dict[str, Point]:
    """A connected picture as a tidy tree: parents over the middle of their children, subtrees as
    close as their outlines allow (Reingold and Tilford 1981). Other graphs show a spanning tree."""
    children = _spanning_tree(picture)
    root = next(iter(children))
    depth = {root: 0}
    for node in children:  # parents come before their children
        for child in children[node]:
            depth[child] = depth[node] + 1
    offset, _ = _tidy_offsets(children, _with_tags(picture, children, sizes))
    heights = [0.0] * (max(depth.values()) + 1)
    for node, level in depth.items():
        heights[level] = max(heights[level], sizes[node][1])
    tops = [0.0]
    for height in heights:
        tops.append(tops[-1] + height + LAYER_GAP)
    across = {root: 0.0}
    for node in children:
        for child in children[node]:
            across[child] = across[node] + offset[child]
    return {node: (across[node], tops[d] + heights[d] / 2) for node, d in depth.items()}


def _with_tags(picture: GraphPicture, children: Mapping[str, Sequence[str]], sizes: Sizes) -> Sizes:
    """Wider boxes where an edge with a tag joins two nodes of one parent, side by side."""
    parent = {child: node for node, below in children.items() for child in below}
    wider = dict(sizes)
    for edge in picture.edges:
        ends = (edge.source, edge.target)
        if edge.label and edge.style.has_tag and parent.get(ends[0]) == parent.get(ends[1]):
            for end in ends:
                width, height = sizes[end]
                wider[end] = max(wider[end][0], width + tag_size(edge.label)[0]), height
    return wider


def _spanning_tree(picture: GraphPicture) -> dict[str, list[str]]:
    """Children by node, in breadth-first order from a node without parents."""
    targets = {edge.target for edge in picture.edges}
    root = next((identity for identity in picture.ids if identity not in targets), picture.ids[0])
    children: dict[str, list[str]] = {root: []}
    queue = [root]
    for node in queue:
        for other in picture.neighbours[node]:
            if other not in children:
                children[other] = []
                children[node].append(other)
                queue.append(other)
    return children


Outline = tuple[list[float], list[float]]  # left and right edge per level below a node at 0


def _tidy_offsets(
    children: Mapping[str, Sequence[str]], sizes: Sizes
) -> tuple[dict[str, float], Outline]:
    """Per node its x relative to its parent, and the outline of the whole tree."""
    offset: dict[str, float] = {}
    outlines: dict[str, Outline] = {}
    for node in reversed(list(children)):  # children before their parents
        lefts: list[float] = []
        rights: list[float] = []
        positions: list[float] = []
        for child in children[node]:
            child_lefts, child_rights = outlines.pop(child)
            shift = max(
                (r - x + NODE_GAP for r, x in zip(rights, child_lefts, strict=False)), default=0.0
            )
            positions.append(shift)
            for level, (left, right) in enumerate(zip(child_lefts, child_rights, strict=True)):
                if level < len(rights):
                    rights[level] = shift + right
                else:
                    lefts.append(shift + left)
                    rights.append(shift + right)
        middle = (positions[0] + positions[-1]) / 2 if positions else 0.0
        for child, position in zip(children[node], positions, strict=True):
            offset[child] = position - middle
        half = sizes[node][0] / 2
        outlines[node] = (
            [-half, *(left - middle for left in lefts)],
            [half, *(right - middle for right in rights)],
        )
    return offset, outlines[next(iter(children))]


def circle(picture: GraphPicture, sizes: Sizes) -> dict[str, Point]:
    """All nodes on one circle, neighbours in the graph as neighbours where a walk finds them."""
    order: dict[str, None] = {}
    for start in picture.ids:
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in order:
                order[node] = None
                stack.extend(o for o in reversed(picture.neighbours[node]) if o not in order)
    if len(order) == 1:
        return dict.fromkeys(order, (0.0, 0.0))
    boxes = np.array([sizes[node] for node in order])
    # Boxes whose diagonals are shorter than the chord between their centres cannot touch.
    chord = float(np.hypot(*boxes.T).max()) + NODE_GAP / 2
    radius = chord / (2 * math.sin(math.pi / len(order)))
    angles = 2 * math.pi * np.arange(len(order)) / len(order) - math.pi / 2
    if len(order) >= MANY_AROUND:  # below, even angles look calmer, and there is enough space
        radius, angles = _tightest(boxes, radius, angles)
    positions = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return {node: (x, y) for node, (x, y) in zip(order, positions.tolist(), strict=True)}


def _tightest(boxes: Floats, radius: float, angles: Floats) -> tuple[float, Floats]:
    """The smallest circle found on which boxes stand `NODE_GAP / 2` apart, and where on it.

    Beside each other at the top, one above the other at the sides, where they need only their
    height: with wide boxes that takes half the space of equal angles, which are the beginning.
    """
    needed = (boxes + np.roll(boxes, -1, axis=0) + NODE_GAP) / 2
    largest, smallest = radius, 0.0
    for _ in range(20):
        tried = (largest + smallest) / 2
        result = _around(needed, tried)
        if result is None:
            smallest = tried
        else:
            largest, angles = tried, result
    return largest, angles


def _around(needed: Floats, radius: float) -> Floats | None:
    """Angles in order that leave `needed` between neighbours; None when once round is too short."""
    fractions = np.linspace(0.0, 1.0, 60)[1:]
    angles = [-math.pi / 2]
    for across, down in needed:
        # Where the chord is as long as the diagonal of what is needed, it is enough for sure.
        chord = min(1.0, math.hypot(across, down) / (2 * radius))
        ways = angles[-1] + 2 * math.asin(chord) * fractions
        apart_across = np.abs(np.cos(ways) - math.cos(angles[-1])) * radius
        apart_down = np.abs(np.sin(ways) - math.sin(angles[-1])) * radius
        free = np.flatnonzero((apart_across >= across) | (apart_down >= down))
        if not free.size or ways[free[0]] > 1.5 * math.pi:
            return None
        angles.append(float(ways[free[0]]))
    return np.array(angles[:-1])


def star(picture: GraphPicture, sizes: Sizes, shape: float = 1.35) -> dict[str, Point]:
    """The best connected node in the middle, the others around it in their order, clockwise from
    the top left, on as many rings as they need; the first has about this shape, width over
    height."""
    middle = max(picture.ids, key=lambda i: len(picture.neighbours[i]))
    rest = [identity for identity in picture.ids if identity != middle]
    placed: dict[str, Point] = {middle: (0.0, 0.0)}
    if not rest:
        return placed
    step = (
        max(sizes[i][0] for i in rest) + NODE_GAP / 2,
        max(sizes[i][1] for i in rest) + NODE_GAP / 2,
    )
    inner = sizes[middle][0] + NODE_GAP, sizes[middle][1] + NODE_GAP
    capacity = _FIRST_RING
    while rest:
        take = len(rest) if len(rest) <= capacity * 1.5 else capacity
        across, down, inner = _ring_shape(take, step, inner, shape)
        for identity, point in zip(rest, _on_ring(take, across, down, inner, step), strict=False):
            placed[identity] = point
        rest = rest[take:]
        inner = (inner[0] + NODE_GAP, inner[1] + NODE_GAP)
        capacity += 8
    return placed


_FIRST_RING = 20


def _ring_shape(count: int, step: Size, inner: Size, shape: float) -> tuple[int, int, Size]:
    """How many boxes stand above (and below), how many at the sides, and the whole extent."""

    def fit(across: int) -> tuple[float, int, int, Size]:
        down = max(0, math.ceil((count - 2 * across) / 2))
        width = max(across * step[0], inner[0] + 2 * step[0] if down else inner[0])
        height = max((down + 2) * step[1], inner[1] + 2 * step[1])
        return max(width / shape, height), across, down, (width, height)

    _, across, down, extent = min(fit(across) for across in range(1, max(2, count)))
    return across, down, extent


def _on_ring(count: int, across: int, down: int, extent: Size, step: Size) -> list[Point]:
    """Centres along the four sides of a rectangle, clockwise from its top left corner."""
    right, bottom = (extent[0] - step[0]) / 2, (extent[1] - step[1]) / 2
    top = min(across, count)
    low = min(across, count - top)
    side = count - top - low
    after, before = math.ceil(side / 2), side // 2

    def spread(number: int, reach: float) -> list[float]:
        gap = 2 * (reach + step[0] / 2) / max(1, number)
        return [-reach - step[0] / 2 + gap * (i + 0.5) for i in range(number)]

    def between(number: int) -> list[float]:
        return [-bottom + 2 * bottom * (i + 1) / (number + 1) for i in range(number)]

    points = [(x, -bottom) for x in spread(top, right)]
    points += [(right, y) for y in between(after)]
    points += [(x, bottom) for x in reversed(spread(low, right))]
    return points + [(-right, y) for y in reversed(between(before))]


def lanes(picture: GraphPicture, sizes: Sizes, tiers: Sequence[Sequence[str]]) -> dict[str, Point]:
    """Tiers as lanes from left to right; nodes in no tier stand in a lane of their own before."""
    tier_of = {identity: number for number, tier in enumerate(tiers) for identity in tier}
    columns: list[list[str]] = [[] for _ in range(len(tiers) + 1)]
    for identity in picture.ids:
        columns[tier_of.get(identity, -1) + 1].append(identity)
    columns = [column for column in columns if column]
    order_by_barycentres(columns, picture)
    area = sum((w + NODE_GAP) * (h + NODE_GAP / 2) for w, h in (sizes[i] for i in picture.ids))
    tallest = max(480.0, math.sqrt(area))
    placed: dict[str, Point] = {}
    x = 0.0
    for column in columns:
        for strip in _strips(column, sizes, tallest):
            width = max(sizes[i][0] for i in strip)
            y = -(sum(sizes[i][1] for i in strip) + NODE_GAP / 2 * (len(strip) - 1)) / 2
            for identity in strip:
                placed[identity] = (x + width / 2, y + sizes[identity][1] / 2)
                y += sizes[identity][1] + NODE_GAP / 2
            x += width + NODE_GAP
        x += 2 * LAYER_GAP - NODE_GAP
    return placed


def _strips(column: Sequence[str], sizes: Sizes, tallest: float) -> list[list[str]]:
    """A column cut into even strips that are not taller than `tallest` by more than a node."""
    total = sum(sizes[identity][1] + NODE_GAP / 2 for identity in column)
    count = max(1, math.ceil(total / tallest))
    bounds = [round(i * len(column) / count) for i in range(count + 1)]
    return [list(column[a:b]) for a, b in pairwise(bounds) if b > a]


def force(
    picture: GraphPicture,
    sizes: Sizes,
    shape: float | None = None,
    *,
    stretches: bool = False,
) -> dict[str, Point]:
    """Springs along edges, nodes repelling each other, then boxes pushed apart; turned so that it
    fills a canvas of this shape (width over height) best, and stretched a little if it may be."""
    number = {identity: i for i, identity in enumerate(picture.ids)}
    ends = np.array([(number[e.source], number[e.target]) for e in picture.edges], dtype=np.intp)
    ends = ends.reshape(-1, 2)
    extents = np.array([sizes[identity] for identity in picture.ids], dtype=np.float64)
    centres = _springs(len(number), ends)
    if shape is not None:
        centres = _turned_into(centres, shape)
        if stretches:
            centres = _stretched_into(centres, shape)
    if len(ends):
        lengths = np.hypot(*(centres[ends[:, 0]] - centres[ends[:, 1]]).T)
        wanted = float(np.hypot(*extents.mean(axis=0))) + NODE_GAP
        centres *= wanted / max(float(np.median(lengths)), 1e-9)
    centres = without_overlaps(centres, extents)
    return {i: (float(x), float(y)) for i, (x, y) in zip(picture.ids, centres, strict=True)}


_TURNS = 24


def _turned_into(points: Floats, shape: float) -> Floats:
    """Points turned by the angle at which they need least room on a canvas of this shape."""

    def turned(step: int) -> Floats:
        cos, sin = math.cos(math.pi * step / _TURNS), math.sin(math.pi * step / _TURNS)
        result: Floats = points @ np.array([[cos, sin], [-sin, cos]])
        return result

    def needed(step: int) -> float:
        across, down = np.ptp(turned(step), axis=0)
        return max(float(across), shape * float(down))

    return turned(min(range(_TURNS), key=needed))


_MAX_STRETCH = 2.0


def _stretched_into(points: Floats, shape: float) -> Floats:
    """Points stretched in one direction and compressed in the other towards a shape."""
    across, down = np.maximum(np.ptp(points, axis=0), 1e-9)
    by = min(max(shape * float(down) / float(across), 1 / _MAX_STRETCH), _MAX_STRETCH)
    result: Floats = points * np.array([math.sqrt(by), 1 / math.sqrt(by)])
    return result


def _springs(count: int, ends: NDArray[np.intp], steps: int = 150) -> Floats:
    """Fruchterman and Reingold (1991): repulsion 1/d between all, attraction d² along edges, and a
    little gravity against long tails; steps shrink to nothing."""
    rng = np.random.default_rng(_SEED)
    x, y = (rng.random((2, count)) - 0.5) * math.sqrt(count)
    for step in range(steps):
        dx, dy = x[:, None] - x[None], y[:, None] - y[None]
        away = 1.0 / (dx * dx + dy * dy + 1e-6)
        move_x = np.einsum("ij,ij->i", dx, away) - _GRAVITY * x
        move_y = np.einsum("ij,ij->i", dy, away) - _GRAVITY * y
        pull_x, pull_y = x[ends[:, 1]] - x[ends[:, 0]], y[ends[:, 1]] - y[ends[:, 0]]
        length = np.hypot(pull_x, pull_y)
        for move, pull in ((move_x, pull_x * length), (move_y, pull_y * length)):
            np.add.at(move, ends[:, 0], pull)
            np.add.at(move, ends[:, 1], -pull)
        limit = 0.1 * math.sqrt(count) * (1 - step / steps)
        scale = limit / np.maximum(np.hypot(move_x, move_y), limit)
        x, y = x + move_x * scale, y + move_y * scale
    return np.stack([x, y], axis=1)


def panels(picture: GraphPicture, sizes: Sizes) -> dict[str, Point]:
    """The groups in a grid, each the same drawing: a variable has one position in all of them,
    found from the edges of all groups, by layers where they are arrows and by springs else. The
    first node of a group stands above it as its head, when it is no variable."""
    groups = picture.groups or (None,)
    key: dict[str, str] = {}  # nodes that share a position
    heads: dict[str | None, str] = {}
    taken: set[tuple[str | None, str]] = set()
    for node in picture.nodes:
        if node.variable is None and node.group is not None and node.group not in heads:
            heads[node.group] = node.id
            continue
        name = node.variable or node.id
        key[node.id] = node.id if (node.group, name) in taken else name
        taken.add((node.group, name))
    roomy: dict[str, Size] = {}
    for identity, name in key.items():
        wide, high = roomy.get(name, (0.0, 0.0))
        roomy[name] = (max(wide, sizes[identity][0]), max(high, sizes[identity][1]))
    pairs = {(key[e.source], key[e.target]): e for e in picture.edges if _are_in(key, e)}
    union = GraphPicture(
        tuple(PictureNode(name, name) for name in roomy), tuple(PictureEdge(a, b) for a, b in pairs)
    )
    arrange = layered if any(e.style.has_arrow for e in picture.edges) else force
    base = packed([arrange(part, roomy) for part in union.components()], roomy)
    left, top, right, bottom = corners(base, roomy)
    above = max((sizes[head][1] for head in heads.values()), default=0.0) + LAYER_GAP / 2
    wide = max([right - left, *(sizes[head][0] for head in heads.values())]) + 2 * NODE_GAP
    high = bottom - top + above + LAYER_GAP
    across = max(1, round(math.sqrt(len(groups) * 1.6 * high / wide)))
    placed: dict[str, Point] = {}
    for node in picture.nodes:
        number = groups.index(node.group) if node.group in groups else 0
        x, y = number % across * wide, number // across * high
        if node.id not in key:
            placed[node.id] = (x + sizes[node.id][0] / 2, y + sizes[node.id][1] / 2)
        else:
            here = base[key[node.id]]
            placed[node.id] = (x + here[0] - left, y + above + here[1] - top)
    return placed


def _are_in(key: Mapping[str, str], edge: PictureEdge) -> bool:
    return edge.source in key and edge.target in key


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
