"""FileReport: what a file holds and what is proposed for it, before it is imported."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from pgmstudio.core.data.discretization import Discretisation
from pgmstudio.core.io.data.column_types import Column, OddNumber, column_of, odd_number
from pgmstudio.core.io.data.encoding import columns_to_keep
from pgmstudio.core.io.data.formats.delimited import PREVIEW_ROWS
from pgmstudio.core.io.data.formats.raw_table import RawTable, TextFacts
from pgmstudio.core.io.data.imprecise import SetColumn, set_cells, set_column
from pgmstudio.core.io.data.options import LIKELY_MARKERS, ImportOptions
from pgmstudio.core.io.data.reader import data_format, read_table
from pgmstudio.core.number_format import count_of

HISTOGRAM_BARS = 45
MAX_STATES_SHOWN = 60
_PROPOSED_BINS = 5
_DATE = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[ T]\d{1,2}:\d{2}.*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
)


class ColumnKind(Enum):
    """What a column seems to hold."""

    NUMBERS = "numbers"
    STATES = "states"
    DATE = "dates"
    IDENTIFIER = "identifiers"
    INDEX = "index"
    CONSTANT = "constant"
    EMPTY = "empty"


class Treatment(Enum):
    """What is proposed for a column."""

    STATES = "states"
    DISCRETISE = "discretise"
    LEAVE_OUT = "leave out"
    WEIGHTS = "weights"


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """One column: what it holds, and what is proposed.

    `states` are the distinct values with their counts, the first 60 in order; there are none for
    many numbers. `histogram` has 45 counts over `low` … `high` when the column holds numbers.
    `odd` is a number of it that may stand for missing, `doubtful` the texts that may, with their
    counts.
    """

    name: str
    kind: ColumnKind
    distinct: int
    missing: int
    low: float | None
    high: float | None
    histogram: tuple[int, ...]
    states: tuple[tuple[str, int], ...]
    treatment: Treatment
    cutting: Discretisation | None = None
    note: str = ""
    odd: OddNumber | None = None
    doubtful: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport:
    """A file: how it is written, its first rows as they stand there, and its columns."""

    source: str
    format: str
    row_count: int
    facts: TextFacts | None  # None where the format leaves nothing to detect
    tables: tuple[str, ...]  # sheets of a workbook, tables of a database
    preview_names: tuple[str, ...]
    preview: tuple[tuple[str, ...], ...]
    columns: tuple[ColumnReport, ...]
    warnings: tuple[str, ...]
    set_cells: int = 0  # cells such as {red,green}
    set_example: str = ""


def inspect_file(path: Path | str, options: ImportOptions | None = None) -> FileReport:
    """Look into a data file without importing it; works for every format."""
    path, options = Path(path), options or ImportOptions()
    return report_of(path, read_table(path, options), options)


def report_of(path: Path, table: RawTable, options: ImportOptions) -> FileReport:
    """The report on a table that is already read, under these options."""
    import polars

    kind = data_format(path)
    shown = table.frame.head(PREVIEW_ROWS) if table.preview is None else table.preview
    cells = shown.select(polars.all().cast(polars.String)).rows()
    markers = (*options.all_markers, *table.markers)
    used = set(columns_to_keep(table, options))
    columns = []
    sets: list[tuple[int, str]] = []
    for index, series in enumerate(table.frame):
        column = column_of(series, markers, table.decimal)
        sets.append(set_cells(column))
        columns.append(_column_report(column, index, table, options, series.name in used))
    return FileReport(
        source=path.name,
        format=kind.title if kind else "Text",
        row_count=table.frame.height,
        facts=table.facts,
        tables=table.tables,
        preview_names=tuple(table.frame.columns),
        preview=tuple(tuple(cell or "" for cell in row) for row in cells),
        columns=tuple(columns),
        warnings=table.warnings,
        set_cells=sum(count for count, _ in sets),
        set_example=next((text for _, text in sets if text), ""),
    )


def _column_report(
    column: Column, index: int, table: RawTable, options: ImportOptions, is_used: bool
) -> ColumnReport:
    sets = set_column(column) if options.imprecise else None
    if sets is not None:
        return _set_report(sets, is_used)
    distinct, missing = column.distinct_count, int(column.is_missing.sum())
    low = high = None
    histogram: tuple[int, ...] = ()
    odd = None
    if column.is_numeric and distinct:
        numbers = column.numbers()
        numbers = numbers[~np.isnan(numbers)]
        low, high = float(numbers.min()), float(numbers.max())
        histogram = _histogram(numbers, low, high)
        odd = odd_number(column, numbers)
    unnamed = index == 0 and table.first_is_unnamed
    kind = _kind(column, missing, unnamed, options)
    treatment, cutting, note = _proposal(column, kind, options)
    if column.name == (options.frequency or table.weight_column):
        treatment, cutting, note = Treatment.WEIGHTS, None, "Counts how often each row occurs."
    elif not is_used:
        treatment, cutting = Treatment.LEAVE_OUT, None
    return ColumnReport(
        name=column.name,
        kind=kind,
        distinct=distinct,
        missing=missing,
        low=low,
        high=high,
        histogram=histogram,
        states=_bars(column) if kind is not ColumnKind.NUMBERS else (),
        treatment=treatment,
        cutting=cutting,
        note=note,
        odd=odd,
        doubtful=_doubtful(column, distinct),
    )


def _set_report(sets: SetColumn, is_used: bool) -> ColumnReport:
    """A column with sets of states, which are counted apart from its states."""
    column = sets.plain
    count = int(sets.is_set.sum())
    return ColumnReport(
        name=column.name,
        kind=ColumnKind.STATES,
        distinct=column.distinct_count,
        missing=int(column.is_missing.sum()) - count,
        low=None,
        high=None,
        histogram=(),
        states=_bars(column),
        treatment=Treatment.STATES if is_used else Treatment.LEAVE_OUT,
        note=f"{count_of(count, 'cell')} with a set of states.",
    )


def _bars(column: Column) -> tuple[tuple[str, int], ...]:
    states, codes = column.coded()
    counts = np.bincount(codes, minlength=len(states) + 1).tolist()
    return tuple(zip(states[:MAX_STATES_SHOWN], counts, strict=False))


def _doubtful(column: Column, distinct: int) -> tuple[tuple[str, int], ...]:
    """Values of a column of texts that usually mark missing cells (`NaN`, `*`, `-`)."""
    if column.is_numeric or not distinct:
        return ()
    states, codes = column.coded()
    numbers = [n for n, state in enumerate(states) if state.casefold() in LIKELY_MARKERS]
    if not numbers or len(numbers) == len(states):
        return ()
    counts = np.bincount(codes, minlength=len(states) + 1)
    return tuple((states[n], int(counts[n])) for n in numbers)


def _histogram(
    numbers: np.ndarray[tuple[int], np.dtype[np.float64]], low: float, high: float
) -> tuple[int, ...]:
    # Scaled by hand: the width of an extreme range does not fit a float.
    width = high / HISTOGRAM_BARS - low / HISTOGRAM_BARS
    if width <= 0:
        return (int(numbers.size), *[0] * (HISTOGRAM_BARS - 1))
    bars = np.clip(numbers / width - low / width, 0, HISTOGRAM_BARS - 1).astype(np.intp)
    return tuple(np.bincount(bars, minlength=HISTOGRAM_BARS).tolist())


def _kind(column: Column, missing: int, unnamed: bool, options: ImportOptions) -> ColumnKind:
    rows, distinct = column.row_count, column.distinct_count
    if not distinct:
        return ColumnKind.EMPTY
    if distinct == 1 and rows > 1:
        return ColumnKind.CONSTANT
    all_differ = distinct == rows and missing == 0
    if all_differ and (unnamed or _is_counting(column)):
        return ColumnKind.INDEX
    if column.is_numeric:
        return ColumnKind.NUMBERS if distinct > options.many_numbers else ColumnKind.STATES
    if all(_DATE.fullmatch(text) for text in column.texts):
        return ColumnKind.DATE
    if all_differ and rows > options.many_numbers:
        return ColumnKind.IDENTIFIER
    return ColumnKind.STATES


def _is_counting(column: Column) -> bool:
    """Whether the rows are numbered in order: 0, 1, 2, … or 1, 2, 3, …"""
    if not column.is_numeric or column.row_count < 10:
        return False
    numbers = column.numbers()
    return numbers[0] in (0, 1) and bool((np.diff(numbers) == 1).all())


def _proposal(
    column: Column, kind: ColumnKind, options: ImportOptions
) -> tuple[Treatment, Discretisation | None, str]:
    chosen = options.cutting_of(column.name)
    cutting = chosen if isinstance(chosen, Discretisation) else None
    many = column.is_numeric and column.distinct_count > options.many_numbers
    if column.name in options.as_states:
        return Treatment.STATES, None, ""
    if column.name in options.discretise or (cutting is not None and many):
        return Treatment.DISCRETISE, cutting, ""
    if kind is ColumnKind.NUMBERS:
        return Treatment.DISCRETISE, Discretisation(bins=_PROPOSED_BINS), ""
    return _PLAIN_PROPOSALS[kind][0], None, _PLAIN_PROPOSALS[kind][1]


_PLAIN_PROPOSALS = {
    ColumnKind.STATES: (Treatment.STATES, ""),
    ColumnKind.DATE: (Treatment.LEAVE_OUT, "Dates seldom come again; make them months or years."),
    ColumnKind.IDENTIFIER: (Treatment.LEAVE_OUT, "Differs in every row: no information."),
    ColumnKind.INDEX: (Treatment.LEAVE_OUT, "Numbers the rows."),
    ColumnKind.CONSTANT: (Treatment.STATES, "Is the same in every row."),
    ColumnKind.EMPTY: (Treatment.LEAVE_OUT, "Is empty in every row."),
}
