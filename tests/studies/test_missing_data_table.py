"""The manual's table on missing cells is what is stored of `benchmarks/missing_cells.py`."""

from __future__ import annotations

import csv
from pathlib import Path

from pgmstudio.core.number_format import decimal

DOCS = Path(__file__).resolve().parents[2] / "docs"
REMOVED = ("0", "0.1", "0.3", "0.5")
HEAD = "| table (rows) | learner | 0 % | 10 % | 30 % | 50 % |"
Line = dict[str, str]


def stored() -> list[Line]:
    path = DOCS / "results/missing-cells.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cell_of(line: Line) -> str:
    """Bits of the default, and in brackets its gain over the best alternative."""
    bits = decimal(float(line["default"]), 2)
    if not line["gain"]:
        return bits
    gain = decimal(float(line["gain"]), 2)
    sign = "" if gain.startswith("−") else "+"
    return f"{bits} ({sign}{gain} ± {decimal(float(line['gain error']), 2)})"


def lines_of_page() -> list[str]:
    """The table as it should stand on the page."""
    groups: dict[tuple[str, str], dict[str, Line]] = {}
    for line in stored():
        groups.setdefault((line["table"], line["learner"]), {})[line["removed"]] = line
    shown = []
    for (table, learner), lines in groups.items():
        first = next(iter(lines.values()))
        rows = decimal(float(first["rows"]), 0)
        # A complete table has no line of its own for no cell removed.
        cells = [decimal(float(first["all cells"]), 2)] * ("0" not in lines)
        cells += [cell_of(lines[removed]) for removed in REMOVED if removed in lines]
        shown.append(f"| {table} ({rows}) | `{learner}` | {' | '.join(cells)} |")
    return shown


def test_the_table_on_missing_cells_is_what_was_stored_of_its_run() -> None:
    lines = (DOCS / "explanation/missing-data.md").read_text(encoding="utf-8").splitlines()
    below = lines[lines.index(HEAD) + 2 :]
    assert below[: below.index("")] == lines_of_page()


def test_no_default_is_worse_than_an_alternative_by_more_than_its_standard_error() -> None:
    worse = [
        line
        for line in stored()
        if line["gain"] and float(line["gain"]) < -float(line["gain error"])
    ]
    assert not worse
