"""Texts, tables and the page of a labelled DAG."""

from __future__ import annotations

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.languages.contexts.page_extension import ContextExtension
from pgmstudio.gui.languages.description import Edge, ModelDescription, TableSize
from pgmstudio.gui.languages.tables import TableSource
from pgmstudio.gui.runs.model_summary import ModelFacts
from pgmstudio.gui.widgets.fact_rows import Fact


class LdagDescription(ModelDescription):
    """Edges with their labels, and the parameters that labels save."""

    def edges(self, model: LabelledDag) -> str:
        return f"{len(model.edges)} edges · {len(model.labelled_edges)} labelled"

    def edge_facts(self, model: LabelledDag, edge: Edge) -> tuple[str, str]:
        count = int(model.label(*edge).sum())
        text = f"edge with a label of {counted(count, 'context')}" if count else "edge, no label"
        return text, "tag"

    def size_facts(self, model: LabelledDag, computed: ModelFacts | None) -> list[Fact]:
        edges = counted(len(model.labelled_edges), "edge")
        return [
            (
                "Without labels",
                grouped(model.unlabelled_size()),
                "Free parameters of the same graph with all rows of its tables separate.",
            ),
            (
                "Labels",
                f"{counted(model.label_count, 'context')} on {edges}",
                "The number of contexts in which edges vanish.",
            ),
            *super().size_facts(model, computed),
        ]

    def size_note(self, model: LabelledDag) -> str:
        if not model.labelled_edges:
            return ""
        return f" of {grouped(model.as_bayesian_network.effective_size())} unlabelled"

    def table_size(self, model: LabelledDag, name: str) -> TableSize:
        columns, _, tip = super().table_size(model, name)
        classes = len(model.rows[model.domain.index(name)])
        free = classes * (model.domain[name].cardinality - 1)
        return TableSize(columns, free, f"{tip} Labels merge them into {classes}.")


DESCRIPTION = LdagDescription()


class LdagTables(TableSource):
    """The tables of the network with the same distribution."""

    def network(self, model_id: str, model: Model) -> BayesianNetwork | None:
        return model.as_bayesian_network if isinstance(model, LabelledDag) else None


class LdagExtension(ContextExtension):
    """Labels as they are in the chosen context; all diagrams have the same positions."""

    def layout_name(self, diagram: str) -> str:
        return self._main

    def deciding_variables(self, source: str, target: str) -> frozenset[str]:
        model = self._page.entry.model
        if not isinstance(model, LabelledDag) or (source, target) not in model.labelled_edges:
            return frozenset()
        return frozenset(model.other_parents(source, target))
