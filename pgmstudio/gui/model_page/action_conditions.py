"""Conditions of actions on the canvas of the current model page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pgmstudio.gui.context import AppContext

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


def current_model_page(app: AppContext) -> ModelPage | None:
    """The current page, if it shows a model; its class is loaded with the first such page."""
    page = app.center.current
    if page is None or not page.key.startswith("model:"):
        return None
    from pgmstudio.gui.model_page.page import ModelPage

    return page if isinstance(page, ModelPage) else None


class CanvasConditions:
    """Commands on the current model page, and the reasons why they are disabled."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def page(self) -> ModelPage | None:
        return current_model_page(self._app)

    def on_page(self, command: Callable[[ModelPage], object]) -> Callable[[], object]:
        return lambda: None if self.page is None else command(self.page)

    def no_page(self) -> str | None:
        return None if self.page is not None else "open a model first."

    def not_editable(self) -> str | None:
        if self.page is None:
            return self.no_page()
        if not self.page.is_editable:
            return "nodes and edges are edited in the DAG of a Bayesian network; show that diagram."
        return None

    def not_joinable(self) -> str | None:
        """Why no edge can be drawn: in a DAG or in one tree of a mixture it can."""
        page = self.page
        return None if page is not None and page.is_joinable else self.not_editable()

    def fewer_than(self, nodes: int) -> Callable[[], str | None]:
        """Why not, for what needs so many selected nodes."""

        def disabled_reason() -> str | None:
            if self.page is None:
                return self.no_page()
            if len(self.page.scene().selected_nodes) < nodes:
                return "select a node first." if nodes == 1 else f"select at least {nodes} nodes."
            return None

        return disabled_reason

    def nothing_to_delete(self) -> str | None:
        page = self.page
        if page is not None and page.extension.can_delete():
            return None
        if page is None or self.not_editable():
            return self.not_editable()
        scene = page.scene()
        chosen = scene.selected_nodes or scene.selected_edges
        return None if chosen else "select nodes or edges first."

    def no_edge(self) -> str | None:
        page = self.page
        if page is None or self.not_editable():
            return self.not_editable()
        return None if page.scene().selected_edges else "select an edge first."
