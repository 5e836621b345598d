"""Columns of a raw table as states or as numbers, decided on distinct values, never cell by cell.

A column of texts is numeric when every text spells a number and none has idle leading zeros (“007”
is a name). Numbers become states in ascending order, “1.0” and “1” being one state called “1”;
texts become states in natural order (“bin 2” before “bin 10”).

A number that may stand for “missing”: a usual code, far from every other number of a column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.discretization import number_text
from pgmstudio.core.data.variables import clean_name
from pgmstudio.core.io.data.formats.text_sniffing import natural_key, number_of

if TYPE_CHECKING:
    import polars


Indices = NDArray[np.integer[Any]]
_IDLE_ZEROS = re.compile(r"[+-]?0\d")
_PREFIX_ROWS = 20_000
_SMALL_RANGE = 1 << 16
_FEW_TEXTS = 5000  # sorted the way states are, so that indices need no second mapping


def _narrowest(largest: int) -> np.dtype[np.integer[Any]]:
    return np.dtype(np.uint8 if largest < 256 else np.int32)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Distinct texts and, per row, the index of its text; indices past the end are missing."""

    name: str
    texts: tuple[str, ...]
    indices: Indices
    decimal: str = "."
    cleaned: int = 0  # texts with control characters, which were replaced

    @cached_property
    def _numbers(self) -> list[float | None]:
        return [
            None if _IDLE_ZEROS.match(text) else number_of(text, self.decimal)
            for text in self.texts
        ]

    @property
    def row_count(self) -> int:
        return int(self.indices.size)

    @cached_property
    def is_numeric(self) -> bool:
        return bool(self.texts) and None not in self._numbers

    @cached_property
    def distinct_count(self) -> int:
        return len(set(self._numbers)) if self.is_numeric else len(self.texts)

    def has_more_than(self, count: int) -> bool:
        """Whether there are more distinct values than `count`."""
        return self.distinct_count > count

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        return self.indices >= len(self.texts)

    def not_numbers(self) -> tuple[str, ...]:
        """The texts that spell no number."""
        pairs = zip(self.texts, self._numbers, strict=True)
        return tuple(text for text, number in pairs if number is None)

    def spelling(self, value: float) -> tuple[str, ...]:
        """The texts that spell `value`."""
        pairs = zip(self.texts, self._numbers, strict=True)
        return tuple(text for text, number in pairs if number == value)

    def distinct_numbers(self) -> Floats:
        """The numbers that occur; only for a numeric column."""
        return np.array([number or 0.0 for number in self._numbers])

    def numbers(self) -> Floats:
        """The number of each row, NaN where missing; only for a numeric column."""
        values = np.full(len(self.texts) + 1, np.nan)
        values[:-1] = [np.nan if number is None else number for number in self._numbers]
        return values[np.minimum(self.indices, len(self.texts))]

    def coded(self) -> tuple[tuple[str, ...], Indices]:
        """States in order and, per row, the index of its state (as many as there are: missing)."""
        if self.is_numeric:
            values = [number or 0.0 for number in self._numbers]
            order = sorted(set(values))
            states = tuple(number_text(value) for value in order)
            rank = {value: index for index, value in enumerate(order)}
            mapping = [rank[value] for value in values]
        else:
            states = tuple(sorted(self.texts, key=natural_key))
            position = {text: index for index, text in enumerate(states)}
            mapping = [position[text] for text in self.texts]
        return states, self.mapped(mapping, len(states))

    def mapped(self, mapping: Sequence[int], missing: int) -> Indices:
        """Per row, what its text is mapped to; `missing` where there is none."""
        if missing == len(mapping) and list(mapping) == list(range(missing)):
            return self.indices
        dtype = _narrowest(max([*mapping, missing]))
        table: Indices = np.array([*mapping, missing], dtype=dtype)
        return table[np.minimum(self.indices, len(mapping))]


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """Numbers as polars holds them, whole or not, null where missing."""

    name: str
    series: polars.Series
    is_numeric = True

    @property
    def row_count(self) -> int:
        return int(self.series.len())

    @cached_property
    def is_missing(self) -> NDArray[np.bool_]:
        missing: NDArray[np.bool_] = self.series.is_null().to_numpy()
        return missing

    @cached_property
    def _whole_range(self) -> tuple[int, int] | None:
        """Lowest and highest whole number when they are near each other; else None."""
        if not self.series.dtype.is_integer() or self.series.null_count() == self.series.len():
            return None
        low, high = int(self.series.min()), int(self.series.max())  # type: ignore[arg-type]
        return (low, high) if high - low < _SMALL_RANGE else None

    @cached_property
    def _distinct(self) -> Floats:
        """Distinct values, ascending."""
        if self._whole_range is None:
            distinct: Floats = (
                self.series.drop_nulls().unique().sort().to_numpy().astype(np.float64)
            )
            return np.unique(distinct + 0.0)  # -0.0 and 0.0 are one value
        low, high = self._whole_range
        present = self.series.drop_nulls() if self.series.null_count() else self.series
        # Most often the first rows show every value between the extremes already.
        if np.unique(present.head(_PREFIX_ROWS).to_numpy()).size == high - low + 1:
            return np.arange(low, high + 1, dtype=np.float64)
        seen = np.zeros(high - low + 1, dtype=bool)
        seen[present.to_numpy().astype(np.int64) - low] = True
        return (np.flatnonzero(seen) + low).astype(np.float64)

    @property
    def distinct_count(self) -> int:
        return int(self._distinct.size)

    def has_more_than(self, count: int) -> bool:
        """Whether there are more distinct values than `count`; the first rows mostly suffice."""
        first = self.series.head(_PREFIX_ROWS)
        return first.n_unique() > count + 1 or self.distinct_count > count

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(number_text(value) for value in self._distinct)

    def spelling(self, value: float) -> tuple[str, ...]:
        """How `value` is written as a missing marker."""
        return (number_text(value),)

    def distinct_numbers(self) -> Floats:
        """The numbers that occur."""
        return self._distinct

    def numbers(self) -> Floats:
        """The number of each row, NaN where missing."""
        import polars

        values: Floats = self.series.cast(polars.Float64).fill_null(float("nan")).to_numpy()
        return values

    def coded(self) -> tuple[tuple[str, ...], Indices]:
        """States in ascending order and, per row, the index of its state."""
        return self.texts, self.mapped(range(self.distinct_count), self.distinct_count)

    def mapped(self, mapping: Sequence[int], missing: int) -> Indices:
        """Per row, what its value (counted ascending) is mapped to; `missing` for none."""
        distinct = self._distinct
        plain = missing == len(mapping) and list(mapping) == list(range(missing))
        dtype = _narrowest(max([*mapping, missing]))
        if not distinct.size:
            return np.full(self.row_count, missing, dtype=dtype)
        series, has_nulls = self.series, self.series.null_count() > 0
        if has_nulls:
            low = float(distinct[0])
            series = series.fill_null(int(low) if series.dtype.is_integer() else low)
        values = series.to_numpy()
        if self._whole_range is None:
            indices = np.searchsorted(distinct, values.astype(np.float64))
            codes = np.array(mapping, dtype=dtype)[indices]
        elif plain and distinct.size == distinct[-1] - distinct[0] + 1:
            first = int(distinct[0])
            codes = (values.astype(np.int32) - first if first else values).astype(dtype)
        else:
            lowest, highest = self._whole_range
            table = np.zeros(highest - lowest + 1, dtype=dtype)
            table[(distinct - lowest).astype(np.intp)] = mapping
            codes = table[values.astype(np.int64) - lowest]
        if has_nulls:
            codes[self.is_missing] = missing
        return codes


