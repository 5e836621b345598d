"""The evidence on one open model and its beliefs, updated after every change.

Evidence belongs to the view: it is not part of the project or its undo stack. A model that answers
within a few milliseconds is queried in the window thread, so that a click is answered in the same
frame; a slower one is queried in a worker with the newest evidence. Until it answers, the last
beliefs stay and are marked stale.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.analysis.belief_query import (
    Answer,
    Beliefs,
    Opened,
    Opener,
    Refusal,
    Standing,
    become,
    findings_against,
    fitting,
    is_ruled_out,
    settle,
    settled,
)
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.inference.base import Finding, InferenceSession, Likelihood, Scale, done_states
from pgmstudio.core.inference.findings import (
    after_allowing,
    after_click,
    after_doing,
    after_exclusion,
    fits,
    ruled_out_sentence,
)
from pgmstudio.core.inference.information_measures import conflict_bits
from pgmstudio.core.languages.sessions import open_fitting_session
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import percent
from pgmstudio.gui.beliefs.belief_worker import BeliefWorker
from pgmstudio.gui.beliefs.evidence_diagnostics import EvidenceDiagnostics
from pgmstudio.gui.beliefs.side_queries import SideQuestions
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.debounce import one_shot


class BeliefService(QObject):
    """`evidence` with its switched-off part, `beliefs`, `priors`, P(e); `changed` after updates."""

    changed = Signal()  # new beliefs (or a new model, or an error) can be shown
    evidence_changed = Signal()  # beliefs follow later; else only `changed` is emitted
    refused = Signal(str, object)  # variable, PgmStudioError: nothing was changed

    def __init__(
        self, model: Model, parent: QObject | None = None, *, opener: Opener | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._opener = opener or open_fitting_session
        self._findings: dict[str, Finding] = {}  # in the order of entry
        self._off: set[str] = set()
        self._error: PgmStudioError | None = None
        self._refusal: Refusal | None = None
        self._priors: Beliefs = {}
        self._answer = Answer({}, {}, 0.0)
        self._reasons: dict[tuple[str, str], Mapping[str, str]] = {}
        self._is_live = True
        self._is_stale = True
        self.shows_most_probable = False
        self.is_relative = False
        self._engine = BeliefWorker(self._opener, self)
        self._engine.opened.connect(self._on_opened)
        self._engine.answered.connect(self._take)
        self._engine.failed.connect(self._on_failed)
        # Clicks in quick succession, or a likelihood being dragged, are answered once a frame.
        self._coalesce = one_shot(self, self.update_now)
        self._last_update = 0.0
        self._side: SideQuestions | None = None
        self._open()

    # -- state

    @property
    def model(self) -> Model:
        return self._model

    @cached_property
    def diagnostics(self) -> EvidenceDiagnostics:
        """Conflicts among the findings."""
        return EvidenceDiagnostics(self)

    @property
    def error(self) -> PgmStudioError | None:
        """Why there are no beliefs (the model is too large, …)."""
        return self._error

    @property
    def refusal(self) -> Refusal | None:
        """The finding that was refused last, until evidence changes."""
        return self._refusal

    @property
    def evidence(self) -> Mapping[str, Finding]:
        """The findings that are switched on."""
        return {v: f for v, f in self._findings.items() if v not in self._off}

    @property
    def switched_off(self) -> Mapping[str, Finding]:
        """Findings whose check box is not ticked."""
        return {v: f for v, f in self._findings.items() if v in self._off}

    @property
    def findings(self) -> Mapping[str, Finding]:
        """All findings, ticked or not, in the order of entry."""
        return dict(self._findings)

    @property
    def standing(self) -> Standing:
        """The state that `restore` restores."""
        return Standing(tuple(self._findings.items()), frozenset(self._off))

    @property
    def beliefs(self) -> Beliefs:
        return _relative(self._answer.beliefs) if self.is_relative else self._answer.beliefs

    @property
    def priors(self) -> Beliefs:
        return _relative(self._priors) if self.is_relative else self._priors

    @property
    def errors(self) -> Beliefs:
        """Of estimated beliefs: half the width of a 95 % interval per state; empty if exact."""
        return self._answer.errors

    @property
    def largest_error(self) -> float | None:
        """The largest error of an estimated belief; None where beliefs are exact."""
        return self._answer.largest_error

    @property
    def estimate_note(self) -> str:
        """That beliefs are estimates, and how good they are; empty where they are exact."""
        error = self.largest_error
        if error is None:
            return ""
        return (
            "Exact inference does not fit into memory, so beliefs are estimates. Lines on the bars "
            f"are 95 % intervals, ± {percent(error)} points at most; they shrink while it runs."
        )

    @property
    def largest_degree(self) -> float:
        """The largest degree of a joint state without evidence; 1 for probabilities or unknown."""
        if self.scale is not Scale.POSSIBILITY:
            return 1.0
        return _largest(self._priors) or 1.0

    @property
    def scale(self) -> Scale:
        return self._answer.scale

    @property
    def most_probable(self) -> Mapping[str, str]:
        """The most probable explanation, when it is shown; else empty."""
        return self._answer.most_probable

    @property
    def log2_most_probable(self) -> float | None:
        """log2 of its joint probability with the evidence; None when it is not shown."""
        return self._answer.log2_most_probable

    @property
    def log2_most_probable_bound(self) -> float | None:
        """An upper bound of log2 P of any explanation; None when the shown one is proved to be
        best."""
        return self._answer.log2_bound

    @property
    def component_posterior(self) -> tuple[float, ...]:
        """P(component | evidence) of a mixture; empty for other models."""
        return self._answer.responsibilities

    @property
    def log2_evidence(self) -> float:
        return self._answer.log2_evidence

    @property
    def conflict_bits(self) -> float | None:
        """conf(e); None for fewer than two findings, or on another scale than probability."""
        evidence = self._answer.evidence
        if len(evidence) < 2 or self.scale is not Scale.PROBABILITY or not self._priors:
            return None
        if done_states(evidence):  # the priors are not those after it
            return None
        return conflict_bits(self._model.domain, evidence, self._priors, self.log2_evidence)

    @property
    def is_stale(self) -> bool:
        return self._is_stale

    @property
    def is_live(self) -> bool:
        return self._is_live

    @property
    def is_waiting(self) -> bool:
        """Whether a worker computes beliefs or still opens the model."""
        return self._engine.is_waiting

    @property
    def update_ms(self) -> float:
        return self._answer.seconds * 1000

    @property
    def session(self) -> InferenceSession | None:
        """The session, read-only; None while a worker uses it. `side` has a session of its own."""
        return self._engine.session

    @property
    def side(self) -> SideQuestions:
        """Queries beyond beliefs, in the background and independent of the evidence."""
        if self._side is None:
            self._side = SideQuestions(self._opener, self._model, self)
        return self._side

    def is_impossible(self, variable: str, state: str) -> bool:
        """Whether the state has probability 0 given the evidence, or in the model itself."""
        known, belief = self._model.domain[variable], self.beliefs.get(variable)
        prior, own = self._priors.get(variable), self.evidence.get(variable)
        return is_ruled_out(known, state, prior, None if self._is_stale else belief, own)

    def why_impossible(
        self, variable: str, state: str, titles: Mapping[str, str] = MappingProxyType({})
    ) -> str | None:
        """A message with the evidence that makes the state impossible; None if it is possible."""
        if not self.is_impossible(variable, state):
            return None
        if (variable, state) not in self._reasons:
            known, prior = self._model.domain[variable], self._priors[variable]
            self._reasons[variable, state] = findings_against(
                known, state, prior, self.evidence, self._engine.session
            )
        by = {titles.get(n, n): text for n, text in self._reasons[variable, state].items()}
        return ruled_out_sentence(f"{titles.get(variable, variable)} = {state}", by)

    # -- evidence

    def set_finding(self, variable: str, finding: Finding) -> None:
        """Replace the evidence on `variable`; emits `refused` if it is impossible."""
        if self._error is not None:
            self._refuse(Refusal(variable, finding, self._error))
            return
        session = self._engine.session
        if session is not None:
            try:
                become(session, {**self.evidence, variable: finding})
            except PgmStudioError as error:
                self._refuse(Refusal(variable, finding, error))
                return
        self._findings[variable] = finding
        self._off.discard(variable)
        self._after_evidence()

    def retract(self, variable: str) -> None:
        if self._findings.pop(variable, None) is not None:
            self._off.discard(variable)
            self._after_evidence()

    def clear(self) -> None:
        self._findings.clear()
        self._off.clear()
        self._after_evidence()

    def set_all(self, evidence: Mapping[str, Finding]) -> None:
        """Replace all evidence; emits `refused` for findings that contradict the rest."""
        if self._error is not None:
            return
        taken = {v: f for v, f in evidence.items() if fits(self._model, v, f)}
        refusals: tuple[Refusal, ...] = ()
        session = self._engine.session
        if session is not None:
            refusals = settle(session, taken, {})
            taken = {v: f for v, f in taken.items() if v in session.evidence}
        self._findings, self._off = taken, set()
        self._answer = replace(self._answer, evidence={})  # old findings have no priority
        self._after_evidence()
        for refusal in refusals:
            self._refuse(refusal)

    def restore(self, standing: Standing) -> None:
        """Restore earlier findings, ticked or not."""
        self._findings, self._off = dict(standing.findings), set(standing.off)
        self._answer = replace(self._answer, evidence={})  # old findings have no priority
        self._after_evidence()

    def switch(self, variable: str, on: bool) -> None:
        """Switch a finding on or off without removing it."""
        if on and variable in self._off:
            self.set_finding(variable, self._findings[variable])
        elif not on and variable in self.evidence:
            self._off.add(variable)
            self._after_evidence()

    def click_state(self, variable: str, state: str) -> None:
        """Set hard evidence; on the state that is already set, retract it."""
        self._set_or_retract(variable, after_click(self.evidence.get(variable), state))

    def do(self, variable: str, state: str) -> None:
        """Intervene, do(variable = state); a second call with the same state retracts it."""
        self._set_or_retract(variable, after_doing(self.evidence.get(variable), state))

    def exclude_state(self, variable: str, state: str) -> None:
        """Exclude the state, or allow it again."""
        known, present = self._model.domain[variable], self.evidence.get(variable)
        self._set_or_retract(variable, after_exclusion(known, present, state))

    def toggle_one_of(self, variable: str, state: str) -> None:
        """Add the state to a set of possible states, or remove it."""
        known, present = self._model.domain[variable], self.evidence.get(variable)
        self._set_or_retract(variable, after_allowing(known, present, state))

    def _set_or_retract(self, variable: str, finding: Finding | None) -> None:
        if finding is None:
            self.retract(variable)
        else:
            self.set_finding(variable, finding)

    def set_likelihood(self, variable: str, weights: Mapping[str, float]) -> None:
        self.set_finding(variable, Likelihood(tuple(weights.items())))

    def _refuse(self, refusal: Refusal) -> None:
        self._refusal = refusal
        self.refused.emit(refusal.variable, refusal.error)
        self.changed.emit()

    # -- updates

    def set_live(self, live: bool) -> None:
        self._is_live = live
        if live and self._is_stale:
            self.update_now()

    def show_most_probable(self, show: bool) -> None:
        self.shows_most_probable = show
        self.update_now()

    def show_relative(self, on: bool) -> None:
        """Show degrees of possibility divided by Π(e), the largest of them, or as they are."""
        self.is_relative = on
        self.changed.emit()

    def set_model(self, model: Model) -> None:
        """Replace the model; evidence that still fits is kept."""
        if model is self._model:
            return
        self._model = model
        self._findings = {v: f for v, f in self._findings.items() if fits(model, v, f)}
        self._off &= set(self._findings)
        if self._side is not None:
            self._side.set_model(model)
        self._open()
        self.changed.emit()

    def update_now(self) -> None:
        """Update the beliefs; a busy worker is queried again when it is done."""
        self._coalesce.stop()
        if self._error is not None:
            self.changed.emit()
        else:
            self._engine.ask(*self._question)

    @property
    def _question(self) -> tuple[Mapping[str, Finding], Mapping[str, Finding], bool]:
        return self.evidence, self._answer.evidence, self.shows_most_probable

    def _after_evidence(self) -> None:
        self._is_stale = True
        self._refusal = None
        since_ms = (time.perf_counter() - self._last_update) * 1000
        interval = max(theme().motion_ms("coalesce_evidence"), int(2 * self.update_ms))
        is_here = self._engine.session is not None
        if self._is_live and is_here and since_ms >= interval:
            self.update_now()
            return
        self.evidence_changed.emit()
        if self._is_live and not is_here:
            self.update_now()
        elif self._is_live and not self._coalesce.isActive():
            self._coalesce.start(int(interval - since_ms) + 1)

    def _open(self) -> None:
        domain = self._model.domain
        self._error = None
        self._is_stale = True
        self._reasons.clear()
        self._answer = replace(self._answer, beliefs=fitting(self._answer.beliefs, domain))
        self._priors = fitting(self._priors, domain)
        self._engine.open(self._model, *self._question)

    def _on_opened(self, opened: Opened) -> None:
        self._priors = opened.priors
        self._take(opened.answer)
        self._last_update = 0.0  # the first click is answered immediately

    def _on_failed(self, error: PgmStudioError) -> None:
        self._error = error
        self._priors, self._answer = {}, Answer({}, {}, 0.0)
        self._findings, self._off = {}, set()
        self.changed.emit()

    def _take(self, answer: Answer) -> None:
        for refusal in answer.refusals:
            self._put_back(refusal, answer.evidence.get(refusal.variable))
        self._answer = replace(answer, beliefs=settled(self._answer.beliefs, answer.beliefs))
        if answer.errors and not answer.evidence:  # refined estimates
            self._priors = answer.beliefs
        self._reasons.clear()
        self._last_update = time.perf_counter()
        self._is_stale = (
            answer.evidence != self.evidence or answer.explains != self.shows_most_probable
        )
        for refusal in answer.refusals:
            self._refuse(refusal)
        if not answer.refusals:
            self.changed.emit()
        if self._is_stale and self._is_live:
            self.update_now()  # evidence changed while a worker was busy

    def _put_back(self, refusal: Refusal, before: Finding | None) -> None:
        """Remove a refused finding, unless the user has replaced it meanwhile."""
        if self._findings.get(refusal.variable) == refusal.finding:
            if before is None:
                self._findings.pop(refusal.variable)
            else:
                self._findings[refusal.variable] = before


def _largest(degrees: Beliefs) -> float:
    """That of any variable: the largest degree of a joint state."""
    return float(max((values.max(initial=0.0) for values in degrees.values()), default=0.0))


def _relative(degrees: Beliefs) -> Beliefs:
    """Degrees divided by the largest."""
    top = _largest(degrees)
    return degrees if top <= 0 else {name: values / top for name, values in degrees.items()}
