"""Pictures of mixtures: trees over or beside each other, with the component as their root, and
classes as the middle of a star.

The picture of a tree H model: blocks of variables, each a tree, around the hidden variable.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
    Point,
    Size,
    Strand,
)
from pgmstudio.core.drawing.layout.arrangements import tidy_tree
from pgmstudio.core.drawing.layout.boxes import NODE_GAP, corners
from pgmstudio.core.languages.conversions import component_root, edges_with_root
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree_mixture.components import (
    choice_information,
    component_names,
    edge_information,
)
from pgmstudio.core.languages.tree_mixture.model import TreeMixture, blocks_of

# Lines of more trees than this cannot be told apart, so one line counts them.
MAX_LINES = 5
# Tree 1 solid, 2 dashed, 3 dotted, 4 dash-dot, 5 dash-dot-dot; in px at a width of 2.
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (7.0, 4.0),
    (2.0, 3.0),
    (8.0, 3.0, 2.0, 3.0),
    (8.0, 3.0, 2.0, 3.0, 2.0, 3.0),
)
_SINGLE_ALPHA = 0.78
_ROOT_ALPHA = 0.45  # edges to all others would hide those between them
_APART = 5.0
_TREES = re.compile(r"tree-(\d+(?:\+\d+)*)")

MI_WORDS = "width = mutual information in the tree"


def dash_of(component: int | None, width: float) -> tuple[float, ...]:
    """The dashes of a tree's line; gaps grow a little with it, so that they stay in sight."""
    if component is None:
        return ()
    grown = 0.75 + width / 8
    return tuple(part * grown for part in DASHES[component % len(DASHES)])


def strand_width(bits: float) -> float:
    """1 + 5 · MI, and never wider than for one bit."""
    return 1 + 5 * min(1.0, bits)


def strand_offsets(strands: Sequence[Strand]) -> tuple[float, ...]:
    """How far beside the middle each line runs: 5 px apart, thick ones as far as they need."""
    gaps = [max(_APART, (a.width + b.width) / 2 + 1.5) for a, b in pairwise(strands)]
    places = list(accumulate(gaps, initial=0.0))
    return tuple(place - places[-1] / 2 for place in places)


def shown_trees(name: str, count: int) -> tuple[int, ...] | None:
    """The numbers from 0 that `tree-1` or `tree-1+3` names; None for another picture."""
    found = _TREES.fullmatch(name)
    if found is None:
        return None
    numbers = sorted({int(number) - 1 for number in found[1].split("+")})
    return tuple(numbers) if numbers[0] >= 0 and numbers[-1] < count else None


def trees_name(shown: Sequence[int]) -> str:
    """What the picture of these trees is called."""
    return "tree-" + "+".join(str(number + 1) for number in sorted(shown))


def trees_picture(model: TreeMixture, shown: Sequence[int] | None = None) -> GraphPicture:
    """The edges of some trees, or of all, without direction; shared ones run side by side."""
    numbers = range(len(model.trees)) if shown is None else tuple(shown)
    index = model.domain.index
    bits = {number: edge_information(model.trees[number]) for number in numbers}
    pairs = sorted(
        {pair for of_tree in bits.values() for pair in of_tree},
        key=lambda p: (index(p[0]), index(p[1])),
    )
    names, draw = component_names(model), len(numbers) <= MAX_LINES
    edges = []
    for pair in pairs:
        having = [number for number in numbers if pair in bits[number]]
        told = [f"{names[number]}: {bits[number][pair]:.3f} bits" for number in having]
        if draw:
            is_shared = len(having) > 1 or len(numbers) == 1
            alpha = 1.0 if is_shared else _SINGLE_ALPHA
            strands = tuple(
                Strand(strand_width(bits[number][pair]), number, words, alpha)
                for number, words in zip(having, told, strict=True)
            )
        else:
            counted = f"in {len(having)} of {len(numbers)} trees"
            strands = (Strand(1 + 5 * len(having) / len(numbers), None, counted),)
        edges.append(PictureEdge(*pair, style=EdgeStyle.UNDIRECTED, strands=strands))
    nodes = tuple(PictureNode(name, name, variable=name) for name in model.domain.names)
    return GraphPicture(
        nodes,
        tuple(edges),
        method="force",
        lines=tuple((number, names[number]) for number in numbers) if draw else (),
        width_words=MI_WORDS if draw else "width = number of trees",
    )


def overlay_picture(model: TreeMixture) -> GraphPicture:
    """All trees on one plane."""
    return trees_picture(model)


