"""Which pictures each family of models has; the first is the one shown on opening."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.cpdag import Pdag, cpdag_of, pattern_of
from pgmstudio.core.graphs.moral import moral_edges
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.pictures.band_words import node_numbers
from pgmstudio.core.pictures.component_pictures import (
    latent_picture,
    overlay_picture,
    shown_trees,
    side_by_side_picture,
    star_picture,
    trees_name,
    trees_picture,
)
from pgmstudio.core.pictures.labels import labelled_picture
from pgmstudio.core.pictures.partition import PARTITION, has_partition, partition_picture
from pgmstudio.core.pictures.picture import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
)

NODES = "nodes"  # of a decision graph: bands of nodes with flows, where they can be drawn

# A clique's label: about this many characters a line, and at most this many lines.
_LINE_CHARACTERS, _MOST_LINES = 22, 6


def _variables(names: Iterable[str]) -> tuple[PictureNode, ...]:
    return tuple(PictureNode(name, name, variable=name) for name in names)


def _edges(pairs: Iterable[tuple[str, str]], style: EdgeStyle) -> tuple[PictureEdge, ...]:
    return tuple(PictureEdge(source, target, style=style) for source, target in pairs)


def dag_picture(model: BayesianNetwork | LabelledDag) -> GraphPicture:
    """Variables and arrows from parents to children."""
    return GraphPicture(_variables(model.domain.names), _edges(model.edges, EdgeStyle.DIRECTED))


def cpdag_picture(model: BayesianNetwork) -> GraphPicture:
    """Arrows where every equivalent graph has them; edges that could be reversed have none."""
    return _partly_directed(cpdag_of(model.dag), EdgeStyle.COMPELLED, EdgeStyle.REVERSIBLE)


def pattern_picture(model: BayesianNetwork) -> GraphPicture:
    """Arrows of v-structures only: x → z ← y where no edge joins x and y."""
    return _partly_directed(pattern_of(model.dag), EdgeStyle.COLLIDING, EdgeStyle.UNDIRECTED)


def _partly_directed(graph: Pdag, arrow: EdgeStyle, line: EdgeStyle) -> GraphPicture:
    edges = _edges(graph.directed, arrow) + _edges(graph.undirected, line)
    return GraphPicture(_variables(graph.names), edges)


def moral_picture(model: BayesianNetwork) -> GraphPicture:
    """The edges without direction, and what marrying parents adds."""
    names = model.domain.names
    married = ((names[a], names[b]) for a, b in moral_edges(model.dag.parent_indices))
    return GraphPicture(
        _variables(names),
        _edges(model.edges, EdgeStyle.UNDIRECTED) + _edges(married, EdgeStyle.MORAL),
    )


def triangulated_picture(model: BayesianNetwork) -> GraphPicture:
    """The moral graph and the fill-ins that leave no cycle of four and more without a chord."""
    names, moral = model.domain.names, moral_picture(model)
    added = ((names[a], names[b]) for a, b in model.clique_tree.fill_ins)
    return GraphPicture(moral.nodes, moral.edges + _edges(added, EdgeStyle.FILL_IN))


def clique_tree_picture(model: BayesianNetwork) -> GraphPicture:
    """Cliques as boxes with the size of their tables, joined by lines that name separators."""
    tree, names = model.clique_tree, model.domain.names
    ids = [", ".join(names[v] for v in clique) for clique in tree.cliques]
    nodes = tuple(
        PictureNode(
            identity,
            f"{_wrapped([names[v] for v in clique])}\n{counted_cells(cells)}",
            NodeShape.BOX,
        )
        for identity, clique, cells in zip(ids, tree.cliques, tree.cells, strict=True)
    )
    edges = tuple(
        PictureEdge(
            ids[parent], identity, ", ".join(names[v] for v in shared), EdgeStyle.UNDIRECTED
        )
        for identity, parent, shared in zip(ids, tree.parents, tree.separators, strict=True)
        if parent is not None
    )
    return GraphPicture(nodes, edges)


def counted_cells(cells: int) -> str:
    """The size of a table in words, with thin spaces between thousands."""
    return f"{cells:,} cell{'' if cells == 1 else 's'}".replace(",", "\u2009")


def tree_picture(model: Tree) -> GraphPicture:
    """Lines without arrows: the direction of a tree's edges says nothing about its distribution."""
    return GraphPicture(_variables(model.domain.names), _edges(model.edges, EdgeStyle.UNDIRECTED))


