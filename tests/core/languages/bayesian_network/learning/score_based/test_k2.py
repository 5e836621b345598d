"""K2: the trace of the lecture, orders, measures and knowledge."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import KnowledgeError, ParameterError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbLearner,
    HillClimbParams,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import (
    K2_MEASURES,
    K2Learner,
    K2Params,
    K2Trace,
    k2_search,
    order_of,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from tests.core.learning.lecture_data import CORONARY, K2_DEMO


def k2_trace(data: DataSet, params: K2Params, cancel: CancelToken = NEVER) -> K2Trace:
    """Every step of the search on the data with these settings."""
    return run_to_end(k2_search(data, params, cancel))


LN2 = math.log(2)

# relational-and-possibilistic.md, §7.6 and §13, 17: child, parents, their ln K2, and each trial's.
DEMO_STEPS = [
    ("KV", "", -689.639615, {"M": -644.033833, "KA": -525.771752, "L": -486.542040}, "L"),
    ("KV", "L", -486.542040, {"M": -491.081736, "KA": -428.000182}, "KA"),
    ("KV", "L KA", -428.000182, {"M": -435.468569}, None),
    ("M", "", -676.260900, {"KA": -648.524391, "L": -550.642759}, "L"),
    ("M", "L", -550.642759, {"KA": -555.011520}, None),
    ("KA", "", -696.376016, {"L": -572.735031}, "L"),
]


def trace(data: DataSet, **settings_: object) -> K2Trace:
    return k2_trace(data, K2Params(**settings_))  # type: ignore[arg-type]


def test_the_demo_of_the_lecture_step_by_step() -> None:
    result = trace(K2_DEMO)
    assert len(result.steps) == len(DEMO_STEPS)
    for step, expected in zip(result.steps, DEMO_STEPS, strict=True):
        child, parents, value, trials, added = expected
        assert step.child == child
        assert step.parents == tuple(parents.split())
        assert step.value * LN2 == pytest.approx(value, abs=1e-6)
        assert step.added == added
        nats = {trial.candidate: trial.value * LN2 for trial in step.trials}
        assert nats == pytest.approx(trials, abs=1e-6)
    assert result.total * LN2 == pytest.approx(-2227.638872, abs=1e-6)
    assert set(result.dag.edges) == {("L", "KV"), ("KA", "KV"), ("L", "M"), ("L", "KA")}


def test_with_one_parent_at_most_kv_gets_only_l() -> None:
    assert trace(K2_DEMO, max_parents=1).dag.parents("KV") == ("L",)


@settings(max_examples=25)
@given(st.permutations("ABCDEF"), st.integers(0, 4))
def test_parents_come_before_and_are_no_more_than_allowed(names: list[str], most: int) -> None:
    result = trace(CORONARY, order=",".join(names), max_parents=most)
    assert result.order == tuple(names)
    for source, target in result.dag.edges:
        assert names.index(source) < names.index(target)
    assert max(map(len, result.dag.parent_indices)) <= most


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_reverse_order_of_the_demo_still_gives_a_network(most: int) -> None:
    # §13, 18
    result = trace(K2_DEMO, order="KV,M,KA,L", max_parents=most)
    assert result.dag.parents("KV") == ()
    assert max(map(len, result.dag.parent_indices)) <= most
    assert len(result.dag.topological_order) == 4  # raises for a cycle


def test_no_search_does_better_than_all_graphs() -> None:
    # §10 and §13, 20: the best graph of all has ln K2 −6717.013666, and the empty one −7086.711016.
    scores = FamilyScores(CORONARY, score_of("k2", CORONARY.total_weight))
    best_after: dict[frozenset[int], float] = {frozenset(): 0.0}
    for size in range(1, 7):
        for chosen in itertools.combinations(range(6), size):
            members = frozenset(chosen)
            best_after[members] = max(
                best_after[members - {last}]
                + max(
                    scores.local(last, parents)
                    for count in range(size)
                    for parents in itertools.combinations(sorted(members - {last}), count)
                )
                for last in members
            )
    best = best_after[frozenset(range(6))]
    assert best * LN2 == pytest.approx(-6717.013666, abs=1e-6)
    assert scores.total([()] * 6) * LN2 == pytest.approx(-7086.711016, abs=1e-6)
    totals = [
        trace(CORONARY, order=",".join(names)).total
        for names in itertools.islice(itertools.permutations("ABCDEF"), 0, None, 17)
    ]
    assert max(totals) <= best + 1e-9
    for seed in range(3):
        climbing = HillClimbParams(score="k2", restarts=seed)
        rng = np.random.default_rng(seed)
        *_, last = HillClimbLearner().run(CORONARY, climbing, rng=rng, cancel=NEVER)
        assert isinstance(last, Finished)
        assert isinstance(last.model, BayesianNetwork)
        assert scores.total(last.model.dag.parent_indices) <= best + 1e-9


def test_the_score_of_no_rows_and_of_three() -> None:
    # §13, 19
    one = DataSet(Domain.of({"x": ("0", "1")}), np.array([[0, 0, 1]], dtype=np.uint8))
    assert trace(one).total * LN2 == pytest.approx(-2.484907, abs=1e-6)  # 1!/4! · 2! · 1! = 1/12
    none = DataSet(one.domain, np.zeros((1, 0), dtype=np.uint8))
    assert trace(none).total == 0


@pytest.mark.parametrize("measure", K2_MEASURES)
def test_every_measure_gives_a_network_and_only_steps_that_gain(measure: str) -> None:
    result = trace(CORONARY, measure=measure, max_parents=2)
    assert result.measure == measure
    for step in result.steps:
        values = [trial.value for trial in step.trials]
        if step.added is None:
            assert len(step.parents) == 2 or max(values) <= step.value + 1e-9
        else:
            assert step.value_after == max(values) > step.value


def test_a_measure_without_a_price_fills_up_to_the_most_parents() -> None:
    filled = trace(CORONARY, measure="info_gain", max_parents=2)
    assert [len(parents) for parents in filled.dag.parent_indices] == [0, 1, 2, 2, 2, 2]


def test_half_the_price_of_aic_keeps_at_least_as_many_edges() -> None:
    edges = {m: len(trace(CORONARY, measure=m).dag.edges) for m in ("bic", "aic", "aic_half")}
    assert edges["bic"] <= edges["aic"] <= edges["aic_half"]


def test_the_events_are_the_steps() -> None:
    params = K2Params(smoothing=1.0)
    run = K2Learner().run(K2_DEMO, params, rng=np.random.default_rng(0), cancel=NEVER)
    events = list(run)
    result = k2_trace(K2_DEMO, params)
    reported = [event.message for event in events if isinstance(event, Progress)]
    assert reported == [str(step) for step in result.steps]
    assert reported[0] == "KV: L joins the parents, +293"
    last = events[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    assert last.model.dag == result.dag
    assert last.measures["score"] == result.total


def test_names_left_out_of_the_order_follow_in_the_order_of_the_data() -> None:
    assert order_of(("a", "b", "c d", "e"), "e, c d", None) == (3, 2, 0, 1)
    assert order_of(("a,b", "c"), 'c, "a,b"', None) == (1, 0)


def test_an_order_of_wrong_names_is_refused_with_all_of_them() -> None:
    with pytest.raises(ParameterError, match=r"“X”.*B is named twice"):
        order_of(("A", "B", "C"), "X,B,B", None)


def test_a_given_order_that_contradicts_a_required_edge_is_refused() -> None:
    rules = Knowledge(required=frozenset({("C", "A")}))
    with pytest.raises(KnowledgeError, match="C → A is required, but A comes first in the order"):
        order_of(("A", "B", "C"), "A,B,C", rules)


def test_the_order_of_the_data_gives_way_to_rules() -> None:
    names = ("A", "B", "C")
    assert order_of(names, None, Knowledge(required=frozenset({("C", "A")}))) == (1, 2, 0)
    assert order_of(names, None, Knowledge(tiers=(("C",), ("A", "B")))) == (2, 0, 1)


def test_required_parents_are_there_from_the_start_and_forbidden_ones_are_not_tried() -> None:
    rules = Knowledge(
        required=frozenset({("M", "KV")}), forbidden=frozenset({("L", "KV"), ("L", "M")})
    )
    result = trace(K2_DEMO, knowledge=rules)
    assert "M" in result.dag.parents("KV")
    assert result.steps[0].parents == ("M",)
    for step in result.steps:
        if step.child in ("KV", "M"):
            assert "L" not in {trial.candidate for trial in step.trials}


def test_more_required_parents_than_allowed_are_refused() -> None:
    rules = Knowledge(required=frozenset({("A", "F"), ("B", "F")}))
    with pytest.raises(ParameterError, match="2 parents of F are required"):
        trace(CORONARY, knowledge=rules, max_parents=1)


def test_a_parent_whose_table_would_be_too_large_is_not_tried() -> None:
    states = [str(i) for i in range(200)]
    rng = np.random.default_rng(0)
    column = rng.integers(0, 200, 600)
    domain = Domain.of({"a": states, "b": states, "c": states})
    data = DataSet(domain, np.array([column] * 3, dtype=np.uint8))
    for measure in ("k2", "info_gain"):
        result = trace(data, measure=measure)
        assert max(map(len, result.dag.parent_indices)) == 1  # 200³ cells are too many


def test_the_graph_of_every_step_leads_to_the_result() -> None:
    result = k2_trace(K2_DEMO, K2Params(order="L, KA, M, KV"))
    for number, step in enumerate(result.steps):
        graph = result.graph_before(number)
        assert set(graph.parents(step.child)) == set(step.parents)
        assert set(graph.edges) <= set(result.dag.edges)
    assert result.graph_before(len(result.steps)) == result.dag


def test_the_trace_comes_back_from_plain_values() -> None:
    result = k2_trace(K2_DEMO, K2Params(order="L, KA, M, KV"))
    assert K2Trace.restored(result.plain()) == result
    head, rows = result.table()
    assert len(rows) == sum(len(step.trials) for step in result.steps)
    assert all(len(row) == len(head) for row in rows)
