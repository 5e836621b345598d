"""Choice of rows for an evaluation: data sets with the model's columns, or parts of a split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project, rows_in_memory
from pgmstudio.gui.context import Workspace


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """Rows of a data set and their indices; None for all rows."""

    data: DataSet
    whole: DataSet
    indices: NDArray[np.intp] | None

    def number(self, row: int) -> int:
        """Index in the data set of a row of the part."""
        return row if self.indices is None else int(self.indices[row])


class RowChoices:
    """Cache of the row choices, so that a part is the same object until its data change."""

    def __init__(self) -> None:
        self._cache: dict[str, tuple[DataEntry, ChosenRows]] = {}

    def titles(self, project: Project, *models: Model) -> dict[str, str]:
        """Titles by key of the data sets and parts with columns of one of the models."""
        known = {name for model in models for name in model.domain.names}
        result = {}
        for data_id, entry in rows_in_memory(project).items():
            if entry.data.row_count and known & set(entry.data.domain.names):
                result[data_id] = entry.name
                if _is_split(entry) and entry.split is not None:
                    for name in entry.split.names:
                        result[f"{data_id}/{name}"] = f"{name} of {entry.name}"
        return result

    def rows(self, project: Project, key: str) -> ChosenRows | None:
        """The rows of a choice, or None if it no longer exists."""
        data_id, _, part = key.partition("/")
        entry = project.data.get(data_id)
        if entry is None:
            return None
        cached = self._cache.get(key)
        if cached is None or cached[0].data is not entry.data or cached[0].split is not entry.split:
            rows = ChosenRows(entry.data, entry.data, None)
            if part:
                split = entry.split
                if split is None or not _is_split(entry) or part not in split.names:
                    return None
                indices = split.indices[split.names.index(part)]
                rows = ChosenRows(split.part(entry.data, part), entry.data, indices)
            cached = self._cache[key] = (entry, rows)
        return cached[1]


def _is_split(entry: DataEntry) -> bool:
    return entry.split is not None and entry.split.fits(entry.data)


def first_rows(titles: dict[str, str], entry: ModelEntry) -> str | None:
    """Key of the default rows: test rows if there are any, of the model's own data first."""
    own = entry.data_id or ""
    for key in (f"{own}/test", own):
        if key in titles:
            return key
    return next((key for key in titles if key.endswith("/test")), next(iter(titles), None))


def first_target(entry: ModelEntry, workspace: Workspace) -> str:
    """Default target: the window's, the selected variable, the mixing variable, or the last."""
    model, selected = entry.model, workspace.selection.nodes
    choice = model.choice if isinstance(model, ComponentModel) else None
    for name in (workspace.target, selected[0] if len(selected) == 1 else None, choice):
        if name is not None and name in model.domain:
            return name
    return model.domain.names[-1]


def classifiers(project: Project) -> dict[str, ModelEntry]:
    """The probabilistic models with at least two variables."""
    return {
        key: entry
        for key, entry in project.models.items()
        if isinstance(entry.model, ProbabilisticModel) and len(entry.model.domain) > 1
    }
