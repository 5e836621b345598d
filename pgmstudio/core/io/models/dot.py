"""DOT, the language of Graphviz: edges, with states, titles and positions as attributes.

Positions are in points with y upwards. A CPDAG (edges with dir=none, or a `graph` with --) is
directed where that is possible without a new v-structure.
"""

from __future__ import annotations

from pathlib import Path

from pgmstudio.core.io.models.files import ModelFile, decode_text
from pgmstudio.core.io.models.shared.graph_text import GraphTextReader, graph_text, quoted
from pgmstudio.core.io.models.shared.network_builder import network_in
from pgmstudio.core.io.models.shared.structure_only import states_text, structure_lost

FORMAT = "DOT"


def parse(content: bytes, path: Path) -> ModelFile:
    """The network with the edges of a DOT text."""
    text, warnings = decode_text(content)
    reader = GraphTextReader(text, path, FORMAT)
    structure = reader.read()
    structure.warnings += warnings
    structure.layout = {name: (x, 0.0 - y) for name, (x, y) in structure.layout.items()}
    return structure.file(reader.title, FORMAT)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold."""
    network = network_in(file, path, FORMAT)
    lines = []
    for variable in network.domain:
        attributes = []
        if variable.name in file.titles:
            attributes.append(f"label={quoted(file.titles[variable.name])}")
        if variable.name in file.layout:
            x, y = map(float, file.layout[variable.name])
            attributes.append(f'pos="{x!r},{0.0 - y!r}!"')
        attributes.append(f"states={quoted(states_text(variable))}")
        lines.append(f"{quoted(variable.name)} [{', '.join(attributes)}];")
    lines += [f"{quoted(source)} -> {quoted(target)};" for source, target in network.edges]
    return graph_text("digraph", file.title, lines), structure_lost(file, FORMAT)
