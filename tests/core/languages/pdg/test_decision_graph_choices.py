"""Steps on a decision graph: when a node is reached, what a step brings, the best one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    OperationEffect,
    ScoreWeight,
    all_steps,
    best_step,
    merges_of,
    operation_effect,
    redirections_from,
    redirections_to,
    whole_rows,
)
from pgmstudio.core.languages.pdg.measures import (
    fitted_log2_likelihood,
    fitted_where_changed,
    node_counts,
    refitted,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.node_facts import is_under, paths_through, reach_rules
from tests.decision_graphs import medical, parity, random_graph, two_trees


def every_row(graph: DecisionGraph) -> DataSet:
    states = [range(card) for card in graph.domain.cardinalities]
    return DataSet(graph.domain, np.array(list(product(*states)), dtype=np.uint8).T)


def _holds(graph: DecisionGraph, rows: DataSet, parts: object) -> np.ndarray:
    assert isinstance(parts, tuple)
    mask = np.ones(rows.row_count, dtype=bool)
    for name, states in parts:
        i = graph.domain.index(name)
        codes = [graph.domain[name].code(state) for state in states]
        mask &= np.isin(rows.codes[i], codes)
    return mask


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_exactly_one_rule_holds_for_a_row_that_comes_to_the_node_and_none_for_others(
    seed: int,
) -> None:
    graph = random_graph(np.random.default_rng(seed), 5)
    rows = every_row(graph)
    reached = graph.reached_nodes(rows)
    for i, name in enumerate(graph.domain.names):
        for node in range(graph.node_counts[i]):
            result = reach_rules(graph, name, node, most=10_000)
            assert result.count == len(result.rules)
            holding = sum(_holds(graph, rows, rule.parts).astype(int) for rule in result.rules)
            np.testing.assert_array_equal(holding, (reached[i] == node).astype(int))


def test_a_variable_that_makes_no_difference_is_not_named() -> None:
    graph = two_trees()
    assert reach_rules(graph, "X0", 0).rules[0].text == "always"
    texts = [rule.text for rule in reach_rules(graph, "X1", 1).rules]
    assert texts == ["X0 = s1"]


def test_of_many_rules_the_first_are_reported_and_all_are_counted() -> None:
    result = reach_rules(parity(9), "X8", 0, most=6)
    assert len(result.rules) == 6
    assert result.count == 2**7


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_paths_through_a_node_are_those_of_rows_that_come_to_it(seed: int) -> None:
    graph = random_graph(np.random.default_rng(seed), 5, zeros=0.0)
    reached = graph.reached_nodes(every_row(graph))
    for i, name in enumerate(graph.domain.names):
        for node in range(graph.node_counts[i]):
            lit = paths_through(graph, name, node)
            here = reached[i] == node
            for other, mask in lit.items():
                seen = np.zeros(graph.node_counts[other], dtype=bool)
                seen[np.unique(reached[other][here])] = True
                np.testing.assert_array_equal(mask, seen)


def test_what_stands_under_a_variable_is_it_and_all_below() -> None:
    graph = two_trees()
    at = graph.domain.index
    assert is_under(graph, at("X3"), at("X0"))
    assert is_under(graph, at("X0"), at("X0"))
    assert not is_under(graph, at("X5"), at("X0"))


@given(st.integers(0, 10_000))
@settings(max_examples=10)
def test_a_prospect_reports_what_the_step_does_to_likelihood_and_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 4)
    rows = graph.sample(150, rng)
    before = fitted_log2_likelihood(graph, rows)
    for step in list(all_steps(graph))[:20]:
        result = operation_effect(graph, step, rows)
        if result.refusal:
            with pytest.raises(GraphError):
                step.done(graph)
            continue
        after = step.done(graph)
        assert result.bits == pytest.approx(fitted_log2_likelihood(after, rows) - before, abs=1e-9)
        assert result.size == after.effective_size() - graph.effective_size()
        assert result.free == after.representation_size() - graph.representation_size()


def test_merges_from_counts_are_what_merging_does() -> None:
    graph = two_trees()
    rows = graph.sample(400, np.random.default_rng(3))
    counts = node_counts(graph, rows)
    for one in merges_of(graph, "X3", 0, counts):
        again = operation_effect(graph, one.step, rows)
        assert one.bits == pytest.approx(again.bits)
        assert (one.size, one.free) == (again.size, again.free)


def test_a_merge_that_cannot_be_reports_why() -> None:
    graph = two_trees()
    (one,) = merges_of(graph, "X1", 0, None)
    assert "cannot be merged" in one.refusal


def test_without_rows_a_merge_reports_what_the_model_expects_to_lose() -> None:
    graph = two_trees()
    result = merges_of(graph, "X3", 0, None)
    assert all(one.bits is not None and one.bits <= 0 for one in result)
    assert operation_effect(graph, next(redirections_to(graph, "X3", 0)), None).bits is None


def test_redirections_lead_every_other_arc_here_and_every_own_arc_elsewhere() -> None:
    graph = medical()
    here = list(redirections_to(graph, "D", 0))
    assert {(s.upper, s.state) for s in here} == {(1, 0), (1, 1), (2, 0), (2, 1)}
    away = list(redirections_from(graph, "F", 0))
    assert len(away) == 2 * 4
    assert all(s.variable == "D" and s.upper == 0 for s in away)


def test_the_score_weighs_by_lambda_or_as_bic() -> None:
    one = OperationEffect(CandidateOperation(Operation.SPLIT, "X", 0), bits=10.0, size=4, free=2)
    assert one.score(ScoreWeight(1024.0)) == pytest.approx(10 - 0.5 * 10 * 2)
    assert one.score(ScoreWeight(1024.0, 0.25)) == pytest.approx(0.75 * 10 - 0.25 * 4)


def test_the_best_step_raises_the_score_most_of_all_and_steps_come_to_an_end() -> None:
    truth = medical()
    rows = truth.sample(600, np.random.default_rng(2))
    weight = ScoreWeight(rows.total_weight)
    graph = truth
    scores = []
    for _ in range(20):
        result = best_step(graph, rows, weight)
        if result is None:
            break
        score = result.score(weight)
        assert score is not None
        assert score > 0
        others = [
            operation_effect(graph, step, rows).score(weight) or 0.0 for step in all_steps(graph)
        ]
        assert score == pytest.approx(max(others))
        scores.append(score)
        graph = fitted_where_changed(graph, result.step.done(graph), rows)
    assert scores
    assert best_step(graph, rows, weight) is None


def test_only_nodes_with_other_rows_are_fitted_anew() -> None:
    graph = two_trees()
    rows = graph.sample(500, np.random.default_rng(4))
    step = CandidateOperation(Operation.MERGE, "X3", 0, 1)
    after = fitted_where_changed(graph, step.done(graph), rows)
    i = graph.domain.index("X3")
    np.testing.assert_array_equal(after.parameters[i][1], graph.parameters[i][2])
    fitted = refitted(after, rows).parameters[i][0]
    np.testing.assert_allclose(after.parameters[i][0], fitted, atol=1e-3)
    for other in range(len(graph.domain)):
        if other != i:
            np.testing.assert_array_equal(after.parameters[other], graph.parameters[other])


def test_rows_with_missing_cells_are_left_out() -> None:
    graph = medical()
    rows = graph.sample(20, np.random.default_rng(1))
    codes = rows.codes.copy()
    codes[1, 3] = rows.missing_code
    assert whole_rows(graph, DataSet(graph.domain, codes)).row_count == 19


def test_a_node_that_gets_the_counts_of_another_is_fitted_to_them() -> None:
    domain = Domain.of({"A": ["seen", "never"], "B": ["no", "yes"]})
    graph = DecisionGraph(
        domain,
        (None, 0),
        (np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])),
        (None, np.array([[0, 1]])),
    )
    rows = graph.sample(40, np.random.default_rng(2))
    step = CandidateOperation(Operation.REDIRECT, "B", 1, upper=0, state=0)
    after = fitted_where_changed(graph, step.done(graph), rows)
    change = after.log2_probabilities(rows).sum() - graph.log2_probabilities(rows).sum()
    assert change == pytest.approx(operation_effect(graph, step, rows).bits, abs=0.1)
