"""MAP against listing every combination, and bounds that hold when the search is stopped."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, ImpossibleEvidenceError, ParameterError
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Done, Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.inference.map_search import MapAnswer, most_probable_states
from pgmstudio.core.languages.bayesian_network.interventions import mutilated
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import domain_of, evidence, random_network, small_networks


def joint_by_listing(
    network: BayesianNetwork, chosen: list[str], given_: dict[str, object]
) -> np.ndarray:
    session = BruteForceSession(network)
    try:
        session.set_all(given_)  # type: ignore[arg-type]
    except ImpossibleEvidenceError:
        assume(False)
    return session.joint(chosen)


def check(result: MapAnswer, joint: np.ndarray, domain: Domain, chosen: list[str]) -> None:
    """Every combination has its stated probability, and they are the best in order."""
    true = np.sort(joint[joint > 0].ravel())[::-1]
    seen = set()
    for index, one in enumerate(result.best):
        cell = tuple(domain[name].code(one.states[name]) for name in chosen)
        assert cell not in seen
        seen.add(cell)
        assert 2**one.log2_probability == pytest.approx(float(joint[cell]), abs=1e-9)
        assert 2**one.log2_probability == pytest.approx(float(true[index]), abs=1e-9)
    assert result.is_exact
    assert result.fraction_of_bound == pytest.approx(1)


@settings(max_examples=100)
@given(
    small_networks(max_variables=6, max_cardinality=3), st.data(), st.sampled_from([1, 8, 2**16])
)
def test_the_best_is_that_of_listing_however_early_variables_go(
    network: BayesianNetwork, data: st.DataObject, most_exact: int
) -> None:
    names = network.domain.names
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    given_ = data.draw(evidence(network.domain, max_findings=3))
    joint = joint_by_listing(network, chosen, dict(given_))
    result = most_probable_states(network, chosen, given_, most_exact_cells=most_exact)
    check(result, joint, network.domain, chosen)
    assert len(result.best) == 1


@settings(max_examples=60)
@given(small_networks(max_variables=5, max_cardinality=3), st.data(), st.sampled_from([1, 2**16]))
def test_the_best_few_are_in_order_and_all_different(
    network: BayesianNetwork, data: st.DataObject, most_exact: int
) -> None:
    names = network.domain.names
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    given_ = data.draw(evidence(network.domain, max_findings=2))
    joint = joint_by_listing(network, chosen, dict(given_))
    result = most_probable_states(network, chosen, given_, best=4, most_exact_cells=most_exact)
    check(result, joint, network.domain, chosen)
    assert len(result.best) == min(4, int((joint > 0).sum()))


def naive_bayes(rng: np.random.Generator, features: int) -> BayesianNetwork:
    """A class that is summed out and many features: the hard case, all of them in one table."""
    domain = domain_of([6] + [2] * features)
    dag = Dag(domain.names, ((), *[(0,)] * features))
    tables = [rng.dirichlet(np.ones(6) * 5)]
    tables += [rng.dirichlet([1.0, 1.0], size=6) for _ in range(features)]
    return BayesianNetwork(domain, dag, tuple(tables))


def test_many_features_of_a_hidden_class_are_solved_and_proved() -> None:
    network = naive_bayes(np.random.default_rng(2), 14)
    chosen = list(network.domain.names[1:])
    result = most_probable_states(network, chosen, {}, most_exact_cells=64)
    joint = JunctionTreeSession(network).joint(chosen)
    assert result.is_exact
    assert result.steps > 0
    assert 2 ** result.best[0].log2_probability == pytest.approx(float(joint.max()), abs=1e-12)


def test_a_stopped_search_keeps_what_it_found_and_the_bound_holds() -> None:
    network = naive_bayes(np.random.default_rng(2), 14)
    chosen = list(network.domain.names[1:])
    stop = StopSwitch()
    stop.cancel()
    result = most_probable_states(network, chosen, {}, stop=stop, most_exact_cells=1)
    true = float(JunctionTreeSession(network).joint(chosen).max())
    assert not result.is_exact
    assert 2 ** result.best[0].log2_probability <= true + 1e-12
    assert 2**result.log2_bound >= true - 1e-12
    assert 0 < result.fraction_of_bound < 1
    assert 2 ** result.best[0].log2_probability >= result.fraction_of_bound * true - 1e-12


def test_a_cancelled_search_is_given_up() -> None:
    cancel = StopSwitch()
    cancel.cancel()
    network = naive_bayes(np.random.default_rng(2), 6)
    with pytest.raises(Cancelled):
        most_probable_states(network, ["X1"], {}, cancel=cancel)


def test_all_variables_give_the_most_probable_explanation() -> None:
    network = random_network(np.random.default_rng(7), 12, density=0.3)
    session = JunctionTreeSession(network)
    session.set_evidence("X3", Observed("s0"))
    result = most_probable_states(network, network.domain.names, session.evidence)
    assert result.best[0].states == session.most_probable()
    log2 = session.log2_most_probable() - session.log2_evidence()
    assert result.best[0].log2_probability == pytest.approx(log2)
    assert result.steps == 0


def test_what_was_done_is_no_evidence() -> None:
    network = random_network(np.random.default_rng(9), cardinalities=(2, 2, 3), density=1.0)
    order = [network.domain.names[i] for i in network.dag.topological_order]
    result = most_probable_states(network, [order[0], order[2]], {order[1]: Done("s0")})
    joint = BruteForceSession(mutilated(network, {order[1]: "s0"})).joint([order[0], order[2]])
    assert 2 ** result.best[0].log2_probability == pytest.approx(float(joint.max()))


def test_observed_variables_keep_their_state_and_none_is_refused() -> None:
    network = random_network(np.random.default_rng(7), 4)
    result = most_probable_states(network, ["X0", "X1"], {"X1": Observed("s1")})
    assert result.best[0].states["X1"] == "s1"
    only = most_probable_states(network, ["X1"], {"X1": Observed("s1")})
    assert only.best[0].log2_probability == pytest.approx(0)
    assert not math.isnan(only.log2_bound)
    with pytest.raises(ParameterError, match="at least one"):
        most_probable_states(network, [], {})
