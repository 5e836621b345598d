"""Text tables: what is detected, what is refused, and that fast and patient reading agree."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.errors import DataFileError, ParameterError, PgmStudioError
from pgmstudio.core.io.data.formats import delimited
from pgmstudio.core.io.data.inspection import inspect_file
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data, read_data, read_pasted, read_table
from pgmstudio.core.io.reading_limits import LIMIT_VARIABLE
from tests.core.io.written_tables import rows_of, saved


def test_a_plain_table_becomes_states_with_missing_cells(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, "sky,rain\nclear,no\ngrey,?\n,yes\nclear,NA\n"))
    assert data.domain.names == ("sky", "rain")
    assert rows_of(data) == [
        ["clear", "no"],
        ["grey", None],
        [None, "yes"],
        ["clear", None],
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    text = "\n".join(delimiter.join(row) for row in (["x", "y"], ["a", "b"], ["c", "d"]))
    report = inspect_file(saved(tmp_path, text))
    assert report.facts is not None
    assert report.facts.delimiter == delimiter
    assert [column.name for column in report.columns] == ["x", "y"]


def test_decimal_commas_are_found_between_semicolons(tmp_path: Path) -> None:
    text = "x;y\n" + "".join(f"{i},5;a\n" for i in range(30))
    path = saved(tmp_path, text)
    report = inspect_file(path)
    assert report.facts is not None
    assert report.facts.decimal == ","
    assert report.columns[0].high == 29.5
    cut = import_data(path, ImportOptions(bins=2, binning="width"))
    assert cut.cuts["x"].points == (15,)


def test_blanks_in_any_number_separate_cells(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, "  x   y\n a \t b\nc  d  \n\n", "table.txt"))
    assert rows_of(data) == [["a", "b"], ["c", "d"]]


def test_quoted_cells_may_hold_delimiters_quotes_and_line_breaks(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, 'x,y\n"a,b","say ""hi"""\n"c\nd",e\n'))
    assert rows_of(data) == [["a,b", 'say "hi"'], ["c d", "e"]]  # a name has no line break


def test_stray_quotation_marks_are_read_as_they_stand(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, 'size,n\n5" pipe,a\n6" pipe,b\n'))
    assert rows_of(data) == [['5" pipe', "a"], ['6" pipe', "b"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_are_recognised(tmp_path: Path, encoding: str) -> None:
    path = saved(tmp_path, "größe,x\nübergroß,a\nklein,b\n".encode(encoding))
    data = read_data(path)
    assert data.domain.names == ("größe", "x")
    assert data.domain["größe"].states == ("klein", "übergroß")


def test_a_western_letter_far_into_a_file_changes_the_encoding_of_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "HEAD_BYTES", 64)
    content = b"x,y\n" + b"a,b\n" * 100 + b"\xe9,b\n"
    imported = import_data(saved(tmp_path, content))
    assert imported.data.domain["x"].states == ("a", "é")
    with pytest.raises(DataFileError, match="utf-8"):
        read_data(saved(tmp_path, content), ImportOptions(encoding="utf-8"))


def test_a_table_without_header_is_noticed_and_reported(tmp_path: Path) -> None:
    imported = import_data(saved(tmp_path, "0,1,1\n1,0,1\n0,0,1\n"))
    assert imported.data.domain.names == ("X1", "X2", "X3")
    assert imported.data.row_count == 3
    assert any("first row" in warning for warning in imported.warnings)


def test_iris_without_its_header_keeps_its_first_flower(tmp_path: Path) -> None:
    text = "5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n"
    assert read_data(saved(tmp_path, text)).row_count == 3


@pytest.mark.parametrize(
    "text", ["a,b\nx,y\n", "x,1990,1991\na,5,6\nb,7,8\n", "1,2\n0,1\n1,1\n", "age\n5\n6\n"]
)
def test_in_doubt_the_first_row_is_the_header(tmp_path: Path, text: str) -> None:
    data = read_data(saved(tmp_path, text))
    assert data.row_count == text.count("\n") - 1


def test_the_header_option_is_obeyed(tmp_path: Path) -> None:
    path = saved(tmp_path, "0,1\n1,0\n")
    assert read_data(path, ImportOptions(header=True)).domain.names == ("0", "1")
    path = saved(tmp_path, "a,b\nc,d\n")
    assert read_data(path, ImportOptions(header=False)).row_count == 2


def test_an_unnamed_first_column_is_an_index_and_left_out(tmp_path: Path) -> None:
    path = saved(tmp_path, ",x\n0,a\n1,b\n2,a\n")
    imported = import_data(path)
    assert imported.data.domain.names == ("x",)
    assert any("index" in warning for warning in imported.warnings)
    r_style = saved(tmp_path, "x y\nr1 a b\nr2 c d\n", "r.txt")
    assert read_data(r_style).domain.names == ("x", "y")


def test_columns_of_one_name_are_distinguished(tmp_path: Path) -> None:
    imported = import_data(saved(tmp_path, "x,x,x (2)\na,b,c\nd,e,f\n"))
    assert imported.data.domain.names == ("x", "x (3)", "x (2)")
    assert any("Two columns" in warning for warning in imported.warnings)


def test_rows_of_another_length_are_all_listed(tmp_path: Path) -> None:
    path = saved(tmp_path, "x,y,z\na,b,c\na,b\n\na,b,c\na,b,c,d\na\n")
    with pytest.raises(DataFileError) as refused:
        read_data(path)
    assert [problem.row for problem in refused.value.problems] == [2, 4, 5]


def test_short_rows_are_found_also_when_no_row_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(DataFileError) as refused:
        read_data(saved(tmp_path, "x,y\na,b\na\nb,\n"))
    assert [problem.row for problem in refused.value.problems] == [2]


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    assert read_data(saved(tmp_path, "x,y\na,b\n\n\nc,d\n\n")).row_count == 2
    assert rows_of(read_data(saved(tmp_path, "x\na\n\nb\n\n\n"))) == [["a"], [None], ["b"]]
    assert read_data(saved(tmp_path, "\n\nx,y\r\na,b\r\n\r\n")).row_count == 1


def test_a_delimiter_at_the_end_of_every_row_makes_an_empty_column(tmp_path: Path) -> None:
    assert read_data(saved(tmp_path, "x,y\na,b,\nc,d,\n")).domain.names == ("x", "y")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"\x00\x01\x02,\x00"])
