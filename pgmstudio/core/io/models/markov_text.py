"""Markov networks as text: one edge per line with the contexts in which it vanishes.

    2 -- 5 : 3=1
    A -- B : C=yes, D=no; C=no

Common neighbours that are not named may have any state. A name alone is a variable without
neighbours. See `shared.edge_lines` for the form.
"""

from __future__ import annotations

from pathlib import Path

from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.edge_lines import head_lines, quoted, read_edge_text
from pgmstudio.core.io.models.shared.network_builder import model_in
from pgmstudio.core.io.models.shared.structure_only import structure_lost
from pgmstudio.core.io.models.shared.undirected_graphs import contexts_text, markov_file
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure

FORMAT = "Markov network text"


def parse(content: bytes, path: Path) -> ModelFile:
    """The Markov network of a text, uniform until it is fitted to data."""
    text = read_edge_text(content, path, "--")
    return markov_file(text.structure(path, directed=False), text.edges, text.title, FORMAT)


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
        contexts = contexts_text(structure, edge)
        lines.append(f"{line} : {contexts}" if contexts else line)
    return lines
