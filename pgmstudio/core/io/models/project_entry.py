"""The entry of a project for the model of a file."""

from __future__ import annotations

from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.languages.diagrams import structure_diagram
from pgmstudio.core.project.project import ModelEntry


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
