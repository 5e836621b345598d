"""Forests of variables, learned by χ² tests or by information gain.

LearnForest (Nielsen 2007, Algs. 4.11, 4.12) uses χ² tests: dependent variables share a tree, and a
tree branches where the branches are independent given the node and the state of the variable above.
The nodes come from a small graph that is learned after every level.

Growing by gain is an alternative. As in Prim's algorithm, variables join one at a time, the one
that raises S_λ most first: the rows are split by node and state of a variable already placed, and
parts are merged again where the distinction does not raise the score.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, ParameterError, UnknownNameError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.pdg.learning.search import SweepRules, learn_pdg
from pgmstudio.core.languages.pdg.learning.state import Forest, PdgRows, PdgState, blocks_of
from pgmstudio.core.languages.pdg.model import minimal_graph
from pgmstudio.core.scores.independence import sums_of, tail_probability

Ints = NDArray[np.int32]
CHAIN = "chain"


@dataclass(frozen=True, slots=True)
class BlockTest:
    """A test of X ⊥ Y within the blocks of a partition; `p_value` is None when rows are too few."""

    statistic: float
    freedom: int
    p_value: float | None

    def finds_dependence(self, level: float) -> bool:
        return self.p_value is not None and self.p_value < level


@dataclass(frozen=True, slots=True)
class BlockRules:
    """How many rows a parameter needs for a test, and whether empty cells take freedom away."""

    min_rows: float = 5.0
    corrects_freedom: bool = True


class BlockTests:
    """χ² tests on the rows of a data set, with a counter of the tests made."""

    def __init__(self, rows: PdgRows, rules: BlockRules) -> None:
        self._rows, self._rules = rows, rules
        self.made = 0

    def test(self, i: int, j: int, blocks: Ints, block_count: int) -> BlockTest:
        """X² = Σ_B Σ (N − E)²/E with E^B_hl = N^B_h+·N^B_+l / |D^B|; blocks are not empty."""
        from pgmstudio.core.languages.pdg.learning.kernels import count

        rows, cells = self._rows, self._rows.cards[i] * self._rows.cards[j]
        if rows.total / (block_count * cells) <= self._rules.min_rows:
            return BlockTest(0.0, 0, None)
        self.made += 1
        counts = np.zeros((block_count * rows.cards[i], rows.cards[j]))
        count(blocks * np.int32(rows.cards[i]) + rows.codes[i], rows.codes[j], rows.weights, counts)
        return block_test(counts.reshape(block_count, rows.cards[i], rows.cards[j]), self._rules)


def block_test(counts: Floats, rules: BlockRules) -> BlockTest:
    """The test on a table (block, state, state): |B|·(k−1)(l−1) degrees of freedom, less one for
    every empty cell, at least 1."""
    sums = sums_of(counts)
    freedom = sums.full_freedom
    if rules.corrects_freedom:
        freedom = max(1, freedom - int((counts == 0).sum()))
    return BlockTest(sums.chi2, freedom, tail_probability(sums.chi2, freedom))


def dependent_groups(
    tests: BlockTests,
    variables: Sequence[int],
    blocks: Ints,
    block_count: int,
    level: float,
    cancel: CancelToken,
) -> list[list[int]]:
    """The connected components of depGraph: joined wherever a test finds dependence at `level`."""
    groups: list[list[int]] = []
    for i in variables:
        cancel.raise_if_cancelled()
        joined = [
            group
            for group in groups
            if any(tests.test(j, i, blocks, block_count).finds_dependence(level) for j in group)
        ]
        groups = [group for group in groups if not any(group is other for other in joined)]
        groups.append(sorted([i, *(j for group in joined for j in group)]))
    return sorted(groups)


@dataclass(frozen=True, slots=True)
class ForestGrowth:
    """Progress of a growing forest: variables placed, tests made, levels grown."""

    placed: int
    tests: int
    depth: int


def learn_forest(
    rows: PdgRows,
    level: float,
    lambda_: float,
    rules: SweepRules,
    test_rules: BlockRules,
    rng: np.random.Generator,
    cancel: CancelToken,
    *,
    by_parameters: bool = False,
) -> Generator[ForestGrowth, None, Forest]:
    """One forest at a significance level; component roots are drawn."""
    tests = BlockTests(rows, test_rules)
    everywhere = np.zeros(rows.row_count, dtype=np.int32)
    size = len(rows.cards)
    forest: list[int | None] = [None] * size
    placed = depth = 0
    for group in dependent_groups(tests, range(size), everywhere, 1, level, cancel):
        below = {(root := int(rng.choice(group))): [i for i in group if i != root]}
        placed += 1
        tree: list[int | None] = [None] * size
        while any(below.values()):
            start = PdgState(rows, tuple(tree), by_parameters=by_parameters)
            state = start
            if any(above is not None for above in tree):
                state = run_to_end(learn_pdg(start, lambda_, rules, rng, cancel))
            now, below = below, {}
            for leaf, waiting in now.items():
                nodes, codes = state.bits[leaf].size, rows.codes[leaf]
                blocks, count = blocks_of(state.reached[leaf], nodes, codes, rows.cards[leaf])
                for part in dependent_groups(tests, waiting, blocks, count, level, cancel):
                    top = int(rng.choice(part))
                    tree[top] = forest[top] = leaf
                    below[top] = [i for i in part if i != top]
                    placed += 1
            depth += 1
            yield ForestGrowth(placed, tests.made, depth)
    return tuple(forest)


def parse_forest(domain: Domain, text: str) -> Forest:
    """The forest that a text such as "A->B->C, A->D" describes; "chain" is the order of the
    columns.

    Variables that are not named are roots of their own.
    """
    size = len(domain)
    if text.strip() == CHAIN and CHAIN not in domain:
        return chain(range(size))
    forest: list[int | None] = [None] * size
    problems: list[str] = []
    (paths,) = csv.reader([text.replace("→", "->").replace(";", ",")], skipinitialspace=True)
    for path in filter(str.strip, paths):
        names = [name.strip() for name in path.split("->")]
        unknown = [name for name in names if name not in domain]
        problems += [str(UnknownNameError("column", name, domain.names)) for name in unknown]
        if unknown:
            continue
        for above, name in pairwise(names):
            i, top = domain.index(name), domain.index(above)
            if forest[i] not in (None, top):
                problems.append(
                    f"{name} stands below two variables; a forest allows one parent each."
                )
            forest[i] = top
    if not problems:
        try:
            minimal_graph(domain, tuple(forest))
        except GraphError as wrong:
            problems.append(str(wrong))
    if problems:
        raise ParameterError({"forest": " ".join(problems)})
    return tuple(forest)


def chain(order: Iterable[int]) -> Forest:
    """Each variable below the one before it."""
    indices = list(order)
    forest: list[int | None] = [None] * len(indices)
    for above, below in pairwise(indices):
        forest[below] = above
    return tuple(forest)


# Standard deviation of the log factor that perturbs the gains, so that other trees are tried too.
SPREAD = 0.25
# Trees grown for each forest; the best is used.
TREES = 5


# Maximum cells of the counts of a variable below another; larger positions are skipped.
MAX_CELLS = 2**26
# Nodes² · states of one merge call, which cannot be interrupted: about a second. Above this, equal
# nodes are merged first, and if that is not enough the position is skipped.
MAX_MERGE_WORK = 300_000_000


@dataclass(frozen=True, slots=True)
class _Position:
    above: int | None
    gain: float  # in bits
    reached: Ints | None  # which node each row would reach; None for a single node
    nodes: int
    perturbed_gain: float = 0.0  # the gain times a random factor


@dataclass(slots=True)
class _Waiting:
    """A variable not yet placed: the best position tried, and candidates that may be better.

    `at` is the turn at which the variable above it joined; of equally good positions the first is
    taken.
    """

    best: _Position
    at: int
    candidates: list[tuple[float, int]]  # upper bound of the perturbed gain, and turn

    @property
    def upper_bound(self) -> float:
        return (
            max(self.best.perturbed_gain, max(self.candidates)[0])
            if self.candidates
            else self.best.perturbed_gain
        )

    def add_candidate(self, perturbed_gain: float, at: int) -> None:
        if perturbed_gain > self.best.perturbed_gain:
            self.candidates.append((perturbed_gain, at))

    def take(self, tried: _Position, at: int) -> None:
        """Record a position that was tried; drop candidates that cannot beat the best."""
        if (tried.perturbed_gain, -at) > (self.best.perturbed_gain, -self.at):
            self.best, self.at = tried, at
        self.candidates = [
            one for one in self.candidates if one[0] > self.best.perturbed_gain and one[1] != at
        ]


@dataclass(frozen=True, slots=True)
class _Tree:
    forest: Forest
    order: tuple[int, ...]
    gain: float


def grow_by_gains(
    rows: PdgRows,
    lambda_: float,
    rng: np.random.Generator,
    cancel: CancelToken,
    *,
    as_chain: bool = False,
) -> Generator[ForestGrowth, None, Forest]:
    """The tree of largest gain of several, each with its own random root and perturbed gains.

    A variable that gains nowhere is placed below the last leaf, which costs nothing and allows for
    dependences of several variables, such as parity. `as_chain` makes a chain of the order in which
    the variables joined.
    """
    best: _Tree | None = None
    for _ in range(TREES):
        tree = yield from _grown(rows, lambda_, rng, cancel)
        if best is None or tree.gain > best.gain:
            best = tree
    assert best is not None
    return chain(best.order) if as_chain else best.forest


def _grown(
    rows: PdgRows, lambda_: float, rng: np.random.Generator, cancel: CancelToken
) -> Generator[ForestGrowth, None, _Tree]:
    growth = PlacementGains(rows, lambda_)
    size = len(rows.cards)
    factors = np.exp(SPREAD * rng.standard_normal((size, size)))
    waiting = {i: _Waiting(_Position(None, 0.0, None, 1), -1, []) for i in range(size)}
    now, gain = int(rng.integers(size)), 0.0
    joined: list[int] = []
    while True:
        position = waiting.pop(now).best
        if position.above is None and joined:
            position = _Position(joined[-1], 0.0, None, 1)
        growth.add(now, position)
        joined.append(now)
        gain += position.gain
        yield ForestGrowth(size - len(waiting), growth.tried, 0)
        if not waiting:
            return _Tree(tuple(growth.forest), tuple(joined), gain)
        for i, one in waiting.items():
            cancel.raise_if_cancelled()
            one.add_candidate(growth.most_below(i, now) * float(factors[now, i]), len(joined) - 1)
        # Merging is tried only where the upper bound exceeds the known gains of all others.
        while True:
            cancel.raise_if_cancelled()
            now = max(waiting, key=lambda i: (waiting[i].upper_bound, -i))
            one = waiting[now]
            if not one.candidates:
                break
            at = max(one.candidates)[1]
            one.take(growth.below(now, joined[at], float(factors[joined[at], now])), at)


class PlacementGains:
    """The variables already placed, and the gains of others below them."""

    def __init__(self, rows: PdgRows, lambda_: float) -> None:
        self._rows, self._ratio = rows, lambda_ / (1 - lambda_)
        self.forest: list[int | None] = [None] * len(rows.cards)
        self._parts: dict[int, tuple[Ints, int]] = {}
        self._costs = [0.0] * len(rows.cards)
        self._bits: dict[int, float] = {}
        self.tried = 0

    @classmethod
    def of(cls, state: PdgState, lambda_: float) -> PlacementGains:
        """All variables as they are in a graph.

        With one more below a variable, the numbers of all its nodes count once more, unless there
        was none below; a growing tree computes positions below a variable when it joins.
        """
        placing = cls(state.rows, lambda_)
        for i, reached in enumerate(state.reached):
            placing.add(i, _Position(state.forest[i], 0.0, reached, state.bits[i].size))
        for i, below in enumerate(state.children):
            if below:
                placing._costs[i] = placing._ratio * placing._parts[i][1]
        return placing

    def worth(self, i: int, state: PdgState) -> float:
        """The gain of a variable at its position over a single node."""
        bits = state.bits[i]
        now = float(bits.sum()) - self._ratio * self._rows.cards[i] * (bits.size - 1)
        return now - self._alone(i)

    def add(self, i: int, position: _Position) -> None:
        rows = self._rows
        self.forest[i] = position.above
        reached = position.reached
        if reached is None:
            reached = np.zeros(rows.row_count, dtype=np.int32)
        self._parts[i] = blocks_of(reached, position.nodes, rows.codes[i], rows.cards[i])

    def most_below(self, i: int, above: int) -> float:
        """An upper bound of the gain of a variable as a leaf below another.

        It assumes that merging the blocks of rows into two nodes loses nothing; 0 at least, and a
        little more for rounding.
        """
        self.tried += 1
        if self._parts[above][1] * self._rows.cards[i] > MAX_CELLS:
            return -math.inf
        _, bits = self._counted(i, above)
        with_all, alone = float(bits.sum()), self._alone(i)
        gain = max(0.0, with_all - alone - self._ratio * self._rows.cards[i])
        return gain - self._costs[above] + 1e-9 * (1 - with_all - alone)

    def below(self, i: int, above: int, factor: float = 1.0) -> _Position:
        """The variable as a leaf below another, its nodes merged where that raises the score."""
        from pgmstudio.core.languages.pdg.learning.kernels import merge_nodes

        rows, card = self._rows, self._rows.cards[i]
        blocks, size = self._parts[above]
        counts, bits = self._counted(i, above)
        if size * size * card > MAX_MERGE_WORK:
            counts, bits, equal = self._without_equal(counts)
            blocks, size = equal[blocks], len(counts)
            if size * size * card > MAX_MERGE_WORK:
                return _Position(None, 0.0, None, 1)
        home = np.empty(size, dtype=np.int32)
        everyone = np.ones(size, dtype=bool)
        no_heads, pairs = np.empty((size, 0), dtype=np.int32), np.empty((size, 2), dtype=np.int32)
        limit = self._ratio * card
        merge_nodes(counts, bits, no_heads, everyone, limit, rows.table, home, pairs)
        representatives = np.flatnonzero(home == np.arange(size))
        gain = (
            float(bits[representatives].sum())
            - self._alone(i)
            - self._ratio * card * (representatives.size - 1)
        )
        gain -= self._costs[above]
        number = np.empty(size, dtype=np.int32)
        number[representatives] = np.arange(representatives.size)
        if gain <= 0 or math.isnan(gain):
            return _Position(None, 0.0, None, 1)
        return _Position(above, gain, number[home][blocks], representatives.size, gain * factor)

    def _counted(self, i: int, above: int) -> tuple[Floats, Floats]:
        """The counts of a variable in the blocks of another, and their bits."""
        from pgmstudio.core.languages.pdg.learning.kernels import count, node_bits

        rows, (blocks, size) = self._rows, self._parts[above]
        counts, bits = np.zeros((size, rows.cards[i])), np.empty(size)
        count(blocks, rows.codes[i], rows.weights, counts)
        node_bits(counts, rows.table, bits)
        return counts, bits

    def _without_equal(self, counts: Floats) -> tuple[Floats, Floats, Ints]:
        """Blocks with equal distributions of a variable merged, which loses nothing: their counts,
        their bits, and the new number of each block."""
        from pgmstudio.core.languages.pdg.learning.kernels import node_bits

        fractions = counts / counts.sum(axis=1, keepdims=True)
        kinds, number = np.unique(fractions.round(12), axis=0, return_inverse=True)
        of_kind: Ints = number.reshape(-1).astype(np.int32)
        joined: Floats = np.zeros((len(kinds), counts.shape[1]))
        bits: Floats = np.empty(len(kinds))
        np.add.at(joined, of_kind, counts)
        node_bits(joined, self._rows.table, bits)
        return joined, bits, of_kind

    def _alone(self, i: int) -> float:
        """L of the variable with a single node."""
        from pgmstudio.core.languages.pdg.learning.kernels import node_bits

        if i not in self._bits:
            counts = np.bincount(
                self._rows.codes[i], self._rows.weights, minlength=self._rows.cards[i]
            )
            alone = np.empty(1)
            node_bits(counts.astype(np.float64)[None], self._rows.table, alone)
            self._bits[i] = float(alone[0])
        return self._bits[i]