def test_a_file_with_nothing_to_read_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataFileError):
        read_data(saved(tmp_path, content))


def test_a_file_with_a_header_alone_has_no_values(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="no columns with values"):
        read_data(saved(tmp_path, "x,y\n"))


def test_a_packed_file_reads_as_its_content_and_a_bomb_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, gzip.compress(b"x,y\na,b\nc,d\n"), "table.csv.gz")
    assert read_data(path).row_count == 2
    monkeypatch.setenv(LIMIT_VARIABLE, "1e-9")
    with pytest.raises(DataFileError, match="when unpacked, the limit for reading"):
        read_data(path)


def test_half_a_packed_file_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(np.random.default_rng(0).bytes(5000))
    with pytest.raises(DataFileError, match="gzip"):
        read_data(saved(tmp_path, packed[:2000], "table.csv.gz"))


def test_a_file_that_is_not_there_or_is_a_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="does not exist"):
        read_data(tmp_path / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataFileError, match="folder"):
        read_data(tmp_path / "folder.csv")
    with pytest.raises(DataFileError, match="ending"):
        read_data(tmp_path / "picture.png")


def test_star_signs_in_a_file_name_are_only_letters(tmp_path: Path) -> None:
    saved(tmp_path, "x,y\na,b\n", "one.csv")
    assert read_data(saved(tmp_path, "x,y\na,b\nc,d\n", "[o*]ne.csv")).row_count == 2


@pytest.mark.parametrize(
    "later",
    ["", "zebra,1,1.5,a\n", "u,?,2.5,b\n", "u,70000,0.1,a\n", "u,1,many,a\n", '"u,v",1,1.0,"b"\n'],
    ids=["nothing new", "new state", "missing", "large", "no number", "quoted"],
)
def test_a_large_file_reads_the_same_whatever_comes_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: str
) -> None:
    rng = np.random.default_rng(1)
    lines = [
        f"{'uvw'[rng.integers(3)]},{rng.integers(-2, 30)},{rng.normal():.3f},{'ab'[i % 2]}\n"
        for i in range(400)
    ]
    path = saved(tmp_path, "text,whole,real,last\n" + "".join(lines) + later)
    options = ImportOptions(as_states=("text", "whole", "real", "last"))
    at_once = read_data(path, options)
    monkeypatch.setattr(delimited, "HEAD_BYTES", 4096)
    typed = read_data(path, options)
    assert typed.domain == at_once.domain
    assert np.array_equal(typed.codes, at_once.codes)
    assert len(read_table(path).frame) == 400 + bool(later)


def test_a_large_file_is_parsed_into_small_integers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "HEAD_BYTES", 256)
    path = saved(tmp_path, "x,y\n" + "3,low\n5,high\n" * 200)
    kinds = [str(dtype) for dtype in read_table(path).frame.dtypes]
    assert kinds[0] == "Int16"
    assert kinds[1].startswith("Enum")


def test_a_pasted_table_is_read_like_a_file() -> None:
    imported = read_pasted("sky\train\nclear\tno\ngrey\tyes\n")
    assert rows_of(imported.data) == [["clear", "no"], ["grey", "yes"]]
    with pytest.raises(PgmStudioError):
        read_pasted("")


@pytest.mark.parametrize(
    "wrong",
    [
        {"delimiter": ",,"},
        {"decimal": "x"},
        {"bins": 0},
        {"binning": "magic"},
        {"encoding": "klingon"},
        {"bins": 3, "binning": "mdl"},
        {"delimiter": ",", "decimal": ","},
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        ImportOptions(**wrong)  # type: ignore[arg-type]


def test_a_table_of_blanks_is_the_same_in_pieces_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "  x   y \n" + " a\t b  \nc   d\n\n" * 50
    whole = read_data(saved(tmp_path, text, "table.txt"), ImportOptions(delimiter=" "))
    monkeypatch.setattr(delimited, "PIECE_BYTES", 7)
    pieces = read_data(saved(tmp_path, text, "table.txt"), ImportOptions(delimiter=" "))
    assert rows_of(pieces) == rows_of(whole) == [["a", "b"], ["c", "d"]] * 50


def test_a_row_of_one_cell_is_named_in_the_singular(tmp_path: Path) -> None:
    path = tmp_path / "short.csv"
    path.write_text("a,b\nx\ny,z\n")
    with pytest.raises(DataFileError, match="row 1: has 1 cell where there should be 2"):
        import_data(path)
