"""Split, merge, redirect and the search made of them: pdg.md, acceptance checks 11–17 and 20."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.experiments.generators.textbook import LogicParams, logic1, logic2, logic3
from pgmstudio.core.languages.pdg.learning.forest import chain
from pgmstudio.core.languages.pdg.learning.population import default_lambdas
from pgmstudio.core.languages.pdg.learning.search import SweepRules, learn_pdg
from pgmstudio.core.languages.pdg.learning.state import PdgRows, PdgState
from pgmstudio.core.languages.pdg.measures import (
    fitted_log2_likelihood,
    merge_change,
    node_counts,
    refitted,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph, minimal_graph
from pgmstudio.core.languages.pdg.operators import merged, redirected, split
from tests.core.languages.pdg.test_decision_graph_edits import mergeable_pairs
from tests.decision_graphs import random_graph

seeds = st.integers(0, 2**32)
lambdas = st.sampled_from([0.05, 0.3, 0.6, 0.9, 0.98])


def started_state(seed: int, count: int = 200) -> tuple[PdgState, DataSet, np.random.Generator]:
    """A random graph with rows from another one over the same variables."""
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 5)
    data = random_graph(rng, cardinalities=graph.domain.cardinalities).sample(count, rng)
    data = DataSet(graph.domain, data.codes)
    return PdgState(PdgRows(data), graph.forest, start=graph), data, rng


def check(state: PdgState, data: DataSet) -> DecisionGraph:
    """What is stored is what counting the graph's rows again gives; every row is in one node."""
    graph = state.graph()
    for remaining, counted in zip(state.counts, node_counts(graph, data), strict=True):
        assert remaining == pytest.approx(counted)
    assert state.log2_likelihood() == pytest.approx(fitted_log2_likelihood(graph, data), abs=1e-6)
    assert state.size() == graph.effective_size()
    pointers = sum(
        state.rows.weights[reached == node].sum()
        for reached, bits in zip(state.reached, state.bits, strict=True)
        for node in range(bits.size)
    )
    assert pointers == data.row_count * len(data.domain)
    return graph


@settings(max_examples=25, deadline=None)
@given(seeds, lambdas)
def test_every_merge_raises_the_score_until_none_would(seed: int, lambda_: float) -> None:
    state, data, _ = started_state(seed)
    before, nodes = state.score(lambda_), state.node_count
    made = state.merge_at(lambda_)
    after = check(state, data)
    assert nodes - state.node_count == made
    assert state.score(lambda_) > before if made else state.score(lambda_) == before
    counts = node_counts(after, data)
    for i, variable in enumerate(after.domain.names):
        for a, b in mergeable_pairs(after, i):
            assert merge_change(after, counts, variable, a, b).score(lambda_) <= 1e-6


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_the_first_merge_is_the_one_that_loses_least(seed: int) -> None:
    state, data, _ = started_state(seed)
    graph = refitted(state.graph(), data)
    counts = node_counts(graph, data)
    leaves = [i for i, below in enumerate(graph.children) if not below and graph.node_counts[i] > 2]
    for i in leaves:
        name = graph.domain.names[i]
        losses = {
            p: -merge_change(graph, counts, name, *p).log2_likelihood
            for p in mergeable_pairs(graph, i)
        }
        (a, b), least = min(losses.items(), key=lambda pair: pair[1])
        ordered = sorted(losses.values())
        if ordered[1] - least < 1e-6:
            continue  # two pairs are as good
        trial = state.copy()
        limits = [0.0] * len(graph.domain)
        limits[i] = least + 1e-7
        assert trial.merge(limits) >= 1
        assert check(trial, data).parameters[i][a] == pytest.approx(
            refitted(merged(graph, name, a, b), data).parameters[i][a]
        )


