"""Next moves: they bring what they promise, vetoes hold, and peaks are those of climbing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import CycleError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.score_based.candidate_moves import (
    NextMoves,
    moved,
    refitted,
    rules_for,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbLearner,
    HillClimbParams,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.edge_moves import (
    ClimbResult,
    MoveKey,
    MoveList,
    MoveParams,
    climb,
)
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import SCORES
from tests.strategies import random_dag, random_network

seeds = st.integers(0, 2**32 - 1)


def sampled(seed: int, variables: int = 5, rows: int = 150) -> tuple[DataSet, Dag]:
    """Rows of a random network, and another random graph over the same variables."""
    rng = np.random.default_rng(seed)
    data = random_network(rng, variables).sample(rows, rng)
    return data, random_dag(rng, data.domain.names)


def listed(
    data: DataSet,
    dag: Dag,
    *,
    knowledge: Knowledge | None = None,
    vetoes: tuple[MoveKey, ...] = (),
    top: int = 10_000,
    **chosen: object,
) -> MoveList:
    params = MoveParams(**chosen)  # type: ignore[arg-type]
    rules = rules_for(dag.names, knowledge, params.max_parents, vetoes)
    *_, last = NextMoves(data, params, dag).list_moves(dag, rules, top)
    assert isinstance(last, MoveList)
    return last


def climbed(data: DataSet, dag: Dag, steps: int | None = None, **chosen: object) -> ClimbResult:
    params = MoveParams(**chosen)  # type: ignore[arg-type]
    rules = rules_for(dag.names, None, params.max_parents)
    *_, last = climb(NextMoves(data, params, dag), dag, rules, steps)
    assert isinstance(last, ClimbResult)
    return last


def every_move(dag: Dag) -> set[MoveKey]:
    """All moves that leave a graph without cycles, tried one by one."""
    result = set()
    for source, target in itertools.permutations(dag.names, 2):
        actions = ("remove", "reverse") if dag.has_edge(source, target) else ("add",)
        for action in actions:
            key = MoveKey(action, source, target)  # type: ignore[arg-type]
            try:
                moved(dag, key)
            except CycleError:
                continue
            result.add(key)
    return {k for k in result if k.action != "add" or not dag.has_edge(k.target, k.source)}


def parameters(data: DataSet, dag: Dag) -> int:
    return BayesianNetwork.uniform(data.domain, dag).representation_size()


@settings(max_examples=20)
@given(seeds, st.sampled_from(SCORES))
def test_a_move_brings_what_it_promises(seed: int, score: str) -> None:
    data, dag = sampled(seed)
    result = listed(data, dag, score=score, ess=3.0)
    scores = FamilyScores(data, MoveParams(score=score, ess=3.0).measure(data.total_weight))
    before = scores.total(dag.parent_indices)
    assert result.score == pytest.approx(before)
    assert {move.key for move in result.moves} == every_move(dag)
    for move in result.moves:
        after = moved(dag, move.key)
        gain = scores.total(after.parent_indices) - before
        assert move.gain == pytest.approx(gain, abs=1e-6)
        assert move.parameters == parameters(data, after) - parameters(data, dag)


@settings(max_examples=20)
@given(seeds)
def test_moves_stand_best_first_and_a_short_list_is_the_head_of_a_long_one(seed: int) -> None:
    data, dag = sampled(seed)
    result = listed(data, dag)
    gains = [move.gain for move in result.moves]
    assert all(a >= b - 1e-5 for a, b in itertools.pairwise(gains))
    assert result.better == sum(result.raises(move) for move in result.moves)
    assert result.legal == len(result.moves)
    few = listed(data, dag, top=4)
    assert few.moves == result.moves[:4]
    assert (few.better, few.legal) == (result.better, result.legal)


@settings(max_examples=20)
@given(seeds, st.data())
def test_what_is_vetoed_is_never_listed_and_the_rest_stays(seed: int, data_: st.DataObject) -> None:
    data, dag = sampled(seed)
    all_moves = listed(data, dag)
    keys = [move.key for move in all_moves.moves]
    vetoes = tuple(data_.draw(st.lists(st.sampled_from(keys), min_size=1, max_size=4)))
    left = listed(data, dag, vetoes=vetoes)
    kept_out = {veto.brought for veto in vetoes}
    vetoed_removals = {(veto.source, veto.target) for veto in vetoes if veto.action == "remove"}
    expected = [
        move
        for move in all_moves.moves
        if (move.key.brought is None or move.key.brought not in kept_out)
        and (move.key.action == "add" or (move.key.source, move.key.target) not in vetoed_removals)
    ]
    assert set(vetoes).isdisjoint(move.key for move in left.moves)
    assert left.moves == tuple(expected)


@settings(max_examples=15)
@given(seeds)
def test_climbing_by_moves_ends_where_no_move_raises_the_score(seed: int) -> None:
    data, dag = sampled(seed)
    end = climbed(data, dag)
    assert all(move.gain > 0 for move in end.moves)
    at_end = listed(data, end.graph)
    assert at_end.is_optimum
    assert at_end.score == pytest.approx(listed(data, dag).score + sum(m.gain for m in end.moves))
    two = climbed(data, dag, 2)
    assert two.moves == end.moves[:2]


def test_where_hill_climbing_ends_there_is_no_better_move() -> None:
    for seed in range(4):
        data, _ = sampled(seed, 6, 400)
        params = HillClimbParams(restarts=0, tabu=0, smoothing=0.0)
        rng = np.random.default_rng(0)
        *_, last = HillClimbLearner().run(data, params, rng=rng, cancel=NEVER)
        assert isinstance(last, Finished)
        assert isinstance(last.model, BayesianNetwork)
        result = listed(data, last.model.dag)
        assert result.is_optimum
        assert result.score == pytest.approx(last.measures["score"])


def test_rules_and_the_limit_of_parents_bound_the_moves() -> None:
    data, _ = sampled(11)
    a, b, c, d, e = data.domain.names
    dag = Dag.from_edges(data.domain.names, [(a, b), (b, c)])
    knowledge = Knowledge(
        required=frozenset({(a, b)}), forbidden=frozenset({(d, e)}), tiers=((c,), (d,))
    )
    result = {m.key for m in listed(data, dag, knowledge=knowledge, max_parents=1).moves}
    assert MoveKey("add", c, d) in result
    gone = {
        MoveKey("remove", a, b),
        MoveKey("reverse", a, b),
        MoveKey("add", d, e),
        MoveKey("add", d, c),
        MoveKey("add", e, c),  # c has its one parent
    }
    assert result.isdisjoint(gone)
    # A rule about a variable that the model does not have has no effect.
    strange = Knowledge(forbidden=frozenset({(a, "nobody")}))
    assert listed(data, dag, knowledge=strange).legal == listed(data, dag).legal


def test_a_table_that_would_be_too_large_is_no_move() -> None:
    data, _ = sampled(5)
    empty = Dag.empty(data.domain.names)
    cards = dict(zip(data.domain.names, data.domain.cardinalities, strict=True))
    result = listed(data, empty, max_table_cells=6)
    assert all(cards[m.key.source] * cards[m.key.target] <= 6 for m in result.moves)
    assert result.legal < listed(data, empty).legal


def test_only_tables_whose_parents_changed_are_fitted_again() -> None:
    data, dag = sampled(3)
    network = BayesianNetwork.uniform(data.domain, dag)
    source, target = dag.edges[0]
    after = refitted(network, moved(dag, MoveKey("remove", source, target)), data, 0.0)
    for name in dag.names:
        if name != target:
            assert np.array_equal(after.table(name), network.table(name))
    position = data.domain.index(target)
    others = after.dag.parent_indices[position]
    counts = np.zeros(after.table(target).shape)
    for column in data.codes.T:
        counts[tuple(column[[*others, position]])] += 1
    seen = counts.sum(axis=-1) > 0
    fractions = counts[seen] / counts[seen].sum(axis=-1, keepdims=True)
    assert after.table(target)[seen] == pytest.approx(fractions)
    assert math.isclose(after.table(target).sum(), seen.size)
