"""The entry of a project for the model of a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.io.models.files import ModelFile, read_model
from pgmstudio.core.languages.diagrams import structure_diagram
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry, Project


def model_entry(file: ModelFile, title: str) -> ModelEntry:
    """The model, layout, titles and notes of a file as an entry of a project."""
    return ModelEntry(
        title=title,
        model=file.model,
        layouts={structure_diagram(file.model): dict(file.layout)} if file.layout else {},
        node_titles=dict(file.titles),
        notes=file.notes,
        provenance=file.provenance or {},
        properties=file.properties,
    )


def open_model(project: Project, *, path: str, title: str, fingerprint: str = "") -> Project:
    """A model from a file. One that has another `fingerprint` was changed and is refused."""
    file = Path(path)
    if not file_fingerprint(file).startswith(fingerprint):
        raise PgmStudioError(f"{file.name} has changed since the session was exported.")
    return edits.add_model(project, entry=model_entry(read_model(file), title))


def file_fingerprint(path: Path) -> str:
    """The first letters of the hash of a file; FileError when it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise FileError(path, f"cannot be read: {error}.") from None
