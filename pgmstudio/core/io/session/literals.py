"""Values of commands as literals of Python, and back.

Rows of the project are written by the id of their data set. Models and tables that are small are
written as their content; `NoText` is raised for larger ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import PgmStudioError, UnknownNameError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.io.evidence import evidence_document, read_evidence
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import (
    SCHEMA,
    VERSION,
    document_of,
    file_of_document,
    read_variables,
    variables_document,
)
from pgmstudio.core.json_documents import JsonElement
from pgmstudio.core.languages.codec import codec_of
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import (
    ComparisonEntry,
    DataEntry,
    ModelEntry,
    Project,
    fingerprints,
    restored_params,
)
from pgmstudio.core.project.runs import training_rows

MAX_NUMBERS = 10_000  # in one argument; larger tables are stored beside the script
MAX_VALUES = 2_000  # of a model or a table of rows
# What an entry of the project has besides its models and rows, where it is written as text.
_ENTRY_FIELDS: Mapping[type, tuple[str, ...]] = {
    ModelEntry: (
        *("title", "model", "data_id", "run_id", "is_edited", "layouts", "display_modes"),
        *("node_titles", "notes", "node_notes", "edge_notes", "provenance"),
    ),
    DataEntry: ("name", "data", "source", "missing_markers", "notes", "provenance"),
}
_ENVELOPE: Mapping[str, Any] = {"schema": SCHEMA, "version": VERSION}


class NoText(Exception):
    """A value or an edit that cannot be written as text."""


def literal(value: Any, project: Project) -> Any:
    """The value as numbers, texts, lists, tuples, sets and dicts; NoText when it is none."""
    match value:
        case np.generic():
            return literal(value.item(), project)
        case float():
            if not math.isfinite(value):
                raise NoText
            return value
        case None | bool() | int() | str():
            return value
        case np.ndarray():
            if value.size > MAX_NUMBERS or value.dtype == object:
                raise NoText
            return literal(value.tolist(), project)
        case Variable() | ComparisonEntry():
            return {key: literal(entry, project) for key, entry in asdict(value).items()}
        case Knowledge() | EdgePrices():
            return {key: literal(entry, project) for key, entry in vars(value).items()}
        case Observed() | Excluded() | Likelihood() | Done():
            return evidence_document({"": value})[""]
        case DataSet():
            reference = _reference(value, project)
            return _rows_literal(value) if reference is None else reference
        case Model():
            return _model_literal(value)
        case ModelEntry() | DataEntry():
            return _entry_literal(value, project)
        case Mapping():
            return {literal(k, project): literal(entry, project) for k, entry in value.items()}
        case list():
            return [literal(entry, project) for entry in value]
        case tuple():
            return tuple(literal(entry, project) for entry in value)
        case set() | frozenset():
            return {literal(entry, project) for entry in value} or ()
        case _:
            raise NoText


def _model_literal(model: Model) -> dict[str, Any]:
    """The entries of a model file that make the model."""
    if codec_of(model.kind) is None:
        raise NoText
    document = document_of(ModelFile(model))
    if _size(document) > MAX_VALUES:
        raise NoText
    return {name: value for name, value in document.items() if name not in _ENVELOPE}


def _model_of(value: Any) -> Model:
    document = {**value, **_ENVELOPE}
    return file_of_document(JsonElement(document, Path("model")), Path("model")).model


def _rows_literal(data: DataSet) -> dict[str, Any]:
    """The variables and the rows as states; None for a missing cell."""
    if data.row_count * len(data.domain) > MAX_VALUES or isinstance(data, ImpreciseData):
        raise NoText
    columns = [
        [None if code == data.missing_code else variable.states[code] for code in column]
        for variable, column in zip(data.domain, data.codes.tolist(), strict=True)
    ]
    rows = [*map(list, zip(*columns, strict=True))]
    text = {"variables": variables_document(data.domain), "rows": rows}
    return text if data.weights is None else {**text, "weights": data.weights.tolist()}


def _entry_literal(entry: ModelEntry | DataEntry, project: Project) -> dict[str, Any]:
    names = _ENTRY_FIELDS[type(entry)]
    values: dict[str, Any] = {}
    for one in fields(entry):
        value = getattr(entry, one.name)
        usual = one.default_factory() if one.default_factory is not MISSING else one.default
        if value == usual:
            continue
        if one.name not in names:
            raise NoText
        values[one.name] = literal(value, project)
    return values


def _size(value: Any) -> int:
    """How many texts and numbers there are in lists and mappings."""
    if isinstance(value, Mapping):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list | tuple) else 1


def _reference(data: DataSet, project: Project) -> Mapping[str, Any] | None:
    """The rows of a data set of the project, or of a part of its split; None for other rows."""
    for key, entry in project.data.items():
        if data.fingerprint not in fingerprints(entry):
            continue
        if data.fingerprint == entry.data.fingerprint:
            return {"rows": key, "part": None}
        assert entry.split is not None
        number = entry.split.part_fingerprints.index(data.fingerprint)
        return {"rows": key, "part": entry.split.names[number]}
    return None


def _is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"rows", "part"}


def value_of(hint: Any, value: Any, project: Project) -> Any:
    """The value that `literal` wrote, for a parameter of this type."""
    if hint == Variable:
        return Variable(**{**value, "states": tuple(value["states"])})
    if hint == ComparisonEntry:
        return ComparisonEntry(**{**value, "model_ids": tuple(value["model_ids"])})
    if hint in (Knowledge, EdgePrices):
        rules = restored_params({"": value}, {})[""]
        if type(rules) is not hint:
            raise PgmStudioError(f"This is no {hint.__name__}: {value!r:.60}.")
        return rules
    if hint == Mapping[str, Finding]:
        return read_evidence(JsonElement(value, Path("evidence")))
    if hint == Floats:
        return np.array(value, dtype=np.float64)
    if hint == Model:
        return _model_of(value)
    if hint == ModelEntry:
        return _entry_of(ModelEntry, value, model=_model_of(value["model"]))
    if hint == DataEntry:
        return _entry_of(DataEntry, value, data=_data_of(value["data"], project))
    return _data_of(value, project) if _is_reference(value) or _is_rows(value) else value


def _entry_of(kind: type, value: Mapping[str, Any], **content: Any) -> Any:
    """The entry; lists became tuples where the entry has them."""
    unknown = value.keys() - set(_ENTRY_FIELDS[kind])
    if unknown:
        raise UnknownNameError("entry", min(unknown), _ENTRY_FIELDS[kind])
    return kind(**{**value, **content})


def _data_of(value: Any, project: Project) -> DataSet:
    if _is_reference(value):
        return training_rows(project, value["rows"], value["part"])
    domain = read_variables(JsonElement(value["variables"], Path("rows")))
    data = DataSet.from_rows(domain, value["rows"])
    weights = value.get("weights")
    return data if weights is None else replace(data, weights=np.array(weights, dtype=np.float64))


def _is_rows(value: Any) -> bool:
    return isinstance(value, Mapping) and {"variables", "rows"} <= set(value)
