"""Sessions that compute all beliefs in one pass over the model for each set of findings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ImpossibleEvidenceError, TooLargeError
from pgmstudio.core.inference.base import (
    Belief,
    Done,
    Finding,
    Observed,
    Scale,
    as_seen,
    weights_of,
)
from pgmstudio.core.inference.findings import smallest_conflict
from pgmstudio.core.large_counts import count_text

MAX_JOINT_CELLS = 2**16


class Answers(Protocol):
    """The answers to one set of findings."""

    @property
    def log2_evidence(self) -> float: ...

    @property
    def beliefs(self) -> Mapping[str, Belief]: ...


A = TypeVar("A", bound=Answers)


class WholePassSession(ABC, Generic[A]):
    """A session whose subclass computes all answers to a set of findings."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._evidence: dict[str, Finding] = {}
        self._cached: A | None = None

    @abstractmethod
    def _answers_to(self, evidence: Mapping[str, Finding]) -> A | None:
        """None when the evidence is impossible."""

    def _evidence_changed(self) -> None:
        """Called after a change of the evidence; a subclass clears its caches here."""

    @property
    def evidence(self) -> Mapping[str, Finding]:
        return MappingProxyType(self._evidence)

    def set_evidence(self, variable: str, finding: Finding) -> None:
        """Replace the finding on a variable; ImpossibleEvidenceError changes nothing."""
        self.set_all({**self._evidence, variable: finding})

    def set_all(self, evidence: Mapping[str, Finding]) -> None:
        """Exactly this evidence and no other; ImpossibleEvidenceError changes nothing."""
        answers = self._answers_to(evidence)
        if answers is None:
            raise ImpossibleEvidenceError(
                smallest_conflict(evidence, lambda some: self._answers_to(some) is not None)
            )
        self._evidence = dict(evidence)
        self._cached = answers
        self._evidence_changed()

    def retract(self, variable: str) -> None:
        """Remove the finding on `variable`, if there is one."""
        self.domain.index(variable)
        if variable in self._evidence:
            self.set_all({n: f for n, f in self._evidence.items() if n != variable})

    def retract_all(self) -> None:
        self.set_all({})

    def _answers(self) -> A:
        if self._cached is None:
            self._cached = self._answers_to(self._evidence)
            assert self._cached is not None, "the evidence of a session is always possible"
        return self._cached

    def belief(self, variable: str) -> Belief:
        """P(variable | evidence), cached until the evidence changes."""
        self.domain.index(variable)
        return self._answers().beliefs[variable]

    def beliefs(self) -> Mapping[str, Belief]:
        """P(X | evidence) of every variable."""
        return self._answers().beliefs

    def log2_evidence(self) -> float:
        """log2 P(evidence), a likelihood scaled to a largest value of 1."""
        return self._answers().log2_evidence

    def joint(self, variables: Sequence[str]) -> Floats:
        """P(variables | evidence), one axis each in the order given: a pass for every combination
        of states of all but the last."""
        shape = tuple(self.domain[name].cardinality for name in variables)
        cells = int(np.prod(shape, dtype=np.int64))
        if cells > MAX_JOINT_CELLS:
            raise TooLargeError(
                f"The joint table of {len(shape)} variables has {count_text(cells)} cells; "
                f"{MAX_JOINT_CELLS:,} are possible. Choose fewer variables."
            )
        *outer, last = variables
        table = np.zeros(shape)
        given = self._answers().log2_evidence
        for states in np.ndindex(*shape[:-1]):
            seen: dict[str, Finding] | None = dict(self._evidence)
            for name, state in zip(outer, states, strict=True):
                seen = None if seen is None else self._narrowed(seen, name, state)
            answers = None if seen is None else self._answers_to(seen)
            if answers is None:
                continue
            # A likelihood that gave way to a state leaves its weight to be multiplied.
            mass = np.exp2(answers.log2_evidence - given)
            for name, state in zip(outer, states, strict=True):
                mass *= self._weight_of(name, state)
            table[states] = mass * answers.beliefs[last].values
        return np.asarray(table / table.sum())

    def _narrowed(
        self, evidence: dict[str, Finding], name: str, state: int
    ) -> dict[str, Finding] | None:
        """The evidence with `name` in this state; None where it excludes that."""
        if not self._weight_of(name, state) > 0:
            return None
        if isinstance(evidence.get(name), Done):  # its state is certain, and it cuts edges too
            return evidence
        return {**evidence, name: Observed(self.domain[name].states[state])}

    def _weight_of(self, name: str, state: int) -> float:
        """The weight a finding of this session gives to the state, the largest being 1."""
        finding = self._evidence.get(name)
        if finding is None:
            return 1.0
        return float(weights_of(self.domain[name], as_seen(finding))[state])


def named_beliefs(values: Mapping[str, Floats]) -> Mapping[str, Belief]:
    """Sealed beliefs, each summing to 1."""
    for one in values.values():
        one.flags.writeable = False
    return {name: Belief(name, Scale.PROBABILITY, one) for name, one in values.items()}


def named_states(domain: Domain, codes: NDArray[np.int64]) -> Mapping[str, str]:
    """Codes of all variables as the names of their states."""
    return MappingProxyType(
        {v.name: v.states[int(code)] for v, code in zip(domain, codes, strict=True)}
    )
