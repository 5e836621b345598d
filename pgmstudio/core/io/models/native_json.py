"""The native model file: one JSON envelope for every model language.

`schema/model.schema.json` describes it. Numbers are written so that they come back bit for bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, FileError, GraphError, ModelFileError, PgmStudioError
from pgmstudio.core.io.models.files import ModelFile, Properties
from pgmstudio.core.io.models.node_link import is_node_link, node_link_file
from pgmstudio.core.json_documents import JsonElement, parse_json, render_json
from pgmstudio.core.languages.codec import Reading, codec_of, saved_kinds
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.languages.table_checks import ROW_SUM_TOLERANCE, TableChecker

SCHEMA = "pgmstudio-model"
VERSION = 1

_ENTRIES = frozenset({"schema", "version", "language", "variables", "structure", "parameters"})
_ENTRIES |= {"title", "notes", "titles", "layout", "properties", "provenance"}


def model_schema() -> dict[str, Any]:
    """The JSON schema of a model file: the envelope, with the entries of every language."""
    text = resources.files("pgmstudio.core.io").joinpath("schema/model.schema.json").read_text()
    schema: dict[str, Any] = json.loads(text)
    schema["allOf"] = [
        {"if": {"properties": {"language": {"const": kind}}}, "then": {"properties": codec.schema}}
        for kind in saved_kinds()
        if (codec := codec_of(kind)) is not None
    ]
    return schema


def parse(content: bytes, path: Path) -> ModelFile:
    """The model in a native file; ModelFileError has the line or the location in the document."""
    document = parse_json(content, path)
    if is_node_link(document):
        return node_link_file(document, path)
    return file_of_document(document, path)


def render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The text of a native file; nothing is lost."""
    if codec_of(file.model.kind) is None:
        raise ModelFileError(path, f"{a_kind(file.model.kind)} cannot be saved as .json.")
    return render_json(document_of(file)), ()


def document_of(file: ModelFile) -> dict[str, Any]:
    """The envelope as plain values; empty entries are left out."""
    codec = codec_of(file.model.kind)
    assert codec is not None
    structure, parameters = codec.encode(file.model)
    document: dict[str, Any] = {"schema": SCHEMA, "version": VERSION, "language": file.model.kind}
    if file.title:
        document["title"] = file.title
    if file.notes:
        document["notes"] = file.notes
    document["variables"] = variables_document(file.model.domain)
    document["structure"] = structure
    document["parameters"] = parameters
    if file.titles:
        document["titles"] = dict(sorted(file.titles.items()))
    if file.layout:
        document["layout"] = layout_document(file.layout)
    if file.properties:
        document["properties"] = {
            "network": list(file.properties.network),
            "variables": {name: list(v) for name, v in sorted(file.properties.variables.items())},
            "tables": {name: list(v) for name, v in sorted(file.properties.tables.items())},
        }
    if file.provenance is not None:
        document["provenance"] = dict(file.provenance)
    return document


def layout_document(layout: Mapping[str, tuple[float, float]]) -> dict[str, list[float]]:
    """Points by name, in the order of the names; a node without a finite point is laid out anew."""
    return {
        name: [float(x), float(y)]
        for name, (x, y) in sorted(layout.items())
        if math.isfinite(x) and math.isfinite(y)
    }


def variables_document(domain: Domain) -> list[dict[str, Any]]:
    """The variables with their states, and whether the states are ordered."""
    return [
        {"name": variable.name, "states": list(variable.states)}
        | ({"ordinal": True} if variable.is_ordinal else {})
        for variable in domain
    ]


def read_variables(location: JsonElement) -> Domain:
    """The domain of a list of variables."""
    variables = []
    for element in location.elements():
        ordinal = element.get("ordinal")
        try:
            variables.append(
                Variable(
                    element["name"].text(),
                    element["states"].texts(),
                    ordinal is not None and ordinal.yes_no(),
                )
            )
        except DataError as problem:
            element.fail(str(problem))
    try:
        return Domain(tuple(variables))
    except DataError as problem:
        location.fail(str(problem))


def check_version(document: JsonElement, entry: str, name: str, newest: int) -> int:
    """The version of a document of ours; refuses other documents and newer versions."""
    if not isinstance(document.value, dict) or document.value.get(entry) != name:
        document.fail(f"is not a {name} file: its entry “{entry}” is not “{name}”.")
    version = document["version"].whole()
    if version > newest:
        document.fail(
            f"was written by a newer PGM Studio (version {version} of the format; "
            f"this one knows {newest}). Update the program to open it."
        )
    return version


def file_of_document(document: JsonElement, path: Path) -> ModelFile:
    """Model file from a JSON document; every entry is checked."""
    version = check_version(document, "schema", SCHEMA, VERSION)
    if version < 1:
        document["version"].fail("there is no such version.")
    kind = document["language"].text()
    codec = codec_of(kind)
    if codec is None:
        document["language"].fail(
            f"“{kind}” is a model language this version does not know; "
            f"known are {', '.join(saved_kinds())}."
        )
    domain = read_variables(document["variables"])
    checker = TableChecker(path, exact=ROW_SUM_TOLERANCE)
    reading = Reading(path, domain, document["structure"], document["parameters"], checker)
    try:
        model = codec.decode(reading)
    except FileError:
        raise
    except GraphError as problem:  # what the model itself refuses
        reading.structure.fail(str(problem))
    except PgmStudioError as problem:
        document.fail(str(problem))
    title, notes, titles, layout, provenance = (
        document.get(entry) for entry in ("title", "notes", "titles", "layout", "provenance")
    )
    unknown = [entry for entry in document.mapping() if entry not in _ENTRIES]
    warnings = [f"The entry “{entry}” is not known here and was left out." for entry in unknown]
    return ModelFile(
        model,
        title=title.text() if title else "",
        notes=notes.text() if notes else "",
        titles={name: title_text.text() for name, title_text in titles.entries()} if titles else {},
        layout=layout.points() if layout else {},
        properties=_properties(document.get("properties")),
        provenance=dict(provenance.mapping()) if provenance else None,
        warnings=(*warnings, *checker.warnings()),
    )


def _properties(location: JsonElement | None) -> Properties:
    if location is None:
        return Properties()
    network, variables, tables = (
        location.get(entry) for entry in ("network", "variables", "tables")
    )
    return Properties(
        network.texts() if network else (),
        {name: inside.texts() for name, inside in variables.entries()} if variables else {},
        {name: inside.texts() for name, inside in tables.entries()} if tables else {},
    )
