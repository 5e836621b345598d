"""Which rows of a project speak about a model: those it was learned from, else those that fit."""

from __future__ import annotations

from dataclasses import dataclass

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.editing import fitted_to
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Rows over a model's variables, and how they are called."""

    data: DataSet
    words: str  # "heart_c" or "train of heart_c"
    fingerprint: str  # of the rows before they were fitted to the model


def rows_of_model(project: Project, model_id: str) -> ModelRows | None:
    """The rows that its run learned from, those of its data set, or the first that fit.

    None when no data set of the project has all its variables with the states they need.
    """
    entry = project.model_entry(model_id)
    for name, data in _candidates(project, entry):
        fitted = _fitted(data, entry.model.domain)
        if fitted is not None:
            return ModelRows(fitted, name, data.fingerprint)
    return None


def why_no_rows(project: Project, model_id: str) -> str:
    """The sentence for a question that needs rows and has none."""
    if not project.data:
        return "This needs rows; import data first (Ctrl+I)."
    title = project.model_entry(model_id).title
    return f"No data set of the project has all variables and states of {title}."


def _candidates(project: Project, entry: ModelEntry) -> list[tuple[str, DataSet]]:
    found: list[tuple[str, DataSet]] = []
    run = project.runs.get(entry.run_id or "")
    learned_from = None if run is None else project.data.get(run.data_id or "")
    if run is not None and learned_from is not None:
        learned = _with_fingerprint(learned_from, run.data_fingerprint)
        if learned is not None:
            found.append(learned)
    for data_id in dict.fromkeys([entry.data_id or "", *project.data]):
        data = project.data.get(data_id)
        if data is not None:
            found.append((data.name, data.data))
    return found


def _with_fingerprint(entry: DataEntry, fingerprint: str) -> tuple[str, DataSet] | None:
    if entry.data.fingerprint == fingerprint:
        return entry.name, entry.data
    split = entry.split
    if split is None or not split.is_for(entry.data):
        return None
    for name, print_, part in zip(
        split.names, split.part_fingerprints, split.parts(entry.data), strict=True
    ):
        if print_ == fingerprint:
            return f"{name} of {entry.name}", part
    return None


def _fitted(data: DataSet, domain: Domain) -> DataSet | None:
    if any(name not in data.domain for name in domain.names):
        return None
    try:
        return fitted_to(data, domain)
    except PgmStudioError:  # it has states that the model does not know
        return None
