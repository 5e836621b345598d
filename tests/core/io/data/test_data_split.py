"""Three files as one split data set."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pgmstudio.core.errors import DataFileError
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_together, is_split, read_data, read_split
from tests.core.io.written_tables import rows_of, saved


def test_a_benchmark_triple_is_found_from_any_of_its_files(tmp_path: Path) -> None:
    saved(tmp_path, "0,1\n1,0\n", "nltcs.ts.data")
    saved(tmp_path, "0,0\n", "nltcs.valid.data")
    saved(tmp_path, "1,1\n1,1\n1,0\n", "nltcs.test.data")
    for part in ("ts", "valid", "test"):
        parts = read_split(tmp_path / f"nltcs.{part}.data")
        assert parts.train.domain == parts.valid.domain == parts.test.domain
        assert parts.train.domain.names == ("X1", "X2")
        assert [p.row_count for p in (parts.train, parts.valid, parts.test)] == [2, 1, 3]
    assert rows_of(parts.test) == [["1", "1"], ["1", "1"], ["1", "0"]]
    assert read_data(tmp_path / "nltcs.ts.data").row_count == 2


def test_a_folder_of_three_tables_is_a_split(tmp_path: Path) -> None:
    for part, cell in (("train", "a"), ("valid", "b"), ("test", "c")):
        saved(tmp_path, gzip.compress(f"x,y\n{cell},1\n".encode()), f"{part}.csv.gz")
    for path in (tmp_path, tmp_path / "valid.csv.gz"):
        assert is_split(path)
        parts = read_split(path)
        assert parts.train.domain["x"].states == ("a", "b", "c")
        assert rows_of(parts.test) == [["c", "1"]]


def test_the_states_of_all_parts_are_in_order(tmp_path: Path) -> None:
    for part, cells in (("train", "10 2"), ("valid", "1"), ("test", "30")):
        saved(tmp_path, "x,y\n" + "".join(f"{c},a\n" for c in cells.split()), f"{part}.csv")
    parts = read_split(tmp_path)
    assert parts.valid.domain["x"].states == ("1", "2", "10", "30")
    data, made = parts.joined()
    assert [part.row_count for part in made.parts(data)] == [2, 1, 1]


def test_cuts_come_from_the_training_rows(tmp_path: Path) -> None:
    saved(tmp_path, "x,y\n" + "".join(f"{i},a\n" for i in range(100)), "train.csv")
    saved(tmp_path, "x,y\n900,a\n901,a\n", "valid.csv")
    saved(tmp_path, "x,y\n-7,a\n", "test.csv")
    parts = read_split(tmp_path, ImportOptions(bins=4))
    assert parts.train.domain["x"].states == ("<25", "25–50", "50–75", "≥75")
    assert parts.valid.column("x").tolist() == [3, 3]
    assert parts.test.column("x").tolist() == [0]


def test_files_imported_together_share_their_states(tmp_path: Path) -> None:
    one, two = saved(tmp_path, "x,y\na,1\n", "1.csv"), saved(tmp_path, "y,x\n1,b\n", "2.csv")
    first, second = import_together([one, two])
    assert first.data.domain == second.data.domain
    assert rows_of(second.data) == [["b", "1"]]


def test_a_column_that_is_empty_in_one_part_is_missing_there(tmp_path: Path) -> None:
    saved(tmp_path, "x,y\na,1\nb,2\n", "train.csv")
    saved(tmp_path, "x,y\na,?\n", "valid.csv")
    saved(tmp_path, "x,y\na,2\n", "test.csv")
    assert rows_of(read_split(tmp_path).valid) == [["a", None]]


def test_a_part_without_a_column_is_refused(tmp_path: Path) -> None:
    saved(tmp_path, "x,y\na,1\n", "train.csv")
    saved(tmp_path, "x,z\na,1\n", "valid.csv")
    saved(tmp_path, "x,y\na,1\n", "test.csv")
    with pytest.raises(DataFileError, match=r"valid\.csv.*lacks.*: y\."):
        read_split(tmp_path)


def test_a_lonely_file_is_no_split(tmp_path: Path) -> None:
    lonely = saved(tmp_path, "x,y\na,1\n", "lonely.csv")
    assert not is_split(lonely)
    with pytest.raises(DataFileError, match="no part of a split"):
        read_split(lonely)
    saved(tmp_path, "0,1\n", "a.ts.data")
    assert not is_split(tmp_path / "a.ts.data")
    with pytest.raises(DataFileError, match="does not exist"):
        read_split(tmp_path / "a.ts.data")
