"""Markov networks as text: one edge per line with the contexts in which it vanishes.

    2 -- 5 : 3=1
    A -- B : C=yes, D=no; C=no

Common neighbours that are not named may have any state. A name alone is a variable without
neighbours. See `shared.edge_lines` for the form.
"""

from __future__ import annotations

import math
from pathlib import Path

from pgmstudio.core.errors import ModelFileError, PgmStudioError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.edge_lines import head_lines, quoted, read_edge_text
from pgmstudio.core.io.models.shared.network_builder import model_in
from pgmstudio.core.io.models.shared.structure_only import structure_lost
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Configuration, Edge, MarkovStructure
from pgmstudio.core.languages.markov_network.structure_text import short_contexts
from pgmstudio.core.languages.table_checks import MAX_AXES, MAX_CELLS

FORMAT = "Markov network text"
# A short line can ask for contexts of any number; the ranks of more would take minutes.
MAX_CONFIGURATIONS = 1 << 12


def parse(content: bytes, path: Path) -> ModelFile:
    """The Markov network of a text, uniform until it is fitted to data."""
    text = read_edge_text(content, path, "--")
    nodes = text.structure(path, directed=False)
    domain = nodes.domain(FORMAT)
    plain = MarkovStructure.of_names(domain, [(edge.source, edge.target) for edge in text.edges])
    contexts: dict[Edge, frozenset[Configuration]] = {}
    for line in text.edges:
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
    structure = MarkovStructure(domain, plain.edges, contexts)
    return nodes.file_of(MarkovNetwork.uniform(structure), text.title, FORMAT)


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


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold."""
    model = model_in(file, path, MarkovNetwork, f"{FORMAT} holds Markov networks")
    lines = [*head_lines(file, model.domain), *edge_lines(model.structure)]
    titles = ["titles"] if file.titles else []
    lost = structure_lost(file, FORMAT, *titles, language=MarkovNetwork, called="Markov network")
    return ("\n".join(lines) + "\n").encode(), lost


def edge_lines(structure: MarkovStructure) -> list[str]:
    """One line for each edge: `2 -- 5 : 3=1`."""
    lines = []
    for edge in sorted(structure.edges):
        line = " -- ".join(quoted(structure.domain.names[v]) for v in edge)
        contexts = "; ".join(
            ", ".join(f"{quoted(name)}={quoted(state)}" for name, state in context)
            for context in short_contexts(structure, edge)
        )
        lines.append(f"{line} : {contexts}" if contexts else line)
    return lines
