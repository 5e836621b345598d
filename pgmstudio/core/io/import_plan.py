"""The settings of an import as a frozen value, and reading a data file by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.discretization import Discretisation, cuts_for, cuts_from_labels
from pgmstudio.core.data.resampling import Split, SplitPlan, split_rows
from pgmstudio.core.data.summary import ColumnValues
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.io.data.column_types import Column, column_of
from pgmstudio.core.io.data.encoding import code_table
from pgmstudio.core.io.data.formats.delimited import read as read_delimited
from pgmstudio.core.io.data.formats.raw_table import RawTable
from pgmstudio.core.io.data.inspection import ColumnReport, FileReport, Treatment, report_of
from pgmstudio.core.io.data.options import DEFAULT_MARKERS, ImportOptions
from pgmstudio.core.io.data.reader import data_format, is_split, read_split, read_table
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import DataEntry

BINS = 4
BY_HAND = "cuts"


@dataclass(frozen=True)
class Draft:
    """Settings that differ from those detected or proposed."""

    reading: ImportOptions = field(default_factory=ImportOptions)
    treatments: Mapping[str, Treatment] = field(default_factory=dict)
    cutting: Mapping[str, Discretisation] = field(default_factory=dict)
    split: SplitPlan = field(default_factory=SplitPlan)

    def treatment(self, column: ColumnReport) -> Treatment:
        return self.treatments.get(column.name, column.treatment)

    def cutting_of(self, column: ColumnReport) -> Discretisation:
        return self.cutting.get(column.name, Discretisation("frequency", BINS))

    def with_treatment(self, name: str, treatment: Treatment) -> Draft:
        """One column used in another way; there is only one column of weights."""
        treatments = dict(self.treatments)
        if treatment is Treatment.WEIGHTS:
            for other, present in self.treatments.items():
                if present is Treatment.WEIGHTS:
                    treatments[other] = Treatment.LEAVE_OUT
        treatments[name] = treatment
        return replace(self, treatments=treatments)

    def with_cutting(self, name: str, how: Discretisation) -> Draft:
        treatments = {**self.treatments, name: Treatment.DISCRETISE}
        return replace(self, cutting={**self.cutting, name: how}, treatments=treatments)

    def used(self, report: FileReport) -> list[ColumnReport]:
        """The columns that become variables."""
        values = (Treatment.STATES, Treatment.DISCRETISE)
        return [column for column in report.columns if self.treatment(column) in values]

    def options(self, report: FileReport) -> ImportOptions:
        """The complete options for the reader of data files."""
        by_treatment: dict[Treatment, list[str]] = {treatment: [] for treatment in Treatment}
        for column in report.columns:
            by_treatment[self.treatment(column)].append(column.name)
        cut = set(by_treatment[Treatment.DISCRETISE])
        return replace(
            self.reading,
            leave_out=tuple(by_treatment[Treatment.LEAVE_OUT]),
            frequency=next(iter(by_treatment[Treatment.WEIGHTS]), None),
            discretise={
                column.name: self.cutting_of(column)
                for column in report.columns
                if column.name in cut
            },
            as_states=tuple(by_treatment[Treatment.STATES]),
        )


_READING_OPTIONS = ("delimiter", "encoding", "header", "decimal", "sheet")


def plain_draft(draft: Draft) -> dict[str, Any]:
    """The settings as JSON values, stored with the data so that they can be changed later."""
    return {
        "reading": {name: getattr(draft.reading, name) for name in _READING_OPTIONS},
        "markers": list(draft.reading.markers),
        "missing_as_state": draft.reading.missing_as_state,
        "imprecise": draft.reading.imprecise,
        "treatments": {name: chosen.value for name, chosen in draft.treatments.items()},
        "cutting": {name: asdict(how) for name, how in draft.cutting.items()},
        "split": asdict(draft.split),
    }


def restored_draft(values: Mapping[str, Any]) -> Draft:
    """The settings from the JSON values of `plain_draft`; the defaults if they are not valid."""
    try:
        reading = ImportOptions(
            **{name: values["reading"].get(name) for name in _READING_OPTIONS},
            markers=tuple(values.get("markers", DEFAULT_MARKERS)),
            missing_as_state=bool(values.get("missing_as_state", False)),
            imprecise=bool(values.get("imprecise", False)),
        )
        treatments = {
            name: Treatment(treatment) for name, treatment in values["treatments"].items()
        }
        cutting = {
            name: Discretisation(how["method"], how["bins"], tuple(how["points"]), how["target"])
            for name, how in values["cutting"].items()
        }
        return Draft(reading, treatments, cutting, SplitPlan(**values["split"]))
    except (KeyError, TypeError, ValueError, AttributeError, PgmStudioError):
        return Draft()


# Reading a data file for an import: its cells, the report on its columns, the data set.

# Usual names of a column of row counts.
_COUNTING = frozenset({"count", "counts", "freq", "frequency", "weight", "weights", "cases"})


@dataclass(frozen=True, eq=False)
class Reading:
    """The cells of a file and the report on its columns."""

    path: Path
    table: RawTable
    report: FileReport
    options: ImportOptions
    is_split: bool  # one of three files: training, validation and test rows
    # Cached histograms by column and weights column.
    numbers: dict[tuple[str, str | None], ColumnValues] = field(default_factory=dict)
    missing: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)  # missing cells
    markers_seen: tuple[str, ...] = ()  # the missing markers that occur
    counts: str = ""  # the column of row counts of a table of counts

    def column(self, name: str) -> Column:
        return _column(self.table, self.options, name)

    def complete_rows(self, names: Iterable[str]) -> int:
        """Number of rows without a missing cell in these columns."""
        is_incomplete = np.zeros(self.report.row_count, dtype=bool)
        for name in names:
            if name in self.missing:
                is_incomplete |= self.missing[name]
        return int((~is_incomplete).sum())


def _column(table: RawTable, options: ImportOptions, name: str) -> Column:
    markers = (*options.all_markers, *table.markers)
    return column_of(table.frame[name], markers, table.decimal)


def read(path: Path, options: ImportOptions, cancel: CancelToken) -> Reading:
    """Read the cells of a file and inspect its columns."""
    table = read_table(path, options, cancel)
    cancel.raise_if_cancelled()
    report = report_of(path, table, options)
    cancel.raise_if_cancelled()
    incomplete = [column.name for column in report.columns if column.missing]
    missing = {name: _column(table, options, name).is_missing for name in incomplete}
    seen = _markers_seen(table, options, incomplete)
    return Reading(
        path,
        table,
        report,
        options,
        is_split(path),
        missing=missing,
        markers_seen=seen,
        counts=_counts(table, report),
    )


def counting_column(report: FileReport) -> ColumnReport | None:
    """The column whose name and values are those of row counts, if there is one."""
    for column in report.columns:
        counts = column.low is not None and column.low >= 0 and not column.missing
        if counts and column.name.strip().casefold() in _COUNTING and len(report.columns) > 1:
            return column
    return None


def _counts(table: RawTable, report: FileReport) -> str:
    """Name of the count column if every other row is unique, else an empty text."""
    column = counting_column(report)
    if column is None:
        return ""
    others = [other.name for other in report.columns if other is not column]
    is_unique = table.frame.select(others).n_unique() == table.frame.height
    return column.name if is_unique else ""


def is_text_file(path: Path) -> bool:
    """Whether the file is delimited text, so that delimiter and encoding apply."""
    known = data_format(path)
    return known is not None and known.read is read_delimited


def _markers_seen(
    table: RawTable, options: ImportOptions, incomplete: Iterable[str]
) -> tuple[str, ...]:
    """The missing markers that occur in the columns with missing cells."""
    import polars

    seen: set[str] = set()
    for name in incomplete:
        texts = table.frame[name].cast(polars.String).unique().to_list()
        seen |= {"" if text is None else text.strip() for text in texts}
    return tuple(marker for marker in (*options.all_markers, *table.markers) if marker in seen)


@dataclass(frozen=True, eq=False)
class DiscretisedColumn:
    """The values of a numeric column with the bin edges of a method."""

    values: ColumnValues
    how: Discretisation
    points: tuple[float, ...]


def discretise_column(
    reading: Reading, name: str, how: Discretisation, weights_from: str | None = None
) -> DiscretisedColumn:
    """Discretise one column; its values are cached, so that another method is quick."""
    values = _values(reading, name, weights_from)
    if how.method == "cuts":
        return DiscretisedColumn(values, how, tuple(sorted(set(how.points))))
    weights = np.diff(values.cumulative)
    if how.method == "mdl":
        numbers = reading.column(name).numbers()
        states, target = reading.column(how.target or "").coded()
        raw = None if weights_from is None else _weights(reading, weights_from)
        cuts = cuts_for(name, numbers, how, weights=raw, target=target, classes=len(states))
    else:
        cuts = cuts_for(name, values.values, how, weights=weights)
    return DiscretisedColumn(values, how, cuts.points)


def _values(reading: Reading, name: str, weights_from: str | None) -> ColumnValues:
    key = (name, weights_from)
    if key not in reading.numbers:
        weights = None if weights_from is None else _weights(reading, weights_from)
        reading.numbers[key] = ColumnValues.of(name, reading.column(name).numbers(), weights)
    return reading.numbers[key]


def _weights(reading: Reading, name: str) -> Floats:
    column = reading.column(name)
    numbers = column.numbers() if column.is_numeric else np.ones(column.row_count)
    return np.where(numbers >= 0, numbers, 0.0)


@dataclass(frozen=True, eq=False)
class ImportResult:
    """Result of an import: the data entry and notes for the user."""

    entry: DataEntry
    warnings: tuple[str, ...]


def import_rows(
    reading: Reading, draft: Draft, name: str, cancel: CancelToken, *, keep_path: bool = True
) -> Iterator[Progress | ImportResult]:
    """Encode the cells as a data set, reporting progress, and yield the result last."""
    rows = counted(reading.report.row_count, "row")
    yield Progress(None, f"Encoding {rows}…")
    options = draft.options(reading.report)
    warnings: tuple[str, ...] = ()
    split: Split | None
    if draft.split.kind == "files":
        data, split = read_split(reading.path, options).joined()
        candidates = {
            v.name: cuts_from_labels(v.name, v.states) for v in data.domain if v.is_ordinal
        }
        cuts = {column: cut for column, cut in candidates.items() if cut is not None}
        markers = options.all_markers
    else:
        imported = code_table(reading.path, reading.table, options)
        warnings, cuts, markers = imported.warnings, dict(imported.cuts), imported.markers
        cancel.raise_if_cancelled()
        if draft.split.kind != "none":
            yield Progress(0.8, "Splitting the rows…")
        data, split = split_rows(imported.data, draft.split)
    cancel.raise_if_cancelled()
    # Computed here rather than in the window's thread, which needs them to show the data.
    _ = data.missing_counts, data.incomplete_row_count, data.fingerprint
    provenance = {"made by": "import", "file": reading.path.name, "choices": plain_draft(draft)}
    if keep_path:
        provenance["path"] = str(reading.path.resolve())
    yield ImportResult(
        DataEntry(
            name=name,
            data=data,
            source=reading.path.name if keep_path else "",
            cuts=cuts,
            missing_markers=markers,
            split=split,
            provenance=provenance,
        ),
        warnings,
    )
