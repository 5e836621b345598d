"""The context a labelled graph is looked at in: states of some variables, chosen or observed.

It belongs to the view, as evidence does: not undone and not saved. It is not evidence: bars do not
move. It may follow the evidence, so that what is observed is the context.

The context of a labelled graph on its page: the bar, what vanishes, and copying to evidence.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Done, Observed
from pgmstudio.core.languages.ldag.contexts import deciding_variables, vanished_edges
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.ldag.context_bar import ContextBar, Offer
from pgmstudio.gui.project.model_state import ByModel


class ContextViews(QObject):
    """One for a shell; `changed` tells the model that is looked at in another context."""

    changed = Signal(str)

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._chosen: ByModel[dict[str, str]] = ByModel(app.document)
        # What was told last of those whose context is their evidence.
        self._following: ByModel[dict[str, str]] = ByModel(app.document)
        app.workspace.beliefs_changed.connect(self._on_beliefs_changed)

    def context(self, model_id: str) -> dict[str, str]:
        """States by variable, of those the model has."""
        entry = self._app.project.models.get(model_id)
        if entry is None:
            return {}
        domain = entry.model.domain
        chosen = self._seen(model_id) if model_id in self._following else self._chosen.get(model_id)
        return {
            name: state
            for name, state in (chosen or {}).items()
            if name in domain and state in domain[name].states
        }

    def codes(self, model_id: str) -> dict[int, int]:
        """The same by numbers."""
        context = self.context(model_id)
        return coded(self._app.project.models[model_id].model.domain, context) if context else {}

    def _seen(self, model_id: str) -> dict[str, str]:
        evidence = self._app.workspace.beliefs(model_id).evidence
        return {n: f.state for n, f in evidence.items() if isinstance(f, Observed | Done)}

    def choose(self, model_id: str, context: Mapping[str, str]) -> None:
        """Look at the model in this context, whatever is observed."""
        before = self.context(model_id)
        was_following = model_id in self._following
        self._following.pop(model_id, None)
        self._chosen[model_id] = dict(context)
        if was_following or self.context(model_id) != before:
            self.changed.emit(model_id)

    def follows(self, model_id: str) -> bool:
        """Whether what is observed is the context."""
        return model_id in self._following

    def follow(self, model_id: str, on: bool) -> None:
        """Let the evidence set the context from now on, or leave it as it is."""
        if on == self.follows(model_id):
            return
        if on:
            self._following[model_id] = self._seen(model_id)
        else:
            self._chosen[model_id] = self.context(model_id)
            del self._following[model_id]
        self.changed.emit(model_id)

    def observe(self, model_id: str) -> None:
        """What the context says is evidence from now on, beside what is observed already."""
        live = self._app.workspace.beliefs(model_id)
        seen = {name: Observed(state) for name, state in self.context(model_id).items()}
        live.set_all({**live.evidence, **seen})

    def _on_beliefs_changed(self, model_id: str) -> None:
        if model_id not in self._following or model_id not in self._app.project.models:
            return
        now = self._seen(model_id)
        if now != self._following[model_id]:
            self._following[model_id] = now
            self.changed.emit(model_id)


def coded(domain: Domain, context: Mapping[str, str]) -> dict[int, int]:
    """A context by the numbers of its variables and states."""
    return {domain.index(name): domain[name].code(state) for name, state in context.items()}


def context_views(app: AppContext) -> ContextViews:
    """The `ContextViews` of a window, made on first use."""
    return app.service(ContextViews)


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
        self.bar.show_context(offers, self.context, self._words(model), follows=follows)

    def _words(self, model: LabelledDag) -> str:
        gone = len(vanished_edges(model, self._views.codes(self._model_id)))
        if not model.labelled_edges:
            return "no edge carries a label"
        many = counted(len(model.edges), "edge")
        return f"{gone} of {many} {'vanishes' if gone == 1 else 'vanish'}"

    # -- wishes

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
