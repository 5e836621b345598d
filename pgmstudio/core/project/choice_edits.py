"""Edits that record what a person decided where a learner left a choice."""

from __future__ import annotations

from dataclasses import replace

from pgmstudio.core.models.protocols import Model
from pgmstudio.core.project.edits import put, replace_model
from pgmstudio.core.project.project import ModelEntry, Project


def choices_of(entry: ModelEntry) -> str | None:
    """What was decided so far, as the learner's parameter `choose` writes it."""
    params = entry.provenance.get("parameters")
    told = params.get("choose") if isinstance(params, dict) else None
    return told if isinstance(told, str) else None


def resolve_choices(project: Project, *, model_id: str, model: Model, choose: str) -> Project:
    """The model that follows from some choices, and the choices with where it came from."""
    project = replace_model(project, model_id=model_id, model=model)
    entry = project.model_entry(model_id)
    before = entry.provenance.get("parameters")
    params = {**(before if isinstance(before, dict) else {}), "choose": choose}
    entry = replace(entry, provenance={**entry.provenance, "parameters": params})
    return replace(project, models=put(project.models, model_id, entry))
