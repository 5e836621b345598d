"""What actions on a canvas ask: the page in front, and why it cannot be used now.

What the groups of actions about the model in view share: the model, why not, its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.evidence.active_model import ActiveModel, active_model
from pgmstudio.gui.window.app_context import AppContext, current_model_page

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


class CanvasConditions:
    """Deeds on the model page in front, and the reasons against them."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def page(self) -> ModelPage | None:
        return current_model_page(self._app)

    def on_page(self, deed: Callable[[ModelPage], object]) -> Callable[[], object]:
        return lambda: None if self.page is None else deed(self.page)

    def no_page(self) -> str | None:
        return None if self.page is not None else "open a model first."

    def not_editable(self) -> str | None:
        if self.page is None:
            return self.no_page()
        if not self.page.is_editable:
            return "nodes and edges are edited in the DAG of a Bayesian network; show that picture."
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


NO_MODEL = "no model is in view. Open or learn one first."


class ModelCommands:
    """The deeds of a group of actions stand in a child."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def _subject(self) -> ActiveModel | None:
        return active_model(self._app)

    def no_beliefs_reason(self) -> str | None:
        subject = self._subject
        if subject is None:
            return NO_MODEL
        return None if subject.live.error is None else str(subject.live.error)


def rows_for(
    app: AppContext, entry: ModelEntry, first: Iterable[DataEntry | None] = ()
) -> DataEntry | None:
    """Of `first`, the model's own data set and all others, the first with one of its columns."""
    data = app.project.data
    known = set(entry.model.domain.names)
    for found in (*first, data.get(entry.data_id or ""), *data.values()):
        if found is not None and found.data.row_count and known & set(found.data.domain.names):
            return found
    return None
