"""EM for mixtures of trees on sparse rows: every tree by the accelerated Chow–Liu algorithm.

P̃^k of a tree is the distribution of the rows themselves, weighted: smoothing towards all rows adds
to the weight of every row, smoothing towards even tables is the algorithm's uniform prior. So the
trees are those of the dense step (Meilă 1999, §5.6), and nothing grows with the pairs of columns.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.languages.tree.learning.accelerated import (
    ACCELERATED,
    AUTO,
    AcceleratedForest,
    Choice,
    choose_in_em,
    fill_parent_tables,
    growing_forest,
)
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.learning.em import TreeMixtureSteps
from pgmstudio.core.learning.sparse_rows import SparseRows

# Numbers processed for each column between two yields of a growing forest.
_COLUMN_VISITS = 500


def mixture_em(
    rows: SparseRows,
    count: int,
    priors: TreePriors,
    cancel: CancelToken = NEVER,
    tree: str = AUTO,
) -> tuple[TreeMixtureSteps, Choice]:
    """EM with the method that suits the rows or the given one, and the reason for it."""
    choice = choose_in_em(rows, count, priors, tree)
    kind = SparseTreeMixtureEm if choice.backend == ACCELERATED else TreeMixtureEm
    return kind(rows, count, priors, cancel), choice


class SparseTreeMixtureEm(TreeMixtureSteps):
    """EM for complete rows and trees of their own edges; see `accelerated.choose_in_em`."""

    def __init__(
        self, rows: SparseRows, count: int, priors: TreePriors, cancel: CancelToken = NEVER
    ) -> None:
        super().__init__(rows, count, priors, cancel)
        self._responsibilities = np.zeros((count, rows.row_count))
        cards = set(rows.domain.cardinalities) - {1}
        self._is_binary = max(cards, default=0) <= 2
        # Free parameters of an edge: equal for all, or no penalty depends on them.
        self._free = np.array([[float(max(cards, default=1) - 1) ** 2]])

    def _add(self, rows: SparseRows, begin: int, end: int, number: int) -> None:
        responsibilities = self._works[number].responsibilities
        self._responsibilities[:, begin:end] = responsibilities[: end - begin, : self.count].T

    def _fitting(self) -> Iterator[float]:
        yield from self._run_for_components(lambda group, number: self._fit(group[0], number))

    def _fit(self, k: int, number: int) -> Iterator[None]:
        """The tree of component k, and its tables; yields when it is time to check the cancel
        token."""
        from pgmstudio.core.learning.sparse_rows_kernels import divide_tables

        alpha = float(self.priors.smoothing_fractions(self.masses)[k])
        rows = float(self._rows_with_prior()[k])
        is_late = self.priors.policy == "edges"
        weights, prior = self._smoothed(k, 0.0 if is_late else alpha, rows)
        if prior > 0 and not self._is_binary:
            self.forests[k] = -1  # a tree without rows consists of smoothing only
        else:
            growing = growing_forest(
                self.rows,
                weights,
                edge_penalty=self._beta(rows),
                prior=prior,
                isolate_constants=False,
                cancel=self._cancel,
            )
            self.forests[k] = (yield from self._in_parts(growing, number)).parents
            self._cancel.raise_if_cancelled()
        if is_late:
            if self.masses[k] > 1e-9:
                alpha /= max(1, int((self.forests[k] >= 0).sum()))
            weights, prior = self._smoothed(k, alpha, rows)
        tables = self._tables[k]
        tables[:] = 0.0
        fill_parent_tables(self.rows, self.forests[k], weights, prior, self._table_at, tables)
        divide_tables(self.forests[k], self.rows.cell_at, self._table_at, tables)
        self._update_terms(k)

    def _in_parts(
        self, growing: Generator[Progress, None, AcceleratedForest], number: int
    ) -> Generator[None, None, AcceleratedForest]:
        """The forest; yields when it is time to check the cancel token."""
        each = self.rows.cells.size + _COLUMN_VISITS * len(self.rows.domain)
        while True:
            try:
                next(growing)
            except StopIteration as done:
                forest: AcceleratedForest = done.value
                return forest
            if self._works[number].spend(each):
                yield

    def _smoothed(self, k: int, alpha: float, rows: float) -> tuple[Floats, float]:
        """(1 − α) P^k + α P' as weights of the rows and of the even table, `rows` together."""
        mass = float(self.masses[k])
        own = rows * (1 - alpha) / mass if mass > 0 else 0.0
        shared, even = self._prior_rows()
        weights = own * self._responsibilities[k]
        if shared > 0:
            weights += (rows * alpha * shared / self.rows.total_weight) * self.rows.weights
        return weights, rows * alpha * even

    def _prior_rows(self) -> tuple[float, float]:
        """Of P': the part that is of all rows, and the even part."""
        if self.priors.toward == "uniform":
            return 0.0, 1.0
        total = self.rows.total_weight + self.priors.even_rows
        return self.rows.total_weight / total, self.priors.even_rows / total

    def _beta(self, rows: float) -> float:
        """β of every edge of a tree of so many rows."""
        return float(self.priors.penalties(rows, self.count, self._free)[0, 0])

    def _penalty(self, k: int, rows: float) -> float:
        return self._beta(rows) * int((self.forests[k] >= 0).sum())

    def _prior_log(self, k: int) -> float:
        shared, even = self._prior_rows()
        weights = self.rows.weights * (shared / self.rows.total_weight)
        joint = np.zeros_like(self._tables[k])
        fill_parent_tables(self.rows, self.forests[k], weights, even, self._table_at, joint)
        is_there = joint > 0
        with np.errstate(divide="ignore"):
            return float(joint[is_there] @ np.log(self._tables[k][is_there]))
