"""bnlearn's model strings: [A][B|A][C|A:B], each node with its parents; edges alone."""

from __future__ import annotations

import re
from pathlib import Path

from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile, decode_text
from pgmstudio.core.io.models.shared.network_builder import network_in
from pgmstudio.core.io.models.shared.structure_only import Structure, structure_lost
from pgmstudio.core.io.models.shared.text_scanner import TextScanner, found_text

FORMAT = "A bnlearn model string"
_DELIMITERS = re.compile(r"[\[\]|:\r\n]")


class _Reader(TextScanner):
    BLANK = re.compile(r"\s*+")
    TOKEN = re.compile(r"[\[\]|:]|[^\[\]|:\r\n]++")


def parse(content: bytes, path: Path) -> ModelFile:
    """The network with the edges of a model string."""
    text, warnings = decode_text(content)
    reader, structure = _Reader(text, path), Structure(path)
    structure.warnings += warnings
    edges: list[tuple[str, str, int]] = []
    defined: set[str] = set()
    while token := reader.next_token():
        if token != "[":
            reader.fail(f"expected “[” and a node such as [B|A], {found_text(token)}.")
        child, at = _name(reader)
        if child in defined:
            reader.fail(f"{child} is there twice.", at)
        defined.add(child)
        structure.add_node(child, reader.at(at))
        mark = reader.next_token()
        while mark in ("|", ":"):
            parent, at = _name(reader)
            edges.append((parent, child, at))
            mark = reader.next_token()
        if mark != "]":
            reader.fail(f"expected “]” after {child}, {found_text(mark)}.")
    for parent, child, at in edges:
        if parent not in defined:
            reader.fail(f"{parent} is a parent of {child} but has no [{parent}] of its own.", at)
        structure.add_edge(parent, child, reader.at(at))
    return structure.file("", FORMAT)


def _name(reader: _Reader) -> tuple[str, int]:
    token = reader.next_token().strip()
    if not token or _DELIMITERS.search(token):
        reader.fail(f"expected the name of a node, {found_text(token)}.")
    return token, reader.start


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The string, parents before children, and what it cannot hold."""
    network = network_in(file, path, FORMAT)
    for name in network.domain.names:
        if _DELIMITERS.search(name) or name != name.strip():
            raise ModelFileError(
                path, f"the name “{name}” cannot stand in a model string. Rename it."
            )
    pieces = []
    for index in network.dag.topological_order:
        name = network.domain.names[index]
        parents = network.dag.parents(name)
        pieces.append(f"[{name}|{':'.join(parents)}]" if parents else f"[{name}]")
    lost = structure_lost(file, FORMAT, "states", "positions", "the title")
    return ("".join(pieces) + "\n").encode(), lost
