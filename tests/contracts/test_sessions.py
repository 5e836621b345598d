"""What every session promises, walked over the table of sessions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.errors import ImpossibleEvidenceError, PgmStudioError, UnknownNameError
from pgmstudio.core.inference.base import (
    Excluded,
    ExplainingSession,
    InferenceSession,
    Likelihood,
    Observed,
    Scale,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model, ProbabilisticModel
from tests.decision_graphs import random_graph
from tests.labelled_dags import random_labelled
from tests.markov_networks import random_markov_network, random_structure
from tests.oracles.brute_force import BruteForceSession
from tests.possibilistic_networks import random_possibilistic
from tests.strategies import random_classes, random_mixture, random_network, random_tree


def _random_markov(rng: np.random.Generator) -> MarkovNetwork:
    return random_markov_network(rng, random_structure(rng, [2, 3, 2, 2, 3, 2]))


def _random_relation(rng: np.random.Generator) -> RelationalNetwork:
    structure = random_structure(rng, [2, 3, 2, 2, 3, 2])
    codes = [rng.integers(0, card, 40) for card in structure.domain.cardinalities]
    rows = DataSet(structure.domain, np.array(codes, dtype=np.uint8))
    return RelationalNetwork.of_relation(
        MarkovStructure(structure.domain, structure.edges), Relation.of(rows)
    )


# One small model of every family in the table of sessions.
EXAMPLES: dict[type, Callable[[], Any]] = {
    BayesianNetwork: lambda: random_network(np.random.default_rng(3), 6, zeros=0.2),
    Tree: lambda: random_tree(np.random.default_rng(4), 6),
    TreeMixture: lambda: random_mixture(np.random.default_rng(5), 6, 3),
    LatentClasses: lambda: random_classes(np.random.default_rng(6), 6, 4),
    DecisionGraph: lambda: random_graph(np.random.default_rng(7), 6, zeros=0.0),
    LabelledDag: lambda: random_labelled(np.random.default_rng(8), 6, merges=0.8),
    MarkovNetwork: lambda: _random_markov(np.random.default_rng(9)),
    PossibilisticNetwork: lambda: random_possibilistic(np.random.default_rng(11), 6),
    RelationalNetwork: lambda: _random_relation(np.random.default_rng(10)),
}


def test_every_family_in_the_table_has_an_example_here() -> None:
    assert {model.kind for model in EXAMPLES} == set(LANGUAGES)


@pytest.fixture(params=list(EXAMPLES.values()), ids=lambda make: make().kind)
def model(request: pytest.FixtureRequest) -> Model:
    made: Model = request.param()
    return made


@pytest.fixture
def session(model: Model) -> InferenceSession:
    return open_session(model)


def all_beliefs(session: InferenceSession, model: Model) -> list[float]:
    return [value for name in model.domain.names for value in session.belief(name).values]


def possible(session: InferenceSession, model: Model, position: int) -> tuple[str, Observed]:
    """A variable and a state that the present beliefs allow."""
    variable = model.domain.variables[position]
    return variable.name, Observed(
        variable.states[int(session.belief(variable.name).values.argmax())]
    )


def test_the_scale_of_a_likelihood_changes_nothing(session: InferenceSession, model: Model) -> None:
    """yes:4,no:1 and yes:0.8,no:0.2 are one finding; its probability is at most 1."""
    variable = model.domain.variables[-1]
    weights = np.linspace(1.0, 0.25, variable.cardinality)
    result = []
    for factor in (1.0, 8.0, 0.01):
        given = zip(variable.states, (factor * weights).tolist(), strict=True)
        session.set_evidence(variable.name, Likelihood(tuple(given)))
        log2 = [session.log2_evidence()]
        if isinstance(session, ExplainingSession):
            log2.append(session.log2_most_probable())
        assert max(log2) <= 0
        result.append([*log2, *all_beliefs(session, model)])
    assert result[1] == pytest.approx(result[0], abs=1e-12)
    assert result[2] == pytest.approx(result[0], abs=1e-12)


def test_beliefs_are_on_their_scale(session: InferenceSession, model: Model) -> None:
    for variable in model.domain:
        belief = session.belief(variable.name)
        assert belief.variable == variable.name
        assert belief.values.shape == (variable.cardinality,)
        assert (belief.values >= 0).all()
        top = belief.values.sum() if belief.scale is Scale.PROBABILITY else belief.values.max()
        assert top == pytest.approx(1)


def test_without_evidence_its_logarithm_is_zero(session: InferenceSession) -> None:
    assert session.evidence == {}
    assert session.log2_evidence() == pytest.approx(0, abs=1e-12)


def test_observed_states_are_certain_and_more_evidence_is_never_likelier(
    session: InferenceSession, model: Model
) -> None:
    before = session.log2_evidence()
    for index in range(3):
        name, finding = possible(session, model, index)
        session.set_evidence(name, finding)
        code = model.domain[name].code(finding.state)
        assert session.belief(name).values[code] == pytest.approx(1)
        assert math.isfinite(session.log2_evidence())
        assert session.log2_evidence() <= before + 1e-12
        before = session.log2_evidence()


def test_setting_then_retracting_is_nothing(session: InferenceSession, model: Model) -> None:
    session.set_evidence(*possible(session, model, 0))
    before = all_beliefs(session, model), session.log2_evidence()
    name, finding = possible(session, model, 1)
    session.set_evidence(name, finding)
    session.retract(name)
    assert all_beliefs(session, model) == pytest.approx(before[0], abs=1e-15)
    assert session.log2_evidence() == pytest.approx(before[1], abs=1e-13)


def test_retracting_the_only_evidence_gives_back_the_prior(
    session: InferenceSession, model: Model
) -> None:
    prior = all_beliefs(session, model)
    session.set_evidence(*possible(session, model, 2))
    session.set_evidence(*possible(session, model, 3))
    session.retract_all()
    assert session.evidence == {}
    assert all_beliefs(session, model) == pytest.approx(prior, abs=1e-15)


def test_a_finding_replaces_the_one_before(session: InferenceSession, model: Model) -> None:
    name, finding = possible(session, model, 0)
    variable = model.domain[name]
    session.set_evidence(
        name, Likelihood(tuple((s, 1.0 + i) for i, s in enumerate(variable.states)))
    )
    session.set_evidence(name, finding)
    assert session.evidence == {name: finding}
    fresh = open_session(model)
    fresh.set_evidence(name, finding)
    assert all_beliefs(session, model) == pytest.approx(all_beliefs(fresh, model), abs=1e-15)


def test_impossible_evidence_is_refused_and_changes_nothing(
    session: InferenceSession, model: Model
) -> None:
    session.set_evidence(*possible(session, model, 1))
    before = all_beliefs(session, model), dict(session.evidence)
    variable = model.domain.variables[0]
    with pytest.raises(ImpossibleEvidenceError) as raised:
        session.set_evidence(variable.name, Excluded(frozenset(variable.states)))
    assert variable.name in raised.value.conflict
    assert (all_beliefs(session, model), dict(session.evidence)) == before


def test_unknown_names_are_refused(session: InferenceSession, model: Model) -> None:
    with pytest.raises(UnknownNameError):
        session.belief("no such variable")
    with pytest.raises(UnknownNameError):
        session.set_evidence("no such variable", Observed("x"))
    with pytest.raises(UnknownNameError):
        session.set_evidence(model.domain.names[0], Observed("no such state"))


def test_two_sessions_of_one_model_know_nothing_of_each_other(
    session: InferenceSession, model: Model
) -> None:
    other = open_session(model)
    prior = all_beliefs(other, model)
    session.set_evidence(*possible(session, model, 0))
    assert all_beliefs(other, model) == prior


def test_probabilistic_models_answer_as_listing_every_joint_state_does(
    session: InferenceSession, model: Model
) -> None:
    if not isinstance(model, ProbabilisticModel):
        pytest.skip("not a joint distribution")
    listing = BruteForceSession(model)
    for index, kind in enumerate((Observed, Excluded, Likelihood)):
        name, finding = possible(session, model, index)
        states = model.domain[name].states
        if kind is Observed:
            chosen: Any = finding
        elif kind is Excluded:
            chosen = Excluded(frozenset({next(s for s in states if s != finding.state)}))
        else:
            chosen = Likelihood(tuple((s, 0.5 + i) for i, s in enumerate(states)))
        session.set_evidence(name, chosen)
        listing.set_evidence(name, chosen)
    assert all_beliefs(session, model) == pytest.approx(all_beliefs(listing, model), abs=1e-12)
    assert session.log2_evidence() == pytest.approx(listing.log2_evidence(), abs=1e-12)
    if isinstance(session, ExplainingSession):
        assert session.log2_most_probable() == pytest.approx(
            listing.log2_most_probable(), abs=1e-12
        )
        assert set(session.most_probable()) == set(model.domain.names)


def test_a_model_without_a_session_is_refused_with_a_message() -> None:
    class Oracle:
        kind = "oracle"

    with pytest.raises(PgmStudioError, match="no inference for a oracle"):
        open_session(Oracle())  # type: ignore[arg-type]
