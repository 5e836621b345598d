"""Diagrams of a Markov network: its graph with contexts, in a context, and triangulated."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import combinations

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    edges_of,
    variable_nodes,
)
from pgmstudio.core.languages.bayesian_network.diagrams import clique_nodes
from pgmstudio.core.languages.ldag.diagrams import ANY, contexts_tag, contexts_text, panels
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure
from pgmstudio.core.languages.markov_network.structure_text import context_rows

NOWHERE: Mapping[int, int] = {}
MAX_TREELIKE = 12  # variables of a graph that is drawn as a tree


def open_contexts(
    structure: MarkovStructure, edge: Edge, context: Mapping[int, int] = NOWHERE
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The common neighbours that a context leaves open, and the edge's contexts over them."""
    domain = structure.domain
    left = [v for v in structure.common_neighbours(*edge) if v not in context]
    rows = [
        tuple(
            ANY if state is None else domain.variables[v].states[state]
            for v, state in row.items()
            if v in left
        )
        for row in context_rows(structure, edge, context)
    ]
    return tuple(domain.names[v] for v in left), rows


def context_text(
    structure: MarkovStructure, edge: Edge, context: Mapping[int, int] = NOWHERE
) -> str:
    """The contexts of an edge: `Smoking = no`, or `(no, no) (yes, ∗)`; empty without one."""
    return contexts_text(*open_contexts(structure, edge, context))


def markov_picture(model: MarkovNetwork, context: Mapping[int, int] = NOWHERE) -> GraphPicture:
    """Edges with the contexts in which they vanish; in a context as they are there."""
    structure, names = model.structure, model.domain.names
    gone = structure.vanished_edges(context)
    edges = []
    for edge in sorted(structure.edges):
        ends = names[edge[0]], names[edge[1]]
        if edge in gone:
            tag = contexts_tag(*open_contexts(structure, edge))
            edges.append(PictureEdge(*ends, tag, EdgeStyle.CONTEXTUAL_VANISHED))
        else:
            tag = contexts_tag(*open_contexts(structure, edge, context))
            style = EdgeStyle.CONTEXTUAL if tag else EdgeStyle.UNDIRECTED
            edges.append(PictureEdge(*ends, tag, style))
    return GraphPicture(variable_nodes(names), tuple(edges), method=_layout(structure))


def _layout(structure: MarkovStructure) -> str:
    """Small graphs with hardly a cycle are drawn as trees, with the ends of a triangle level."""
    import networkx as nx

    count = len(structure.domain)
    trees = count - nx.number_connected_components(structure.graph)
    is_treelike = count <= MAX_TREELIKE and len(structure.edges) - trees <= count // 6
    return "tree" if is_treelike and len(structure.edges) > 1 else "fit"


def triangulated_picture(model: MarkovNetwork) -> GraphPicture:
    """The graph and the fill-ins that leave no cycle of four and more without a chord."""
    names = model.domain.names
    edges = [(names[a], names[b]) for a, b in sorted(model.structure.edges)]
    added = [(names[a], names[b]) for a, b in model.clique_tree.fill_ins]
    return GraphPicture(
        variable_nodes(names),
        edges_of(edges, EdgeStyle.UNDIRECTED) + edges_of(added, EdgeStyle.FILL_IN),
    )


def cliques_picture(model: MarkovNetwork) -> GraphPicture:
    """The maximal cliques, joined where they share variables, which the line names."""
    names, cliques = model.domain.names, model.structure.maximal_cliques
    nodes = clique_nodes(names, cliques, [table.size for table in model.potentials])
    edges = [
        PictureEdge(
            one.id,
            other.id,
            ", ".join(names[v] for v in sorted(shared)),
            EdgeStyle.UNDIRECTED,
        )
        for (one, first), (other, second) in combinations(zip(nodes, cliques, strict=True), 2)
        if (shared := set(first).intersection(second))
    ]
    return GraphPicture(nodes, tuple(edges))


def multinet_variable(model: MarkovNetwork) -> str:
    """The default variable of the multinet: the one whose states let most edges vanish."""
    structure = model.structure

    def gone(v: int) -> int:
        states = range(model.domain.cardinalities[v])
        return max(len(structure.vanished_edges({v: state})) for state in states)

    return model.domain.names[max(range(len(model.domain)), key=gone)]


def multinet_picture(
    model: MarkovNetwork, variable: str, context: Mapping[int, int] = NOWHERE
) -> GraphPicture:
    """A panel for each state of a variable; the context holds in each."""
    return panels(model.domain, variable, context, partial(markov_picture, model))
