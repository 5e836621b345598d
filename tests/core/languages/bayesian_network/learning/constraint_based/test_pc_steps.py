"""The steps of PC: tests, v-structures and Meek's rules, one after the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.pdag import rule_steps
from pgmstudio.core.languages.bayesian_network.learning.constraint_based import pc_steps
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.orientation import (
    DirectionStep,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    PcParams,
    PcResult,
    pc_result,
    pc_search,
    stated_steps,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc_steps import PcSteps
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.independence import IndependenceRule
from tests.core.learning.lecture_data import CORONARY, K2_DEMO, DagOracle
from tests.strategies import random_dag

LECTURE = "A ⊥ B; A ⊥ D | C; B ⊥ D | C"


def steps_of(result: PcResult, rule: IndependenceRule | None = None) -> PcSteps:
    rules = EdgeRules.of(result.skeleton.names, None, None)
    return PcSteps.of(result.skeleton, result.orientation, rule or IndependenceRule(), rules)


def replayed(steps: PcSteps) -> tuple[set[frozenset[str]], set[tuple[str, str]]]:
    """The edges after all steps, without looking at the result."""
    longer = replace(steps, directions=(*steps.directions, DirectionStep("rules", (), "")))
    undirected, directed = longer.edges_before(len(steps))
    return set(map(frozenset, undirected)), set(directed)


def test_the_example_of_the_lecture_step_by_step() -> None:
    # Specification, check 14; the order of the lecture: skeleton, A → C ← B, then C → D by R1.
    steps = stated_steps(LECTURE)
    removed = [test.statement for test in steps.tests if test.outcome.independent]
    assert removed == ["A ⊥ B", "A ⊥ D | C", "B ⊥ D | C"]
    assert [test.level for test in steps.tests] == sorted(test.level for test in steps.tests)
    assert [(step.rule, step.edges) for step in steps.directions] == [
        ("v-structure", (("A", "C"), ("B", "C"))),
        ("R1", (("C", "D"),)),
    ]
    assert steps.directions[0].reason == "C is not in S(A, B) = ∅"
    assert len(steps.start) == 6
    undirected, directed = steps.edges_before(len(steps.tests))
    assert set(map(frozenset, undirected)) == {*map(frozenset, ("AC", "BC", "CD"))}
    assert directed == []
    assert set(steps.directed) == {("A", "C"), ("B", "C"), ("C", "D")}
    assert steps.undirected == ()


def test_variables_without_a_statement_can_be_named() -> None:
    assert stated_steps("a _||_ b").names == ("a", "b")
    steps = stated_steps("a _||_ b", "c, a, b")
    assert steps.names == ("c", "a", "b")
    assert set(steps.directed) == {("a", "c"), ("b", "c")}
    with pytest.raises(ParameterError, match="names b, which is not"):
        stated_steps("a ⊥ b", "a, c")
    with pytest.raises(ParameterError, match="“a ⊥” is not a statement"):
        stated_steps("a ⊥ b; a ⊥")
    with pytest.raises(ParameterError, match="at least one"):
        stated_steps("  ")


def test_the_demo_table_of_k2_has_no_direction() -> None:
    # Check 15: L–KA, L–KV, KA–KV, L–M, with S(KA,M) = S(M,KV) = {L}.
    steps = steps_of(pc_result(K2_DEMO, PcParams()))
    assert steps.directions == ()
    assert set(map(frozenset, steps.undirected)) == {
        frozenset(pair) for pair in (("L", "KA"), ("L", "KV"), ("KA", "KV"), ("L", "M"))
    }
    sets = {frozenset((t.a, t.b)): t.given for t in steps.tests if t.outcome.independent}
    assert sets == {frozenset(("KA", "M")): ("L",), frozenset(("M", "KV")): ("L",)}


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(2, 7), st.sampled_from([0.2, 0.4, 0.6]))
def test_the_steps_lead_to_the_class_of_any_graph(seed: int, count: int, density: float) -> None:
    dag = random_dag(np.random.default_rng(seed), [f"v{i}" for i in range(count)], density)
    result = run_to_end(pc_search(DagOracle(dag)))
    undirected, directed = replayed(steps_of(result))
    assert undirected == set(map(frozenset, result.pdag.undirected))
    assert directed == set(result.pdag.directed)


def test_conflicts_are_steps_that_direct_nothing() -> None:
    # Specification §10: candidates at α = 0.05 conflict on A – E.
    steps = steps_of(pc_result(CORONARY, PcParams()))
    conflicts = [step for step in steps.directions if step.rule == "conflict"]
    assert conflicts
    index = len(steps.tests) + steps.directions.index(conflicts[0])
    before, after = steps.edges_before(index), steps.edges_before(index + 1)
    assert [*map(set, before)] == [*map(set, after)]
    assert PcSteps.restored(steps.plain()) == steps
    head, rows = steps.table()
    assert len(rows) == len(steps)
    assert {len(row) for row in rows} == {len(head)}


def test_a_long_search_keeps_the_tests_that_removed_an_edge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = steps_of(pc_result(CORONARY, PcParams()))
    monkeypatch.setattr(pc_steps, "MAX_TESTS", 5)
    short = steps_of(pc_result(CORONARY, PcParams()))
    assert short.made == whole.made == len(whole.tests)
    assert short.tests == tuple(test for test in whole.tests if test.outcome.independent)
    assert replayed(short) == replayed(whole)


@pytest.mark.parametrize(
    ("rule", "directed", "undirected", "expected", "others"),
    [
        (1, ["ab"], ["bc"], "bc", "a"),
        (2, ["ac", "cb"], ["ab"], "ab", "c"),
        (3, ["cb", "db"], ["ab", "ac", "ad"], "ab", "cd"),
        (4, ["cd", "db"], ["ab", "ac", "ad"], "ab", "cd"),
    ],
)
def test_each_rule_of_meek_directs_its_edge(
    rule: int, directed: list[str], undirected: list[str], expected: str, others: str
) -> None:
    # Specification, check 16.
    parents, adjacent = [0] * 4, [0] * 4
    for a, b in (*directed, *undirected):
        adjacent["abcd".index(a)] |= 1 << "abcd".index(b)
        adjacent["abcd".index(b)] |= 1 << "abcd".index(a)
    for a, b in directed:
        parents["abcd".index(b)] |= 1 << "abcd".index(a)
    result = [("abcd"[s.source] + "abcd"[s.target], s) for s in rule_steps(parents, adjacent)]
    step = dict(result)[expected]
    assert step.rule == rule
    assert "".join("abcd"[i] for i in step.others) == others
