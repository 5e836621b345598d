"""PC: the lecture's examples, exact oracles, knowledge, conflicts and the log of tests."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, ParameterError, UnknownNameError
from pgmstudio.core.execution.events import NEVER, Note, Progress, StopSwitch
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, completed, cpdag_of, oriented
from pgmstudio.core.languages.bayesian_network.learning.constraint_based import pc as pc_network
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.orientation import (
    oriented_skeleton,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    PcLearner,
    PcParams,
    PcResult,
    pc_result,
    pc_search,
    with_small_tables,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    LoggedTest,
    Skeleton,
    StatedIndependencies,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.independence import IndependenceTester, Outcome
from tests.core.learning.lecture_data import CORONARY, K2_DEMO, LECTURE_ORACLE


def by_oracle(tester: IndependenceTester, knowledge: Knowledge | None = None) -> PcResult:
    return run_to_end(pc_search(tester, knowledge))


def joined(result: PcResult) -> set[str]:
    return {"".join(edge) for edge in result.skeleton.edges}


def test_the_example_of_the_lecture_is_directed_throughout() -> None:
    # relational-and-possibilistic.md, §13, 14
    result = by_oracle(LECTURE_ORACLE)
    assert set(result.pdag.directed) == {("A", "C"), ("B", "C"), ("C", "D")}
    assert result.pdag.undirected == ()
    assert result.sepsets[frozenset("AB")] == ()
    assert result.sepsets[frozenset("AD")] == ("C",)


def test_the_example_can_be_typed_in_place_of_tests() -> None:
    rows = DataSet.from_rows(Domain.of(dict.fromkeys("ABCD", "01")), [("0",) * 4, ("1",) * 4])
    typed = "A ⊥ B; A _||_ D | C\n B⊥D|C"
    *_, last = PcLearner().run(
        rows, PcParams(stated=typed), rng=np.random.default_rng(0), cancel=NEVER
    )
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    assert set(last.model.edges) == {("A", "C"), ("B", "C"), ("C", "D")}
    with pytest.raises(ParameterError) as wrong:
        pc_result(rows, PcParams(stated="A ⊥ B; A; B ⊥ Q | R"))
    assert wrong.value.problems["stated"] == (
        "“A” is not a statement; write A ⊥ B or A _||_ B | C, D. "
        "“B ⊥ Q | R” names Q, R, which is not a column."
    )


@pytest.mark.parametrize(
    ("alpha", "edges"),
    [(0.05, {"AC", "AD", "AE", "BC", "BE", "DE"}), (0.01, {"AC", "AD", "AE", "BC", "DE"})],
)
def test_the_skeletons_of_the_coronary_table(alpha: float, edges: set[str]) -> None:
    # §13, 15, as the next but one
    result = pc_result(CORONARY, PcParams(alpha=alpha, max_condition=None))
    assert joined(result) == edges


def test_conflicting_v_structures_of_the_coronary_table_are_reported() -> None:
    result = pc_result(CORONARY, PcParams(alpha=0.05))
    asked = {*result.orientation.colliders, *(c.collider for c in result.orientation.conflicts)}
    assert {frozenset((a, b)) for a, k, b in asked if k == "A"} == {
        frozenset("CD"),
        frozenset("CE"),
    }
    assert {frozenset((a, b)) for a, k, b in asked if k == "E"} == {
        frozenset("AB"),
        frozenset("BD"),
    }
    (conflict,) = result.orientation.conflicts
    assert {"A", "E"} <= {*conflict.collider}
    assert "has stronger support" in str(conflict)
    run = PcLearner().run(CORONARY, PcParams(), rng=np.random.default_rng(0), cancel=NEVER)
    assert any(isinstance(e, Note) and e.message.startswith("Tests disagree") for e in run)


def test_the_demo_table_of_k2_has_four_edges_without_direction() -> None:
    # §13, 15
    result = pc_result(K2_DEMO, PcParams(alpha=0.05))
    assert {frozenset(edge) for edge in result.pdag.undirected} == {
        frozenset(("L", "KA")),
        frozenset(("L", "KV")),
        frozenset(("KA", "KV")),
        frozenset(("L", "M")),
    }
    assert result.pdag.directed == ()
    assert result.orientation.colliders == ()
    assert result.sepsets[frozenset(("KA", "M"))] == ("L",)
    assert result.sepsets[frozenset(("M", "KV"))] == ("L",)


def test_each_rule_of_direction_on_its_smallest_graph() -> None:
    # §13, 16
    def known(undirected: list[str], *edges: str) -> set[str]:
        names = tuple("ijkl")
        free = Pdag.from_edges(names, [], [(edge[0], edge[1]) for edge in undirected])
        result = oriented(free, [(names.index(edge[0]), names.index(edge[1])) for edge in edges])
        assert result is not None
        return {a + b for a, b in result.directed}

    # R1: i → j – k.  R2: i → k → j and i – j.
    assert known(["ij", "jk"], "ij") == {"ij", "jk"}
    assert known(["ij", "ik", "kj"], "ik", "kj") == {"ij", "ik", "kj"}
    # R3: i – k → j ← l – i and i – j.
    adjacent = Pdag.from_edges("ijkl", [], ["ij", "ik", "il", "kj", "lj"]).adjacent_masks  # type: ignore[list-item]
    result = completed(tuple("ijkl"), [0, 0b1100, 0, 0], adjacent)
    assert {a + b for a, b in result.directed} == {"kj", "lj", "ij"}
    # R4: i – k → l → j, i – l and i – j, k and j apart.
    assert "ij" in known(["ij", "ik", "il", "kl", "lj"], "kl", "lj")


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(3, 6), st.data())
def test_tests_that_err_still_give_a_graph_that_obeys_every_rule(
    seed: int, nodes: int, draw: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(nodes)]
    pairs = list(itertools.combinations(names, 2))
    stated = [
        (a, b, [n for n in names if n not in (a, b) and rng.random() < 0.3])
        for a, b in pairs
        for _ in range(3)
        if rng.random() < 0.5
    ]
    arcs = list(itertools.permutations(names, 2))
    order = draw.draw(st.permutations(names))
    required = draw.draw(st.sets(st.sampled_from(list(itertools.pairwise(order))), max_size=2))
    forbidden = draw.draw(st.sets(st.sampled_from(arcs), max_size=8)) - required
    rules = Knowledge(frozenset(required), frozenset(forbidden))
    result = by_oracle(StatedIndependencies(names, stated), rules)
    dropped = {frozenset(edge) for edge in result.orientation.dropped}
    assert rules.violations(result.dag.edges) == []
    kept = {frozenset(edge) for edge in result.skeleton.edges} - dropped
    assert {frozenset(edge) for edge in result.dag.edges} == kept
    assert {*result.pdag.directed} <= {*result.dag.edges}
    for a, k, b in result.orientation.colliders:
        assert {(a, k), (b, k)} <= {*result.dag.edges}


def test_directions_that_the_rules_force_round_a_cycle_lose_the_weakest_edge() -> None:
    forbidden = frozenset({("b", "a"), ("c", "b"), ("a", "c")})
    result = by_oracle(StatedIndependencies("abc", []), Knowledge(forbidden=forbidden))
    assert len(result.orientation.dropped) == 1
    assert len(result.dag.edges) == 2
    kept = by_oracle(
        StatedIndependencies("abc", []),
        Knowledge(required=frozenset({("a", "b"), ("b", "c")}), forbidden=forbidden),
    )
    assert kept.orientation.dropped == (("c", "a"),)


def test_an_undirected_ring_without_chords_becomes_a_network_nevertheless() -> None:
    ring = StatedIndependencies("abcd", [("a", "c", "bd"), ("b", "d", "ac")])
    result = by_oracle(ring)
    assert not result.orientation.consistent
    assert len(result.dag.edges) == 4
    assert len(result.dag.v_structures) == 1
    assert result.pdag == cpdag_of(result.dag)


def test_pairs_that_rules_decide_are_not_tested() -> None:
    rules = Knowledge(
        required=frozenset({("A", "F")}), forbidden=frozenset({("B", "C"), ("C", "B")})
    )
    result = pc_result(CORONARY, PcParams(knowledge=rules))
    assert result.tests_about("A", "F") == ()
    assert result.tests_about("C", "B") == ()
    assert ("A", "F") in result.dag.edges
    assert not {("B", "C"), ("C", "B")} & {*result.dag.edges}
    assert result.why("A", "F") == "A – F was not tested; the rules decide."


def test_nothing_of_a_later_tier_is_conditioned_on() -> None:
    result = pc_result(CORONARY, PcParams(knowledge=Knowledge(tiers=(("A", "B", "C"), ("D", "E")))))
    for test in result.tests:
        if {test.a, test.b} <= {"A", "B", "C"}:
            assert not {"D", "E"} & {*test.given}


def test_the_log_answers_why_there_is_no_edge() -> None:
    result = pc_result(CORONARY, PcParams(alpha=0.05))
    tests = result.tests_about("B", "A")
    assert tests == result.tests_about("A", "B")
    assert tests[0].given == ()
    *before, last = tests
    assert last.given == result.sepsets[frozenset("AB")]
    assert last.outcome.p_value > 0.05
    assert all(test.outcome.p_value <= 0.05 for test in before)
    assert result.why("A", "B").startswith("There is no edge: A ⊥ B | C: p = 0.05")
    assert result.why("A", "C").startswith("There is an edge: none of")
    with pytest.raises(UnknownNameError, match="Did you mean"):
        result.tests_about("A", "BC")


def test_no_condition_is_larger_than_the_limit() -> None:
    for most in (0, 1):
        result = pc_result(CORONARY, PcParams(max_condition=most))
        assert max(test.level for test in result.tests) == most


@settings(max_examples=15)
@given(st.permutations("ABCDEF"), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_order_of_columns_does_not_change_which_edges_stay(
    names: list[str], alpha: float
) -> None:
    params = PcParams(alpha=alpha)
    one = pc_result(CORONARY, params)
    other = pc_result(CORONARY.select_columns(names), params)
    edges = {frozenset(edge) for edge in one.skeleton.edges}
    assert {frozenset(edge) for edge in other.skeleton.edges} == edges


def faithful_network() -> BayesianNetwork:
    """a → c ← b, c → d, c → e, d → f ← e, all noisy and far from independence."""
    domain = Domain.of(dict.fromkeys("abcdef", ("0", "1")))
    edges = [("a", "c"), ("b", "c"), ("c", "d"), ("c", "e"), ("d", "f"), ("e", "f")]
    dag = Dag.from_edges(domain.names, edges)

    def rows(*ones: float) -> Any:
        table = np.array([[1 - one, one] for one in ones])
        return table.reshape((2,) * (len(ones).bit_length() - 1) + (2,))

    tables = (
        rows(0.4),
        rows(0.5),
        rows(0.1, 0.4, 0.6, 0.95),
        rows(0.15, 0.7),
        rows(0.3, 0.85),
        rows(0.1, 0.55, 0.4, 0.9),
    )
    return BayesianNetwork(domain, dag, tables)


@pytest.mark.parametrize("test", ["g2", "chi2", "bic"])
def test_many_rows_of_a_faithful_network_give_its_class_back(test: str) -> None:
    network = faithful_network()
    hits = 0
    for seed in range(10):
        rows = network.sample(20_000, np.random.default_rng(seed))
        result = pc_result(rows, PcParams(test=test, alpha=0.001))
        hits += result.pdag == cpdag_of(network.dag)
    assert hits >= 9


def test_the_information_threshold_keeps_what_has_more_information() -> None:
    rows = faithful_network().sample(20_000, np.random.default_rng(0))
    result = pc_result(rows, PcParams(test="info_gain", epsilon=0.01))
    for test in result.tests:
        assert test.outcome.independent is (test.outcome.statistic <= 0.01)
    assert {frozenset(e) for e in result.skeleton.edges} == {
        frozenset(e) for e in faithful_network().dag.skeleton
    }


def test_most_edges_of_alarm_come_back(shared: Path) -> None:
    from pgmstudio.core.io.models.files import read_model

    network = read_model(shared / "data/networks/alarm.bif").model
    assert isinstance(network, BayesianNetwork)
    rows = network.sample(10_000, np.random.default_rng(1))
    result = {frozenset(edge) for edge in pc_result(rows, PcParams()).skeleton.edges}
    true = {frozenset(edge) for edge in network.dag.skeleton}
    assert len(result & true) >= 40
    assert len(result - true) <= 2


def test_the_learner_reports_levels_and_ends_with_its_graph() -> None:
    params = PcParams(smoothing=1.0)
    events = list(PcLearner().run(CORONARY, params, rng=np.random.default_rng(0), cancel=NEVER))
    levels = [e.counters["level"] for e in events if isinstance(e, Progress) and e.counters]
    assert levels == sorted(levels)
    result = pc_result(CORONARY, params)
    last = events[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    assert last.model.dag == result.dag
    assert last.measures["tests"] == len(result.tests)
    notes = [event.message for event in events if isinstance(event, Note)]
    assert notes[0] == (
        f"{len(result.tests)} tests, 6 edges; weakest kept edge B – E, p = 0.0402 given C."
    )


def test_a_stop_is_heard_between_two_tests() -> None:
    switch = StopSwitch()
    asked = 0

    class Counting:
        names = tuple("abcdefgh")

        def test(self, *_: object) -> Outcome:
            nonlocal asked
            asked += 1
            if asked == 10:
                switch.cancel()
            return Outcome(0.0, 1, 0.0, 1.0, independent=False, reliable=True)

    with pytest.raises(Cancelled):
        run_to_end(pc_search(Counting(), cancel=switch))
    assert asked == 10


def test_a_table_of_too_many_cells_loses_its_weakest_parents() -> None:
    names = tuple("abcdx")
    dag = Dag.from_edges(names, [(n, "x") for n in "abcd"])
    p_values = dict(zip("abcd", (0.01, 0.04, 0.02, 0.03), strict=True))
    tests = tuple(
        LoggedTest(n, "x", (), Outcome(9.0, 1, p, 0.1, independent=False, reliable=True))
        for n, p in p_values.items()
    )
    adjacent = (*[1 << 4] * 4, 0b1111)
    skeleton = Skeleton(names, adjacent, {}, tests)
    free = EdgeRules.of(names, None, None)
    smaller, gone = with_small_tables(dag, (20, 20, 20, 20, 2), skeleton, free)
    assert gone == [("b", "x")]
    assert smaller.parents("x") == ("a", "c", "d")
    bound = EdgeRules.of(names, Knowledge(required=frozenset({("b", "x")})), None)
    _, gone = with_small_tables(dag, (20, 20, 20, 20, 2), skeleton, bound)
    assert gone == [("d", "x")]


def test_tests_left_out_keep_the_edge_and_are_reported() -> None:
    wide = DataSet(
        Domain.of({n: [str(i) for i in range(120)] for n in "abc"}),
        np.random.default_rng(0).integers(0, 120, (1, 400)).repeat(3, axis=0).astype(np.uint8),
    )
    result = pc_result(wide, PcParams(test="chi2"))
    assert result.skeleton.left_out == 3
    assert len(result.skeleton.edges) == 3
    run = PcLearner().run(
        wide.take_rows(slice(0, 50)),
        PcParams(test="chi2", smoothing=1.0),
        rng=np.random.default_rng(0),
        cancel=NEVER,
    )
    assert any("3 tests left out because of too large tables" in str(event) for event in run)


def test_a_skeleton_without_tests_can_be_directed() -> None:
    rules = EdgeRules.of(tuple("ab"), Knowledge(forbidden=frozenset({("a", "b")})), None)
    result = oriented_skeleton(Skeleton(tuple("ab"), (0b10, 0b01)), rules)
    assert result.dag.edges == (("b", "a"),)


def test_edges_that_are_left_out_for_large_tables_are_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pc_network, "MAX_TABLE_CELLS", 6)
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 2000))
    noisy = np.where(rng.random(2000) < 0.1, rng.integers(0, 2, 2000), a ^ b)
    codes = np.array([a, b, noisy + (a & b)], dtype=np.uint8)
    data = DataSet(Domain.of({"a": "01", "b": "01", "c": "012"}), codes)
    *_, last = PcLearner().run(data, PcParams(), rng=rng, cancel=NEVER)
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    assert last.measures["edges"] == last.measures["directed_edges"] == len(last.model.edges) == 1
