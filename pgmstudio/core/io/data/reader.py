"""Data files by their ending: reading, looking into, splitting and writing them.

One table of formats; each row is a title, endings, a reader and, where it makes sense, a writer.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pgmstudio.core.data.dataset import DataSet, Imported
from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.data.resampling import Parts
from pgmstudio.core.data.transforms import fitted_to
from pgmstudio.core.data.variables import Domain, Variable, clean_name
from pgmstudio.core.errors import DataFileError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.child_reading import beyond_limit, is_limited, read_in_child
from pgmstudio.core.io.clean_names import clean_names, replaced_names_warning
from pgmstudio.core.io.data.encoding import code_table
from pgmstudio.core.io.data.formats import (
    arff,
    baskets,
    case_files,
    delimited,
    excel,
    orange_tab,
    parquet,
    sqlite,
)
from pgmstudio.core.io.data.formats.raw_table import RawTable
from pgmstudio.core.io.data.formats.text_sniffing import natural_key
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.spreadsheets import quote_formulas
from pgmstudio.core.io.models.files import is_model_path
from pgmstudio.core.io.reading_limits import check_regular, unpacks_beyond

if TYPE_CHECKING:
    import polars

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DataFormat:
    """One kind of data file."""

    title: str
    endings: tuple[str, ...]
    read: Callable[[Path, ImportOptions], RawTable]
    write: Callable[[DataSet], bytes] | None = None
    in_child: bool = False  # read by native code that a damaged file can end


FORMATS: tuple[DataFormat, ...] = (
    DataFormat("Comma-separated text", (".csv", ".csv.gz"), delimited.read, delimited.write_csv),
    DataFormat("Tab-separated text", (".tsv", ".tsv.gz"), delimited.read, delimited.write_tsv),
    DataFormat("Text", (".txt", ".txt.gz", ".data", ".data.gz"), delimited.read),
    DataFormat("Parquet", (".parquet",), parquet.read, parquet.write, in_child=True),
    DataFormat("Excel workbook", (".xlsx",), excel.read, in_child=True),
    DataFormat("Weka ARFF", (".arff", ".arff.gz"), arff.read, arff.write),
    DataFormat("SQLite database", (".sqlite", ".sqlite3", ".db"), sqlite.read, in_child=True),
    DataFormat("Orange table", (".tab",), orange_tab.read),
    DataFormat("Netica cases", (".cas",), case_files.read_netica, case_files.write_netica),
    DataFormat("HUGIN data", (".dat",), case_files.read_hugin),
    DataFormat("Market baskets", (".basket", ".basket.gz"), baskets.read, baskets.write),
)

_WRITERS_OF_SETS = (delimited.write_csv, delimited.write_tsv, parquet.write)

# A packed text up to this size is read without the start of a child.
_SMALL_UNPACKED = 1 << 26

# The three parts of a benchmark: DEBD's names, and train/valid/test in a folder of their own.
_PART = re.compile(r"(?P<stem>.*)\.(?:ts|valid|test)(?P<end>\.data(?:\.gz)?)", re.I)
_PART_ENDINGS = ("ts", "valid", "test")
_PART_NAMES = ("train", "valid", "test")


def data_format(path: Path | str) -> DataFormat | None:
    """The format that a file name stands for, or None."""
    name = Path(path).name.lower()
    return next((known for known in FORMATS if name.endswith(known.endings)), None)


def read_table(
    path: Path | str, options: ImportOptions | None = None, cancel: CancelToken = NEVER
) -> RawTable:
    """The cells of a file, before they are given a meaning; any trouble is a DataFileError.

    What a damaged file could take the whole program down with is read by a child process.
    """
    path, options = Path(path), options or ImportOptions()
    kind = data_format(path)
    if kind is None:
        if path.is_dir():
            raise DataFileError(path, "is a folder, not a file.")
        known = ", ".join(ending for each in FORMATS for ending in each.endings)
        what = "is a model, not a table" if is_model_path(path) else "has no known ending"
        raise DataFileError(path, f"{what}. Data files end in {known}.")
    if _PART.fullmatch(path.name) and options.header is None:
        options = replace(options, header=False)
    check_regular(path, DataFileError)
    reading = partial(_read_here, path, options)
    is_large = path.suffix.lower() == ".gz" and unpacks_beyond(path, _SMALL_UNPACKED)
    if (kind.in_child or is_large) and not is_limited():
        return read_in_child(path, reading, cancel)
    return reading()


def _read_here(path: Path, options: ImportOptions) -> RawTable:
    kind = data_format(path)
    assert kind is not None, "looked up before"
    return clean_table(guarded(path, kind.title, lambda: kind.read(path, options)))


def clean_table(table: RawTable) -> RawTable:
    """The table with names of columns, and declared states, that can be shown and saved."""
    columns = clean_names(table.frame.columns)
    declared = {
        columns.get(name, name): tuple(dict.fromkeys(map(clean_name, states)))
        for name, states in table.declared.items()
    }
    if not columns:
        return replace(table, declared=declared)
    weight = table.weight_column
    return replace(
        table,
        frame=table.frame.rename(columns),
        preview=None if table.preview is None else table.preview.rename(columns, strict=False),
        declared=declared,
        weight_column=None if weight is None else columns.get(weight, weight),
        left_out=tuple(columns.get(name, name) for name in table.left_out),
        warnings=(*table.warnings, replaced_names_warning(columns)),
    )


def read_pasted(text: str, options: ImportOptions | None = None) -> Imported:
    """A table from the clipboard, delimited by tabs, commas or whatever it shows."""
    options, path = replace(options or ImportOptions(), encoding="utf-8"), Path("clipboard")
    content = text.encode("utf-8", errors="replace")
    table = guarded(path, "text", lambda: delimited.read_content(path, content, options))
    return _coded(path, clean_table(table), options)


def import_frame(
    frame: polars.DataFrame,
    options: ImportOptions | None = None,
    declared: Mapping[str, tuple[str, ...]] | None = None,
) -> Imported:
    """A data set from a frame in memory; `declared` are states that its columns name in order."""
    table = clean_table(RawTable(frame, declared=declared or {}))
    return _coded(Path("frame"), table, options or ImportOptions())


def import_data(path: Path | str, options: ImportOptions | None = None) -> Imported:
    """Read a data set with its bin edges and warnings; one error lists every problem."""
    options = options or ImportOptions()
    return _coded(Path(path), read_table(path, options), options)


def _coded(path: Path, table: RawTable, options: ImportOptions) -> Imported:
    return guarded(path, "data", lambda: code_table(path, table, options))


def read_data(path: Path | str, options: ImportOptions | None = None) -> DataSet:
    """The data set of a file."""
    return import_data(path, options).data


def read_imprecise(path: Path | str, options: ImportOptions | None = None) -> ImpreciseData:
    """The rows of a file whose cells may be sets; a column has the states that occur in it, also
    within sets."""
    data = import_data(path, replace(options or ImportOptions(), imprecise=True)).data
    assert isinstance(data, ImpreciseData)
    return data


def guarded(path: Path, title: str, work: Callable[[], T]) -> T:
    """Do `work`; errors of third-party readers become one DataFileError."""
    try:
        return work()
    except FileNotFoundError as absent:
        raise DataFileError(path, "does not exist.") from absent
    except IsADirectoryError as folder:
        raise DataFileError(path, "is a folder, not a file.") from folder
    except OSError as trouble:
        raise DataFileError(path, f"cannot be read: {trouble.strerror or trouble}.") from trouble
    except MemoryError as trouble:
        raise beyond_limit(path) from trouble
    except _FOREIGN as trouble:
        raise _damaged(path, title) from trouble
    except BaseException as trouble:
        # A panic inside polars or the workbook reader derives from BaseException, and its class
        # can be had from neither; its home and theirs are known by name.
        if type(trouble).__module__.partition(".")[0] in ("pyo3_runtime", "polars", "_fastexcel"):
            raise _damaged(path, title) from trouble
        raise


_FOREIGN = (csv.Error, sqlite3.Error, zipfile.BadZipFile, zlib.error, UnicodeError)


def _damaged(path: Path, title: str) -> DataFileError:
    return DataFileError(path, f"is damaged, or does not match its extension ({title}).")


def read_split(path: Path | str, options: ImportOptions | None = None) -> Parts:
    """The three parts of a benchmark, given any of its files or its folder, over one domain.

    Either `NAME.ts.data`, `NAME.valid.data`, `NAME.test.data`, or train, valid and test files of
    one ending in one folder. Cuts are made on the training rows and used for all.
    """
    train, valid, test = import_together(part_files(Path(path)), options)
    return Parts(train.data, valid.data, test.data)


def import_together(
    paths: Sequence[Path | str], options: ImportOptions | None = None
) -> tuple[Imported, ...]:
    """Several files with the same columns, over one domain: all states of all files.

    Cuts are made on the rows of the first file and used for all.
    """
    options, files = options or ImportOptions(), [Path(path) for path in paths]
    first = import_data(files[0], options)
    # The other files are cut where the first one is, and are not judged by their own values.
    declared = {v.name: v.states for v in first.data.domain if v.name not in first.cuts}
    rest = replace(options, bins=None, discretise=first.cuts, as_states=(), declared=declared)
    parts = [first]
    for file in files[1:]:
        table = read_table(file, rest)
        there = set(table.frame.columns)
        absent = [name for name in first.data.domain.names if name not in there]
        if absent and options.domain is None:
            listed = ", ".join(absent[:12]) + (", …" if len(absent) > 12 else "")
            raise DataFileError(file, f"lacks columns that {files[0].name} has: {listed}.")
        parts.append(_coded(file, table, rest))
    domain = options.domain or common_domain(files, [part.data for part in parts])
    return tuple(replace(part, data=fitted_to(part.data, domain)) for part in parts)


def part_files(path: Path) -> tuple[Path, Path, Path]:
    """The files of the training, validation and test rows that belong to `path`."""
    if result := _PART.fullmatch(path.name):
        names = [f"{result['stem']}.{part}{result['end']}" for part in _PART_ENDINGS]
        train, valid, test = (path.with_name(name) for name in names)
        return train, valid, test
    folder = path if path.is_dir() else path.parent
    for ending in (ending for kind in FORMATS for ending in kind.endings):
        train, valid, test = (folder / f"{part}{ending}" for part in _PART_NAMES)
        if train.is_file() and (path.is_dir() or path in (train, valid, test)):
            return train, valid, test
    raise DataFileError(
        path,
        "is no part of a split: NAME.ts.data, NAME.valid.data and NAME.test.data, "
        "or train, valid and test files in one folder.",
    )


def is_split(path: Path | str) -> bool:
    """Whether `read_split` would find all three parts of what `path` belongs to."""
    try:
        return all(file.is_file() for file in part_files(Path(path)))
    except DataFileError:
        return False


def common_domain(files: Sequence[Path], parts: Sequence[DataSet]) -> Domain:
    """The columns of the first part, each with the states of all parts."""
    variables = []
    for variable in parts[0].domain:
        absent = [
            f.name for f, p in zip(files, parts, strict=True) if variable.name not in p.domain
        ]
        if absent:
            message = f"has a column “{variable.name}”, which {', '.join(absent)} lacks."
            raise DataFileError(files[0], message)
        later = {state for part in parts for state in part.domain[variable.name].states}
        new = later - set(variable.states)
        if new:
            states = tuple(sorted({*variable.states, *new}, key=natural_key))
            variable = Variable(variable.name, states, variable.is_ordinal)
        variables.append(variable)
    return Domain(tuple(variables))


def write_data(path: Path | str, data: DataSet, *, quoted: bool = False) -> None:
    """Write a data set in the format of the file's ending, whole or not at all.

    Row weights become a last column called `weight` (in .cas: NumCases). The same data give the
    same bytes. With `quoted`, cells of text tables that a spreadsheet takes for formulas get a '.
    """
    path = Path(path)
    kind = data_format(path)
    if kind is None or kind.write is None:
        known = ", ".join(e for each in FORMATS if each.write for e in each.endings)
        raise DataFileError(path, f"cannot be written in this format. Data are written as {known}.")
    if isinstance(data, ImpreciseData) and data.sets and kind.write not in _WRITERS_OF_SETS:
        raise DataFileError(
            path, "cannot have sets of states in this format. Write them as .csv, .tsv or .parquet."
        )
    content = kind.write(data)
    if quoted and kind.write in (delimited.write_csv, delimited.write_tsv):
        separator = "," if kind.write is delimited.write_csv else "\t"
        content = quote_formulas(content.decode(), separator).encode()
    if path.suffix.lower() == ".gz":
        buffer = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as packed:
            packed.write(content)
        content = buffer.getvalue()
    replace_file(path, content)
