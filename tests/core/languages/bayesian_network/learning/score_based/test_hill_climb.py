"""Hill climbing: peaks are peaks, constraints are satisfied, and known graphs are recovered."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import CycleError, ParameterError, UnknownNameError
from pgmstudio.core.execution.events import NEVER, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import cpdag_of
from pgmstudio.core.languages.bayesian_network.learning.score_based.exact import (
    ExactNetworkLearner,
    ExactParams,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    PATIENCE,
    PATIENCE_PER_COLUMN,
    HillClimbLearner,
    HillClimbParams,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.kernels import reverse_covered
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import Finished, ImprovedModel, LearnEvent
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import SCORES, score_of


def knowledge_sentence(model: DirectedModel, knowledge: Knowledge) -> str:
    """Whether a model obeys the rules, looked up in its edges and not taken from its learner."""
    broken = knowledge.violations(model.edges)
    if broken:
        return " ".join(broken)
    count = knowledge.rule_count()
    return "The constraint holds." if count == 1 else f"All {count} constraints hold."


CARDS = (2, 3, 2, 2, 4)
DOMAIN = Domain.of({f"v{i}": tuple(map(str, range(card))) for i, card in enumerate(CARDS)})


def random_network(seed: int, domain: Domain = DOMAIN, density: float = 0.5) -> BayesianNetwork:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(domain))
    parents = [
        tuple(int(p) for p in order[:index] if rng.random() < density)[:2]
        for index in np.argsort(order)
    ]
    dag = Dag(domain.names, tuple(parents))
    cards = domain.cardinalities
    tables = tuple(
        rng.dirichlet(np.full(cards[c], 0.4), size=tuple(cards[p] for p in dag.parent_indices[c]))
        for c in range(len(domain))
    )
    return BayesianNetwork(domain, dag, tables)


def rows(seed: int, count: int = 200) -> DataSet:
    return random_network(seed).sample(count, np.random.default_rng(seed))


def events(data: DataSet, seed: int = 0, **chosen: object) -> list[LearnEvent]:
    params = HillClimbParams(**{"smoothing": 0.0, "restarts": 2, **chosen})  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    return list(HillClimbLearner().run(data, params, rng=rng, cancel=NEVER))


def learn(data: DataSet, seed: int = 0, **chosen: object) -> tuple[BayesianNetwork, float]:
    last = events(data, seed, **chosen)[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    return last.model, last.measures["score"]


def neighbours(dag: Dag) -> Iterator[Dag]:
    """Every graph one added, removed or reversed edge away."""
    for source in dag.names:
        for target in dag.names:
            if source == target:
                continue
            try:
                if not dag.has_edge(source, target):
                    yield dag.with_edge(source, target)
                else:
                    yield dag.without_edge(source, target)
                    yield dag.with_reversed(source, target)
            except CycleError:
                continue


@settings(max_examples=25)
@given(
    st.integers(0, 2**32),
    st.sampled_from(SCORES),
    st.sampled_from([0, 1, 10]),
    st.sampled_from([None, 1, 2]),
    st.booleans(),
)
def test_no_legal_change_of_one_edge_improves_what_is_found(
    seed: int, score: str, tabu: int, max_parents: int | None, missing: bool
) -> None:
    data = rows(seed)
    if missing:
        codes = data.codes.copy()
        codes[np.random.default_rng(seed).random(codes.shape) < 0.1] = data.missing_code
        data = DataSet(DOMAIN, codes)
    knowledge = Knowledge(
        required=frozenset({("v1", "v3")}), forbidden=frozenset({("v0", "v2"), ("v4", "v0")})
    )
    network, result = learn(
        data,
        score=score,
        tabu=tabu,
        max_parents=max_parents,
        knowledge=knowledge,
        missing="available",
    )
    scores = FamilyScores(data, score_of(score, data.total_weight))
    assert result == pytest.approx(scores.total(network.dag.parent_indices))
    for other in neighbours(network.dag):
        too_many = max_parents is not None and max(map(len, other.parent_indices)) > max_parents
        if not too_many and not knowledge.violations(other.edges):
            assert scores.total(other.parent_indices) <= result + 1e-6


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_each_model_found_on_the_way_is_better_than_the_one_before(seed: int) -> None:
    reported = events(rows(seed), restarts=5)
    scores = [event.measures["score"] for event in reported if isinstance(event, ImprovedModel)]
    last = reported[-1]
    assert isinstance(last, Finished)
    assert scores == sorted(set(scores))
    assert last.measures["score"] == scores[-1]


@pytest.mark.parametrize("seed", [2, 3, 8])
def test_without_a_number_of_restarts_enough_in_a_row_find_nothing_better(seed: int) -> None:
    """They are those of a run with so many restarts, which ends where nothing better came for as
    long as there is patience; until then it comes in time."""
    data = rows(seed)
    patience = math.ceil(PATIENCE + PATIENCE_PER_COLUMN * len(data.domain))

    def bests(count: int | None) -> list[float]:
        """The best score after each restart."""
        reported = events(data, restarts=count)
        restarts = [e for e in reported if isinstance(e, Progress) and "restart" in e.counters]
        done = {int(e.counters["restart"]): e.counters["best score"] for e in restarts}
        return [done[number] for number in range(len(done))]

    found = bests(None)
    assert found == bests(len(found) - 1)
    better = [0, *(n for n in range(1, len(found)) if found[n] > found[n - 1])]
    assert len(found) - 1 == better[-1] + patience
    assert max(np.diff(better), default=0) <= patience


def test_lambda_one_gives_no_edges_and_lambda_zero_the_most_likely_model() -> None:
    # bayesian-networks.md, acceptance check 22
    data = rows(5)
    assert learn(data, score="lambda", lambda_=1.0)[0].edges == ()
    network, result = learn(data, score="lambda", lambda_=0.0)
    complete = Dag.from_edges(
        DOMAIN.names, [(a, b) for a in DOMAIN.names for b in DOMAIN.names if a < b]
    )
    most = FamilyScores(data, score_of("lambda", 1, lambda_=0.0)).total(complete.parent_indices)
    assert result == pytest.approx(most)
    assert network.log2_probabilities(data).sum() == pytest.approx(most)


def test_a_collider_is_found_with_its_directions() -> None:
    domain = Domain.of(dict.fromkeys("xyz", ("0", "1")))
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 2, (2, 2000))
    z = np.where(rng.random(2000) < 0.9, x ^ y, 1 - (x ^ y)) | (x & y & (rng.random(2000) < 0.5))
    network, _ = learn(DataSet(domain, np.array([x, y, z], dtype=np.uint8)), tabu=10)
    assert set(network.edges) == {("x", "z"), ("y", "z")}


def test_the_search_can_start_from_a_model_and_shows_what_it_left_out() -> None:
    data = rows(9)
    best, best_score = learn(data, restarts=10)
    kept, kept_score = learn(data, start=best, restarts=0, tabu=0)
    assert kept_score == pytest.approx(best_score)
    assert set(kept.edges) == set(best.edges)
    forbidden = Knowledge(forbidden=frozenset({best.edges[0]}))
    reported = events(data, start=best, knowledge=forbidden)
    assert any(
        isinstance(event, Note) and "1 edge of the start" in str(event) for event in reported
    )


def test_a_start_over_other_variables_is_refused() -> None:
    other = BayesianNetwork.uniform(Domain.of({"a": "01", "b": "01"})).with_edge("a", "b")
    with pytest.raises(UnknownNameError):
        learn(rows(1), start=other)


def test_more_required_parents_than_allowed_are_refused() -> None:
    knowledge = Knowledge(required=frozenset({("v0", "v2"), ("v1", "v2")}))
    with pytest.raises(ParameterError, match="2 parents of v2 are required"):
        learn(rows(1), knowledge=knowledge, max_parents=1)


def test_a_required_edge_stays_even_when_its_table_is_larger_than_the_limit() -> None:
    knowledge = Knowledge(required=frozenset({("v1", "v4")}))
    network, _ = learn(rows(2), knowledge=knowledge, max_table_cells=4)
    assert network.dag.has_edge("v1", "v4")
    assert all(table.size <= 12 for table in network.tables)


def test_rules_are_counted_or_listed_after_a_run() -> None:
    network, _ = learn(rows(3))
    edge = network.edges[0]
    absent = Knowledge(forbidden=frozenset({edge}))
    assert knowledge_sentence(network, absent).startswith(f"{edge[0]} → {edge[1]} is present")
    kept = Knowledge(required=frozenset({edge}), tiers=(DOMAIN.names,))
    assert knowledge_sentence(network, kept) == "All 2 constraints hold."


def test_a_start_never_closes_a_cycle_with_required_edges() -> None:
    knowledge = Knowledge(required=frozenset({("v2", "v0")}))
    rules = EdgeRules.of(DOMAIN.names, knowledge, None)
    dag, left_out = rules.starting_graph([("v0", "v1"), ("v1", "v2"), ("v2", "v0")])
    assert set(dag.edges) == {("v2", "v0"), ("v0", "v1")}
    assert left_out == 1


@pytest.mark.slow
def test_alarm_is_found_to_within_a_few_edges(shared: Path) -> None:
    from pgmstudio.core.io.models.files import read_model

    alarm = read_model(shared / "data/networks/alarm.bif").model
    assert isinstance(alarm, BayesianNetwork)
    data = alarm.sample(20_000, np.random.default_rng(7))
    network, result = learn(data, restarts=20)
    scores = FamilyScores(data, score_of("bic", data.total_weight))
    truth = scores.total(alarm.dag.parent_indices)
    assert result > truth - 0.002 * abs(truth)
    skeleton = {frozenset(edge) for edge in alarm.edges}
    assert len(skeleton & {frozenset(edge) for edge in network.edges}) >= 42
    assert math.isfinite(result)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20)
def test_restarts_find_the_best_of_all_graphs_of_five_columns(seed: int) -> None:
    data = rows(seed)
    params = ExactParams(smoothing=0.0)
    run = ExactNetworkLearner().run(data, params, rng=np.random.default_rng(0), cancel=NEVER)
    *_, best = run
    assert isinstance(best, Finished)
    _, score = learn(data, restarts=50)
    assert math.isclose(score, best.measures["score"], rel_tol=1e-9)


@given(seed=st.integers(0, 10**6))
def test_covered_edges_are_reversed_as_the_rules_allow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.random((6, 6)) < 0.5, 1).astype(np.uint8)
    allowed = (rng.random((6, 6)) < 0.8).astype(np.uint8) | edges
    required = (rng.random((6, 6)) < 0.2).astype(np.uint8) & edges
    turned = edges.copy()
    reverse_covered(turned, allowed, required, rng.random(100))
    assert cpdag_of(dag_of_flags(turned)) == cpdag_of(dag_of_flags(edges))
    assert not (turned & ~allowed & 1).any()
    assert not (required & ~turned & 1).any()


def test_every_graph_of_a_class_can_be_reached() -> None:
    chain = np.zeros((3, 3), dtype=np.uint8)
    chain[0, 1] = chain[1, 2] = 1
    free, none = np.ones_like(chain), np.zeros_like(chain)
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(50):
        turned = chain.copy()
        reverse_covered(turned, free, none, rng.random(10))
        seen.add(turned.tobytes())
    assert len(seen) == 3


def dag_of_flags(edges: NDArray[np.uint8]) -> Dag:
    names = tuple(f"v{i}" for i in range(len(edges)))
    return Dag(names, tuple(tuple(np.flatnonzero(column).tolist()) for column in edges.T))
