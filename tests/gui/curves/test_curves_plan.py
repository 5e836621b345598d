"""From the sheet of a plan to points: refusals before the start, stop, resume, extend."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QTreeWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.io import curve_setup as curve_setup
from pgmstudio.core.io.curve_setup import RowChoice
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.project import edits
from pgmstudio.gui.curves.learner_grid import parsed_numbers, parsed_values
from pgmstudio.gui.curves.page import CurvesPage, open_curves
from pgmstudio.gui.curves.plan_page import CurvesPlanPage
from pgmstudio.gui.curves.sweep_run import progress_text
from pgmstudio.gui.data.generate_page import GeneratePage
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.curve_pages import SlowPlace, add_rows, is_drawn
from tests.gui.questions import Answer, answer

TREE = "tree.chow-liu"
LONG = 60_000  # ms: the first run of a process loads compiled code


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> SlowPlace:
    """Where all runs are made, in place of processes."""
    made = SlowPlace()
    monkeypatch.setattr(curve_setup, "ProcessExecutor", lambda *_, **__: made)
    return made


def planned(window: MainWindow, lambdas: str = "0.2, 0.5, 0.9, 0.99") -> CurvesPlanPage:
    """The sheet with trees alone, over a few rows."""
    if not window.app.project.data:
        add_rows(window.app)
    window.app.actions.refresh()
    window.app.actions["evaluate.curves"].trigger()
    page = window.app.center.current
    assert isinstance(page, CurvesPlanPage)
    page.learners.tick([TREE])
    page.sheet.lambdas.setText(lambdas)
    return page


def started(window: MainWindow, page: CurvesPlanPage, qtbot: QtBot) -> CurvesPage:
    qtbot.waitUntil(page.start_button.isEnabled)
    qtbot.mouseClick(page.start_button, Qt.MouseButton.LeftButton)
    result = window.app.center.current
    assert isinstance(result, CurvesPage)
    assert result.run is not None
    return result


def ended(page: CurvesPage, qtbot: QtBot) -> None:
    """The sweep is through, all of it is drawn, and the project has the points."""
    qtbot.waitUntil(lambda: page.run is not None and not page.run.is_running, timeout=LONG)
    qtbot.waitUntil(lambda: is_drawn(page), timeout=LONG)
    qtbot.waitUntil(
        lambda: page.entry is not None and len(page.entry.points) == len(page.points), timeout=LONG
    )


def test_a_stopped_sweep_goes_on_in_a_project_that_was_opened_again(
    window: MainWindow, qtbot: QtBot, executor: SlowPlace, tmp_path: Path
) -> None:
    executor.most = 2
    page = started(window, planned(window), qtbot)
    qtbot.waitUntil(lambda: len(page.points) == 2, timeout=LONG)
    signal = window.findChild(QPushButton, "statusRuns")
    assert signal is not None
    assert signal.text() == "1 run · click to stop"
    qtbot.mouseClick(signal, Qt.MouseButton.LeftButton)
    ended(page, qtbot)
    assert signal.text() == "Ready"
    assert "Resume" in page.foot.status.text()
    folder = page.folder
    assert folder is not None
    with (folder / "points.jsonl").open("ab") as file:
        file.write(b'{"point": {"learner": "tr')  # as a program that is killed leaves it
    path = tmp_path / "race.pgmz"
    write_project(path, window.app.project)
    show_project(window.app, read_project(path), path)
    again = open_curves(window.app, "c1")
    qtbot.waitUntil(lambda: is_drawn(again), timeout=LONG)
    assert len(again.points) == 2
    executor.most = None
    first, executor.made = executor.made, []
    qtbot.waitUntil(again.foot.resume.isEnabled, timeout=LONG)
    qtbot.mouseClick(again.foot.resume, Qt.MouseButton.LeftButton)
    ended(again, qtbot)
    assert executor.made == first[2:]
    assert len(again.points) == 4
    lines = [json.loads(line) for line in (folder / "points.jsonl").read_text().splitlines()]
    keys = [line["point"]["key"] for line in lines if "point" in line]
    assert len(keys) == len(set(keys)) == 4


def test_rules_that_curves_do_not_use_are_named_before_they_start(window: MainWindow) -> None:
    add_rows(window.app)
    one, other = window.app.project.data["d1"].data.domain.names[:2]
    rule = partial(edits.forbid_edge, source=one, target=other)
    window.app.change("Rule", rule)
    page = planned(window)
    assert "1 rule about edges is not used in curves." in page.forecast.text


def test_an_extended_plan_makes_only_what_is_new(
    window: MainWindow, qtbot: QtBot, executor: SlowPlace
) -> None:
    page = started(window, planned(window, "0.2, 0.9"), qtbot)
    ended(page, qtbot)
    assert [point.lambda_ for point in page.points] == [0.2, 0.9]
    assert {point.series for point in page.points} == {"Chow–Liu"}
    assert page.foot.status.text().startswith("Finished")
    assert page.foot.resume.isHidden()
    assert page.folder is not None
    assert len(list((page.folder / "models").glob("*.json"))) == 2
    tree = window.findChild(QTreeWidget, "projectTree")
    assert isinstance(tree, QTreeWidget)
    assert tree.findItems("SL-curves of bits", Qt.MatchFlag.MatchRecursive)
    executor.made.clear()
    qtbot.mouseClick(page.foot.extend, Qt.MouseButton.LeftButton)
    sheet = window.app.center.current
    assert isinstance(sheet, CurvesPlanPage)
    assert sheet.learners.keys == [TREE]
    assert sheet.sheet.lambdas.text() == "0.2, 0.9"
    sheet.sheet.seeds.setText("0…2")
    ended(started(window, sheet, qtbot), qtbot)
    assert len(executor.made) == 4
    assert len(page.points) == 6
    assert list(window.app.project.curves) == ["c1"]
    assert all(len(curve.spread) == 2 for curve in page.chart.curves)  # means with bars


def test_a_sweep_that_runs_reports_what_waits_and_keeps_its_plan(
    window: MainWindow, qtbot: QtBot, executor: SlowPlace
) -> None:
    executor.most = 2
    sheet = planned(window, "0.2, 0.9")
    sheet.learners.tick([TREE, "nb.latent"])
    page = started(window, sheet, qtbot)
    qtbot.waitUntil(lambda: len(page.points) == 2, timeout=LONG)

    def states() -> list[str]:
        shown = page.foot.curves.model()
        return [shown.index(line, 1).data() for line in range(shown.rowCount())]

    qtbot.waitUntil(lambda: states() == ["finished", "waiting"], timeout=LONG)
    page.commands.extend()
    again = window.app.center.current
    assert isinstance(again, CurvesPlanPage)
    assert "Stop it first" in again.refusal.text
    assert not again.start_button.isEnabled()
    page.stop()
    qtbot.waitUntil(again.start_button.isEnabled, timeout=LONG)
    assert again.refusal.text == ""


def test_the_time_left_is_that_of_this_sweep_and_not_that_of_the_last_runs() -> None:
    def left(share: float, before: float = 0.0) -> str:
        return progress_text(JobState.RUNNING, "", 5, 10, 5, 60.0, share, before)

    assert "60 s left" in left(0.5)
    assert "75 s left" in left(0.5, before=0.1)
    assert "left" not in left(0.5, before=0.5)
    assert "left" not in left(0.95)


def test_what_is_wrong_is_reported_before_the_start(window: MainWindow, qtbot: QtBot) -> None:
    page = planned(window)
    page.learners.choose(TREE)
    for name, text, messages in (
        ("planLambdas", "0.5, 1.5", "λ must all lie between 0 and 1"),
        ("planLambdas", "half", "“half” is no number"),
        ("planSeeds", "-1", "“-1” must be 0 or more"),
        (f"grid.{TREE}.edge-penalty", "much", "Chow–Liu tree, Edge penalty β: "),
        (f"grid.{TREE}.time-limit", "0", "must be more than 0"),
    ):
        field = page.findChild(QLineEdit, name)
        assert isinstance(field, QLineEdit)
        field.setText(text)
        qtbot.waitUntil(lambda messages=messages: messages in page.refusal.text)  # type: ignore[misc]
        assert not page.start_button.isEnabled()
        assert field.property("state") == "error"
        field.setText("")
        qtbot.waitUntil(page.start_button.isEnabled)
        assert field.property("state") == ""
    page.sheet.executor.button("cluster").click()
    page.sheet.address.setText("10.0.0.1")
    qtbot.waitUntil(lambda: "tcp://HOST:8786" in page.refusal.text)
    assert not page.start_button.isEnabled()
    page.sheet.address.setText("tcp://127.0.0.1:1")
    qtbot.waitUntil(page.start_button.isEnabled)
    page.start_button.click()
    qtbot.waitUntil(lambda: "No scheduler answers at tcp://127.0.0.1:1" in page.refusal.text)
    assert window.app.project.curves == {}
    assert page.sheet.address.hasFocus()  # where it is to be mended


def test_commas_part_values_and_brackets_keep_them_together() -> None:
    from pgmstudio.core.languages.learners import learner_of
    from pgmstudio.core.params import specs_of

    specs = {spec.option: spec for spec in specs_of(learner_of("bn.kes").params_type)}
    assert parsed_values(specs["restarts"], "1, 2,5") == (1, 2, 5)
    assert parsed_values(specs["greediness"], "[0.3, 1], 0.5") == ([0.3, 1.0], 0.5)
    assert parsed_values(specs["score"], "bic, aic") == ("bic", "aic")
    with pytest.raises(ValueError, match="brackets"):
        parsed_values(specs["restarts"], "[1, 2]")
    assert parsed_numbers("0…2, 7", whole=True) == (0, 1, 2, 7)


def test_rows_of_a_split_and_of_other_data_sets_can_be_tested_on(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    first, second = add_rows(app, 90), add_rows(app, 40, "others")
    apart = RowChoice(first, "sets", test=second).rows(app.project)
    assert (apart.train.row_count, apart.test.row_count) == (90, 40)
    app.actions["data.generate"].trigger()
    page = app.center.current
    assert isinstance(page, GeneratePage)
    page.choose("logic1")
    page.rows.setValue(60)
    qtbot.mouseClick(page.draw, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(app.project.data) == 3)
    sheet = planned(window)
    sheet.sheet.rows.choose_data("d3")
    choice = sheet.sheet.rows.choice()
    assert choice is not None
    rows = choice.rows(app.project)
    assert (choice.how, rows.train.row_count, rows.test.row_count) == ("split", 40, 20)


def test_generated_rows_come_with_their_model_when_it_is_asked_for(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    app.actions["data.generate"].trigger()
    page = app.center.current
    assert isinstance(page, GeneratePage)
    page.choose("parity")
    assert page.adds_truth.isHidden()
    page.choose("random-bn")
    assert not page.adds_truth.isHidden()
    page.adds_truth.setChecked(True)
    page.rows.setValue(60)
    qtbot.mouseClick(page.draw, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(app.project.models) == 1)
    (rows,), (truth,) = app.project.data.values(), app.project.models.values()
    assert truth.model.domain == rows.data.domain
    sheet = planned(window)
    assert sheet.sheet.rows.reference.findText(truth.title) >= 0  # a plan may be measured by it
    app.document.undo_stack.undo()
    assert not app.project.models
    assert not app.project.data


def test_the_fields_of_a_generator_line_up_with_those_below_them(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.app.actions["data.generate"].trigger()
    page = window.app.center.current
    assert isinstance(page, GeneratePage)
    window.show()

    def lefts() -> set[int]:
        fields = [*page.form().findChildren(QLineEdit), page.rows, page.seed, page.name]
        shown = [field for field in fields if field.isVisible() and field.parent() is not page.rows]
        return {field.mapTo(page, QPoint()).x() for field in shown}

    for name in ("random-pdg", "random-bn", "parity"):
        page.choose(name)
        qtbot.waitUntil(lambda: len(lefts()) == 1)


def test_a_sweep_that_begins_is_kept_for_recovery_at_once(
    window: MainWindow, qtbot: QtBot, executor: SlowPlace
) -> None:
    executor.most = 0  # it waits for as long as nobody stops it
    with qtbot.waitSignal(window.autosave.saved, timeout=LONG):
        page = started(window, planned(window), qtbot)
    kept = read_project(window.autosave.file).curves
    assert list(kept) == [page.curve_id]
    assert kept[page.curve_id].setup


def test_closing_the_window_waits_for_what_a_sweep_hands_over(
    window: MainWindow, qtbot: QtBot, executor: SlowPlace
) -> None:
    executor.most = 2
    page = started(window, planned(window), qtbot)
    qtbot.waitUntil(lambda: len(page.points) == 2, timeout=LONG)
    run = page.run
    assert run is not None
    window.close()
    answer(Answer.Discard)
    assert not window.isVisible()
    assert run.wait(0)


@pytest.mark.parametrize("foreign", ["cluster", "folder"])
def test_resuming_where_a_project_file_says_asks_first_with_the_address(
    window: MainWindow,
    qtbot: QtBot,
    executor: SlowPlace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    foreign: str,
) -> None:
    """The project may be somebody else's."""
    executor.most = 2
    page = started(window, planned(window), qtbot)
    qtbot.waitUntil(lambda: len(page.points) == 2, timeout=LONG)
    page.stop()
    ended(page, qtbot)
    assert page.entry is not None
    if foreign == "cluster":
        where = "tcp://203.0.113.5:8786"
        theirs = replace(page.entry, setup={**page.entry.setup, "cluster": where})
    else:
        where = str(tmp_path / "elsewhere" / "points")
        theirs = replace(page.entry, folder=where)
    project = replace(window.app.project, curves={"c1": theirs})
    show_project(window.app, project, tmp_path / "theirs.pgmz")
    again = open_curves(window.app, "c1")
    qtbot.waitUntil(again.foot.resume.isEnabled, timeout=LONG)
    monkeypatch.setattr(
        "pgmstudio.core.experiments.plans.dask_executor.Cluster", lambda _: executor
    )
    executor.most, executor.made = None, []
    qtbot.mouseClick(again.foot.resume, Qt.MouseButton.LeftButton)
    assert where in answer(Answer.Cancel)
    assert again.run is None
    assert not executor.made
    assert not (tmp_path / "elsewhere").exists()
    qtbot.mouseClick(again.foot.resume, Qt.MouseButton.LeftButton)
    assert where in answer(Answer.Yes)
    ended(again, qtbot)
    assert executor.made
