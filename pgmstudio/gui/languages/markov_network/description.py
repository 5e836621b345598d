"""Texts about a Markov network."""

from __future__ import annotations

from pgmstudio.core.languages.markov_network.log_linear import parameter_count
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import edge_of
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.languages.description import Edge, ModelDescription
from pgmstudio.gui.runs.model_summary import ModelFacts
from pgmstudio.gui.widgets.fact_rows import Fact


class MarkovDescription(ModelDescription):
    """Edges with their contexts, cliques, and whether the graph is chordal."""

    def edges(self, model: MarkovNetwork) -> str:
        contexts = len(model.structure.contexts)
        text = super().edges(model)
        return f"{text} · {contexts} with contexts" if contexts else text

    def edge_facts(self, model: MarkovNetwork, edge: Edge) -> tuple[str, str]:
        ends = edge_of(*map(model.domain.index, edge))
        count = len(model.structure.contexts.get(ends, ()))
        text, symbol = super().edge_facts(model, edge)
        if count:
            text, symbol = f"vanishes in {counted(count, 'context')}", "tag"
        common = [model.domain.names[v] for v in model.structure.common_neighbours(*ends)]
        if len(common) == 1:
            text += f" · common neighbour: {common[0]}"
        elif common:
            text += f" · {len(common)} common neighbours"
        return text, symbol

    def size_facts(self, model: MarkovNetwork, computed: ModelFacts | None) -> list[Fact]:
        structure, names = model.structure, model.domain.names
        cliques = structure.maximal_cliques
        cycle = structure.chordless_cycle
        ring = "" if cycle is None else " – ".join(names[v] for v in (*cycle, cycle[0]))
        facts: list[Fact] = [
            (
                "Maximal cliques",
                f"{grouped(len(cliques))}, up to {counted(max(map(len, cliques)), 'variable')}",
                "Each has a potential.",
            ),
            ("Chordal", "no" if ring else "yes", f"{ring} has no chord." if ring else ""),
        ]
        if structure.contexts:
            edges = counted(len(structure.contexts), "edge")
            facts = [
                (
                    "Without contexts",
                    grouped(parameter_count(structure)),
                    "Free parameters of the same graph without contexts.",
                ),
                (
                    "Contexts",
                    f"{grouped(structure.element_count)} on {edges}",
                    "The number of contexts in which edges vanish.",
                ),
                *facts,
            ]
        return [*facts, *super().size_facts(model, computed)]

    def table_facts(self, model: MarkovNetwork, name: str) -> list[Fact]:
        variable = model.domain.index(name)
        mine = [factor for factor in model.factors if variable in factor.scope]
        return [
            ("Cliques", grouped(len(mine)), "The maximal cliques that contain the variable."),
            ("Potential cells", grouped(sum(f.values.size for f in mine)), "In all its cliques."),
        ]


DESCRIPTION = MarkovDescription()
