"""The rows of a project that belong to a model: its training rows, else rows over its variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import rows_with
from pgmstudio.core.data.transforms import fitted_to
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Rows over a model's variables, and how they are called."""

    label: str  # "heart_c" or "train of heart_c"
    fingerprint: str  # of the rows before they were fitted to the model
    whole: DataSet
    chosen: NDArray[np.intp] | None  # of the whole; None: all
    domain: Domain
    copies: NDArray[np.int64] | None = None  # of the chosen, where these are parts of a weight

    @cached_property
    def data(self) -> DataSet:
        """The rows, copied when they are first asked for: there may be a million."""
        rows = self.whole
        if self.chosen is not None:
            rows = rows_with(rows, self.chosen, self.copies)
        return fitted_to(rows, self.domain)


def rows_of_model(project: Project, model_id: str) -> ModelRows | None:
    """The rows that its run learned from, those of its data set, or the first that fit.

    None when no data set of the project has all its variables with the states they need.
    """
    entry = project.model_entry(model_id)
    candidates = _candidates(project, entry)
    return next((rows for rows in candidates if _is_fitting(rows)), None)


def no_rows_reason(project: Project, model_id: str) -> str:
    """The message for a query that needs rows when there are none."""
    if not project.data:
        return "This needs rows; import data first (Ctrl+I)."
    title = project.model_entry(model_id).title
    return f"No data set of the project has all variables and states of {title}."


def _candidates(project: Project, entry: ModelEntry) -> list[ModelRows]:
    result: list[ModelRows] = []
    domain = entry.model.domain
    run = project.runs.get(entry.run_id or "")
    learned_from = None if run is None else project.data.get(run.data_id or "")
    if run is not None and learned_from is not None and not _stays_in_file(learned_from):
        learned = _with_fingerprint(learned_from, run.data_fingerprint, domain)
        if learned is not None:
            result.append(learned)
    for data_id in dict.fromkeys([entry.data_id or "", *project.data]):
        data = project.data.get(data_id)
        if data is not None and not _stays_in_file(data):
            result.append(ModelRows(data.name, data.data.fingerprint, data.data, None, domain))
    return result


def _stays_in_file(entry: DataEntry) -> bool:
    return isinstance(entry.data, ChunkedData)


def _with_fingerprint(entry: DataEntry, fingerprint: str, domain: Domain) -> ModelRows | None:
    if entry.data.fingerprint == fingerprint:
        return ModelRows(entry.name, fingerprint, entry.data, None, domain)
    split = entry.split
    if split is None or not split.is_for(entry.data):
        return None
    for part, (name, known) in enumerate(zip(split.names, split.part_fingerprints, strict=True)):
        if known == fingerprint:
            label, rows = f"{name} of {entry.name}", split.indices[part]
            copies = None if split.copies is None else split.copies[part]
            return ModelRows(label, known, entry.data, rows, domain, copies)
    return None


def _is_fitting(rows: ModelRows) -> bool:
    """Whether all variables are there, and no row has a state that the model does not know."""
    for new in rows.domain:
        if new.name not in rows.whole.domain:
            return False
        states = rows.whole.domain[new.name].states
        strange = [code for code, state in enumerate(states) if state not in new.states]
        if strange:
            column = rows.whole.column(new.name)
            if np.isin(column if rows.chosen is None else column[rows.chosen], strange).any():
                return False
    return True
