"""EM for latent classes (Nielsen 2007, §4.4.1, with the expected counts of the E step corrected).

E: r(row, c) ∝ P(c) Π P(x_i | c). M: P(c) = Σ r / N and P(x_i | c) from the responsibilities of the
rows in which x_i is observed; a missing cell adds no information, so this is exact EM for cells
missing at random.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.learning.responsibilities import (
    BLOCK_ROWS,
    Responsibilities,
    lined_zeros,
    padded,
)
from pgmstudio.core.learning.sparse_rows import row_chunks

# ln 0: as small as it can be without two of them losing the digits of the rest.
LN_NEVER = -1e5
# Cells times classes between two looks at the cancel token.
_STEP_VISITS = 200_000_000


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Distinct rows as lists of the cells that differ from their column's most frequent state.

    A column has a cell for each of its states; that of the reference state stands for “missing”.
    """

    domain: Domain
    references: NDArray[np.int64]
    starts: NDArray[np.int64]
    cells: NDArray[np.int32]
    weights: Floats

    @property
    def row_count(self) -> int:
        return int(self.weights.size)

    @property
    def cell_count(self) -> int:
        return int(sum(self.domain.cardinalities))


def class_rows(data: DataSet, cancel: CancelToken = NEVER) -> ClassRows:
    """The rows of a data set, equal ones merged; missing cells stay missing."""
    data = data.merged(cancel)
    weights = np.ones(data.row_count) if data.weights is None else np.array(data.weights)
    references = []
    tables = list[NDArray[np.int32]]()
    at = 0
    for column, card in zip(data.codes, data.domain.cardinalities, strict=True):
        cancel.raise_if_cancelled()
        counts = np.bincount(np.minimum(column, card), weights=weights, minlength=card + 1)[:card]
        reference = int(counts.argmax())
        # The cell of the reference state's number stands for “missing” instead.
        table = np.append(at + np.arange(card), at + reference).astype(np.int32)
        table[reference] = -1
        references.append(reference)
        tables.append(table)
        at += card
    lengths = np.zeros(data.row_count, dtype=np.int64)
    cells = [np.empty(0, dtype=np.int32)]
    for begin, numbers in row_chunks(data, tables, cancel=cancel):
        counted = numbers >= 0
        lengths[begin : begin + len(numbers)] = counted.sum(axis=1)
        cells.append(numbers[counted].astype(np.int32, copy=False))
    return ClassRows(
        data.domain,
        np.array(references, dtype=np.int64),
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        np.concatenate(cells),
        weights,
    )


