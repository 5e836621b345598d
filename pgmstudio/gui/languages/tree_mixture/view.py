"""What the page of a mixture of trees has beside that of other models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from pgmstudio.core.drawing.diagram import GraphPicture
from pgmstudio.core.languages.diagrams import picture_names
from pgmstudio.core.languages.ldag.diagrams import MULTINET
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model
from pgmstudio.gui.languages.ldag.view import LabelPictures, label_pictures
from pgmstudio.gui.languages.tree_mixture.component_controller import OVERLAY, ComponentController
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.languages.tree_mixture.edge_editing import TreeJoining
from pgmstudio.gui.languages.tree_mixture.small_multiples import (
    SIDE_BY_SIDE,
    SmallMultiplesController,
)
from pgmstudio.gui.model_page.layout_store import OWN_PLACES, pictures_that_stay
from pgmstudio.gui.widgets.basic import hairline
from pgmstudio.gui.window.app_context import AppContext

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


def bar_pictures(model: Model) -> list[str]:
    """The pictures with a word in the bar: the trees of a mixture are chosen in its strip."""
    more = (MULTINET,) if isinstance(model, LabelledDag) else ()
    return [name for name in (*picture_names(model), *more) if not name.startswith("tree-")]


def bar_name(picture: str) -> str:
    """The word in the bar that stands for a picture: trees are an overlay of some."""
    return OVERLAY if picture.startswith("tree-") else picture


class TreePictures(QObject):
    """The strip, the trees side by side, and drawing edges in one of them."""

    def __init__(self, app: AppContext, model_id: str, page: ModelPage) -> None:
        super().__init__(page)
        self._app, self._model_id, self._page = app, model_id, page
        canvas = page.canvas
        self.components = ComponentController(app, model_id, page)
        self.components.picture_requested.connect(self._on_cards)
        self.components.refused.connect(canvas.refuse)
        self.side = SmallMultiplesController(app, model_id, canvas, self.components)
        self.side.isolated.connect(page.show_picture)
        self.joining = TreeJoining(app, canvas, self.components)
        canvas.view.advise = self.joining.advise
        canvas.view.is_pruned = True
        page.editing.delete_instead = self.components.remove
        page.editing.join_instead = self.joining.join

    @property
    def above(self) -> tuple[QWidget, ...]:
        """What stands over the canvas."""
        return self.components.strip, hairline(), self.components.edit_bar

    @property
    def below(self) -> tuple[QWidget, ...]:
        """What may stand in its place."""
        return (self.side.widget,)

    def is_joinable(self, picture: str) -> bool:
        """Edges can be drawn where one tree is in view."""
        is_of_trees = picture != SIDE_BY_SIDE and picture not in OWN_PLACES
        return is_of_trees and self.components.tree is not None

    def shown(self, picture: str) -> str:
        """Show or hide what stands in place of the canvas; the picture that is drawn on it."""
        if picture == SIDE_BY_SIDE:
            self.side.open()
            return OVERLAY  # behind it, for faces and places
        self.side.close()
        return picture

    def dressed(self, picture: GraphPicture) -> GraphPicture:
        """As it is: nothing beside the trees decides how they look."""
        return picture

    def describe_edge(self, source: str, target: str) -> str:
        """Nothing beside what its lines say."""
        return ""

    def choose(self, picture: str) -> None:
        """By its word in the bar; the overlay is one of all trees."""
        if picture == OVERLAY:
            component_views(self._app).choose(self._model_id, ())
        self._page.show_picture(picture)

    def _on_cards(self, picture: str) -> None:
        """Trees were chosen: beside each other when they stand so, else over each other."""
        self._page.show_picture(SIDE_BY_SIDE if self.side.is_open else picture)

    def follow(self, picture: str) -> str:
        """The mixture is another; the picture in view of it."""
        self.components.follow()
        stays = picture in pictures_that_stay(self._page.entry.model)
        return picture if stays else self.components.picture_name

    def stop(self) -> None:
        for part in (self.components, self.side, self.joining):
            part.stop()


def own_pictures(
    app: AppContext, model_id: str, page: ModelPage
) -> TreePictures | LabelPictures | None:
    """What the language in view has of its own; None for those without."""
    if isinstance(page.entry.model, TreeMixture):
        return TreePictures(app, model_id, page)
    return label_pictures(app, model_id, page)
