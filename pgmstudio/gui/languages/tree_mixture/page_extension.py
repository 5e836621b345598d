"""The page of a mixture of trees: a strip of components, small multiples, edges of one tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from pgmstudio.core.languages.diagrams import picture_names
from pgmstudio.core.languages.tree_mixture.diagrams import PARTITION
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.canvas.signals import EdgeAdvice
from pgmstudio.gui.languages.tree_mixture.component_controller import OVERLAY, ComponentController
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.languages.tree_mixture.edge_editing import TreeJoining
from pgmstudio.gui.languages.tree_mixture.small_multiples import (
    SIDE_BY_SIDE,
    SmallMultiplesController,
)
from pgmstudio.gui.model_page.extension import PageExtension
from pgmstudio.gui.widgets.basic import hairline

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

LATENT = "latent"
# Diagrams with a layout of their own; the others use that of the overlay.
OWN_LAYOUTS = frozenset({LATENT, PARTITION})


class MixtureExtension(PageExtension):
    """The trees of a mixture over each other, side by side, or one of them to edit."""

    no_edges_reason = "show one tree alone: click its card."
    default_mode = NodeMode.LINE  # many lines meet, so boxes are low

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        app, model_id, canvas = page.app, page.model_id, page.canvas
        self._views = component_views(app)
        self._views.changed.connect(self._on_views)
        self.components = ComponentController(app, model_id, page)
        self.components.picture_requested.connect(self._on_cards)
        self.components.refused.connect(canvas.refuse)
        self.side = SmallMultiplesController(app, model_id, canvas, self.components)
        self.side.isolated.connect(page.show_picture)
        self.joining = TreeJoining(app, canvas, self.components)
        canvas.view.is_pruned = True

    @property
    def above(self) -> Sequence[QWidget]:
        return self.components.strip, hairline(), self.components.edit_bar

    @property
    def below(self) -> Sequence[QWidget]:
        return (self.side.widget,)

    def avoid(self, covered: Sequence[QRect]) -> None:
        self.components.keep_clear(covered)

    # -- diagrams

    def toolbar_diagram(self, diagram: str) -> str:
        return OVERLAY if diagram.startswith("tree-") else diagram

    def choose(self, diagram: str) -> None:
        if diagram == OVERLAY:
            self._views.choose(self._model_id, ())
        self._page.show_picture(diagram)

    @property
    def first_diagram(self) -> str:
        return self.components.picture_name

    def layout_name(self, diagram: str) -> str:
        return diagram if diagram in OWN_LAYOUTS else OVERLAY

    def open_diagram(self, diagram: str) -> str:
        if diagram == SIDE_BY_SIDE:
            self.side.open()
            return OVERLAY  # hidden; the panels take beliefs and positions from it
        self.side.close()
        return diagram

    def diagram_after_edit(self, diagram: str) -> str:
        self.components.follow()
        stays = {SIDE_BY_SIDE, *OWN_LAYOUTS} & {*picture_names(self._page.entry.model)}
        return diagram if diagram in stays else self.components.picture_name

    def update_beliefs(self) -> None:
        self.side.show_faces()

    def update_diagram(self) -> None:
        self.side.follow()

    @property
    def blend(self) -> float:
        return self._views.blend(self._model_id)

    def _on_views(self, model_id: str) -> None:
        """The slider between prior and posterior has moved."""
        if model_id == self._model_id:
            self._page.refresh_nodes()

    def _on_cards(self, diagram: str) -> None:
        """Other trees were chosen: small multiples stay small multiples."""
        self._page.show_picture(SIDE_BY_SIDE if self.side.is_open else diagram)

    # -- edits

    def can_draw_edges(self, diagram: str) -> bool:
        """In a diagram of one tree."""
        is_of_trees = diagram != SIDE_BY_SIDE and diagram not in OWN_LAYOUTS
        return is_of_trees and self.components.tree is not None

    def can_delete(self) -> bool:
        return self.components.can_remove

    def advise(self, source: str, target: str) -> EdgeAdvice:
        return self.joining.advise(source, target)

    def add_edge(self, source: str, target: str) -> bool:
        return self.joining.join(source, target)

    def delete(self) -> bool:
        return self.components.remove()

    def stop(self) -> None:
        for part in (self.components, self.side, self.joining):
            part.stop()
