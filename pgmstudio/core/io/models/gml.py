"""GML, as networkx, igraph and yEd write it: `graph [ node [ id 0 label "A" ] … ]`; edges alone."""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from pgmstudio.core.io.models.files import ModelFile, decode_text
from pgmstudio.core.io.models.shared.structure_only import Structure, states_from_text
from pgmstudio.core.io.models.shared.text_scanner import TextScanner, found_text, number_of
from pgmstudio.core.io.models.shared.undirected_graphs import (
    edges_lost,
    file_of_structure,
    structure_graph,
)

FORMAT = "GML"
_DEEPEST = 16
_REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|#?[A-Za-z0-9]{1,31});")


@dataclass
class _Record:
    """A list in brackets: values by key, and the records inside it."""

    offset: int
    values: dict[str, str] = field(default_factory=dict)
    records: list[tuple[str, _Record]] = field(default_factory=list)


class _Reader(TextScanner):
    BLANK = re.compile(r"(?:\s++|#[^\n]*+)*+")
    TOKEN = re.compile(r'[\[\]]|"[^"]*+"|[^\s\[\]"]++|"')

    def record(self, depth: int = 0) -> _Record:
        """Keys and values up to the closing bracket, or the end of the file at the outside."""
        record = _Record(self.start)
        if depth > _DEEPEST:
            self.fail("the brackets are nested too deeply.")
        while (key := self.next_token()) != "]":
            if not key and depth:
                self.fail("a bracket is not closed.", record.offset)
            if not key:
                return record
            if not re.fullmatch(r"[A-Za-z]\w*", key):
                self.fail(f"expected a key, {found_text(key)}.")
            if self.take("["):
                record.records.append((key.lower(), self.record(depth + 1)))
                continue
            value = self.next_token()
            if not value or value in ("]", '"'):
                self.fail(f"expected a value after {key}, {found_text(value)}.")
            record.values[key.lower()] = value
        if not depth:
            self.fail("a bracket is closed that was not opened.")
        return record


def _text(value: str) -> str:
    return _REFERENCE.sub(_character, value[1:-1]) if value.startswith('"') else value


def _character(reference: re.Match[str]) -> str:
    """The sign a reference stands for; numbers mean themselves, also those HTML replaces."""
    if reference[1] is None:
        return html.unescape(reference[0])
    number = int(reference[1])
    is_character = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_character else reference[0]


def parse(content: bytes, path: Path) -> ModelFile:
    """The network with the edges of a GML text."""
    text, warnings = decode_text(content)
    reader, structure = _Reader(text, path), Structure(path)
    structure.warnings += warnings
    graphs = [record for key, record in reader.record().records if key == "graph"]
    if not graphs:
        structure.fail("holds no “graph [ … ]”; is it a GML file?")
    graph = graphs[0]
    directed = graph.values.get("directed", "0") == "1"
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key, node in graph.records:
        if key != "node":
            continue
        at = reader.at(node.offset)
        identifier = node.values.get("id", "")
        name = _text(node.values.get("label", identifier))
        if not identifier or identifier in names:
            structure.fail("a node has no id of its own.", at)
        if name in taken:
            structure.fail(f"there are two nodes called {name}.", at)
        taken.add(name)
        names[identifier] = name
        structure.add_node(name, at, states_from_text(_text(node.values.get("states", ""))))
        if "title" in node.values:
            structure.titles[name] = _text(node.values["title"])
        for inner, graphics in node.records:
            point = [number_of(graphics.values.get(axis, "")) for axis in ("x", "y")]
            if inner == "graphics" and not math.isnan(sum(point)):
                structure.layout[name] = (point[0], point[1])
    for key, edge in graph.records:
        if key == "edge":
            ends = [edge.values.get(end, "") for end in ("source", "target")]
            for end in ends:
                if end not in names:
                    structure.fail(
                        f"an edge leads to node {end or '?'}, which is not there.",
                        reader.at(edge.offset),
                    )
            source, target = (names[end] for end in ends)
            structure.add_edge(
                source,
                target,
                reader.at(edge.offset),
                directed=directed,
                contexts=_text(edge.values.get("contexts", "")),
            )
    structure.kind = _text(graph.values.get("kind", ""))
    return file_of_structure(structure, _text(graph.values.get("name", "")), FORMAT)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold."""
    import networkx as nx

    graph = structure_graph(file, path, FORMAT)
    for node in graph.nodes.values():
        if "x" in node:
            node["graphics"] = {"x": node.pop("x"), "y": node.pop("y")}
    text = "\n".join([*nx.generate_gml(graph), ""])
    return text.encode(), edges_lost(file, FORMAT)
