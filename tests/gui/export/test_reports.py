"""Reports and reproducing from the window."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtWidgets import QCheckBox, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.plans.runner import SerialExecutor
from pgmstudio.core.io.curve_setup import CurveSetup, RowChoice
from pgmstudio.core.io.experiments import SavedPlanTask
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import CurveEntry, Project
from pgmstudio.core.reports.html import joined, table, tag
from pgmstudio.core.reports.reproduction import Reproduced
from pgmstudio.gui.curves.page import open_curves
from pgmstudio.gui.export import report_actions
from pgmstudio.gui.export.report_actions import summary_text
from pgmstudio.gui.export.report_dialog import ReportDialog
from pgmstudio.gui.export.report_pdf import document_of
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.reports.test_reports import checked, learned_project
from tests.gui.curve_pages import add_rows
from tests.strategies import random_network


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Pages that would have been shown in the browser."""
    shown: list[Path] = []
    monkeypatch.setattr(report_actions, "show_page", shown.append)
    return shown


def press_write(window: MainWindow) -> ReportDialog:
    dialog = window.findChild(ReportDialog)
    assert isinstance(dialog, ReportDialog)
    write = dialog.findChild(QPushButton, "reportWrite")
    assert isinstance(write, QPushButton)
    write.click()
    return dialog


def test_the_dialog_offers_what_the_project_has(window: MainWindow, qtbot: QtBot) -> None:
    dialog = ReportDialog(learned_project(), "Rain", None, None, window)
    qtbot.addWidget(dialog)
    curves = dialog.findChild(QCheckBox, "report.curves")
    models = dialog.findChild(QCheckBox, "report.models")
    assert isinstance(curves, QCheckBox)
    assert isinstance(models, QCheckBox)
    assert not curves.isEnabled()
    assert curves.toolTip() == "Not now: the project has no SL-curves."
    models.click()
    assert "models" not in dialog.options.sections
    assert dialog.options.title == "Rain"
    assert dialog.options.target is None  # no target in the window


def test_the_project_is_written_as_a_page_and_shown(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: list[Path],
) -> None:
    app, target = window.app, tmp_path / "page"
    assert not app.actions["file.report"].isEnabled()
    show_project(app, learned_project(), None)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    app.actions.refresh("file.report")
    with qtbot.waitSignal(app.toast, timeout=60_000) as emitted:
        app.actions["file.report"].trigger()
        press_write(window)
    assert emitted.args is not None
    assert emitted.args[0] == "Wrote page.html."
    assert opened == [tmp_path / "page.html"]
    checked(opened[0].read_text(encoding="utf-8"))


def test_a_report_may_say_what_came_out_when_everything_was_run_again(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: list[Path],
) -> None:
    app, target = window.app, tmp_path / "again.html"
    app.actions.refresh("file.report-again")
    assert not app.actions["file.report-again"].isEnabled()
    show_project(app, learned_project(), None)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    app.actions.refresh("file.report-again")
    app.actions["file.report-again"].trigger()
    press_write(window)
    assert len(app.workspace.background_runs.running) == 1
    qtbot.waitUntil(lambda: opened == [target], timeout=60_000)
    assert not app.workspace.background_runs.running
    assert "The same model, bit for bit." in target.read_text(encoding="utf-8")


def test_curves_of_the_project_are_run_again_with_its_rows(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: list[Path],
) -> None:
    app, target = window.app, tmp_path / "curves.html"
    plan = Plan((LearnerGrid("tree.chow-liu"),), lambdas=(0.5,))
    data_id = add_rows(app)
    setup = CurveSetup(plan, RowChoice(data_id))
    for _ in SavedPlanTask(
        tmp_path / "points", plan, setup.plan_rows(app.project), SerialExecutor()
    )(NEVER):
        pass
    entry = CurveEntry("Curves", (), data_id, setup.plain(), str(tmp_path / "points"))
    app.change("Curves", partial(edits.add_curve, entry=entry))
    open_curves(app, "c1")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    app.actions["file.report-experiment-again"].trigger()
    qtbot.waitUntil(lambda: opened == [target], timeout=60_000)
    assert "all numbers but the times are equal" in target.read_text(encoding="utf-8")


def test_a_folder_that_is_no_experiment_is_reported(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: list[Path],
) -> None:
    app, target = window.app, tmp_path / "page.html"
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    with qtbot.waitSignal(app.errors.noted, timeout=60_000):
        app.actions["file.report-experiment"].trigger()
    assert not target.exists()
    assert opened == []


def test_all_runs_are_done_again_and_compared(window: MainWindow, qtbot: QtBot) -> None:
    app = window.app
    assert not app.actions["learn.reproduce-all"].isEnabled()
    project = learned_project()
    other = random_network(np.random.default_rng(9), 4)
    models = {**project.models, "m2": replace(project.models["m1"], model=other, run_id="r2")}
    runs = {**project.runs, "r2": replace(project.runs["r1"], title="Odd", model_id="m2")}
    show_project(app, replace(project, models=models, runs=runs), None)
    app.actions.refresh("learn.reproduce-all")
    messages: list[str] = []
    app.toast.connect(lambda message, _undo: messages.append(message))
    app.actions["learn.reproduce-all"].trigger()
    qtbot.waitUntil(lambda: len(messages) == 2, timeout=60_000)
    assert messages[1] == ("1 run gave the same model, bit for bit. Not reproduced: Odd.")


def test_what_could_not_be_compared_is_counted() -> None:
    assert summary_text([Reproduced("A", None, "why")]) == (
        "0 runs gave the same model, bit for bit. 1 run could not be compared; see the log."
    )


def test_an_empty_project_has_no_report(window: MainWindow) -> None:
    show_project(window.app, Project(), None)
    window.app.actions.refresh("file.report")
    assert "the project is empty" in window.app.actions["file.report"].toolTip()


@pytest.mark.parametrize("fillers", range(30, 42))
def test_headings_of_a_pdf_stand_on_the_page_of_what_follows(qtbot: QtBot, fillers: int) -> None:
    words = [tag("p", "filler")] * fillers
    content = [*words, tag("h2", "Heading"), table(("a", "b"), [("first", "1")] * 60, "<>", "All")]
    size = QSizeF(600, 900)
    document, _drawings = document_of(joined(content), "light", size)
    layout = document.documentLayout()

    def page_of(text: str) -> int:
        block = document.find(text).block()
        top = layout.blockBoundingRect(block).top() + block.layout().lineAt(0).y()
        return int(top // size.height())

    assert page_of("Heading") == page_of("All") == page_of("first")
    assert document.find("filler").block().isValid()
