"""Rows as short lists: the cells that differ from their column's most frequent state.

Counts of two such cells, together with counts of one and the number of rows, determine every other
count of a pair of columns, so the rest never has to be visited (Meilă 1999, §5.3.2 and §5.4).

`CellRows` holds the lists alone, so memory grows only with the cells listed. `SparseRows`, for
mixtures, has equal rows merged, every row as numbers of states too, and rows with missing cells as
such rows alone. `Bundles` are cells that often stand in a row together; which rows have which
pattern of a bundle never changes, so it is computed once, and the passes of EM add up
responsibilities by bundle.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.execution.thread_pool import run_to_end

Ints = NDArray[np.int64]

MOST_FREQUENT, FIRST_STATE = "most-frequent", "first-state"
REFERENCES = (MOST_FREQUENT, FIRST_STATE)

# Cells read between two looks at the cancel token: a few hundredths of a second.
_CELLS_PER_CALL = 20_000_000


@dataclass(frozen=True, eq=False)
class CellRows:
    """Complete rows of a data set as lists of cells.

    State s ≥ 1 of variable v (0 is the reference, the others keep their order) is the cell
    `cell_at[v] + s − 1`, and `cells[starts[r]:starts[r + 1]]` lists those of row r, rising.
    """

    references: Ints
    cell_at: Ints
    starts: Ints
    cells: NDArray[np.int32]
    weights: Floats

    @property
    def row_count(self) -> int:
        return int(self.weights.size)

    @property
    def variable_count(self) -> int:
        return int(self.references.size)

    @cached_property
    def lengths(self) -> Ints:
        """|x|: how many cells of each row differ from their reference states."""
        return np.diff(self.starts)

    @property
    def longest(self) -> int:
        """s = max |x| (eq. 5.8)."""
        return int(self.lengths.max(initial=0))

    @cached_property
    def cooccurrences(self) -> int:
        """N_C = Σ |x| (|x| − 1) / 2 (eq. 5.16), over rows, not weights."""
        return int((self.lengths * (self.lengths - 1) // 2).sum())

    @cached_property
    def has_whole_weights(self) -> bool:
        return bool((self.weights == np.floor(self.weights)).all())

    def state_numbers(self, variable: int) -> Ints:
        """Per state of the variable its number here: 0 for the reference state."""
        card = int(self.cell_at[variable + 1] - self.cell_at[variable]) + 1
        return _numbers(card, int(self.references[variable]))


def _numbers(card: int, reference: int) -> Ints:
    numbers = np.arange(1, card + 1)
    numbers[reference:] -= 1
    numbers[reference] = 0
    return numbers


def cell_rows(
    data: DataSet, reference: str = MOST_FREQUENT, cancel: CancelToken = NEVER
) -> CellRows:
    """The rows of a complete data set as lists."""
    return run_to_end(listing_rows(data, reference, cancel))


def listing_rows(
    data: DataSet, reference: str = MOST_FREQUENT, cancel: CancelToken = NEVER
) -> Generator[Progress, None, CellRows]:
    """The same, with progress."""
    from pgmstudio.core.learning import sparse_rows_kernels as kernels

    if data.has_missing:
        raise DataError("Some cells are missing; rows can only be listed when they are complete.")
    n, rows = len(data.domain), data.row_count
    cards = np.array(data.domain.cardinalities, dtype=np.int64)
    state_at = _starts_of(cards)
    mass, counts = np.zeros(int(state_at[-1])), np.zeros(int(state_at[-1]), dtype=np.int64)
    given = np.empty(0) if data.weights is None else data.weights
    given.flags.writeable = False  # as a data set's are: one compiled version serves both
    step = max(1, _CELLS_PER_CALL // max(rows, 1))
    for first in range(0, n, step):
        cancel.raise_if_cancelled()
        yield Progress(0.05 * first / n, f"Counting column {first + 1} of {n}")
        kernels.count_states(data.codes, given, first, min(first + step, n), state_at, mass, counts)
    references = np.zeros(n, dtype=np.int64)
    if reference == MOST_FREQUENT and n:
        references = _most_frequent(mass, state_at, cards)
    column_starts = _starts_of(rows - counts[state_at[:-1] + references] if n else counts)
    column_rows = np.empty(int(column_starts[-1]), dtype=np.int32)
    column_cells = np.empty(int(column_starts[-1]), dtype=np.int32)
    cell_at = _starts_of(cards - 1)
    lengths = np.zeros(rows + 1, dtype=np.int64)
    for first in range(0, n, step):
        cancel.raise_if_cancelled()
        yield Progress(0.05 + 0.05 * first / n, f"Listing column {first + 1} of {n}")
        kernels.list_columns(
            data.codes,
            first,
            min(first + step, n),
            references,
            cell_at,
            column_starts,
            column_rows,
            column_cells,
            lengths,
        )
    starts = np.cumsum(lengths)
    cells = np.empty(column_rows.size, dtype=np.int32)
    kernels.turn_to_rows(column_starts, column_rows, column_cells, starts, cells)
    weights = np.ones(rows) if data.weights is None else np.array(data.weights)
    return CellRows(references, cell_at, starts, cells, weights)


def _starts_of(sizes: NDArray[Any]) -> Ints:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def _most_frequent(mass: Floats, state_at: Ints, cards: Ints) -> Ints:
    """Per variable the first of its most frequent states."""
    n = cards.size
    variable = np.repeat(np.arange(n), cards)
    # Sorted by variable, then falling mass, then state: the first of each variable.
    order = np.lexsort((np.arange(mass.size), -mass, variable))
    return np.asarray(order[state_at[:-1]] - state_at[:-1], dtype=np.int64)


ShortInts = NDArray[np.int32]

# Cells in a bundle: more share more work, but have more patterns.
BUNDLE = 6
# Rows whose responsibilities are added up together; fewer if they have so many pairs.
BLOCK_ROWS, BLOCK_PAIRS = 8192, 4_000_000
# How many rows are sampled for co-occurrence of cells, and up to how many cells.
_SAMPLE_ROWS, _MAX_CELLS = 2000, 1500


@dataclass(frozen=True, eq=False)
class Block:
    """Patterns of bundles, `keys` rising; `rows[ends[i − 1]:ends[i]]` have the pattern keys[i]."""

    begin: int
    end: int
    keys: Ints
    ends: Ints
    rows: ShortInts
    later: ShortInts


@dataclass(frozen=True, eq=False)
class Bundles:
    """The complete rows again, cells numbered by rank: neighbours often stand together."""

    starts: Ints
    cells: ShortInts
    cell_count: int
    _blocks: dict[tuple[int, int], Block] = field(default_factory=dict, init=False)

    @cached_property
    def rank_of(self) -> Ints:
        """Per cell its rank."""
        ranks = np.empty(self.cell_count, dtype=np.int64)
        ranks[self._order()] = np.arange(self.cell_count)
        return ranks

    @cached_property
    def ranked(self) -> ShortInts:
        """Per row, from `starts`, the ranks of its cells, rising; of the blocks so far."""
        return np.empty(self.cells.size, dtype=np.int32)

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """All rows, in runs of about the same number of rows."""
        total, lengths = self.starts.size - 1, np.diff(self.starts)
        pairs = float((lengths * (lengths + 1) // 2).sum())
        most = int(BLOCK_PAIRS * total / max(pairs, 1.0))
        return even_blocks(0, total, min(max(most, 256), BLOCK_ROWS))

    def block(self, begin: int, end: int) -> Block:
        """What the rows of one of the runs have."""
        if (begin, end) not in self._blocks:
            self._blocks[begin, end] = self._new_block(begin, end)
        return self._blocks[begin, end]

    def _new_block(self, begin: int, end: int) -> Block:
        from pgmstudio.core.learning.sparse_rows_kernels import bundle_rows, rank_cells

        ends, indices = np.empty(self.cell_count, np.int64), np.empty(end - begin, np.int64)
        sorted_rows = np.empty(int(self.starts[end] - self.starts[begin]), dtype=np.int32)
        rank_cells(
            self.starts,
            self.cells,
            begin,
            end,
            self.rank_of,
            ends,
            sorted_rows,
            indices,
            self.ranked,
        )
        bundles = -(-self.cell_count // BUNDLE)
        counts = np.zeros((bundles << BUNDLE) + 1, dtype=np.int64)
        none = np.empty(0, dtype=np.int32)
        bundle_rows(self.starts, self.ranked, begin, end, BUNDLE, counts, none, none)
        keys = np.flatnonzero(counts[1:])
        counts = np.cumsum(counts)
        rows, later = np.empty((2, int(counts[-1])), dtype=np.int32)
        bundle_rows(self.starts, self.ranked, begin, end, BUNDLE, counts, rows, later)
        return Block(begin, end, keys, counts[keys], rows, later)

    def _order(self) -> Ints:
        """The cells, each bundle started with the most frequent remaining cell and filled with
        cells that co-occur."""
        count, total = self.cell_count, self.starts.size - 1
        if count > _MAX_CELLS or count <= BUNDLE or total == 0:
            return np.arange(count)
        chosen = np.unique(np.linspace(0, total - 1, min(total, _SAMPLE_ROWS)).astype(np.int64))
        there = np.zeros((chosen.size, count), dtype=np.float32)
        for index, row in enumerate(chosen):
            there[index, self.cells[self.starts[row] : self.starts[row + 1]]] = 1.0
        together = there.T @ there  # whole numbers, so the same on every machine
        frequency, order = np.diag(together), np.empty(count, dtype=np.int64)
        is_left = np.ones(count, dtype=bool)
        for index in range(count):
            if index % BUNDLE == 0:
                company = frequency.copy()
            order[index] = np.where(is_left, company, -1.0).argmax()
            company = together[order[index]] + (company if index % BUNDLE else 0.0)
            is_left[order[index]] = False
        return order


def even_blocks(first: int, last: int, most: int = BLOCK_ROWS) -> list[tuple[int, int]]:
    """Runs of at most `most` rows, an even number of them unless there are few."""
    count = last - first
    pieces = 2 * -(-count // (2 * most)) if count > 256 else min(count, 1)
    edges = np.linspace(first, last, pieces + 1).astype(int)
    return [(int(edges[n]), int(edges[n + 1])) for n in range(pieces)]


# Cells turned together: some hundredths of a second.
_CHUNK_CELLS = 1 << 21

Numbers = NDArray[np.signedinteger[Any]]


def row_chunks(
    data: DataSet,
    numbers: Sequence[Numbers],
    order: NDArray[np.intp] | None = None,
    cancel: CancelToken = NEVER,
) -> Iterator[tuple[int, Numbers]]:
    """Rows × columns of `numbers[v][code]`, and the number of the first row of each chunk.

    The numbers of a column have one more than it has states, the last for a missing cell. `order`
    lists the rows in the order they are wanted.
    """
    if not numbers:
        return
    line, sizes = np.concatenate(numbers), data.card_array + 1
    first = (np.cumsum(sizes) - sizes).astype(np.int32)[:, None]
    most = data.card_array.astype(data.codes.dtype)[:, None]
    step = max(1, _CHUNK_CELLS // len(numbers))
    for begin in range(0, data.row_count, step):
        cancel.raise_if_cancelled()
        end = begin + step
        part = data.codes[:, begin:end] if order is None else data.codes.take(order[begin:end], 1)
        yield begin, line.take(np.minimum(part, most) + first).T


# Rows with missing cells that are gone over together: they take long.
GAP_BLOCK_ROWS = 1024
# Cells that are counted between two progress events.
_CELLS_PER_TURN = 1 << 22


@dataclass(frozen=True, eq=False)
class SparseRows(CellRows):
    """Distinct rows; complete ones, which are listed, first, then `gap_count` with missing cells.

    `states` is rows × variables, 0 for a column's reference state and otherwise 1, 2, … in the
    order of the other states; −1 is a missing cell. `choice[r]` is the component the row is known
    to come from, −1 where that is hidden.
    """

    domain: Domain
    states: NDArray[np.signedinteger[Any]]
    choice: NDArray[np.int32]
    gap_count: int = 0

    @property
    def whole_count(self) -> int:
        """How many rows have no missing cell."""
        return self.row_count - self.gap_count

    @cached_property
    def total_weight(self) -> float:
        return float(self.weights.sum())

    @property
    def cell_count(self) -> int:
        """How many different cells there are: Σ (|R(v)| − 1)."""
        return int(self.cell_at[-1])

    @cached_property
    def pair_visits(self) -> int:
        """How many pairs of cells one pass over all complete rows visits."""
        return int((self.lengths * (self.lengths + 1) // 2).sum())

    @cached_property
    def bundles(self) -> Bundles:
        """The complete rows, with cells that often stand together near each other."""
        return Bundles(self.starts, self.cells, self.cell_count)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Runs of rows to be gone over by two threads in turns; whole ones as `bundles` has."""
        return [*self.bundles.runs, *even_blocks(self.whole_count, self.row_count, GAP_BLOCK_ROWS)]

    @cached_property
    def most_missing_states(self) -> int:
        """The most states that the missing variables of one row have together."""
        cards = np.array(self.domain.cardinalities, dtype=np.int64)
        gaps = self.states[self.whole_count :] < 0
        return int((gaps @ cards).max(initial=0))

    def data_of(self, begin: int, end: int) -> DataSet:
        """These rows, without their weights, as data again."""
        codes = np.empty((len(self.domain), end - begin), dtype=code_dtype(self.domain))
        for v, states in enumerate(self._codes_of):
            codes[v] = states[self.states[begin:end, v]]
        return DataSet(self.domain, codes)

    @cached_property
    def _codes_of(self) -> list[Ints]:
        """Per variable the code of each state number; the last, of −1, is a missing cell."""
        missing = np.iinfo(code_dtype(self.domain)).max
        return [
            np.append(np.argsort(self.state_numbers(v)), missing) for v in range(len(self.domain))
        ]


