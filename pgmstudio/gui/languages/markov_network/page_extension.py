"""The page of a Markov network."""

from __future__ import annotations

from pgmstudio.core.languages.diagrams import diagram_row
from pgmstudio.gui.languages.contexts.page_extension import ContextExtension


class MarkovExtension(ContextExtension):
    """Edges as they are in the chosen context; the triangulated graph has the same positions."""

    no_edges_reason = "edges are drawn in the diagram Markov network."

    def layout_name(self, diagram: str) -> str:
        row = diagram_row(self._page.entry.model, diagram)
        return self._main if row is None or row.has_variables else diagram
