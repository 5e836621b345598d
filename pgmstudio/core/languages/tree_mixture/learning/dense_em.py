"""EM for mixtures of trees (MixTree and MixTreeS; Meilă 1999, §3.3, §4, §6).

E: γ_k(row) ∝ λ_k T^k(row). M: λ_k from Γ_k = Σ γ_k; every tree is the best one for its weighted
rows: a maximum spanning forest of W_uv = I_uv − β_uv / (Γ_k + N'), with the pair tables
P̃ = (Γ_k P^k + N' P') / (Γ_k + N') instead of the plain ones. Then the objective
Σ log Q(row) + Σ_k N' ⟨log T^k⟩_P' − Σ β never decreases (§5.3). Missing cells are summed out
in E and count with their posterior in M, so it is exact EM for cells missing at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import PairCounts
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning.em import TreeMixtureSteps
from pgmstudio.core.languages.tree_mixture.learning.row_blocks import Workspace, strips
from pgmstudio.core.learning.responsibilities import lined_zeros
from pgmstudio.core.learning.sparse_rows import BUNDLE, SparseRows

# Sums are stored twice, for two threads, if they take no more bytes than this.
_MAX_DOUBLED = 1 << 28
# Pairs of cells, of all components of a group together, in the buffer of a thread.
_MAX_GROUPED = 1 << 21
# Pairs of cells smoothed between two checks of the cancel token.
_PIECE = 1 << 22


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
        self._rank_of, self._is_binary = rows.bundles.rank_of, bool((cards <= 2).all())
        ones = np.ones(cells, dtype=np.int64)
        self._pieces = strips(ones, _PIECE)
        self._strips = strips(2 * ones if self._is_binary else cards)
        pairs = cells * (cells + 1) // 2
        self._counts_in_parallel = 2 * pairs * self._lanes * 8 <= _MAX_DOUBLED
        copies = 2 if self._counts_in_parallel else 1
        self._sums = [lined_zeros(pairs * self._lanes) for _ in range(copies)]
        # Each thread smooths the pairs of so many components together.
        self._group = max(1, min(-(-count // 2), _MAX_GROUPED // max(pairs, 1)))
        for work in self._works:
            work.make_pairs(cells, cards.size, self._group)
        self._prior = self._prior_pairs()

    # -- the sums ---------------------------------------------------------------------------------

    def _add(self, rows: SparseRows, begin: int, end: int, number: int) -> None:
        """Add the responsibilities in the workspace to the sums over pairs of cells."""
        from pgmstudio.core.languages.tree_mixture.learning.missing_kernels import add_gap_pairs
        from pgmstudio.core.learning.sparse_rows_kernels import add_bundles

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
                work.flat_responsibilities,
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
                work.responsibilities,
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

    def _fitting(self) -> Iterator[float]:
        if len(self._sums) == 2:
            self._sums[0] += self._sums[1]
            self._sums[1][:] = 0.0
        alphas, rows = self.priors.smoothing_fractions(self.masses), self._rows_with_prior()
        chosen = np.zeros(self.count) if self.priors.policy == "edges" else alphas
        if self.priors.is_shared:
            gains = [np.zeros_like(self._free) for _ in self._works]

            def collect(group: range, number: int) -> Iterator[None]:
                work = self._works[number]
                yield from self._smoothed(group, chosen, work)
                for index, k in enumerate(group):
                    yield from self._inform(work, index)
                    gains[number] += rows[k] * work.information

            yield from self._run_for_components(collect, self._group)
            self._grow_shared(gains[0] + gains[1], rows, self.forests[0])
            self.forests[:] = self.forests[0]

        def fit(group: range, number: int) -> Iterator[None]:
            work = self._works[number]
            if not self.priors.is_shared:
                yield from self._smoothed(group, chosen, work)
                for index, k in enumerate(group):
                    yield from self._inform(work, index)
                    mine = float(rows[k])
                    gain = self.priors.gains(work.information, mine, self.count, self._free)
                    self.priors.grow(gain, self.forests[k])
            for k in group:
                if self.priors.policy == "edges" and self.masses[k] > 1e-9:
                    alphas[k] /= max(1, int((self.forests[k] >= 0).sum()))
            if self.priors.is_shared or self.priors.policy == "edges":
                yield from self._smoothed(group, alphas, work)
            for index, k in enumerate(group):
                self._fill_tables(k, work.pairs[index])

        yield from self._run_for_components(fit, self._group)

    def _grow_shared(self, gains: Floats, rows: Floats, forest: NDArray[np.int64]) -> None:
        """The shared forest, from the gains of each edge summed over the trees, in nats."""
        beta = self.priors.penalties(float(rows.sum()), self.count, self._free)
        self.priors.grow(gains - beta, forest)

    def _smoothed(self, group: range, alphas: Floats, work: Workspace) -> Iterator[None]:
        """P̃ of these components, in the workspace; yields when it is time to check the cancel
        token."""
        masses, prior_fractions = (
            self.masses[group.start : group.stop],
            alphas[group.start : group.stop],
        )
        own = np.divide(1.0 - prior_fractions, masses, out=np.zeros(len(group)), where=masses > 0)
        for begin, end, size in self._pieces:
            self._mix(group.start, own, prior_fractions.copy(), self._prior, begin, end, work.pairs)
            if work.spend(size * len(group)):
                self._cancel.raise_if_cancelled()
                yield

    def _mix(
        self,
        first: int,
        own: Floats,
        prior_fractions: Floats,
        prior: Floats,
        begin: int,
        end: int,
        pairs: Floats,
    ) -> None:
        from pgmstudio.core.languages.tree_mixture.learning.kernels import smoothed_pairs

        smoothed_pairs(
            self._sums[0],
            self._rank_of,
            self._offsets,
            self._lanes,
            first,
            own,
            prior_fractions,
            prior,
            begin,
            end,
            pairs,
        )

    def _inform(self, work: Workspace, index: int) -> Iterator[None]:
        """I(u;v) in nats of all pairs, from the smoothed pairs of one component in `work`."""
        from pgmstudio.core.languages.tree_mixture.learning import kernels

        pairs, cell_at, offsets = work.pairs[index], self.rows.cell_at, self._offsets
        kernels.fill_entropies(pairs, offsets, cell_at, work.entropies)
        on = pairs[offsets + np.arange(offsets.size)]
        for begin, end, size in self._strips:
            if work.joints.size < size:
                work.joints, work.logs = np.zeros((2, size))
            joints, logs = work.joints[:size], work.logs[:size]
            if self._is_binary:
                joints, logs = joints.reshape(4, -1), logs.reshape(4, -1)
                kernels.fill_binary_joints(pairs, offsets, begin, end, on, joints)
            else:
                kernels.fill_joints(pairs, offsets, cell_at, begin, end, joints)
            np.log(joints, out=logs)
            variable_or_cell_at = self._variable_of if self._is_binary else cell_at
            add_up = kernels.sum_binary_joints if self._is_binary else kernels.sum_joints
            add_up(joints, logs, variable_or_cell_at, begin, end, work.entropies, work.information)
            if work.spend(size):
                self._cancel.raise_if_cancelled()
                yield

    def _fill_tables(self, k: int, pairs: Floats) -> None:
        from pgmstudio.core.languages.tree_mixture.learning.kernels import fill_tables

        fill_tables(
            pairs,
            self._offsets,
            self.rows.cell_at,
            self.forests[k],
            self._table_at,
            self._tables[k],
        )
        self._update_terms(k)

    def improve_by(self, pairs: Sequence[PairCounts], masses: Floats, total_weight: float) -> None:
        """The M step for sums over rows that are elsewhere: the mass of every component, the
        counts of all pairs of columns in it, and the weight of the rows."""
        first, second = np.triu_indices(self.rows.cell_count)
        ranks = self._rank_of[first], self._rank_of[second]
        at = (self._offsets[np.minimum(*ranks)] + np.maximum(*ranks)) * self._lanes
        self._clear()
        width = len(self.rows.domain)
        for k, counted in enumerate(pairs):
            above = combinations(range(width), 2)
            joints = {(u, v): counted.table(u, v) for u, v in above}
            for u in range(width):
                other = 1 if u == 0 else 0
                joints[u, u] = np.diag(counted.table(u, other).sum(axis=1))
            self._sums[0][at + k] = self._pairs_of(joints)
        self._works[0].masses[:] = masses
        for _ in self._maximising(total_weight):
            pass

    # -- prior ------------------------------------------------------------------------------------

    def _prior_pairs(self) -> Floats:
        """P' of all pairs of cells i ≤ j: of all rows with some even ones, the product of their
        margins, even, or of a model."""
        rows = self.rows
        if self.priors.toward == "model" and self.priors.joints is not None:
            return self._pairs_of(self.priors.joints)
        cards = np.array(rows.domain.cardinalities, dtype=np.float64)
        single = 1 / cards[self._variable_of]
        first, second = np.triu_indices(rows.cell_count)
        even = np.where(first == second, single[first], single[first] * single[second])
        even[(self._variable_of[first] == self._variable_of[second]) & (first != second)] = 0.0
        if self.priors.toward == "uniform" or rows.total_weight <= 0:
            return even
        more = self.priors.even_rows
        pairs = np.asarray((self._all_pairs() + more * even) / (rows.total_weight + more))
        if self.priors.toward == "product":
            alone = pairs[first == second]
            differ = self._variable_of[first] != self._variable_of[second]
            pairs[differ] = (alone[first] * alone[second])[differ]
        return pairs

    def _pairs_of(self, joints: Mapping[tuple[int, int], Floats]) -> Floats:
        """Tables of pairs of variables, by the states of the domain, as pairs of cells."""
        rows = self.rows
        matrix = np.zeros((rows.cell_count, rows.cell_count))
        numbers = [rows.state_numbers(v) for v in range(len(rows.domain))]
        stored = [np.flatnonzero(number) for number in numbers]  # all states but the reference
        cells = [
            rows.cell_at[v] + number[states] - 1
            for v, (number, states) in enumerate(zip(numbers, stored, strict=True))
        ]
        for (u, v), table in joints.items():
            part = table[np.ix_(stored[u], stored[v])]
            matrix[np.ix_(cells[u], cells[v])] = part
            matrix[np.ix_(cells[v], cells[u])] = part.T
        return np.ascontiguousarray(matrix[np.triu_indices(rows.cell_count)])

    def _all_pairs(self) -> Floats:
        """Σ weight of the rows with both cells; missing cells as expected by one tree."""
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
        pairs = np.zeros((1, self._works[0].pairs.shape[1]))
        self._mix(0, np.ones(1), np.zeros(1), pairs.ravel(), 0, self.rows.cell_count, pairs)
        return pairs.ravel()

    # -- results ----------------------------------------------------------------------------------

    @property
    def information(self) -> Floats:
        """I_k(u;v) in nats of the smoothed tables of every component."""
        alphas = self.priors.smoothing_fractions(self.masses)
        result = []
        for k in range(self.count):
            work = self._works[0]
            for _ in chain(self._smoothed(range(k, k + 1), alphas, work), self._inform(work, 0)):
                pass
            result.append(work.information.copy())
        return np.array(result)

    def _penalty(self, k: int, rows: float) -> float:
        beta = self.priors.penalties(rows, self.count, self._free)
        children = np.flatnonzero(self.forests[k] >= 0)
        return float(beta[children, self.forests[k][children]].sum())

    def _prior_log(self, k: int) -> float:
        """By the same terms that give the logarithm of a row."""
        cells, offsets, cell_at = self.rows.cell_count, self._offsets, self.rows.cell_at
        single = self._prior[offsets + np.arange(cells)]
        result = float(self._base[k] + single @ self._alone[k :: self._lanes])
        for cell in range(cells):
            at = int(self._pair_at[cell, k])
            if at == 0:
                continue
            parent = int(self._parents[self._variable_of[cell], k])
            above = np.arange(cell_at[parent], cell_at[parent + 1])
            low, high = np.minimum(above, cell), np.maximum(above, cell)
            terms = self._with_parent[at + 1 : at + 1 + above.size]
            result += float(self._prior[offsets[low] + high] @ terms)
        return result
