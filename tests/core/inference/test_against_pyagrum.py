"""Beliefs and P(e) of well-known networks, compared with pyAgrum on the same numbers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.peers import as_pyagrum
from pgmstudio.core.inference.base import Excluded, Finding, Likelihood, Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.sessions import ask

gum = pytest.importorskip("pyagrum", reason="pyAgrum gives the reference answers")


@cache
def network_called(shared: Path, name: str) -> BayesianNetwork:
    network = read_model(shared / f"data/networks/{name}.bif").model
    assert isinstance(network, BayesianNetwork)
    return network


def findings_from(
    network: BayesianNetwork, rng: np.random.Generator, count: int
) -> tuple[dict[str, Finding], dict[int, list[float]]]:
    """Evidence that a sampled row allows, for us and as weights for pyAgrum."""
    row = network.sample(1, rng).codes[:, 0]
    ours: dict[str, Finding] = {}
    theirs: dict[int, list[float]] = {}
    for position in rng.choice(len(row), count, replace=False):
        variable, state = network.domain.variables[position], int(row[position])
        weights = np.zeros(variable.cardinality)
        kind = rng.integers(0, 4)
        if kind == 0 and variable.cardinality > 2:
            gone = (state + 1) % variable.cardinality
            ours[variable.name] = Excluded(frozenset({variable.states[gone]}))
            weights[:] = 1.0
            weights[gone] = 0.0
        elif kind == 1:
            weights = rng.random(variable.cardinality) + 0.05
            weights /= weights.max()
            ours[variable.name] = Likelihood(
                tuple(zip(variable.states, weights.tolist(), strict=True))
            )
        else:
            ours[variable.name] = Observed(variable.states[state])
            weights[state] = 1.0
        theirs[int(position)] = weights.tolist()
    return ours, theirs


@pytest.mark.parametrize(
    ("name", "sets"), [("alarm", 8), ("insurance", 6), ("win95pts", 6), ("andes", 3)]
)
def test_beliefs_and_evidence_equal_pyagrums(shared: Path, name: str, sets: int) -> None:
    network = network_called(shared, name)
    twin = as_pyagrum(network)
    session = JunctionTreeSession(network)
    rng = np.random.default_rng(7)
    for number in range(sets):
        ours, theirs = findings_from(network, rng, 1 + 2 * number)
        engine = gum.LazyPropagation(twin)
        engine.setEvidence(theirs)
        engine.makeInference()
        session.set_all(ours)
        for index, belief in enumerate(session.beliefs().values()):
            assert np.abs(belief.values - engine.posterior(index).toarray()).max() < 1e-9
        expected = engine.evidenceProbability()
        assert 2 ** session.log2_evidence() == pytest.approx(expected, rel=1e-9)


def test_a_hundred_findings_on_andes_do_not_underflow(shared: Path) -> None:
    network = network_called(shared, "andes")
    rng = np.random.default_rng(2)
    data = network.sample(1, rng)
    session = JunctionTreeSession(network)
    chosen = rng.choice(len(network.domain), 100, replace=False)
    variables = [network.domain.variables[i] for i in chosen]
    findings = {v.name: Observed(v.states[data.column(v.name)[0]]) for v in variables}
    session.set_all(findings)
    assert -400 < session.log2_evidence() < 0
    # The chain rule: P(e) is the product of what each finding had left, one after the other.
    session.retract_all()
    chained = 0.0
    for variable in variables:
        code = int(data.column(variable.name)[0])
        chained += np.log2(session.belief(variable.name).values[code])
        session.set_evidence(variable.name, findings[variable.name])
    assert session.log2_evidence() == pytest.approx(chained, abs=1e-8)
    explained = session.most_probable()
    assert all(explained[name] == f.state for name, f in findings.items())


def test_single_questions_equal_whole_sessions(shared: Path) -> None:
    network = network_called(shared, "alarm")
    rng = np.random.default_rng(11)
    session = JunctionTreeSession(network)
    for _ in range(10):
        findings, _ = findings_from(network, rng, 4)
        targets = [network.domain.names[i] for i in rng.choice(len(network.domain), 3)]
        session.set_all(findings)
        answer = ask(network, targets, findings)
        assert answer.log2_evidence == pytest.approx(session.log2_evidence(), abs=1e-10)
        for name in targets:
            assert answer.beliefs[name].values == pytest.approx(
                session.belief(name).values, abs=1e-12
            )
