"""The JSON document of a labelled DAG."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.codec import (
    NAMES,
    TABLE,
    Codec,
    Reading,
    by_variable,
    check_names,
    object_schema,
    parents_in,
    read_rows,
)
from pgmstudio.core.languages.ldag.model import LabelledDag


def encode_labelled(model: LabelledDag) -> tuple[dict[str, Any], dict[str, Any]]:
    names = model.domain.names
    parents = {name: list(model.dag.parents(name)) for name in names}
    classes = {n: c.ravel().tolist() for n, c in zip(names, model.classes, strict=True)}
    rows = {name: rows.tolist() for name, rows in zip(names, model.rows, strict=True)}
    return {"parents": parents, "classes": classes}, {"rows": rows}


def decode_labelled(reading: Reading) -> LabelledDag:
    """A class per combination of the parents, the last running fastest; a row per class."""
    domain = reading.domain
    listed, classes = reading.structure["parents"], reading.structure["classes"]
    rows = reading.parameters["rows"]
    check_names(domain, listed, classes, rows)
    edges, partitions, tables = [], [], []
    for variable in domain:
        parents = parents_in(reading, listed[variable.name], variable)
        edges += [(parent, variable.name) for parent in parents]
        shape = [domain[parent].cardinality for parent in parents]
        reading.checker.reserve(variable.name, shape)
        location = classes[variable.name]
        numbers = [element.whole() for element in location.elements()]
        if len(numbers) != math.prod(shape):
            location.fail(f"has {len(numbers)} classes instead of {math.prod(shape)}.")
        order = sorted(range(len(parents)), key=lambda axis: domain.index(parents[axis]))
        partitions.append(np.array(numbers, dtype=np.int64).reshape(shape).transpose(order))
        given = rows[variable.name]
        kinds = tuple(str(n + 1) for n in range(max(1, len(given.elements()))))
        tables.append(read_rows(reading, given, variable, [Variable("class", kinds)]))
    dag = Dag.from_edges(domain.names, edges)
    return LabelledDag(domain, dag, tuple(partitions), tuple(tables))


_CLASSES = {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}}
CODEC = Codec(
    encode_labelled,
    decode_labelled,
    {
        "structure": object_schema(
            parents=by_variable(NAMES),
            classes=by_variable(_CLASSES)
            | {
                "description": "The row of each combination of the parents' states, the last "
                "parent running fastest, counted from 0."
            },
        ),
        "parameters": object_schema(rows=by_variable(TABLE)),
    },
)
