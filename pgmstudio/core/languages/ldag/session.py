"""Belief updating in labelled DAGs: by cases where labels reduce the tables, else in one tree.

P(x | e) = Σ_c P(c | e) P_c(x | e) over the states c of a few variables; each case has a smaller
network (`contexts.best_cases`). Where cases save nothing there is one network.

Separation is asked of the graph of the context, and of cases if needed. The answer “independent”
holds in every distribution of the labelled DAG; “not implied” means only that neither the graph nor
a few cases imply it, since deciding all of it is coNP-hard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import (
    Belief,
    Finding,
    Observed,
    done_states,
    weights_of,
)
from pgmstudio.core.inference.information_measures import conditional_information_bits
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.components import log2_sums
from pgmstudio.core.languages.ldag.contexts import (
    Cases,
    best_cases,
    case_network,
    states_of,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.one_pass_session import WholePassSession, named_beliefs


def information_in(model: LabelledDag, names: Sequence[str], context: Mapping[str, str]) -> float:
    """I(A;B|Z) in bits where the context is observed; `names` are A, B and those of Z."""
    indices = [model.domain.index(name) for name in names]
    evidence = {name: Observed(state) for name, state in context.items()}
    return conditional_information_bits(joint_of(model.as_bayesian_network, indices, evidence))


@dataclass(frozen=True, eq=False)
class _Answers:
    log2_evidence: float
    beliefs: Mapping[str, Belief]
    open_cases: tuple[int, ...]  # cases with positive probability given the evidence


class LabelledDagSession(WholePassSession[_Answers]):
    """Evidence in, beliefs out, exactly as in the network with every row written out."""

    def __init__(self, model: LabelledDag, cases: Cases | None = None) -> None:
        super().__init__(model.domain)
        self.model = model
        self.cases = best_cases(model) if cases is None else cases
        self._states = states_of(model, self.cases.variables)
        names = model.domain.names
        self._contexts = [
            {
                names[v]: Observed(model.domain.variables[v].states[s])
                for v, s in zip(self.cases.variables, states, strict=True)
            }
            for states in self._states
        ]
        self._sessions = [
            JunctionTreeSession(
                case_network(model, dict(zip(self.cases.variables, states, strict=True)))
            )
            for states in self._states
        ]

    def _answers_to(self, evidence: Mapping[str, Finding]) -> _Answers | None:
        if done_states(evidence):
            return self._answers_with_interventions(evidence)
        parts = np.full(len(self._sessions), -np.inf)
        for number, session in enumerate(self._sessions):
            parts[number] = self._log2_of_case(number, session, evidence)
        total = float(log2_sums(parts[:, None])[0])
        if not np.isfinite(total):
            return None
        fractions = np.exp2(parts - total)
        possible = tuple(int(n) for n in np.flatnonzero(fractions > 0))
        named = {}
        for variable in self.domain:
            values = np.zeros(variable.cardinality)
            for number in possible:
                values += fractions[number] * self._sessions[number].belief(variable.name).values
            named[variable.name] = values / values.sum()
        return _Answers(total, named_beliefs(named), possible)

    def _log2_of_case(
        self, number: int, session: JunctionTreeSession, evidence: Mapping[str, Finding]
    ) -> float:
        """log2 P(case, findings); the session then answers for both."""
        context = self._contexts[number]
        weight = 0.0
        for name, seen in context.items():
            if name in evidence:
                variable = self.domain[name]
                given = weights_of(variable, evidence[name])[variable.code(seen.state)]
                if given <= 0:
                    return -np.inf
                weight += float(np.log2(given))
        others = {name: finding for name, finding in evidence.items() if name not in context}
        try:
            session.set_all({**others, **context})
        except ImpossibleEvidenceError:
            return -np.inf
        return session.log2_evidence() + weight

    @cached_property
    def _written_out(self) -> JunctionTreeSession:
        return JunctionTreeSession(self.model.as_bayesian_network)

    def _answers_with_interventions(self, evidence: Mapping[str, Finding]) -> _Answers | None:
        """Answers with interventions, which cut edges and their labels: from the full network."""
        try:
            self._written_out.set_all(evidence)
        except ImpossibleEvidenceError:
            return None
        beliefs = {name: self._written_out.belief(name) for name in self.domain.names}
        return _Answers(self._written_out.log2_evidence(), beliefs, ())

    def most_probable(self) -> Mapping[str, str]:
        """The most probable state of every variable together, with the evidence in it."""
        return self._best_case()[0]

    def log2_most_probable(self) -> float:
        """log2 of its joint probability with the evidence."""
        return self._best_case()[1]

    def _best_case(self) -> tuple[Mapping[str, str], float]:
        if done_states(self._evidence):
            self._written_out.set_all(self._evidence)
            return self._written_out.most_probable(), self._written_out.log2_most_probable()
        best: tuple[Mapping[str, str], float] | None = None
        for number in self._answers().open_cases:
            session = self._sessions[number]
            value = session.log2_most_probable()
            for name, seen in self._contexts[number].items():
                finding = self._evidence.get(name)
                if finding is not None:
                    variable = self.domain[name]
                    weights = weights_of(variable, finding)
                    value += float(np.log2(weights[variable.code(seen.state)]))
            if best is None or value > best[1]:
                best = (session.most_probable(), value)
        assert best is not None, "the evidence of a session is always possible"
        return best
