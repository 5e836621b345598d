"""The JSON document of a probabilistic decision graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.json_documents import JsonElement
from pgmstudio.core.languages.codec import (
    TABLE,
    Codec,
    Reading,
    by_variable,
    check_names,
    object_schema,
    read_rows,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph


def encode_graph(graph: DecisionGraph) -> tuple[dict[str, Any], dict[str, Any]]:
    names = graph.domain.names
    above = {names[i]: names[p] for i, p in enumerate(graph.forest) if p is not None}
    edges = {
        name: heads.tolist()
        for name, heads in zip(names, graph.successors, strict=True)
        if heads is not None
    }
    nodes = {name: rows.tolist() for name, rows in zip(names, graph.parameters, strict=True)}
    return {"above": above, "successors": edges}, {"nodes": nodes}


def decode_graph(reading: Reading) -> DecisionGraph:
    """A row of numbers per node; a row of nodes per node of the variable above, from 0."""
    domain = reading.domain
    above, edges = reading.structure["above"], reading.structure["successors"]
    nodes = reading.parameters["nodes"]
    check_names(domain, above, edges, nodes)
    forest: list[int | None] = []
    parameters, successors = [], list[NDArray[np.int64] | None]()
    for variable in domain:
        upper = above.get(variable.name)
        if upper is not None and upper.text() not in domain:
            upper.fail(f"there is no variable “{upper.text()}”.")
        forest.append(None if upper is None else domain.index(upper.text()))
        listed = nodes[variable.name]
        numbers = tuple(str(n + 1) for n in range(max(1, len(listed.elements()))))
        parameters.append(read_rows(reading, listed, variable, [Variable("node", numbers)]))
        given = edges.get(variable.name)
        successors.append(None if given is None else _integers(given))
    return DecisionGraph(domain, tuple(forest), tuple(parameters), tuple(successors))


def _integers(location: JsonElement) -> NDArray[np.int64]:
    rows = [[element.whole() for element in row.elements()] for row in location.elements()]
    if not rows or len({len(row) for row in rows}) != 1:
        location.fail("expected rows of equal length, one per node of the variable above.")
    return np.array(rows, dtype=np.int64)


_INDEX = {"type": "integer", "minimum": 0}
_ROW = {"type": "array", "minItems": 1, "items": _INDEX}
CODEC = Codec(
    encode_graph,
    decode_graph,
    {
        "structure": object_schema(
            above=by_variable({"type": "string"})
            | {"description": "The forest of variables: the parent of each that is no root."},
            successors=by_variable({"type": "array", "minItems": 1, "items": _ROW})
            | {
                "description": "For every node of the parent variable (row) and each of its "
                "states, the node that comes next, counted from 0."
            },
        ),
        "parameters": object_schema(nodes=by_variable(TABLE)),
    },
)
