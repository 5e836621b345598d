"""LearnForest: which variable is decided after which, by χ² tests (Nielsen 2007, Algs. 4.11, 4.12).

Dependent variables share a tree; a tree branches where the branches are independent given the node
and the state of the variable they hang from. The nodes come from a small graph that is learned
after every level.
"""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, ParameterError, UnknownNameError
from pgmstudio.core.learning.pdg_search import SweepRules, learn_pdg
from pgmstudio.core.learning.pdg_state import Forest, PdgRows, PdgState, blocks_of
from pgmstudio.core.learning.search_value import value_of
from pgmstudio.core.models.decision_graph import minimal_graph
from pgmstudio.core.running import CancelToken

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
    """χ² tests on rows; counts how many were made."""

    def __init__(self, rows: PdgRows, rules: BlockRules) -> None:
        self._rows, self._rules = rows, rules
        self.made = 0

    def test(self, i: int, j: int, blocks: Ints, block_count: int) -> BlockTest:
        """X² = Σ_B Σ (N − E)²/E with E^B_hl = N^B_h+·N^B_+l / |D^B|; blocks are not empty."""
        from pgmstudio.core.learning.pdg_kernels import count

        rows, cells = self._rows, self._rows.cards[i] * self._rows.cards[j]
        if rows.total / (block_count * cells) <= self._rules.min_rows:
            return BlockTest(0.0, 0, None)
        self.made += 1
        counts = np.zeros((block_count * rows.cards[i], rows.cards[j]))
        count(blocks * np.int32(rows.cards[i]) + rows.codes[i], rows.codes[j], rows.weights, counts)
        return block_test(counts.reshape(block_count, rows.cards[i], rows.cards[j]), self._rules)


def block_test(counts: NDArray[np.float64], rules: BlockRules) -> BlockTest:
    """The test on a table (block, state, state): |B|·(k−1)(l−1) degrees of freedom, less one for
    every empty cell, at least 1."""
    from pgmstudio.core.scores.independence_tests import sums_of, tail_probability

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
class Grown:
    """A forest on its way: variables placed, tests made, levels grown."""

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
) -> Generator[Grown, None, Forest]:
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
                state = value_of(learn_pdg(start, lambda_, rules, rng, cancel))
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
            yield Grown(placed, tests.made, depth)
    return tuple(forest)


def parse_forest(domain: Domain, text: str) -> Forest:
    """ "A->B->C, A->D": what stands below what; "chain" is the order of the columns.

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
                problems.append(f"{name} stands below two variables; a forest has one above each.")
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
    places = list(order)
    forest: list[int | None] = [None] * len(places)
    for above, below in pairwise(places):
        forest[below] = above
    return tuple(forest)
