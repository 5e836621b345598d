"""EM for mixtures of trees: the parameters, the E step, and the steps common to all subclasses.

In the E step, γ_k(row) ∝ λ_k T^k(row), two threads take every other block of rows each. Complete
rows are processed by their cells off the reference state, the others by messages along every tree.
The search for the best trees in the M step is left to the subclasses.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.tree.learning.priors import TreePriors, entropic_weights
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.row_blocks import Part, Workspace, steps_of
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.responsibilities import lined_zeros, padded
from pgmstudio.core.learning.sparse_rows import SparseRows


@dataclass(frozen=True, eq=False)
class TreeTables:
    """The parameters of a mixture at one moment, states numbered from the reference states."""

    weights: Floats
    forests: NDArray[np.int64]
    tables: Floats


def mixture_of(rows: SparseRows, tables: TreeTables) -> TreeMixture:
    """The model with these parameters, in the state coding of the rows."""
    numbers = [rows.state_numbers(v) for v in range(len(rows.domain))]
    trees = tuple(
        _tree(rows.domain, numbers, forest.tolist(), flat)
        for forest, flat in zip(tables.forests, tables.tables, strict=True)
    )
    return TreeMixture(rows.domain, tables.weights / tables.weights.sum(), trees)


def _tree(
    domain: Domain, numbers: list[NDArray[np.int64]], forest: list[int], flat: Floats
) -> Tree:
    """One of the trees; `numbers` has per variable the index of each state in its table."""
    cards, result, at = domain.cardinalities, [], 0
    widest = max(cards, default=1)
    for v, parent in enumerate(forest):
        lines = cards[parent] if parent >= 0 else 1
        table = flat[at : at + lines * cards[v]].reshape(lines, cards[v])[:, numbers[v]]
        result.append(table[numbers[parent]] if parent >= 0 else table[0])
        at += cards[v] * widest
    return Tree(domain, tuple(None if p < 0 else p for p in forest), tuple(result))


class TreeMixtureState:
    """Weights, forests and tables of the trees, and buffers."""

    def __init__(
        self, rows: SparseRows, count: int, priors: TreePriors, cancel: CancelToken = NEVER
    ) -> None:
        self.rows, self.count, self.priors, self._cancel = rows, count, priors, cancel
        self._threads = ThreadPoolExecutor(max_workers=1)
        cells, width = rows.cell_count, len(rows.domain)
        cards = np.array(rows.domain.cardinalities, dtype=np.int64)
        widest = int(cards.max(initial=1))
        self._variable_of = np.repeat(np.arange(width), cards - 1).astype(np.int64)
        self._state_at = np.concatenate(([0], np.cumsum(cards))).astype(np.int64)
        self._table_at = self._state_at * widest
        self._lanes = padded(count)
        self._works = [Workspace(cells, self._lanes) for _ in range(2)]
        self.weights = np.full(count, 1 / count)
        self.masses = np.full(count, rows.total_weight / count)
        self.forests = np.full((count, width), -1, dtype=np.int64)
        self._tables = np.zeros((count, int(self._table_at[-1])))
        self._orders = np.zeros((count, width), dtype=np.int64)
        self.changed_edges = 0
        # The terms of a row's log-likelihood, per cell and component; see `expect_rows`.
        self._base, self._alone = np.zeros(count), lined_zeros(cells * self._lanes)
        self._term_count = int((cards - 1).sum()) * widest
        self._zeros = int(cards[0]) if width else 1
        self._with_parent = np.zeros(self._zeros + count * self._term_count)
        self._pair_at = np.zeros((cells, count), dtype=np.int32)
        self._parents = np.zeros((width, count), dtype=np.int32)
        most = count * cells * max(widest - 1, 1)
        self._term_ends = np.zeros(count, dtype=np.int64)
        self._firsts, self._seconds = np.zeros((2, most), dtype=np.int32)
        self._terms = np.zeros(2 * most)

    def taken(self) -> TreeTables:
        """A copy of the current parameters."""
        return TreeTables(self.weights.copy(), self.forests.copy(), self._tables.copy())

    def put(self, tables: TreeTables) -> None:
        """Set the current parameters."""
        self.weights = tables.weights.copy()
        self.forests[:], self._tables[:] = tables.forests, tables.tables
        for k in range(self.count):
            self._update_terms(k)

    def mixture(self) -> TreeMixture:
        """The current mixture as a model."""
        return mixture_of(self.rows, self.taken())

    @property
    def sizes(self) -> tuple[int, int]:
        """The effective size and the representation size of the mixture, without making it."""
        cards = np.array(self.rows.domain.cardinalities, dtype=np.int64)
        effective, free = 0, self.count - 1
        for forest in self.forests:
            has_parent, has_child = forest >= 0, np.zeros(cards.size, dtype=bool)
            has_child[forest[has_parent]] = True
            above = np.where(has_parent, cards[forest], 1) if cards.size else cards
            free += int(((cards - 1) * above).sum())
            effective += int((cards * above)[has_parent | ~has_child].sum())
        return effective, free

    @property
    def effective_components(self) -> float:
        """exp of the entropy of the weights."""
        weights = self.weights[self.weights > 0]
        return math.exp(-float((weights * np.log(weights)).sum()))

    def _column_tables(self) -> Floats:
        """A root's table for every variable: the frequencies of the states that are there."""
        result = np.zeros(self._tables.shape[1])
        for v, card in enumerate(self.rows.domain.cardinalities):
            column = self.rows.states[:, v]
            seen = column >= 0
            counts = np.bincount(column[seen], self.rows.weights[seen], minlength=card) + 1e-6
            result[self._table_at[v] : self._table_at[v] + card] = counts / counts.sum()
        return result

    def _update_terms(self, k: int) -> None:
        from pgmstudio.core.languages.tree_mixture.learning.kernels import tree_terms

        tree_terms(
            self._tables[k],
            self._table_at,
            self.rows.cell_at,
            self.forests[k],
            k,
            self._lanes,
            self._zeros + k * self._term_count,
            self._base,
            self._alone,
            self._with_parent,
            self._pair_at,
            self._parents,
        )

    def _update_orders(self) -> None:
        """Parents before children, for the messages of rows with missing cells."""
        from pgmstudio.core.languages.tree_mixture.learning.missing_kernels import parents_first

        for k in range(self.count):
            parents_first(self.forests[k], self._orders[k])


