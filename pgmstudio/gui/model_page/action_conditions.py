"""Conditions of actions on the current model page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.widgets.actions import Condition

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

NO_PAGE = "open a model first."
NOT_EDITABLE = "nodes and edges are edited in the DAG of a Bayesian network; show that diagram."


def current_model_page(app: AppContext) -> ModelPage | None:
    """The current page, if it shows a model; its class is loaded with the first such page."""
    page = app.center.current
    if page is None or not page.key.startswith("model:"):
        return None
    from pgmstudio.gui.model_page.page import ModelPage

    return page if isinstance(page, ModelPage) else None


class PageConditions(Conditions):
    """Conditions and commands on the current model page."""

    @property
    def page(self) -> ModelPage | None:
        """The current model page, unless its model has just left the project."""
        page = current_model_page(self._app)
        return page if page is not None and page.model_id in self._app.project.models else None

    def command(self, command: Callable[[ModelPage], object]) -> Callable[[], object]:
        return lambda: None if self.page is None else command(self.page)

    def open_page(self) -> str | None:
        return None if self.page is not None else NO_PAGE

    def page_with(self, has: Callable[[ModelPage], object], otherwise: str) -> Condition:
        """A current page that has something; `otherwise` is the reason shown if it has not."""

        def condition() -> str | None:
            page = self.page
            return NO_PAGE if page is None else None if has(page) else otherwise

        return condition

    def page_reason(self, reason: Callable[[ModelPage], str | None]) -> Condition:
        """What the page itself gives as the reason."""

        def condition() -> str | None:
            page = self.page
            return NO_PAGE if page is None else reason(page)

        return condition

    @property
    def editable(self) -> Condition:
        return self.page_with(lambda page: page.is_editable, NOT_EDITABLE)

    @property
    def joinable(self) -> Condition:
        """In a DAG or in one tree of a mixture an edge can be drawn."""
        return self.page_with(lambda page: page.is_joinable or page.is_editable, NOT_EDITABLE)

    def nodes(self, least: int) -> Condition:
        """So many selected nodes."""
        otherwise = "select a node first." if least == 1 else f"select at least {least} nodes."
        return self.page_with(lambda page: len(page.scene().selected_nodes) >= least, otherwise)

    @property
    def edge(self) -> Condition:
        return self.page_with(lambda page: page.scene().selected_edges, "select an edge first.")

    @property
    def deletable(self) -> Condition:
        """Selected nodes or edges, or a part that the language deletes."""

        def reason(page: ModelPage) -> str | None:
            if page.extension.can_delete():
                return None
            scene = page.scene()
            if not page.is_editable:
                return NOT_EDITABLE
            chosen = scene.selected_nodes or scene.selected_edges
            return None if chosen else "select nodes or edges first."

        return self.page_reason(reason)
