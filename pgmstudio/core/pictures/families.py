"""Which pictures each family of models has; the first is the one shown on opening."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.cpdag import Pdag, cpdag_of, pattern_of
from pgmstudio.core.graphs.moral import moral_edges
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.pictures.component_pictures import (
    overlay_picture,
    shown_trees,
    star_picture,
    trees_name,
    trees_picture,
)
from pgmstudio.core.pictures.picture import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
)

# A clique's label: about this many characters a line, and at most this many lines.
_LINE_CHARACTERS, _MOST_LINES = 22, 6


def _variables(names: Iterable[str]) -> tuple[PictureNode, ...]:
    return tuple(PictureNode(name, name, variable=name) for name in names)


def _edges(pairs: Iterable[tuple[str, str]], style: EdgeStyle) -> tuple[PictureEdge, ...]:
    return tuple(PictureEdge(source, target, style=style) for source, target in pairs)


def dag_picture(model: BayesianNetwork) -> GraphPicture:
    """Variables and arrows from parents to children."""
    return GraphPicture(_variables(model.domain.names), _edges(model.edges, EdgeStyle.DIRECTED))


def cpdag_picture(model: BayesianNetwork) -> GraphPicture:
    """Arrows where every equivalent graph has them; edges that could be reversed have none."""
    return _partly_directed(cpdag_of(model.dag), EdgeStyle.REVERSIBLE)


def pattern_picture(model: BayesianNetwork) -> GraphPicture:
    """Arrows of v-structures only: x → z ← y where no edge joins x and y."""
    return _partly_directed(pattern_of(model.dag), EdgeStyle.UNDIRECTED)


def _partly_directed(graph: Pdag, other: EdgeStyle) -> GraphPicture:
    return GraphPicture(
        _variables(graph.names),
        _edges(graph.directed, EdgeStyle.COMPELLED) + _edges(graph.undirected, other),
    )


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
    TreeMixture.kind: {"overlay": overlay_picture},  # and one for each tree
    LatentClasses.kind: {"star": star_picture},
}


def picture_names(model: Model) -> tuple[str, ...]:
    """The names of the pictures of this model, the one shown on opening first."""
    try:
        names = tuple(PICTURES[model.kind])
    except KeyError:
        raise UnknownNameError("family with pictures", model.kind, PICTURES) from None
    if isinstance(model, TreeMixture):
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
