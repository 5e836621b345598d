"""SQLite databases: one table of them, opened for reading only."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import quote

from pgmstudio.core.data.discretization import number_text
from pgmstudio.core.errors import DataFileError, UnknownNameError
from pgmstudio.core.io.data.formats.raw_table import (
    LIST_BYTES,
    LONGEST_CELL,
    RawTable,
    check_size,
    frame_of_rows,
    too_long,
    unique_names,
)
from pgmstudio.core.io.data.options import ImportOptions

# A generated column can make a cell of any length from nothing by these.
_MAKERS = ("printf", "format", "zeroblob", "randomblob")

# Views and virtual tables can run anything; plain tables only hold rows.
_TABLES = """SELECT name FROM sqlite_master
             WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
             AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"""


def read(path: Path, options: ImportOptions) -> RawTable:
    """The requested table, or the only one."""
    with ExitStack() as opened:
        connection = opened.enter_context(closing(_connected(path, opened)))
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_CELL)
        connection.execute("PRAGMA trusted_schema = OFF")
        for name in _MAKERS:  # a function of ours is not trusted to the schema either
            connection.create_function(name, -1, lambda *_: None, deterministic=True)
        try:
            return _table(path, connection, options)
        except sqlite3.DataError as problem:
            raise too_long(path) from problem
        except sqlite3.DatabaseError as problem:
            if "unsafe use" not in str(problem):
                raise
            message = f"computes cells by a function that is not run ({problem})."
            raise DataFileError(path, f"{message} Copy them into a plain column.") from problem


def _table(path: Path, connection: sqlite3.Connection, options: ImportOptions) -> RawTable:
    tables = tuple(str(name) for (name,) in connection.execute(_TABLES))
    chosen = _chosen(path, tables, options.sheet)
    quoted = '"' + chosen.replace('"', '""') + '"'
    cursor = connection.execute(f"SELECT * FROM {quoted}")
    names, warnings = unique_names(column[0] for column in cursor.description)
    rows = []
    for row in cursor:
        rows.append([_text(path, value) for value in row])
        if len(rows) % 100_000 == 0:
            check_size(path, len(rows), len(names), LIST_BYTES)
    return RawTable(frame_of_rows(path, names, rows), tables=tables, warnings=warnings)


def _connected(path: Path, opened: ExitStack) -> sqlite3.Connection:
    """A connection that creates no files next to the database and still sees all rows.

    Rows may stand in a write-ahead log, or a journal may have to be rolled back. A program that
    has the database open shares its log with us; what one left behind is read in a copy.
    """
    log, shared, journal = (path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))
    left = [file for file in (log, journal) if file.is_file() and file.stat().st_size]
    if not left:
        with path.open("rb") as stream:
            uses_log = stream.read(20)[18:20] == b"\2\2"
        # Read-only alone would make the files of a log.
        return _open(path, "mode=ro&immutable=1" if uses_log else "mode=ro")
    if left == [log] and shared.is_file():
        return _open(path, "mode=ro")
    folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="pgmstudio-")))
    for file in (path, *left):
        shutil.copyfile(file, folder / file.name)
    return _open(folder / path.name, "mode=rw")


def _open(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?{how}", uri=True)


def _chosen(path: Path, tables: tuple[str, ...], requested: str | None) -> str:
    if requested is not None:
        if requested not in tables:
            raise UnknownNameError("table", requested, tables)
        return requested
    if not tables:
        raise DataFileError(path, "has no tables.")
    if len(tables) > 1:
        raise DataFileError(path, f"has several tables; choose one of {', '.join(tables)}.")
    return tables[0]


def _text(path: Path, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number_text(value)
    raise DataFileError(path, "has a column of bytes, which no variable can hold.")
