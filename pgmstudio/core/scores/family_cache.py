"""Local scores of families on one data set, each counted once and cached."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import Request, family_counter
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.scores.local import Score

Terms = Floats

MAX_TABLE_CELLS = 100_000
MAX_CACHED = 1 << 24  # data terms of changes, 128 MB; then the cache is cleared


def mask_of(parents: Iterable[int]) -> int:
    """A set of columns as the bits of one whole number."""
    mask = 0
    for parent in parents:
        mask |= 1 << parent
    return mask


def largest_table(dag: Dag, data: DataSet) -> int:
    """How many cells the largest table of a network with this graph has."""
    cards = data.domain.cardinalities
    return max(
        (
            math.prod(cards[v] for v in (*parents, c))
            for c, parents in enumerate(dag.parent_indices)
        ),
        default=1,
    )


class FamilyScores:
    """score(child, parents), and all at once the scores with one parent more or less.

    Data terms are cached by (child, set of parents). They do not depend on λ, so `rescored` shares
    them between the scores of a sweep. A family of more than `max_table_cells` scores −inf.
    """

    def __init__(
        self,
        data: DataSet,
        score: Score,
        *,
        max_table_cells: int = MAX_TABLE_CELLS,
        prices: Floats | None = None,
    ) -> None:
        """`prices`: β_uv in nats, symmetric; every edge costs its own (Meilă 1999, eq. 4.11)."""
        self.score = score
        self.max_table_cells = max_table_cells
        self.cards = data.domain.cardinalities
        self.total_weight = data.total_weight
        self.counter = family_counter(data)
        self._price_bits = None if prices is None else prices / math.log(2)
        self._has_missing = data.has_missing
        self._terms: dict[tuple[int, int], float] = {}
        self._rows: dict[tuple[int, int], Terms] = {}

    def rescored(self, score: Score) -> FamilyScores:
        """The same data under another score; what was counted is shared where it can be."""
        other = object.__new__(FamilyScores)
        other.__dict__.update(self.__dict__)
        other.score = score
        if (score.term, score.prior_weight) != (self.score.term, self.score.prior_weight):
            other._terms, other._rows = {}, {}
        return other

    def afresh(self) -> FamilyScores:
        """The same data and score, with nothing counted yet.

        A term is a sum whose order of addition depends on earlier queries. Where a
        number must be the same to the last bit in any process, use one of these.
        """
        other = object.__new__(FamilyScores)
        other.__dict__.update(self.__dict__, _terms={}, _rows={})
        return other

    def families_counted(self) -> int:
        """How many families' data terms are cached."""
        rows = sum(int(np.isfinite(row).sum()) for row in self._rows.values())
        return len(self._terms) + rows

    def local(self, child: int, parents: Iterable[int], cancel: CancelToken = NEVER) -> float:
        """The score of one family."""
        parents = sorted(parents)
        q = math.prod(self.cards[p] for p in parents)
        if q * self.cards[child] > self.max_table_cells:
            return -math.inf
        term = self._term(child, parents, cancel)
        return self.score.weight * term - self._cost(child, q) - self._price(child, parents)

    def total(self, parent_indices: Sequence[Iterable[int]], cancel: CancelToken = NEVER) -> float:
        """The score of a whole network, given each variable's parents."""
        return math.fsum(self.local(c, parents, cancel) for c, parents in enumerate(parent_indices))

    def toggled(
        self,
        child: int,
        parents: Sequence[int],
        candidates: NDArray[np.int64],
        cancel: CancelToken = NEVER,
    ) -> Terms:
        """The score of `child` with each variable joining its parents, or leaving them.

        Entry `child` is the score with exactly these parents. Only `candidates` and the parents
        have a number; the rest, and tables that would be too large, are −inf. Asked again for the
        same child and parents, the candidates have to be the same.
        """
        parents = sorted(parents)
        key = (child, mask_of(parents))
        row = self._rows.get(key)
        if row is None:
            row = self._toggled_terms(child, parents, candidates, cancel)
            if len(self._rows) * len(self.cards) > MAX_CACHED:
                self._rows.clear()
            self._rows[key] = row
        q = math.prod(self.cards[p] for p in parents)
        factor = np.array(self.cards, dtype=np.float64)
        factor[parents] = 1 / factor[parents]
        factor[child] = 1.0
        scores: Terms = self.score.weight * row - self._cost(child, q) * factor
        if self._price_bits is not None:
            changes = self._price_bits[child].copy()
            changes[parents] *= -1
            scores -= self._price(child, parents) + changes
        return scores

    def prefetch(self, requests: Iterable[Request], cancel: CancelToken = NEVER) -> None:
        """Announce what `toggled` will be asked for next, of a child after its parents each: where
        rows are read in chunks, one pass counts it all."""
        if not self.counter.reads_in_passes:
            return
        wanted: list[Request] = []
        for (*parents, child), candidates in requests:
            cells = math.prod(self.cards[v] for v in (*parents, child))
            if cells > self.max_table_cells:
                continue
            fitting = [c for c in candidates if cells * self.cards[c] <= self.max_table_cells]
            if fitting:
                wanted.append(((*parents, child), fitting))
            if self._has_missing or not fitting:
                wanted.append((parents, [child]))
            if self._has_missing:
                wanted += [([q for q in parents if q != p], [child]) for p in parents]
        self.counter.prefetch(wanted, cancel)

    def _price(self, child: int, parents: Sequence[int]) -> float:
        if self._price_bits is None:
            return 0.0
        return math.fsum(self._price_bits[child, parent] for parent in parents)

    def _cost(self, child: int, q: int) -> float:
        return self.score.cost_per_parameter * (self.cards[child] - 1) * q

    def _term(self, child: int, parents: Sequence[int], cancel: CancelToken) -> float:
        mask = mask_of(parents)
        known = self._terms.get((child, mask))
        if known is not None:
            return known
        row = self._rows.get((child, mask))
        if row is not None:
            return float(row[child])
        for parent in parents:
            row = self._rows.get((child, mask ^ (1 << parent)))
            if row is not None and row[parent] > -math.inf:
                return float(row[parent])
        counts = self.counter.counts((*parents, child), cancel)
        term = self._terms[child, mask] = self._term_of(child, counts)
        return term

    def _term_of(self, child: int, counts: Floats) -> float:
        one, zero = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        q = counts.size // self.cards[child]
        return float(self._terms_of(child, q, np.ascontiguousarray(counts).ravel(), zero, one)[0])

    def _terms_of(
        self,
        child: int,
        q: int,
        flat: Floats,
        offsets: NDArray[np.int64],
        widths: NDArray[np.int64],
    ) -> Terms:
        from pgmstudio.core.scores.kernels import data_terms, k_log2_k_table

        terms, seen = np.empty(len(offsets)), np.empty(len(offsets))
        table = k_log2_k_table(int(self.total_weight))
        r, kind, prior = self.cards[child], int(self.score.term), self.score.prior_weight
        data_terms(flat, offsets, widths, q, r, kind, prior, table, terms, seen)
        if self._has_missing:
            # Balov's node-average likelihood; a family never seen in full predicts uniformly.
            some = seen > 0
            terms[some] *= self.total_weight / seen[some]
            terms[~some] = -self.total_weight * math.log2(r)
        return terms

    def _toggled_terms(
        self,
        child: int,
        parents: Sequence[int],
        candidates: NDArray[np.int64],
        cancel: CancelToken,
    ) -> Terms:
        shape = (*(self.cards[p] for p in parents), self.cards[child])
        cells = math.prod(shape)
        row = np.full(len(self.cards), -math.inf)
        widths = self.counter.cards[candidates]
        candidates = candidates[cells * widths <= self.max_table_cells]
        own: Floats | None = None
        for joined in self.counter.joined((*parents, child), candidates, cancel):
            widths = self.counter.cards[joined.candidates]
            q = cells // self.cards[child]
            row[joined.candidates] = self._terms_of(child, q, joined.flat, joined.offsets, widths)
            if own is None and not self._has_missing:
                own = joined.flat[: cells * int(widths[0])].reshape(cells, -1).sum(axis=1)
        if own is None or self._has_missing:
            # Each family has its own complete rows, so no table follows from another.
            row[child] = self._term(child, parents, cancel)
            for parent in parents:
                row[parent] = self._term(child, [p for p in parents if p != parent], cancel)
            return row
        own = own.reshape(shape)
        row[child] = self._term_of(child, own)
        for axis, parent in enumerate(parents):
            row[parent] = self._term_of(child, own.sum(axis=axis))
        return row