def side_by_side_picture(model: TreeMixture) -> GraphPicture:
    """Every tree by itself, a group each; the layout gives a variable the same place in all."""
    nodes: list[PictureNode] = []
    edges: list[PictureEdge] = []
    names = component_names(model)
    for number, name in enumerate(names):
        head = f"{name}, {100 * model.weights[number]:.1f} %"
        nodes.append(PictureNode(f"{name}:", head, NodeShape.BOX, group=name))
        alone = trees_picture(model, (number,))
        nodes += [replace(node, id=f"{name}: {node.id}", group=name) for node in alone.nodes]
        edges += [
            replace(edge, source=f"{name}: {edge.source}", target=f"{name}: {edge.target}")
            for edge in alone.edges
        ]
    return GraphPicture(tuple(nodes), tuple(edges), names, "panels", width_words=MI_WORDS)


def latent_picture(model: TreeMixture) -> GraphPicture:
    """The network with the component as its root, hidden or seen, and an edge to all others."""
    root, bits = component_root(model), choice_information(model)
    shape = NodeShape.DOUBLE if model.choice is None else NodeShape.OVAL
    nodes = [PictureNode(root, root, shape, variable=root)]
    nodes += [PictureNode(name, name, variable=name) for name in model.tree_domain.names]
    edges = [
        PictureEdge(
            source,
            target,
            strands=(
                Strand(strand_width(bits[target]), None, f"{bits[target]:.3f} bits", _ROOT_ALPHA),
            )
            if source == root
            else (),
        )
        for source, target in edges_with_root(model)
    ]
    return GraphPicture(
        tuple(nodes),
        tuple(edges),
        width_words="width of edges from the component = mutual information with it",
    )


def star_picture(model: LatentClasses) -> GraphPicture:
    """The hidden class in the middle, the items around it, those first that tell most of it."""
    bits = choice_information(model)
    root = PictureNode(model.hidden, model.hidden, NodeShape.DOUBLE, variable=model.hidden)
    items = tuple(PictureNode(name, name, variable=name) for name in bits)
    edges = tuple(
        PictureEdge(
            model.hidden, name, strands=(Strand(strand_width(value), None, f"{value:.3f} bits"),)
        )
        for name, value in bits.items()
    )
    return GraphPicture(
        (root, *items),
        edges,
        method="star",
        width_words="width = mutual information with the class",
    )


PARTITION = "partition"
_HEAD_GAP = 24.0
_BLOCK_GAP = 96.0  # grounds are drawn around blocks
_SHAPE = 1.7  # width over height of the rows of blocks


def has_partition(model: TreeMixture) -> bool:
    """Whether its trees share their edges and leave several blocks."""
    return model.trees[0].parents.count(None) > 1 and model.is_shared


def partition_picture(model: TreeMixture) -> GraphPicture:
    """The hidden variable, a head for each block, and the edges that all trees have.

    Widths are I(u; v | h) = Σ_k λ_k I_k(u; v).
    """
    bits = [edge_information(tree) for tree in model.trees]
    blocks = blocks_of(model.tree_domain.names, bits[0])
    root, count = component_root(model), len(model.trees)
    shape = NodeShape.DOUBLE if model.choice is None else NodeShape.OVAL
    nodes = [PictureNode(root, root, shape, variable=root)]
    edges: list[PictureEdge] = []
    groups = tuple(f"Block {number}" for number in range(1, len(blocks) + 1))
    for group, block in zip(groups, blocks, strict=True):
        head = f"{group}:"
        words = f"{len(block)} variable{'' if len(block) == 1 else 's'}"
        nodes.append(PictureNode(head, f"{group}, {words}", NodeShape.BOX, group=group))
        nodes += [PictureNode(name, name, variable=name, group=group) for name in block]
        edges.append(PictureEdge(root, head))
    for one, other in bits[0]:
        shared = sum(
            float(model.weights[k]) * of_tree[one, other] for k, of_tree in enumerate(bits)
        )
        told = f"{shared:.3f} bits, mean of {count} trees"
        strands = (Strand(strand_width(shared), None, told),)
        edges.append(PictureEdge(one, other, style=EdgeStyle.UNDIRECTED, strands=strands))
    return GraphPicture(
        tuple(nodes),
        tuple(edges),
        groups,
        method="blocks",
        width_words="width = mutual information given the hidden variable",
    )


def blocks_around(picture: GraphPicture, sizes: Mapping[str, Size]) -> dict[str, Point]:
    """Groups side by side in rows, a head above each; who is in no group stands in their middle,
    above them when they fit into one row."""
    drawn = [_block(picture, group, sizes) for group in picture.groups]
    extents = [_extent(places, sizes) for places in drawn]
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
    found: dict[str, str | None] = {start: None}
    queue = [start]
    for node in queue:
        for other in tree.neighbours[node]:
            if other not in found:
                found[other] = node
                queue.append(other)
    return found


def _extent(places: Mapping[str, Point], sizes: Mapping[str, Size]) -> Size:
    left, top, right, bottom = corners(places, sizes)
    return right - left, bottom - top
