"""Wishes of a canvas turned into evidence; what cannot be is explained at the pointer."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt

from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.live_beliefs import LiveBeliefs
from pgmstudio.gui.views.canvas import Canvas


class ModelAsking(QObject):
    """Listens to one canvas and asks the live beliefs of its model."""

    def __init__(self, shell: Shell, model_id: str, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._shell, self._model_id, self._canvas = shell, model_id, canvas
        wishes = canvas.wishes
        wishes.click_state.connect(self._on_click_state)
        wishes.exclude_state.connect(self._on_exclude_state)
        wishes.toggle_state.connect(self._on_toggle_state)
        wishes.likelihood.connect(self._on_likelihood)
        wishes.clear_evidence.connect(self._on_clear_evidence)
        wishes.target.connect(self._on_target_wish)
        canvas.view.explain_impossible = self.why_impossible
        self.live.refused.connect(self._on_refused)

    @property
    def live(self) -> LiveBeliefs:
        return self._shell.bench.beliefs(self._model_id)

    def _variable(self, node: str) -> str:
        return self._canvas.scene.picture.node[node].variable or node

    def _on_click_state(self, node: str, state: str) -> None:
        self.live.click_state(self._variable(node), state)

    def _on_exclude_state(self, node: str, state: str) -> None:
        self.live.exclude_state(self._variable(node), state)

    def _on_toggle_state(self, node: str, state: str) -> None:
        self.live.toggle_one_of(self._variable(node), state)

    def _on_likelihood(self, node: str, weights: Mapping[str, float]) -> None:
        self.live.set_likelihood(self._variable(node), weights)

    def _on_clear_evidence(self, node: str) -> None:
        self.live.retract(self._variable(node))

    def _on_target_wish(self, node: str) -> None:
        bench, name = self._shell.bench, self._variable(node)
        bench.set_target(None if bench.target == name else name)

    def clear_all(self) -> None:
        self.live.clear()

    def begin_likelihood(self, node: str) -> None:
        """Handles at equal weights, ready to be dragged or moved by ← and →."""
        variable = self._variable(node)
        states = self.live.model.domain[variable].states
        self.live.set_likelihood(variable, dict.fromkeys(states, 1.0))
        self._canvas.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._canvas.view.keys.enter(node)

    def _on_refused(self, _variable: str, error: object) -> None:
        if self._canvas.isVisible():
            self._canvas.refuse(str(error))

    def why_impossible(self, node: str, state: str) -> str:
        """Which evidence excludes a state whose belief is 0."""
        variable = self._variable(node)
        reason = self.live.why_impossible(variable, state)
        return reason or f"{variable} = {state} is impossible."