def directed_tree_picture(model: Tree) -> GraphPicture:
    """The tree as it is stored, arrows leading away from its roots."""
    return dag_picture(model.as_bayesian_network)


def forest_picture(model: DecisionGraph) -> GraphPicture:
    """The forest of variables: who is decided after whom."""
    return GraphPicture(_variables(model.domain.names), _edges(model.edges, EdgeStyle.DIRECTED))


def nodes_picture(model: DecisionGraph) -> GraphPicture:
    """Every node of every variable as a box, with an arrow to each node its states lead to.

    Where there is room for bands, `bands` draws the same with distributions and flows.
    """
    names = model.domain.names
    ids = [[f"ν{number}" for number in numbers] for numbers in node_numbers(model)]
    nodes = tuple(
        PictureNode(name, f"{name} of {names[i]}", NodeShape.BOX)
        for i in model.order
        for name in ids[i]
    )
    edges = []
    for i in model.order:
        above, heads = model.forest[i], model.successors[i]
        if above is None or heads is None:
            continue
        states = model.domain.variables[above].states
        for node, row in enumerate(heads.tolist()):
            for head in dict.fromkeys(row):
                words = ", ".join(s for s, to in zip(states, row, strict=True) if to == head)
                edge = PictureEdge(ids[above][node], ids[i][head], words, EdgeStyle.DIRECTED)
                edges.append(edge)
    return GraphPicture(nodes, tuple(edges))


PICTURES: Mapping[str, Mapping[str, Callable[[Any], GraphPicture]]] = {
    BayesianNetwork.kind: {
        "dag": dag_picture,
        "cpdag": cpdag_picture,
        "pattern": pattern_picture,
        "moral": moral_picture,
        "triangulated": triangulated_picture,
        "clique-tree": clique_tree_picture,
    },
    Tree.kind: {"tree": tree_picture, "dag": directed_tree_picture},
    TreeMixture.kind: {  # and one for each tree
        "overlay": overlay_picture,
        "side-by-side": side_by_side_picture,
        "latent": latent_picture,
        PARTITION: partition_picture,
    },
    LatentClasses.kind: {"star": star_picture},
    DecisionGraph.kind: {NODES: nodes_picture, "forest": forest_picture},
    LabelledDag.kind: {"labels": labelled_picture, "dag": dag_picture},
}


def picture_names(model: Model) -> tuple[str, ...]:
    """The names of the pictures of this model, the one shown on opening first."""
    try:
        names = tuple(PICTURES[model.kind])
    except KeyError:
        raise UnknownNameError("family with pictures", model.kind, PICTURES) from None
    if isinstance(model, TreeMixture):
        if not has_partition(model):
            names = tuple(name for name in names if name != PARTITION)
        names += tuple(trees_name((number,)) for number in range(len(model.trees)))
    return names


def picture_of(model: Model, name: str | None = None) -> GraphPicture:
    """The named picture of a model, or the one shown on opening; `tree-1+3` shows two trees."""
    names = picture_names(model)
    name = names[0] if name is None else name
    if isinstance(model, TreeMixture):
        shown = shown_trees(name, len(model.trees))
        if shown is not None:
            return trees_picture(model, shown)
    if name not in names:
        raise UnknownNameError("picture of this model", name, names)
    return PICTURES[model.kind][name](model)


def _wrapped(words: list[str]) -> str:
    """Words on as many lines as they need; what does not fit is counted."""
    lines = [words[0]]
    for number, word in enumerate(words[1:], start=1):
        if len(lines[-1]) + len(word) + 2 <= _LINE_CHARACTERS:
            lines[-1] += f", {word}"
        elif len(lines) < _MOST_LINES - 1 or number == len(words) - 1:
            lines[-1] += ","
            lines.append(word)
        else:
            lines[-1] += ","
            lines.append(f"{len(words) - number} more")
            break
    return "\n".join(lines)
