"""Diagrams of a Bayesian network: DAG, equivalence class, moral graph and junction tree."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
    edges_of,
    variable_nodes,
)
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of, pattern_of
from pgmstudio.core.graphs.triangulation import moral_edges
from pgmstudio.core.inference.factors import Factored
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.number_format import count_of

# A clique's label: about this many characters a line, and at most this many lines.
_LINE_CHARACTERS, _MAX_LINES = 22, 6


def dag_picture(model: DirectedModel) -> GraphPicture:
    """Variables and arrows from parents to children."""
    return GraphPicture(
        variable_nodes(model.domain.names), edges_of(model.edges, EdgeStyle.DIRECTED)
    )


def cpdag_picture(model: BayesianNetwork) -> GraphPicture:
    """Arrows where every equivalent graph has them; edges that could be reversed have none."""
    return _partly_directed(cpdag_of(model.dag), EdgeStyle.COMPELLED, EdgeStyle.REVERSIBLE)


def pattern_picture(model: BayesianNetwork) -> GraphPicture:
    """Arrows of v-structures only: x → z ← y where no edge joins x and y."""
    return _partly_directed(pattern_of(model.dag), EdgeStyle.COLLIDING, EdgeStyle.UNDIRECTED)


def _partly_directed(graph: Pdag, arrow: EdgeStyle, line: EdgeStyle) -> GraphPicture:
    edges = edges_of(graph.directed, arrow) + edges_of(graph.undirected, line)
    return GraphPicture(variable_nodes(graph.names), edges)


def moral_picture(model: BayesianNetwork) -> GraphPicture:
    """The edges without direction, and what marrying parents adds."""
    names = model.domain.names
    married = ((names[a], names[b]) for a, b in moral_edges(model.dag.parent_indices))
    return GraphPicture(
        variable_nodes(names),
        edges_of(model.edges, EdgeStyle.UNDIRECTED) + edges_of(married, EdgeStyle.MORAL),
    )


def triangulated_picture(model: BayesianNetwork) -> GraphPicture:
    """The moral graph and the fill-ins that leave no cycle of four and more without a chord."""
    names = model.domain.names
    moral = moral_picture(model)
    added = ((names[a], names[b]) for a, b in model.clique_tree.fill_ins)
    return GraphPicture(moral.nodes, moral.edges + edges_of(added, EdgeStyle.FILL_IN))


def clique_tree_picture(model: Factored) -> GraphPicture:
    """Cliques as boxes with the size of their tables, joined by lines that name separators."""
    tree = model.clique_tree
    names = model.domain.names
    nodes = clique_nodes(names, tree.cliques, tree.cells)
    ids = [node.id for node in nodes]
    edges = tuple(
        PictureEdge(
            ids[parent], identity, ", ".join(names[v] for v in shared), EdgeStyle.UNDIRECTED
        )
        for identity, parent, shared in zip(ids, tree.parents, tree.separators, strict=True)
        if parent is not None
    )
    return GraphPicture(nodes, edges)


def clique_nodes(
    names: Sequence[str], cliques: Sequence[Sequence[int]], cells: Sequence[int]
) -> tuple[PictureNode, ...]:
    """A box for each clique with its variables and the size of its table."""
    return tuple(
        PictureNode(
            ", ".join(names[v] for v in clique),
            f"{_wrap([names[v] for v in clique])}\n{count_of(size, 'cell')}",
            NodeShape.BOX,
        )
        for clique, size in zip(cliques, cells, strict=True)
    )


def _wrap(names: list[str]) -> str:
    """Names wrapped into lines; those that do not fit are counted."""
    lines = [names[0]]
    for number, name in enumerate(names[1:], start=1):
        if len(lines[-1]) + len(name) + 2 <= _LINE_CHARACTERS:
            lines[-1] += f", {name}"
        elif len(lines) < _MAX_LINES - 1 or number == len(names) - 1:
            lines[-1] += ","
            lines.append(name)
        else:
            lines[-1] += ","
            lines.append(f"{len(names) - number} more")
            break
    return "\n".join(lines)