Column = TextColumn | NumberColumn


def column_of(series: polars.Series, markers: Sequence[str], decimal: str) -> Column:
    """The column with its missing cells recognised: nulls, markers, and numbers that are none."""
    import polars

    dtype = series.dtype
    if dtype.is_integer() or dtype.is_float():
        if dtype.is_float():
            series = series.set(~series.is_finite().fill_null(True), None)
        absent = [number for text in markers if (number := number_of(text)) is not None]
        for number in absent:
            hit = (series == number).fill_null(False)
            if hit.any():
                series = series.set(hit, None)
        return NumberColumn(series.name, series)
    if dtype == polars.Enum:
        raw = list(dtype.categories)  # type: ignore[attr-defined]
        physical = series.to_physical()
    else:
        series = series.cast(polars.String)
        result = series.unique().drop_nulls()
        if len(result) <= _FEW_TEXTS:
            raw = sorted(result.to_list(), key=natural_key)
            physical = series.cast(polars.Enum(raw)).to_physical()
        else:  # sorted outside Python, so that other threads can run
            raw = result.sort().to_list()
            physical = series.rank("dense") - 1
    if len(raw) >= 255:  # the index past the end does not fit uint8
        physical = physical.cast(polars.Int32)
    # Each call of this kind costs a small query of its own, which counts in wide tables.
    if physical.null_count():
        physical = physical.fill_null(len(raw))
    indices: Indices = physical.to_numpy()
    return _without_markers(series.name, raw, indices, set(markers), decimal)


def _without_markers(
    name: str, raw: Sequence[str], indices: Indices, markers: set[str], decimal: str
) -> TextColumn:
    bare = [text.strip() for text in raw]
    stripped = [clean_name(text) for text in bare]
    cleaned = sum(one is not other for one, other in zip(bare, stripped, strict=True))
    remaining = dict.fromkeys(text for text in stripped if text not in markers)
    if any(text.lower() == "nan" for text in remaining):
        others = [text for text in remaining if text.lower() != "nan"]
        if others and all(number_of(text, decimal) is not None for text in others):
            remaining = dict.fromkeys(others)  # in a column of numbers, “nan” is none
    if len(remaining) == len(raw):
        return TextColumn(name, tuple(remaining), indices, decimal, cleaned)
    position = {text: index for index, text in enumerate(remaining)}
    table = np.array([position.get(text, len(remaining)) for text in stripped] + [len(remaining)])
    table = table.astype(_narrowest(len(remaining)))
    return TextColumn(name, tuple(remaining), table[indices], decimal, cleaned)


_NINES = (9.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
CODES = frozenset((*_NINES, *(-number for number in _NINES)))


@dataclass(frozen=True, slots=True)
class OddNumber:
    """The number as it is written in the file, in all its spellings, and in how many rows."""

    texts: tuple[str, ...]
    rows: int


def odd_number(column: Column, numbers: Floats | None = None) -> OddNumber | None:
    """The lowest or highest number when it is a usual code for “missing” and stands apart.

    Apart means farther from its neighbour than the other numbers, at least two, are from each
    other: −999 among ages, not 99. `numbers`: those of the rows, where they are known already.
    """
    if not column.is_numeric:
        return None
    values = column.distinct_numbers() if numbers is None else numbers[~np.isnan(numbers)]
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    for code in (low, high):
        rest = values[values != code] if code in CODES else values[:0]
        if not rest.size:
            continue
        first, last = float(rest.min()), float(rest.max())
        gap = first - code if code == low else code - last
        if gap > last - first > 0:
            return OddNumber(column.spelling(code), int((column.numbers() == code).sum()))
    return None
