"""What goes to standard output: one JSON object, or aligned tables with words and units."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pgmstudio.core.json_documents import exported_json
from pgmstudio.core.json_documents import with_null as plain
from pgmstudio.core.number_format import count_of, decimal, whole

__all__ = [
    "bar",
    "count_of",
    "decimal",
    "exported_json",
    "percent",
    "plain",
    "print_json",
    "print_pairs",
    "print_table",
    "whole",
]

BAR_CELLS = 24
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_json(value: Mapping[str, Any]) -> None:
    """Exactly one JSON object; minus infinity and whatever is no finite number become null."""
    sys.stdout.write(exported_json(value, indent=None))


def percent(share: float) -> str:
    """A probability for reading: 0 only when it is 0, 100 only when it is 1."""
    if 0 < share < 0.0005:
        return "0+ %"
    if 0.9995 <= share < 1:
        return "100− %"
    return f"{100 * share:.1f} %"


def bar(share: float, cells: int = BAR_CELLS) -> str:
    """A bar of that share of `cells`, to an eighth of a cell."""
    eighths = round(max(0.0, min(1.0, share)) * cells * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(cells)


def print_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Names and values in two columns."""
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        print(f"{name:<{width}}  {value}")


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> None:
    """Columns aligned as `align` says: one of < and > for each, words to the left."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        cells = [
            f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)
        ]
        print("  ".join(cells).rstrip())