# A row below this has a table cell of 0 in every tree (see _NEVER in mixture_em_kernels).
_IMPOSSIBLE = -5e4
# A term added in tiles of rows takes less time than a cell looked up in a row, by this factor.
_TILES_PAY = 8.0


class TreeMixtureExpectation(TreeMixtureState, ABC):
    """The E step: log-likelihoods of rows, and sums of responsibilities."""

    last_log_likelihood: float
    _counts_in_parallel = True

    def log_likelihood(self, rows: SparseRows | None = None) -> float:
        """Σ weight · ln Q(row) of the current mixture, in nats; or of rows of the same coding."""
        rows = self.rows if rows is None else rows
        for _ in self._pass(rows, is_counting=False):
            pass
        return self.last_log_likelihood

    def row_logs(self, rows: SparseRows) -> Floats:
        """ln Q(row) of rows of the same coding."""
        result = np.zeros(rows.row_count)
        for _ in self._pass(rows, is_counting=False, row_logs=result):
            pass
        return np.where(result < _IMPOSSIBLE, -np.inf, result)

    def _pass(
        self, rows: SparseRows, *, is_counting: bool, row_logs: Floats | None = None
    ) -> Iterator[float]:
        if rows.gap_count:
            self._update_orders()
        logs = np.zeros(0) if row_logs is None else row_logs
        is_tiled = self._list_terms(rows)
        steps = steps_of(rows, self.count)
        total = 0.0
        for done, runs in enumerate(steps, start=1):
            self._cancel.raise_if_cancelled()

            def visit(number: int, runs: Sequence[tuple[int, int]]) -> float:
                return self._visit(rows, runs, number, is_counting, is_tiled, logs)

            if len(runs) > 1 and (self._counts_in_parallel or not is_counting):
                later = self._threads.submit(visit, 1, runs[1::2])
                total += visit(0, runs[::2])
                total += later.result()
            else:
                total += visit(0, runs)
            if done < len(steps):
                yield done / len(steps)
        self.last_log_likelihood = (
            total if total > _IMPOSSIBLE * max(1.0, rows.total_weight) else (-math.inf)
        )

    def _list_terms(self, rows: SparseRows) -> bool:
        """Whether tiles of rows are faster for these rows; lists the terms for them."""
        from pgmstudio.core.languages.tree_mixture.learning.kernels import list_terms

        list_terms(
            self._variable_of,
            self.rows.cell_at,
            self._alone,
            self._with_parent,
            self._pair_at,
            self._parents,
            self._lanes,
            self._term_ends,
            self._firsts,
            self._seconds,
            self._terms,
        )
        terms = float(self._term_ends[-1]) * rows.whole_count
        return terms < _TILES_PAY * rows.cells.size * self.count

    def _visit(
        self,
        rows: SparseRows,
        runs: Sequence[tuple[int, int]],
        number: int,
        is_counting: bool,
        is_tiled: bool,
        row_logs: Floats,
    ) -> float:
        """The E step, and the sums for the M step, of some runs of rows; returns Σ weight · ln
        Q."""
        from pgmstudio.core.languages.tree_mixture.learning.kernels import expect_rows, expect_tiles
        from pgmstudio.core.languages.tree_mixture.learning.missing_kernels import expect_gap_rows

        work, total = self._works[number], 0.0
        log_weights = np.log(np.maximum(self.weights, 1e-300))
        for begin, end in runs:
            if work.responsibilities.shape[0] < end - begin:
                work.resize(end - begin)
            if begin < rows.whole_count and is_tiled:
                expect_tiles(
                    rows.starts,
                    rows.cells,
                    begin,
                    end,
                    self._base + log_weights,
                    self._term_ends,
                    self._firsts,
                    self._seconds,
                    self._terms,
                    work.bits,
                    work.tile,
                    work.responsibilities,
                )
            elif begin < rows.whole_count:
                expect_rows(
                    rows.starts,
                    rows.cells,
                    self._variable_of,
                    rows.states,
                    begin,
                    end,
                    self._base + log_weights,
                    self._alone,
                    self._with_parent,
                    self._pair_at,
                    self._parents,
                    self._lanes,
                    work.flat_responsibilities,
                    work.responsibilities,
                )
            else:
                expect_gap_rows(
                    rows.states,
                    begin,
                    end,
                    log_weights,
                    self._orders,
                    self.forests,
                    self._table_at,
                    self._tables,
                    self._state_at,
                    work.responsibilities,
                )
            logs = work.normalize(self.count, rows.weights, rows.choice, begin, end)
            total += float(rows.weights[begin:end] @ logs)
            if row_logs.size:
                row_logs[begin:end] = logs
            if is_counting:
                work.masses += work.responsibilities[: end - begin, : self.count].sum(axis=0)
                self._add(rows, begin, end, number)
        return total

    @abstractmethod
    def _add(self, rows: SparseRows, begin: int, end: int, number: int) -> None:
        """Add the responsibilities of the rows begin … end − 1 in workspace `number` to the
        sums."""

    def _clear(self) -> None:
        for work in self._works:
            work.masses = np.zeros(self.count)


