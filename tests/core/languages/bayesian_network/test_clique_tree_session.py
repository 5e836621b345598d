"""The clique-tree session equals listing every joint state, and keeps its promises."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import (
    ImpossibleEvidenceError,
    ParameterError,
    TooLargeError,
    UnknownNameError,
)
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Excluded, Finding, Likelihood, Observed, weights_of
from pgmstudio.core.inference.junction_tree import messages as passes
from pgmstudio.core.inference.junction_tree import propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.inference.map_search import most_probable_states
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import evidence, random_network, small_networks


def weather() -> BayesianNetwork:
    """Rain or a sprinkler wet the grass; without either it is certainly dry."""
    domain = Domain.of({"rain": ("yes", "no"), "sprinkler": ("on", "off"), "wet": ("yes", "no")})
    dag = Dag.from_edges(domain.names, [("rain", "wet"), ("sprinkler", "wet")])
    wet = np.array([[[0.99, 0.01], [0.9, 0.1]], [[0.8, 0.2], [0.0, 1.0]]])
    return BayesianNetwork(domain, dag, (np.array([0.2, 0.8]), np.array([0.4, 0.6]), wet))


@st.composite
def questions(draw: st.DrawFn) -> tuple[BayesianNetwork, dict[str, Finding]]:
    network = draw(small_networks(max_variables=10))
    while network.domain.joint_states() > 20_000:
        network = network.without_variable(network.domain.names[-1])
    return network, draw(evidence(network.domain))


def conflict_of(
    session: JunctionTreeSession | BruteForceSession, findings: dict[str, Finding]
) -> dict[str, str]:
    """What cannot hold together of the findings; nothing when they are set."""
    try:
        session.set_all(findings)
    except ImpossibleEvidenceError as impossible:
        return impossible.conflict
    return {}


@settings(max_examples=200)
@given(questions())
def test_beliefs_and_explanations_equal_listing_every_joint_state(
    question: tuple[BayesianNetwork, dict[str, Finding]],
) -> None:
    network, findings = question
    session, listing = JunctionTreeSession(network), BruteForceSession(network)
    expected = conflict_of(listing, findings)
    result = conflict_of(session, findings)
    assert len(result) == len(expected)
    if expected:
        assert not session.evidence
        return
    assert session.log2_evidence() == pytest.approx(listing.log2_evidence(), abs=1e-11)
    assert 2 ** session.log2_evidence() == pytest.approx(2 ** listing.log2_evidence(), abs=1e-12)
    for name, belief in session.beliefs().items():
        assert belief.values == pytest.approx(listing.belief(name).values, abs=1e-12)
        assert session.belief(name).values.sum() == pytest.approx(1, abs=1e-12)
    assert session.log2_most_probable() == pytest.approx(listing.log2_most_probable(), abs=1e-11)
    chosen = {**findings}
    chosen.update({name: Observed(state) for name, state in session.most_probable().items()})
    hard = BruteForceSession(network)
    hard.set_all(chosen)
    weights = sum(
        np.log2(weights_of(network.domain[name], finding)[network.domain[name].code(state)])
        for name, finding in findings.items()
        for state in [session.most_probable()[name]]
    )
    expected_log2 = hard.log2_evidence() + weights
    assert session.log2_most_probable() == pytest.approx(expected_log2, abs=1e-11)


@settings(max_examples=80)
@given(questions(), st.data())
def test_joints_of_any_variables_equal_listing_every_joint_state(
    question: tuple[BayesianNetwork, dict[str, Finding]], data: st.DataObject
) -> None:
    network, findings = question
    session, listing = JunctionTreeSession(network), BruteForceSession(network)
    try:
        session.set_all(findings)
    except ImpossibleEvidenceError:
        return
    listing.set_all(findings)
    names = data.draw(
        st.lists(st.sampled_from(network.domain.names), unique=True, min_size=1, max_size=4)
    )
    assert session.joint(names) == pytest.approx(listing.joint(names), abs=1e-12)


@settings(max_examples=60)
@given(small_networks(), st.data())
def test_setting_and_retracting_is_nothing(network: BayesianNetwork, data: st.DataObject) -> None:
    session = JunctionTreeSession(network)
    kept = data.draw(evidence(network.domain))
    passing = data.draw(evidence(network.domain))
    try:
        session.set_all(kept)
        before = session.log2_evidence(), {n: b.values for n, b in session.beliefs().items()}
        for name, finding in passing.items():
            if name not in kept:
                session.set_evidence(name, finding)
    except ImpossibleEvidenceError:
        return
    for name in passing:
        if name not in kept:
            session.retract(name)
    assert session.log2_evidence() == before[0]
    for name, belief in session.beliefs().items():
        assert np.array_equal(belief.values, before[1][name])


@settings(max_examples=30)
@given(small_networks(), st.data())
def test_the_order_of_findings_does_not_matter(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    findings = data.draw(evidence(network.domain, max_findings=3))
    answers: list[list[float] | None] = []
    for order in permutations(findings):
        session = JunctionTreeSession(network)
        try:
            for name in order:
                session.set_evidence(name, findings[name])
                session.beliefs()
        except ImpossibleEvidenceError:
            answers.append(None)
        else:
            answers.append(np.concatenate([b.values for b in session.beliefs().values()]).tolist())
    assert all(answer == answers[0] for answer in answers)


@settings(max_examples=40)
@given(questions())
def test_compiled_and_plain_loops_agree_to_the_last_bit(
    question: tuple[BayesianNetwork, dict[str, Finding]],
) -> None:
    network, findings = question
    plan = plan_of(network.clique_tree, network.factors)
    answers: list[tuple[float, float, list[int], list[float]]] = []
    for loops in (passes, propagation.compiled_passes()):
        flow = propagation.Propagation(plan, loops)
        for name, finding in findings.items():
            flow.set_weights(network.domain.index(name), weights_of(network.domain[name], finding))
        if flow.is_possible():
            states, log2 = flow.most_probable()
            answers.append((flow.log2_evidence(), log2, states.tolist(), flow.beliefs().tolist()))
    assert answers == [] or answers[0] == answers[1]


@settings(max_examples=60)
@given(questions())
def test_both_sides_of_every_separator_agree(
    question: tuple[BayesianNetwork, dict[str, Finding]],
) -> None:
    network, findings = question
    session = JunctionTreeSession(network)
    try:
        session.set_all(findings)
    except ImpossibleEvidenceError:
        return
    flow = session._propagation
    tree, axes = flow.plan.tree, flow.plan.axes
    for clique, parent in enumerate(tree.parents):
        if parent is not None:
            sides = []
            for end in (clique, parent):
                shared = set(tree.separators[clique])
                away = tuple(a for a, v in enumerate(axes[end]) if v not in shared)
                order = np.argsort([v for v in axes[end] if v in shared])
                sides.append(flow.clique_belief(end).sum(axis=away).transpose(order))
            assert sides[0] == pytest.approx(sides[1], abs=1e-12)


def test_a_belief_asked_alone_is_the_belief_asked_with_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(propagation, "ALL_AT_ONCE_CELLS", 0)
    rng = np.random.default_rng(4)
    network = random_network(rng, 9)
    alone, together = JunctionTreeSession(network), JunctionTreeSession(network)
    for session in (alone, together):
        session.set_evidence("X3", Observed("s1"))
    for name in reversed(network.domain.names):
        assert np.array_equal(alone.belief(name).values, together.beliefs()[name].values)


def test_the_worked_example_of_the_specification() -> None:
    # Acceptance check 12 of the Bayesian-network specification.
    names = ("X1", "X2", "X3", "X4", "X5", "X6")
    edges = [(0, 1), (0, 2), (1, 2), (0, 3), (2, 4), (2, 5), (4, 5)]
    domain = Domain.of(dict.fromkeys(names, ("0", "1")))
    dag = Dag.from_edges(names, [(names[a], names[b]) for a, b in edges])
    rows = (
        [0.6, 0.4],
        [[0.7, 0.3], [0.2, 0.8]],
        [[[0.9, 0.1], [0.4, 0.6]], [[0.5, 0.5], [0.25, 0.75]]],
        [[0.3, 0.7], [0.6, 0.4]],
        [[0.8, 0.2], [0.1, 0.9]],
        [[[0.5, 0.5], [0.35, 0.65]], [[0.95, 0.05], [0.15, 0.85]]],
    )
    network = BayesianNetwork(domain, dag, tuple(np.array(r) for r in rows))
    assert network.effective_size() == 20
    assert network.representation_size() == 15
    assert set(network.clique_tree.cliques) == {(0, 1, 2), (0, 3), (2, 4, 5)}
    session = JunctionTreeSession(network)
    assert session.belief("X6").values[1] == pytest.approx(0.6332, abs=1e-12)
    session.set_evidence("X6", Observed("1"))
    assert session.belief("X4").values[1] == pytest.approx(0.567719520, abs=5e-10)
    assert session.belief("X1").values[1] == pytest.approx(0.440934934, abs=5e-10)
    session.set_all({name: Observed(s) for name, s in zip(names, "011011", strict=True)})
    assert 2 ** session.log2_evidence() == pytest.approx(0.024786, abs=1e-12)


def test_impossible_evidence_names_a_smallest_conflict_and_changes_nothing() -> None:
    session = JunctionTreeSession(weather())
    session.set_evidence("rain", Observed("no"))
    session.set_evidence("sprinkler", Likelihood((("on", 1.0), ("off", 2.0))))
    before = session.belief("wet").values
    session.set_evidence("wet", Observed("yes"))
    with pytest.raises(ImpossibleEvidenceError) as raised:
        session.set_evidence("sprinkler", Excluded(frozenset({"on"})))
    assert raised.value.conflict == {"rain": "= no", "sprinkler": "≠ on", "wet": "= yes"}
    session.retract("wet")
    assert np.array_equal(session.belief("wet").values, before)
    assert set(session.evidence) == {"rain", "sprinkler"}


def test_findings_without_a_part_in_the_conflict_are_not_named() -> None:
    rng = np.random.default_rng(1)
    domain = Domain.of({f"A{i}": ("a", "b") for i in range(6)})
    dag = Dag.from_edges(domain.names, [("A0", "A1"), ("A1", "A2"), ("A3", "A4"), ("A4", "A5")])
    network = BayesianNetwork.uniform(domain, dag)
    network = network.with_table("A4", np.array([[0.0, 1.0], rng.dirichlet([1, 1])]))
    session = JunctionTreeSession(network)
    with pytest.raises(ImpossibleEvidenceError) as raised:
        session.set_all({name: Observed("a") for name in domain.names})
    assert raised.value.conflict == {"A3": "= a", "A4": "= a"}
    assert not session.evidence


def test_excluding_every_state_is_impossible() -> None:
    session = JunctionTreeSession(weather())
    with pytest.raises(ImpossibleEvidenceError) as raised:
        session.set_evidence("rain", Excluded(frozenset({"yes", "no"})))
    assert list(raised.value.conflict) == ["rain"]
    assert not session.evidence


@pytest.mark.parametrize("weights", [(-1.0, 1.0), (float("nan"), 1.0), (float("inf"), 1.0), (0, 0)])
def test_likelihoods_have_to_be_finite_and_not_all_zero(weights: tuple[float, float]) -> None:
    session = JunctionTreeSession(weather())
    with pytest.raises(ParameterError, match="rain"):
        session.set_evidence("rain", Likelihood((("yes", weights[0]), ("no", weights[1]))))
    assert not session.evidence


def test_unknown_names_are_refused_with_the_nearest_one() -> None:
    session = JunctionTreeSession(weather())
    with pytest.raises(UnknownNameError, match="Did you mean rain"):
        session.set_evidence("rian", Observed("yes"))
    with pytest.raises(UnknownNameError, match="state of rain"):
        session.set_evidence("rain", Observed("maybe"))
    with pytest.raises(UnknownNameError):
        session.retract("snow")
    with pytest.raises(UnknownNameError):
        session.belief("snow")


def test_beliefs_and_p_of_e_depend_on_the_ratios_of_a_likelihood_alone() -> None:
    one, other = JunctionTreeSession(weather()), JunctionTreeSession(weather())
    one.set_evidence("wet", Likelihood((("yes", 0.2), ("no", 0.1))))
    other.set_evidence("wet", Likelihood((("yes", 20.0), ("no", 10.0))))
    assert other.log2_evidence() == one.log2_evidence() < 0
    assert np.array_equal(one.belief("rain").values, other.belief("rain").values)


def test_a_finding_replaces_the_one_before_whatever_its_kind() -> None:
    session, fresh = JunctionTreeSession(weather()), JunctionTreeSession(weather())
    session.set_evidence("wet", Likelihood((("yes", 5.0), ("no", 1.0))))
    session.set_evidence("wet", Excluded(frozenset({"yes"})))
    session.set_evidence("wet", Observed("yes"))
    fresh.set_evidence("wet", Observed("yes"))
    assert np.array_equal(session.belief("rain").values, fresh.belief("rain").values)


def test_beliefs_taken_before_do_not_change_with_later_evidence() -> None:
    session = JunctionTreeSession(weather())
    before = session.belief("rain").values
    session.set_evidence("wet", Observed("yes"))
    session.belief("rain")
    assert before == pytest.approx([0.2, 0.8])


def test_a_thousand_findings_do_not_underflow() -> None:
    features = [f"F{i}" for i in range(1000)]
    domain = Domain.of(dict.fromkeys(("class", *features), ("0", "1")))
    dag = Dag.from_edges(domain.names, [("class", name) for name in features])
    table = np.array([[0.999, 0.001], [0.001, 0.999]])
    network = BayesianNetwork(domain, dag, (np.array([0.5, 0.5]), *([table] * 1000)))
    session = JunctionTreeSession(network)
    # 501 features speak for one class and 499 for the other: the first wins by 999², although
    # the joint probability is about 2^-5000 and each half alone would underflow.
    states = {name: Observed("0" if i < 501 else "1") for i, name in enumerate(features)}
    session.set_all(states)
    odds = session.belief("class").values
    assert odds[0] / odds[1] == pytest.approx(999**2)
    joint = 501 * np.log2([0.999, 0.001]) + 499 * np.log2([0.001, 0.999]) - 1
    assert session.log2_evidence() == pytest.approx(np.logaddexp2(*joint))
    session.set_evidence("class", Observed("1"))
    assert session.log2_evidence() == pytest.approx(joint[1])


def test_a_network_in_several_parts_answers_for_each() -> None:
    network = BayesianNetwork.uniform(Domain.of({"a": "xy", "b": "uvw", "c": "z"}))
    session = JunctionTreeSession(network)
    session.set_evidence("b", Excluded(frozenset("u")))
    assert session.log2_evidence() == pytest.approx(np.log2(2 / 3))
    assert session.belief("a").values.tolist() == [0.5, 0.5]
    assert session.joint(["b", "a", "c"])[:, :, 0] == pytest.approx(
        np.array([[0, 0], [0.25, 0.25], [0.25, 0.25]])
    )


def test_the_most_probable_states_of_some_variables_are_the_top_of_their_joint_table() -> None:
    network = random_network(np.random.default_rng(12), 7)
    listing = BruteForceSession(network)
    listing.set_evidence("X2", Observed("s1"))
    best = most_probable_states(network, ["X5", "X0", "X6"], {"X2": Observed("s1")}).best[0]
    states, log2 = best.states, best.log2_probability
    joint = listing.joint(["X5", "X0", "X6"])
    assert 2**log2 == pytest.approx(joint.max())
    index = tuple(network.domain[name].code(states[name]) for name in ("X5", "X0", "X6"))
    assert joint[index] == pytest.approx(joint.max())


def test_a_joint_table_that_is_too_large_is_refused_with_its_size() -> None:
    domain = Domain.of({f"X{i}": ("a", "b") for i in range(21)})
    session = JunctionTreeSession(BayesianNetwork.uniform(domain))
    with pytest.raises(TooLargeError, match="2,097,152 cells"):
        session.joint(domain.names)
