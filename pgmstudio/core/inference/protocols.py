"""Findings, beliefs and the session every model family answers through.

Evidence lives in a session, not in the model, so one model can be open in two views with different
evidence. The evidence of a session is always possible. A session belongs to one thread at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Scale(Enum):
    """How the numbers of a belief are to be read."""

    PROBABILITY = "probability"  # sums to 1
    POSSIBILITY = "possibility"  # the largest is 1
    RELATION = "relation"  # 0 or 1


@dataclass(frozen=True, eq=False)
class Belief:
    """One number per state."""

    variable: str
    scale: Scale
    values: NDArray[np.float64]


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
    """The variable was set to this state from outside, do(X = x): its parents had no say."""

    state: str

    def __str__(self) -> str:
        return f"do = {self.state}"


Finding = Observed | Excluded | Likelihood | Done


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
        """Computed when asked, kept until evidence changes."""

    def log2_evidence(self) -> float:
        """log2 of P(e), or of e's degree of possibility; finite."""


@runtime_checkable
class ExplainingSession(InferenceSession, Protocol):
    """A session that also knows the most probable explanation."""

    def most_probable(self) -> Mapping[str, str]:
        """The most probable state of every variable together, with the evidence in it."""

    def log2_most_probable(self) -> float:
        """log2 of its joint probability with the evidence."""
