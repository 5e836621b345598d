"""The JSON document of a possibilistic network."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.join_tree import NORMS
from pgmstudio.core.languages.codec import (
    NAMES,
    Codec,
    Reading,
    by_variable,
    check_names,
    object_schema,
    parents_in,
)
from pgmstudio.core.languages.possibilistic_network.model import (
    CONVENTIONS,
    PossibilisticNetwork,
)


def encode(model: PossibilisticNetwork) -> tuple[dict[str, Any], dict[str, Any]]:
    parents = {name: list(model.dag.parents(name)) for name in model.domain.names}
    degrees = {
        variable.name: table.reshape(-1, variable.cardinality).tolist()
        for variable, table in zip(model.domain, model.degrees, strict=True)
    }
    structure = {"parents": parents, "norm": model.norm, "convention": model.convention}
    return structure, {"degrees": degrees}


def decode(reading: Reading) -> PossibilisticNetwork:
    """A row of degrees for every combination of the parents, the last running fastest."""
    domain = reading.domain
    listed, given = reading.structure["parents"], reading.parameters["degrees"]
    check_names(domain, listed, given)
    tables = []
    edges = []
    for variable in domain:
        names = parents_in(reading, listed[variable.name], variable)
        edges += [(name, variable.name) for name in names]
        order = [domain.index(name) for name in names]
        shape = [domain.cardinalities[v] for v in order]
        reading.checker.reserve(variable.name, (*shape, variable.cardinality))
        rows = given[variable.name].elements()
        numbers = [[cell.number() for cell in row.elements()] for row in rows]
        if len(rows) != math.prod(shape) or any(len(r) != variable.cardinality for r in numbers):
            given[variable.name].fail(
                f"expected {math.prod(shape)} rows of {variable.cardinality} degrees."
            )
        table = np.array(numbers, dtype=np.float64).reshape(*shape, variable.cardinality)
        axes = sorted(range(len(order)), key=order.__getitem__)
        tables.append(table.transpose(*axes, len(order)))
    try:
        return PossibilisticNetwork(
            domain,
            Dag.from_edges(domain.names, edges),
            tuple(tables),
            reading.structure["norm"].text(),
            reading.structure["convention"].text(),
        )
    except PgmStudioError as problem:
        reading.structure.fail(str(problem))


_DEGREES = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}},
}
CODEC = Codec(
    encode,
    decode,
    {
        "structure": object_schema(
            parents=by_variable(NAMES),
            norm={"enum": list(NORMS)},
            convention={"enum": list(CONVENTIONS)},
        ),
        "parameters": object_schema(
            degrees=by_variable(_DEGREES)
            | {
                "description": "A row of degrees of possibility for every combination of the "
                "parents, the last running fastest."
            }
        ),
    },
)
