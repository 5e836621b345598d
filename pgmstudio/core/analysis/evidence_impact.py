"""Evidence impact: the effect of each finding on the target, and its conflict with the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.base import Done, Finding, InferenceSession, weights_of


@dataclass(frozen=True, eq=False)
class FindingTrace:
    """One finding f among the others; for a likelihood P(f) is Σ P(state) · weight, largest 1."""

    variable: str
    finding: Finding
    alone: float  # P(f)
    given_rest: float  # P(f | the other findings)
    own_belief: Floats  # of its variable, given the other findings alone
    target_belief: Floats | None  # of the target, given the other findings alone

    @property
    def normalised_likelihood(self) -> float:
        """P(f | rest) / P(f): below 1 the others speak against it."""
        return self.given_rest / self.alone

    @property
    def conflict_bits(self) -> float:
        """log2 P(f) / P(f | rest): by how much conf(e) falls without it."""
        return math.log2(self.alone / self.given_rest) + 0.0

    @property
    def surprise_bits(self) -> float:
        """−log2 P(f | rest)."""
        return -math.log2(self.given_rest) + 0.0


def trace_findings(
    session: InferenceSession,
    domain: Domain,
    target: str | None = None,
    cancel: CancelToken = NEVER,
) -> dict[str, FindingTrace]:
    """Each finding left out in turn; the evidence of the session is put back.

    Interventions are no findings: they stay and are not traced.
    """
    evidence = dict(session.evidence)
    with _put_back(session, evidence):
        seen = _observations(evidence)
        alone = _priors(session, domain, seen)
        return _traces(session, domain, seen, alone, target, cancel)


def conflicting_set(
    session: InferenceSession, domain: Domain, cancel: CancelToken = NEVER
) -> dict[str, float]:
    """The findings that speak against each other, and by how many bits each against the rest.

    Findings that go well with the rest are left out, the best first, as long as there are any.
    conf(e) = log2 Π P(eᵢ) / P(e) only grows by that, so what is left conflicts at least as much as
    all of them, and every one of it is in conflict with the others. Empty when nothing is.
    """
    evidence = dict(session.evidence)
    with _put_back(session, evidence):
        left = _observations(evidence)
        priors = _priors(session, domain, left)
        while len(left) > 1:
            traces = _traces(session, domain, left, priors, None, cancel)
            bits = {name: trace.conflict_bits for name, trace in traces.items()}
            gentlest = min(bits, key=lambda name: bits[name])
            if bits[gentlest] > 1e-9:
                return bits
            session.retract(gentlest)
            del left[gentlest]
    return {}


def _observations(evidence: Mapping[str, Finding]) -> dict[str, Finding]:
    return {name: f for name, f in evidence.items() if not isinstance(f, Done)}


@contextmanager
def _put_back(session: InferenceSession, evidence: Mapping[str, Finding]) -> Iterator[None]:
    try:
        yield
    finally:
        session.retract_all()
        # An observation may be possible only after what was done.
        for name, finding in sorted(evidence.items(), key=lambda one: not isinstance(one[1], Done)):
            session.set_evidence(name, finding)


def _priors(
    session: InferenceSession, domain: Domain, evidence: Mapping[str, Finding]
) -> dict[str, float]:
    """P(f) of every finding; the session has the evidence before and after."""
    for name in evidence:
        session.retract(name)
    alone = {
        name: float(session.belief(name).values @ weights_of(domain[name], finding))
        for name, finding in evidence.items()
    }
    for name, finding in evidence.items():
        session.set_evidence(name, finding)
    return alone


def _traces(
    session: InferenceSession,
    domain: Domain,
    evidence: Mapping[str, Finding],
    alone: Mapping[str, float],
    target: str | None,
    cancel: CancelToken,
) -> dict[str, FindingTrace]:
    traces = {}
    for name, finding in evidence.items():
        cancel.raise_if_cancelled()
        session.retract(name)
        own = session.belief(name).values
        about = None if target is None else session.belief(target).values
        session.set_evidence(name, finding)
        given_rest = float(own @ weights_of(domain[name], finding))
        traces[name] = FindingTrace(name, finding, alone[name], given_rest, own, about)
    return traces
