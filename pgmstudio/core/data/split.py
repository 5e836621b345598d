"""Splits of the rows into parts, with what is needed to make and recognise them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.editing import drop_columns, stacked
from pgmstudio.core.errors import DataError

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """Which rows belong to which part; every row belongs to one.

    `seed` is None when no chance was involved. `fingerprint` is that of the data it was made for,
    `part_fingerprints` those of the parts, so that a moved or edited row can be noticed.
    """

    indices: tuple[Rows, ...]
    names: tuple[str, ...]
    seed: int | None
    fingerprint: str
    part_fingerprints: tuple[str, ...]

    def __post_init__(self) -> None:
        self._seal()

    def _seal(self) -> None:
        sealed = []
        for rows in self.indices:
            view = np.ascontiguousarray(rows, dtype=np.intp).view()
            view.flags.writeable = False
            sealed.append(view)
        object.__setattr__(self, "indices", tuple(sealed))

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._seal()  # arrays come back writable from another process

    @property
    def row_count(self) -> int:
        return sum(rows.size for rows in self.indices)

    def is_for(self, data: DataSet) -> bool:
        """Whether `data` is exactly what was split."""
        return data.fingerprint == self.fingerprint

    def parts(self, data: DataSet) -> tuple[DataSet, ...]:
        """The parts of `data`, which may have been edited but must have as many rows."""
        if data.row_count != self.row_count:
            raise DataError(
                f"The split is of {self.row_count} rows, the data set has {data.row_count}. "
                "Split it again."
            )
        return tuple(data.of_rows(rows) for rows in self.indices)

    def made_for(self, data: DataSet) -> Split:
        """The same rows in the same parts, for a data set with other columns."""
        return _split_of(data, self.indices, self.names, self.seed)


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows for learning, for choosing and for the final test, over one domain."""

    train: DataSet
    valid: DataSet
    test: DataSet

    def joined(self) -> tuple[DataSet, Split]:
        """One data set and the split that gives the three parts back."""
        parts = (self.train, self.valid, self.test)
        data = stacked(parts)
        ends = np.cumsum([0, *(part.row_count for part in parts)])
        indices = [np.arange(low, high) for low, high in pairwise(ends)]
        return data, _split_of(data, indices, ("train", "valid", "test"), None)


def _split_of(
    data: DataSet, indices: Sequence[Rows], names: Sequence[str], seed: int | None
) -> Split:
    prints = tuple(data.of_rows(rows).fingerprint for rows in indices)
    return Split(tuple(indices), tuple(names), seed, data.fingerprint, prints)


def split(
    data: DataSet, shares: Sequence[float], seed: int, *, stratify: str | None = None
) -> Split:
    """Split rows at random into parts of these shares (of rows, whatever their weights).

    With `stratify`, each state of that column (and missing) is shared out alike: a part has its
    share of every state to within one row. Rows keep their order within a part.
    """
    wanted = np.array(shares, dtype=np.float64)
    if wanted.size == 0 or (wanted < 0).any() or not np.isclose(wanted.sum(), 1):
        raise DataError("The shares of a split must be positive and add up to 1.")
    wanted = wanted / wanted.sum()
    rng = np.random.default_rng(seed)
    column = np.zeros(data.row_count, dtype=np.uint8) if stratify is None else data.column(stratify)
    owner = np.empty(data.row_count, dtype=np.intp)
    owed = np.zeros(wanted.size)
    for stratum in np.unique(column):
        rows = rng.permutation(np.flatnonzero(column == stratum))
        owed += wanted * rows.size
        exact = wanted * rows.size
        counts = np.floor(exact + 1e-9).astype(np.intp)
        # What rounding down left over goes, one each, where most is owed, so that totals fit too.
        needs = np.where(exact > counts, owed - counts, -np.inf)
        left_over = rows.size - int(counts.sum())
        counts[np.argsort(-needs, kind="stable")[:left_over]] += 1
        owed -= counts
        owner[rows] = np.repeat(np.arange(wanted.size), counts)
    indices = [np.flatnonzero(owner == part) for part in range(wanted.size)]
    return _split_of(data, indices, _names(wanted.size), seed)


def _names(count: int) -> tuple[str, ...]:
    known = {1: ("train",), 2: ("train", "test"), 3: ("train", "valid", "test")}
    return known.get(count, tuple(f"part {part + 1}" for part in range(count)))


def split_by_column(data: DataSet, column: str) -> tuple[DataSet, Split]:
    """A part for each state of `column`; the data set comes back without that column."""
    codes = data.column(column)
    holes = np.flatnonzero(codes == data.missing_code)
    if holes.size:
        raise DataError(
            f"{column} is missing in {holes.size} rows, first in row {holes[0] + 1}; "
            "fill these cells before splitting by it."
        )
    states = [
        (code, s) for code, s in enumerate(data.domain[column].states) if (codes == code).any()
    ]
    rest = drop_columns(data, [column])
    indices = [np.flatnonzero(codes == code) for code, _ in states]
    return rest, _split_of(rest, indices, [state for _, state in states], None)
