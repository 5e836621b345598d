"""The shared data sets: all of them can be imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.errors import DataFileError
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data, read_split


def table_paths(shared: Path) -> list[tuple[Path, dict[str, Any]]]:
    manifest = json.loads((shared / "data/manifest.json").read_text(encoding="utf-8"))
    result = [(shared / "data" / entry["path"], entry) for entry in manifest["files"]]
    return [(path, entry) for path, entry in result if path.parent.name in ("seeds", "uci")]


def check(path: Path, text: dict[str, Any]) -> None:
    try:
        data = read_data(path)
    except DataFileError:  # it has columns of many numbers
        data = read_data(path, ImportOptions(bins=5))
    assert data.row_count == text["rows"], path.name
    # A column that is empty throughout is left out.
    assert len(data.domain) == sum(arity != 0 for arity in text["arities"]), path.name
    missing = text["missing_by_column"]
    for variable, arity in zip(data.domain, filter(None, text["arities"]), strict=True):
        holes = (data.column(variable.name) == data.missing_code).sum()
        assert holes == missing.get(variable.name, 0), (path.name, variable.name)
        if not variable.is_ordinal:  # it was not cut
            assert variable.cardinality == arity, (path.name, variable.name)


def test_small_tables_have_the_documented_rows_columns_and_states(
    shared: Path,
) -> None:
    small = [(p, text) for p, text in table_paths(shared) if p.stat().st_size < 60_000]
    assert len(small) > 30
    for path, text in small:
        check(path, text)


@pytest.mark.long
def test_large_tables_have_the_documented_rows_columns_and_states(
    shared: Path,
) -> None:
    large = [(p, text) for p, text in table_paths(shared) if p.stat().st_size >= 60_000]
    assert len(large) > 20
    for path, text in large:
        check(path, text)


@pytest.mark.long
def test_every_density_set_is_a_split_over_one_binary_domain(shared: Path) -> None:
    folders = sorted((shared / "data/density").iterdir())
    assert len(folders) == 18
    for folder in folders:
        parts = read_split(folder)
        assert parts.train.domain == parts.valid.domain == parts.test.domain
        assert max(parts.train.domain.cardinalities) == 2


def test_nltcs_has_its_published_sizes(shared: Path) -> None:
    parts = read_split(shared / "data/density/nltcs/test.csv")
    counts = [part.row_count for part in (parts.train, parts.valid, parts.test)]
    assert counts == [16181, 2157, 3236]
    assert len(parts.train.domain) == 16


def test_an_empty_column_of_a_real_table_is_left_out(shared: Path) -> None:
    data = read_data(shared / "data/uci/hypothyroid.csv", ImportOptions(bins=5))
    assert "TBG" not in data.domain
