"""Orange's .tab: tab-separated, with rows for names, types and roles above the data.

Or one header row whose names carry both as a prefix: `mS#note`, `C#age`, `cD#class`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from pgmstudio.core.errors import DataFileError
from pgmstudio.core.io.data.formats import delimited
from pgmstudio.core.io.data.formats.raw_table import (
    RawTable,
    bytes_of,
    decoded,
    lines_of,
    unique_names,
)
from pgmstudio.core.io.data.options import ImportOptions

_CONTINUOUS = ("continuous", "c", "numeric", "n")
_DISCRETE = ("discrete", "d", "categorical")
_OTHER = ("string", "s", "text", "time", "t", "basket", "")
_PREFIX = re.compile(r"([cmiw]?)([CDST]?)#(.+)")


def read(path: Path, options: ImportOptions) -> RawTable:
    """Read a .tab file: meta and ignored columns are left out, a weight column gives weights."""
    text, _ = decoded(path, bytes_of(path), options.encoding)
    lines = lines_of(text)
    if len(lines) >= 3 and (types := _types(lines[1])) is not None:
        return _three_rows(path, lines, types, options)
    table = delimited.read_content(path, text.encode(), replace(options, encoding="utf-8"))
    return _with_prefixes(table)


def _types(line: str) -> list[str] | None:
    """The cells of the row of types, or None when it is an ordinary row."""
    cells = [cell.strip() for cell in line.split("\t")]
    known = (*_CONTINUOUS, *_DISCRETE, *_OTHER)
    is_types = all(cell in known or " " in cell for cell in cells) and any(cells)
    return cells if is_types and any(cell in known[:-1] for cell in cells) else None


def _three_rows(path: Path, lines: list[str], types: list[str], options: ImportOptions) -> RawTable:
    header = lines[0].split("\t")
    roles = [cell.strip() for cell in lines[2].split("\t")]
    width = max(len(header), len(types))
    header += [""] * (width - len(header))
    types += [""] * (width - len(types))
    roles += [""] * (width - len(roles))
    if len(roles) > width:
        raise DataFileError(path, f"has {width} columns but {len(roles)} roles in its third row.")
    names, warnings = unique_names(header)
    body = "\n".join(line for line in lines[3:] if line.strip("\r\n"))
    if not body:
        raise DataFileError(path, "has a header but no rows.")
    # The header rows give names and format, so nothing is left to detect.
    chosen = replace(options, header=False, delimiter="\t", encoding="utf-8", decimal=".")
    table = delimited.read_content(path, body.encode(), chosen)
    if table.frame.width != width:
        raise DataFileError(path, f"has {width} names but {table.frame.width} cells in a row.")
    _rename_columns(table, names)
    declared = {
        name: tuple(dict.fromkeys(kind.split()))
        for name, kind in zip(names, types, strict=True)
        if " " in kind
    }
    flags = {name: set(role.split()) for name, role in zip(names, roles, strict=True)}
    return replace(
        table,
        declared=declared,
        left_out=tuple(n for n, flag in flags.items() if flag & {"m", "meta", "i", "ignore"}),
        weight_column=next((n for n, flag in flags.items() if flag & {"w", "weight"}), None),
        markers=("", "?", ".", "*", "NA"),
        warnings=warnings,
    )


def _rename_columns(table: RawTable, names: tuple[str, ...]) -> None:
    table.frame.columns = list(names)
    if table.preview is not None and table.preview is not table.frame:
        table.preview.columns = list(names)


def _with_prefixes(table: RawTable) -> RawTable:
    parsed = [_PREFIX.fullmatch(name) for name in table.frame.columns]
    plain = [
        result[3] if result else name
        for result, name in zip(parsed, table.frame.columns, strict=True)
    ]
    names, warnings = unique_names(plain)
    roles = {name: result[1] for name, result in zip(names, parsed, strict=True) if result}
    _rename_columns(table, names)
    return replace(
        table,
        left_out=tuple(name for name, role in roles.items() if role in ("m", "i")),
        weight_column=next((name for name, role in roles.items() if role == "w"), None),
        warnings=(*table.warnings, *warnings),
    )
