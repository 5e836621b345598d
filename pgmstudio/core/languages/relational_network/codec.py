"""The JSON document of a relational network."""

from __future__ import annotations

from typing import Any

import numpy as np

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.languages.codec import NAMES, Codec, Reading, object_schema
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.relational_network.model import RelationalNetwork


def encode(model: RelationalNetwork) -> tuple[dict[str, Any], dict[str, Any]]:
    projections = []
    for clique, tuples in zip(model.structure.maximal_cliques, model.projections, strict=True):
        variables = [model.domain.variables[v] for v in clique]
        states = [
            [variable.states[code] for variable, code in zip(variables, one, strict=True)]
            for one in tuples.T.tolist()
        ]
        projections.append({"variables": [v.name for v in variables], "tuples": states})
    return {"edges": [list(edge) for edge in model.undirected_edges]}, {"projections": projections}


def decode(reading: Reading) -> RelationalNetwork:
    """The possible tuples of every maximal clique, as names of states."""
    domain = reading.domain
    edges = reading.structure["edges"]
    try:
        structure = MarkovStructure.of_names(domain, [_pair(e.texts()) for e in edges.elements()])
    except (PgmStudioError, ValueError) as problem:
        edges.fail(str(problem))
    relations = {}
    for entry in reading.parameters["projections"].elements():
        try:
            variables = domain.restricted_to(entry["variables"].texts())
            coded = [_codes(variables, one.texts()) for one in entry["tuples"].elements()]
        except (PgmStudioError, ValueError) as problem:
            entry.fail(str(problem))
        scope = [domain.index(name) for name in variables.names]
        tuples = np.array(coded, dtype=np.int64).reshape(-1, len(scope)).T
        relations[tuple(sorted(scope))] = tuples[np.argsort(scope)]
    if set(relations) != set(structure.maximal_cliques):
        reading.parameters["projections"].fail(
            "there has to be one projection for every maximal clique of the graph and no other."
        )
    try:
        return RelationalNetwork(structure, tuple(relations[c] for c in structure.maximal_cliques))
    except PgmStudioError as problem:
        reading.parameters["projections"].fail(str(problem))


def _pair(names: tuple[str, ...]) -> tuple[str, str]:
    if len(names) != 2:
        raise ValueError("an edge has two variables.")
    return names[0], names[1]


def _codes(variables: Domain, states: tuple[str, ...]) -> list[int]:
    if len(states) != len(variables):
        raise ValueError(f"a tuple has {len(variables)} states, not {len(states)}.")
    return [variable.code(state) for variable, state in zip(variables, states, strict=True)]


_EDGE = NAMES | {"minItems": 2, "maxItems": 2}
CODEC = Codec(
    encode,
    decode,
    {
        "structure": object_schema(edges={"type": "array", "items": _EDGE}),
        "parameters": object_schema(
            projections={
                "type": "array",
                "items": object_schema(variables=NAMES, tuples={"type": "array", "items": NAMES}),
                "description": "The possible tuples of every maximal clique, as names of states.",
            }
        ),
    },
)
