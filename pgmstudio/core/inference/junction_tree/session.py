"""The inference session of every model of factors: belief updating in its junction tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import (
    Belief,
    Finding,
    Scale,
    as_seen,
    done_states,
    weights_of,
)
from pgmstudio.core.inference.factors import Factored
from pgmstudio.core.inference.findings import MAX_TRIES, smallest_conflict
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.model import HasDag

# What the search for a smallest conflict may cost: some seconds in the largest trees.
CONFLICT_CELLS = 1_000_000_000


class Beliefs(Mapping[str, Belief]):
    """The beliefs of every variable at one moment, by name; later evidence does not change them."""

    def __init__(self, domain: Domain, indices: Sequence[int], values: Floats) -> None:
        values.flags.writeable = False
        self._domain = domain
        self._starts = indices
        self._values = values

    def __getitem__(self, name: str) -> Belief:
        return Belief(name, Scale.PROBABILITY, self.values_at(self._domain.index(name)))

    def values_at(self, index: int) -> Floats:
        """The beliefs of the variable at this index of the domain."""
        return self._values[self._starts[index] : self._starts[index + 1]]

    def __contains__(self, name: object) -> bool:
        return name in self._domain

    def __iter__(self) -> Iterator[str]:
        return iter(self._domain.names)

    def __len__(self) -> int:
        return len(self._domain)


class JunctionTreeSession:
    """Exact inference by a junction tree; TooLargeError when the tables exceed `most_bytes`."""

    def __init__(self, model: Factored, *, most_bytes: int | None = None) -> None:
        check_budget(forecast(model.clique_tree), most_bytes)
        self.model = model
        self._has_interventions = isinstance(model, HasDag)
        self._propagation = Propagation(plan_of(model.clique_tree, model.factors))
        self._evidence: dict[str, Finding] = {}
        self._done: dict[str, str] = {}  # interventions, by name
        self._beliefs: Beliefs | None = None  # until evidence changes
        self._explanation: tuple[Mapping[str, str], float] | None = None

    @property
    def domain(self) -> Domain:
        return self.model.domain

    @property
    def evidence(self) -> Mapping[str, Finding]:
        return MappingProxyType(self._evidence)

    def set_evidence(self, variable: str, finding: Finding) -> None:
        """Replace the finding on a variable; ImpossibleEvidenceError changes nothing."""
        self._change({variable: finding})

    def set_all(self, evidence: Mapping[str, Finding]) -> None:
        """Exactly this evidence and no other; ImpossibleEvidenceError changes nothing."""
        self._change({**dict.fromkeys(self._evidence), **evidence})

    def retract(self, variable: str) -> None:
        """Remove the finding on `variable`, if there is one."""
        self.domain.index(variable)
        self._change({variable: None})

    def retract_all(self) -> None:
        self._change(dict.fromkeys(self._evidence))

    def _change(self, findings: Mapping[str, Finding | None]) -> None:
        """Replace these findings; None removes one."""
        domain, flow = self.domain, self._propagation
        weights = {
            domain.index(name): None if finding is None else self._weights(name, finding)
            for name, finding in findings.items()
            if self._evidence.get(name) != finding
        }
        if not weights:
            return
        before = {position: flow.weights(position) for position in weights}
        for position, numbers in weights.items():
            flow.set_weights(position, numbers)
        merged = {**self._evidence, **findings}
        evidence = {name: finding for name, finding in merged.items() if finding is not None}
        done = self._intervene(done_states(evidence))
        if not flow.is_possible():
            self._intervene(done)
            for position, numbers in before.items():
                flow.set_weights(position, numbers)
            tries = min(MAX_TRIES, CONFLICT_CELLS // max(1, flow.plan.cells))
            conflict = smallest_conflict(evidence, self._is_possible, tries)
            raise ImpossibleEvidenceError(conflict)
        self._evidence = evidence
        self._beliefs = self._explanation = None

    def _weights(self, name: str, finding: Finding) -> Floats:
        return weights_of(
            self.domain[name], as_seen(finding) if self._has_interventions else finding
        )

    def _intervene(self, done: Mapping[str, str]) -> Mapping[str, str]:
        """Compute with exactly these interventions; returns those before.

        The factors of intervened variables become certain whatever their parents are. That is the
        truncated factorisation in the same clique tree, so nothing has to be triangulated again.
        """
        before = self._done
        self._done = dict(done)
        if before != self._done:
            tables = [factor.values for factor in self.model.factors]
            for name, state in done.items():
                index = self.domain.index(name)
                certain = np.zeros(self.domain.cardinalities[index])
                certain[self.domain[name].code(state)] = 1.0
                tables[index] = np.broadcast_to(certain, tables[index].shape)
            self._propagation.set_factors(tables)
        return before

    def _is_possible(self, evidence: Mapping[str, Finding]) -> bool:
        """Asked of the same tables, which are then put back."""
        propagation = self._propagation
        index = self.domain.index
        done = self._intervene(done_states(evidence))
        names = {*evidence, *self._evidence}
        before = {name: propagation.weights(index(name)) for name in names}
        for name in names:
            finding = evidence.get(name)
            propagation.set_weights(
                index(name), None if finding is None else self._weights(name, finding)
            )
        answer = propagation.is_possible()
        self._intervene(done)
        for name, numbers in before.items():
            propagation.set_weights(index(name), numbers)
        return answer

    def belief(self, variable: str) -> Belief:
        """P(variable | evidence), cached until the evidence changes."""
        index = self.domain.index(variable)
        if self._beliefs is not None:
            return self._beliefs[variable]
        if self._propagation.answers_all_at_once:
            return self.beliefs()[variable]
        values = self._propagation.belief(index)
        values.flags.writeable = False
        return Belief(variable, Scale.PROBABILITY, values)

    def beliefs(self) -> Beliefs:
        """P(X | evidence) of every variable, computed together and cached until the evidence
        changes."""
        if self._beliefs is None:
            indices = self._propagation.plan.state_at
            self._beliefs = Beliefs(self.domain, indices, self._propagation.beliefs())
        return self._beliefs

    def log2_evidence(self) -> float:
        """log2 P(evidence), a likelihood scaled to a largest value of 1."""
        return self._propagation.log2_evidence() - self.model.log2_partition

    def joint(self, variables: Sequence[str]) -> Floats:
        """P(variables | evidence), one axis each in the order given; up to 2^20 cells."""
        indices = [self.domain.index(name) for name in variables]
        return joint_of(self.model, indices, self._evidence, self._propagation)

    def most_probable(self) -> Mapping[str, str]:
        """The most probable state of every variable together, with the evidence in it."""
        return self._explained()[0]

    def log2_most_probable(self) -> float:
        """log2 of its joint probability with the evidence."""
        return self._explained()[1]

    def _explained(self) -> tuple[Mapping[str, str], float]:
        if self._explanation is None:
            states, log2 = self._propagation.most_probable()
            named = {v.name: v.states[s] for v, s in zip(self.domain, states, strict=True)}
            self._explanation = MappingProxyType(named), log2 - self.model.log2_partition
        return self._explanation
