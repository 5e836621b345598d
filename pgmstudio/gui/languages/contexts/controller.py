"""The context bar of a model and its commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject

from pgmstudio.core.drawing.diagram import GraphPicture
from pgmstudio.core.languages.base import ContextOperations
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.model import Model, edges_of
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.languages.contexts.context_bar import ContextBar, Offer


def contexts_of(model: Model) -> ContextOperations | None:
    """The operations of a language in which edges may vanish; None for other languages."""
    return LANGUAGES[model.kind].contexts


class ContextController(QObject):
    """One per page."""

    def __init__(self, app: AppContext, model_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._model_id = app, model_id
        self._views = context_views(app)
        self.bar = ContextBar()
        self.bar.chosen.connect(self._on_chosen)
        self.bar.dropped.connect(self._on_dropped)
        self.bar.follow_requested.connect(self._on_follow)
        self.bar.copy_requested.connect(self.copy_to_evidence)
        self.bar.clear_requested.connect(self.clear)
        self._views.changed.connect(self._on_changed)
        # What holds in the context, in rich text.
        self.statement: Callable[[Mapping[int, int]], str] = lambda _: ""
        self._decides: tuple[object, set[str]] = (None, set())
        self.show_context()

    @property
    def model(self) -> Model | None:
        """The model of the page; None where its language has no contexts, or it is gone."""
        entry = self._app.project.models.get(self._model_id)
        return None if entry is None or contexts_of(entry.model) is None else entry.model

    def draw(self, context: Mapping[int, int]) -> GraphPicture | None:
        """The graph in a context; None where there is none."""
        operations = None if self.model is None else contexts_of(self.model)
        return None if operations is None else operations.draw.load()(self.model, context)

    @property
    def deciding(self) -> set[str]:
        """The variables whose states decide whether some edge vanishes."""
        model = self.model
        operations = None if model is None else contexts_of(model)
        if operations is None:
            return set()
        if self._decides[0] is not model:
            self._decides = (model, operations.deciding_variables.load()(model))
        return self._decides[1]

    def vanished(self, context: Mapping[int, int]) -> int:
        """The number of edges that vanish in a context."""
        operations = None if self.model is None else contexts_of(self.model)
        return (
            0 if operations is None else len(operations.vanished_edges.load()(self.model, context))
        )

    @property
    def context(self) -> dict[str, str]:
        return self._views.context(self._model_id)

    def show_context(self) -> None:
        """The bar as the model and the context are now."""
        model = self.model
        if model is None:
            return
        decides = self.deciding
        titles = self._app.project.models[self._model_id].node_titles
        offers = [Offer(v, titles.get(v.name, v.name), v.name in decides) for v in model.domain]
        follows = self._views.follows(self._model_id)
        self.bar.show_context(
            offers,
            self.context,
            self._effect_text(model),
            follows=follows,
            statement=self.statement(self._views.codes(self._model_id)),
        )

    def _effect_text(self, model: Model) -> str:
        if not self.deciding:
            return "no edge vanishes in any context"
        gone = self.vanished(self._views.codes(self._model_id))
        many = counted(len(edges_of(model)), "edge")
        return f"{gone} of {many} {'vanishes' if gone == 1 else 'vanish'}"

    # -- requests

    def _on_chosen(self, name: str, state: str) -> None:
        self._views.choose(self._model_id, {**self.context, name: state})

    def _on_dropped(self, name: str) -> None:
        rest = {n: s for n, s in self.context.items() if n != name}
        self._views.choose(self._model_id, rest)

    def _on_follow(self, on: bool) -> None:
        self._views.follow(self._model_id, on)

    def clear(self) -> None:
        self._views.choose(self._model_id, {})

    def copy_to_evidence(self) -> None:
        self._views.observe(self._model_id)

    def _on_changed(self, model_id: str) -> None:
        if model_id == self._model_id:
            self.show_context()
