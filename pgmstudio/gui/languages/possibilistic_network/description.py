"""How the inspector and the status bar describe a possibilistic network."""

from __future__ import annotations

from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.languages.description import ModelDescription
from pgmstudio.gui.widgets.fact_rows import Fact


class PossibilisticDescription(ModelDescription):
    """Degrees, which are not parameters that sum to 1."""

    def table_facts(self, model: PossibilisticNetwork, name: str) -> list[Fact]:
        columns, _, tip = self.table_size(model, name)
        degrees = model.degrees[model.domain.index(name)]
        return [
            ("Columns", grouped(columns), tip),
            ("Degrees", grouped(degrees.size), "One for every state in every column."),
        ]


DESCRIPTION = PossibilisticDescription()