@settings(max_examples=25, deadline=None)
@given(seeds, st.sampled_from([1.0, 8.0, 60.0]))
def test_merges_come_as_if_all_pairs_were_compared_each_time(seed: int, limit: float) -> None:
    """The kernel leaves most pairs out by a bound and by what it remembers; nothing may change."""
    from pgmstudio.core.languages.pdg.learning.kernels import merge_nodes

    rng = np.random.default_rng(seed)
    counts = rng.gamma(1.0, 8.0, size=(12, 3))  # no two pairs lose the same
    heads = rng.integers(2, size=(12, 2)).astype(np.int32)
    alive, expected = dict(enumerate(counts.copy())), []
    while True:
        pairs = [
            (bits_of(alive[a]) + bits_of(alive[b]) - bits_of(alive[a] + alive[b]), a, b)
            for a in alive
            for b in alive
            if a < b and (heads[a] == heads[b]).all()
        ]
        if not pairs or min(pairs)[0] >= limit:
            break
        _, keep, gone = min(pairs)
        alive[keep] = alive[keep] + alive.pop(gone)
        expected.append((keep, gone))
    bits = np.array([bits_of(row) for row in counts])
    home, done = np.empty(12, np.int32), np.empty((12, 2), np.int32)
    table = np.zeros(1)
    made = merge_nodes(counts, bits, heads, np.ones(12, dtype=bool), limit, table, home, done)
    assert list(map(tuple, done[:made].tolist())) == expected


