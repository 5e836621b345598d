"""The tables of a latent class model: every variable given the class."""

from __future__ import annotations

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.model import Model
from pgmstudio.gui.languages.tables import TableSource


class ClassTables(TableSource):
    """A column for each class."""

    is_of_components = True

    def network(self, model_id: str, model: Model) -> BayesianNetwork | None:
        return model.as_bayesian_network if isinstance(model, LatentClasses) else None

    def title_suffix(self, model_id: str, model: Model) -> str:
        return f" given the {model.hidden}" if isinstance(model, LatentClasses) else ""
