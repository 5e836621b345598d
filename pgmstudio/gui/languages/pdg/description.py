"""Texts about a probabilistic decision graph."""

from __future__ import annotations

from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.languages.description import ModelDescription
from pgmstudio.gui.runs.model_summary import ModelFacts
from pgmstudio.gui.widgets.fact_rows import Fact


class PdgDescription(ModelDescription):
    """The nodes and sizes of a decision graph."""

    def structure(self, model: DecisionGraph) -> str:
        nodes = sum(model.node_counts)
        return f"{counted(nodes, 'node')} · effective size {grouped(model.effective_size())}"

    def size_facts(self, model: DecisionGraph, computed: ModelFacts | None) -> list[Fact]:
        return [
            ("Nodes", grouped(sum(model.node_counts)), "In the bands of all variables."),
            (
                "Effective size",
                grouped(model.effective_size()),
                "The parameters of every node, once for each variable directly below it: the "
                "cost of an update.",
            ),
            ("Parameters", grouped(model.parameter_size()), "All stored parameters, free or not."),
        ]


DESCRIPTION = PdgDescription()