def bits_of(counts: np.ndarray) -> float:
    """Σ_h N_h log2(N_h/N)."""
    return float((counts * np.log2(counts / counts.sum())).sum())


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_a_traversal_of_splits_is_one_that_single_splits_could_make(seed: int) -> None:
    state, data, rng = started_state(seed)
    before = state.graph()
    split_count = state.split(0.0, rng)
    after = check(state, data)
    assert state.log2_likelihood() >= fitted_log2_likelihood(before, data) - 1e-6
    assert (split_count > 0) == (after.node_counts != before.node_counts)
    rebuilt, done = before, 0
    for i in before.order:
        variable, edges = before.domain.names[i], after.successors[i]
        if edges is None:
            continue
        degrees = np.bincount(edges.ravel(), minlength=after.node_counts[i])
        grown = after.node_counts[i] > rebuilt.node_counts[i]
        for node in range(rebuilt.node_counts[i]) if grown else ():
            mine = rebuilt.successors[i]
            assert mine is not None
            if degrees[node] == 1 and (mine == node).sum() > 1:
                rebuilt, done = split(rebuilt, variable, node), done + 1
    assert done == split_count
    assert rebuilt.node_counts == after.node_counts
    cases = data.take_rows(slice(0, 50))
    assert refitted(rebuilt, data).log2_probabilities(cases) == pytest.approx(
        after.log2_probabilities(cases)
    )


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_redirecting_loses_no_likelihood_and_grows_nothing(seed: int) -> None:
    state, data, _ = started_state(seed)
    before_bits, before_size = state.log2_likelihood(), state.size()
    state.redirect()
    after = check(state, data)
    # acceptance check 13, as written
    assert state.log2_likelihood() >= before_bits - 1e-9 * abs(before_bits)
    assert state.size() <= before_size
    for edges, count in zip(after.successors, after.node_counts, strict=True):
        assert edges is None or np.unique(edges).size == count


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_an_edge_to_a_leaf_goes_where_its_rows_are_likeliest(seed: int) -> None:
    state, data, _ = started_state(seed)
    graph = state.graph()
    trial = state.copy()
    trial.redirect()
    deepest = graph.order[-1]  # a leaf; what is above it may be redirected after it
    above, edges = graph.forest[deepest], graph.successors[deepest]
    if above is None or edges is None or graph.node_counts[deepest] == 1:
        return
    reached = graph.reached_nodes(data)
    for upper, state_code in np.ndindex(*edges.shape):
        on_edge = (reached[above] == upper) & (data.codes[above] == state_code)
        counts = np.bincount(data.codes[deepest][on_edge], minlength=edges.max() + 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log2(graph.parameters[deepest])
            counts = np.bincount(data.codes[deepest][on_edge], minlength=logs.shape[1])
            worth = np.where(counts > 0, counts * logs, 0.0).sum(axis=1)
        best = int(worth.argmax())
        if on_edge.any() and worth[best] > worth[edges[upper, state_code]] + 1e-3:
            better = redirected(
                graph, graph.domain.names[deepest], upper, state_code, best
            ).log2_probabilities(data)
            assert better.sum() > graph.log2_probabilities(data).sum()
            assert trial.log2_likelihood() > state.log2_likelihood()


@settings(max_examples=6, deadline=None)
@given(seeds)
def test_a_penalty_near_1_leaves_single_nodes(seed: int) -> None:
    state, data, rng = started_state(seed)
    start = PdgState(state.rows, state.forest)
    best = run_to_end(learn_pdg(start, 1 - 1e-9, SweepRules(), rng, NEVER))
    assert best.node_count == len(data.domain)
    alone = refitted(minimal_graph(data.domain, state.forest), data)
    assert best.log2_likelihood() == pytest.approx(alone.log2_probabilities(data).sum())


def test_a_search_never_ends_below_where_it_began() -> None:
    for seed in range(4):
        state, data, rng = started_state(seed)
        for lambda_ in (0.1, 0.5, 0.9):
            best = run_to_end(learn_pdg(state, lambda_, SweepRules(), rng, NEVER))
            assert best.score(lambda_) >= state.score(lambda_)
            check(best, data)


def upwards(data: DataSet, order: list[int], seed: int) -> PdgState:
    """LearnPDG at every λ of the default list, then merged from the smallest to the largest."""
    rng = np.random.default_rng(seed)
    start = PdgState(PdgRows(data), chain(order))
    current = None
    for lambda_ in sorted(default_lambdas(data.row_count)):
        own = run_to_end(learn_pdg(start, lambda_, SweepRules(), rng, NEVER))
        if current is not None:
            tried = PdgState(start.rows, start.forest, start=current.graph())
            tried.merge_at(lambda_)
            own = max((own, tried), key=lambda one: one.score(lambda_))
        current = own
    assert current is not None
    return current


def test_parity_is_found_by_merging_upwards() -> None:
    """Acceptance check 16, which saw size 18 at λ = 0.5 on one data set.

    There a merge may lose 2 bits, which chance alone exceeds for one pair of nodes in ten, so
    other data sets keep some pair apart; λ = 0.87, about that of BIC, brings all to 18.
    """
    reached = []
    for seed in range(10):
        data = logic2(LogicParams(), np.random.default_rng(seed), 10_000)
        rng = np.random.default_rng(seed)
        start = PdgState(PdgRows(data), chain(range(5)))
        assert start.log2_likelihood() / 10_000 == pytest.approx(-5, abs=0.005)
        state = run_to_end(learn_pdg(start, 0.05, SweepRules(), rng, NEVER))
        sizes = {}
        for lambda_ in (0.1, 0.3, 0.5, 0.7, 0.87):
            state = PdgState(start.rows, start.forest, start=state.graph())
            state.merge_at(lambda_)
            sizes[lambda_] = state.size()
            assert state.log2_likelihood() / 10_000 == pytest.approx(-4, abs=0.005)
        reached.append(min(lambda_ for lambda_, size in sizes.items() if size == 18))
    # 0.3 once, 0.5 three times, 0.7 four times, 0.87 twice
    assert sum(lambda_ <= 0.5 for lambda_ in reached) >= 4


@pytest.mark.parametrize("seed", range(2))
def test_the_circuit_of_neighbours_is_found_along_its_chain(seed: int) -> None:
    # acceptance check 17
    data = logic3(LogicParams(), np.random.default_rng(seed), 10_000)
    best = upwards(data, list(range(8)), seed)
    assert best.size() == 40
    assert best.log2_likelihood() / 10_000 == pytest.approx(-7, abs=0.01)


@pytest.mark.parametrize("seed", range(2))
def test_the_circuit_of_gates_is_found_along_its_chain(seed: int) -> None:
    # acceptance check 17
    data = logic1(LogicParams(), np.random.default_rng(seed), 10_000)
    best = upwards(data, [0, 1, 2, 6, 3, 4, 5, 7, 8, 9], seed)
    assert best.size() <= 60
    assert best.log2_likelihood() / 10_000 == pytest.approx(-4, abs=0.005)
