"""Evidence diagnostics: conflicts among the findings of a model, computed in the background."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from pgmstudio.core.analysis.belief_query import become
from pgmstudio.core.analysis.evidence_impact import FindingTrace, conflicting_set, trace_findings
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Finding, InferenceSession, Scale
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import percent
from pgmstudio.gui.widgets.debounce import one_shot

if TYPE_CHECKING:
    from pgmstudio.gui.beliefs.belief_service import BeliefService

TOPIC = "finding traces"
# Nothing is computed while evidence is being dragged.
REST_MS = 120
# With more findings the search for conflicting ones would take too long.
MAX_SEARCHED = 40


@dataclass(frozen=True, eq=False)
class TracedEvidence:
    """The trace of each finding, conf(e) in bits, and the conflicting findings."""

    evidence: Mapping[str, Finding] = field(default_factory=dict)
    traces: Mapping[str, FindingTrace] = field(default_factory=dict)
    conflict_bits: float = 0.0
    clashing: Mapping[str, float] = field(default_factory=dict)


def trace_all(
    domain: Domain,
    evidence: Mapping[str, Finding],
    session: InferenceSession,
    cancel: CancelToken,
) -> TracedEvidence:
    """Trace all findings; runs in a worker."""
    become(session, evidence)
    traces = trace_findings(session, domain, None, cancel)
    alone = sum(math.log2(trace.alone) for trace in traces.values())
    bits = alone - session.log2_evidence()
    clashing: Mapping[str, float] = {}
    if bits > 1e-9 and 2 <= len(traces) <= MAX_SEARCHED:
        clashing = conflicting_set(session, domain, cancel)
    return TracedEvidence(dict(evidence), traces, bits, clashing)


class EvidenceDiagnostics(QObject):
    """The traced findings of one `BeliefService`; a view that shows traces calls `follow`."""

    changed = Signal()

    def __init__(self, live: BeliefService) -> None:
        super().__init__(live)
        self._live = live
        self._request: tuple[Model, Mapping[str, Finding]] | None = None
        self._traced = TracedEvidence()
        self._rest = one_shot(self, self._ask, REST_MS)

    @property
    def traced(self) -> TracedEvidence:
        """The traces of the present evidence; empty until they are computed."""
        is_present = self._request is not None and self._request[0] is self._live.model
        if is_present and self._traced.evidence == self._live.evidence:
            return self._traced
        return TracedEvidence()

    def follow(self) -> None:
        """Compute again if the evidence or the model changed."""
        live = self._live
        if live.error is not None or not live.evidence or live.scale is not Scale.PROBABILITY:
            self._request = None
            self._rest.stop()
            return
        request = (live.model, live.evidence)
        if (
            self._request is None
            or self._request[0] is not request[0]
            or self._request[1] != request[1]
        ):
            self._request = request
            self._rest.start()

    def _ask(self) -> None:
        if self._request is not None and self._request[0] is self._live.model:
            model, evidence = self._request
            question = partial(trace_all, model.domain, evidence)
            self._live.side.ask(TOPIC, question, self._on_traced, self._on_error)

    def _on_traced(self, traced: TracedEvidence) -> None:
        self._traced = traced
        self.changed.emit()

    def _on_error(self, _error: PgmStudioError) -> None:
        """Ignore evidence that was refused meanwhile; it is reported where it was set."""


def trace_text(trace: FindingTrace) -> str:
    """How the other evidence supports or contradicts a finding."""
    # Without the noise of the last bits: what is certain is 100 %, not 100.0 %.
    rest, alone = (
        percent(1.0 if value > 1 - 1e-9 else value) for value in (trace.given_rest, trace.alone)
    )
    odds = f"{rest} % given the other evidence, {alone} % alone"
    if abs(trace.conflict_bits) < 0.005:
        return f"Its evidence has {odds}: independent of the other evidence."
    relation = "contradicted" if trace.conflict_bits > 0 else "supported"
    factor = f"{trace.normalised_likelihood:.3g}"
    return f"Its evidence has {odds}: × {factor}, {relation} by the other evidence."


def stop_listening(diagnostics: EvidenceDiagnostics | None, slot: Callable[[], None]) -> None:
    """Disconnect a slot from the diagnostics of another model, if they still exist."""
    if diagnostics is not None and isValid(diagnostics):
        diagnostics.changed.disconnect(slot)
