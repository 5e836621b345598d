"""Which rows a model can be judged on: data sets with its columns, whole or a part of a split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project
from pgmstudio.gui.context import Workspace


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """The rows, and where they stand in their data set; None: they are all of it."""

    data: DataSet
    whole: DataSet
    places: NDArray[np.intp] | None

    def number(self, row: int) -> int:
        """The place in the data set of a row of the part, from 0."""
        return row if self.places is None else int(self.places[row])


class RowChoices:
    """Parts are cut out once, so that the same part is the same object until its data change."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[DataEntry, ChosenRows]] = {}

    def words(self, project: Project, *models: Model) -> dict[str, str]:
        """What has columns of one of the models, by key; a data set before its parts."""
        known = {name for model in models for name in model.domain.names}
        found = {}
        for data_id, entry in project.data.items():
            if entry.data.row_count and known & set(entry.data.domain.names):
                found[data_id] = entry.name
                if _is_split(entry) and entry.split is not None:
                    for name in entry.split.names:
                        found[f"{data_id}/{name}"] = f"{name} of {entry.name}"
        return found

    def rows(self, project: Project, key: str) -> ChosenRows | None:
        """The rows of a choice; None when it is gone."""
        data_id, _, part = key.partition("/")
        entry = project.data.get(data_id)
        if entry is None:
            return None
        kept = self._kept.get(key)
        if kept is None or kept[0].data is not entry.data or kept[0].split is not entry.split:
            made = ChosenRows(entry.data, entry.data, None)
            if part:
                split = entry.split
                if split is None or not _is_split(entry) or part not in split.names:
                    return None
                places = split.indices[split.names.index(part)]
                made = ChosenRows(split.part(entry.data, part), entry.data, places)
            kept = self._kept[key] = (entry, made)
        return kept[1]


def _is_split(entry: DataEntry) -> bool:
    return entry.split is not None and entry.split.fits(entry.data)


def first_rows(words: dict[str, str], entry: ModelEntry) -> str | None:
    """Rows kept apart for testing where there are any, of the model's own data first."""
    own = entry.data_id or ""
    for key in (f"{own}/test", own):
        if key in words:
            return key
    return next((key for key in words if key.endswith("/test")), next(iter(words), None))


def first_target(entry: ModelEntry, workspace: Workspace) -> str:
    """The target of the window, the one selected variable, the choice variable, or the last."""
    model, selected = entry.model, workspace.selection.nodes
    choice = model.choice if isinstance(model, ComponentModel) else None
    for name in (workspace.target, selected[0] if len(selected) == 1 else None, choice):
        if name is not None and name in model.domain:
            return name
    return model.domain.names[-1]


def classifiers(project: Project) -> dict[str, ModelEntry]:
    """The models that can predict: distributions with at least two variables."""
    return {
        key: entry
        for key, entry in project.models.items()
        if isinstance(entry.model, ProbabilisticModel) and len(entry.model.domain) > 1
    }
