"""Cases as other network programs keep them: Netica's .cas and HUGIN's .dat.

Netica: blanks between cells, `//` comments, `*` for missing, `#k` for the state of index k, and the
columns IDnum and NumCases. HUGIN: commas or blanks, a first header cell `#` when rows begin with
their count, `*`, `?`, `N/A` or nothing for missing, and `#k` too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, DataFileError
from pgmstudio.core.io.data.formats import delimited
from pgmstudio.core.io.data.formats.raw_table import RawTable, bytes_of, decoded, lines_of
from pgmstudio.core.io.data.formats.text_sniffing import BLANKS
from pgmstudio.core.io.data.formats.writing import cell_columns
from pgmstudio.core.io.data.options import ImportOptions

NETICA_MARK = "// ~->[CASE-1]->~"
_COMMENT = re.compile(r"(?:^|(?<=\s))//")
_COUNT = "#"


def read_netica(path: Path, options: ImportOptions) -> RawTable:
    """A Netica case file; NumCases gives row weights and IDnum is left out."""
    text, _ = decoded(path, bytes_of(path), options.encoding)
    lines = [line for line in map(_without_comment, lines_of(text)) if line.strip()]
    if not lines:
        raise DataFileError(path, "is empty.")
    chosen = replace(options, delimiter=BLANKS, header=True, encoding="utf-8")
    table = delimited.read_content(path, "\n".join(lines).encode(), chosen)
    by_name = {name.lower(): name for name in table.frame.columns}
    return replace(
        table,
        weight_column=by_name.get("numcases"),
        left_out=tuple(filter(None, [by_name.get("idnum")])),
        markers=("*", "?", ""),
        numbered_states=True,
    )


def _without_comment(line: str) -> str:
    """A comment begins behind the last quotation mark."""
    comment = _COMMENT.search(line, line.rfind('"') + 1)
    return line[: comment.start()] if comment else line


def read_hugin(path: Path, options: ImportOptions) -> RawTable:
    """A HUGIN data file, or any other text table that goes by .dat."""
    table = delimited.read_content(path, bytes_of(path), options)
    counted = bool(table.frame.columns) and table.frame.columns[0] == _COUNT
    return replace(
        table,
        weight_column=_COUNT if counted else None,
        markers=("*", "?", "N/A", "NA", ""),
        numbered_states=True,
    )


def write_netica(data: DataSet) -> bytes:
    """A Netica case file; names with blanks are quoted, which not every program reads."""
    for variable in data.domain:
        for state in variable.states:
            if state in ("*", "?", "") or state.startswith("#") or re.search("[\r\n]", state):
                raise DataError(
                    f"A case file cannot hold the state “{state}” of {variable.name}; rename it."
                )
    names = [_quoted(name) for name in data.domain.names]
    if data.weights is not None:
        names.append("NumCases")
    lines = [NETICA_MARK, " ".join(names)]
    lines += [" ".join(row) for row in zip(*cell_columns(data, _quoted, "*"), strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _quoted(text: str) -> str:
    if text and '"' not in text and not re.search(r"\s|//", text):
        return text
    return '"' + text.replace('"', '""') + '"'
