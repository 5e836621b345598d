"""The page of a model whose edges vanish in contexts: the bar of the context, and the multinet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from pgmstudio.core.drawing.diagram import GraphPicture
from pgmstudio.core.languages.diagrams import edge_contexts, picture_names
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.languages.contexts.controller import ContextController
from pgmstudio.gui.languages.contexts.multinet import MultinetController
from pgmstudio.gui.languages.contexts.multinet_diagram import MULTINET_DIAGRAM
from pgmstudio.gui.model_page.extension import PageExtension, diagram_choice
from pgmstudio.gui.model_page.toolbar import DiagramChoice

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

_MAX_ROWS = 12  # of contexts in a tooltip


class ContextExtension(PageExtension):
    """The first diagram in the chosen context, and a small graph for each state of a variable."""

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        app, model_id = page.app, page.model_id
        self._main = picture_names(page.entry.model)[0]
        self._views = context_views(app)
        self.contexts = ContextController(app, model_id, page)
        self.side = MultinetController(app, model_id, page.canvas, self.contexts)
        self.side.isolated.connect(self._on_isolated)
        page.canvas.view.nodes_of_edge = self.deciding_variables
        self._views.changed.connect(self._on_context)

    @property
    def above(self) -> Sequence[QWidget]:
        return (self.contexts.bar,)

    @property
    def below(self) -> Sequence[QWidget]:
        return (self.side.widget,)

    def toolbar_diagrams(self) -> list[DiagramChoice]:
        return [*super().toolbar_diagrams(), diagram_choice(MULTINET_DIAGRAM)]

    def layout_name(self, diagram: str) -> str:
        return self._main if diagram == MULTINET_DIAGRAM.name else diagram

    def open_diagram(self, diagram: str) -> str:
        is_multinet = diagram == MULTINET_DIAGRAM.name
        self.contexts.bar.setVisible(is_multinet or diagram == self._main)
        if is_multinet:
            self.side.open()
            return self._main  # hidden; the panels take beliefs and positions from it
        self.side.close()
        return diagram

    def decorated(self, picture: GraphPicture) -> GraphPicture:
        """The diagram in the chosen context."""
        codes = self._views.codes(self._model_id)
        if not codes or self._page.picture_name not in (self._main, MULTINET_DIAGRAM.name):
            return picture
        return self.contexts.draw(codes) or picture

    def diagram_after_edit(self, diagram: str) -> str:
        self.contexts.show_context()
        return diagram

    def update_beliefs(self) -> None:
        self.side.show_faces()

    def update_diagram(self) -> None:
        self.side.follow()

    def context_texts(self, source: str, target: str) -> list[str]:
        """The contexts in which an edge vanishes, with the names of states."""
        return list(edge_contexts(self._page.entry.model, source, target) or ())

    def deciding_variables(self, source: str, target: str) -> frozenset[str]:
        """The variables whose states are the contexts of an edge."""
        return frozenset()

    def describe_edge(self, source: str, target: str) -> str:
        texts = self.context_texts(source, target)
        if not texts:
            return ""
        more = [f"… {len(texts) - _MAX_ROWS} more"] if len(texts) > _MAX_ROWS else []
        return "\n".join(["vanishes when", *texts[:_MAX_ROWS], *more])

    def _on_context(self, model_id: str) -> None:
        if model_id == self._model_id:
            self._page.show_picture(self._page.picture_name)

    def _on_isolated(self) -> None:
        self._page.show_picture(self._main)

    def stop(self) -> None:
        self.side.stop()
