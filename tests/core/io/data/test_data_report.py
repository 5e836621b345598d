"""Looking into a file before it is imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from pgmstudio.core.io.data.inspection import ColumnKind, ColumnReport, Treatment, inspect_file
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from tests.core.io.written_tables import saved


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    lines = ["id,name,born,age,sex,ward,note"]
    for i in range(60):
        age = "?" if i == 7 else str(20 + i)
        lines.append(f"{i + 1},P{i}x,2001-{i % 12 + 1:02}-03,{age},{'mf'[i % 2]},A,")
    return saved(tmp_path, "\n".join(lines) + "\n")


def test_every_column_is_recognised_for_what_it_is(patients: Path) -> None:
    report = inspect_file(patients)
    assert {column.name: column.kind for column in report.columns} == {
        "id": ColumnKind.INDEX,
        "name": ColumnKind.IDENTIFIER,
        "born": ColumnKind.DATE,
        "age": ColumnKind.NUMBERS,
        "sex": ColumnKind.STATES,
        "ward": ColumnKind.CONSTANT,
        "note": ColumnKind.EMPTY,
    }


def test_a_column_of_numbers_has_its_range_bars_and_missing_cells(patients: Path) -> None:
    age = next(c for c in inspect_file(patients).columns if c.name == "age")
    assert (age.low, age.high, age.missing, age.distinct) == (20, 79, 1, 59)
    assert len(age.histogram) == 45
    assert sum(age.histogram) == 59
    assert age.treatment is Treatment.DISCRETISE


def test_a_column_of_states_has_their_counts(patients: Path) -> None:
    sex = next(c for c in inspect_file(patients).columns if c.name == "sex")
    assert sex.states == (("f", 30), ("m", 30))
    assert sex.treatment is Treatment.STATES


def test_the_preview_shows_the_first_rows_as_they_are_written(tmp_path: Path) -> None:
    text = "x,y\n" + "1.50, ?\n" * 300
    report = inspect_file(saved(tmp_path, text))
    assert report.row_count == 300
    assert len(report.preview) == 200
    assert report.preview[0] == ("1.50", " ?")


def test_following_the_proposals_gives_a_data_set(patients: Path) -> None:
    report = inspect_file(patients)
    options = ImportOptions(
        leave_out=tuple(c.name for c in report.columns if c.treatment is Treatment.LEAVE_OUT),
        discretise={c.name: c.cutting for c in report.columns if c.cutting is not None},
    )
    imported = import_data(patients, options)
    assert imported.data.domain.names == ("age", "sex", "ward")
    assert set(imported.cuts) == {"age"}


def test_options_show_in_the_report(patients: Path) -> None:
    options = ImportOptions(leave_out=("sex",), frequency="age", as_states=("ward",))
    result = {c.name: c.treatment for c in inspect_file(patients, options).columns}
    assert result["sex"] is Treatment.LEAVE_OUT
    assert result["age"] is Treatment.WEIGHTS


def test_what_was_detected_is_reported(tmp_path: Path) -> None:
    facts = inspect_file(saved(tmp_path, "größe;y\n1,5;2\n".encode("cp1252"))).facts
    assert facts is not None
    assert (facts.delimiter, facts.encoding, facts.has_header, facts.decimal) == (
        ";",
        "cp1252",
        True,
        ",",
    )


def test_an_unnamed_index_is_proposed_to_be_left_out(tmp_path: Path) -> None:
    report = inspect_file(saved(tmp_path, ",x\n5,a\n3,b\n"))
    assert report.columns[0].kind is ColumnKind.INDEX
    assert report.columns[0].treatment is Treatment.LEAVE_OUT


def test_extreme_numbers_have_a_histogram_too(tmp_path: Path) -> None:
    values = ["-1.7e308", "1.7e308", *map(str, range(30))]
    report = inspect_file(saved(tmp_path, "x,y\n" + "".join(f"{v},a\n" for v in values)))
    assert sum(report.columns[0].histogram) == 32


def _report_of_column(tmp_path: Path, cells: list[str]) -> ColumnReport:
    file = tmp_path / "odd.csv"
    file.write_text("n,x\n" + "".join(f"{cell},{'ab'[i % 2]}\n" for i, cell in enumerate(cells)))
    return inspect_file(file).columns[0]


def test_a_usual_code_far_from_the_other_numbers_may_mean_missing(tmp_path: Path) -> None:
    ages = [str(18 + i % 60) for i in range(120)]
    result = _report_of_column(tmp_path, [*ages, "-999", "-999", "-999"])
    assert result.odd is not None
    assert (result.odd.texts, result.odd.rows) == (("-999",), 3)
    # Counted as missing, nothing is odd any more.
    options = ImportOptions(markers=("", *result.odd.texts))
    again = inspect_file(tmp_path / "odd.csv", options).columns[0]
    assert (again.odd, again.missing, again.low) == (None, 3, 18)


def test_a_number_near_the_others_or_of_no_usual_code_is_not_odd(tmp_path: Path) -> None:
    ages = [str(18 + i % 60) for i in range(120)]
    assert _report_of_column(tmp_path, [*ages, "99"]).odd is None
    assert _report_of_column(tmp_path, [*ages, "-500"]).odd is None
    assert _report_of_column(tmp_path, ["0", "9"] * 30).odd is None


def test_the_import_notes_a_number_that_may_mean_missing(tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    file.write_text("n\n" + "1\n2\n3\n" * 10 + "99\n")
    warnings = import_data(file, ImportOptions()).warnings
    assert any("“n” is 99 in 1 row, far from its other numbers" in message for message in warnings)
