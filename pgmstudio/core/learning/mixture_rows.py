"""Rows as short lists: the cells that differ from their column's most frequent state.

Counts of two such cells, together with counts of one and the number of rows, tell every other
count of a pair of columns, so the rest never has to be visited (Meilă 1999, §5.4). Rows with
missing cells are kept apart, as whole rows.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.learning.mixture_bundles import Bundles, even_blocks
from pgmstudio.core.learning.row_chunks import row_chunks
from pgmstudio.core.learning.search_value import value_of
from pgmstudio.core.running import NEVER, CancelToken

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

# Rows with missing cells that are gone over together: they take long.
GAP_BLOCK_ROWS = 1024
# Cells that are counted between two words about how far the listing is.
_CELLS_PER_TURN = 1 << 22


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Distinct rows; complete ones first, then `gap_count` with missing cells.

    `states` is rows × variables, 0 for a column's reference state and otherwise 1, 2, … in the
    order of the other states; −1 is a missing cell. A cell above 0 has the number
    `cell_at[v] + state − 1`; `cells[starts[r]:starts[r + 1]]` lists those of row r, rising.
    `choice[r]` is the component the row is known to come from, −1 where that is hidden.
    """

    domain: Domain
    references: Places
    cell_at: Places
    starts: Places
    cells: NDArray[np.int32]
    states: NDArray[np.signedinteger[Any]]
    weights: Floats
    choice: NDArray[np.int32]
    gap_count: int = 0

    @property
    def row_count(self) -> int:
        return int(self.weights.size)

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
        lengths = np.diff(self.starts)
        return int((lengths * (lengths + 1) // 2).sum())

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
    def _codes_of(self) -> list[Places]:
        """Per variable the code of each state number; the last, of −1, is a missing cell."""
        missing = np.iinfo(code_dtype(self.domain)).max
        return [
            np.append(np.argsort(self.state_numbers(v)), missing) for v in range(len(self.domain))
        ]

    def state_numbers(self, variable: int) -> Places:
        """Per state of the variable its number here: 0 for the reference state."""
        return _numbers(self.domain.cardinalities[variable], int(self.references[variable]))


def _numbers(card: int, reference: int) -> Places:
    numbers = np.arange(1, card + 1)
    numbers[reference:] -= 1
    numbers[reference] = 0
    return numbers


def sparse_rows(
    data: DataSet,
    like: SparseRows | None = None,
    choice: str | None = None,
    *,
    is_merged: bool = False,
    cancel: CancelToken = NEVER,
) -> SparseRows:
    """The rows of a data set, equal ones merged; with the reference states of `like`.

    `choice` names the column that tells a row's component; it is then no variable of the trees.
    """
    data = data if is_merged else data.merged(cancel)
    return value_of(listing_cells(data, like, choice, cancel))


def listing_cells(
    data: DataSet,
    like: SparseRows | None = None,
    choice: str | None = None,
    cancel: CancelToken = NEVER,
) -> Generator[float, None, SparseRows]:
    """The same of merged rows, saying on the way how much of it is done."""
    from pgmstudio.core.learning.mixture_rows_kernels import list_cells

    chosen = np.full(data.row_count, -1, dtype=np.int32)
    if choice is not None:
        column = data.column(choice).astype(np.int32)
        chosen = np.where(column == data.missing_code, -1, column).astype(np.int32)
        data = data.of_columns([name for name in data.domain.names if name != choice])
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
    cell_at = np.concatenate(([0], np.cumsum(np.array(cards, dtype=np.int64) - 1)))
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
        data.domain,
        references,
        cell_at.astype(np.int64),
        np.cumsum(starts),
        np.concatenate(lists),
        states,
        np.ascontiguousarray(weights[order], dtype=np.float64),
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
        one.domain,
        one.references,
        one.cell_at,
        np.concatenate((one.starts, other.starts[1:] + one.starts[-1])),
        np.concatenate((one.cells, other.cells)),
        together(one.states, other.states),
        together(one.weights, other.weights),
        together(one.choice, other.choice),
        one.gap_count + other.gap_count,
    )
