"""The engines of interactive pages, run in a JavaScript engine, against the sessions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import (
    BoundedSession,
    Done,
    Excluded,
    ExplainingSession,
    Finding,
    Likelihood,
    Observed,
    Scale,
    as_seen,
    done_states,
    weights_of,
)
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.base import ComponentSession
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.registry import LANGUAGES, language_of
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model
from pgmstudio.core.reports.interactive_page.inference import program_of
from pgmstudio.core.reports.interactive_page.page import script_text
from tests.decision_graphs import random_graph
from tests.labelled_dags import random_labelled
from tests.markov_networks import random_markov_network, random_structure
from tests.possibilistic_networks import random_possibilistic
from tests.strategies import random_classes, random_mixture, random_network, random_tree

CARDS = [2, 3, 2, 2, 3, 2]
EXACT = 1e-9


def _random_relation(rng: np.random.Generator) -> RelationalNetwork:
    structure = random_structure(rng, CARDS)
    codes = [rng.integers(0, card, 30) for card in CARDS]
    relation = Relation.of(DataSet(structure.domain, np.array(codes, dtype=np.uint8)))
    return RelationalNetwork.of_relation(
        MarkovStructure(structure.domain, structure.edges), relation
    )


EXAMPLES: Mapping[str, Callable[[np.random.Generator], Any]] = {
    "tree": lambda rng: random_tree(rng, 6, zeros=0.2),
    "bayesian-network": lambda rng: random_network(rng, 7, zeros=0.2),
    "latent-class": lambda rng: random_classes(rng, 6, 4),
    "tree-mixture": lambda rng: random_mixture(rng, 6, 3),
    "pdg": lambda rng: random_graph(rng, 6, zeros=0.2),
    "ldag": lambda rng: random_labelled(rng, 6, merges=0.8),
    "markov-network": lambda rng: random_markov_network(rng, random_structure(rng, CARDS)),
    "relational-network": _random_relation,
    "possibilistic-network": lambda rng: random_possibilistic(rng, 6),
}


def test_every_language_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(LANGUAGES)


class PageEngine:
    """The engine of a page for one model."""

    def __init__(self, model: Model) -> None:
        py_mini_racer = pytest.importorskip(
            "py_mini_racer", reason="the wheel mini-racer, a JavaScript engine, is not installed"
        )
        self._model = model
        self._context = py_mini_racer.MiniRacer()
        self._context.eval(script_text("engines.js"))
        self._context.eval("var engine;")
        self._context.eval(
            "function open(program) { engine = createEngine(program); return true; }"
        )
        self._context.eval(
            "function ask(what, weights, done) { return engine[what](weights, new Map(done)); }"
        )
        self._context.call("open", program_of(model).document())

    def ask(self, what: str, evidence: Mapping[str, Finding]) -> Any:
        domain = self._model.domain
        weights: list[list[float] | None] = [None] * len(domain)
        for name, finding in evidence.items():
            weights[domain.index(name)] = weights_of(domain[name], as_seen(finding)).tolist()
        done = [
            (domain.index(name), domain[name].code(state))
            for name, state in done_states(evidence).items()
        ]
        return self._context.call("ask", what, weights, done)


def random_finding(rng: np.random.Generator, variable: Variable, may_do: bool) -> Finding:
    states = variable.states
    kind = rng.choice(["observed", "excluded", "likelihood", "done" if may_do else "observed"])
    if kind == "excluded":
        return Excluded(frozenset([states[int(rng.integers(len(states)))]]))
    if kind == "likelihood":
        return Likelihood(tuple((state, float(rng.random())) for state in states))
    state = states[int(rng.integers(len(states)))]
    return Done(state) if kind == "done" else Observed(state)


def random_evidence(rng: np.random.Generator, model: Model, most: int) -> dict[str, Finding]:
    may_do = language_of(model).has_interventions
    names = rng.permutation(list(model.domain.names))[: int(rng.integers(0, most + 1))]
    return {
        str(name): random_finding(rng, model.domain[str(name)], may_do and bool(rng.random() < 0.5))
        for name in names
    }


def compare(model: Model, rng: np.random.Generator, times: int, most: int = 4) -> int:
    """Ask both for random evidence; returns how often it was possible."""
    session, engine = open_session(model), PageEngine(model)
    possible = 0
    for _ in range(times):
        evidence = random_evidence(rng, model, most)
        answer = engine.ask("update", evidence)
        try:
            session.retract_all()
            session.set_all(evidence)  # type: ignore[attr-defined]
        except ImpossibleEvidenceError:
            assert answer is None
            continue
        possible += 1
        assert answer["log2Evidence"] == pytest.approx(session.log2_evidence(), abs=EXACT)
        for values, name in zip(answer["beliefs"], model.domain.names, strict=True):
            np.testing.assert_allclose(values, session.belief(name).values, rtol=0, atol=EXACT)
        if isinstance(session, ComponentSession):
            expected = session.component_posterior()
            np.testing.assert_allclose(answer["components"], expected, rtol=0, atol=EXACT)
    return possible


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_beliefs_of_a_page_equal_those_of_the_session(kind: str) -> None:
    rng = np.random.default_rng(20)
    possible = sum(compare(EXAMPLES[kind](rng), rng, 12) for _ in range(4))
    assert possible >= 12


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_explanation_of_a_page_is_as_probable_as_that_of_the_session(kind: str) -> None:
    rng = np.random.default_rng(21)
    explained = 0
    for _ in range(12):
        model = EXAMPLES[kind](rng)
        session, engine = open_session(model), PageEngine(model)
        assert isinstance(session, ExplainingSession)
        evidence = random_evidence(rng, model, 2)
        try:
            session.set_all(evidence)  # type: ignore[attr-defined]
        except ImpossibleEvidenceError:
            continue
        explained += 1
        answer = engine.ask("explain", evidence)
        if isinstance(session, BoundedSession):
            assert session.is_most_probable_exact
        assert answer["log2"] == pytest.approx(session.log2_most_probable(), abs=EXACT)
        assert answer["log2Bound"] == answer["log2"]
        states = [v.states[s] for v, s in zip(model.domain, answer["states"], strict=True)]
        session.retract_all()
        cut = {name: f for name, f in evidence.items() if isinstance(f, Done)}
        seen = {n: Observed(s) for n, s in zip(model.domain.names, states, strict=True)}
        session.set_all({**seen, **cut})  # type: ignore[attr-defined]
        log2 = session.log2_evidence()
        for name, finding in evidence.items():
            weight = weights_of(model.domain[name], as_seen(finding))
            factor = float(weight[model.domain[name].code(seen[name].state)])
            if language_of(model).scale is Scale.PROBABILITY:
                log2 += math.log2(factor)
        if language_of(model).scale is Scale.PROBABILITY:
            assert log2 == pytest.approx(answer["log2"], abs=EXACT)
        else:  # a possible tuple
            assert log2 >= answer["log2"] - EXACT
    assert explained >= 4


def test_the_explanation_of_a_large_mixture_comes_with_a_bound() -> None:
    rng = np.random.default_rng(22)
    model: LatentClasses = random_classes(rng, 40, 6)
    session, engine = open_session(model), PageEngine(model)
    assert isinstance(session, BoundedSession)
    answer = engine.ask("explain", {})
    assert answer["log2"] <= answer["log2Bound"]
    assert answer["log2Bound"] <= session.log2_most_probable_bound() + EXACT
    assert answer["log2"] >= session.log2_most_probable() - EXACT


def test_evidence_of_tiny_probability_does_not_underflow() -> None:
    from pgmstudio.core.graphs.dag import Dag
    from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
    from tests.strategies import domain_of

    count = 400
    domain = domain_of([2] * count)
    tables = (np.array([0.5, 0.5]), *(np.array([[0.999, 0.001], [0.9999, 0.0001]]),) * (count - 1))
    dag = Dag(domain.names, ((), *(((0,),) * (count - 1))))
    model = BayesianNetwork(domain, dag, tables)
    evidence = {name: Observed(domain[name].states[1]) for name in domain.names[1:]}
    session, engine = open_session(model), PageEngine(model)
    session.set_all(evidence)  # type: ignore[attr-defined]
    answer = engine.ask("update", evidence)
    assert answer["log2Evidence"] == pytest.approx(session.log2_evidence(), abs=1e-7)
    root = session.belief(domain.names[0]).values
    np.testing.assert_allclose(answer["beliefs"][0], root, rtol=0, atol=EXACT)


@pytest.mark.parametrize("name", ["alarm", "win95pts"])
def test_a_published_network_has_the_same_beliefs_in_a_page(shared: Path, name: str) -> None:
    model = read_model(shared / "data" / "networks" / f"{name}.bif").model
    assert compare(model, np.random.default_rng(23), 6, most=8) >= 1
