"""Pictures of mixtures: trees over or beside each other, with the component as their root, and
classes as the middle of a star."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from pgmstudio.core.models.component_measures import (
    choice_information,
    component_names,
    edge_information,
)
from pgmstudio.core.models.conversions import component_root, edges_with_root
from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.pictures.picture import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
    Strand,
)

# Lines of more trees than this cannot be told apart, so one line counts them.
MOST_LINES = 5
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
    names, draw = component_names(model), len(numbers) <= MOST_LINES
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
