"""Findings as numbers: one weight per state.

Findings, beliefs and the session every model family answers through.

Evidence lives in a session, not in the model, so one model can be open in two views with different
evidence. The evidence of a session is always possible. A session belongs to one thread at a time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, assert_never, runtime_checkable

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import GraphError, ImpossibleEvidenceError, ParameterError
from pgmstudio.core.execution.events import NEVER, CancelToken


class Scale(Enum):
    """How the numbers of a belief are to be read."""

    PROBABILITY = "probability"  # sums to 1
    POSSIBILITY = "possibility"  # the largest is 1
    RELATION = "relation"  # 0 or 1


@dataclass(frozen=True, eq=False)
class Belief:
    """One number per state; estimates have errors, half the width of a 95 % interval each."""

    variable: str
    scale: Scale
    values: Floats
    errors: Floats | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """The variable is in this state."""

    state: str

    def __str__(self) -> str:
        return f"= {self.state}"


@dataclass(frozen=True, slots=True)
class Excluded:
    """The variable is in none of these states."""

    states: frozenset[str]

    def __str__(self) -> str:
        return f"≠ {', '.join(sorted(self.states))}"


@dataclass(frozen=True, slots=True)
class Likelihood:
    """P(what was seen | state) up to a factor: sessions scale it to a largest value of 1."""

    weights: tuple[tuple[str, float], ...]  # states left out weigh 0

    def __str__(self) -> str:
        return "likelihood " + ", ".join(f"{state}:{weight:g}" for state, weight in self.weights)


@dataclass(frozen=True, slots=True)
class Done:
    """An intervention do(X = x): the variable is set to this state, its parents are cut off."""

    state: str

    def __str__(self) -> str:
        return f"do = {self.state}"


Finding = Observed | Excluded | Likelihood | Done


def done_states(evidence: Mapping[str, Finding]) -> dict[str, str]:
    """The intervened variables and their states."""
    return {name: f.state for name, f in evidence.items() if isinstance(f, Done)}


def doings_first(evidence: Mapping[str, Finding]) -> dict[str, Finding]:
    """The same evidence to be set one by one: what is seen may be possible only after what was
    done."""
    return dict(sorted(evidence.items(), key=lambda one: not isinstance(one[1], Done)))


def as_seen(finding: Finding) -> Finding:
    """The same finding where an intervention has been made already: its state is certain."""
    return Observed(finding.state) if isinstance(finding, Done) else finding


def observed_cells(rows: DataSet, row: int) -> Mapping[str, Finding]:
    """The cells of a row that are not missing, as evidence."""
    return {
        variable.name: Observed(variable.states[code])
        for variable, code in zip(rows.domain, rows.codes[:, row], strict=True)
        if code != rows.missing_code
    }


class InferenceSession(Protocol):
    """Evidence in, beliefs out."""

    @property
    def evidence(self) -> Mapping[str, Finding]: ...

    def set_evidence(self, variable: str, finding: Finding) -> None:
        """Replaces what was there; ImpossibleEvidenceError changes nothing."""

    def retract(self, variable: str) -> None:
        """Forget the evidence on `variable`; nothing happens when there is none."""

    def retract_all(self) -> None: ...

    def belief(self, variable: str) -> Belief:
        """Computed on request, cached until evidence changes."""

    def log2_evidence(self) -> float:
        """log2 of P(e), or of e's degree of possibility; finite."""


@runtime_checkable
class ExplainingSession(InferenceSession, Protocol):
    """A session that also knows the most probable explanation."""

    def most_probable(self) -> Mapping[str, str]:
        """The most probable state of every variable together, with the evidence in it."""

    def log2_most_probable(self) -> float:
        """log2 of its joint probability with the evidence."""


@runtime_checkable
class JointSession(Protocol):
    """A session that knows the joint belief of several variables."""

    def joint(self, variables: Sequence[str], /) -> Floats:
        """P(variables | evidence), one axis each."""


@runtime_checkable
class BoundedSession(ExplainingSession, Protocol):
    """A session whose most probable explanation may be the best known one, with a bound."""

    @property
    def is_most_probable_exact(self) -> bool: ...

    def log2_most_probable_bound(self) -> float:
        """No joint state has a larger log2 probability than this."""


@runtime_checkable
class RefiningSession(InferenceSession, Protocol):
    """A session whose beliefs are estimates with errors that shrink the longer it runs."""

    # Methods alone: asking for a protocol reads its properties, and some take long.

    def refine(self, cancel: CancelToken = NEVER, /) -> float:
        """Work a little longer; returns the largest error of a belief."""


NO_INTERVENTION = (
    "the edges of this model do not lead from causes to effects. "
    "Use a Bayesian network, a labelled DAG or a tree, or observe it instead."
)
SCALED_LIKELIHOODS = "Likelihoods are scaled to a largest value of 1."


def weights_of(variable: Variable, finding: Finding) -> Floats:
    """P(finding | state) for each state.

    Only the ratios of a likelihood have a meaning, so it is scaled to a largest value of 1. P(e)
    is then a probability on any scale of the numbers given, and no scale can underflow.
    """
    weights = np.zeros(variable.cardinality)
    match finding:
        case Observed(state):
            weights[variable.code(state)] = 1.0
        case Excluded(states):
            weights[:] = 1.0
            for state in states:
                weights[variable.code(state)] = 0.0
        case Likelihood(given):
            for state, weight in given:
                weights[variable.code(state)] = _checked(variable, state, weight)
            if not weights.max() > 0:
                raise ParameterError(
                    {variable.name: "every likelihood is 0; at least one has to be more"}
                )
        case Done(state):
            # Weights are observations; a session that supports interventions applies them before.
            raise GraphError(
                f"do({variable.name} = {state}) has no meaning here: {NO_INTERVENTION}"
            )
        case _:
            assert_never(finding)
    if not weights.any():  # every state is excluded
        raise ImpossibleEvidenceError({variable.name: str(finding)})
    weights /= weights.max()
    return weights


def scaling_note(evidence: Mapping[str, Finding]) -> str:
    """What P(e) means when there is a likelihood among the findings; empty when there is none."""
    has_likelihood = any(isinstance(finding, Likelihood) for finding in evidence.values())
    return SCALED_LIKELIHOODS if has_likelihood else ""


def _checked(variable: Variable, state: str, weight: float) -> float:
    if not (math.isfinite(weight) and weight >= 0):
        raise ParameterError(
            {variable.name: f"the likelihood of {state} is {weight}; it has to be a number ≥ 0"}
        )
    return weight


@dataclass(frozen=True, eq=False)
class Answer:
    """The queried beliefs and the probability of the evidence."""

    beliefs: Mapping[str, Belief]
    log2_evidence: float
