"""The context a labelled DAG is viewed in: states of some variables, chosen or observed.

It belongs to the view, as evidence does: not undone and not saved. It is not evidence: beliefs do
not change. It may follow the evidence, so that the observed states are the context.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Done, Observed
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.model_state import ByModel


class ContextViews(QObject):
    """The contexts by model; `changed` has the id of the model whose context changed."""

    changed = Signal(str)

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._chosen: ByModel[dict[str, str]] = ByModel(app.document)
        # The last emitted context of models whose context follows the evidence.
        self._following: ByModel[dict[str, str]] = ByModel(app.document)
        app.workspace.beliefs_changed.connect(self._on_beliefs_changed)

    def context(self, model_id: str) -> dict[str, str]:
        """The states of the context by variable."""
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
        """The context by the indices of variables and states."""
        context = self.context(model_id)
        return coded(self._app.project.models[model_id].model.domain, context) if context else {}

    def _seen(self, model_id: str) -> dict[str, str]:
        evidence = self._app.workspace.beliefs(model_id).evidence
        return {n: f.state for n, f in evidence.items() if isinstance(f, Observed | Done)}

    def choose(self, model_id: str, context: Mapping[str, str]) -> None:
        """View the model in this context, independent of the evidence."""
        before = self.context(model_id)
        was_following = model_id in self._following
        self._following.pop(model_id, None)
        self._chosen[model_id] = dict(context)
        if was_following or self.context(model_id) != before:
            self.changed.emit(model_id)

    def follows(self, model_id: str) -> bool:
        """Whether the context follows the evidence."""
        return model_id in self._following

    def follow(self, model_id: str, on: bool) -> None:
        """Let the context follow the evidence, or stop that."""
        if on == self.follows(model_id):
            return
        if on:
            self._following[model_id] = self._seen(model_id)
        else:
            self._chosen[model_id] = self.context(model_id)
            del self._following[model_id]
        self.changed.emit(model_id)

    def observe(self, model_id: str) -> None:
        """Set the states of the context as evidence, in addition to the present evidence."""
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
    """A context by the indices of its variables and states."""
    return {domain.index(name): domain[name].code(state) for name, state in context.items()}


def context_views(app: AppContext) -> ContextViews:
    """The `ContextViews` of a window, made on first use."""
    return app.service(ContextViews)
