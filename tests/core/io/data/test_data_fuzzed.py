"""Damaged files: every reader gives a data set or a DataFileError, nothing else."""

from __future__ import annotations

import gzip
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import openpyxl
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.data.inspection import inspect_file
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import FORMATS, read_data

# All of them with PGMSTUDIO_FUZZ=all; every run has the first ones.
CASES = 2000 if os.environ.get("PGMSTUDIO_FUZZ") == "all" else 250
OPTIONS = ImportOptions(bins=3)

TABLE = 'id,sky,"wind, speed",temp\n1,clear,3.5,"a"\n2,grey,?,b\n3,"very ""dark""",2e1,\n' * 3


def _csv(path: Path) -> None:
    path.write_text(TABLE, encoding="utf-8")


def _gz(path: Path) -> None:
    path.write_bytes(gzip.compress(TABLE.encode()))


def _tsv(path: Path) -> None:
    path.write_text("sky\tn\nclear\t1,5\ngrey\t2,5\nüber\t?\n", encoding="cp1252")


def _txt(path: Path) -> None:
    path.write_text('  sky   n\n clear  1\n "light grey" 2\n', encoding="utf-8")


def _data(path: Path) -> None:
    path.write_text("0,1,0\n1,1,0\n0,0,1\n", encoding="utf-8")


def _parquet(path: Path) -> None:
    polars.DataFrame({"x": ["a", "b", None], "n": [1.5, 2.5, 3.5]}).write_parquet(path)


def _xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in (["x", "n"], ["a", 1], ["b", 2.5]):
        page.append(row)
    book.save(path)


def _arff(path: Path) -> None:
    path.write_text(
        "@relation r\n@attribute 'a b' {x,'y z'}\n@attribute n real\n@data\n"
        "x,1\n'y z',?, {2}\n{0 'y z', 1 3}\n",
        encoding="utf-8",
    )


def _sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE t (x TEXT, n REAL)")
        connection.execute("INSERT INTO t VALUES ('a', 1.5), ('b', NULL), ('c', 2)")


def _tab(path: Path) -> None:
    path.write_text(
        "name\tn\tsky\nstring\tc\tclear grey\nmeta\t\tclass\nA\t1\tclear\nB\t2\tgrey\n",
        encoding="utf-8",
    )


def _cas(path: Path) -> None:
    path.write_text(
        "// ~->[CASE-1]->~\nIDnum sky rain NumCases\n1 clear * 2\n2 grey #1 1\n", encoding="utf-8"
    )


def _basket(path: Path) -> None:
    path.write_text("bread,milk\nred wine\n\nmilk,red wine\n")


def _dat(path: Path) -> None:
    path.write_text('#,A,B\n2,yes,"low"\n0.5,*,N/A\n1,no,?\n', encoding="utf-8")


EXAMPLES: dict[str, Callable[[Path], None]] = {
    ".csv": _csv,
    ".csv.gz": _gz,
    ".tsv": _tsv,
    ".txt": _txt,
    ".data": _data,
    ".parquet": _parquet,
    ".xlsx": _xlsx,
    ".arff": _arff,
    ".sqlite": _sqlite,
    ".tab": _tab,
    ".cas": _cas,
    ".basket": _basket,
    ".dat": _dat,
}


def check(path: Path, content: bytes) -> None:
    """Read `content` as a file of that name; only a data set or an error of ours is right."""
    path.write_bytes(content)
    try:
        data = read_data(path, OPTIONS)
    except PgmStudioError as problem:
        message = str(problem)
        assert message.startswith((path.name, "No ")), message
        assert message.rstrip()
    else:
        assert isinstance(data, DataSet)
        assert len(data.domain) > 0


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """The content cut off, with bytes changed, taken out, put in, or pieces repeated."""
    characters = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        position = int(rng.integers(0, len(characters) + 1))
        length = int(rng.integers(1, 9))
        match int(rng.integers(0, 6)):
            case 0:
                del characters[position:]
            case 1:
                characters[position : position + length] = rng.bytes(length)
            case 2:
                del characters[position : position + length]
            case 3:
                characters[position:position] = rng.choice(
                    [b'"', b"'", b",", b"\n", b"\r", b"\x00", b"{", b"#9", b"-", b"\xff", b"9" * 30]
                )
            case 4:
                characters[position:position] = (
                    characters[max(0, position - 40) : position] * length
                )
            case 5 if characters:
                characters[min(position, len(characters) - 1)] ^= 1 << int(rng.integers(0, 8))
    return bytes(characters)


def test_there_is_an_example_for_every_reader() -> None:
    shown = {ending.removesuffix(".gz") for ending in EXAMPLES}
    for kind in FORMATS:
        assert shown & set(kind.endings), kind.title


@pytest.mark.parametrize("ending", EXAMPLES)
def test_the_undamaged_example_is_read(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"whole{ending}"
    EXAMPLES[ending](path)
    assert read_data(path, OPTIONS).row_count > 0
    assert inspect_file(path, OPTIONS).columns


@pytest.mark.slow
@pytest.mark.parametrize("ending", EXAMPLES)
def test_a_damaged_file_gives_a_data_set_or_a_sentence(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"damaged{ending}"
    EXAMPLES[ending](path)
    whole = path.read_bytes()
    rng = np.random.default_rng(len(ending))
    for _ in range(CASES):
        content = damaged(whole, rng)
        try:
            check(path, content)
        except BaseException:
            print("content:", content)
            raise


@pytest.mark.parametrize("ending", EXAMPLES)
def test_any_bytes_give_a_data_set_or_a_sentence(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"any{ending}"

    @settings(max_examples=60)
    @given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode()))
    def try_it(content: bytes) -> None:
        check(path, content)

    try_it()


@pytest.mark.parametrize("ending", EXAMPLES)
def test_a_report_on_a_damaged_file_is_a_report_or_a_sentence(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"damaged{ending}"
    EXAMPLES[ending](path)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(100):
        path.write_bytes(damaged(whole, rng))
        try:
            report = inspect_file(path, OPTIONS)
        except PgmStudioError:
            continue
        assert all(column.missing <= report.row_count for column in report.columns)
