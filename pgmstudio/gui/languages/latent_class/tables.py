"""The tables of a latent class model: every variable given the class."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.model import Model
from pgmstudio.core.project.edits import replace_model
from pgmstudio.gui.languages.tables import Edit, TableSource


class ClassTables(TableSource):
    """A column for each class."""

    is_of_components = True

    def network(self, model_id: str, model: Model) -> BayesianNetwork | None:
        return model.as_bayesian_network if isinstance(model, LatentClasses) else None

    def title_suffix(self, model_id: str, model: Model) -> str:
        return f" given the {model.hidden}" if isinstance(model, LatentClasses) else ""

    def is_editable(self, model: Model) -> bool:
        return True

    def edit(self, model_id: str, variable: str, table: NDArray[np.float64]) -> Edit:
        model = self._app.project.models[model_id].model
        assert isinstance(model, LatentClasses)
        index = model.domain.index(variable)
        tables = (*model.tables[:index], table, *model.tables[index + 1 :])
        return partial(replace_model, model_id=model_id, model=replace(model, tables=tables))
