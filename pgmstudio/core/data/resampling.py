"""Rows drawn at random: parts of a split, held-out rows, folds and bootstrap samples.

A whole weight counts as that many equal rows, called cases here, and cases of one row may go to
several parts. They are dealt in an order that depends on what rows say, not on where they stand:
from the same seed a table of counts and the same cases as single rows have the same parts, in any
order of rows, columns and states. Weights that are not whole say how much a row counts; such a row
is one case and keeps its weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.running import NEVER, CancelToken

Rows = NDArray[np.intp]
Counts = NDArray[np.int64]

# More cases of a table of counts are dealt row by row; their parts are as large only on average.
MAX_CASES = 1 << 24


def case_counts(data: DataSet) -> Counts | None:
    """How many cases each row stands for; None where each is one case."""
    weights = data.weights
    if weights is None or (weights != np.floor(weights)).any() or weights.sum() >= 2**62:
        return None
    return weights.astype(np.int64)


def case_total(data: DataSet) -> int:
    """How many cases there are to draw from."""
    counts = case_counts(data)
    return data.row_count if counts is None else int(counts.sum())


def canonical(data: DataSet, cancel: CancelToken = NEVER) -> DataSet:
    """Equal rows once, with their summed weights, in an order that depends on what rows say."""
    merged = data.merged(cancel)
    return merged.of_rows(merged.content_order)


@dataclass(frozen=True, eq=False)
class Deal:
    """Which part has each row, or, of a table of counts, how many of its cases each part has."""

    labels: NDArray[np.intp] | None
    copies: Counts | None = None  # rows × parts

    def rows(self, part: int) -> tuple[Rows, Counts | None]:
        """The rows with a case in the part, and how many they have there."""
        if self.copies is None:
            return np.flatnonzero(self.labels == part), None
        return _present(self.copies[:, part])

    def part(self, data: DataSet, part: int) -> DataSet:
        """The cases of the part."""
        return rows_with(data, *self.rows(part))

    def rest(self, data: DataSet, part: int) -> DataSet:
        """The cases of all other parts."""
        if self.copies is None:
            return rows_with(data, np.flatnonzero(self.labels != part))
        others = self.copies.sum(axis=1) - self.copies[:, part]
        return rows_with(data, *_present(others))


def _present(copies: Counts) -> tuple[Rows, Counts]:
    rows = np.flatnonzero(copies)
    return rows, copies[rows]


def rows_with(data: DataSet, rows: Rows, copies: Counts | None = None) -> DataSet:
    """These rows, with so many cases each where that is not all of them."""
    chosen = data.of_rows(rows)
    return chosen if copies is None else replace(chosen, weights=copies.astype(np.float64))


def deal(
    data: DataSet, strata: Iterable[tuple[Rows, Sequence[int]]], rng: np.random.Generator
) -> Deal:
    """Deal the cases of each stratum at random into parts of these sizes.

    A stratum is some rows, in an order by content, with a size for each part; they add up to its
    cases. Every row belongs to one stratum.
    """
    counts, parts = case_counts(data), 0
    labels = np.zeros(data.row_count, dtype=np.intp)
    copies: Counts | None = None
    for rows, sizes in strata:
        parts, total = len(sizes), sum(sizes)
        if counts is not None and copies is None:
            copies = np.zeros((data.row_count, parts), dtype=np.int64)
        if copies is not None and counts is not None and total > MAX_CASES:
            copies[rows] = rng.multinomial(counts[rows], np.array(sizes) / total)
            continue
        own = np.repeat(np.arange(parts, dtype=np.min_scalar_type(parts)), sizes)
        rng.shuffle(own)
        if copies is None or counts is None:
            labels[rows] = own
        else:
            row_of_case = np.repeat(np.arange(rows.size), counts[rows])
            cells = np.bincount(row_of_case * parts + own, minlength=rows.size * parts)
            copies[rows] = cells.reshape(rows.size, parts)
    return Deal(labels) if counts is None else Deal(None, copies)


def in_order(data: DataSet) -> Rows:
    """All rows in the order in which their cases are dealt."""
    if data.weights is None or case_counts(data) is not None:
        return data.content_order
    return np.lexsort((data.weights, data.content_keys))


def hold_out(data: DataSet, fraction: float, rng: np.random.Generator) -> tuple[DataSet, DataSet]:
    """Rows to learn from and rows held out, this fraction of the cases."""
    total = case_total(data)
    held = int(total * fraction)
    dealt = deal(data, [(in_order(data), (total - held, held))], rng)
    return dealt.part(data, 0), dealt.part(data, 1)


def deal_folds(data: DataSet, count: int, rng: np.random.Generator) -> Deal:
    """Parts of equal sizes, to within one case."""
    total = case_total(data)
    sizes = [total // count + (fold < total % count) for fold in range(count)]
    return deal(data, [(in_order(data), sizes)], rng)


def folds(data: DataSet, count: int, rng: np.random.Generator) -> Iterator[tuple[DataSet, DataSet]]:
    """Rows to learn from and rows held out, for each fold in turn."""
    dealt = deal_folds(data, count, rng)
    for fold in range(count):
        yield dealt.rest(data, fold), dealt.part(data, fold)


def bootstrap_rows(data: DataSet, rng: np.random.Generator) -> DataSet:
    """As many cases drawn with replacement, as distinct rows with counts.

    Of weights that are not whole, as many rows are drawn as there are, each as likely as its weight
    says, and share the total weight evenly.
    """
    total = data.total_weight
    if data.row_count and total <= 0:
        raise DataError("All rows have the weight 0; there is nothing to draw from.")
    if data.weights is None or case_counts(data) is not None:
        data = canonical(data)
        draws = int(total)
    else:
        draws = data.row_count
    if draws == 0:
        return data
    assert data.weights is not None
    times = rng.multinomial(draws, data.weights / total)
    drawn = np.flatnonzero(times)
    weights = np.asarray(times[drawn] * (total / draws), dtype=np.float64)
    return replace(data.of_rows(drawn), weights=weights)
