"""What the search for decision graphs leaves out or remembers gives what all the work would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.pdg.learning import forest as pdg_gains
from pgmstudio.core.languages.pdg.learning.forest import SPREAD, PlacementGains, _grown, _Position
from pgmstudio.core.languages.pdg.learning.population import RelocationGains
from pgmstudio.core.languages.pdg.learning.state import Forest, PdgRows, PdgState, RowClasses
from tests.core.languages.pdg.learning.test_pdg_search import started_state
from tests.decision_graphs import random_graph
from tests.strategies import domain_of

seeds = st.integers(0, 2**32)
lambdas = st.sampled_from([0.3, 0.6, 0.9, 0.98])


def drawn_rows(seed: int, variables: int = 6, count: int = 300) -> tuple[PdgRows, Forest]:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, variables)
    data = random_graph(rng, cardinalities=graph.domain.cardinalities).sample(count, rng)
    return PdgRows(DataSet(graph.domain, data.codes)), graph.forest


def bits_of(counts: np.ndarray, table: np.ndarray) -> float:
    """As the kernel adds, so that equal losses are equal."""
    sum_ = total = 0.0
    for one in counts:
        sum_, total = sum_ + table[int(one)], total + one
    return float(sum_ - table[int(total)])


class PlainMerging:
    """The rule of `merge_nodes` without bounds, groups and kinds of nodes: every pair is compared
    when its turn comes, and of pairs that lose the same, the first offered stays."""

    def __init__(
        self, counts: np.ndarray, heads: np.ndarray, is_changed: np.ndarray, table: np.ndarray
    ) -> None:
        self.counts, self.heads, self.is_changed = counts.copy(), heads, is_changed.copy()
        self.table, self.nodes = table, range(counts.shape[0])
        self.partner: list[int | str | None] = [None for _ in self.nodes]
        self.lost = [np.inf for _ in self.nodes]
        self.next_lost = [np.inf for _ in self.nodes]

    def bits(self, counts: np.ndarray) -> float:
        return bits_of(counts, self.table)

    def offer(self, a: int, b: int, loss: float) -> None:
        if self.partner[a] == b:
            return
        if loss < self.lost[a]:
            self.next_lost[a] = self.lost[a]
            self.partner[a], self.lost[a] = b, loss
        elif loss < self.next_lost[a]:
            self.next_lost[a] = loss

    def find(self, a: int, limit: float, *, is_first: bool) -> None:
        mine = self.counts[a]
        for b in self.nodes:
            if b == a or self.partner[b] == "gone" or (self.heads[a] != self.heads[b]).any():
                continue
            if is_first and b < a and self.is_changed[b]:
                continue
            if not (self.is_changed[a] or self.is_changed[b]):
                continue
            other = self.counts[b]
            loss = self.bits(mine) + self.bits(other) - self.bits(mine + other)
            if loss < limit - 1e-9:
                self.offer(a, b, loss)
                self.offer(b, a, loss)

    def merge(self, limit: float) -> list[tuple[int, int]]:
        for a in self.nodes:
            if self.is_changed[a]:
                self.find(a, limit, is_first=True)
        pairs = []
        while min(self.lost) < np.inf:
            a = int(np.argmin(self.lost))
            partner = self.partner[a]
            if isinstance(partner, int):
                a, gone = min(a, partner), max(a, partner)
                self.counts[a] += self.counts[gone]
                self.is_changed[a] = True
                pairs.append((a, gone))
                for node in self.nodes:
                    if self.partner[node] in (a, gone):
                        self.partner[node], self.lost[node] = "stale", self.next_lost[node]
                self.partner[gone], self.lost[gone] = "gone", np.inf
            self.partner[a], self.lost[a], self.next_lost[a] = None, np.inf, np.inf
            self.find(a, limit, is_first=False)
        return pairs


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([0.3, 2.0, 10.0]), st.sampled_from([1, 2]))
def test_merges_are_those_of_plain_comparisons_also_where_pairs_tie(
    seed: int, limit: float, successors: int
) -> None:
    """Few rows, so that nodes without rows, of one state and with equal losses are many."""
    from pgmstudio.core.languages.pdg.learning.kernels import merge_nodes, node_bits

    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.choice([0.1, 0.6, 3.0], size=(30, 1)), size=(30, 3)).astype(float)
    heads = rng.integers(successors, size=(30, 2)).astype(np.int32)
    is_changed = rng.random(30) < rng.choice([0.5, 1.0])
    whole = np.arange(1, 2000, dtype=float)
    table = np.concatenate([[0.0], whole * np.log2(whole)])
    plain = PlainMerging(counts, heads, is_changed, table)
    expected = plain.merge(limit)
    bits, home, pairs = np.empty(30), np.empty(30, np.int32), np.empty((30, 2), np.int32)
    node_bits(counts, table, bits)
    made = merge_nodes(counts, bits, heads, is_changed, limit, table, home, pairs)
    assert list(map(tuple, pairs[:made].tolist())) == expected
    remaining = home == np.arange(30)
    assert (counts[remaining] == plain.counts[remaining]).all()
    assert bits[remaining].tolist() == [bits_of(one, table) for one in counts[remaining]]


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_no_merge_loses_less_than_its_bound(seed: int) -> None:
    from pgmstudio.core.languages.pdg.learning.kernels import least_lost

    rng = np.random.default_rng(seed)
    counts = rng.gamma(0.5, rng.choice([0.1, 1.0, 30.0]), size=(20, 4))
    totals, least = counts.sum(axis=1), np.empty(20)
    least_lost(np.ascontiguousarray((counts / totals[:, None]).T), totals, 3, 0, 20, least)

    def bits(one: np.ndarray) -> float:
        return float((one * np.log2(one / one.sum())).sum())

    for other in range(20):
        loss = bits(counts[3]) + bits(counts[other]) - bits(counts[3] + counts[other])
        assert least[other] <= loss + 1e-9


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_rows_are_classed_as_by_sorting_all_that_stands_below(seed: int) -> None:
    rows, forest = drawn_rows(seed)
    classes = RowClasses(rows, forest)
    children = [[j for j, above in enumerate(forest) if above == i] for i in range(len(forest))]
    for i in range(len(forest)):
        numbers, order, samples = classes.of(i)
        below = [classes.of(child)[0] for child in children[i]]
        keys = np.stack([rows.codes[i].astype(np.int32), *below])
        _, first, expected = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        assert (numbers == expected.ravel()).all()
        assert (samples == first).all()
        assert (order == np.argsort(numbers, kind="stable")).all()
        assert (classes.states(i)[numbers] == rows.codes[i]).all()
        for child in children[i]:
            assert (classes.below(i, child)[numbers] == classes.of(child)[0]).all()


@settings(max_examples=25, deadline=None)
@given(seeds, lambdas)
def test_no_place_gains_more_than_was_hoped(seed: int, lambda_: float) -> None:
    state, *_ = started_state(seed)
    placing = PlacementGains.of(state, lambda_)
    for i, above in np.ndindex(len(state.forest), len(state.forest)):
        if i != above:
            assert placing.below(i, above).gain <= max(0.0, placing.most_below(i, above))


@settings(max_examples=25, deadline=None)
@given(seeds, lambdas)
def test_a_tree_grows_as_if_every_place_had_been_tried(seed: int, lambda_: float) -> None:
    rows, _ = drawn_rows(seed)
    tree = run_to_end(_grown(rows, lambda_, np.random.default_rng(seed), NEVER))
    rng, size = np.random.default_rng(seed), len(rows.cards)
    factors = np.exp(SPREAD * rng.standard_normal((size, size)))
    waiting = {i: _Position(None, 0.0, None, 1) for i in range(size)}
    now, growth = int(rng.integers(size)), PlacementGains(rows, lambda_)
    joined: list[int] = []
    while True:
        position = waiting.pop(now)
        if position.above is None and joined:
            position = _Position(joined[-1], 0.0, None, 1)
        growth.add(now, position)
        joined.append(now)
        if not waiting:
            break
        for i, best in waiting.items():
            tried = growth.below(i, now, float(factors[now, i]))
            if tried.perturbed_gain > best.perturbed_gain:
                waiting[i] = tried
        now = max(waiting, key=lambda i: (waiting[i].perturbed_gain, -i))
    assert (tree.forest, tree.order) == (tuple(growth.forest), tuple(joined))


@settings(max_examples=15, deadline=None)
@given(seeds, lambdas)
def test_changes_are_drawn_from_all_that_gain(seed: int, lambda_: float) -> None:
    state, *_ = started_state(seed)
    placing, size = PlacementGains.of(state, lambda_), len(state.forest)
    gains = {
        (i, above): placing.below(i, above).gain - placing.worth(i, state)
        for i in range(size)
        for above in range(size)
        if above not in (i, state.forest[i])
    }
    result = {pair: gain for pair, gain in gains.items() if gain > 0}
    guide = RelocationGains(state, lambda_)
    assert bool(guide) == bool(result)
    if result:
        fractions = np.array(list(result.values()))
        for draw in range(3):  # the first finds them all, the others remember
            chosen = np.random.default_rng(draw).choice(
                fractions.size, p=fractions / fractions.sum()
            )
            assert guide.drawn(np.random.default_rng(draw)) == list(result)[int(chosen)]


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_redirecting_finds_what_all_sums_would(seed: int) -> None:
    from pgmstudio.core.languages.pdg.learning.kernels import redirect_edges

    rng = np.random.default_rng(seed)
    nodes, kinds, rows = int(rng.integers(2, 9)), int(rng.integers(1, 40)), 150
    fits = np.log2(rng.random((kinds, nodes))).astype(np.float32)
    fits[:, 1:][rng.random((kinds, nodes - 1)) < 0.05] = -np.inf
    classes = rng.integers(kinds, size=rows).astype(np.int32)
    order = np.argsort(classes, kind="stable").astype(np.int32)
    above, codes = rng.integers(4, size=rows), rng.integers(3, size=rows)
    weights = rng.integers(1, 4, size=rows).astype(float)
    edges = np.zeros((4, 3), np.int32)
    expected = edges.copy()
    for upper, label in np.ndindex(4, 3):
        on_edge = np.flatnonzero((above == upper) & (codes == label))
        worth = weights[on_edge] @ fits[classes[on_edge]].astype(float)
        if on_edge.size and worth.max() > worth[0] + 3e-6 * (1 + abs(worth[0])):
            expected[upper, label] = worth.argmax()
    arrays = (above.astype(np.int32), codes.astype(np.uint16), order, classes, weights, fits)
    made = redirect_edges(edges, *arrays)
    assert (edges == expected).all()
    assert made == (expected > 0).sum()


def test_a_copy_redirects_as_a_graph_with_classes_of_its_own() -> None:
    for seed in range(5):
        state, *_ = started_state(seed)
        fresh = PdgState(state.rows, state.forest, start=state.graph())
        twin = state.copy()
        state.redirect()
        assert twin.redirect() == fresh.redirect()
        assert twin.log2_likelihood() == pytest.approx(fresh.log2_likelihood())


def test_blocks_that_are_distributed_equally_are_made_one_where_there_are_very_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One call that merges cannot be stopped, so it must not begin with thousands of nodes."""
    rng = np.random.default_rng(0)
    above = np.repeat(np.arange(60), 4)
    below = np.where(above % 3 == 0, 1, np.where(above % 3 == 1, 0, np.tile([0, 1], 120)))
    data = DataSet(domain_of([60, 2, 2]), np.stack([above, below, rng.integers(0, 2, 240)]))
    result = []
    for most in (pdg_gains.MAX_MERGE_WORK, 60, 10):
        monkeypatch.setattr(pdg_gains, "MAX_MERGE_WORK", most)
        placing = PlacementGains(PdgRows(data), 0.3)
        placing.add(0, _Position(None, 0.0, None, 1))
        result.append(placing.below(1, 0))
    whole, joined, refused = result
    assert whole.nodes == joined.nodes == 3
    assert whole.gain == pytest.approx(joined.gain)
    assert whole.reached is not None
    assert joined.reached is not None
    assert len({*zip(whole.reached.tolist(), joined.reached.tolist(), strict=True)}) == 3
    assert refused.above is None
