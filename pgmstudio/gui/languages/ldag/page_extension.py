"""The page of a labelled DAG: the bar of its context, and its multinet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from pgmstudio.core.drawing.diagram import GraphPicture
from pgmstudio.core.languages.ldag.diagrams import MULTINET, label_rows, labelled_picture
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.languages.ldag.context import ContextController
from pgmstudio.gui.languages.ldag.language_view import MULTINET_DIAGRAM
from pgmstudio.gui.languages.ldag.multinet import MultinetController
from pgmstudio.gui.model_page.extension import PageExtension, diagram_choice
from pgmstudio.gui.model_page.toolbar import DiagramChoice

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

LABELS = "labels"
DAG = "dag"
_MAX_ROWS = 12  # of a label in a tooltip


class LdagExtension(PageExtension):
    """Labels as they are in the chosen context, and a small graph for each state of a variable."""

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        app, model_id = page.app, page.model_id
        self._views = context_views(app)
        self.contexts = ContextController(app, model_id, page)
        self.side = MultinetController(app, model_id, page.canvas, self.contexts)
        self.side.isolated.connect(self._on_isolated)
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
        return LABELS

    def open_diagram(self, diagram: str) -> str:
        self.contexts.bar.setVisible(diagram != DAG)
        if diagram == MULTINET:
            self.side.open()
            return LABELS  # hidden; the panels take beliefs and positions from it
        self.side.close()
        return diagram

    def decorated(self, picture: GraphPicture) -> GraphPicture:
        """The diagram in the chosen context."""
        codes, model = self._views.codes(self._model_id), self._page.entry.model
        if not codes or self._page.picture_name == DAG or not isinstance(model, LabelledDag):
            return picture
        return labelled_picture(model, codes)

    def diagram_after_edit(self, diagram: str) -> str:
        self.contexts.show_context()
        return diagram

    def update_beliefs(self) -> None:
        self.side.show_faces()

    def update_diagram(self) -> None:
        self.side.follow()

    def describe_edge(self, source: str, target: str) -> str:
        """The label: the contexts in which the edge vanishes, with the names of states."""
        model = self._page.entry.model
        if not isinstance(model, LabelledDag) or (source, target) not in model.labelled_edges:
            return ""
        others = model.other_parents(source, target)
        rows = label_rows(model, source, target)
        lines = [
            ", ".join(f"{name} = {state}" for name, state in zip(others, row, strict=True))
            for row in rows[:_MAX_ROWS]
        ]
        more = [f"… {len(rows) - _MAX_ROWS} more"] if len(rows) > _MAX_ROWS else []
        return "\n".join(["vanishes when", *lines, *more])

    def _on_context(self, model_id: str) -> None:
        if model_id == self._model_id:
            self._page.show_picture(self._page.picture_name)

    def _on_isolated(self) -> None:
        self._page.show_picture(LABELS)

    def stop(self) -> None:
        self.side.stop()
