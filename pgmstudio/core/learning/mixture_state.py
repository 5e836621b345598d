"""What EM for a mixture of trees keeps: the parameters, and arrays laid out for its kernels."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.learning.component_shares import lined_zeros, padded
from pgmstudio.core.learning.mixture_priors import TreePriors
from pgmstudio.core.learning.mixture_rows import SparseRows
from pgmstudio.core.learning.mixture_tables import TreeTables, mixture_of
from pgmstudio.core.learning.mixture_work import Workspace
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.running import NEVER, CancelToken

Floats = NDArray[np.float64]


class TreeMixtureState:
    """Weights, forests and tables of the trees, and room to work in."""

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
        # What a row's logarithm is made of, per cell and component; see `expect_rows`.
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
        found = np.zeros(self._tables.shape[1])
        for v, card in enumerate(self.rows.domain.cardinalities):
            column = self.rows.states[:, v]
            seen = column >= 0
            counts = np.bincount(column[seen], self.rows.weights[seen], minlength=card) + 1e-6
            found[self._table_at[v] : self._table_at[v] + card] = counts / counts.sum()
        return found

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
