"""Inference in models of factors that are no conditional probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, ImpossibleEvidenceError, TooLargeError
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of_scopes
from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed, weights_of
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.query import ask_factors, log2_sum
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.inference.map_search import most_probable_states
from tests.strategies import domain_of


@dataclass(frozen=True, eq=False)
class Potentials:
    """A product of potentials."""

    domain: Domain
    factors: tuple[Factor, ...]

    kind = "potentials"

    def representation_size(self) -> int:
        return sum(factor.values.size for factor in self.factors)

    def effective_size(self) -> int:
        return self.clique_tree.table_cells

    @cached_property
    def clique_tree(self) -> CliqueTree:
        scopes = [factor.scope for factor in self.factors]
        return clique_tree_of_scopes(scopes, self.domain.cardinalities)

    @cached_property
    def log2_partition(self) -> float:
        return log2_sum(self.clique_tree, self.factors)

    def table(self, evidence: dict[str, Finding]) -> NDArray[np.float64]:
        """log2 of Π factors · weights in every joint state."""
        cards = self.domain.cardinalities
        logs = np.zeros(cards)
        weights = [
            Factor((self.domain.index(name),), weights_of(self.domain[name], finding))
            for name, finding in evidence.items()
        ]
        for factor in (*self.factors, *weights):
            turn = sorted(range(len(factor.scope)), key=lambda a: factor.scope[a])
            shape = [card if v in factor.scope else 1 for v, card in enumerate(cards)]
            with np.errstate(divide="ignore"):
                logs = logs + np.log2(factor.values.transpose(turn)).reshape(shape)
        return logs


def log2_total(logs: NDArray[np.float64]) -> float:
    return float(np.logaddexp2.reduce(logs.ravel()))


def random_potentials(seed: int, size: float = 3.0) -> Potentials:
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 5, 6)
    factors = []
    for _ in range(7):
        scope = tuple(int(v) for v in rng.choice(5, rng.integers(1, 4), replace=False))
        factors.append(Factor(scope, np.exp(rng.uniform(-size, size, [cards[v] for v in scope]))))
    return Potentials(domain_of([int(card) for card in cards]), tuple(factors))


EVIDENCE: tuple[dict[str, Finding], ...] = (
    {},
    {"X0": Observed("s1")},
    {"X0": Observed("s0"), "X3": Excluded(frozenset({"s0"}))},
    {"X1": Likelihood((("s0", 0.2), ("s1", 0.7))), "X5": Observed("s1")},
)


@given(st.integers(0, 10_000), st.sampled_from(EVIDENCE), st.sampled_from([0.5, 3.0, 200.0]))
def test_answers_are_those_of_the_listed_states(
    seed: int, evidence: dict[str, Finding], size: float
) -> None:
    model = random_potentials(seed, size)
    domain = model.domain
    logs = model.table(evidence)
    log2_z = log2_total(model.table({}))
    probabilities = np.exp2(logs - log2_total(logs))
    session = JunctionTreeSession(model)
    session.set_all(evidence)
    assert model.log2_partition == pytest.approx(log2_z, abs=1e-9, rel=1e-12)
    assert session.log2_evidence() == pytest.approx(log2_total(logs) - log2_z, abs=1e-8)
    answer = ask_factors(model, domain.names, evidence)
    assert answer.log2_evidence == pytest.approx(log2_total(logs) - log2_z, abs=1e-8)
    for index, name in enumerate(domain.names):
        others = tuple(v for v in range(len(domain)) if v != index)
        wanted = pytest.approx(probabilities.sum(axis=others), abs=1e-10)
        assert session.belief(name).values == wanted
        assert answer.beliefs[name].values == wanted
    top = np.unravel_index(int(logs.argmax()), logs.shape)
    states = {v.name: v.states[int(s)] for v, s in zip(domain, top, strict=True)}
    assert session.log2_most_probable() == pytest.approx(float(logs.max()) - log2_z, abs=1e-8)
    explained = session.most_probable()
    result = logs[tuple(domain[n].code(explained[n]) for n in domain.names)]
    assert result == pytest.approx(logs[tuple(domain[n].code(states[n]) for n in domain.names)])
    joint = probabilities.sum(axis=(0, 2, 3))
    assert session.joint(["X5", "X1", "X4"]) == pytest.approx(joint.transpose(2, 0, 1), abs=1e-10)
    best = most_probable_states(model, ["X1", "X4", "X5"], evidence).best[0]
    assert best.log2_probability == pytest.approx(np.log2(joint.max()), abs=1e-8)


def test_findings_that_no_state_allows_are_refused() -> None:
    domain = domain_of([2, 2])
    never_equal = Factor((0, 1), np.array([[0.0, 5.0], [7.0, 0.0]]))
    model = Potentials(domain, (never_equal,))
    session = JunctionTreeSession(model)
    session.set_evidence("X0", Observed("s0"))
    with pytest.raises(ImpossibleEvidenceError):
        session.set_evidence("X1", Observed("s0"))
    assert session.log2_evidence() == pytest.approx(np.log2(5 / 12))
    with pytest.raises(ImpossibleEvidenceError):
        ask_factors(model, ["X0"], {"X0": Observed("s0"), "X1": Observed("s0")})


def test_undirected_models_have_no_interventions() -> None:
    model = random_potentials(1)
    with pytest.raises(GraphError, match="has no meaning"):
        JunctionTreeSession(model).set_evidence("X0", Done("s0"))
    with pytest.raises(GraphError, match="has no meaning"):
        ask_factors(model, ["X1"], {"X0": Done("s0")})


def test_tables_beyond_the_budget_are_refused() -> None:
    with pytest.raises(TooLargeError, match="100 bytes may be used"):
        JunctionTreeSession(random_potentials(1), most_bytes=100)
