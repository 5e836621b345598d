"""Requests of a canvas as evidence; a refusal is explained at the pointer."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QPoint, Qt

from pgmstudio.core.inference.base import done_states
from pgmstudio.core.languages.sessions import direction_note, no_intervention_reason
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.layers.surprise import SurpriseMarks
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.model_page.context_menu import do_menu


class EvidenceController(QObject):
    """Sets the evidence of one model on request of one canvas."""

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._app, self._model_id, self._canvas = app, model_id, canvas
        self.shows_structure = False  # whether the lines of the diagram are edges of the model
        signals = canvas.signals
        signals.click_state.connect(self._on_click_state)
        signals.exclude_state.connect(self._on_exclude_state)
        signals.toggle_state.connect(self._on_toggle_state)
        signals.likelihood.connect(self._on_likelihood)
        signals.clear_evidence.connect(self._on_clear_evidence)
        signals.do.connect(self._on_do)
        signals.do_menu.connect(self._on_do_menu)
        signals.target.connect(self._on_target_requested)
        canvas.scene.contents_changed.connect(self._show_cut)
        app.workspace.beliefs_changed.connect(self._on_beliefs_changed)
        canvas.view.explain_impossible = self.why_impossible
        self.live.refused.connect(self._on_refused)
        SurpriseMarks(app, model_id, canvas.surprise, canvas)

    @property
    def live(self) -> BeliefService:
        return self._app.workspace.beliefs(self._model_id)

    def _variable(self, node: str) -> str:
        # The request may come from another canvas, with a node that this one has not drawn yet.
        result = self._canvas.scene.picture.node.get(node)
        return node if result is None else result.variable or node

    def _refused(self, node: str) -> bool:
        """Whether the node is latent and so takes no evidence, which the canvas explains."""
        name = self._variable(node)
        if name in self.live.model.domain:
            return False
        self._canvas.refuse(
            f"{name} is hidden: a latent variable cannot be observed. Set evidence on the observed "
            "variables instead."
        )
        return True

    def _on_click_state(self, node: str, state: str) -> None:
        if not self._refused(node):
            self.live.click_state(self._variable(node), state)

    def _on_exclude_state(self, node: str, state: str) -> None:
        if not self._refused(node):
            self.live.exclude_state(self._variable(node), state)

    def _on_toggle_state(self, node: str, state: str) -> None:
        if not self._refused(node):
            self.live.toggle_one_of(self._variable(node), state)

    def _on_likelihood(self, node: str, weights: Mapping[str, float]) -> None:
        if not self._refused(node):
            self.live.set_likelihood(self._variable(node), weights)

    def _on_clear_evidence(self, node: str) -> None:
        self.live.retract(self._variable(node))

    def _on_do(self, node: str, state: str) -> None:
        if not self._refused(node):
            self.live.do(self._variable(node), state)
            if note := direction_note(self.live.model, self.live.evidence):
                self._app.notify(note)

    def no_do_reason(self) -> str:
        """Why this model has no interventions; empty when it has."""
        return no_intervention_reason(self.live.model)

    def _on_do_menu(self, node: str, position: QPoint) -> None:
        """A menu of states to intervene with, for a node that does not show them."""
        reason = self.no_do_reason()
        if reason:
            self._canvas.refuse(f"No intervention on {self._variable(node)}: {reason}")
            return
        canvas = self._canvas
        menu = do_menu(canvas.scene.nodes[node].face, node, canvas, canvas)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    def _on_beliefs_changed(self, model_id: str) -> None:
        if model_id == self._model_id and model_id in self._app.project.models:
            self._show_cut()

    def _show_cut(self) -> None:
        """Mark the edges that interventions cut; lines without arrows only where they are edges
        of the model, as in a tree."""
        if self._model_id in self._app.project.models:
            done = done_states(self.live.evidence)
            self._canvas.scene.show_cut(done, lines_too=self.shows_structure)

    def _on_target_requested(self, node: str) -> None:
        if self._refused(node):
            return
        workspace, name = self._app.workspace, self._variable(node)
        workspace.set_target(None if workspace.target == name else name)

    def clear_all(self) -> None:
        self.live.clear()

    def begin_likelihood(self, node: str) -> None:
        """Set a likelihood of equal weights, ready to be dragged or changed with ← and →."""
        if self._refused(node):
            return
        variable = self._variable(node)
        states = self.live.model.domain[variable].states
        self.live.set_likelihood(variable, dict.fromkeys(states, 1.0))
        self._canvas.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._canvas.view.keys.enter(node)

    def _on_refused(self, _variable: str, error: object) -> None:
        if self._canvas.isVisible():
            self._canvas.refuse(str(error))

    def why_impossible(self, node: str, state: str) -> str:
        """The evidence that excludes a state whose belief is 0."""
        variable = self._variable(node)
        reason = None
        if variable in self.live.model.domain:
            reason = self.live.why_impossible(variable, state)
        return reason or f"{variable} = {state} is impossible."
