"""The context bar of a labelled DAG and its commands."""

from __future__ import annotations

from PySide6.QtCore import QObject

from pgmstudio.core.languages.ldag.contexts import deciding_variables, vanished_edges
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.languages.ldag.context_bar import ContextBar, Offer


class ContextController(QObject):
    """One per page of a labelled graph."""

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
        self._decides: tuple[object, set[str]] = (None, set())
        self.show_context()

    @property
    def model(self) -> LabelledDag | None:
        entry = self._app.project.models.get(self._model_id)
        is_one = entry is not None and isinstance(entry.model, LabelledDag)
        return entry.model if entry is not None and is_one else None  # type: ignore[return-value]

    @property
    def context(self) -> dict[str, str]:
        return self._views.context(self._model_id)

    def show_context(self) -> None:
        """The bar as the model and the context are now."""
        model = self.model
        if model is None:
            return
        if self._decides[0] is not model:
            self._decides = (model, deciding_variables(model))
        titles = self._app.project.models[self._model_id].node_titles
        offers = [
            Offer(v, titles.get(v.name, v.name), v.name in self._decides[1]) for v in model.domain
        ]
        follows = self._views.follows(self._model_id)
        self.bar.show_context(offers, self.context, self._effect_text(model), follows=follows)

    def _effect_text(self, model: LabelledDag) -> str:
        gone = len(vanished_edges(model, self._views.codes(self._model_id)))
        if not model.labelled_edges:
            return "no edge carries a label"
        many = counted(len(model.edges), "edge")
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
