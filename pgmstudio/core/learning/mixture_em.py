"""EM for mixtures of trees (MixTree and MixTreeS; Meilă 1999, §3.3, §4, §6).

E: γ_k(row) ∝ λ_k T^k(row). M: λ_k from Γ_k = Σ γ_k; every tree is the best one for its share of
the rows: a maximum spanning forest of W_uv = I_uv − β_uv / (Γ_k + N'), with the pair tables
P̃ = (Γ_k P^k + N' P') / (Γ_k + N') in the place of the plain ones. Then the objective
Σ log Q(row) + Σ_k N' ⟨log T^k⟩_P' − Σ β never decreases (§5.3). Missing cells are summed out
in E and count with their posterior in M, so it is exact EM for cells missing at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.learning.mixture_expectation import TreeMixtureExpectation
from pgmstudio.core.learning.mixture_priors import TreePriors
from pgmstudio.core.learning.mixture_rows import SparseRows
from pgmstudio.core.learning.mixture_state import Floats
from pgmstudio.core.learning.mixture_tables import TreeTables
from pgmstudio.core.learning.mixture_work import Workspace, blocks
from pgmstudio.core.running import NEVER, CancelToken


class Sharing(Protocol):
    """A model with components."""

    def responsibilities(self, data: DataSet) -> Floats: ...


class TreeMixtureEm(TreeMixtureExpectation):
    """The state of one EM run; `start`, then `improve` until it no longer pays."""

    def __init__(
        self, rows: SparseRows, count: int, priors: TreePriors, cancel: CancelToken = NEVER
    ) -> None:
        super().__init__(rows, count, priors, cancel)
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
