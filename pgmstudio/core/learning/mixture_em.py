"""EM for mixtures of trees (MixTree and MixTreeS; Meilă 1999, §3.3, §4, §6).

E: γ_k(row) ∝ λ_k T^k(row). M: λ_k from Γ_k = Σ γ_k; every tree is the best one for its share of
the rows: a maximum spanning forest of W_uv = I_uv − β_uv / (Γ_k + N'), with the pair tables
P̃ = (Γ_k P^k + N' P') / (Γ_k + N') in the place of the plain ones. Then the objective
Σ log Q(row) + Σ_k N' ⟨log T^k⟩_P' − Σ β never decreases (§5.3). Missing cells are summed out
in E and count with their posterior in M, so it is exact EM for cells missing at random.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.learning.mixture_bundles import BUNDLE
from pgmstudio.core.learning.mixture_priors import TreePriors
from pgmstudio.core.learning.mixture_rows import SparseRows
from pgmstudio.core.learning.mixture_state import Floats
from pgmstudio.core.learning.mixture_steps import TreeMixtureSteps
from pgmstudio.core.learning.mixture_work import Workspace, strips
from pgmstudio.core.running import NEVER, CancelToken

# Sums are kept twice, for two threads, as long as they take no more bytes than this.
_MOST_DOUBLED = 1 << 28


class TreeMixtureEm(TreeMixtureSteps):
    """EM that counts all pairs of cells: trees of their own edges, or with shared ones."""

    def __init__(
        self, rows: SparseRows, count: int, priors: TreePriors, cancel: CancelToken = NEVER
    ) -> None:
        super().__init__(rows, count, priors, cancel)
        cells, cards = rows.cell_count, np.array(rows.domain.cardinalities, dtype=np.int64)
        self._free = np.outer(cards - 1, cards - 1).astype(np.float64)
        index = np.arange(cells)
        self._offsets = (index * cells - index * (index + 1) // 2).astype(np.int64)
        self._rank_of, self._strips = rows.bundles.rank_of, strips(cards)
        size = cells * (cells + 1) // 2 * self._lanes
        self._counts_in_parallel = 2 * size * 8 <= _MOST_DOUBLED
        self._sums = [np.zeros(size) for _ in range(2 if self._counts_in_parallel else 1)]
        for work in self._works:
            work.make_pairs(cells, cards.size)
        self._prior = self._prior_pairs()

    # -- the sums ---------------------------------------------------------------------------------

    def _add(self, rows: SparseRows, begin: int, end: int, number: int) -> None:
        """The shares in the workspace to the sums over pairs of cells."""
        from pgmstudio.core.learning.mixture_bundle_kernels import add_bundles
        from pgmstudio.core.learning.mixture_gap_kernels import add_gap_pairs

        work, sums = self._works[number], self._sums[number]
        if begin < rows.whole_count:
            block = rows.bundles.block(begin, end)
            add_bundles(
                rows.starts,
                rows.bundles.ranked,
                begin,
                BUNDLE,
                block.keys,
                block.ends,
                block.rows,
                block.later,
                self._offsets,
                work.flat_shares,
                self._lanes,
                work.members,
                work.mass,
                work.line,
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
                self._rank_of,
                self._offsets,
                rows.most_missing_states,
                sums,
            )

    def _clear(self) -> None:
        super()._clear()
        for sums in self._sums:
            sums[:] = 0.0

    # -- the trees --------------------------------------------------------------------------------

    def _fit_trees(self) -> None:
        if len(self._sums) == 2:
            self._sums[0] += self._sums[1]
            self._sums[1][:] = 0.0
        alphas, rows = self.priors.shares(self.masses), self._imagined_rows()
        chosen = np.zeros(self.count) if self.priors.policy == "edges" else alphas
        if self.priors.is_shared:
            gains = [np.zeros_like(self._free) for _ in self._works]

            def collect(k: int, work: Workspace, gain: Floats) -> None:
                self._smoothed(k, float(chosen[k]), work)
                gain += rows[k] * self._information(work)

            self._shared_out(lambda k, n: collect(k, self._works[n], gains[n]))
            self._grow_shared(gains[0] + gains[1], rows, self.forests[0])
            self.forests[:] = self.forests[0]

        def fit(k: int, number: int) -> None:
            work = self._works[number]
            if not self.priors.is_shared:
                self._smoothed(k, float(chosen[k]), work)
                beta = self.priors.penalties(float(rows[k]), self.count, self._free)
                self.priors.grow(rows[k] * self._information(work) - beta, self.forests[k])
            alpha = float(alphas[k])
            if self.priors.policy == "edges" and self.masses[k] > 1e-9:
                alpha /= max(1, int((self.forests[k] >= 0).sum()))
            if self.priors.is_shared or alpha != chosen[k]:
                self._smoothed(k, alpha, work)
            self._fill_tables(k, work)

        self._shared_out(fit)

    def _grow_shared(self, gains: Floats, rows: Floats, forest: NDArray[np.int64]) -> None:
        """The forest of all trees, from what an edge gains in all of them, in nats."""
        beta = self.priors.penalties(float(rows.sum()), self.count, self._free)
        self.priors.grow(gains - beta, forest)

    def _smoothed(self, k: int, alpha: float, work: Workspace) -> None:
        self._mix(k, float(self.masses[k]), alpha, self._prior, work.pairs)

    def _mix(self, k: int, mass: float, alpha: float, prior: Floats, pairs: Floats) -> None:
        from pgmstudio.core.learning.mixture_em_kernels import smoothed_pairs

        ranks, offsets = self._rank_of, self._offsets
        smoothed_pairs(self._sums[0], ranks, offsets, self._lanes, k, mass, alpha, prior, pairs)

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
            return one._plain_sums()
        self._clear()
        for begin, end in self.rows.blocks:
            self._cancel.raise_if_cancelled()
            self._add_given(begin, end, self.rows.weights[begin:end, None])
        return self._plain_sums()

    def _plain_sums(self) -> Floats:
        """The sums of the first component, as they are."""
        pairs = self._works[0].pairs
        self._mix(0, 1.0, 0.0, np.zeros_like(pairs), pairs)
        return pairs.copy()

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

    def _penalty(self, k: int, rows: float) -> float:
        beta = self.priors.penalties(rows, self.count, self._free)
        children = np.flatnonzero(self.forests[k] >= 0)
        return float(beta[children, self.forests[k][children]].sum())

    def _prior_log(self, k: int) -> float:
        """By the same terms that give the logarithm of a row."""
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
