"""The page of a labelled DAG."""

from __future__ import annotations

from pgmstudio.gui.languages.contexts.page_extension import ContextExtension


class LdagExtension(ContextExtension):
    """Labels as they are in the chosen context; all diagrams have the same positions."""

    def layout_name(self, diagram: str) -> str:
        return self._main
