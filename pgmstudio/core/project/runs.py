"""What a run of a project learns from, and the record of what came out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project, Run


def training_rows(project: Project, data_id: str, part: str | None) -> DataSet:
    """The rows a run learns from: all, or one part of the data set's split."""
    entry = project.data_entry(data_id)
    if part is None or entry.split is None:
        return entry.data
    if part not in entry.split.names:
        raise DataError(f"The split of {entry.name} has no part called {part}.")
    return entry.split.parts(entry.data)[entry.split.names.index(part)]


def part_of(entry: DataEntry, run: Run) -> str | None:
    """The part of the split that a run learned from; of rows that have changed since, the first."""
    if entry.split is None or entry.data.fingerprint == run.data_fingerprint:
        return None
    known = entry.split.part_fingerprints
    number = known.index(run.data_fingerprint) if run.data_fingerprint in known else 0
    return entry.split.names[number]


def models_of(project: Project) -> dict[str, Model]:
    """The models by their id, as parameters refer to them."""
    return {key: entry.model for key, entry in project.models.items()}


def learned_entry(run: Run, model: Model) -> ModelEntry:
    """The model that a run learned, with all that is needed to learn it again."""
    provenance: Mapping[str, Any] = {
        "learner": run.learner,
        "parameters": dict(run.params),
        "seed": run.seed,
        "data": run.data_fingerprint,
        "version": run.program_version,
        "outcome": run.outcome.value,
        "seconds": run.seconds,
        "measures": dict(run.measures),
    }
    return ModelEntry(title=run.title, model=model, data_id=run.data_id, provenance=provenance)
