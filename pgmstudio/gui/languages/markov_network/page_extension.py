"""The page of a Markov network."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from pgmstudio.core.languages.diagrams import diagram_row
from pgmstudio.core.languages.markov_network.log_linear import (
    element_rows,
    free_parameters,
    parameter_symbol,
    restriction_text,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import edge_of
from pgmstudio.core.languages.markov_network.summaries import edge_change
from pgmstudio.core.number_format import grouped, signed
from pgmstudio.gui.canvas.signals import EdgeAdvice
from pgmstudio.gui.languages.contexts.page_extension import ContextExtension
from pgmstudio.gui.runs.model_data import model_sources

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

_MAX_PAIRS = 3  # of separated variables in the bar
_MAX_EQUATIONS = 4  # in a tooltip
_MAX_ROWS = 100_000  # of data that are counted while an edge is drawn


class MarkovExtension(ContextExtension):
    """Edges as they are in the chosen context; the triangulated graph has the same positions."""

    no_edges_reason = "edges are drawn in the diagram Markov network."

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        self.contexts.statement = self._statement
        self.contexts.show_context()

    def _statement(self, context: Mapping[int, int]) -> str:
        """The independences of the edges that vanish: `A ⊥ B given C = no and all others`."""
        entry = self._page.entry
        model = entry.model
        if not isinstance(model, MarkovNetwork) or not context:
            return ""
        structure, domain = model.structure, model.domain
        names = [escape(entry.node_titles.get(name, name)) for name in domain.names]
        pairs = [
            f"<b>{names[i]} ⊥ {names[j]}</b>"
            for i, j in sorted(structure.vanished_edges(context))
            if i not in context and j not in context
        ]
        if not pairs:
            return ""
        more = [f"{len(pairs) - _MAX_PAIRS} more"] if len(pairs) > _MAX_PAIRS else []
        given = ", ".join(
            f"{names[v]} = {escape(domain.variables[v].states[state])}"
            for v, state in context.items()
        )
        others = " and all other variables" if len(domain) > len(context) + 2 else ""
        return f"{', '.join((*pairs[:_MAX_PAIRS], *more))} given {given}{others}"

    def layout_name(self, diagram: str) -> str:
        row = diagram_row(self._page.entry.model, diagram)
        return self._main if row is None or row.has_variables else diagram

    def deciding_variables(self, source: str, target: str) -> frozenset[str]:
        model = self._page.entry.model
        assert isinstance(model, MarkovNetwork)
        edge = edge_of(model.domain.index(source), model.domain.index(target))
        if edge not in model.structure.contexts:
            return frozenset()
        return frozenset(model.domain.names[v] for v in model.structure.common_neighbours(*edge))

    def describe_edge(self, source: str, target: str) -> str:
        """Where the edge vanishes, what that means, and what it implies for the parameters."""
        text = super().describe_edge(source, target)
        model = self._page.entry.model
        if not text or not isinstance(model, MarkovNetwork):
            return text
        structure = model.structure
        edge = edge_of(model.domain.index(source), model.domain.index(target))
        equations = [
            restriction_text(model.domain, row, parameter_symbol)
            for element in sorted(structure.contexts[edge])
            for row in element_rows(structure, edge, element)
        ]
        shown = equations[:_MAX_EQUATIONS] + (["…"] if equations[_MAX_EQUATIONS:] else [])
        rest = len(model.domain) - len(structure.common_neighbours(*edge)) - 2
        given = " given all other variables" if rest else ""
        return "\n".join([text, f"then {source} ⊥ {target}{given}", *shown])

    def advise(self, source: str, target: str) -> EdgeAdvice | None:
        """The parameters of the model with the edge, and what it does to the score."""
        model = self._page.entry.model
        assert isinstance(model, MarkovNetwork)
        structure = model.structure
        edge = edge_of(model.domain.index(source), model.domain.index(target))
        if edge in structure.edges or edge[0] == edge[1]:
            return None  # refused as in any undirected graph
        after = structure.with_edge(*edge)
        count = f"{grouped(free_parameters(structure))} → {grouped(free_parameters(after))}"
        texts = [f"{count} parameters"]
        rows = model_sources(self._app).rows(self._model_id)
        if rows is not None and rows.data.row_count <= _MAX_ROWS:
            change = edge_change(structure, rows.data, edge)
            texts += [] if change is None else [f"log MPL {signed(change, 2)}"]
        if structure.is_chordal and not after.is_chordal:
            texts.append("no longer chordal")
        return EdgeAdvice(" · ".join(texts), is_warning=False)
