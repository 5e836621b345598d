"""Belief updating in a Bayesian network by messages in its clique tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.conflicts import smallest_conflict
from pgmstudio.core.inference.findings import weights_of
from pgmstudio.core.inference.forecasts import check_budget, forecast
from pgmstudio.core.inference.plan import plan_of
from pgmstudio.core.inference.propagation import Propagation
from pgmstudio.core.inference.protocols import Belief, Finding, Scale
from pgmstudio.core.inference.queries import factors_of, joint_of
from pgmstudio.core.models.bayesian_network import BayesianNetwork


class Beliefs(Mapping[str, Belief]):
    """The beliefs of every variable at one moment, by name; later evidence does not change them."""

    def __init__(self, domain: Domain, places: Sequence[int], values: NDArray[np.float64]) -> None:
        values.flags.writeable = False
        self._domain, self._places, self._values = domain, places, values

    def __getitem__(self, name: str) -> Belief:
        return Belief(name, Scale.PROBABILITY, self.values_at(self._domain.index(name)))

    def values_at(self, index: int) -> NDArray[np.float64]:
        """The numbers of the variable at this place of the domain."""
        return self._values[self._places[index] : self._places[index + 1]]

    def __contains__(self, name: object) -> bool:
        return name in self._domain

    def __iter__(self) -> Iterator[str]:
        return iter(self._domain.names)

    def __len__(self) -> int:
        return len(self._domain)


class CliqueTreeSession:
    """Evidence in, beliefs out, exactly; TooLargeError when the tables exceed `most_bytes`."""

    def __init__(self, network: BayesianNetwork, *, most_bytes: int | None = None) -> None:
        check_budget(forecast(network), most_bytes)
        self.network = network
        self._propagation = Propagation(plan_of(network.clique_tree, factors_of(network)))
        self._evidence: dict[str, Finding] = {}
        self._kept: Beliefs | None = None  # until evidence changes
        self._prior: Beliefs | None = None
        self._explanation: tuple[Mapping[str, str], float] | None = None

    @property
    def domain(self) -> Domain:
        return self.network.domain

    @property
    def evidence(self) -> Mapping[str, Finding]:
        return MappingProxyType(self._evidence)

    def set_evidence(self, variable: str, finding: Finding) -> None:
        """Replaces what was there; ImpossibleEvidenceError changes nothing."""
        self._become({**self._evidence, variable: finding})

    def set_all(self, evidence: Mapping[str, Finding]) -> None:
        """Exactly this evidence and no other; ImpossibleEvidenceError changes nothing."""
        self._become(dict(evidence))

    def retract(self, variable: str) -> None:
        """Forget the evidence on `variable`; nothing happens when there is none."""
        self.domain.index(variable)
        if variable in self._evidence:
            self._become({n: f for n, f in self._evidence.items() if n != variable})

    def retract_all(self) -> None:
        self._become({})

    def _become(self, evidence: dict[str, Finding]) -> None:
        before = self._evidence
        weights = {
            name: weights_of(self.domain[name], finding)
            for name, finding in evidence.items()
            if before.get(name) != finding
        }
        gone = [name for name in before if name not in evidence]
        if not weights and not gone:
            self._evidence = evidence
            return
        propagation = self._propagation
        index = self.domain.index
        old = {index(name): propagation.weights(index(name)) for name in (*weights, *gone)}
        for name in gone:
            propagation.set_weights(index(name), None)
        for name, numbers in weights.items():
            propagation.set_weights(index(name), numbers)
        if not propagation.is_possible():
            for place, numbers_before in old.items():
                propagation.set_weights(place, numbers_before)
            raise ImpossibleEvidenceError(smallest_conflict(evidence, self._is_possible))
        self._evidence = evidence
        self._kept = self._explanation = None

    def _is_possible(self, evidence: Mapping[str, Finding]) -> bool:
        """Asked of the same tables, which are then put back."""
        propagation, index = self._propagation, self.domain.index
        names = {*evidence, *self._evidence}
        before = {name: propagation.weights(index(name)) for name in names}
        for name in names:
            finding = evidence.get(name)
            propagation.set_weights(
                index(name), None if finding is None else weights_of(self.domain[name], finding)
            )
        answer = propagation.is_possible()
        for name, numbers in before.items():
            propagation.set_weights(index(name), numbers)
        return answer

    def belief(self, variable: str) -> Belief:
        """P(variable | evidence), kept until evidence changes."""
        index = self.domain.index(variable)
        if self._kept is not None:
            return self._kept[variable]
        if self._propagation.answers_all_at_once:
            return self.beliefs()[variable]
        values = self._propagation.belief(index)
        values.flags.writeable = False
        return Belief(variable, Scale.PROBABILITY, values)

    def beliefs(self) -> Beliefs:
        """P(X | evidence) of every variable, computed in one go and kept until evidence changes."""
        if self._kept is None:
            places = self._propagation.plan.state_at
            self._kept = Beliefs(self.domain, places, self._propagation.beliefs())
            if not self._evidence:
                self._prior = self._kept
        return self._kept

    def prior_beliefs(self) -> Beliefs:
        """The beliefs without any evidence; computed once."""
        if self._prior is None:
            evidence = self._evidence
            self.retract_all()
            self._prior = self.beliefs()
            self._become(evidence)
        return self._prior

    def log2_evidence(self) -> float:
        """log2 P(evidence); a likelihood counts relative to its largest weight."""
        return self._propagation.log2_evidence()

    def joint(self, variables: Sequence[str]) -> NDArray[np.float64]:
        """P(variables | evidence), one axis each in the order given; up to 2^20 cells."""
        places = [self.domain.index(name) for name in variables]
        return joint_of(self.network, places, self._evidence, self._propagation)

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
            self._explanation = MappingProxyType(named), log2
        return self._explanation

    def most_probable_of(self, variables: Sequence[str]) -> tuple[Mapping[str, str], float]:
        """The most probable states of some variables together, the others summed out, and log2 of
        P(these states | evidence); exact, from their joint table."""
        joint = self.joint(variables)
        top = np.unravel_index(int(joint.argmax()), joint.shape)
        states = {n: self.domain[n].states[int(s)] for n, s in zip(variables, top, strict=True)}
        return states, float(np.log2(joint[top]))

    def conflict_bits(self) -> float:
        """conf(e) = log2 Π P(e_i) / P(e): above 0 when the findings disagree with each other."""
        if not self._evidence:
            return 0.0
        prior = self.prior_beliefs()
        alone = (
            np.log2(prior[name].values @ weights_of(self.domain[name], finding))
            for name, finding in self._evidence.items()
        )
        return float(sum(alone) - self.log2_evidence())
