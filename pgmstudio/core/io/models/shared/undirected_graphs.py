"""Graphs in formats of edges: a Markov network with its contexts as texts of edges.

Of relational and possibilistic networks the graph alone is written. A graph with the attribute
`kind` = `markov-network` is read as a Markov network; other undirected graphs are patterns of
directed ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.core.errors import ModelFileError, PgmStudioError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.edge_lines import EdgeLine, quoted, read_contexts
from pgmstudio.core.io.models.shared.network_builder import network_in
from pgmstudio.core.io.models.shared.structure_only import (
    Structure,
    states_text,
    structure_lost,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Configuration, Edge, MarkovStructure
from pgmstudio.core.languages.markov_network.structure_text import short_contexts
from pgmstudio.core.languages.registry import scale_of
from pgmstudio.core.languages.table_checks import MAX_AXES, MAX_CELLS
from pgmstudio.core.model import Model, UndirectedModel, edges_of

if TYPE_CHECKING:
    import networkx as nx

# A short text can ask for contexts of any number; the ranks of more would take minutes.
MAX_CONFIGURATIONS = 1 << 12

Ends = tuple[str, str]


def file_of_structure(structure: Structure, title: str, format_name: str) -> ModelFile:
    """A file of edges alone: a Markov network if it states so, else a Bayesian network."""
    if structure.kind != MarkovNetwork.kind:
        return structure.file(title, format_name)
    lines = [
        EdgeLine(*ends, tuple(read_contexts(text, structure.path, at[0])), at[0])
        for ends, (at, text) in structure.undirected().items()
    ]
    return markov_file(structure, lines, title, format_name)


def markov_file(
    structure: Structure, lines: Iterable[EdgeLine], title: str, format_name: str
) -> ModelFile:
    """The uniform Markov network of edges and their contexts."""
    domain, path = structure.domain(format_name), structure.path
    lines = list(lines)
    plain = MarkovStructure.of_names(domain, [(line.source, line.target) for line in lines])
    contexts: dict[Edge, frozenset[Configuration]] = {}
    for line in lines:
        try:
            ends = domain.index(line.source), domain.index(line.target)
            edge = min(ends), max(ends)
            if line.contexts and plain.configuration_count(edge) > MAX_CONFIGURATIONS:
                raise ModelFileError(
                    path,
                    f"the ends of {plain.edge_text(edge)} have common neighbours with more than "
                    f"{MAX_CONFIGURATIONS} joint states; contexts of so many are not supported.",
                )
            for context in line.contexts:
                named = {name: state for name, state in context if state is not None}
                here = contexts.get(edge, frozenset()).union(plain.completions(edge, named))
                plain.check_contexts(edge, here)
                contexts[edge] = here
        except PgmStudioError as problem:
            raise ModelFileError(path, str(problem), line.number) from None
    _check_size(plain, path)
    whole = MarkovStructure(domain, plain.edges, contexts)
    return structure.file_of(MarkovNetwork.uniform(whole), title, format_name)


def _check_size(structure: MarkovStructure, path: Path) -> None:
    """Refuse potentials that would not fit into memory before any is made."""
    cells = 0
    try:
        cliques = structure.maximal_cliques
    except PgmStudioError as problem:
        raise ModelFileError(path, str(problem)) from None
    for clique in cliques:
        cells += math.prod(structure.domain.cardinalities[v] for v in clique)
        if len(clique) > MAX_AXES or cells > MAX_CELLS:
            names = ", ".join(structure.domain.names[v] for v in clique[:5])
            raise ModelFileError(
                path,
                f"{len(clique)} variables are all joined with each other ({names}, …); their "
                "potential would be too large. Remove edges or merge states.",
            )


def is_undirected(model: Model) -> bool:
    """Whether formats of edges hold the undirected graph of the model."""
    return isinstance(model, UndirectedModel)


def undirected_edges(model: Model) -> dict[Ends, str]:
    """The edges of an undirected graph; those of a Markov network with their contexts as
    `read_contexts` reads them."""
    if not isinstance(model, MarkovNetwork):
        return dict.fromkeys(edges_of(model), "")
    structure, names = model.structure, model.domain.names
    return {
        (names[i], names[j]): contexts_text(structure, (i, j)) for i, j in sorted(structure.edges)
    }


def directed_graph(file: ModelFile, path: Path, format_name: str) -> Dag:
    """The graph of a possibilistic network, or of the Bayesian network that the model is."""
    model = file.model
    if scale_of(model.kind) is Scale.PROBABILITY:
        return network_in(file, path, format_name).dag
    return Dag.from_edges(model.domain.names, edges_of(model))


def contexts_text(structure: MarkovStructure, edge: Edge) -> str:
    """The contexts of an edge: `3=1; 3=0, 4=1`; empty if it has none."""
    return "; ".join(
        ", ".join(f"{quoted(name)}={quoted(state)}" for name, state in context)
        for context in short_contexts(structure, edge)
    )


def structure_graph(file: ModelFile, path: Path, format_name: str) -> nx.Graph:
    """The graph for writers of networkx; states, titles and positions are attributes of nodes,
    contexts attributes of edges."""
    import networkx as nx

    if is_undirected(file.model):
        graph = nx.Graph(kind=file.model.kind)
        graph.add_nodes_from(file.model.domain.names)
        for ends, contexts in undirected_edges(file.model).items():
            graph.add_edge(*ends, **({"contexts": contexts} if contexts else {}))
    else:
        graph = directed_graph(file, path, format_name).to_networkx()
    if file.title:
        graph.graph["name"] = file.title
    for variable in file.model.domain:
        node = graph.nodes[variable.name]
        node["states"] = states_text(variable)
        if variable.name in file.titles:
            node["title"] = file.titles[variable.name]
        if variable.name in file.layout:
            node["x"], node["y"] = map(float, file.layout[variable.name])
    return graph


def edges_lost(file: ModelFile, format_name: str) -> tuple[str, ...]:
    """What a format of edges, directed or not, loses of a model."""
    if isinstance(file.model, MarkovNetwork):
        return structure_lost(file, format_name, language=MarkovNetwork)
    return structure_lost(file, format_name)
