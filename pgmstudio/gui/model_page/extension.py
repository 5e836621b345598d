"""The hooks by which a language changes the page of its models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect
from PySide6.QtWidgets import QWidget

from pgmstudio.core.drawing.diagram import GraphPicture
from pgmstudio.core.languages.base import Diagram
from pgmstudio.core.languages.diagrams import diagram_row, picture_names
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.canvas.signals import EdgeAdvice
from pgmstudio.gui.model_page.toolbar import DiagramChoice

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


class PageExtension(QObject):
    """The page of a language without anything of its own; a language overrides what differs.

    The page makes its extension after its canvas, toolbar and controllers, and before the first
    diagram is drawn.
    """

    # Why no edge can be drawn in the diagram, where none can.
    no_edges_reason = "edges are drawn in the DAG of a Bayesian network."
    # How nodes are drawn that have no mode of their own; None: by the size of the model.
    default_mode: NodeMode | None = None

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        self._page = page
        self._app = page.app
        self._model_id = page.model_id

    # -- widgets

    @property
    def above(self) -> Sequence[QWidget]:
        """Widgets between the toolbar and the canvas."""
        return ()

    @property
    def below(self) -> Sequence[QWidget]:
        """Widgets below the canvas or instead of it."""
        return ()

    @property
    def active_canvas(self) -> Canvas:
        """The canvas that is visible."""
        return self._page.canvas

    def avoid(self, covered: Sequence[QRect]) -> None:
        """Move texts away from parts of the screen that floating panels cover."""

    # -- diagrams

    def toolbar_diagrams(self) -> list[DiagramChoice]:
        """The diagrams that the toolbar offers: those of the language's row."""
        model = self._page.entry.model
        rows = [diagram_row(model, name) for name in picture_names(model)]
        return [diagram_choice(row) for row in rows if row is not None]

    def toolbar_diagram(self, diagram: str) -> str:
        """The entry of the toolbar that is checked while a diagram is shown."""
        return diagram

    def choose(self, diagram: str) -> None:
        """An entry of the toolbar was clicked."""
        self._page.show_picture(diagram)

    @property
    def first_diagram(self) -> str:
        """The diagram shown on opening."""
        return picture_names(self._page.entry.model)[0]

    def layout_name(self, diagram: str) -> str:
        """The layout that a diagram uses; diagrams of the same nodes may have one in common."""
        return diagram

    def open_diagram(self, diagram: str) -> str:
        """Show or hide the widgets of a diagram; the diagram that the main canvas draws."""
        return diagram

    def decorated(self, picture: GraphPicture) -> GraphPicture:
        """The diagram with what the state of the view adds to it."""
        return picture

    def diagram_after_edit(self, diagram: str) -> str:
        """The model was replaced by an edit; the diagram to show now."""
        return diagram

    def update_beliefs(self) -> None:
        """Beliefs or evidence have changed: redraw what the main canvas does not show."""

    def update_diagram(self) -> None:
        """The main canvas was redrawn with another diagram or other positions."""

    @property
    def blend(self) -> float:
        """The weight of the beliefs given evidence in what nodes show; the rest is the prior's."""
        return 1.0

    @property
    def cut(self) -> float:
        """α: states whose degree is smaller are struck out; 0 for none."""
        return 0.0

    def describe_edge(self, source: str, target: str) -> str:
        """A text for the tooltip of an edge; empty for none."""
        return ""

    # -- edits

    def can_draw_edges(self, diagram: str) -> bool:
        """Whether the edge tool works in a diagram whose structure is not edited otherwise."""
        return False

    def can_delete(self) -> bool:
        """Whether `delete` would change the model."""
        return False

    def advise(self, source: str, target: str) -> EdgeAdvice | None:
        """The effect of an edge while it is drawn; None: as in any directed graph."""
        return None

    def add_edge(self, source: str, target: str) -> bool:
        """An edge was drawn; whether the extension has handled it."""
        return False

    def delete(self) -> bool:
        """The selection is to be deleted; whether the extension has handled it."""
        return False

    def stop(self) -> None:
        """The page was closed: end what runs in the background."""


def diagram_choice(diagram: Diagram) -> DiagramChoice:
    """The entry of a diagram in the toolbar."""
    tip = diagram.description or diagram.label
    return DiagramChoice(diagram.name, diagram.label, tip, diagram.is_detail)
