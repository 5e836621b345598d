"""The compiled reader of large tables gives the same result as the general one, or declines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataFileError
from pgmstudio.core.io.data.formats import categorical_csv as few_valued
from pgmstudio.core.io.data.formats import delimited
from pgmstudio.core.io.data.formats.raw_table import TextFacts
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data
from tests.core.io.written_tables import saved

FACTS = TextFacts(",", "utf-8", True, ".")
TEXTS = ["a", "bb", "seventy", "eightyei", "eightyei2", "eightyei3", "ü", "", "?", "12", "-3.5"]


def directly(content: bytes, rows_seen: int = 20) -> polars.DataFrame | None:
    """What the compiled reader makes of a table, after a look at its first rows."""
    head = b"\n".join(content.split(b"\n")[: rows_seen + 1]).replace(b"\r", b"")
    names = head.split(b"\n")[0].decode().split(",")
    schema = dict.fromkeys(names, polars.String)
    sample = polars.read_csv(
        head, has_header=False, skip_rows=1, schema=schema, truncate_ragged_lines=True
    )
    return few_valued.read_few_valued(content, FACTS, sample)


def random_table(rows: int, columns: int, seed: int, line_end: str = "\n") -> bytes:
    rng = np.random.default_rng(seed)
    names = ",".join(f"c{i}" for i in range(columns))
    cells = rng.choice(TEXTS, size=(rows, columns))
    return (line_end.join([names, *(",".join(row) for row in cells)]) + line_end).encode()


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_large_table_reads_the_same_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line_end: str
) -> None:
    path = saved(tmp_path, random_table(40_000, 8, 1, line_end))
    general = read_data(path)
    monkeypatch.setattr(delimited, "HEAD_BYTES", 1024)
    monkeypatch.setattr(few_valued, "MIN_BYTES", 0)
    compiled = read_data(path)
    assert compiled.domain == general.domain
    assert np.array_equal(compiled.codes, general.codes)


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from(TEXTS), min_size=3, max_size=3), min_size=1, max_size=40),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.integers(1, 10),
)
def test_every_cell_is_the_text_that_is_written(
    rows: list[list[str]], line_end: str, ends: bool, rows_seen: int
) -> None:
    text = line_end.join(["x,y,z", *(",".join(row) for row in rows)])
    frame = directly((text + line_end * ends).encode(), rows_seen)
    assert frame is not None
    result = [list(row) for row in frame.select(polars.all().cast(polars.String)).rows()]
    assert result == [[cell or None for cell in row] for row in rows]


@pytest.mark.parametrize(
    "late",
    ['"a",b\n', "a\n", "a,b,c\n", "\n", "a,\xff\n", "a\rb,c\n"],
    ids=["quoted", "short", "long", "blank", "not UTF-8", "odd line end"],
)
def test_what_is_out_of_the_ordinary_is_left_to_others(late: str) -> None:
    content = b"x,y\n" + b"a,b\nc,d\n" * 50 + late.encode("latin-1")
    assert directly(content) is None


def test_a_column_of_ever_new_texts_is_left_to_others() -> None:
    rows = "".join(f"a,{i % 3},t{i}\n" for i in range(2000))
    assert directly(("x,y,z\n" + "a,0,s\n" * 30 + rows).encode()) is None


def test_columns_of_many_texts_are_read_by_others_and_put_in_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    lines = [f"{'ab'[i % 2]},{rng.normal():.6f},{i % 3},{i}" for i in range(3000)]
    path = saved(tmp_path, "\n".join(["x,real,y,many", *lines]) + "\n")
    options = ImportOptions(bins=4)
    general = read_data(path, options)
    monkeypatch.setattr(delimited, "HEAD_BYTES", 1 << 14)
    monkeypatch.setattr(few_valued, "MIN_BYTES", 0)
    compiled = read_data(path, options)
    assert compiled.domain == general.domain
    assert np.array_equal(compiled.codes, general.codes)


def test_rows_of_another_length_far_into_a_large_table_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "HEAD_BYTES", 1024)
    monkeypatch.setattr(few_valued, "MIN_BYTES", 0)
    path = saved(tmp_path, "x,y\n" + "a,b\n" * 5000 + "a\n" + "a,b\n" * 10 + "a,b,c\n")
    with pytest.raises(DataFileError) as refused:
        read_data(path)
    assert [problem.row for problem in refused.value.problems] == [5001, 5012]


@settings(max_examples=30)
@given(st.binary(max_size=60))
def test_any_bytes_late_in_a_large_table_read_as_the_general_reader_reads_them(
    tmp_path_factory: pytest.TempPathFactory, late: bytes
) -> None:
    path = saved(tmp_path_factory.mktemp("late"), b"x,y\n" + b"a,b\nc,d\n" * 400 + late)

    def outcome() -> tuple[str, object]:
        try:
            data: DataSet = read_data(path)
        except DataFileError as refused:
            return "refused", str(refused)
        return "read", (data.domain, data.codes.tobytes())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "HEAD_BYTES", 512)
        patch.setattr(few_valued, "MIN_BYTES", 1 << 40)
        general = outcome()
        patch.setattr(few_valued, "MIN_BYTES", 0)
        assert outcome() == general
