"""networkx node-link JSON: a list of nodes and a list of links; edges alone, no tables."""

from __future__ import annotations

import json
from pathlib import Path

from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.shared.network_builder import NOWHERE
from pgmstudio.core.io.models.shared.structure_only import Structure
from pgmstudio.core.json_documents import JsonElement, parse_json, render_json

FORMAT = "node-link JSON"
_LINKS = ("links", "edges")


def is_node_link(document: JsonElement) -> bool:
    """Whether a JSON document is a node-link one and no native model."""
    value = document.value
    return isinstance(value, dict) and "schema" not in value and "nodes" in value


def parse(content: bytes, path: Path) -> ModelFile:
    """The network with the edges of a node-link document."""
    return node_link_file(parse_json(content, path), path)


def node_link_file(document: JsonElement, path: Path) -> ModelFile:
    """The network with the edges of a document that is read already."""
    # Loads Markov networks, and every native file asks whether it is a node-link one.
    from pgmstudio.core.io.models.shared.undirected_graphs import file_of_structure

    structure = Structure(path)
    directed = document.get("directed")
    for node in document["nodes"].elements():
        name = _name(node["id"])
        states, pos = node.get("states"), node.get("pos")
        structure.add_node(name, NOWHERE, None if states is None else states.texts())
        if pos is not None:
            structure.layout[name] = pos.point()
        if (node_title := node.get("title")) is not None:
            structure.titles[name] = node_title.text()
    key = next((key for key in _LINKS if key in document.mapping()), _LINKS[0])
    for link in document[key].elements():
        source, target = _name(link["source"]), _name(link["target"])
        is_directed = directed is None or directed.yes_no()
        contexts = link.get("contexts")
        structure.add_edge(
            source,
            target,
            NOWHERE,
            directed=is_directed,
            contexts="" if contexts is None else contexts.text(),
        )
    title = ""
    if (graph := document.get("graph")) is not None:
        if (name_place := graph.get("name")) is not None:
            title = name_place.text()
        if (kind := graph.get("kind")) is not None:
            structure.kind = kind.text()
    return file_of_structure(structure, title, FORMAT)


def _name(location: JsonElement) -> str:
    """Node ids may be numbers."""
    if isinstance(location.value, int) and not isinstance(location.value, bool):
        return str(location.value)
    return location.text()


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The document, and what it cannot hold."""
    import networkx as nx

    from pgmstudio.core.io.models.shared.undirected_graphs import edges_lost, structure_graph

    graph = structure_graph(file, path, FORMAT)
    for node in graph.nodes.values():
        node["states"] = json.loads(node["states"])
        if "x" in node:
            node["pos"] = [node.pop("x"), node.pop("y")]
    document = nx.node_link_data(graph, edges=_LINKS[0])
    return render_json(document), edges_lost(file, FORMAT)
