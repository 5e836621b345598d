"""The evidence of one open model and the beliefs it leads to, kept up to date.

Evidence belongs to the view and is not undone. A model that answers within a few milliseconds is
asked in the window thread, so a click is answered in the same frame; slower ones in a worker.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.inference.protocols import (
    Excluded,
    ExplainingSession,
    Finding,
    InferenceSession,
    Likelihood,
    Observed,
)
from pgmstudio.core.inference.sessions import open_session
from pgmstudio.core.models.protocols import Model
from pgmstudio.gui.style.theme import theme

Beliefs = Mapping[str, NDArray[np.float64]]


class LiveBeliefs(QObject):
    """`evidence` with its switched-off part, `beliefs`, `priors`, P(e); `changed` after updates."""

    changed = Signal()  # new beliefs (or a new model, or an error) can be shown
    evidence_changed = Signal()  # at once; beliefs follow
    refused = Signal(str, object)  # variable, PgmStudioError: nothing was changed

    def __init__(self, model: Model, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._session: InferenceSession | None = None
        self._switched_off: dict[str, Finding] = {}
        self._priors: dict[str, NDArray[np.float64]] = {}
        self._beliefs: dict[str, NDArray[np.float64]] = {}
        self._error: PgmStudioError | None = None
        self._is_live = True
        self._is_stale = True
        self._update_ms = 0.0
        self._log2_evidence = 0.0
        self.shows_most_probable = False
        self._most_probable: Mapping[str, str] = {}
        # Clicks in quick succession, or a likelihood being dragged, are answered once a frame.
        self._coalesce = QTimer(self)
        self._coalesce.setSingleShot(True)
        self._coalesce.timeout.connect(self.update_now)
        self._last_update = 0.0
        self._open()

    @property
    def model(self) -> Model:
        return self._model

    @property
    def error(self) -> PgmStudioError | None:
        """Why there are no beliefs (the model is too large, …)."""
        return self._error

    @property
    def evidence(self) -> Mapping[str, Finding]:
        """What is in force."""
        return {} if self._session is None else dict(self._session.evidence)

    @property
    def switched_off(self) -> Mapping[str, Finding]:
        """Findings whose check box is not ticked."""
        return dict(self._switched_off)

    @property
    def beliefs(self) -> Beliefs:
        return self._beliefs

    @property
    def priors(self) -> Beliefs:
        return self._priors

    @property
    def most_probable(self) -> Mapping[str, str]:
        """The most probable explanation, when it is shown; else empty."""
        return self._most_probable

    @property
    def log2_evidence(self) -> float:
        return self._log2_evidence

    @property
    def is_stale(self) -> bool:
        return self._is_stale

    @property
    def is_live(self) -> bool:
        return self._is_live

    @property
    def update_ms(self) -> float:
        return self._update_ms

    def set_live(self, live: bool) -> None:
        self._is_live = live
        if live and self._is_stale:
            self.update_now()

    def set_model(self, model: Model) -> None:
        """Another version of the model; evidence that still fits is kept."""
        if model is self._model:
            return
        kept = self.evidence
        self._model = model
        names = model.domain
        self._switched_off = {
            v: f for v, f in self._switched_off.items() if v in names and _fits(model, v, f)
        }
        self._open()
        if self._session is not None:
            for variable, finding in kept.items():
                if variable in names and _fits(model, variable, finding):
                    try:
                        self._session.set_evidence(variable, finding)
                    except PgmStudioError as error:
                        self.refused.emit(variable, error)
        self.evidence_changed.emit()
        self.update_now()

    def set_finding(self, variable: str, finding: Finding) -> None:
        """Replace the evidence on `variable`; `refused` tells when it is impossible."""
        if self._session is None:
            return
        try:
            self._session.set_evidence(variable, finding)
        except PgmStudioError as error:
            self.refused.emit(variable, error)
            return
        self._switched_off.pop(variable, None)
        self._after_evidence()

    def retract(self, variable: str) -> None:
        self._switched_off.pop(variable, None)
        if self._session is not None:
            self._session.retract(variable)
        self._after_evidence()

    def clear(self) -> None:
        self._switched_off.clear()
        if self._session is not None:
            self._session.retract_all()
        self._after_evidence()

    def set_all(self, evidence: Mapping[str, Finding]) -> None:
        """Exactly this evidence; findings that are impossible together with the rest are told."""
        if self._session is None:
            return
        self._session.retract_all()
        self._switched_off.clear()
        for variable, finding in evidence.items():
            try:
                self._session.set_evidence(variable, finding)
            except PgmStudioError as error:
                self.refused.emit(variable, error)
        self._after_evidence()

    def switch(self, variable: str, on: bool) -> None:
        """Tick or untick a finding without forgetting it."""
        if on and variable in self._switched_off:
            self.set_finding(variable, self._switched_off[variable])
        elif not on and variable in self.evidence:
            finding = self.evidence[variable]
            self.retract(variable)
            self._switched_off[variable] = finding
            self.evidence_changed.emit()

    def click_state(self, variable: str, state: str) -> None:
        """Set hard evidence; on the state that is already set, retract it."""
        if self.evidence.get(variable) == Observed(state):
            self.retract(variable)
        else:
            self.set_finding(variable, Observed(state))

    def exclude_state(self, variable: str, state: str) -> None:
        """Add "not this state", or take it back."""
        present = self.evidence.get(variable)
        excluded = present.states if isinstance(present, Excluded) else frozenset[str]()
        self._set_excluded(variable, excluded ^ {state})

    def toggle_one_of(self, variable: str, state: str) -> None:
        """Add the state to "one of these", or take it out."""
        states = frozenset(self._model.domain[variable].states)
        match self.evidence.get(variable):
            case Observed(seen):
                allowed = frozenset({seen})
            case Excluded(out):
                allowed = states - out
            case _:
                allowed = frozenset()
        self._set_excluded(variable, states - (allowed ^ {state}))

    def _set_excluded(self, variable: str, excluded: frozenset[str]) -> None:
        states = frozenset(self._model.domain[variable].states)
        if not excluded or excluded == states:
            self.retract(variable)
        elif len(states - excluded) == 1:
            self.set_finding(variable, Observed(next(iter(states - excluded))))
        else:
            self.set_finding(variable, Excluded(excluded))

    def set_likelihood(self, variable: str, weights: Mapping[str, float]) -> None:
        self.set_finding(variable, Likelihood(tuple(weights.items())))

    def show_most_probable(self, show: bool) -> None:
        self.shows_most_probable = show
        self.update_now()

    @property
    def session(self) -> InferenceSession | None:
        """For questions beyond beliefs (joints); nobody else may change its evidence."""
        return self._session

    def update_now(self) -> None:
        """Bring the beliefs up to date."""
        self._coalesce.stop()
        if self._session is None:
            self.changed.emit()
            return
        begin = time.perf_counter()
        names = self._model.domain.names
        self._beliefs = {name: self._session.belief(name).values for name in names}
        self._log2_evidence = self._session.log2_evidence()
        if self.shows_most_probable and isinstance(self._session, ExplainingSession):
            self._most_probable = self._session.most_probable()
        else:
            self._most_probable = {}
        self._last_update = time.perf_counter()
        self._update_ms = (self._last_update - begin) * 1000
        self._is_stale = False
        self.changed.emit()

    def _after_evidence(self) -> None:
        self._is_stale = True
        self.evidence_changed.emit()
        if not self._is_live:
            self.changed.emit()
            return
        since_ms = (time.perf_counter() - self._last_update) * 1000
        interval = max(theme().motion_ms("coalesce_evidence"), int(2 * self._update_ms))
        if since_ms >= interval:
            self.update_now()
        elif not self._coalesce.isActive():
            self._coalesce.start(int(interval - since_ms) + 1)

    def _open(self) -> None:
        self._error = None
        self._beliefs, self._priors, self._most_probable = {}, {}, {}
        self._is_stale = True
        try:
            self._session = open_session(self._model)
        except PgmStudioError as error:
            self._session, self._error = None, error
            return
        names = self._model.domain.names
        self._priors = {name: self._session.belief(name).values for name in names}
        self._beliefs = dict(self._priors)
        self._is_stale = False


def _fits(model: Model, variable: str, finding: Finding) -> bool:
    states = set(model.domain[variable].states)
    match finding:
        case Observed(state):
            return state in states
        case Excluded(excluded):
            return excluded < states
        case Likelihood(weights):
            return {state for state, _ in weights} <= states
