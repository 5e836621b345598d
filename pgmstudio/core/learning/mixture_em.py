"""EM for mixtures of trees (MixTree and MixTreeS; Meilă 1999, §3.3, §4, §6).

E: γ_k(row) ∝ λ_k T^k(row). M: λ_k from Γ_k = Σ γ_k; every tree is the best one for its share of
the rows: a maximum spanning forest of W_uv = I_uv − β_uv / (Γ_k + N'), with the pair tables
P̃ = (Γ_k P^k + N' P') / (Γ_k + N') in the place of the plain ones. Then the objective
Σ log Q(row) + Σ_k N' ⟨log T^k⟩_P' − Σ β never decreases (§5.3). Missing cells are summed out
in E and count with their posterior in M, so it is exact EM for cells missing at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.learning.component_shares import padded
from pgmstudio.core.learning.mixture_priors import TreePriors
from pgmstudio.core.learning.mixture_rows import SparseRows
from pgmstudio.core.learning.mixture_tables import TreeTables, mixture_of
from pgmstudio.core.learning.mixture_work import Workspace, blocks, steps_of, strips
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.running import NEVER, CancelToken

Floats = NDArray[np.float64]

# A row below this has a table cell of 0 in every tree (see _NEVER in mixture_em_kernels).
_IMPOSSIBLE = -5e4
# Sums are kept twice, for two threads, as long as they take no more bytes than this.
_MOST_DOUBLED = 1 << 28


class Sharing(Protocol):
    """A model with components."""

    def responsibilities(self, data: DataSet) -> Floats: ...


class TreeMixtureEm:
    """The state of one EM run; `start`, then `improve` until it no longer pays."""

    def __init__(
        self, rows: SparseRows, count: int, priors: TreePriors, cancel: CancelToken = NEVER
    ) -> None:
        self.rows, self.count, self.priors, self._cancel = rows, count, priors, cancel
        self._threads = ThreadPoolExecutor(max_workers=1)
        cells, width = rows.cell_count, len(rows.domain)
        cards = np.array(rows.domain.cardinalities, dtype=np.int64)
        widest = int(cards.max(initial=1))
        self._free = np.outer(cards - 1, cards - 1).astype(np.float64)
        self._variable_of = np.repeat(np.arange(width), cards - 1).astype(np.int64)
        self._state_at = np.concatenate(([0], np.cumsum(cards))).astype(np.int64)
        self._table_at = self._state_at * widest
        index = np.arange(cells)
        self._offsets = (index * cells - index * (index + 1) // 2).astype(np.int64)
        self._lanes = padded(count)
        size = cells * (cells + 1) // 2
        copies = 2 if 2 * size * self._lanes * 8 <= _MOST_DOUBLED else 1
        self._sums = [np.zeros(size * self._lanes) for _ in range(copies)]
        self._works = [Workspace(cells, size, self._lanes, width) for _ in range(2)]
        self._strips = strips(cards)
        self.weights = np.full(count, 1 / count)
        self.masses = np.full(count, rows.total_weight / count)
        self.forests = np.full((count, width), -1, dtype=np.int64)
        self._tables = np.zeros((count, int(self._table_at[-1])))
        self._orders = np.zeros((count, width), dtype=np.int64)
        self.changed_edges = 0
        # What a row's logarithm is made of, per cell and component; see `expect_rows`.
        self._base, self._alone = np.zeros(count), np.zeros(cells * self._lanes)
        self._term_count = int((cards - 1).sum()) * widest
        self._zeros = int(cards[0]) if width else 1
        self._with_parent = np.zeros(self._zeros + count * self._term_count)
        self._pair_at = np.zeros((cells, count), dtype=np.int32)
        self._parents = np.zeros((width, count), dtype=np.int32)
        self._prior = self._prior_pairs()

    # -- starting ---------------------------------------------------------------------------------

    def start(self, shares: Floats) -> None:
        """Begin with these responsibilities, rows × components, each row summing to 1."""
        self._start(lambda begin, end: shares[begin:end])

    def start_at_random(self, rng: np.random.Generator, spread: float = 0.1) -> None:
        """Responsibilities drawn from a Dirichlet distribution; small `spread` parts the rows."""
        even = np.full(self.count, spread)
        self._start(lambda begin, end: rng.dirichlet(even, size=end - begin))

    def start_like(self, model: Sharing) -> None:
        """Begin with the responsibilities that another model has."""
        self._start(lambda begin, end: model.responsibilities(self.rows.data_of(begin, end)))

    def start_from(self, tables: TreeTables) -> None:
        """Go on from these trees; the rows must have the reference states they were made with."""
        self.put(tables)
        self.improve()

    def _start(self, shares_of: Callable[[int, int], Floats]) -> None:
        """M step for given shares; in it a missing cell has the frequencies of its column."""
        self._clear()
        if self.rows.gap_count:
            self._tables[:] = self._column_tables()
            self.forests[:] = -1
            self._note_orders()
        work = self._works[0]
        for begin, end in blocks(0, self.rows.row_count, self.rows.whole_count):
            self._cancel.raise_if_cancelled()
            given = np.array(shares_of(begin, end))
            known = self.rows.choice[begin:end]
            given[known >= 0] = 0.0
            given[np.flatnonzero(known >= 0), known[known >= 0]] = 1.0
            given *= self.rows.weights[begin:end, None]
            work.shares[: end - begin, : self.count] = given
            self._add(self.rows, begin, end, work, self._sums[0])
        self._maximise()

    # -- one iteration ----------------------------------------------------------------------------

    def improve(self) -> float:
        """One E and one M step; the log-likelihood in nats before the M step."""
        for _ in self.improving():
            pass
        return self.last_log_likelihood

    def improving(self) -> Iterator[float]:
        """The same in parts, for large data: yields which share of the rows is done."""
        self._clear()
        yield from self._pass(self.rows, is_counting=True)
        self._maximise()

    def log_likelihood(self, rows: SparseRows | None = None) -> float:
        """Σ weight · ln Q(row) of the present mixture, in nats; or of rows of the same coding."""
        rows = self.rows if rows is None else rows
        for _ in self._pass(rows, is_counting=False):
            pass
        return self.last_log_likelihood

    def row_logs(self, rows: SparseRows) -> Floats:
        """ln Q(row) of rows of the same coding."""
        found = np.zeros(rows.row_count)
        for _ in self._pass(rows, is_counting=False, row_logs=found):
            pass
        return np.where(found < _IMPOSSIBLE, -np.inf, found)

    def _pass(
        self, rows: SparseRows, *, is_counting: bool, row_logs: Floats | None = None
    ) -> Iterator[float]:
        if rows.gap_count:
            self._note_orders()
        logs = np.zeros(0) if row_logs is None else row_logs
        steps = steps_of(rows, self.count)
        total = 0.0
        for done, (begin, end) in enumerate(steps, start=1):
            self._cancel.raise_if_cancelled()
            half = (begin + end) // 2
            if end - begin > 256 and (len(self._sums) == 2 or not is_counting):
                later = self._threads.submit(
                    self._visit, rows, half, end, 1, is_counting=is_counting, row_logs=logs
                )
                total += self._visit(rows, begin, half, 0, is_counting=is_counting, row_logs=logs)
                total += later.result()
            else:
                total += self._visit(rows, begin, end, 0, is_counting=is_counting, row_logs=logs)
            if done < len(steps):
                yield done / len(steps)
        self.last_log_likelihood = (
            total if total > _IMPOSSIBLE * max(1.0, rows.total_weight) else (-math.inf)
        )

    def _visit(
        self,
        rows: SparseRows,
        first: int,
        last: int,
        number: int,
        *,
        is_counting: bool,
        row_logs: Floats,
    ) -> float:
        """E, and the sums for M, of the rows first … last − 1; Σ weight · ln Q."""
        from pgmstudio.core.learning.mixture_em_kernels import expect_rows
        from pgmstudio.core.learning.mixture_gap_kernels import expect_gap_rows

        work, total = self._works[number], 0.0
        log_weights = np.log(np.maximum(self.weights, 1e-300))
        for begin, end in blocks(first, last, rows.whole_count):
            if begin < rows.whole_count:
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
                    work.flat_shares,
                    work.shares,
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
                    work.shares,
                )
            found = work.share_out(self.count, rows.weights, rows.choice, begin, end)
            total += float(rows.weights[begin:end] @ found)
            if row_logs.size:
                row_logs[begin:end] = found
            if is_counting:
                self._add(rows, begin, end, work, self._sums[number])
        return total

    def _add(self, rows: SparseRows, begin: int, end: int, work: Workspace, sums: Floats) -> None:
        """The shares in `work`, of the rows begin … end − 1, to the sums over pairs of cells."""
        from pgmstudio.core.learning.mixture_em_kernels import add_pairs
        from pgmstudio.core.learning.mixture_gap_kernels import add_gap_pairs

        work.masses += work.shares[: end - begin, : self.count].sum(axis=0)
        if begin < rows.whole_count:
            needed = int(rows.starts[end] - rows.starts[begin])
            if work.row_of.size < needed:
                work.row_of, work.place_of = np.zeros((2, needed), dtype=np.int64)
            add_pairs(
                rows.starts,
                rows.cells,
                self._offsets,
                work.flat_shares,
                self._lanes,
                begin,
                end,
                work.cell_ends,
                work.row_of,
                work.place_of,
                sums,
            )
        else:
            add_gap_pairs(
                rows.states,
                begin,
                end,
                work.shares,
                self._lanes,
                self._orders,
                self.forests,
                self._table_at,
                self._tables,
                self._state_at,
                self.rows.cell_at,
                self._offsets,
                rows.most_missing_states,
                sums,
            )

    def _clear(self) -> None:
        for sums in self._sums:
            sums[:] = 0.0
        for work in self._works:
            work.masses = np.zeros(self.count)

    # -- the trees --------------------------------------------------------------------------------

    def _maximise(self) -> None:
        if len(self._sums) == 2:
            self._sums[0] += self._sums[1]
        self.masses = self._works[0].masses + self._works[1].masses
        total = self.rows.total_weight + self.priors.weight_rows
        self.weights = (self.masses + self.priors.weight_rows / self.count) / total
        self.fit_trees()

    def smooth(self, strength: float) -> None:
        """The trees anew, from the same responsibilities, with other smoothing."""
        self.priors = replace(self.priors, strength=strength)
        self.fit_trees()

    def fit_trees(self) -> None:
        """The best trees for the sums of the last pass."""
        from pgmstudio.core.learning.mixture_em_kernels import new_edges
        from pgmstudio.core.learning.tree_kernels import grow_forest

        before = self.forests.copy()
        alphas, rows = self.priors.shares(self.masses), self._imagined_rows()
        chosen = np.zeros(self.count) if self.priors.policy == "edges" else alphas
        if self.priors.is_shared:
            gains = [np.zeros_like(self._free) for _ in self._works]

            def collect(k: int, work: Workspace, gain: Floats) -> None:
                self._smoothed(k, float(chosen[k]), work)
                gain += rows[k] * self._information(work)

            self._shared_out(lambda k, n: collect(k, self._works[n], gains[n]))
            beta = self.priors.penalties(float(rows.sum()), self.count, self._free)
            grow_forest(gains[0] + gains[1] - beta, self.forests[0])
            self.forests[:] = self.forests[0]

        def fit(k: int, number: int) -> None:
            work = self._works[number]
            if not self.priors.is_shared:
                self._smoothed(k, float(chosen[k]), work)
                beta = self.priors.penalties(float(rows[k]), self.count, self._free)
                grow_forest(rows[k] * self._information(work) - beta, self.forests[k])
            alpha = float(alphas[k])
            if self.priors.policy == "edges" and self.masses[k] > 1e-9:
                alpha /= max(1, int((self.forests[k] >= 0).sum()))
            self._smoothed(k, alpha, work)
            self._fill_tables(k, work)

        self._shared_out(fit)
        self.changed_edges = sum(
            new_edges(old, new) for old, new in zip(before, self.forests, strict=True)
        )

    def _shared_out(self, task: Callable[[int, int], None]) -> None:
        """`task(k, workspace)` for all components, every other one in a second thread."""

        def run(number: int) -> None:
            for k in range(number, self.count, 2):
                task(k, number)

        later = self._threads.submit(run, 1) if self.count > 1 else None
        run(0)
        if later is not None:
            later.result()

    def _smoothed(self, k: int, alpha: float, work: Workspace) -> None:
        from pgmstudio.core.learning.mixture_em_kernels import smoothed_pairs

        mass = float(self.masses[k])
        smoothed_pairs(self._sums[0], self._lanes, k, mass, alpha, self._prior, work.pairs)

    def _information(self, work: Workspace) -> Floats:
        """I(u;v) in nats of all pairs, from the smoothed pairs of cells in `work`."""
        from pgmstudio.core.learning.mixture_em_kernels import (
            fill_entropies,
            fill_joints,
            sum_joints,
        )

        cell_at = self.rows.cell_at
        fill_entropies(work.pairs, self._offsets, cell_at, work.entropies)
        for begin, end, size in self._strips:
            if work.joints.size < size:
                work.joints, work.logs = np.zeros((2, size))
            fill_joints(work.pairs, self._offsets, cell_at, begin, end, work.joints)
            np.log(work.joints[:size], out=work.logs[:size])
            sum_joints(
                work.joints, work.logs, cell_at, begin, end, work.entropies, work.information
            )
        return work.information

    def _fill_tables(self, k: int, work: Workspace) -> None:
        from pgmstudio.core.learning.mixture_em_kernels import fill_tables

        fill_tables(
            work.pairs,
            self._offsets,
            self.rows.cell_at,
            self.forests[k],
            self._table_at,
            self._tables[k],
        )
        self._note_terms(k)

    def _note_terms(self, k: int) -> None:
        from pgmstudio.core.learning.mixture_em_kernels import tree_terms

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

    def _note_orders(self) -> None:
        """Parents before children, for the messages of rows with missing cells."""
        from pgmstudio.core.learning.mixture_gap_kernels import parents_first

        for k in range(self.count):
            parents_first(self.forests[k], self._orders[k])

    def _imagined_rows(self) -> Floats:
        """Γ_k + N'_k, where the policy speaks of fictitious rows; else Γ_k."""
        return np.asarray(np.maximum(self.masses, 1e-12) + self.priors.own_rows / self.count)

    # -- what is known before the first step ------------------------------------------------------

    def _prior_pairs(self) -> Floats:
        """P' of all pairs of cells i ≤ j: of all rows with some even ones, or even."""
        rows = self.rows
        cards = np.array(rows.domain.cardinalities, dtype=np.float64)
        single = 1 / cards[self._variable_of]
        first, second = np.triu_indices(rows.cell_count)
        even = np.where(first == second, single[first], single[first] * single[second])
        even[(self._variable_of[first] == self._variable_of[second]) & (first != second)] = 0.0
        if self.priors.toward == "uniform" or rows.total_weight <= 0:
            return even
        more = self.priors.even_rows
        return np.asarray((self._all_pairs() + more * even) / (rows.total_weight + more))

    def _all_pairs(self) -> Floats:
        """Σ weight of the rows with both cells; missing cells as one tree sees them."""
        if self.rows.gap_count:
            rows = replace(self.rows, choice=np.full_like(self.rows.choice, -1))
            one = TreeMixtureEm(rows, 1, TreePriors(1.0, toward="uniform"), self._cancel)
            one.start(np.ones((self.rows.row_count, 1)))
            for _ in range(5):
                one.improve()
            return one._sums[0].reshape(-1, one._lanes)[:, 0].copy()
        self._clear()
        work = self._works[0]
        for begin, end in blocks(0, self.rows.row_count, self.rows.whole_count):
            self._cancel.raise_if_cancelled()
            work.shares[: end - begin, 0] = self.rows.weights[begin:end]
            self._add(self.rows, begin, end, work, self._sums[0])
        return self._sums[0].reshape(-1, self._lanes)[:, 0].copy()

    def _column_tables(self) -> Floats:
        """A root's table for every variable: the frequencies of the states that are there."""
        found = np.zeros(self._tables.shape[1])
        for v, card in enumerate(self.rows.domain.cardinalities):
            column = self.rows.states[:, v]
            seen = column >= 0
            counts = np.bincount(column[seen], self.rows.weights[seen], minlength=card) + 1e-6
            found[self._table_at[v] : self._table_at[v] + card] = counts / counts.sum()
        return found

    # -- what came out ----------------------------------------------------------------------------

    @property
    def information(self) -> Floats:
        """I_k(u;v) in nats of the smoothed tables of every component."""
        alphas = self.priors.shares(self.masses)
        found = []
        for k in range(self.count):
            self._smoothed(k, float(alphas[k]), self._works[0])
            found.append(self._information(self._works[0]).copy())
        return np.array(found)

    @property
    def effective_components(self) -> float:
        """exp of the entropy of the weights."""
        weights = self.weights[self.weights > 0]
        return math.exp(-float((weights * np.log(weights)).sum()))

    def prior_term(self) -> float:
        """Σ_k N'_k ⟨log T^k⟩_P' − Σ β + Σ (c/m) ln λ_k: what the objective has beside the data."""
        total = 0.0
        if self.priors.weight_rows > 0:
            own = self.priors.weight_rows / self.count
            total += own * float(np.log(self.weights).sum())
        rows = self._imagined_rows()
        for k in range(self.count):
            total += self.priors.own_rows / self.count * self._prior_log(k)
            if self.priors.is_shared and k > 0:
                continue
            mine = float(rows.sum() if self.priors.is_shared else rows[k])
            beta = self.priors.penalties(mine, self.count, self._free)
            children = np.flatnonzero(self.forests[k] >= 0)
            total -= float(beta[children, self.forests[k][children]].sum())
        return total

    def _prior_log(self, k: int) -> float:
        """⟨log T^k⟩_P', by the same terms that give the logarithm of a row."""
        cells, offsets, cell_at = self.rows.cell_count, self._offsets, self.rows.cell_at
        single = self._prior[offsets + np.arange(cells)]
        found = float(self._base[k] + single @ self._alone[k :: self._lanes])
        for cell in range(cells):
            at = int(self._pair_at[cell, k])
            if at == 0:
                continue
            parent = int(self._parents[self._variable_of[cell], k])
            above = np.arange(cell_at[parent], cell_at[parent + 1])
            low, high = np.minimum(above, cell), np.maximum(above, cell)
            terms = self._with_parent[at + 1 : at + 1 + above.size]
            found += float(self._prior[offsets[low] + high] @ terms)
        return found

    def taken(self) -> TreeTables:
        """The present parameters, to come back to."""
        return TreeTables(self.weights.copy(), self.forests.copy(), self._tables.copy())

    def put(self, tables: TreeTables) -> None:
        """Make these the present parameters."""
        self.weights = tables.weights.copy()
        self.forests[:], self._tables[:] = tables.forests, tables.tables
        for k in range(self.count):
            self._note_terms(k)

    def mixture(self) -> TreeMixture:
        """The present mixture as a model."""
        return mixture_of(self.rows, self.taken())
