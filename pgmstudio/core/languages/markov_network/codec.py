"""The JSON document of a Markov network."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.json_documents import JsonElement
from pgmstudio.core.languages.codec import NAMES, Codec, Reading, object_schema
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure, edge_of


def encode_markov(model: MarkovNetwork) -> tuple[dict[str, Any], dict[str, Any]]:
    structure, names = model.structure, model.domain.names
    contexts = [
        {
            "edge": [names[v] for v in edge],
            "given": [names[v] for v in structure.common_neighbours(*edge)],
            "states": [
                [
                    model.domain.variables[v].states[code]
                    for v, code in zip(structure.common_neighbours(*edge), element, strict=True)
                ]
                for element in sorted(elements)
            ],
        }
        for edge, elements in structure.contexts.items()
    ]
    potentials = [
        {"clique": [names[v] for v in clique], "values": table.ravel().tolist()}
        for clique, table in zip(structure.maximal_cliques, model.potentials, strict=True)
    ]
    edges = [[names[v] for v in edge] for edge in sorted(structure.edges)]
    return {"edges": edges, "contexts": contexts}, {"potentials": potentials}


def decode_markov(reading: Reading) -> MarkovNetwork:
    """A potential for every maximal clique, its last variable running fastest."""
    domain = reading.domain
    edges = [_edge(reading, entry) for entry in reading.structure["edges"].elements()]
    try:
        plain = MarkovStructure(domain, frozenset(edges))
    except PgmStudioError as problem:
        reading.structure["edges"].fail(str(problem))
    contexts: dict[Edge, frozenset[tuple[int, ...]]] = {}
    for entry in reading.structure["contexts"].elements():
        edge = _edge(reading, entry["edge"])
        given = _variables(reading, entry["given"])
        common = plain.common_neighbours(*edge)
        if sorted(given) != list(common):
            names = ", ".join(domain.names[v] for v in common) or "none"
            entry["given"].fail(f"the common neighbours of the edge are: {names}.")
        elements = []
        for states in entry["states"].elements():
            listed = states.texts()
            if len(listed) != len(given):
                states.fail(f"expected {len(given)} states, one of each variable in “given”.")
            codes = {}
            for v, state in zip(given, listed, strict=True):
                try:
                    codes[v] = domain.variables[v].code(state)
                except PgmStudioError as problem:
                    states.fail(str(problem))
            elements.append(tuple(codes[v] for v in common))
        contexts[edge] = frozenset(elements)
    try:
        structure = MarkovStructure(domain, frozenset(edges), contexts)
    except PgmStudioError as problem:
        reading.structure.fail(str(problem))
    tables = {}
    for entry in reading.parameters["potentials"].elements():
        clique = _variables(reading, entry["clique"])
        shape = [domain.cardinalities[v] for v in clique]
        reading.checker.reserve(", ".join(domain.names[v] for v in clique), shape)
        values = [element.number() for element in entry["values"].elements()]
        if len(values) != math.prod(shape):
            entry["values"].fail(f"has {len(values)} numbers instead of {math.prod(shape)}.")
        table = np.array(values, dtype=np.float64).reshape(shape)
        tables[tuple(sorted(clique))] = table.transpose(np.argsort(clique))
    if set(tables) != set(structure.maximal_cliques):
        lacking = set(structure.maximal_cliques) ^ set(tables)
        names = ", ".join(domain.names[v] for v in min(lacking))
        reading.parameters["potentials"].fail(
            f"there has to be one potential for every maximal clique and no other; see {names}."
        )
    try:
        potentials = tuple(tables[clique] for clique in structure.maximal_cliques)
        return MarkovNetwork(structure, potentials)
    except PgmStudioError as problem:
        reading.parameters["potentials"].fail(str(problem))


def _variables(reading: Reading, entry: JsonElement) -> list[int]:
    names = entry.texts()
    for name in names:
        if name not in reading.domain:
            entry.fail(f"there is no variable “{name}”.")
    if len(set(names)) != len(names):
        entry.fail("a variable is named twice.")
    return [reading.domain.index(name) for name in names]


def _edge(reading: Reading, entry: JsonElement) -> Edge:
    ends = _variables(reading, entry)
    if len(ends) != 2:
        entry.fail("an edge has two variables.")
    return edge_of(*ends)


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_EDGE = NAMES | {"minItems": 2, "maxItems": 2}
CODEC = Codec(
    encode_markov,
    decode_markov,
    {
        "structure": object_schema(
            edges=_list(_EDGE),
            contexts=_list(object_schema(edge=_EDGE, given=NAMES, states=_list(NAMES)))
            | {
                "description": "The states of the common neighbours of an edge in which it "
                "vanishes."
            },
        ),
        "parameters": object_schema(
            potentials=_list(
                object_schema(clique=NAMES, values=_list({"type": "number", "minimum": 0}))
            )
            | {
                "description": "A number for each joint state of every maximal clique, the last "
                "variable running fastest."
            }
        ),
    },
)
