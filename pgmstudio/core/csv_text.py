"""Rows of cells as the text of a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable


def csv_text(rows: Iterable[Iterable[object]], separator: str = ",") -> str:
    """A line for each row; cells are quoted where needed, and None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue()
