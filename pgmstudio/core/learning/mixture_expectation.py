"""The E step for mixtures of trees: γ_k(row) ∝ λ_k T^k(row), and the sums that M needs.

Two threads take every other block of rows each. Rows without missing cells go by their cells
off the reference state; the others by messages along every tree.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from pgmstudio.core.learning.mixture_rows import SparseRows
from pgmstudio.core.learning.mixture_state import Floats, TreeMixtureState
from pgmstudio.core.learning.mixture_work import steps_of

# A row below this has a table cell of 0 in every tree (see _NEVER in mixture_em_kernels).
_IMPOSSIBLE = -5e4
# A term added in tiles of rows takes less time than a cell looked up in a row, by this factor.
_TILES_PAY = 8.0


class TreeMixtureExpectation(TreeMixtureState, ABC):
    """A mixture of trees that goes over rows: their logarithms, and the shares' sums."""

    last_log_likelihood: float
    _counts_in_parallel = True

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
        """Whether the rows have cells enough to be gone over in tiles; lists what is added then."""
        from pgmstudio.core.learning.mixture_em_kernels import list_terms

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
        """E, and the sums for M, of some runs of rows; Σ weight · ln Q."""
        from pgmstudio.core.learning.mixture_em_kernels import expect_rows, expect_tiles
        from pgmstudio.core.learning.mixture_gap_kernels import expect_gap_rows

        work, total = self._works[number], 0.0
        log_weights = np.log(np.maximum(self.weights, 1e-300))
        for begin, end in runs:
            if work.shares.shape[0] < end - begin:
                work.make_room(end - begin)
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
                    work.words,
                    work.tile,
                    work.shares,
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
                work.masses += work.shares[: end - begin, : self.count].sum(axis=0)
                self._add(rows, begin, end, number)
        return total

    @abstractmethod
    def _add(self, rows: SparseRows, begin: int, end: int, number: int) -> None:
        """Note the shares that workspace `number` has, of the rows begin … end − 1, for M."""

    def _clear(self) -> None:
        for work in self._works:
            work.masses = np.zeros(self.count)
