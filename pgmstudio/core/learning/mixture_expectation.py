"""The E step for mixtures of trees: γ_k(row) ∝ λ_k T^k(row), and the sums that M needs.

Two threads take half of every step's rows each. Rows without missing cells go by their cells
off the reference state; the others by messages along every tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pgmstudio.core.learning.mixture_rows import SparseRows
from pgmstudio.core.learning.mixture_state import Floats, TreeMixtureState
from pgmstudio.core.learning.mixture_work import Workspace, blocks, steps_of

# A row below this has a table cell of 0 in every tree (see _NEVER in mixture_em_kernels).
_IMPOSSIBLE = -5e4


class TreeMixtureExpectation(TreeMixtureState):
    """A mixture of trees that goes over rows: their logarithms, and the shares' sums."""

    last_log_likelihood: float

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