class LatentEm:
    """The state of one EM run: the present classes, states × classes with padding."""

    def __init__(
        self,
        rows: ClassRows,
        model: LatentClasses,
        *,
        smoothing: float = 0.0,
        cancel: CancelToken = NEVER,
    ) -> None:
        self.rows = rows
        self.smoothing = smoothing
        self._cancel = cancel
        self._start = model
        self._count = model.class_count
        self._lanes = padded(self._count)
        self._threads = ThreadPoolExecutor(max_workers=1)
        self._works = [_Workspace(rows.cell_count, self._lanes) for _ in range(2)]
        cards = rows.domain.cardinalities
        self._first = np.cumsum((0, *cards))[:-1]  # of every variable's states, all in a row
        self._variable_of = np.repeat(np.arange(len(cards)), cards)
        self._reference = self._first + rows.references
        self._hidden = np.full(rows.row_count, -1, dtype=np.int32)
        self._weights = np.array(model.weights)
        self._tables = np.array(model.stacked)

    @property
    def model(self) -> LatentClasses:
        """The present classes."""
        tables = np.split(self._tables, self._first[1:]) if self._first.size else []
        return LatentClasses(
            self.rows.domain,
            self._weights,
            tuple(np.ascontiguousarray(table.T) for table in tables),
            self._start.hidden,
        )

    def improve(self) -> float:
        """One E and one M step; Σ weight · log2 P(row) before the M step."""
        result = self._pass(is_counting=True)
        self._maximise()
        return result

    def log2_likelihood(self) -> float:
        """Σ weight · log2 P(row) of the present classes; missing cells summed out."""
        return self._pass(is_counting=False)

    def _pass(self, *, is_counting: bool) -> float:
        base, added = self._terms()
        for work in self._works:
            work.clear()
        total = 0.0
        for begin, end in self._steps():
            self._cancel.raise_if_cancelled()
            half = (begin + end) // 2
            later = self._threads.submit(
                self._visit, half, end, self._works[1], base, added, is_counting
            )
            total += self._visit(begin, half, self._works[0], base, added, is_counting)
            total += later.result()
        return total / math.log(2)

    def _visit(
        self,
        first: int,
        last: int,
        work: _Workspace,
        base: Floats,
        added: Floats,
        is_counting: bool,
    ) -> float:
        """E, and the sums for M, of the rows first … last − 1; Σ weight · ln P."""
        from pgmstudio.core.languages.latent_class.learning.kernels import add_cells, expect_rows

        rows = self.rows
        total = 0.0
        for begin in range(first, last, BLOCK_ROWS):
            end = min(begin + BLOCK_ROWS, last)
            expect_rows(
                rows.starts, rows.cells, base, added, begin, end, work.flat_responsibilities
            )
            logs = work.normalize(self._count, rows.weights, self._hidden, begin, end)
            total += float(rows.weights[begin:end] @ logs)
            if is_counting:
                work.masses += work.responsibilities[: end - begin].sum(axis=0)
                add_cells(
                    rows.starts,
                    rows.cells,
                    work.flat_responsibilities,
                    self._lanes,
                    begin,
                    end,
                    work.sums,
                )
        return total

    @property
    def masses(self) -> Floats:
        """Rows in each class at the last step, as far as they belong to it."""
        result = self._works[0].masses + self._works[1].masses
        return np.asarray(result[: self._count])

    def _terms(self) -> tuple[Floats, Floats]:
        """ln P(reference row, c), and what every other cell changes in it."""
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(self._tables), LN_NEVER)
            base = np.maximum(np.log(self._weights), LN_NEVER)
        reference = logs[self._reference]
        added = lined_zeros(self.rows.cell_count * self._lanes).reshape(-1, self._lanes)
        added[:, : self._count] = logs - reference[self._variable_of]
        added[self._reference, : self._count] = -reference  # stands for “missing”
        padding = np.zeros(self._lanes)
        padding[: self._count] = base + reference.sum(axis=0)
        return padding, added.ravel()

    def _maximise(self) -> None:
        sums = self._works[0].sums + self._works[1].sums
        counts = sums.reshape(-1, self._lanes)[:, : self._count]
        masses = self.masses
        missing = counts[self._reference]
        counts[self._reference] = 0.0
        if self._first.size:
            others = np.add.reduceat(counts, self._first, axis=0)
            counts[self._reference] = np.maximum(masses - missing - others, 0.0)
            counts += self.smoothing
            totals = np.add.reduceat(counts, self._first, axis=0)[self._variable_of]
            # A class without rows that show this column keeps its table.
            with np.errstate(divide="ignore", invalid="ignore"):
                self._tables = np.where(totals > 1e-12, counts / totals, self._tables)
        self._weights = masses / masses.sum()

    def _steps(self) -> list[tuple[int, int]]:
        visits = int(self.rows.cells.size) * self._count
        count = max(1, math.ceil(visits / _STEP_VISITS))
        edges = np.linspace(0, self.rows.row_count, count + 1).astype(int)
        return [(int(a), int(b)) for a, b in pairwise(edges)]


class _Workspace(Responsibilities):
    """Buffers of one thread."""

    def __init__(self, cells: int, lanes: int) -> None:
        super().__init__(lanes)
        self.sums = lined_zeros(cells * lanes)
        self.masses = np.zeros(lanes)

    def clear(self) -> None:
        self.sums[:], self.masses[:] = 0.0, 0.0
