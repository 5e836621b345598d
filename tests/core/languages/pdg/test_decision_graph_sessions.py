"""Flows, beliefs and explanations in decision graphs, against worked numbers and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, ImpossibleEvidenceError
from pgmstudio.core.inference.base import Done, Observed
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from tests.decision_graphs import graph_of, medical, parity, random_graph, two_trees
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import all_cases, findings

# The nodes ν0 … ν14 of Nielsen 2007, Table 3.2, as (variable, node).
NODES = [(i, node) for i, count in enumerate([1, 2, 2, 3, 1, 2, 2, 2]) for node in range(count)]


def asked(graph: DecisionGraph, **states: str) -> DecisionGraphSession:
    session = DecisionGraphSession(graph)
    session.set_all({name: Observed(state) for name, state in states.items()})
    return session


def seconds(session: DecisionGraphSession, *names: str) -> list[float]:
    """P(X = its second state) of each."""
    return [float(session.belief(name).values[1]) for name in names]


def listed(numbers: tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], ...]) -> list[float]:
    return [float(numbers[i][node]) for i, node in NODES]


def test_flows_without_evidence_are_the_worked_ones() -> None:
    session = DecisionGraphSession(two_trees())
    flows = session.node_flows()
    inward = [1, 0.9, 0.1, 0.9, 0.1, 0.27, 0.64, 0.09, 1, 0.8, 0.2, 0.64, 0.36, 0.78, 0.22]
    assert listed(flows.in_flow) == pytest.approx(inward, abs=1e-12)
    assert listed(flows.out_flow) == pytest.approx([1] * 15, abs=1e-12)
    assert listed(flows.visits) == pytest.approx(inward, abs=1e-12)
    marginals = seconds(session, *two_trees().domain.names)
    assert marginals == pytest.approx([0.1, 0.36, 0.51, 0.2, 0.8, 0.7, 0.58, 0.566], abs=1e-12)
    assert 2 ** session.log2_most_probable() == pytest.approx(0.048384, abs=1e-12)
    cases = all_cases(two_trees().domain)
    logs = two_trees().log2_probabilities(cases)
    assert (logs > np.log2(0.048384) - 1e-9).sum() == 4  # X2 and X7 may be either
    states = session.most_probable()
    assert [states[f"X{i}"] for i in (0, 1, 3, 4, 5, 6)] == ["s0", "s0", "s0", "s1", "s1", "s0"]


def test_flows_with_evidence_are_the_worked_ones() -> None:
    session = asked(two_trees(), X3="s1", X7="s0")
    assert 2 ** session.log2_evidence() == pytest.approx(0.0868, abs=1e-12)
    flows = session.node_flows()
    outward = [0.2, 0.17, 0.47, 1, 1, 0.1, 0.2, 0.5, 0.434, 0.44, 0.41, 1, 1, 0.5, 0.2]
    inward = [0.434, 0.3906, 0.0434, 0.066402, 0.020398, 0.11718, 0.27776, 0.03906, 0.2, 0.16]
    inward += [0.04, 0.064, 0.0228, 0.156, 0.044]
    assert listed(flows.out_flow) == pytest.approx(outward, abs=1e-12)
    assert listed(flows.in_flow) == pytest.approx(inward, abs=1e-12)
    wanted = [0.235, 0.36, 0.5235, 0.81105991, 0.76497696, 0.53133641]
    result = seconds(session, "X0", "X1", "X2", "X4", "X5", "X6")
    assert result == pytest.approx(wanted, abs=1e-8)


def test_a_node_that_cannot_be_reached_divides_nothing() -> None:
    session = asked(two_trees(), X1="s1", X6="s0")
    assert 2 ** session.log2_evidence() == pytest.approx(0.1512, abs=1e-12)
    wanted = [0.25, 0.525, 0.2, 0.95238095, 0.92857143, 0.51571429]
    result = seconds(session, "X0", "X2", "X3", "X4", "X5", "X7")
    assert result == pytest.approx(wanted, abs=1e-8)
    assert session.node_flows().in_flow[3][1] == 0.0


def test_the_function_of_a_node_is_the_worked_one() -> None:
    # f^ν(de*) = P(de* | Path(ν)), and ν9 is reached by X4 = 1: 0.8 · 0.6 · 0.5
    below = asked(two_trees(), X4="s1", X5="s1", X6="s0", X7="s1").log2_evidence()
    assert 2 ** (below - asked(two_trees(), X4="s1").log2_evidence()) == pytest.approx(0.24)


def test_the_first_figure_of_the_paper() -> None:
    """Jaeger et al. 2006, Fig. 1, as far as it can be read: a row and the partition by V4."""
    graph = graph_of(
        Domain.of({f"X{i}": "01" for i in range(1, 7)}),
        {"X2": "X1", "X3": "X1", "X4": "X3", "X5": "X4", "X6": "X4"},
        {
            "X1": [[0.3, 0.7]],
            "X2": [[0.5, 0.5], [0.8, 0.2]],
            "X3": [[0.5, 0.5], [0.4, 0.6]],
            "X4": [[0.1, 0.9], [0.3, 0.7], [0.6, 0.4]],
            "X5": [[0.1, 0.9]],
            "X6": [[0.8, 0.2]],
        },
        {
            "X2": [[0, 1]],
            "X3": [[0, 1]],
            "X4": [[1, 0], [2, 0]],
            "X5": [[0, 0]] * 3,
            "X6": [[0, 0]] * 3,
        },
    )
    session = asked(graph, X1="1", X2="0", X3="1", X4="1", X5="0", X6="0")
    assert 2 ** session.log2_evidence() == pytest.approx(0.024192, abs=1e-8)
    cases = all_cases(graph.domain)
    first, third = (cases.codes[i].astype(bool) for i in (0, 2))
    parts = {frozenset(np.flatnonzero(part)) for part in (third, ~first & ~third, first & ~third)}
    reached = graph.reached_nodes(cases)[3]
    assert {frozenset(np.flatnonzero(reached == node)) for node in range(3)} == parts


def test_the_medical_example() -> None:
    graph = medical()
    prior = DecisionGraphSession(graph)
    assert prior.belief("F").values[0] == pytest.approx(0.47, abs=1e-12)
    assert prior.belief("D").values[0] == pytest.approx(0.4, abs=1e-12)
    session = asked(graph, D="p")
    assert session.belief("H").values == pytest.approx([0.165, 0.135, 0.7], abs=1e-12)
    assert session.belief("F").values[0] == pytest.approx(0.2375, abs=1e-12)
    session = asked(graph, D="p", F="p")
    wanted = [0.221052632, 0.189473684, 0.589473684]
    assert session.belief("H").values == pytest.approx(wanted, abs=1e-9)


def test_evidence_in_one_tree_says_nothing_about_the_other() -> None:
    prior = DecisionGraphSession(two_trees())
    session = asked(two_trees(), X3="s1", X1="s0")
    for name in ("X4", "X5", "X6", "X7"):
        assert session.belief(name).values == pytest.approx(prior.belief(name).values, abs=1e-15)


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_answers_are_those_of_brute_force(seed: int, data: st.DataObject) -> None:
    graph = random_graph(np.random.default_rng(seed), 6, zeros=0.3)
    prior = DecisionGraphSession(graph).node_flows()
    for inward, outward in zip(prior.in_flow, prior.out_flow, strict=True):
        assert outward == pytest.approx(1, abs=1e-12)
        assert inward.sum() == pytest.approx(1, abs=1e-12)
    session, slow = DecisionGraphSession(graph), BruteForceSession(graph)
    chosen = data.draw(st.lists(st.sampled_from(graph.domain.names), unique=True, max_size=4))
    evidence = {name: data.draw(findings(graph.domain[name])) for name in chosen}
    try:
        slow.set_all(evidence)
    except ImpossibleEvidenceError:
        with pytest.raises(ImpossibleEvidenceError):
            session.set_all(evidence)
        assert session.evidence == {}
        return
    session.set_all(evidence)
    assert session.log2_evidence() == pytest.approx(slow.log2_evidence(), abs=1e-11)
    assert session.log2_most_probable() == pytest.approx(slow.log2_most_probable(), abs=1e-11)
    for name in graph.domain.names:
        assert session.belief(name).values == pytest.approx(slow.belief(name).values, abs=1e-12)
    pair = list(graph.domain.names[:2])
    assert session.joint(pair) == pytest.approx(slow.joint(pair), abs=1e-12)
    flows, total = session.node_flows(), 2 ** session.log2_evidence()
    for inward, outward in zip(flows.in_flow, flows.out_flow, strict=True):
        assert inward @ outward == pytest.approx(total, abs=1e-12)  # Σ ifl · ofl = P(e), each i


def test_parity_of_many_variables_is_answered() -> None:
    graph = parity(400)
    session = asked(graph, **{f"X{i}": "s1" for i in range(1, 400)})
    assert session.belief("X0").values.tolist() == [0.0, 1.0]
    assert session.log2_evidence() == pytest.approx(-399, abs=1e-9)


def test_nothing_can_be_set_from_outside() -> None:
    with pytest.raises(GraphError, match="observe it instead"):
        DecisionGraphSession(medical()).set_evidence("F", Done("p"))
