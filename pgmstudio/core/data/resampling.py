"""Rows drawn at random: parts of a split, held-out rows, folds and bootstrap samples.

A whole weight counts as that many equal rows, called cases here, and cases of one row may go to
several parts. They are dealt in an order that depends on the values of the rows, not on their
positions: from the same seed a table of counts and the same cases as single rows have the same
parts, in any order of rows, columns and states. A weight that is not an integer is the weight of
one row; such a row is one case and keeps its weight.

Splits of the rows into parts, with what is needed to make and recognise them again.

How cases are dealt to the parts, `resampling` knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import drop_columns, stacked
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken

Rows = NDArray[np.intp]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowKeys:
    """What is needed to deal rows that are not in memory."""

    content_keys: NDArray[np.uint64]
    weights: Floats | None

    @property
    def row_count(self) -> int:
        return int(self.content_keys.size)

    @cached_property
    def content_order(self) -> NDArray[np.intp]:
        return np.argsort(self.content_keys, kind="stable")


# More cases of a table of counts are dealt row by row; their parts are as large only on average.
MAX_CASES = 1 << 24


def case_counts(data: DataSet | RowKeys) -> Counts | None:
    """How many cases each row stands for; None where each is one case."""
    weights = data.weights
    if weights is None or (weights != np.floor(weights)).any() or weights.sum() >= 2**62:
        return None
    return weights.astype(np.int64)


def case_total(data: DataSet | RowKeys) -> int:
    """How many cases there are to draw from."""
    if isinstance(data, ChunkedData):
        return round(data.total_weight) if data.facts.has_whole_weights else data.row_count
    counts = case_counts(data)
    return data.row_count if counts is None else int(counts.sum())


def canonical(data: DataSet, cancel: CancelToken = NEVER) -> DataSet:
    """Equal rows once, with their summed weights, in an order that depends on the values of the
    rows."""
    merged = data.merged(cancel)
    return merged.take_rows(merged.content_order)


@dataclass(frozen=True, eq=False)
class Deal:
    """Which part has each row, or, of a table of counts, how many of its cases each part has."""

    labels: NDArray[np.intp] | NDArray[np.uint8] | None
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
    chosen = data.take_rows(rows)
    return chosen if copies is None else replace(chosen, weights=copies.astype(np.float64))


def deal(
    data: DataSet | RowKeys, strata: Iterable[tuple[Rows, Sequence[int]]], rng: np.random.Generator
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


def in_order(data: DataSet | RowKeys) -> Rows:
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


def deal_folds(data: DataSet | RowKeys, count: int, rng: np.random.Generator) -> Deal:
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
    return replace(data.take_rows(drawn), weights=weights)


@dataclass(frozen=True, eq=False)
class Split:
    """Which rows belong to which part; every row belongs to one.

    Where rows stand for several cases, `copies` has how many of them the part has, and a row may
    belong to several parts. `seed` is None when no chance was involved. `fingerprint` is that of
    the data it was made for, `part_fingerprints` those of the parts, so that a moved or edited row
    can be noticed.
    """

    indices: tuple[Rows, ...]
    names: tuple[str, ...]
    seed: int | None
    fingerprint: str
    part_fingerprints: tuple[str, ...]
    copies: tuple[Counts, ...] | None = None

    def __post_init__(self) -> None:
        self._seal()

    def _seal(self) -> None:
        object.__setattr__(self, "indices", tuple(_sealed(rows, np.intp) for rows in self.indices))
        if self.copies is not None:
            sealed = tuple(_sealed(counts, np.int64) for counts in self.copies)
            object.__setattr__(self, "copies", sealed)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update({"copies": None, **state})
        self._seal()  # arrays come back writable from another process

    @cached_property
    def row_count(self) -> int:
        """Of the data that was split."""
        if self.copies is None:
            return sum(rows.size for rows in self.indices)
        return int(np.unique(np.concatenate(self.indices)).size)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many rows each part has; a row of whole weight n counts as n."""
        if self.copies is None:
            return tuple(rows.size for rows in self.indices)
        return tuple(int(counts.sum()) for counts in self.copies)

    def is_for(self, data: DataSet) -> bool:
        """Whether `data` is exactly what was split."""
        return data.fingerprint == self.fingerprint

    def part(self, data: DataSet, name: str) -> DataSet:
        """The part of that name; see `parts`."""
        self._check(data)
        return self._part(data, self.names.index(name))

    def parts(self, data: DataSet) -> tuple[DataSet, ...]:
        """The parts of `data`, which may have been edited but must have as many rows."""
        self._check(data)
        return tuple(self._part(data, number) for number in range(len(self.indices)))

    def _part(self, data: DataSet, number: int) -> DataSet:
        copies = None if self.copies is None else self.copies[number]
        return rows_with(data, self.indices[number], copies)

    def fits(self, data: DataSet) -> bool:
        """Whether `data` has as many rows, and the weights that were dealt, whatever its cells."""
        if data.row_count != self.row_count:
            return False
        if self.copies is None:
            return True
        dealt = np.zeros(data.row_count, dtype=np.int64)
        for rows, counts in zip(self.indices, self.copies, strict=True):
            dealt[rows] += counts
        return data.weights is not None and np.array_equal(dealt, data.weights)

    def _check(self, data: DataSet) -> None:
        if not self.fits(data):
            other = f"{self.row_count} rows, the data set has {data.row_count}"
            if data.row_count == self.row_count:
                other = "rows with other weights"
            raise DataError(f"The split is of {other}. Split it again.")

    def made_for(self, data: DataSet) -> Split:
        """The same rows in the same parts, for a data set with other columns."""
        return _split_of(data, self.indices, self.names, self.seed, self.copies)


