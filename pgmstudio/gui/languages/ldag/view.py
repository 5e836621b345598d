"""What the page of a labelled graph has beside that of other models: its context, its multinet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from pgmstudio.core.drawing.diagram import GraphPicture
from pgmstudio.core.languages.ldag.diagrams import MULTINET, label_rows, labelled_picture
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.gui.languages.ldag.context import ContextController, context_views
from pgmstudio.gui.languages.ldag.multinet import MultinetController
from pgmstudio.gui.window.app_context import AppContext

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage

LABELS = "labels"
_MAX_ROWS = 12  # of a label in a tooltip


class LabelPictures(QObject):
    """The same questions a page asks of its trees, answered for labels."""

    components = None

    def __init__(self, app: AppContext, model_id: str, page: ModelPage) -> None:
        super().__init__(page)
        self._app, self._model_id, self._page = app, model_id, page
        self.contexts = ContextController(app, model_id, page)
        self.side = MultinetController(app, model_id, page.canvas, self.contexts)
        self.side.isolated.connect(self._on_isolated)
        context_views(app).changed.connect(self._on_context)

    @property
    def above(self) -> tuple[QWidget, ...]:
        """What stands over the canvas."""
        return (self.contexts.bar,)

    @property
    def below(self) -> tuple[QWidget, ...]:
        """What may stand in its place."""
        return (self.side.widget,)

    def is_joinable(self, picture: str) -> bool:
        """Edges are drawn as in any directed graph, which the page knows."""
        return False

    def shown(self, picture: str) -> str:
        """Show or hide what stands in place of the canvas; the picture that is drawn on it."""
        self.contexts.bar.setVisible(picture != "dag")
        if picture == MULTINET:
            self.side.open()
            return LABELS  # behind it, for faces and places
        self.side.close()
        return picture

    def dressed(self, picture: GraphPicture) -> GraphPicture:
        """The picture as it is in the context."""
        codes, model = context_views(self._app).codes(self._model_id), self._page.entry.model
        if not codes or self._page.picture_name == "dag" or not isinstance(model, LabelledDag):
            return picture
        return labelled_picture(model, codes)

    def choose(self, picture: str) -> None:
        self._page.show_picture(picture)

    def follow(self, picture: str) -> str:
        """The model is another; the picture in view of it."""
        self.contexts.show_context()
        return picture

    def describe_edge(self, source: str, target: str) -> str:
        """The label as a table with names."""
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


def label_pictures(app: AppContext, model_id: str, page: ModelPage) -> LabelPictures | None:
    """None for a model of another language."""
    is_labelled = isinstance(page.entry.model, LabelledDag)
    return LabelPictures(app, model_id, page) if is_labelled else None
