"""The tables of a labelled DAG: those of its network, shown with classes of rows."""

from __future__ import annotations

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.model import Model
from pgmstudio.gui.languages.tables import TableSource


class LdagTables(TableSource):
    """The tables of the network with the same distribution."""

    def network(self, model_id: str, model: Model) -> BayesianNetwork | None:
        return model.as_bayesian_network if isinstance(model, LabelledDag) else None
