"""The page of a labelled DAG."""

from __future__ import annotations

from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.gui.languages.contexts.page_extension import ContextExtension


class LdagExtension(ContextExtension):
    """Labels as they are in the chosen context; all diagrams have the same positions."""

    def layout_name(self, diagram: str) -> str:
        return self._main

    def deciding_variables(self, source: str, target: str) -> frozenset[str]:
        model = self._page.entry.model
        if not isinstance(model, LabelledDag) or (source, target) not in model.labelled_edges:
            return frozenset()
        return frozenset(model.other_parents(source, target))
