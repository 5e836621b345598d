"""Tables for spreadsheets, which take a cell that begins with = + - or @ for a formula."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.io.atomic import replace_file

# Blanks may precede the character; a tab or a line end is stripped by some programs.
FORMULA_STARTS = ("=", "+", "-", "@")


def quote_formulas(text: str, separator: str = ",") -> str:
    """The same table with a ' before every cell that would be taken for a formula.

    Numbers such as -3.2 are no formulas and stay.
    """
    limit = csv.field_size_limit(sys.maxsize)
    try:
        rows = csv.reader(io.StringIO(text), delimiter=separator)
        return csv_text(
            ([f"'{cell}" if _is_formula(cell) else cell for cell in cells] for cells in rows),
            separator,
        )
    finally:
        csv.field_size_limit(limit)


def _is_formula(cell: str) -> bool:
    if not cell.lstrip().startswith(FORMULA_STARTS):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


def write_csv(path: Path | str, text: str, *, quoted: bool) -> None:
    """Write a table as it is, or with formulas quoted; tabs for .tsv, commas otherwise."""
    if quoted:
        text = quote_formulas(text, "\t" if Path(path).suffix.lower() == ".tsv" else ",")
    replace_file(path, text.encode())
