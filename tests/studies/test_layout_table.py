"""The stored measurements of layouts, and what they promise."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchmarks import bench_layout as bench

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (ROOT / "docs/results/layout.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_page_shows_the_stored_measurements(rows: list[dict[str, str]]) -> None:
    page = (ROOT / "docs/explanation/layout.md").read_text(encoding="utf-8")
    assert bench.table_of(rows) in page


def test_names_can_be_read_at_fit_and_no_drawing_is_a_strip(rows: list[dict[str, str]]) -> None:
    for row in rows:
        least = 9.0 if int(row["nodes"]) <= 40 else 7.0 if int(row["nodes"]) <= 80 else 0.0
        assert float(row["fit text"]) >= least, row["name"]
        assert 1 / 3 <= float(row["fit shape"]) <= 3, row["name"]
        if float(row["dot text"]) >= float(row["fit text"]):
            assert int(row["fit crossings"]) <= 1.2 * int(row["dot crossings"]), row["name"]


def test_generated_graphs_have_the_stored_shapes_again(rows: list[dict[str, str]]) -> None:
    pytest.importorskip("pygraphviz")
    stored = {row["name"]: row for row in rows}
    for name, picture in bench.generated():
        if name in ("star of 100", "chain of 60"):
            again = bench.row_of(name, picture)
            assert again["fit shape"] == stored[name]["fit shape"]
            assert again["fit text"] == stored[name]["fit text"]
