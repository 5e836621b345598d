"""SQLite databases: one table of them, opened for reading only."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from pgmstudio.core.data.cuts import number_text
from pgmstudio.core.errors import DataFileError, UnknownNameError
from pgmstudio.core.io.data_formats.raw_table import (
    RawTable,
    check_size,
    frame_of_rows,
    unique_names,
)
from pgmstudio.core.io.import_options import ImportOptions

# Views and virtual tables can run anything; plain tables only hold rows.
_TABLES = """SELECT name FROM sqlite_master
             WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
             AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"""


def read(path: Path, options: ImportOptions) -> RawTable:
    """The table asked for, or the only one."""
    if not path.is_file():
        raise DataFileError(path, "is not there.")
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        tables = tuple(str(name) for (name,) in connection.execute(_TABLES))
        chosen = _chosen(path, tables, options.sheet)
        quoted = '"' + chosen.replace('"', '""') + '"'
        cursor = connection.execute(f"SELECT * FROM {quoted}")
        names, remarks = unique_names(column[0] for column in cursor.description)
        rows = []
        for row in cursor:
            rows.append([_text(path, value) for value in row])
            if len(rows) % 100_000 == 0:
                check_size(path, len(rows), len(names))
    frame = frame_of_rows(path, names, rows)
    return RawTable(frame, tables=tables, remarks=remarks)


def _chosen(path: Path, tables: tuple[str, ...], wanted: str | None) -> str:
    if wanted is not None:
        if wanted not in tables:
            raise UnknownNameError("table", wanted, tables)
        return wanted
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
