"""Diagrams of mixtures: trees overlaid or side by side, with the component as root, and blocks.

The diagram of a tree H model has blocks of variables, each a tree, around the hidden variable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
    Strand,
    side_by_side,
)
from pgmstudio.core.drawing.strands import strand_width
from pgmstudio.core.languages.components import choice_information
from pgmstudio.core.languages.tree.model import edge_information
from pgmstudio.core.languages.tree_mixture.conversions import component_root, edges_with_root
from pgmstudio.core.languages.tree_mixture.model import TreeMixture, partition_of

# Lines of more trees than this cannot be distinguished, so one line counts them.
MAX_LINES = 5
_SINGLE_ALPHA = 0.78
_ROOT_ALPHA = 0.45  # edges to all others would hide those between them
_TREES = re.compile(r"tree-(\d+(?:\+\d+)*)")

MI_LABEL = "width = mutual information in the tree"


def shown_trees(name: str, count: int) -> tuple[int, ...] | None:
    """The numbers from 0 that `tree-1` or `tree-1+3` names; None for another picture."""
    result = _TREES.fullmatch(name)
    if result is None:
        return None
    numbers = sorted({int(number) - 1 for number in result[1].split("+")})
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
    names, draw = model.component_names, len(numbers) <= MAX_LINES
    edges = []
    for pair in pairs:
        having = [number for number in numbers if pair in bits[number]]
        labels = [f"{names[number]}: {bits[number][pair]:.3f} bits" for number in having]
        if draw:
            is_shared = len(having) > 1 or len(numbers) == 1
            alpha = 1.0 if is_shared else _SINGLE_ALPHA
            strands = tuple(
                Strand(strand_width(bits[number][pair]), number, label, alpha)
                for number, label in zip(having, labels, strict=True)
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
        width_label=MI_LABEL if draw else "width = number of trees",
    )


def overlay_picture(model: TreeMixture) -> GraphPicture:
    """All trees on one plane."""
    return trees_picture(model)


def side_by_side_picture(model: TreeMixture) -> GraphPicture:
    """Every tree by itself, a group each."""
    parts = (
        (name, f"{name}, {100 * weight:.1f} %", trees_picture(model, (number,)))
        for number, (name, weight) in enumerate(
            zip(model.component_names, model.weights, strict=True)
        )
    )
    return side_by_side(parts, MI_LABEL)


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
        width_label="width of edges from the component = mutual information with it",
    )


PARTITION = "partition"


def has_partition(model: TreeMixture) -> bool:
    """Whether its trees share their edges and leave several blocks."""
    return model.trees[0].parents.count(None) > 1 and model.is_shared


def partition_picture(model: TreeMixture) -> GraphPicture:
    """The hidden variable or the columns in its place, a head for each block, and the edges that
    all trees have.

    Widths are I(u; v | h) = Σ_k λ_k I_k(u; v).
    """
    bits = [edge_information(tree) for tree in model.trees]
    blocks = partition_of(model) or ()
    roots, count = model.separators or (component_root(model),), len(model.trees)
    shape = NodeShape.OVAL if model.separators else NodeShape.DOUBLE
    given = " and ".join(model.separators) or "the hidden variable"
    nodes = [PictureNode(root, root, shape, variable=root) for root in roots]
    edges: list[PictureEdge] = []
    groups = tuple(f"Block {number}" for number in range(1, len(blocks) + 1))
    for group, block in zip(groups, blocks, strict=True):
        head = f"{group}:"
        size = f"{len(block)} variable{'' if len(block) == 1 else 's'}"
        nodes.append(PictureNode(head, f"{group}, {size}", NodeShape.BOX, group=group))
        nodes += [PictureNode(name, name, variable=name, group=group) for name in block]
        edges += [PictureEdge(root, head) for root in roots]
    for one, other in bits[0]:
        shared = sum(
            float(model.weights[k]) * of_tree[one, other] for k, of_tree in enumerate(bits)
        )
        label = f"{shared:.3f} bits, mean of {count} trees"
        strands = (Strand(strand_width(shared), None, label),)
        edges.append(PictureEdge(one, other, style=EdgeStyle.UNDIRECTED, strands=strands))
    return GraphPicture(
        tuple(nodes),
        tuple(edges),
        groups,
        method="blocks",
        width_label=f"width = mutual information given {given}",
    )


def diagram_names(model: TreeMixture) -> tuple[str, ...]:
    """The diagrams of a mixture, and one for each of its trees."""
    names = ["overlay", "side-by-side", "latent"]
    if has_partition(model):
        names.append(PARTITION)
    return (*names, *(trees_name((number,)) for number in range(len(model.trees))))


def named_trees_picture(model: TreeMixture, name: str) -> GraphPicture | None:
    """The diagram of some trees, `tree-1` or `tree-1+3`; None for another name."""
    shown = shown_trees(name, len(model.trees))
    return None if shown is None else trees_picture(model, shown)
