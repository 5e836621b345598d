"""A file becomes a data set: what a person does on the import page, by mouse and keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.discretization import Discretisation, labels_of
from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import Progress, StopSwitch
from pgmstudio.core.io.data.inspection import Treatment
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.io.import_plan import Draft, SplitPlan, import_rows, plain_draft, restored_draft
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.importing.page_view import COLUMNS, CUTS, SPLIT
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.column_table import BARS, FACTS
from pgmstudio.gui.widgets.grid_view import MARKS
from pgmstudio.gui.widgets.step_bar import StepBar
from tests.fuzzing.hostile import workbook
from tests.gui.walking import trigger

if TYPE_CHECKING:
    from pgmstudio.gui.window.main_window import MainWindow

ROWS = 120


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """Ages 20 … 139, a few missing as “?” in one column and as blanks in another."""
    lines = ["age,sex,smoker,id"]
    for row in range(ROWS):
        sex = "?" if row in (3, 50, 77) else ("f" if row % 2 else "m")
        smoker = "" if row in (3, 9) else ("yes" if row % 3 else "no")
        lines.append(f"{20 + row},{sex},{smoker},P{row:04}")
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def opened(window: MainWindow, qtbot: QtBot, path: Path) -> ImportPage:
    open_file(window.app, path)
    page = window.app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    return page


def press(page: ImportPage, qtbot: QtBot, name: str) -> None:
    button = page.findChild(QPushButton, name)
    assert button is not None
    assert button.isEnabled(), button.toolTip()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def drag_cut(page: ImportPage, qtbot: QtBot, start: float, end: float) -> None:
    histogram = page.view.cuts.histogram
    y = histogram.height() // 2
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(histogram, left, pos=QPoint(histogram.x_of(start), y))
    qtbot.mouseMove(histogram, QPoint(histogram.x_of((start + end) / 2), y))
    qtbot.mouseMove(histogram, QPoint(histogram.x_of(end), y))
    qtbot.mouseRelease(histogram, left, pos=QPoint(histogram.x_of(end), y))


def test_a_csv_with_marks_and_blanks_is_imported_with_the_cut_that_was_dragged(
    window: MainWindow, qtbot: QtBot, patients: Path
) -> None:
    page = opened(window, qtbot, patients)
    assert page.view.steps.summary.text() == "comma · UTF-8 · header in row 1 · detected"
    assert page.view.foot.finish.text() == "Import 120 rows"
    assert page.view.file.preview.text_at(3, "sex") == "?"
    qtbot.mouseClick(page.view.foot.forward, Qt.MouseButton.LeftButton)
    note = page.view.columns.note
    assert note.isVisible()
    # Row 3 misses both, so 5 missing cells are in 4 rows.
    assert "5 cells missing" in note.text
    assert "sex and smoker" in note.text
    assert "116 of 120 rows are complete" in note.text
    missing = {c.name: c.missing for c in page.reading.report.columns}  # type: ignore[union-attr]
    assert missing == {"age": 0, "sex": 3, "smoker": 2, "id": 0}

    qtbot.mouseClick(page.view.foot.forward, Qt.MouseButton.LeftButton)
    page.view.columns.list.select_key("age")
    page.view.cuts.bins.setValue(4)
    histogram = page.view.cuts.histogram
    assert len(histogram.points) == 3
    before = histogram.counts
    assert before is not None
    np.testing.assert_array_equal(before, [30, 30, 30, 30])
    qtbot.waitExposed(histogram)
    drag_cut(page, qtbot, histogram.points[1], 100)
    assert histogram.points[1] == 100
    np.testing.assert_array_equal(histogram.counts, [30, 50, 10, 30])
    assert page.view.cuts.methods.current == "cuts"
    assert page.view.preview.text_at(79, "age") == f"99 → {labels_of(histogram.points)[1]}"

    press(page, qtbot, "importFinish")
    app = window.app
    qtbot.waitUntil(lambda: "d1" in app.project.data, timeout=20_000)
    entry = app.project.data["d1"]
    assert entry.cuts["age"].points[1] == 100
    assert np.bincount(entry.data.column("age")).tolist() == [30, 50, 10, 30]
    assert dict(zip(entry.data.domain.names, entry.data.missing_counts, strict=True)) == {
        "age": 0,
        "sex": 3,
        "smoker": 2,
    }
    assert entry.name == "patients"
    assert isinstance(app.center.current, DataPage)
    assert app.center.page(page.key) is None

    assert app.document.undo_stack.undoText() == "Import patients.csv"
    app.document.undo_stack.undo()
    assert not app.project.data
    assert not any(isinstance(page, DataPage) for page in app.center.pages)
    app.document.undo_stack.redo()
    assert app.project.data["d1"] is entry


def test_cutting_begins_with_a_column_of_numbers_wherever_it_stands(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "last.csv"
    rows = "".join(f"{'yes' if row % 3 else 'no'},{row / 7:.3f}\n" for row in range(90))
    path.write_text("smoker,weight\n" + rows, encoding="utf-8")
    page = opened(window, qtbot, path)
    page.go_to(CUTS)
    assert page.view.columns.list.current_row.name == "weight"
    assert len(page.view.cuts.histogram.points) > 0


def test_undo_on_the_page_puts_a_dragged_cut_back(
    window: MainWindow, qtbot: QtBot, patients: Path
) -> None:
    page = opened(window, qtbot, patients)
    page.go_to(CUTS)
    before = page.view.cuts.histogram.points
    drag_cut(page, qtbot, before[0], 30)
    assert page.view.cuts.histogram.points[0] == 30
    assert page.view.cuts.undo.toolTip() == "Undo move bin edge of age to 30"
    qtbot.keyClick(page.view.cuts.histogram, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.view.cuts.histogram.points == before
    assert not page.view.cuts.undo.isEnabled()


def test_cuts_are_moved_added_and_removed_by_keys_and_double_click(
    window: MainWindow, qtbot: QtBot, patients: Path
) -> None:
    page = opened(window, qtbot, patients)
    page.go_to(CUTS)
    histogram = page.view.cuts.histogram
    page.view.cuts.bins.setValue(2)
    (point,) = histogram.points
    histogram.setFocus()
    qtbot.keyClick(histogram, Qt.Key.Key_Right)
    (moved,) = histogram.points
    assert 0 < moved - point <= histogram.step
    position = QPoint(histogram.x_of(120), histogram.height() // 2)
    qtbot.mouseDClick(histogram, Qt.MouseButton.LeftButton, pos=position)
    assert len(histogram.points) == 2
    assert histogram.points[1] == pytest.approx(120, abs=histogram.step)
    qtbot.keyClick(histogram, Qt.Key.Key_Delete)
    assert histogram.points == (moved,)


@pytest.mark.parametrize("method", ["width", "frequency", "quantile", "kmeans", "nice", "mdl"])
def test_every_method_puts_its_cuts_on_the_histogram(
    window: MainWindow, qtbot: QtBot, patients: Path, method: str
) -> None:
    page = opened(window, qtbot, patients)
    page.go_to(CUTS)
    cuts = page.view.cuts
    qtbot.mouseClick(cuts.methods.button(method), Qt.MouseButton.LeftButton)
    assert page.draft.cutting["age"].method == method
    assert cuts.target.isVisible() == (method == "mdl")
    assert list(cuts.points) == sorted(set(cuts.points))
    assert cuts.histogram.counts is not None
    assert cuts.histogram.counts.sum() == ROWS
    # Sex alternates with age, so no cut tells anything about it.
    assert (len(cuts.points) == 0) == (method == "mdl")


def test_a_column_of_counts_becomes_the_weights_of_the_rows(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("colour,n\nred,3\nblue,5\ngreen,2\n", encoding="utf-8")
    page = opened(window, qtbot, path)
    page.go_to(COLUMNS)
    page.view.columns.list.select_key("n")
    use = page.view.detail.use
    use.setCurrentIndex(use.findText("Row weights"))
    use.activated.emit(use.currentIndex())
    press(page, qtbot, "importFinish")
    qtbot.waitUntil(lambda: "d1" in window.app.project.data, timeout=20_000)
    data = window.app.project.data["d1"].data
    assert data.domain.names == ("colour",)
    assert data.total_weight == 10


def test_an_identifier_is_left_out_unless_it_is_ticked(
    window: MainWindow, qtbot: QtBot, patients: Path
) -> None:
    page = opened(window, qtbot, patients)
    page.go_to(COLUMNS)
    report = page.reading.report  # type: ignore[union-attr]
    identifier = next(column for column in report.columns if column.name == "id")
    assert page.draft.treatment(identifier) is Treatment.LEAVE_OUT
    page.view.columns.list.select_key("id")
    qtbot.keyClick(page.view.columns.list, Qt.Key.Key_Space)
    assert page.draft.treatment(identifier) is Treatment.STATES
    page.undo()
    assert page.draft.treatment(identifier) is Treatment.LEAVE_OUT


def test_a_random_split_is_made_with_the_import(
    window: MainWindow, qtbot: QtBot, patients: Path
) -> None:
    page = opened(window, qtbot, patients)
    page.go_to(SPLIT)
    page.view.split.kinds["random"].click()
    page.view.split.train.setValue(50)
    page.view.split.valid.setValue(25)
    assert page.draft.split == SplitPlan("random", 50, 25, 25, 1)
    press(page, qtbot, "importFinish")
    qtbot.waitUntil(lambda: "d1" in window.app.project.data, timeout=20_000)
    split = window.app.project.data["d1"].split
    assert split is not None
    assert [rows.size for rows in split.indices] == [60, 30, 30]


def test_other_missing_markers_are_read_at_once(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "marked.csv"
    path.write_text("a,b\nx,-999\ny,1\nx,2\n", encoding="utf-8")
    page = opened(window, qtbot, path)
    first = page.reading
    markers = page.findChild(QLineEdit, "markers")
    assert markers is not None
    markers.setText("(empty) -999")
    qtbot.keyClick(markers, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.reading is not first, timeout=20_000)
    assert [column.missing for column in page.reading.report.columns] == [0, 1]  # type: ignore[union-attr]


def test_a_file_that_is_no_table_is_reported_in_one_sentence_and_nothing_is_lost(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "broken.xlsx"
    path.write_bytes(b"this is no workbook")
    open_file(window.app, path)
    page = window.app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: bool(page.view.problem.text), timeout=20_000)
    assert page.view.problem.text.startswith("broken.xlsx: ")
    assert page.view.problem.isVisible()
    assert not page.view.foot.finish.isEnabled()
    assert page.view.foot.finish.toolTip().startswith("Not now: ")
    assert window.app.document.is_saved
    press(page, qtbot, "importCancel")
    assert window.app.center.page(page.key) is None


def test_a_workbook_that_would_end_the_program_is_a_message_in_the_window(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "corner.xlsx"
    path.write_bytes(workbook("<c r='XFD1048576'>"))
    open_file(window.app, path)
    page = window.app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: bool(page.view.problem.text), timeout=20_000)
    assert "needs more than 4 GB of memory to read" in page.view.problem.text


def test_a_pasted_table_goes_through_the_same_page(window: MainWindow, qtbot: QtBot) -> None:
    QApplication.clipboard().setText("colour\tsize\nred\tsmall\nblue\tlarge\nred\tlarge\n")
    window.app.actions.refresh("data.paste")
    window.app.actions["data.paste"].trigger()
    page = window.app.center.current
    assert isinstance(page, ImportPage)
    assert page.title == "Import Pasted table"
    qtbot.waitUntil(lambda: page.reading is not None, timeout=20_000)
    press(page, qtbot, "importFinish")
    qtbot.waitUntil(lambda: "d1" in window.app.project.data, timeout=20_000)
    entry = window.app.project.data["d1"]
    assert entry.name == "Pasted table"
    assert entry.data.domain["colour"].states == ("blue", "red")


def test_discretising_again_keeps_the_data_set_and_can_be_undone(
    window: MainWindow, qtbot: QtBot, patients: Path
) -> None:
    page = opened(window, qtbot, patients)
    press(page, qtbot, "importFinish")
    app = window.app
    qtbot.waitUntil(lambda: "d1" in app.project.data, timeout=20_000)
    first = app.project.data["d1"]
    app.actions.refresh("data.discretise")
    app.actions["data.discretise"].trigger()
    again = app.center.current
    assert isinstance(again, ImportPage)
    qtbot.waitUntil(lambda: again.reading is not None, timeout=20_000)
    again.view.cuts.bins.setValue(2)
    press(again, qtbot, "importFinish")
    qtbot.waitUntil(lambda: app.project.data["d1"] is not first, timeout=20_000)
    assert list(app.project.data) == ["d1"]
    assert app.project.data["d1"].data.domain["age"].cardinality == 2
    app.document.undo_stack.undo()
    assert app.project.data["d1"].data is first.data


def test_a_stopped_import_leaves_nothing_behind(
    window: MainWindow, qtbot: QtBot, patients: Path
) -> None:
    page = opened(window, qtbot, patients)
    assert page.reading is not None
    switch = StopSwitch()
    steps = import_rows(page.reading, page.draft, "patients", switch)
    assert isinstance(next(steps), Progress)
    switch.cancel()
    with pytest.raises(Cancelled):
        next(steps)
    press(page, qtbot, "importFinish")
    press(page, qtbot, "importCancel")
    qtbot.waitUntil(lambda: page.view.foot.finish.isEnabled(), timeout=20_000)
    assert not window.app.project.data
    assert window.app.center.current is page


def test_three_files_of_a_benchmark_become_one_split_data_set(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for part, rows in (("ts", 30), ("valid", 10), ("test", 12)):
        lines = [f"{row % 2},{row % 3 // 2},{row % 5 // 4}" for row in range(rows)]
        (tmp_path / f"coins.{part}.data").write_text("\n".join(lines), encoding="utf-8")
    page = opened(window, qtbot, tmp_path / "coins.valid.data")
    assert page.view.foot.finish.text() == "Import 3 files"
    press(page, qtbot, "importFinish")
    qtbot.waitUntil(lambda: "d1" in window.app.project.data, timeout=20_000)
    entry = window.app.project.data["d1"]
    assert entry.name == "coins"
    assert entry.split is not None
    assert [rows.size for rows in entry.split.indices] == [30, 10, 12]


def test_choices_come_back_from_their_plain_form() -> None:
    draft = Draft(
        treatments={"id": Treatment.LEAVE_OUT},
        cutting={"age": Discretisation("cuts", 3, (30.0, 60.0))},
        split=SplitPlan("random", 70, 10, 20, 5, "sex"),
    )
    assert restored_draft(plain_draft(draft)) == draft
    assert restored_draft({"reading": 7}) == Draft()


@pytest.mark.parametrize("size", [(1280, 800), (1024, 700)])
@pytest.mark.parametrize("step", range(4))
def test_every_step_keeps_its_buttons_inside_the_window(
    window: MainWindow, qtbot: QtBot, patients: Path, step: int, size: tuple[int, int]
) -> None:
    window.resize(*size)
    page = opened(window, qtbot, patients)
    page.go_to(step)
    QApplication.processEvents()
    assert window.width() <= size[0]
    foot = page.view.foot
    corner = foot.mapTo(window, foot.rect().bottomRight())
    assert corner.x() <= window.width()
    assert corner.y() <= window.height()


@pytest.mark.parametrize("width", [1280, 900, 620])
def test_the_facts_of_a_file_are_never_cut(qtbot: QtBot, width: int) -> None:
    theme().set_look(scale=1.5)
    try:
        bar = StepBar()
        qtbot.addWidget(bar)
        bar.show_summary("comma · UTF-8 · header in row 1 · detected")
        bar.resize(width, bar.sizeHint().height())
        bar.show()
        qtbot.waitUntil(lambda: bar.summary.isVisible())
        words = bar.summary.fontMetrics().horizontalAdvance(bar.summary.text())
        qtbot.waitUntil(lambda: bar.summary.width() >= words)
    finally:
        theme().set_look(scale=1.0)


def test_the_status_bar_reports_of_the_file_and_follows_the_ticks(
    window: MainWindow, qtbot: QtBot, patients: Path
) -> None:
    page = opened(window, qtbot, patients)
    words = window.statusBar().findChild(QPushButton, "statusData").text
    assert page.reading is not None
    report = page.reading.report
    assert words().startswith(f"{patients.name} · {report.row_count} rows × ")
    before = words()
    page.view.columns.ticked.emit("smoker", False)
    assert "5 cells missing" in before
    assert "3 cells missing" in words()


def test_return_goes_on_skips_steps_and_several_columns_are_cut_at_once(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "shop.csv"
    words = ["*", "blue", "green"]
    lines = [f"{n * 7 % 41}.5,{n * 5 % 37}.5,{words[n % 3]}" for n in range(60)]
    path.write_text("\n".join(["width,height,colour", *lines]) + "\n", encoding="utf-8")
    page = opened(window, qtbot, path)
    foot = page.view.foot
    assert "<b>*</b> (20) in colour" in page.view.file.doubtful.text
    page.view.file.doubtful.link_activated.emit("missing")
    qtbot.waitUntil(lambda: page.reading is not None and "*" in page.reading.markers_seen)
    assert not page.view.file.doubtful.text

    page.setFocus()
    back = foot.back.mapTo(page, QPoint()).x()
    qtbot.keyClick(page, Qt.Key.Key_Return)
    qtbot.keyClick(page, Qt.Key.Key_Return)
    assert page._step == CUTS
    page.view.columns.list.select_key("colour")
    page.view.columns.list.selectAll()
    assert page.view.cuts.title.text() == "width"  # the last clicked column has no bins
    more = page.view.cuts.bins.value() + 1
    page.view.cuts.bins.setValue(more)
    assert [page.draft.cutting[name].bins for name in ("width", "height")] == [more, more]
    assert "2 selected columns" in page.view.cuts.several.text()
    qtbot.keyClick(page, Qt.Key.Key_Return)
    assert page._step == SPLIT
    assert foot.back.mapTo(page, QPoint()).x() == back
    assert foot.finish.shortcut().toString() == "Ctrl+Return"
    window.app.notify("3 rows imported.")
    toast = window.toast.mapToGlobal(window.toast.rect().bottomLeft())
    assert toast.y() < foot.cancel.mapToGlobal(QPoint()).y()

    for name in ("width", "height"):
        page._on_ticked(name, False)
    page.go_to(COLUMNS)
    qtbot.keyClick(page, Qt.Key.Key_Return)
    assert page._step == SPLIT
    qtbot.keyClick(page, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: isinstance(window.app.center.current, DataPage), timeout=20_000)


def test_long_names_have_room_and_bins_begin_where_there_are_some(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "survey.csv"
    names = [f"answer_to_the_question_of_the_year_{year}" for year in (2019, 2020)]
    lines = [f"yes,{'n/a' if n % 9 == 0 else n * 7 % 41}" for n in range(60)]
    path.write_text("\n".join([",".join(names), *lines]) + "\n", encoding="utf-8")
    window.resize(1280, 800)
    page = opened(window, qtbot, path)
    page.view.file.doubtful.link_activated.emit("missing")
    qtbot.waitUntil(lambda: page.reading is not None and "n/a" in page.reading.markers_seen)
    page.go_to(COLUMNS)
    page.view.columns.list.select_key(names[0])
    page.go_to(CUTS)
    assert page.view.cuts.title.text() == names[1]  # the selected column has no numbers
    listed = page.view.columns.list
    shown = {row.name: listed.itemDelegate().short_texts[1][row.name] for row in listed.rows}
    assert shown == dict(zip(names, names, strict=True))
    # Neither histograms nor ranges are given up, and none of the ranges is cut.
    assert not listed.isColumnHidden(BARS)
    text_width = listed.fontMetrics().horizontalAdvance
    widest = max(text_width(row.facts) for row in listed.rows)
    assert listed.columnWidth(FACTS) > widest


def test_sets_of_states_are_offered_read_and_kept_in_the_plan(
    window: MainWindow, qtbot: QtBot, sample_data: Path
) -> None:
    page = opened(window, qtbot, sample_data / "weather_imprecise.csv")
    file = page.view.file
    # Noticed, and read as sets without being asked.
    qtbot.waitUntil(lambda: file.imprecise.isChecked() and "read as sets" in file.sets.text)

    def first_state() -> str:
        assert page.reading is not None
        return page.reading.report.columns[0].states[0][0]

    qtbot.waitUntil(lambda: first_state() == "cloudy")
    assert not file.as_state.isEnabled()
    chips = file.preview.model()
    cell = next(
        chips.index(row, 0) for row in range(9) if chips.index(row, 0).data().startswith("{")
    )
    assert cell.data(MARKS).chip.text == "{sunny,cloudy}"
    file.sets.link_activated.emit("no")
    qtbot.waitUntil(lambda: "may be sets" in file.sets.text)
    page.undo()
    qtbot.waitUntil(lambda: "read as sets" in file.sets.text and page.view.foot.finish.isEnabled())
    press(page, qtbot, "importFinish")
    qtbot.waitUntil(lambda: bool(window.app.project.data))
    (entry,) = window.app.project.data.values()
    assert isinstance(entry.data, ImpreciseData)
    assert len(entry.data.sets) > 0
    assert restored_draft(entry.provenance["choices"]).reading.imprecise


def test_market_baskets_are_imported_and_exported(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    baskets = tmp_path / "shop.basket"
    baskets.write_text("bread,milk\nred wine,cheese\n\nmilk\n", encoding="utf-8")
    page = opened(window, qtbot, baskets)
    assert page.view.steps.summary.text() == "Market baskets · 4 rows"
    assert page.view.file.preview.text_at(1, "red wine") == "yes"
    press(page, qtbot, "importFinish")
    qtbot.waitUntil(lambda: "d1" in window.app.project.data, timeout=20_000)
    data = window.app.project.data["d1"].data
    assert data.domain.names == ("bread", "cheese", "milk", "red wine")
    offered: list[str] = []

    def choose(_parent: object, _title: str, _name: str, filters: str, *_: object) -> object:
        offered.append(filters)
        return str(tmp_path / "again.basket"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    trigger(window, "data.export")
    assert "*.basket" in offered[0]
    assert read_data(tmp_path / "again.basket").codes.tolist() == data.codes.tolist()
