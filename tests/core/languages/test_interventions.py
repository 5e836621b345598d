"""do(X = x): beliefs in the network after the intervention, against the truncated factorisation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pgmstudio.core.analysis.value_of_information import information_about
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, ImpossibleEvidenceError, UnknownNameError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import (
    Done,
    Excluded,
    Finding,
    Likelihood,
    Observed,
    doings_first,
    weights_of,
)
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.interventions import mutilated
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.sessions import (
    Sampled,
    SamplePlan,
    ask,
    direction_note,
    most_probable_together,
    no_intervention_reason,
    open_session,
    sample_rows,
)
from pgmstudio.core.model import Model
from tests.decision_graphs import random_graph
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import (
    evidence,
    random_classes,
    random_mixture,
    random_tree,
    small_networks,
)


def truncated(network: BayesianNetwork, findings: dict[str, Finding]) -> np.ndarray:
    """Π P(v | pa) over what was not set, times the findings, state by state."""
    domain, parents = network.domain, network.dag.parent_indices
    done = {domain.index(n): f.state for n, f in findings.items() if isinstance(f, Done)}
    table = np.zeros(domain.cardinalities)
    for case in itertools.product(*(range(card) for card in domain.cardinalities)):
        value = 1.0
        for i, variable in enumerate(domain):
            if i in done:
                value *= variable.states[case[i]] == done[i]
            else:
                value *= network.tables[i][tuple(case[p] for p in parents[i])][case[i]]
        for name, finding in findings.items():
            if not isinstance(finding, Done):
                value *= weights_of(domain[name], finding)[case[domain.index(name)]]
        table[case] = value
    return table


@given(st.data())
@settings(max_examples=70, deadline=None)
def test_beliefs_and_evidence_follow_the_truncated_factorisation(data: st.DataObject) -> None:
    network = data.draw(small_networks(max_variables=5, max_cardinality=3))
    findings = data.draw(evidence(network.domain, max_findings=2))
    names = [name for name in network.domain.names if name not in findings]
    assume(names)
    for name in data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)):
        findings[name] = Done(data.draw(st.sampled_from(network.domain[name].states)))
    expected = truncated(network, findings)
    session = JunctionTreeSession(network)
    if expected.sum() <= 1e-15:
        with pytest.raises(ImpossibleEvidenceError):
            session.set_all(findings)
        assert not session.evidence
        return
    session.set_all(findings)
    assert session.log2_evidence() == pytest.approx(np.log2(expected.sum()))
    for axis, name in enumerate(network.domain.names):
        away = tuple(a for a in range(expected.ndim) if a != axis)
        wanted = expected.sum(axis=away) / expected.sum()
        np.testing.assert_allclose(session.belief(name).values, wanted, atol=1e-12)
        result = ask(network, [name], findings)
        np.testing.assert_allclose(result.beliefs[name].values, wanted, atol=1e-12)
        assert result.log2_evidence == pytest.approx(session.log2_evidence())
    assert 2.0 ** session.log2_most_probable() == pytest.approx(expected.max())
    explained = session.most_probable()
    index = tuple(v.code(explained[v.name]) for v in network.domain)
    assert expected[index] == pytest.approx(expected.max())
    whole = session.joint(network.domain.names)
    np.testing.assert_allclose(whole, expected / expected.sum(), atol=1e-12)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_setting_and_retracting_an_intervention_leaves_nothing_behind(data: st.DataObject) -> None:
    network = data.draw(small_networks(max_variables=6))
    name = data.draw(st.sampled_from(network.domain.names))
    session = JunctionTreeSession(network)
    before = {n: b.values.copy() for n, b in session.beliefs().items()}
    session.set_evidence(name, Done(network.domain[name].states[0]))
    assert session.log2_evidence() == pytest.approx(0.0)  # what is done is no surprise
    session.beliefs()
    session.retract(name)
    for other, values in before.items():
        assert session.belief(other).values.tolist() == values.tolist()


@given(small_networks(max_variables=5, max_cardinality=3), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_a_session_agrees_with_brute_force_in_the_mutilated_network(
    network: BayesianNetwork, number: int
) -> None:
    variable = network.domain.variables[number % len(network.domain)]
    state = variable.states[number % variable.cardinality]
    cut = mutilated(network, {variable.name: state})
    assert cut.dag.parents(variable.name) == ()
    reference = BruteForceSession(cut)
    session = JunctionTreeSession(network)
    session.set_evidence(variable.name, Done(state))
    for name in network.domain.names:
        np.testing.assert_allclose(
            session.belief(name).values, reference.belief(name).values, atol=1e-12
        )


def sprinkler() -> BayesianNetwork:
    """The season decides on rain and sprinkler (Pearl 2000, §1.2, with two variables less)."""
    domain = Domain.of({"dry": ("yes", "no"), "sprinkler": ("on", "off"), "wet": ("yes", "no")})
    dag = Dag.from_edges(domain.names, [("dry", "sprinkler"), ("sprinkler", "wet")])
    tables = (
        np.array([0.5, 0.5]),
        np.array([[0.8, 0.2], [0.1, 0.9]]),
        np.array([[1.0, 0.0], [0.2, 0.8]]),
    )
    return BayesianNetwork(domain, dag, tables)


def test_doing_shows_nothing_about_causes_where_seeing_does() -> None:
    session = open_session(sprinkler())
    session.set_evidence("sprinkler", Observed("on"))
    assert session.belief("dry").values[0] == pytest.approx(0.4 / 0.45)
    session.set_evidence("sprinkler", Done("on"))
    assert session.belief("dry").values[0] == pytest.approx(0.5)
    assert session.belief("wet").values[0] == pytest.approx(1.0)


def test_a_conflict_with_an_intervention_names_it() -> None:
    session = open_session(sprinkler())
    session.set_evidence("wet", Observed("no"))
    with pytest.raises(ImpossibleEvidenceError) as impossible:
        session.set_evidence("sprinkler", Done("on"))
    assert impossible.value.conflict == {"wet": "= no", "sprinkler": "do = on"}
    assert dict(session.evidence) == {"wet": Observed("no")}
    assert session.belief("sprinkler").values[1] == pytest.approx(1.0)
    with pytest.raises(ImpossibleEvidenceError) as impossible:
        ask(sprinkler(), ["dry"], {"wet": Observed("no"), "sprinkler": Done("on")})
    assert set(impossible.value.conflict) == {"wet", "sprinkler"}


def test_a_state_that_never_happens_by_itself_can_still_be_done() -> None:
    never = sprinkler().with_table("sprinkler", np.array([[0.0, 1.0], [0.0, 1.0]]))
    session = open_session(never)
    with pytest.raises(ImpossibleEvidenceError):
        session.set_evidence("sprinkler", Observed("on"))
    session.set_evidence("sprinkler", Done("on"))
    assert session.belief("wet").values[0] == pytest.approx(1.0)


def test_what_is_seen_may_need_what_was_done() -> None:
    never = sprinkler().with_table("sprinkler", np.array([[0.0, 1.0], [0.0, 1.0]]))
    never = never.with_table("wet", np.array([[1.0, 0.0], [0.0, 1.0]]))
    needed: dict[str, Finding] = {"wet": Observed("yes"), "sprinkler": Done("on")}
    session = open_session(never)
    for name, finding in doings_first(needed).items():
        session.set_evidence(name, finding)
    with pytest.raises(ImpossibleEvidenceError):
        session.retract("sprinkler")
    assert dict(session.evidence) == needed
    plan = SamplePlan(rows=5, seed=1, evidence=needed)
    *_, last = sample_rows(never, plan, NEVER)
    assert isinstance(last, Sampled)
    session.retract_all()
    assert session.belief("wet").values[0] == 0.0


def test_an_intervention_in_a_tree_is_that_in_its_network() -> None:
    tree = random_tree(np.random.default_rng(4), 5)
    below = next(i for i, parent in enumerate(tree.parents) if parent is not None)
    name, other = tree.domain.names[below], tree.domain.names[tree.parents[below] or 0]
    findings: dict[str, Finding] = {name: Done(tree.domain[name].states[0])}
    expected = truncated(tree.as_bayesian_network, findings)
    session = open_session(tree)
    session.set_evidence(name, findings[name])
    away = tuple(a for a in range(expected.ndim) if a != tree.domain.index(other))
    assert session.belief(other).values == pytest.approx(expected.sum(axis=away), abs=1e-12)
    asked = ask(tree, [other], findings).beliefs[other].values
    assert asked == pytest.approx(expected.sum(axis=away), abs=1e-12)
    [best] = most_probable_together(tree, [name, other], findings).best
    assert 2**best.log2_probability == pytest.approx(expected.sum(axis=away).max(), abs=1e-12)
    assert "another root" in direction_note(tree, findings)
    assert direction_note(tree, {name: Observed(tree.domain[name].states[0])}) == ""


@pytest.mark.parametrize("kind", ["mixture", "classes", "decision graph"])
def test_models_without_causal_edges_say_that_doing_has_no_meaning(kind: str) -> None:
    rng = np.random.default_rng(3)
    model: Model = {
        "mixture": lambda: random_mixture(rng, 3, 2),
        "classes": lambda: random_classes(rng, 3, 2),
        "decision graph": lambda: random_graph(rng, 3),
    }[kind]()
    name = model.domain.names[0]
    done: dict[str, Finding] = {name: Done(model.domain[name].states[0])}
    session = open_session(model)
    for ask_it in (
        lambda: session.set_evidence(name, done[name]),
        lambda: ask(model, [name], done),
        lambda: most_probable_together(model, [name], done),
    ):
        with pytest.raises(GraphError, match=r"has no meaning here.*observe it instead"):
            ask_it()
    assert not session.evidence
    assert "do not lead from causes to effects" in no_intervention_reason(model)


def test_sessions_that_only_weigh_findings_refuse_to_intervene() -> None:
    session = BruteForceSession(sprinkler())
    with pytest.raises(GraphError, match="no meaning"):
        session.set_evidence("sprinkler", Done("on"))


def test_unknown_states_are_reported_with_the_nearest() -> None:
    session = open_session(sprinkler())
    with pytest.raises(UnknownNameError, match="Did you mean"):
        session.set_evidence("sprinkler", Done("onn"))
    assert not session.evidence


def test_rows_drawn_after_an_intervention_follow_it() -> None:
    plan = SamplePlan(rows=400, seed=5, evidence={"sprinkler": Done("on")})
    *_, last = sample_rows(sprinkler(), plan, NEVER)
    assert isinstance(last, Sampled)
    columns = dict(zip(sprinkler().domain.names, last.data.codes, strict=True))
    assert (columns["sprinkler"] == 0).all()
    assert abs((columns["dry"] == 0).mean() - 0.5) < 0.1  # seeing it on would make it 0.89


def test_what_was_done_has_no_information_left() -> None:
    network = sprinkler()
    session = open_session(network)
    session.set_evidence("sprinkler", Done("on"))
    reported = information_about(session, network.domain, "sprinkler")
    assert reported == {"dry": 0.0, "wet": 0.0}
    assert dict(session.evidence) == {"sprinkler": Done("on")}


def test_an_intervention_goes_with_findings_of_every_kind() -> None:
    session = open_session(sprinkler())
    session.set_evidence("dry", Excluded(frozenset({"no"})))
    session.set_evidence("sprinkler", Done("off"))
    assert session.belief("dry").values[0] == pytest.approx(1.0)
    assert 2.0 ** session.log2_evidence() == pytest.approx(0.5)
    assert session.belief("wet").values[0] == pytest.approx(0.2)


@pytest.mark.parametrize(
    "evidence",
    [
        {"wet": Observed("yes")},  # likely: rows of the model that agree with it are kept
        {"dry": Likelihood((("yes", 0.2), ("no", 1.0))), "wet": Observed("yes")},
        {"sprinkler": Done("off"), "wet": Observed("no")},  # variable by variable
    ],
    ids=["observed", "soft", "do"],
)
def test_rows_drawn_given_evidence_are_as_frequent_as_they_are_probable(
    evidence: dict[str, Finding], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, count = sprinkler(), 4000
    session = open_session(model)
    for name, finding in doings_first(evidence).items():
        session.set_evidence(name, finding)
    for likely in (-10.0, 0.0):  # the second way of drawing as well
        monkeypatch.setattr("pgmstudio.core.languages.sessions._LIKELY_LOG2", likely)
        *_, last = sample_rows(model, SamplePlan(count, seed=3, evidence=evidence), NEVER)
        assert isinstance(last, Sampled)
        assert last.data.row_count == count
        for index, variable in enumerate(model.domain):
            wanted = session.belief(variable.name).values
            result = np.bincount(last.data.codes[index], minlength=wanted.size) / count
            assert result == pytest.approx(wanted, abs=0.035)
