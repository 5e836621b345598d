"""Rows as short lists of the cells that differ from their column's reference state.

Unlike the rows of mixtures these are not merged and no dense table stands beside the lists, so
memory grows only with the cells listed (Meilă 1999, §5.3.2 and §5.4).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.learning.search_value import value_of
from pgmstudio.core.running import NEVER, CancelToken, Progress

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_FREQUENT, FIRST_STATE = "most-frequent", "first-state"
REFERENCES = (MOST_FREQUENT, FIRST_STATE)

# Cells read between two looks at the cancel token: a few hundredths of a second.
_CELLS_PER_CALL = 20_000_000


class ListedRows(Protocol):
    """What the accelerated algorithms read; `mixture_rows.SparseRows` has it too.

    State s ≥ 1 of variable v (0 is the reference, the others keep their order) is the cell
    `cell_at[v] + s − 1`, and `cells[starts[r]:starts[r + 1]]` lists those of row r.
    """

    @property
    def cell_at(self) -> Ints: ...
    @property
    def starts(self) -> Ints: ...
    @property
    def cells(self) -> NDArray[np.int32]: ...
    @property
    def weights(self) -> Floats: ...


@dataclass(frozen=True, eq=False)
class CellRows:
    """Complete rows of a data set as lists of cells."""

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
        numbers = np.arange(1, card + 1)
        numbers[self.references[variable] :] -= 1
        numbers[self.references[variable]] = 0
        return numbers


def cell_rows(
    data: DataSet, reference: str = MOST_FREQUENT, cancel: CancelToken = NEVER
) -> CellRows:
    """The rows of a complete data set as lists."""
    return value_of(listing_rows(data, reference, cancel))


def listing_rows(
    data: DataSet, reference: str = MOST_FREQUENT, cancel: CancelToken = NEVER
) -> Generator[Progress, None, CellRows]:
    """The same, telling how far it is."""
    from pgmstudio.core.learning import acl_rows_kernels as kernels

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