# What the progress of a step counts.
ROWS, TREES = "rows", "trees"
# Cells whose first responsibilities are computed together, and the cost of each in numbers.
START_CELLS, START_VISITS = 2_000_000, 10
# A task on some components and a workspace; yields when it may be interrupted.
Task = Callable[[range, int], Iterator[None]]


class ComponentPosterior(Protocol):
    """A model with responsibilities of components."""

    def responsibilities(self, data: DataSet) -> Floats: ...


class TreeMixtureSteps(TreeMixtureExpectation):
    """The state of one EM run; `start`, then `improve` until it no longer pays."""

    # -- starting ---------------------------------------------------------------------------------

    def start(self, responsibilities: Floats) -> None:
        """Begin with these responsibilities, rows × components, each row summing to 1."""
        _finish(self.starting(responsibilities))

    def starting(self, responsibilities: Floats) -> Iterator[Part]:
        """The same in parts; yields progress when that takes long."""
        return self._starting(lambda begin, end: responsibilities[begin:end])

    def start_at_random(self, rng: np.random.Generator, spread: float = 0.1) -> None:
        """Responsibilities drawn from a Dirichlet distribution; a small `spread` separates the
        rows."""
        _finish(self.starting_at_random(rng, spread))

    def starting_at_random(self, rng: np.random.Generator, spread: float = 0.1) -> Iterator[Part]:
        """The same in parts; yields progress."""
        even = np.full(self.count, spread)
        return self._starting(lambda begin, end: rng.dirichlet(even, size=end - begin))

    def starting_by(self, responsibilities_of: Callable[[int, int], Floats]) -> Iterator[Part]:
        """Begin with responsibilities that are given for the rows begin … end − 1."""
        return self._starting(responsibilities_of)

    def starting_like(self, model: ComponentPosterior) -> Iterator[Part]:
        """Begin with the responsibilities of another model."""
        return self._starting(
            lambda begin, end: model.responsibilities(self.rows.data_of(begin, end))
        )

    def _starting(self, responsibilities_of: Callable[[int, int], Floats]) -> Iterator[Part]:
        """M step for given responsibilities; a missing cell has the frequencies of its column."""
        self._clear()
        if self.rows.gap_count:
            self._tables[:] = self._column_tables()
            self.forests[:] = -1
            self._update_orders()
        width = len(self.rows.domain)
        step = max(1, START_CELLS // max(width, 1))
        for begin, end in self.rows.blocks:
            given = np.empty((end - begin, self.count))
            for first in range(begin, end, step):
                self._cancel.raise_if_cancelled()
                last = min(first + step, end)
                given[first - begin : last - begin] = responsibilities_of(first, last)
                if self._works[0].spend((last - first) * width * START_VISITS):
                    yield Part(last / self.rows.row_count, ROWS)
            known = self.rows.choice[begin:end]
            given[known >= 0] = 0.0
            given[np.flatnonzero(known >= 0), known[known >= 0]] = 1.0
            given *= self.rows.weights[begin:end, None]
            self._add_given(begin, end, given)
        yield from self._maximising(self.rows.total_weight)

    def _add_given(self, begin: int, end: int, given: Floats) -> None:
        """Add these responsibilities of the rows begin … end − 1 to the sums."""
        work = self._works[0]
        if work.responsibilities.shape[0] < end - begin:
            work.resize(end - begin)
        work.responsibilities[: end - begin, : given.shape[1]] = given
        work.masses += work.responsibilities[: end - begin, : self.count].sum(axis=0)
        self._add(self.rows, begin, end, 0)

    # -- one iteration ----------------------------------------------------------------------------

    def improve(self) -> float:
        """One E and one M step; the log-likelihood in nats before the M step."""
        _finish(self.improving())
        return self.last_log_likelihood

    def improving(self) -> Iterator[Part]:
        """The same in parts, for large data; yields progress."""
        self._clear()
        yield from (Part(fraction, ROWS) for fraction in self._pass(self.rows, is_counting=True))
        yield from self._maximising(self.rows.total_weight)

    # -- the trees --------------------------------------------------------------------------------

    def _maximising(self, total_weight: float) -> Iterator[Part]:
        """The M step from the sums over rows of this weight."""
        self.masses = self._works[0].masses + self._works[1].masses
        total = total_weight + self.priors.weight_rows
        masses = self.masses + self.priors.weight_rows / self.count
        if self.priors.weight_entropy > 0 and total > 0:
            self.weights = entropic_weights(masses, self.priors.weight_entropy, self.weights)
        else:
            self.weights = masses / total
        yield from self.fitting()

    def smoothing(self, strength: float) -> Iterator[Part]:
        """Fit the trees again, from the same responsibilities, with other smoothing."""
        self.priors = replace(self.priors, strength=strength)
        yield from self.fitting()

    def fitting(self) -> Iterator[Part]:
        """The best trees for the responsibilities of the last pass; yields progress if that is
        long."""
        from pgmstudio.core.languages.tree_mixture.learning.kernels import new_edges

        before = self.forests.copy()
        for work in self._works:
            work.spent = 0
        yield from (Part(fraction, TREES) for fraction in self._fitting())
        self.changed_edges = sum(
            new_edges(old, new) for old, new in zip(before, self.forests, strict=True)
        )

    @abstractmethod
    def _fitting(self) -> Iterator[float]:
        """Fit forests and tables."""

    def _run_for_components(self, task: Task, group: int = 1) -> Iterator[float]:
        """The task for all components, `group` at a time, every other group in a second thread.

        Yields the fraction that is done whenever the task yields in this thread.
        """
        groups = [range(k, min(k + group, self.count)) for k in range(0, self.count, group)]
        mine, others = groups[::2], groups[1::2]

        def run_others() -> None:
            for group in others:
                _finish(task(group, 1))

        later = self._threads.submit(run_others) if others else None
        for done, one in enumerate(mine):
            for _ in task(one, 0):
                yield done / len(mine)
        if later is not None:
            later.result()

    def _rows_with_prior(self) -> Floats:
        """Γ_k + N'_k if the policy is pseudo-rows; else Γ_k."""
        return np.asarray(np.maximum(self.masses, 1e-12) + self.priors.own_rows / self.count)

    # -- results ----------------------------------------------------------------------------------

    def prior_term(self) -> float:
        """Σ_k N'_k ⟨log T^k⟩_P' − Σ β + Σ (c/m) ln λ_k − α H(λ): the terms of the objective other
        than the data."""
        total = -self.priors.weight_entropy * math.log(self.effective_components)
        if self.priors.weight_rows > 0:
            own = self.priors.weight_rows / self.count
            total += own * float(np.log(self.weights).sum())
        rows = self._rows_with_prior()
        for k in range(self.count):
            if self.priors.own_rows > 0:
                total += self.priors.own_rows / self.count * self._prior_log(k)
            if self.priors.is_shared and k > 0:
                continue
            mine = float(rows.sum() if self.priors.is_shared else rows[k])
            total -= self._penalty(k, mine)
        return total

    @abstractmethod
    def _penalty(self, k: int, rows: float) -> float:
        """Σ β over the edges of tree k, which has so many rows."""

    @abstractmethod
    def _prior_log(self, k: int) -> float:
        """⟨log T^k⟩_P'."""


def _finish(parts: Iterable[object]) -> None:
    for _ in parts:
        pass
