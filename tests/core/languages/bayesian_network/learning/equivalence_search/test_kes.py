"""KES: every step is up, the end is a peak, and the published outcomes come out."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER, Note, Progress
from pgmstudio.core.experiments.generators.textbook import four_cycle_joint
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of, hamming_distance, member_of, members_of
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
    KesRun,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import (
    EQUIVALENT_SCORES,
    KesLearner,
    KesParams,
    KesSearch,
    kes_optima,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import Finished, ImprovedModel, LearnEvent
from pgmstudio.core.params import parse_params
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from tests.core.graphs.small_dags import (
    ClassKey,
    all_classes,
    key_of,
    lower_boundary,
    turned_boundary,
    upper_boundary,
)
from tests.strategies import random_network


def rows(seed: int, variables: int = 4, count: int = 150) -> DataSet:
    """Rows of a random network over A, B, C, …"""
    rng = np.random.default_rng(seed)
    data = random_network(rng, variables, density=0.6).sample(count, rng)
    named = zip("ABCDEFGH", data.domain, strict=False)
    return DataSet(Domain.of({name: variable.states for name, variable in named}), data.codes)


def with_missing(data: DataSet, seed: int) -> DataSet:
    codes = data.codes.copy()
    codes[np.random.default_rng(seed).random(codes.shape) < 0.1] = data.missing_code
    return DataSet(data.domain, codes)


def params_of(**chosen: object) -> KesParams:
    return parse_params(KesParams, {"smoothing": 0.0, "restarts": 2, **chosen})


def events(data: DataSet, seed: int = 0, **chosen: object) -> list[LearnEvent]:
    rng = np.random.default_rng(seed)
    return list(KesLearner().run(data, params_of(**chosen), rng=rng, cancel=NEVER))


def learn(data: DataSet, seed: int = 0, **chosen: object) -> tuple[BayesianNetwork, float]:
    last = events(data, seed, **chosen)[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    return last.model, last.measures["score"]


def optima(data: DataSet, seed: int = 0, **chosen: object) -> KesOptima:
    return kes_optima(data, params_of(**chosen), rng=np.random.default_rng(seed))


def best_members(scores: FamilyScores, knowledge: Knowledge | None = None) -> dict[ClassKey, float]:
    """The score of every class on four nodes that has a member obeying the rules."""
    return {
        key: scores.total(members[0].parent_indices)
        for key, members in all_classes(4).items()
        if knowledge is None or any(not knowledge.violations(dag.edges) for dag in members)
    }


def upper_classes(key: ClassKey) -> set[ClassKey]:
    return upper_boundary(all_classes(4)[key])


def lower_classes(key: ClassKey) -> set[ClassKey]:
    return lower_boundary(all_classes(4)[key])


def neighbours(key: ClassKey) -> set[ClassKey]:
    return upper_classes(key) | lower_classes(key)


@settings(max_examples=25)
@given(
    st.integers(0, 2**32),
    st.sampled_from(EQUIVALENT_SCORES),
    st.sampled_from([0.0, 0.4, 0.9, 1.0]),
    st.sampled_from(["turning", "full"]),
)
def test_every_run_climbs_and_ends_where_no_neighbouring_class_is_better(
    seed: int, score: str, greediness: float, phases: str
) -> None:
    # acceptance check 21, the boundary by listing
    data = rows(seed)
    search = KesSearch(
        data, params_of(greediness=(greediness,), score=score), np.random.default_rng(seed)
    )
    start = search.climb.score
    climbed = [*search.climb.climb(greediness, phases, np.random.default_rng(seed), NEVER)]
    assert all(before < after for before, after in pairwise([start, *climbed]))
    scores = FamilyScores(data, score_of(score, data.total_weight))
    known = best_members(scores)
    end = key_of(member_of(search.climb.cpdag))
    assert search.climb.score == pytest.approx(known[end])
    around = neighbours(end)
    if phases == "turning":
        around |= turned_boundary(all_classes(4)[end])
    assert all(known[near] <= known[end] + 1e-6 for near in around)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
def test_with_rules_no_neighbouring_class_that_can_obey_them_is_better(
    seed: int, greediness: float, has_tiers: bool
) -> None:
    rng = np.random.default_rng(seed)
    knowledge = Knowledge(
        required=frozenset({("A", "C")} if rng.random() < 0.5 else ()),
        forbidden=frozenset({("B", "A"), ("C", "D"), ("D", "C")} if rng.random() < 0.5 else ()),
        tiers=(("A", "B"), ("C", "D")) if has_tiers else (),
    )
    data = rows(seed)
    network, result = learn(data, greediness=(greediness,), knowledge=knowledge)
    assert knowledge.violations(network.edges) == []
    known = best_members(FamilyScores(data, score_of("bic", data.total_weight)), knowledge)
    end = key_of(network.dag)
    assert result == pytest.approx(known[end])
    assert all(known[near] <= result + 1e-6 for near in neighbours(end) & known.keys())


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from(["exact", "sampled"]))
def test_each_model_found_is_better_than_the_one_before_and_the_last_is_finished(
    seed: int, neighbourhood: str
) -> None:
    reported = events(rows(seed, 5), neighbourhood=neighbourhood, greediness=(0.2, 0.6), restarts=4)
    result = [event.measures["score"] for event in reported if isinstance(event, ImprovedModel)]
    last = reported[-1]
    assert isinstance(last, Finished)
    assert result == sorted(set(result))
    assert last.measures["score"] == result[-1]


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.5, 1.0]))
def test_over_available_cells_the_score_is_that_of_the_network_handed_out(
    seed: int, greediness: float
) -> None:
    data = with_missing(rows(seed, 5), seed)
    network, result = learn(data, greediness=(greediness,), missing="available")
    scores = FamilyScores(data, score_of("bic", data.total_weight))
    assert result == pytest.approx(scores.total(network.dag.parent_indices))


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_a_limit_on_parents_holds_for_every_member_of_the_class(seed: int, most: int) -> None:
    for optimum in optima(rows(seed, 6), max_parents=most, score="aic").optima:
        for dag in islice(members_of(optimum.cpdag), 50):
            assert max(map(len, dag.parent_indices)) <= most


@pytest.mark.parametrize("phases", ["full", "turning", "two-phase"])
def test_greediness_1_is_run_once_and_does_not_depend_on_the_seed(phases: str) -> None:
    # acceptance check 16
    data = rows(3, 6)
    ends = [optima(data, seed, greediness=(1.0,), restarts=9, phases=phases) for seed in range(3)]
    assert [len(end.runs) for end in ends] == [1, 1, 1]
    assert len({end.best for end in ends}) == 1


@settings(max_examples=25)
@given(
    st.integers(0, 2**32),
    st.sampled_from(EQUIVALENT_SCORES),
    st.sampled_from(["full", "two-phase"]),
)
def test_greediness_1_without_turning_is_greedy_equivalence_search(
    seed: int, score: str, phases: str
) -> None:
    # acceptance check 16: each step goes to the best class of the boundary, found by listing it
    data = rows(seed)
    known = best_members(FamilyScores(data, score_of(score, data.total_weight)))
    boundaries = {"full": [neighbours], "two-phase": [upper_classes, lower_classes]}[phases]
    here, path = key_of(Dag.from_edges(data.domain.names, ())), []
    for boundary in boundaries:
        while known[best := max(boundary(here), key=known.__getitem__, default=here)] > (
            known[here] + 1e-6
        ):
            here = best
            path.append(known[here])
    search = KesSearch(data, params_of(score=score), np.random.default_rng(seed))
    climbed = list(search.climb.climb(1.0, phases, np.random.default_rng(seed), NEVER))
    assert climbed == pytest.approx(path)
    assert search.climb.score == pytest.approx(known[here])


def test_a_run_does_not_depend_on_the_runs_around_it() -> None:
    data = rows(4, 6)
    few = optima(data, greediness=(0.3,), restarts=3)
    many = optima(data, greediness=(0.3, 0.7), restarts=6)
    assert many.runs[:3] == few.runs


def test_two_phases_first_only_add_and_then_only_remove() -> None:
    data = rows(11, 7, count=400)
    search = KesSearch(data, params_of(score="aic"), np.random.default_rng(0))
    for seed in range(5):
        edges = [
            search.climb.cpdag.edge_count
            for _ in search.climb.climb(0.3, "two-phase", np.random.default_rng(seed), NEVER)
        ]
        top = edges.index(max(edges))
        assert edges == [*range(1, top + 2), *range(edges[top] - 1, edges[-1] - 1, -1)]


def test_a_lambda_of_1_gives_no_edges_and_of_0_the_most_likely_model() -> None:
    # acceptance check 22
    data = rows(5, 5)
    assert learn(data, score="lambda", lambda_=1.0)[0].edges == ()
    network, result = learn(data, score="lambda", lambda_=0.0)
    names = data.domain.names
    complete = Dag.from_edges(names, [(a, b) for a in names for b in names if a < b])
    most = FamilyScores(data, score_of("lambda", 1, lambda_=0.0)).total(complete.parent_indices)
    assert result == pytest.approx(most)
    assert network.log2_probabilities(data).sum() == pytest.approx(most)


def test_k2_is_not_offered_since_it_scores_equivalent_graphs_differently() -> None:
    with pytest.raises(ParameterError, match="k2"):
        params_of(score="k2")


# -- the selection four-cycle (Example 4.1), the exact distribution as data


def four_cycle(count: float) -> DataSet:
    joint = four_cycle_joint()
    domain = Domain.of({"A": "0123", "B": "01", "C": "01", "D": "01"})  # X, Y, U, Z
    codes = np.array(np.unravel_index(np.arange(32), joint.shape), dtype=np.uint8)
    return DataSet(domain, codes, count * joint.ravel())


@cache
def four_cycle_scores(count: float) -> dict[ClassKey, float]:
    data = four_cycle(count)
    return best_members(FamilyScores(data, score_of("bic", data.total_weight)))


def parameters(cpdag: Pdag) -> int:
    return BayesianNetwork.uniform(four_cycle(1).domain, member_of(cpdag)).representation_size()


def test_the_four_cycle_has_exactly_two_local_optima() -> None:
    # acceptance checks 18 and 19
    scores = four_cycle_scores(20_000)
    peaks = {
        key
        for key, score in scores.items()
        if all(scores[near] <= score for near in neighbours(key))
    }
    reported = sorted(
        (parameters(cpdag_of(all_classes(4)[key][0])), round(scores[key], 3)) for key in peaks
    )
    assert reported == [(19, -76_147.157), (23, -76_175.732)]


@pytest.mark.parametrize("phases", ["full", "two-phase"])
@pytest.mark.parametrize(
    ("count", "size", "score"),
    [
        (1_000, 23, -3_915.178),
        (2_000, 23, None),
        (5_000, 18, None),
        (10_000, 19, None),
        (20_000, 19, -76_147.157),
        (100_000, 19, None),
    ],
)
def test_greedy_search_ends_where_it_is_known_to_on_the_four_cycle(
    count: float, size: int, score: float | None, phases: str
) -> None:
    # §7.1 and acceptance check 19
    best = optima(four_cycle(count), greediness=(1.0,), phases=phases).best
    assert parameters(best.cpdag) == size
    if score is not None:
        assert best.score == pytest.approx(score, abs=5e-4)


def test_at_1000_rows_a_smaller_class_beats_what_greedy_search_finds() -> None:
    scores = four_cycle_scores(1_000)
    key = max(scores, key=lambda key: scores[key])
    assert parameters(cpdag_of(all_classes(4)[key][0])) == 15
    assert scores[key] == pytest.approx(-3_881.831, abs=5e-4)


@pytest.mark.parametrize(("greediness", "fraction"), [(0.0, 0.47), (0.9, 0.65)])
def test_random_runs_find_both_optima_about_as_often_as_is_known(
    greediness: float, fraction: float
) -> None:
    # acceptance check 20
    result = optima(four_cycle(20_000), greediness=(greediness,), restarts=200, phases="full")
    assert {parameters(optimum.cpdag) for optimum in result.optima} == {19, 23}
    assert parameters(result.best.cpdag) == 19
    spread = math.sqrt(fraction * (1 - fraction) / 200)
    assert result.best.runs / 200 == pytest.approx(fraction, abs=4 * spread)


FIVE = ("A", "B", "C", "D", "E")
FAITHFUL = [
    [("A", "B"), ("B", "C"), ("C", "D"), ("D", "E")],
    [("A", "C"), ("B", "C"), ("C", "D"), ("C", "E")],
    [("A", "B"), ("C", "B"), ("C", "D"), ("E", "D")],
]


@pytest.mark.slow
@pytest.mark.parametrize("phases", ["full", "turning"])
@pytest.mark.parametrize("edges", FAITHFUL, ids=["chain", "collider", "two colliders"])
def test_many_rows_of_a_network_bring_its_class_back(
    edges: list[tuple[str, str]], phases: str
) -> None:
    # acceptance check 23: full is the boundary it speaks of, turning our default
    dag = Dag.from_edges(FIVE, edges)
    # Strong enough that the two ends of the chain still show their dependence.
    yes = [np.array(0.4), np.array([0.1, 0.8]), np.array([[0.05, 0.6], [0.75, 0.95]])]
    tables = [np.stack([1 - yes[len(p)], yes[len(p)]], axis=-1) for p in dag.parent_indices]
    network = BayesianNetwork(Domain.of(dict.fromkeys(FIVE, "01")), dag, tuple(tables))
    every_greediness = tuple(k / 10 for k in range(11))
    right = Counter[float]()
    for seed in range(20):
        data = network.sample(200_000, np.random.default_rng(seed))
        result = optima(data, seed, greediness=every_greediness, restarts=1, phases=phases)
        right.update(run.greediness for run in result.runs if run.cpdag == cpdag_of(dag))
    assert min(right[greediness] for greediness in every_greediness) >= 19


# -- events of a run


def test_what_is_reported_of_the_runs_agrees_with_them() -> None:
    data = rows(7, 6)
    reported = events(data, 5, greediness=(1.0, 0.5, 0.0), restarts=6)
    expected = optima(data, 5, greediness=(1.0, 0.5, 0.0), restarts=6)
    last = reported[-1]
    assert isinstance(last, Finished)
    assert last.measures["runs"] == len(expected.runs) == 13
    assert last.measures["distinct_optima"] == len(expected.optima)
    assert last.measures["runs_to_best"] == expected.best.runs
    assert last.measures["score"] == pytest.approx(expected.best.score)
    assert isinstance(last.model, BayesianNetwork)
    assert cpdag_of(last.model.dag) == expected.best.cpdag
    assert last.measures["compelled_edges"] == len(expected.best.cpdag.directed)
    notes = " ".join(event.message for event in reported if isinstance(event, Note))
    assert f"13 runs ended in {len(expected.optima)} different classes" in notes
    fractions = [event.fraction for event in reported if isinstance(event, Progress)]
    assert fractions[-1] == 1
    steps = [e.counters for e in reported if isinstance(e, Progress) and "best score" in e.counters]
    bests = [counters["best score"] for counters in steps]
    assert bests == sorted(bests)


def test_optima_are_counted_sorted_and_joined_into_a_graph_of_frequencies() -> None:
    names = ("A", "B", "C")
    chain = Pdag.from_edges(names, [], [("A", "B"), ("B", "C")])
    collider = Pdag.from_edges(names, [("A", "B"), ("C", "B")])
    runs = KesOptima(
        (
            KesRun(0.0, -5.0, 2, chain),
            KesRun(0.5, -4.0, 2, collider),
            KesRun(0.0, -4.0, 3, collider),
            KesRun(0.0, -5.0, 2, chain),
        )
    )
    assert [(optimum.cpdag, optimum.runs) for optimum in runs.optima] == [(collider, 2), (chain, 2)]
    assert runs.greedinesses == (0.0, 0.5)
    assert runs.sorted_scores(0.0) == (-5.0, -5.0, -4.0)
    result = runs.edge_frequencies()
    reported = {pair: result.of_pair(*pair) for pair in (("A", "B"), ("C", "B"))}
    assert {(f.joined, f.forward, f.undirected) for f in reported.values()} == {(1.0, 0.5, 0.5)}
    once_more = runs.with_run(KesRun(0.0, -4.0, 3, collider)).edge_frequencies(of_runs=True)
    assert once_more.of_pair("A", "B").forward == 3 / 5


def test_the_alarm_rows_give_a_class_no_worse_than_published_programs(shared: Path) -> None:
    """R's tabu search reached −107 483 nats on these rows, GES of causal-learn a distance of 21."""
    import polars

    from pgmstudio.core.io.models.files import read_model

    alarm = read_model(shared / "data/networks/alarm.bif").model
    assert isinstance(alarm, BayesianNetwork)
    frame = polars.read_csv(
        shared / "data/seeds/alarm_20000.csv.gz", infer_schema=False, n_rows=10_000
    )
    data = DataSet.from_rows(alarm.domain, frame.select(alarm.domain.names).iter_rows())
    greedy = optima(data, greediness=(1.0,)).best
    assert greedy.score * math.log(2) >= -107_483
    assert hamming_distance(greedy.cpdag, cpdag_of(alarm.dag)) <= 21
    # Without turning edges it is GES, which is caught by a wrong early direction here.
    plain = optima(data, greediness=(1.0,), phases="full").best
    assert greedy.score > plain.score
    best = kes_optima(data, KesParams(), rng=np.random.default_rng(1)).best
    assert best.score >= greedy.score
    assert hamming_distance(best.cpdag, cpdag_of(alarm.dag)) <= 21