def _sealed(values: NDArray[Any], dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    view = np.ascontiguousarray(values, dtype=dtype).view()
    view.flags.writeable = False
    return view


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
    data: DataSet,
    indices: Sequence[Rows],
    names: Sequence[str],
    seed: int | None,
    copies: Sequence[Counts] | None = None,
) -> Split:
    counts = [None] * len(indices) if copies is None else copies
    parts = [rows_with(data, rows, own) for rows, own in zip(indices, counts, strict=True)]
    prints = tuple(part.fingerprint for part in parts)
    copies_of_rows = None if copies is None else tuple(copies)
    return Split(tuple(indices), tuple(names), seed, data.fingerprint, prints, copies_of_rows)


def split(
    data: DataSet, fractions: Sequence[float], seed: int, *, stratify: str | None = None
) -> Split:
    """Split rows at random into parts of these fractions; a row of whole weight n counts as n rows.

    With `stratify`, each state of that column (and missing) is divided equally: a part has its
    fraction of every state to within one row. Rows keep their order within a part.
    """
    wanted = np.array(fractions, dtype=np.float64)
    if wanted.size == 0 or (wanted < 0).any() or not np.isclose(wanted.sum(), 1):
        raise DataError("The fractions of a split must be positive and add up to 1.")
    wanted = wanted / wanted.sum()
    dealt = deal(data, _strata(data, wanted, stratify), np.random.default_rng(seed))
    result = [dealt.rows(part) for part in range(wanted.size)]
    indices, copies = [rows for rows, _ in result], [own for _, own in result if own is not None]
    if copies:  # rows of weight 0 stay with the first part
        unused = np.setdiff1d(np.arange(data.row_count), np.concatenate(indices))
        order = np.argsort(np.append(indices[0], unused), kind="stable")
        indices[0] = np.append(indices[0], unused)[order]
        copies[0] = np.append(copies[0], np.zeros(unused.size, dtype=np.int64))[order]
    return _split_of(data, indices, _names(wanted.size), seed, copies or None)


def _strata(
    data: DataSet, wanted: NDArray[np.float64], stratify: str | None
) -> Iterator[tuple[Rows, list[int]]]:
    """Rows by state, with the number of cases of each part."""
    order, counts = in_order(data), case_counts(data)
    if stratify is None:
        groups = [order]
    else:
        column, states = data.column(stratify)[order], data.domain[stratify].states
        codes = sorted(np.unique(column).tolist(), key=lambda code: (states[code : code + 1], code))
        groups = [order[column == code] for code in codes]
    owed = np.zeros(wanted.size)
    for rows in groups:
        total = rows.size if counts is None else int(counts[rows].sum())
        exact = wanted * total
        owed += exact
        sizes = np.floor(exact + 1e-9).astype(np.int64)
        # What rounding down left over goes, one each, where most is owed, so that totals fit too.
        needs = np.where(exact > sizes, owed - sizes, -np.inf)
        sizes[np.argsort(-needs, kind="stable")[: total - int(sizes.sum())]] += 1
        owed -= sizes
        yield rows, sizes.tolist()


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


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """How the rows will be split; sizes are in percent."""

    kind: str = "none"  # none, random, column, files
    train: int = 60
    valid: int = 20
    test: int = 20
    seed: int = 1
    stratify: str | None = None
    column: str | None = None


def split_rows(data: DataSet, plan: SplitPlan) -> tuple[DataSet, Split | None]:
    """The data set with the split that was planned; by a column, it comes back without it."""
    if plan.kind == "random":
        fractions = [plan.train / 100, plan.test / 100]
        if plan.valid:
            fractions.insert(1, plan.valid / 100)
        stratify = plan.stratify if (plan.stratify or "") in data.domain else None
        return data, split(data, fractions, plan.seed, stratify=stratify)
    if plan.kind == "column" and plan.column is not None:
        return split_by_column(data, plan.column)
    return data, None
