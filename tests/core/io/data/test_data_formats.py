"""Every format: small files as other programs write them, and writing and reading back."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import openpyxl
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, DataFileError, UnknownNameError
from pgmstudio.core.io.data.formats import baskets, excel
from pgmstudio.core.io.data.inspection import inspect_file
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import FORMATS, import_data, read_data, write_data
from pgmstudio.core.io.reading_limits import LIMIT_VARIABLE
from tests.core.io.written_tables import rows_of, saved

# Formats of any data; baskets hold yes and no alone and are tested in test_baskets.
WRITTEN = [
    ending
    for kind in FORMATS
    if kind.write and kind.write is not baskets.write
    for ending in kind.endings
]

ARFF = """% a comment
@RELATION weather
@attribute outlook {sunny, overcast, rainy}
@ATTRIBUTE 'the wind' { 'very strong', weak }
@attribute temp real
@attribute play{yes,no}
@data
sunny,weak,1,no
% between rows
overcast, 'very strong', 2.0, yes
?,weak,1,?
"""


def test_arff_keeps_declared_states_in_order(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, ARFF, "weather.arff"))
    assert data.domain["outlook"].states == ("sunny", "overcast", "rainy")
    assert data.domain["the wind"].states == ("very strong", "weak")
    assert data.domain["temp"].states == ("1", "2")
    assert rows_of(data)[1:] == [
        ["overcast", "very strong", "2", "yes"],
        [None, "weak", "1", None],
    ]


def test_sparse_arff_rows_fill_up_with_zeros_and_first_states(tmp_path: Path) -> None:
    text = "@relation r\n@attribute a {x,y}\n@attribute b numeric\n@data\n{0 y}\n{1 3}\n{}\n"
    data = read_data(saved(tmp_path, text, "sparse.arff"))
    assert rows_of(data) == [["y", "0"], ["x", "3"], ["x", "0"]]


def test_arff_row_weights_become_weights(tmp_path: Path) -> None:
    text = "@relation r\n@attribute a {x,y}\n@data\nx, {2.5}\ny\n"
    data = read_data(saved(tmp_path, text, "weighted.arff"))
    assert data.weights is not None
    assert data.weights.tolist() == [2.5, 1]


def test_an_arff_value_outside_the_declared_states_is_listed(tmp_path: Path) -> None:
    with pytest.raises(DataFileError) as refused:
        read_data(saved(tmp_path, ARFF + "stormy,weak,1,no\n", "weather.arff"))
    assert [(p.row, p.column) for p in refused.value.problems] == [(4, "outlook")]


def test_arff_rows_of_another_length_are_listed(tmp_path: Path) -> None:
    with pytest.raises(DataFileError) as refused:
        read_data(saved(tmp_path, ARFF + "sunny\n", "weather.arff"))
    assert [p.row for p in refused.value.problems] == [4]


def workbook(folder: Path, rows: list[list[object]], sheet: str = "cases") -> Path:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = sheet
    for row in rows:
        page.append(row)
    book.create_sheet("empty")
    path = folder / "book.xlsx"
    book.save(path)
    return path


def test_a_workbook_gives_its_first_sheet_or_the_one_asked_for(tmp_path: Path) -> None:
    rows: list[list[object]] = [["sky", "n", "wet"], ["clear", 1, True], ["grey", None, False]]
    path = workbook(tmp_path, rows)
    assert rows_of(read_data(path)) == [["clear", "1", "true"], ["grey", None, "false"]]
    assert inspect_file(path).tables == ("cases", "empty")
    with pytest.raises(DataFileError, match="nothing"):
        read_data(path, ImportOptions(sheet="empty"))
    with pytest.raises(UnknownNameError, match="sheet"):
        read_data(path, ImportOptions(sheet="case"))


def test_a_workbook_that_unpacks_too_far_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path, [["x"], ["a"]])
    monkeypatch.setenv(LIMIT_VARIABLE, "1e-6")
    with pytest.raises(DataFileError, match=r"more than 1\.05 KB when unpacked, the limit"):
        excel.read(path, ImportOptions())


def test_parquet_columns_of_any_plain_kind_are_read(tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {
            "text": ["a", "b", None],
            "whole": [3, 1, 3],
            "real": [0.5, float("nan"), 1.0],
            "truth": [True, False, None],
            "kind": polars.Series(["u", "v", "u"], dtype=polars.Categorical),
            "day": polars.Series(["2024-01-02"] * 3).str.to_date(),
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    data = read_data(tmp_path / "t.parquet")
    assert rows_of(data) == [
        ["a", "3", "0.5", "true", "u", "2024-01-02"],
        ["b", "1", None, "false", "v", "2024-01-02"],
        [None, "3", "1", None, "u", "2024-01-02"],
    ]


def test_parquet_columns_of_lists_are_refused_unless_left_out(tmp_path: Path) -> None:
    frame = polars.DataFrame({"x": ["a", "b"], "list": [[1], [2]]})
    frame.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataFileError, match="list"):
        read_data(tmp_path / "t.parquet")


def database(folder: Path, *statements: str) -> Path:
    path = folder / "base.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def test_a_database_with_one_table_is_read_and_with_two_asks(tmp_path: Path) -> None:
    path = database(
        tmp_path,
        "CREATE TABLE cases (sky TEXT, n INTEGER)",
        "INSERT INTO cases VALUES ('clear', 1), ('grey', NULL), ('clear', 2.0)",
    )
    assert rows_of(read_data(path)) == [["clear", "1"], ["grey", None], ["clear", "2"]]
    database(tmp_path, 'CREATE TABLE "od""d" (x)', 'INSERT INTO "od""d" VALUES (\'a\')')
    with pytest.raises(DataFileError, match="several tables"):
        read_data(path)
    assert read_data(path, ImportOptions(sheet='od"d')).row_count == 1
    assert inspect_file(path, ImportOptions(sheet="cases")).tables == ("cases", 'od"d')


def test_a_database_is_never_written_to(tmp_path: Path) -> None:
    path = database(tmp_path, "CREATE TABLE t (x)", "INSERT INTO t VALUES ('a')")
    before = path.read_bytes()
    read_data(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["base.sqlite"]


def test_orange_tables_say_types_and_roles_above_the_rows(tmp_path: Path) -> None:
    text = (
        "name\tage\tsky\tw\tclass\nstring\tcontinuous\tclear grey black\tc\tdiscrete\n"
        "meta\t\t\tweight\tclass\nAnn\t1\tgrey\t2\tyes\nBob\t2\tclear\t1\tno\n"
    )
    data = read_data(saved(tmp_path, text, "orange.tab"))
    assert data.domain.names == ("age", "sky", "class")
    assert data.domain["sky"].states == ("clear", "grey", "black")
    assert data.weights is not None
    assert data.weights.tolist() == [2, 1]


def test_orange_tables_may_carry_roles_in_one_header_row(tmp_path: Path) -> None:
    text = "mS#name\tD#sky\tcD#class\nAnn\tgrey\tyes\nBob\tclear\tno\n"
    assert read_data(saved(tmp_path, text, "orange.tab")).domain.names == ("sky", "class")


NETICA = """// ~->[CASE-1]->~
// made by hand
IDnum  sky     rain   NumCases
1      clear   *      2
2      "light grey"   #1     1   // a remark
"""


def test_netica_cases_with_ids_counts_and_missing_values(tmp_path: Path) -> None:
    domain = Domain.of({"sky": ("clear", "light grey"), "rain": ("no", "yes")})
    data = read_data(saved(tmp_path, NETICA, "c.cas"), ImportOptions(domain=domain))
    assert rows_of(data) == [["clear", None], ["light grey", "yes"]]
    assert data.weights is not None
    assert data.weights.tolist() == [2, 1]


def test_netica_state_numbers_without_a_model_are_names(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, "x y\n#2 a\n#10 b\n#0 a\n", "c.cas"))
    assert data.domain["x"].states == ("0", "2", "10")
    with pytest.raises(DataFileError, match="model"):
        read_data(saved(tmp_path, "x y\n#2 a\nb b\n", "c.cas"))


def test_hugin_data_with_counts_and_all_kinds_of_missing(tmp_path: Path) -> None:
    text = '#,A,B\n2,yes,"low"\n0.5,*,N/A\n1,,?\n'
    data = read_data(saved(tmp_path, text, "h.dat"))
    assert rows_of(data) == [["yes", "low"], [None, None], [None, None]]
    assert data.weights is not None
    assert data.weights.tolist() == [2, 0.5, 1]


def test_hugin_data_apart_by_blanks(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, "A B\nyes no\nno no\n", "h.dat"))
    assert rows_of(data) == [["yes", "no"], ["no", "no"]]


names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")),
    min_size=1,
    max_size=6,
).map(str.strip)


@st.composite
def named_data(draw: st.DrawFn) -> DataSet:
    """Data sets with strange names and states, missing cells and weights."""
    usable = names.filter(lambda text: text and not text.startswith("#"))
    columns = draw(st.lists(usable, min_size=1, max_size=3, unique=True))
    states = [draw(st.lists(usable, min_size=1, max_size=4, unique=True)) for _ in columns]
    domain = Domain.of(dict(zip(columns, states, strict=True)))
    rows = draw(st.integers(1, 6))
    codes = [
        draw(st.lists(st.sampled_from([*range(len(s)), 255]), min_size=rows, max_size=rows))
        for s in states
    ]
    weights = None
    if draw(st.booleans()):
        weights = np.array(draw(st.lists(st.floats(0, 1e6), min_size=rows, max_size=rows)))
    return DataSet(domain, np.array(codes, dtype=np.uint8), weights)


@pytest.mark.parametrize("ending", WRITTEN)
def test_what_is_written_reads_back_the_same(
    ending: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("round") / f"trip{ending}"

    @settings(max_examples=60)
    @given(named_data())
    def check(data: DataSet) -> None:
        try:
            write_data(path, data)
        except DataError:
            return  # this format has no way to write such a state; the error states it
        weight = None
        if data.weights is not None:
            weight = inspect_file(path, ImportOptions(header=None)).preview_names[-1]
        message = ImportOptions(
            domain=data.domain,
            frequency=weight,
            header=True if ending.startswith((".csv", ".tsv")) else None,
            delimiter={".csv": ",", ".tsv": "\t"}.get(ending[:4]),
        )
        if weight is not None and message.header:
            weight = inspect_file(path, message).preview_names[-1]
        again = read_data(path, ImportOptions(**{**vars(message), "frequency": weight}))
        assert np.array_equal(again.codes, data.codes)
        if data.weights is not None:
            assert again.weights is not None
            assert np.array_equal(again.weights, data.weights)

    check()


@pytest.mark.parametrize("ending", WRITTEN)
def test_the_same_data_give_the_same_bytes(ending: str, tmp_path: Path) -> None:
    data = DataSet.from_rows(Domain.of({"x": "ab", "y": ("p", "q r")}), [("a", None), ("b", "q r")])
    one, two = tmp_path / f"one{ending}", tmp_path / f"two{ending}"
    write_data(one, data)
    write_data(two, data)
    assert one.read_bytes() == two.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([one.name, two.name])


def test_written_text_is_what_a_person_expects(tmp_path: Path) -> None:
    domain = Domain.of({"x": ("a", "b,c"), "y": "pq"})
    data = DataSet(domain, np.array([[0, 1], [255, 1]], dtype=np.uint8), np.array([1.5, 2.0]))
    write_data(tmp_path / "t.csv.gz", data)
    text = gzip.decompress((tmp_path / "t.csv.gz").read_bytes()).decode()
    assert text == 'x,y,weight\na,,1.5\n"b,c",q,2.0\n'


def test_a_weight_column_avoids_a_name_that_is_taken(tmp_path: Path) -> None:
    data = DataSet(Domain.of({"weight": "ab"}), np.zeros((1, 2), np.uint8), np.array([1.0, 2.0]))
    write_data(tmp_path / "t.csv", data)
    assert (tmp_path / "t.csv").read_text().startswith("weight,weight 2\n")


def test_a_format_that_cannot_be_written_reports_which_can(tmp_path: Path) -> None:
    data = DataSet.from_rows(Domain.of({"x": "ab"}), [("a",)])
    for name in ("t.xlsx", "t.png"):
        with pytest.raises(DataFileError, match=r"\.csv"):
            write_data(tmp_path / name, data)


def test_remarks_and_markers_come_with_the_data(tmp_path: Path) -> None:
    imported = import_data(saved(tmp_path, "x,y\na,b\na,c\n"))
    assert imported.source == "table.csv"
    assert imported.markers == ("", "?", "NA")
    assert any("every row" in warning for warning in imported.warnings)
