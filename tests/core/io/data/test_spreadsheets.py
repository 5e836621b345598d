"""CSV files whose cells no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.io.data.reader import import_data, write_data
from pgmstudio.core.io.data.spreadsheets import quote_formulas

FORMULAS = ("=1+1", "+cmd", "-cmd", "@SUM(A1)", " =1+1", "-", "=")


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_cell_that_looks_like_a_formula_gets_a_quote(cell: str) -> None:
    assert next(csv.reader(io.StringIO(quote_formulas(f'"{cell}",b\n')))) == [f"'{cell}", "b"]


@pytest.mark.parametrize("cell", ["-3.2", "+7", "1e-3", "a=b", "", "low", "-inf"])
def test_numbers_and_other_texts_stay(cell: str) -> None:
    assert next(csv.reader(io.StringIO(quote_formulas(f"{cell},b\n")))) == [cell, "b"]


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1)


@given(st.lists(st.lists(NAMES, min_size=2, max_size=2)))
def test_a_table_changes_by_nothing_but_quotes(rows: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    quoted = list(csv.reader(io.StringIO(quote_formulas(text.getvalue()))))
    assert len(quoted) == len(rows)
    for before, after in zip(rows, quoted, strict=True):
        for old, new in zip(before, after, strict=True):
            assert new in (old, f"'{old}")


def test_data_are_written_with_quotes_only_on_request(tmp_path: Path) -> None:
    domain = Domain.of({"=A1": ["-low", "high"], "b": ["-1", "1"]})
    data = DataSet.from_rows(domain, [["-low", "-1"], ["high", "1"]])
    write_data(tmp_path / "plain.csv", data)
    assert import_data(tmp_path / "plain.csv").data.domain.names == ("=A1", "b")
    write_data(tmp_path / "quoted.csv", data, quoted=True)
    assert (tmp_path / "quoted.csv").read_text().splitlines() == ["'=A1,b", "'-low,-1", "high,1"]
    write_data(tmp_path / "quoted.tsv", data, quoted=True)
    assert (tmp_path / "quoted.tsv").read_text().splitlines()[1] == "'-low\t-1"
    write_data(tmp_path / "same.arff", data)
    write_data(tmp_path / "quoted.arff", data, quoted=True)
    assert (tmp_path / "same.arff").read_bytes() == (tmp_path / "quoted.arff").read_bytes()
