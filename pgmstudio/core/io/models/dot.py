"""DOT, the language of Graphviz: edges, with states, titles and positions as attributes.

Positions are in points with y upwards. A CPDAG (edges with dir=none, or a `graph` with --) is
directed where that is possible without a new v-structure. A Markov network is a `graph` with the
attribute kind="markov-network"; contexts are attributes of its edges.
"""

from __future__ import annotations

from pathlib import Path

from pgmstudio.core.io.models.files import ModelFile, decode_text
from pgmstudio.core.io.models.shared.graph_text import GraphTextReader, graph_text, quoted
from pgmstudio.core.io.models.shared.structure_only import states_text
from pgmstudio.core.io.models.shared.undirected_graphs import (
    directed_graph,
    edges_lost,
    file_of_structure,
    is_undirected,
    undirected_edges,
)

FORMAT = "DOT"


def parse(content: bytes, path: Path) -> ModelFile:
    """The network with the edges of a DOT text."""
    text, warnings = decode_text(content)
    reader = GraphTextReader(text, path, FORMAT)
    structure = reader.read()
    structure.warnings += warnings
    structure.layout = {name: (x, 0.0 - y) for name, (x, y) in structure.layout.items()}
    return file_of_structure(structure, reader.title, FORMAT)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold."""
    lines = []
    for variable in file.model.domain:
        attributes = []
        if variable.name in file.titles:
            attributes.append(f"label={quoted(file.titles[variable.name])}")
        if variable.name in file.layout:
            x, y = map(float, file.layout[variable.name])
            attributes.append(f'pos="{x!r},{0.0 - y!r}!"')
        attributes.append(f"states={quoted(states_text(variable))}")
        lines.append(f"{quoted(variable.name)} [{', '.join(attributes)}];")
    if is_undirected(file.model):
        lines.insert(0, f"kind={quoted(file.model.kind)};")
        for (one, other), contexts in undirected_edges(file.model).items():
            shown = f" [label={quoted(contexts)}, contexts={quoted(contexts)}]" if contexts else ""
            lines.append(f"{quoted(one)} -- {quoted(other)}{shown};")
    else:
        edges = directed_graph(file, path, FORMAT).edges
        lines += [f"{quoted(source)} -> {quoted(target)};" for source, target in edges]
    kind = "graph" if is_undirected(file.model) else "digraph"
    return graph_text(kind, file.title, lines), edges_lost(file, FORMAT)
