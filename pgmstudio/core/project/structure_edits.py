"""Another structure for a model of a project, with what was noted about its edges."""

from __future__ import annotations

from dataclasses import replace

from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.project.edits import put, replace_model
from pgmstudio.core.project.project import Project


def replace_structure(project: Project, *, model_id: str, model: DirectedModel) -> Project:
    """Another model over the same variables; a note turns with its edge and goes with it."""
    project = replace_model(project, model_id=model_id, model=model)
    entry = project.model_entry(model_id)
    edges = set(model.edges)
    notes = {}
    for (source, target), text in entry.edge_notes.items():
        for edge in ((source, target), (target, source)):
            if edge in edges:
                notes[edge] = text
                break
    return replace(project, models=put(project.models, model_id, replace(entry, edge_notes=notes)))