def sparse_rows(
    data: DataSet,
    like: SparseRows | None = None,
    choice: str | None = None,
    *,
    is_merged: bool = False,
    cancel: CancelToken = NEVER,
) -> SparseRows:
    """The rows of a data set, equal ones merged; with the reference states of `like`.

    `choice` names the column that holds a row's component; it is then no variable of the trees.
    """
    data = data if is_merged else data.merged(cancel)
    return run_to_end(listing_cells(data, like, choice, cancel))


def listing_cells(
    data: DataSet,
    like: SparseRows | None = None,
    choice: str | None = None,
    cancel: CancelToken = NEVER,
) -> Generator[float, None, SparseRows]:
    """The same of merged rows, saying on the way how much of it is done."""
    from pgmstudio.core.learning.sparse_rows_kernels import list_cells

    chosen = np.full(data.row_count, -1, dtype=np.int32)
    if choice is not None:
        column = data.column(choice).astype(np.int32)
        chosen = np.where(column == data.missing_code, -1, column).astype(np.int32)
        data = data.select_columns([name for name in data.domain.names if name != choice])
    cards, rows = data.domain.cardinalities, data.row_count
    weights = np.ones(rows) if data.weights is None else np.array(data.weights)
    references = np.zeros(len(cards), dtype=np.int64) if like is None else like.references
    has_gap = np.zeros(rows, dtype=bool)
    step = max(1, _CELLS_PER_TURN // max(rows, 1))
    for v, (column, card) in enumerate(zip(data.codes, cards, strict=True)):
        if v % step == 0:
            cancel.raise_if_cancelled()
            yield 0.5 * v / len(cards)
        is_missing = column == data.missing_code
        if is_missing.any():
            has_gap |= is_missing
        if like is None:
            # A missing cell counts as a further state, the last.
            seen = np.bincount(np.minimum(column, card), weights=weights, minlength=card + 1)
            references[v] = int(seen[:card].argmax())
    order, whole = np.argsort(has_gap, kind="stable"), rows - int(has_gap.sum())
    states = np.empty((rows, len(cards)), np.int8 if max(cards, default=0) < 128 else np.int16)
    numbers = [
        np.append(_numbers(card, int(reference)), -1).astype(states.dtype)
        for card, reference in zip(cards, references, strict=True)
    ]
    cell_at = _starts_of(np.array(cards, dtype=np.int64) - 1)
    starts, lists = np.zeros(whole + 1, dtype=np.int64), [np.empty(0, dtype=np.int32)]
    for begin, part in row_chunks(data, numbers, order, cancel):
        yield 0.5 + 0.5 * begin / rows
        states[begin : begin + len(part)] = part
        complete = states[begin : min(begin + len(part), whole)]
        lengths = np.count_nonzero(complete != 0, axis=1)
        starts[begin + 1 : begin + 1 + lengths.size] = lengths
        cells = np.empty(int(lengths.sum()), dtype=np.int32)
        list_cells(complete, cell_at, cells)
        lists.append(cells)
    return SparseRows(
        references,
        cell_at,
        np.cumsum(starts),
        np.concatenate(lists),
        np.ascontiguousarray(weights[order], dtype=np.float64),
        data.domain,
        states,
        np.ascontiguousarray(chosen[order]),
        rows - whole,
    )


def joined(one: SparseRows, other: SparseRows) -> SparseRows:
    """The rows of both, which have the same reference states; equal ones are not merged again."""
    whole = (one.whole_count, other.whole_count)

    def together(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
        parts = (first[: whole[0]], second[: whole[1]], first[whole[0] :], second[whole[1] :])
        return np.concatenate(parts)

    return SparseRows(
        one.references,
        one.cell_at,
        np.concatenate((one.starts, other.starts[1:] + one.starts[-1])),
        np.concatenate((one.cells, other.cells)),
        together(one.weights, other.weights),
        one.domain,
        together(one.states, other.states),
        together(one.choice, other.choice),
        one.gap_count + other.gap_count,
    )
