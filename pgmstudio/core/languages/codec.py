"""Codecs between models and JSON documents, and common parts of the codecs of languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.json_documents import JsonElement
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.languages.table_checks import TableChecker, row_namer
from pgmstudio.core.model import Model


@dataclass(frozen=True, slots=True)
class Reading:
    """The input of a decoder: the domain, both entries of the document, the checker of tables."""

    path: Path
    domain: Domain
    structure: JsonElement
    parameters: JsonElement
    checker: TableChecker


@dataclass(frozen=True, slots=True)
class Codec:
    """`encode` gives the entries `structure` and `parameters`; `decode` checks and reads them.

    `schema` has the JSON schema of each of the two; it may refer to the definitions `names`,
    `table` and `weights` of the model file's schema.
    """

    encode: Callable[[Any], tuple[dict[str, Any], dict[str, Any]]]
    decode: Callable[[Reading], Model]
    schema: Mapping[str, Any]


def codec_of(kind: str) -> Codec | None:
    """The codec of a language; None if it is unknown or has no file format."""
    row = LANGUAGES.get(kind)
    return None if row is None or row.codec is None else row.codec.load()


def saved_kinds() -> tuple[str, ...]:
    """The kinds of models that can be saved."""
    return tuple(kind for kind, row in LANGUAGES.items() if row.codec is not None)


def parents_in(reading: Reading, location: JsonElement, variable: Variable) -> list[str]:
    """The parents of a variable, which exist and differ."""
    names = list(location.texts())
    for name in names:
        if name not in reading.domain:
            location.fail(f"there is no variable “{name}”.")
    if len(set(names)) != len(names) or variable.name in names:
        location.fail("a parent is named twice, or the variable itself.")
    return names


def read_rows(
    reading: Reading, location: JsonElement, variable: Variable, givens: list[Variable]
) -> Floats:
    """The rows of a table P(variable | givens), checked and each summing to 1."""
    shape = (*(given.cardinality for given in givens), variable.cardinality)
    reading.checker.reserve(variable.name, shape)
    count = int(np.prod(shape[:-1], dtype=np.int64))
    listed = location.elements()
    if len(listed) != count:
        location.fail(f"has {len(listed)} rows instead of {count}.")
    for row in listed:
        numbers = row.value
        if not isinstance(numbers, list) or len(numbers) != variable.cardinality:
            row.fail(f"expected a row of {variable.cardinality} numbers, one per state.")
        if not all(type(number) in (float, int) for number in numbers):
            for element in row.elements():
                element.number()
    table = np.array(location.value, dtype=np.float64).reshape(count, variable.cardinality)
    return reading.checker.checked(variable.name, table, row_namer(givens), lambda row: None)


def read_weights(reading: Reading) -> Floats:
    """The weights of components, which sum to 1."""
    location = reading.parameters["weights"]
    weights = np.array([element.number() for element in location.elements()], dtype=np.float64)
    if not (weights.size and (weights >= 0).all() and abs(weights.sum() - 1) < 1e-6):
        location.fail("the weights of the components have to be at least 0 and sum to 1.")
    return weights


def check_names(domain: Domain, *locations: JsonElement) -> None:
    """Refuse an entry whose name is no variable."""
    for index in locations:
        for name, inside in index.entries():
            if name not in domain:
                inside.fail("there is no such variable.")


def object_schema(**properties: Any) -> dict[str, Any]:
    """The schema of an object that has exactly these entries."""
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


def by_variable(items: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with an entry for each variable."""
    return {"type": "object", "additionalProperties": dict(items)}


NAMES = {"$ref": "#/$defs/names"}
TABLE = {"$ref": "#/$defs/table"}
WEIGHTS = {"$ref": "#/$defs/weights"}
