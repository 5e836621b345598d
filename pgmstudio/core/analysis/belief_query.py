"""Belief queries: the beliefs and P(e) that are recomputed after every change of evidence, and the
states that it rules out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ImpossibleEvidenceError, PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import (
    Belief,
    ExplainingSession,
    Finding,
    InferenceSession,
    Observed,
    RefiningSession,
    Scale,
    as_seen,
    doings_first,
    weights_of,
)
from pgmstudio.core.model import Model

Evidence = Mapping[str, Finding]
Beliefs = Mapping[str, Floats]
Opener = Callable[[Model], InferenceSession]

ROUNDING = 1e-12
ROUNDING_LOG2 = 1e-9


@runtime_checkable
class WholeEvidence(Protocol):
    """A session that takes all findings at once."""

    def set_all(self, evidence: Evidence) -> None: ...


@runtime_checkable
class AllBeliefs(Protocol):
    """A session that answers for every variable in one go."""

    def beliefs(self) -> Mapping[str, Belief]: ...


@runtime_checkable
class ComponentShares(Protocol):
    """A session of a mixture: how probable each component is, given the evidence."""

    # Methods alone: asking for a protocol reads its properties, and some take long.
    def component_posterior(self) -> Floats: ...


@runtime_checkable
class BoundsExplanation(Protocol):
    """A session whose explanation may be the best known one."""

    def log2_most_probable_bound(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """All findings in the order of entering, and which of them are switched off."""

    findings: tuple[tuple[str, Finding], ...] = ()
    off: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Refusal:
    """A finding that was not taken, and why."""

    variable: str
    finding: Finding
    error: PgmStudioError


@dataclass(frozen=True, eq=False)
class Answer:
    """Everything the window shows for one set of findings."""

    evidence: Evidence
    beliefs: Beliefs
    log2_evidence: float
    explains: bool = False
    most_probable: Mapping[str, str] = field(default_factory=dict)
    log2_most_probable: float | None = None
    scale: Scale = Scale.PROBABILITY
    refusals: tuple[Refusal, ...] = ()
    seconds: float = 0.0
    responsibilities: tuple[float, ...] = ()  # of the components of a mixture
    log2_bound: float | None = None  # upper bound; None: the reported value is exact
    errors: Beliefs = field(default_factory=dict)  # of estimates, half a 95 % interval per state

    @property
    def largest_error(self) -> float | None:
        """The largest error of an estimate; None where beliefs are exact."""
        return max((float(e.max(initial=0.0)) for e in self.errors.values()), default=None)


@dataclass(frozen=True, eq=False)
class Opened:
    """A new session, what it believes without evidence, and its first answer."""

    session: InferenceSession
    priors: Beliefs
    answer: Answer


def open_and_answer(
    opener: Opener, model: Model, wanted: Evidence, trusted: Evidence, explains: bool
) -> Opened:
    """Open a session and ask it for the first time."""
    session = opener(model)
    prior = answer(session, model.domain, {}, {}, False)
    first = answer(session, model.domain, wanted, trusted, explains)
    return Opened(session, prior.beliefs, first)


def answer(
    session: InferenceSession, domain: Domain, wanted: Evidence, trusted: Evidence, explains: bool
) -> Answer:
    """The beliefs given `wanted`; findings that cannot hold with the rest are left out and
    reported.

    `trusted` was possible before, so of a conflict the newer findings are refused.
    """
    begin = time.perf_counter()
    refusals = settle(session, wanted, trusted)
    if isinstance(session, AllBeliefs):
        result = session.beliefs()
        beliefs = {name: result[name] for name in domain.names}
    else:
        beliefs = {name: session.belief(name) for name in domain.names}
    scale = next((belief.scale for belief in beliefs.values()), Scale.PROBABILITY)
    explained: Mapping[str, str] = {}
    log2_explained, log2_bound = None, None
    fractions: tuple[float, ...] = ()
    if isinstance(session, ComponentShares):
        fractions = tuple(session.component_posterior().tolist())
    if explains and isinstance(session, ExplainingSession):
        explained, log2_explained = session.most_probable(), session.log2_most_probable()
        if isinstance(session, BoundsExplanation):
            bound = session.log2_most_probable_bound()
            log2_bound = bound if bound > log2_explained + ROUNDING_LOG2 else None
    log2_evidence = session.log2_evidence()
    # Degrees of possibility are shown as they are, not scaled to a largest of 1.
    factor = 2.0**log2_evidence if scale is Scale.POSSIBILITY else 1.0
    values = {name: belief.values for name, belief in beliefs.items()}
    return Answer(
        dict(session.evidence),
        values if factor == 1 else {name: factor * degrees for name, degrees in values.items()},
        log2_evidence,
        explains,
        explained,
        log2_explained,
        scale,
        refusals,
        time.perf_counter() - begin,
        fractions,
        log2_bound,
        {name: b.errors for name, b in beliefs.items() if b.errors is not None},
    )


def refined_answer(
    session: RefiningSession,
    domain: Domain,
    explains: bool,
    seconds: float,
    goal: float,
    cancel: CancelToken,
) -> Answer:
    """The answer of a session of estimates after some more time, or once its errors are small."""
    end = time.perf_counter() + seconds
    while session.refine(cancel) > goal and time.perf_counter() < end:
        pass
    same = session.evidence
    return answer(session, domain, same, same, explains)


def fitting(beliefs: Beliefs, domain: Domain) -> Beliefs:
    """Those of variables that have as many states in `domain`."""
    return {
        name: values
        for name, values in beliefs.items()
        if name in domain and domain[name].cardinality == values.size
    }


def settled(before: Beliefs, after: Beliefs) -> Beliefs:
    """`after`, with the very array of `before` where the two differ by rounding alone.

    Beliefs that the evidence does not change keep their identity and are not painted again.
    """
    same = [n for n, values in after.items() if n in before and before[n].size == values.size]
    if not same:
        return after
    old = np.concatenate([before[name] for name in same])
    new = np.concatenate([after[name] for name in same])
    # 0 and 1 are exact: a change to or from them counts however small it is.
    differs = (np.abs(old - new) > ROUNDING) | ((old <= 0) != (new <= 0)) | ((old < 1) != (new < 1))
    sizes = [after[name].size for name in same]
    moved = np.logical_or.reduceat(differs, np.cumsum([0, *sizes[:-1]]))
    unchanged = {
        name: before[name] for name, has in zip(same, moved.tolist(), strict=True) if not has
    }
    return {**after, **unchanged}


def settle(session: InferenceSession, wanted: Evidence, trusted: Evidence) -> tuple[Refusal, ...]:
    """Bring the evidence of a session as near to `wanted` as is possible."""
    try:
        become(session, wanted)
    except PgmStudioError:
        pass  # the findings are checked one by one below
    else:
        return ()
    old = {name: finding for name, finding in wanted.items() if trusted.get(name) == finding}
    new = {name: finding for name, finding in wanted.items() if name not in old}
    session.retract_all()
    refusals = []
    for name, finding in {**doings_first(old), **doings_first(new)}.items():
        try:
            session.set_evidence(name, finding)
        except PgmStudioError as error:
            refusals.append(Refusal(name, finding, error))
    for name in (refusal.variable for refusal in refusals if refusal.variable in trusted):
        # What it would have replaced stays, where the other new findings allow it.
        with suppress(PgmStudioError):
            session.set_evidence(name, trusted[name])
    return tuple(refusals)


def become(session: InferenceSession, wanted: Evidence) -> None:
    """Exactly this evidence; a PgmStudioError leaves the session as it was."""
    if isinstance(session, WholeEvidence):
        session.set_all(wanted)
        return
    before = dict(session.evidence)
    try:
        for name in before:
            if name not in wanted:
                session.retract(name)
        for name, finding in wanted.items():
            if before.get(name) != finding:
                session.set_evidence(name, finding)
    except PgmStudioError:
        session.retract_all()
        for name, finding in before.items():
            session.set_evidence(name, finding)
        raise


# With so many findings the search for a smallest conflict would be felt.
MAX_FINDINGS_TRACED = 6


def is_ruled_out(
    variable: Variable,
    state: str,
    prior: Floats | None,
    belief: Floats | None,
    own: Finding | None,
) -> bool:
    """Whether the model or the other evidence excludes the state; None: not known at present."""
    index = variable.code(state)
    if prior is not None and prior[index] <= 0:
        return True
    if belief is None or belief[index] > 0:
        return False
    # Its own finding may be replaced.
    return own is None or bool(weights_of(variable, as_seen(own))[index] > 0)


def findings_against(
    variable: Variable,
    state: str,
    prior: Floats,
    evidence: Evidence,
    session: InferenceSession | None,
) -> Mapping[str, str]:
    """The findings that exclude the state, as text; empty when the model itself excludes it.

    Without a session at hand, or with many findings, all those on other variables.
    """
    if prior[variable.code(state)] <= 0:
        return {}
    others = {name: str(f) for name, f in evidence.items() if name != variable.name}
    if session is not None and len(others) <= MAX_FINDINGS_TRACED:
        try:
            become(session, {**evidence, variable.name: Observed(state)})
            become(session, evidence)
        except ImpossibleEvidenceError as impossible:
            others = {n: f for n, f in impossible.conflict.items() if n != variable.name}
    return others
