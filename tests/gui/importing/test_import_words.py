"""What the import page says of columns and files: counts that are true, sentences that help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.discretization import Discretisation
from pgmstudio.core.number_format import read_number
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.importing.page_view import CUTS
from pgmstudio.gui.importing.preview_table import PreviewTable

if TYPE_CHECKING:
    from pgmstudio.gui.window.main_window import MainWindow


def page_of(window: MainWindow, path: Path) -> ImportPage:
    open_file(window.app, path)
    page = window.app.center.current
    assert isinstance(page, ImportPage)
    return page


def read_page(window: MainWindow, qtbot: QtBot, path: Path) -> ImportPage:
    page = page_of(window, path)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    return page


def chip_of(page: ImportPage, name: str) -> str:
    rows = page.view.columns.list.rows
    return next(row.chip for row in rows if row.name == name)


@pytest.mark.parametrize(
    ("number", "words"),
    [(231.64999999999998, "231.65"), (-999.0, "−999"), (1234567.5, "1234567.5"), (0.1, "0.1")],
)
def test_measured_numbers_are_read_without_the_noise_of_their_last_bits(
    number: float, words: str
) -> None:
    assert read_number(number) == words


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    lines = ["chol,smoker,one"]
    lines += [f"{107 + 2.3 * row:.1f},{'yes' if row > 60 else 'no'},1" for row in range(120)]
    path = tmp_path / "measured.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_list_reports_how_many_bins_were_found_not_how_many_were_wanted(
    window: MainWindow, qtbot: QtBot, measured: Path
) -> None:
    page = read_page(window, qtbot, measured)
    page.go_to(CUTS)
    page.view.cuts.cutting_requested.emit("cut chol: Rounded", Discretisation("nice", 4))
    result = len(page.view.cuts.points) + 1
    assert result != 4
    assert chip_of(page, "chol") == f"{result} bins"
    assert page.view.detail.bins.text() == f"Discretised into {result} bins."
    assert page.view.cuts.bins.value() == result


def test_cuts_are_proposed_for_a_target_that_has_something_to_tell_apart(
    window: MainWindow, qtbot: QtBot, measured: Path
) -> None:
    page = read_page(window, qtbot, measured)
    assert page.view.cuts.target.currentText() == "smoker"  # "one" stands last, but is constant


def test_several_problems_of_a_file_stand_in_lines_of_their_own(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "ragged.csv"
    path.write_text("a,b,c\n" + "1,2,3\n1,2\n" * 20, encoding="utf-8")
    page = page_of(window, path)
    qtbot.waitUntil(lambda: bool(page.view.problem.text), timeout=20_000)
    lines = page.view.problem.text.split("\n")
    assert lines[0].startswith("ragged.csv: has rows of different lengths.")
    assert lines[1] == "• Row 2 has 2 cells where there should be 3"
    assert len(lines) == 7
    assert lines[-1] == "and 15 more"


def test_a_header_without_rows_is_reported_and_cannot_be_imported(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "names.csv"
    path.write_text("a,b,c\n", encoding="utf-8")
    page = read_page(window, qtbot, path)
    assert page.view.problem.text.startswith("names.csv: has a header but no rows.")
    assert page.view.foot.finish.toolTip() == "Not now: the file has no rows."


def test_names_with_angle_brackets_are_shown_as_they_are(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("x<b,y\n" + "1,?\n?,NA\n2,\n" * 20, encoding="utf-8")
    page = read_page(window, qtbot, path)
    note = page.view.columns.note.text
    assert "x&lt;b" in note
    assert "(marked empty, “?” and “NA”)" in note


def test_a_table_of_counts_is_read_as_such_and_can_be_read_otherwise(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b,count\n0,0,10\n0,1,5\n1,0,7\n1,1,20\n", encoding="utf-8")
    page = read_page(window, qtbot, path)
    note = page.view.columns.weights
    assert chip_of(page, "count") == "frequency"
    assert note.text.startswith("<b>count</b> is used as row counts.")
    note.link_activated.emit("no")
    assert chip_of(page, "count").endswith("bins")
    assert note.text.startswith("<b>count</b> may contain row counts.")
    note.link_activated.emit("yes")
    assert chip_of(page, "count") == "frequency"


def test_rows_that_occur_twice_are_no_table_of_counts(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("sex,count\nf,1\nm,2\nf,3\nm,2\n", encoding="utf-8")
    page = read_page(window, qtbot, path)
    assert chip_of(page, "count") != "frequency"
    assert page.view.columns.weights.text.startswith("<b>count</b> may contain")


def test_the_bin_of_a_value_is_painted_over_the_background_of_its_column(qtbot: QtBot) -> None:
    preview = PreviewTable("preview")
    qtbot.addWidget(preview)
    preview.resize(400, 200)
    preview.show_cells(("age", "sex"), [("99", "m")], ())
    preview.show_cuts("age", (50.0,))
    cell = preview.visualRect(preview.model().index(0, 0))
    above = preview.viewport().grab(cell).toImage()
    preview.show_cuts("age", (100.0,))
    assert preview.text_at(0, "age") == "99 → <100"
    assert preview.viewport().grab(cell).toImage() != above
