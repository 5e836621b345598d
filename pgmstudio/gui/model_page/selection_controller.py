"""Keeps the selection of a canvas and that of the window the same; opens context menus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt

from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.model_page.context_menu import canvas_menu

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

TABLE_PANEL = "tablePanel"


class SelectionController(QObject):
    """The selection of one model page, synchronised with the workspace."""

    def __init__(self, app: AppContext, model_id: str, page: ModelPage) -> None:
        super().__init__(page)
        self._app, self._model_id, self._page = app, model_id, page
        signals, workspace = page.canvas.signals, app.workspace
        signals.select.connect(self.select)
        signals.open_node.connect(self._on_open_node)
        signals.menu.connect(self._on_menu_requested)
        workspace.selection_changed.connect(self._on_selection_changed)
        workspace.active_model_changed.connect(self._on_active_model)

    def select(self, nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> None:
        """Select on the canvas and, if these are variables, in the workspace too."""
        if self._app.workspace.model_id != self._model_id:
            self._app.center.bring_to_front(self._page)
        names = self._page.entry.model.domain
        if all(node in names for node in nodes):
            self._app.workspace.select(nodes, edges)
        self._page.scene().show_selection(nodes, edges)

    def show_selection(self) -> None:
        """Mark the selection on the canvas if it is of this model."""
        self._on_selection_changed(self._app.workspace.selection)

    def ask_why(self) -> None:
        """Explain why the selected variables have an edge, or none."""
        self._app.actions.refresh("model.why")
        self._app.actions["model.why"].trigger()

    def _on_selection_changed(self, selection: Selection) -> None:
        if self._app.workspace.model_id == self._model_id:
            self._page.scene().show_selection(selection.nodes, selection.edges)

    def _on_active_model(self, model_id: str | None) -> None:
        if model_id == self._model_id:
            self.show_selection()

    def _on_open_node(self, node: str) -> None:
        self.select((node,), ())
        self._app.reveal(TABLE_PANEL)

    def _on_menu_requested(self, hit: Hit, position: QPoint) -> None:
        page = self._page
        if hit.node is not None and hit.node.id not in page.scene().selected_nodes:
            self.select((hit.node.id,), ())
        elif hit.node is None and hit.edge is not None:
            self.select((), (hit.edge.ends,))
        menu = canvas_menu(page, hit, page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)
