"""One bit per row for every state of a column: counting becomes AND and popcount.

A complete column does not store its state 0, whose bits are what the other states leave. A column
with missing cells stores every state; a missing cell has no bit at all.

Counts of joint states: the only module that reads rows for learning.

A row with a missing cell in one of the counted variables is left out of that count (available
cases). Memory does not grow with the rows: they are read in chunks, and stopping is possible
between them.

Counts of a few columns joined by each of many others, as structure search asks for them.

All functions take a table in memory or one that is read in chunks (`ChunkedData`), whose counts are
the same. One pass over the chunks counts all tables that are requested together, and they are kept.
"""

from __future__ import annotations

import itertools
import math
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import Arrays, ChunkedData, StoredRows
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.large_counts import count_text

# Beyond this many states a histogram counts faster than so many bit columns.
MAX_PACKED_STATES = 32


@dataclass(frozen=True, eq=False)
class BitLayout:
    """Which bit column holds which state; `base[i]` is −1 for a column that is not packed."""

    base: NDArray[np.int64]
    first_state: NDArray[np.int64]
    width: int  # bit columns in all

    @classmethod
    def of(cls, data: DataSet) -> BitLayout:
        cards = np.array(data.domain.cardinalities, dtype=np.int64)
        first = np.array([0 if count else 1 for count in data.missing_counts], dtype=np.int64)
        stored = np.where(cards <= MAX_PACKED_STATES, cards - first, 0)
        base = np.cumsum(stored) - stored
        base[cards > MAX_PACKED_STATES] = -1
        return cls(base.astype(np.int64), first, int(stored.sum()))


