"""What other parts ask about the graph of a Markov network: roles and sizes."""

from __future__ import annotations

from collections.abc import Mapping

from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Edge, edge_of
from pgmstudio.core.languages.markov_network.structure_text import context_rows, short_contexts
from pgmstudio.core.languages.sizes import CliqueSize, SizeBreakdown


def neighbour_roles(model: MarkovNetwork, target: str) -> dict[str, str]:
    """The neighbours of a variable, which are its Markov blanket."""
    near = model.structure.neighbours[model.domain.index(target)]
    return {model.domain.names[v]: "neighbour" for v in sorted(near)}


def deciding_variables(model: MarkovNetwork) -> set[str]:
    """The variables whose states decide whether some edge vanishes."""
    structure, names = model.structure, model.domain.names
    return {
        names[v]
        for edge in structure.contexts
        for row in context_rows(structure, edge)
        for v, state in row.items()
        if state is not None
    }


def vanished_edges(model: MarkovNetwork, context: Mapping[int, int]) -> frozenset[Edge]:
    """The edges that vanish in a context."""
    return model.structure.vanished_edges(context)


def edge_contexts(model: MarkovNetwork, source: str, target: str) -> list[str]:
    """The contexts in which an edge vanishes."""
    edge = edge_of(model.domain.index(source), model.domain.index(target))
    return [
        ", ".join(f"{name} = {state}" for name, state in context)
        for context in short_contexts(model.structure, edge)
    ]


def markov_sizes(model: MarkovNetwork) -> SizeBreakdown:
    """The cliques of the junction tree."""
    tree, names = model.clique_tree, model.domain.names
    cliques = tuple(
        CliqueSize(tuple(names[v] for v in clique), cells)
        for clique, cells in zip(tree.cliques, tree.cells, strict=True)
    )
    return SizeBreakdown((), cliques, tree.method)
