"""GraphML, as networkx, igraph and yEd write it; edges alone, states and places as data."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.identifiers import safe_names
from pgmstudio.core.io.models.shared.structure_only import Structure, states_from_text
from pgmstudio.core.io.models.shared.text_scanner import number_of
from pgmstudio.core.io.models.shared.undirected_graphs import (
    edges_lost,
    file_of_structure,
    structure_graph,
)
from pgmstudio.core.io.models.shared.xml_tree import Element, fits_xml, parse_xml

FORMAT = "GraphML"


def parse(content: bytes, path: Path) -> ModelFile:
    """The network with the edges of a GraphML file."""
    root, warnings = parse_xml(content, path)
    structure = Structure(path)
    structure.warnings += warnings
    graphs = [graph for top in root.all("GRAPHML") for graph in top.all("GRAPH")]
    if not graphs:
        structure.fail("holds no <graphml> with a <graph> in it; is it a GraphML file?")
    keys = {
        key.attributes.get("ID", ""): key.attributes.get("ATTR.NAME", "").lower()
        for top in root.all("GRAPHML")
        for key in top.all("KEY")
    }
    directed = graphs[0].attributes.get("EDGEDEFAULT", "directed") != "undirected"
    nodes = list(_inside(graphs[0], "NODE"))
    names = _names(structure, nodes, keys)
    for node in nodes:
        name = names[node.attributes["ID"]]
        data = _data(node, keys)
        structure.add_node(name, node.at, states_from_text(data.get("states", "")))
        title = _ours(data.get("title", ""))
        if title not in ("", name):
            structure.titles[name] = title
        point = [number_of(data.get(axis, "")) for axis in ("x", "y")]
        for drawn in _inside(node, "Y:GEOMETRY"):
            box = [
                number_of(drawn.attributes.get(side, "0")) for side in ("X", "WIDTH", "Y", "HEIGHT")
            ]
            point = [box[0] + box[1] / 2, box[2] + box[3] / 2]
        if not math.isnan(sum(point)):
            structure.layout[name] = (point[0], point[1])
    for edge in _inside(graphs[0], "EDGE"):
        ends = [edge.attributes.get(end, "") for end in ("SOURCE", "TARGET")]
        for end in ends:
            if end not in names:
                structure.fail(f"an edge leads to “{end}”, which is no node.", edge.at)
        is_directed = edge.attributes.get("DIRECTED", str(directed)).lower() == "true"
        structure.add_edge(
            names[ends[0]],
            names[ends[1]],
            edge.at,
            directed=is_directed,
            contexts=_ours(_data(edge, keys).get("contexts", "")),
        )
    described = _data(graphs[0], keys)
    structure.kind = described.get("kind", "")
    title = _ours(described.get("name", "")) or graphs[0].attributes.get("ID", "")
    return file_of_structure(structure, "" if title == "G" else title, FORMAT)


def _inside(element: Element, tag: str) -> Iterator[Element]:
    """Elements at any depth: groups of yEd hold graphs of their own."""
    for child in element.children:
        if child.tag == tag:
            yield child
        yield from _inside(child, tag)


def _data(element: Element, keys: dict[str, str]) -> dict[str, str]:
    entries = {}
    for inside in element.all("DATA"):
        key = inside.attributes.get("KEY", "")
        entries[keys.get(key) or key.lower()] = inside.text
    return entries


def _names(structure: Structure, nodes: list[Element], keys: dict[str, str]) -> dict[str, str]:
    """What the nodes are called: as we wrote, by the labels of yEd, or by their ids."""
    names: dict[str, str] = {}
    for node in nodes:
        identifier = node.attributes.get("ID", "")
        if not identifier or identifier in names:
            structure.fail("a <node> has no id of its own.", node.at)
        names[identifier] = _ours(_data(node, keys).get("name", "")) or identifier
    labels = [next((e.text for e in _inside(node, "Y:NODELABEL")), "") for node in nodes]
    if all(labels) and len(set(labels)) == len(nodes):
        return dict(zip(names, labels, strict=True))
    if len(set(names.values())) < len(names):
        return {identifier: identifier for identifier in names}
    return names


def _ours(text: str) -> str:
    """A text we may have put in brackets, because XML cannot hold it as it is."""
    inside = states_from_text(text)
    return inside[0] if inside is not None and len(inside) == 1 else text


def _held(text: str) -> str:
    """A text as XML holds it: characters that it cannot hold are escapes of JSON."""
    return text if fits_xml(text) and _ours(text) == text else json.dumps([text])


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text, and what it cannot hold."""
    import networkx as nx

    graph = structure_graph(file, path, FORMAT)
    plain = {name: name for name in graph if fits_xml(name) and not re.search(r"[^\S ]", name)}
    ids = plain | safe_names([name for name in graph if name not in plain], reserved=plain)
    if file.title:
        graph.graph["name"] = _held(file.title)
    for name, node in graph.nodes.items():
        if not fits_xml(node["states"]):
            node["states"] = json.dumps(json.loads(node["states"]))
        if ids[name] != name:
            node["name"] = _held(name)
        if "title" in node:
            node["title"] = _held(node["title"])
    for *_, edge in graph.edges(data=True):
        if "contexts" in edge:
            edge["contexts"] = _held(edge["contexts"])
    stream = io.BytesIO()
    nx.write_graphml_xml(nx.relabel_nodes(graph, ids), stream)
    return stream.getvalue(), edges_lost(file, FORMAT)