def pack_rows(data: DataSet, layout: BitLayout, start: int, stop: int) -> NDArray[np.uint64]:
    """The bit columns of rows start … stop−1, in 64-bit words; `start` counts whole words."""
    words = -(-(stop - start) // 64)
    packed = np.zeros((layout.width, words * 8), dtype=np.uint8)
    cards = np.array(data.domain.cardinalities)
    used = layout.base >= 0
    chunk = data.codes[:, start:stop]
    for state in range(int(cards[used].max(initial=0))):
        having = np.flatnonzero(used & (layout.first_state <= state) & (state < cards))
        if having.size:
            bits = np.packbits(chunk[having] == state, axis=1, bitorder="little")
            columns = layout.base[having] + state - layout.first_state[having]
            packed[columns, : bits.shape[1]] = bits
    return packed.view(np.uint64)


Counts = Floats
ReportFraction = Callable[[float], object]  # called with the fraction of rows counted so far

# Rows per compiled call, so that a run stops within a few hundredths of a second.
ROWS_PER_CALL = 1 << 20
# Rows packed into bits at a time: the bit columns of a hundred variables fit the processor's cache.
PACKED_CHUNK = 1 << 15
# A histogram reads a row in about the time in which popcount reads this many state pairs of it.
STATE_PAIRS_PER_ROW_READ = 150
# Words of bit columns read between two checks of the cancel token: about a tenth of a second.
STATE_WORDS_PER_CALL = 200_000_000
MAX_CELLS = 250_000_000  # 2 GB
# Cells of rows that numpy reads in some milliseconds, and those that it reads before a process
# loads compiled code all the same. Every call takes as long as to read some thousands.
SMALL_READS, MAX_PLAIN_READS, READS_OF_A_CALL = 1 << 19, 1 << 24, 1 << 12


def _cards(data: DataSet) -> NDArray[np.int64]:
    return data.card_array.copy()  # writable, as everywhere: one compiled version serves all


def _check_cells(cells: int, what: str) -> None:
    if cells > MAX_CELLS:
        raise TooLargeError(
            f"{what} has {count_text(cells)} cells; at most {MAX_CELLS:,} fit. "
            "Merge states, discretise into fewer bins, or leave columns out."
        )


def is_small(data: DataSet, columns_read: int) -> bool:
    """Whether numpy counts so many columns in less time than it takes to load compiled code."""
    return data.row_count * columns_read <= SMALL_READS


class _PlainCounts:
    """Counts by numpy, until compiled code, which gives the same, is there or has become worth its
    loading."""

    def __init__(self) -> None:
        self._reads = 0

    def will_do(self, data: DataSet, columns_read: int) -> bool:
        if "pgmstudio.core.data.counting_kernels" in sys.modules or not is_small(
            data, columns_read
        ):
            return False
        self._reads += data.row_count * columns_read + READS_OF_A_CALL
        return self._reads <= MAX_PLAIN_READS


PLAIN_COUNTS = _PlainCounts()


def joint_counts(data: DataSet, variables: Sequence[int], cancel: CancelToken = NEVER) -> Counts:
    """How often each joint state of `variables` occurs: one axis per variable, in that order."""
    if isinstance(data, ChunkedData):
        return ChunkedCounter(data).counts(variables, cancel)
    if PLAIN_COUNTS.will_do(data, len(variables)):
        return plain_counts(data, variables)
    from pgmstudio.core.data.counting_kernels import count_joint, count_joint_weighted

    cards = _cards(data)
    chosen = np.array(variables, dtype=np.int64)
    shape = tuple(int(cards[v]) for v in variables)
    cells = math.prod(shape)
    _check_cells(cells, "The table of " + ", ".join(data.domain.names[v] for v in variables))
    exact = np.zeros(cells, dtype=np.int64)
    weighted = np.zeros(cells if data.weights is not None else 0)
    for start in range(0, data.row_count, ROWS_PER_CALL):
        cancel.raise_if_cancelled()
        stop = min(start + ROWS_PER_CALL, data.row_count)
        selection = (chosen, cards, data.missing_code, start, stop)
        if data.weights is None:
            count_joint(data.codes, *selection, exact)
        else:
            count_joint_weighted(data.codes, data.weights, *selection, weighted)
    counts: Counts = exact.astype(np.float64) if data.weights is None else weighted
    return counts.reshape(shape)


def plain_counts(data: DataSet, variables: Sequence[int]) -> Counts:
    """The same as `joint_counts` without compiled code: for one table, where a window must not wait
    until that is loaded."""
    if isinstance(data, ChunkedData):
        return joint_counts(data, variables)
    shape = tuple(data.domain.cardinalities[v] for v in variables)
    cells = math.prod(shape)
    _check_cells(cells, "The table of " + ", ".join(data.domain.names[v] for v in variables))
    rows = data.codes[list(variables)]
    known = (rows != data.missing_code).all(axis=0)
    weights = None if data.weights is None else data.weights[known]
    indices = (
        np.ravel_multi_index(tuple(rows[:, known]), shape) if shape else known.nonzero()[0] * 0
    )
    counts: Counts = np.bincount(indices, weights=weights, minlength=cells).astype(np.float64)
    return counts.reshape(shape)


def ignore_progress(_fraction: float) -> None:
    """Report no progress."""


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The tables of all pairs of columns, one after the other.

    The table of i < j starts at `offsets[i, j]` of `flat`, the states of j running fastest.
    """

    cardinalities: tuple[int, ...]
    flat: Counts
    offsets: NDArray[np.int64]

    def table(self, i: int, j: int) -> Counts:
        """Counts of (i, j), one axis each, in the order given."""
        if i > j:
            return self.table(j, i).T
        cells = self.cardinalities[i] * self.cardinalities[j]
        start = self.offsets[i, j]
        return self.flat[start : start + cells].reshape(
            self.cardinalities[i], self.cardinalities[j]
        )


def pair_counts(
    data: DataSet, cancel: CancelToken = NEVER, report: ReportFraction = ignore_progress
) -> PairCounts:
    """The joint counts of every pair of columns, each over the rows that have both."""
    if isinstance(data, ChunkedData):
        return _chunked_pairs(data, cancel)
    cards = _cards(data)
    cells = _checked_pair_cells(data)
    offsets = pair_offsets(cards)
    if PLAIN_COUNTS.will_do(data, 2 * math.comb(len(cards), 2)):
        flat = np.zeros(cells)
        for i, j in itertools.combinations(range(len(cards)), 2):
            start = offsets[i, j]
            flat[start : start + cards[i] * cards[j]] = plain_counts(data, (i, j)).ravel()
    elif data.weights is not None:
        flat = _weighted_pairs(data, data.weights, cards, offsets, cells, cancel, report)
    else:
        flat = _unweighted_pairs(data, cards, offsets, cells, cancel, report)
    return PairCounts(data.domain.cardinalities, flat, offsets)


def pair_cells(data: DataSet) -> int:
    """How many cells the tables of all pairs of columns have."""
    cards = data.card_array
    return int((cards.sum() ** 2 - (cards**2).sum()) // 2)


def _checked_pair_cells(data: DataSet) -> int:
    cells = pair_cells(data)
    _check_cells(cells, "The table of all pairs of columns")
    return cells


def pair_offsets(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the tables of pairs are: that of i < j behind those of earlier i, and of i with j' < j.

    In place, since with many columns this takes gigabytes.
    """
    before = np.concatenate(([0], np.cumsum(cards)))
    of_row = cards * (before[-1] - before[1:])
    offsets = np.outer(cards, before[:-1])
    offsets += (np.cumsum(of_row) - of_row - cards * before[1:])[:, None]
    return offsets


def pair_counts_by_state(
    data: DataSet, target: int, cancel: CancelToken = NEVER
) -> Iterator[PairCounts]:
    """The joint counts of every pair of columns among the rows with each state of a column."""
    states = range(data.domain.cardinalities[target])
    if isinstance(data, ChunkedData):
        _check_cells(pair_cells(data) * len(states), "The table of all pairs for every state")
        (flat,) = data.sums(_PairsByState(target), cancel)
        offsets = pair_offsets(data.card_array)
        yield from (PairCounts(data.domain.cardinalities, row, offsets) for row in flat)
        return
    for state in states:
        yield pair_counts(data.take_rows(data.codes[target] == state), cancel)


@dataclass(frozen=True)
class _PairsByState:
    target: int

    def __call__(self, chunk: DataSet, _first_row: int) -> Arrays:
        return (np.array([pairs.flat for pairs in pair_counts_by_state(chunk, self.target)]),)


def _pairs_of_chunk(chunk: DataSet, _first_row: int) -> Arrays:
    return (pair_counts(chunk).flat,)


def _chunked_pairs(data: ChunkedData, cancel: CancelToken) -> PairCounts:
    """All pairs by one pass, which is not made again."""
    if data.pairs is None:
        _checked_pair_cells(data)
        (flat,) = data.sums(_pairs_of_chunk, cancel)
        data.pairs = PairCounts(data.domain.cardinalities, flat, pair_offsets(data.card_array))
    return data.pairs


def _weighted_pairs(
    data: DataSet,
    weights: Floats,
    cards: NDArray[np.int64],
    offsets: NDArray[np.int64],
    cells: int,
    cancel: CancelToken,
    report: ReportFraction,
) -> Counts:
    from pgmstudio.core.data.counting_kernels import count_pairs_weighted

    flat = np.zeros(cells)
    step = _rows_per_call(len(cards) * len(cards))
    for start in range(0, data.row_count, step):
        cancel.raise_if_cancelled()
        stop = min(start + step, data.row_count)
        count_pairs_weighted(data.codes, weights, cards, offsets, start, stop, flat)
        report(stop / data.row_count)
    return flat


def _unweighted_pairs(
    data: DataSet,
    cards: NDArray[np.int64],
    offsets: NDArray[np.int64],
    cells: int,
    cancel: CancelToken,
    report: ReportFraction,
) -> Counts:
    from pgmstudio.core.data import counting_kernels as kernels

    layout = BitLayout.of(data)
    packed = layout.base >= 0
    stored = np.where(packed, cards - layout.first_state, 0).astype(np.int16)  # 32 at most
    by_bits = np.outer(packed, packed) & (np.outer(stored, stored) <= STATE_PAIRS_PER_ROW_READ)
    np.fill_diagonal(by_bits, True)  # no pair
    has_histograms = not by_bits.all()
    flat = np.zeros(cells, dtype=np.int64)
    ones = np.zeros(layout.width, dtype=np.int64)
    for start in range(0, data.row_count, PACKED_CHUNK):
        cancel.raise_if_cancelled()
        stop = min(start + PACKED_CHUNK, data.row_count)
        bits = pack_rows(data, layout, start, stop)
        kernels.count_bits(bits, ones)
        step = max(1, STATE_WORDS_PER_CALL // max(1, layout.width * bits.shape[1]))
        for first in range(0, len(cards), step):
            cancel.raise_if_cancelled()
            last = min(first + step, len(cards))
            kernels.count_pairs_by_bits(
                bits, layout.base, layout.first_state, cards, by_bits, offsets, first, last, flat
            )
        if has_histograms:
            kernels.count_pairs_by_histogram(data.codes, cards, by_bits, offsets, start, stop, flat)
        report(stop / data.row_count)
    kernels.fill_implied_states(
        ones, layout.base, layout.first_state, cards, by_bits, offsets, data.row_count, flat
    )
    return _as_floats(flat)


def _as_floats(counts: NDArray[np.int64]) -> Counts:
    """The same counts as floats, written over the integers: they may fill half the memory."""
    floats = counts.view(np.float64)
    for start in range(0, counts.size, ROWS_PER_CALL):
        floats[start : start + ROWS_PER_CALL] = counts[start : start + ROWS_PER_CALL].copy()
    return floats


def _rows_per_call(columns_read: int) -> int:
    """Rows that keep one compiled call near a twentieth of a second."""
    return max(PACKED_CHUNK, (50_000_000 // max(columns_read, 1)) & ~63)


def grouped_rows(data: DataSet) -> DataSet:
    """Equal rows once, with their summed weights, where that pays: rows far outnumber joint states.

    Counts, and all that is computed from them, stay the same; the order of rows does not.
    """
    cells = data.domain.joint_states()
    if data.has_missing or cells * 4 > data.row_count:
        return data
    if isinstance(data, ChunkedData) and cells > MAX_GROUPED_CELLS:
        return data
    weights = joint_counts(data, range(len(data.domain))).ravel()
    seen = np.flatnonzero(weights)
    codes = np.array(np.unravel_index(seen, data.domain.cardinalities))
    return DataSet(data.domain, codes.astype(code_dtype(data.domain)), weights[seen])


# Bit columns take an eighth of a byte per state and row; beyond this they are not stored.
MAX_BIT_BYTES = 1 << 29
BUFFER_CELLS = 1 << 21
# Larger tables are mostly counted row by row anyway.
MAX_BIT_CELLS = 1 << 12
# Joint states of a table in a file up to which its equal rows are brought to memory once.
MAX_GROUPED_CELLS = 1 << 20
# Cells of tables that are counted with one that was not announced.
MAX_NEAR_CELLS = 1 << 16
# Up to so many kept tables, all are looked through for one that has the columns of another.
MAX_LOOKED_THROUGH = 1000
# Cells of the tables kept from earlier passes, 256 MB, and those that one pass counts.
MAX_KEPT_CELLS, MAX_PASS_CELLS = 1 << 25, 1 << 24


@dataclass(frozen=True, eq=False)
class JoinedCounts:
    """For each of `candidates`, the table of (members…, candidate), the candidate fastest."""

    candidates: NDArray[np.int64]
    flat: Counts
    offsets: NDArray[np.int64]


# Tables that are requested together: some columns, each of the others with them.
Request = tuple[Sequence[int], Sequence[int]]
Prefetch = Callable[[Iterable[Request], CancelToken], None]


def family_counter(data: DataSet) -> FamilyCounter:
    """The counter for a table in memory, or for one that is read in chunks."""
    grouped = grouped_rows(data)
    return ChunkedCounter(grouped) if isinstance(grouped, ChunkedData) else FamilyCounter(grouped)


class FamilyCounter:
    """Counts on one data set, whose bit columns are packed once and cached."""

    reads_in_passes = False  # whether tables that are not announced cost a pass over the rows each

    def __init__(self, data: DataSet) -> None:
        self.data = data
        self.cards = np.array(data.domain.cardinalities, dtype=np.int64)

    def prefetch(self, requests: Iterable[Request], cancel: CancelToken = NEVER) -> None:
        """Announce tables that will be asked for next, so that one pass counts them all."""

    @cached_property
    def _packed(self) -> tuple[BitLayout, NDArray[np.uint64]]:
        layout = BitLayout.of(self.data)
        if isinstance(self.data, StoredRows) and self.data.bits is not None:
            return layout, self.data.bits
        words = -(-self.data.row_count // 64)
        if layout.width * words * 8 > MAX_BIT_BYTES:
            layout = BitLayout(np.full_like(layout.base, -1), layout.first_state, 0)
        bits = np.empty((layout.width, words), dtype=np.uint64)
        for start in range(0, self.data.row_count, PACKED_CHUNK):
            stop = min(start + PACKED_CHUNK, self.data.row_count)
            bits[:, start // 64 : -(-stop // 64)] = pack_rows(self.data, layout, start, stop)
        return layout, bits

    def counts(self, members: Sequence[int], cancel: CancelToken = NEVER) -> Counts:
        """As `joint_counts`, from the bit columns: one axis per member, in that order."""
        shape = tuple(int(self.cards[m]) for m in members)
        if not members or math.prod(shape) > MAX_BIT_CELLS:
            return joint_counts(self.data, members, cancel)
        (joined,) = self.joined(members[:-1], np.array(members[-1:], dtype=np.int64), cancel)
        return joined.flat.reshape(shape)

    def joined(
        self, members: Sequence[int], candidates: NDArray[np.int64], cancel: CancelToken = NEVER
    ) -> Iterator[JoinedCounts]:
        """The counts of the members with each candidate, as many candidates at a time as fit."""
        cells = math.prod(int(self.cards[m]) for m in members)
        sizes = cells * self.cards[candidates]
        ends = np.cumsum(sizes)
        first = 0
        while first < candidates.size:
            before = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + BUFFER_CELLS, "right")))
            offsets = ends[first:last] - sizes[first:last] - before
            flat = np.zeros(int(ends[last - 1]) - before)
            yield self._count_batch(members, candidates[first:last], offsets, flat, cancel)
            first = last

    def _count_batch(
        self,
        members: Sequence[int],
        candidates: NDArray[np.int64],
        offsets: NDArray[np.int64],
        flat: Counts,
        cancel: CancelToken,
    ) -> JoinedCounts:
        data, chosen = self.data, np.array(members, dtype=np.int64)
        if PLAIN_COUNTS.will_do(data, (len(members) + 1) * candidates.size):
            for candidate, start in zip(candidates.tolist(), offsets.tolist(), strict=True):
                table = plain_counts(data, (*members, candidate)).ravel()
                flat[start : start + table.size] = table
            return JoinedCounts(candidates, flat, offsets)
        from pgmstudio.core.data.counting_kernels import (
            count_additions,
            count_additions_weighted,
            split_space,
        )

        step = max(PACKED_CHUNK, (50_000_000 // candidates.size) // PACKED_CHUNK * PACKED_CHUNK)
        for start in range(0, data.row_count, step):
            cancel.raise_if_cancelled()
            stop = min(start + step, data.row_count)
            selection = (chosen, candidates, start, stop, offsets, flat)
            if data.weights is None:
                layout, bits = self._packed
                base, first = layout.base, layout.first_state
                space = split_space(stop - start)
                count_additions(data.codes, bits, base, first, self.cards, *selection, *space)
            else:
                weights, missing = data.weights, data.missing_code
                count_additions_weighted(data.codes, weights, self.cards, missing, *selection)
        return JoinedCounts(candidates, flat, offsets)


@dataclass(frozen=True)
class CountTables:
    """Counts the tables of some requests in a chunk."""

    requests: tuple[Request, ...]

    def __call__(self, chunk: DataSet, _first_row: int) -> Arrays:
        counter = FamilyCounter(grouped_rows(chunk))
        parts = []
        for members, candidates in self.requests:
            chosen = np.array(candidates, dtype=np.int64)
            parts += [joined.flat for joined in counter.joined(members, chosen)]
        return (np.concatenate(parts),)


class ChunkedCounter(FamilyCounter):
    """Counts on a table that is read in chunks; a table that was counted before costs no pass."""

    data: ChunkedData
    reads_in_passes = True

    def __init__(self, data: ChunkedData) -> None:
        super().__init__(data)

    def counts(self, members: Sequence[int], cancel: CancelToken = NEVER) -> Counts:
        members = [int(m) for m in members]
        if len(set(members)) < len(members):
            return self._with_repeats(members, cancel)
        shape = tuple(int(self.cards[m]) for m in members)
        if not members:
            return np.array(self.data.total_weight)
        _check_cells(
            math.prod(shape),
            "The table of " + ", ".join(self.data.domain.names[m] for m in members),
        )
        key = tuple(sorted(members))
        table = self._known(key)
        if table is None:
            self._count_near(key, cancel)
            table = self._known(key)
            assert table is not None
        order = [key.index(m) for m in members]
        return np.ascontiguousarray(table.transpose(order))

    def _with_repeats(self, members: Sequence[int], cancel: CancelToken) -> Counts:
        """A table in which a column has several axes: counts are on their diagonal."""
        once = list(dict.fromkeys(members))
        counts = self.counts(once, cancel)
        result = np.zeros([int(self.cards[m]) for m in members])
        states = np.indices(counts.shape)
        result[tuple(states[once.index(m)] for m in members)] = counts
        return result

    def _count_near(self, key: tuple[int, ...], cancel: CancelToken) -> None:
        """Count a table that was not announced, with each other column where that is little more:
        those who do not announce mostly ask for larger tables next."""
        cells = math.prod(int(self.cards[m]) for m in key) * int(self.cards.sum())
        others = [v for v in range(len(self.cards)) if v not in key]
        if others and not self.data.has_missing and cells <= MAX_NEAR_CELLS:
            self.prefetch([(key, others)], cancel)
        else:
            self._count([(key[:-1], key[-1:])], cancel)

    def joined(
        self, members: Sequence[int], candidates: NDArray[np.int64], cancel: CancelToken = NEVER
    ) -> Iterator[JoinedCounts]:
        # Before the first batch, so that all batches come from one pass.
        self.prefetch([(members, candidates.tolist())], cancel)
        yield from super().joined(members, candidates, cancel)

    def _count_batch(
        self,
        members: Sequence[int],
        candidates: NDArray[np.int64],
        offsets: NDArray[np.int64],
        flat: Counts,
        cancel: CancelToken,
    ) -> JoinedCounts:
        for candidate, offset in zip(candidates.tolist(), offsets.tolist(), strict=True):
            counts = self.counts((*members, candidate), cancel).ravel()
            flat[offset : offset + counts.size] = counts
        return JoinedCounts(candidates, flat, offsets)

    def prefetch(self, requests: Iterable[Request], cancel: CancelToken = NEVER) -> None:
        needed: dict[tuple[int, ...], Request] = {}
        for members, candidates in requests:
            for candidate in candidates:
                key = tuple(sorted({*members, candidate}))
                if key in needed or self._known(key) is not None:
                    continue
                is_new = candidate not in members
                needed[key] = (tuple(members), (candidate,)) if is_new else (key[:-1], key[-1:])
        pairs = sum(len(key) == 2 for key in needed)
        if pairs > len(self.cards) and pair_cells(self.data) <= MAX_PASS_CELLS:
            pair_counts(self.data, cancel)
            needed = {key: one for key, one in needed.items() if self._known(key) is None}
        grouped: dict[tuple[int, ...], list[int]] = {}
        for members, (candidate,) in needed.values():
            grouped.setdefault(tuple(members), []).append(candidate)
        batch: list[Request] = []
        cells = 0
        for members, candidates in grouped.items():
            size = math.prod(int(self.cards[m]) for m in members)
            size *= int(self.cards[candidates].sum())
            if batch and cells + size > MAX_PASS_CELLS:
                self._count(batch, cancel)
                batch, cells = [], 0
            batch.append((members, tuple(candidates)))
            cells += size
        if batch:
            self._count(batch, cancel)

    def _count(self, requests: Sequence[Request], cancel: CancelToken) -> None:
        """One pass for these tables, which are kept."""
        (flat,) = self.data.sums(CountTables(tuple(requests)), cancel)
        counted = self.data.counted
        at = 0
        for members, candidates in requests:
            for candidate in candidates:
                family = (*members, candidate)
                shape = tuple(int(self.cards[m]) for m in family)
                size = math.prod(shape)
                table = flat[at : at + size].reshape(shape).transpose(np.argsort(family))
                counted[tuple(sorted(family))] = np.ascontiguousarray(table)
                at += size
        cells = sum(table.size for table in counted.values())
        while cells > MAX_KEPT_CELLS + flat.size:  # the oldest go first
            cells -= counted.pop(next(iter(counted))).size

    def _known(self, key: tuple[int, ...]) -> Counts | None:
        """A table that was counted before, or follows from one that was."""
        data = self.data
        table = data.counted.get(key)
        if table is not None:
            return table
        if len(key) == 2 and data.pairs is not None:
            return data.pairs.table(*key)
        if data.has_missing:  # each table has its own complete rows
            return None
        if len(key) == 1 and data.pairs is not None and len(self.cards) > 1:
            other = 1 if key[0] == 0 else 0
            return np.asarray(data.pairs.table(key[0], other).sum(axis=1))
        for other in range(len(self.cards)):
            if other in key:
                continue
            larger = data.counted.get(tuple(sorted((*key, other))))
            if larger is not None:
                axis = bisect_left(key, other)
                table = data.counted[key] = np.asarray(larger.sum(axis=axis))
                return table
        if len(data.counted) > MAX_LOOKED_THROUGH:
            return None
        wanted = set(key)
        nearest = min((one for one in data.counted if wanted.issubset(one)), key=len, default=None)
        if nearest is None:
            return None
        axes = tuple(axis for axis, v in enumerate(nearest) if v not in wanted)
        table = data.counted[key] = np.asarray(data.counted[nearest].sum(axis=axes))
        return table
