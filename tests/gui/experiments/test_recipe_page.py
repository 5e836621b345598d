"""The page of experiments: choose, run, stop, take away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.plans.expansion import PINNED_VERSION
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.params import parse_params
from pgmstudio.gui.experiments import study_view
from pgmstudio.gui.experiments.page import EXPERIMENTS, RecipePage
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.studies.published_index import PUBLICATIONS, publication_of
from pgmstudio.studies.registry import recipe_of
from pgmstudio.studies.sl_study import StudyParams

WAIT_MS = 60_000


@pytest.fixture
def page(window: MainWindow) -> RecipePage:
    window.app.actions["evaluate.recipes"].trigger()
    result = window.app.center.page("recipes")
    assert isinstance(result, RecipePage)
    return result


def press(qtbot: QtBot, page: RecipePage, name: str) -> None:
    result = page.findChild(QPushButton, name)
    assert result is not None
    qtbot.mouseClick(result, Qt.MouseButton.LeftButton)


def cell(page: RecipePage, row: int, column: int) -> str:
    facts = page.view.table.model()
    return str(facts.data(facts.index(row, column), Qt.ItemDataRole.DisplayRole)).strip()


def set_field(page: RecipePage, name: str, text: str) -> None:
    field = next(f for f in page.findChildren(QLineEdit, f"param.{name}") if f.isVisibleTo(page))
    field.setText(text)


def test_an_experiment_runs_and_its_model_and_rows_can_be_opened(
    qtbot: QtBot, page: RecipePage, window: MainWindow, tmp_path: Path
) -> None:
    page.choose("bars")
    assert cell(page, 3, 0) == "Test bits"
    assert cell(page, 3, 1) == "9.82 ± 0.95"
    assert cell(page, 3, 2) == ""
    assert not page.export_button.isEnabled()
    press(qtbot, page, "recipeMore")
    set_field(page, "trials", "0")
    press(qtbot, page, "recipeRun")
    assert page.run is None  # the field says what is wrong
    set_field(page, "trials", "2")
    set_field(page, "rows", "80")
    press(qtbot, page, "recipeRun")
    assert page.stop_button.isEnabled()
    assert not page.run_button.isEnabled()
    qtbot.waitUntil(lambda: page.run is not None and page.run.state.is_end, timeout=WAIT_MS)
    assert page.run is not None
    assert page.run.state is JobState.FINISHED
    assert cell(page, 3, 4) == "2"
    assert "±" in cell(page, 3, 2)
    assert "Finished" in page.view.progress_label.text()
    page.export(tmp_path / "bars.csv")
    assert (tmp_path / "bars.csv").read_text().startswith("quantity,published")
    press(qtbot, page, "recipeOpenModel")
    (entry,) = window.app.project.models.values()
    assert isinstance(entry.model, TreeMixture)
    assert entry.title == "Bars, trial 2"
    assert entry.provenance["made by"] == "recipe bars"
    press(qtbot, page, "recipeOpenData")
    (data,) = window.app.project.data.values()
    assert data.data.row_count == 80


def test_a_small_run_has_its_own_settings_and_experiments_stand_under_their_source(
    qtbot: QtBot, page: RecipePage
) -> None:
    rows = [page.list.item(row).text() for row in range(page.list.count())]
    for publication in PUBLICATIONS.values():
        keys = [key for key in EXPERIMENTS if publication_of(key) is publication]
        if keys:
            first = rows.index(publication.title) + 1
            assert rows[first : first + len(keys)] == [EXPERIMENTS[key].title for key in keys]
    page.list.fit(1280)
    assert page.list.viewport().width() >= page.list.sizeHintForColumn(0)  # titles are whole
    page.list.fit(600)
    assert page.list.width() == theme().px("left")
    page.choose("bars")
    press(qtbot, page, "recipeRunSmall")
    run = page.run
    assert run is not None
    qtbot.waitUntil(lambda: run.state is JobState.FINISHED, timeout=WAIT_MS)
    assert run.params == parse_params(type(run.params), recipe_of("bars").small)
    assert page.view.params() == type(run.params)()  # the form keeps the author's settings


def test_stopping_keeps_the_rows_so_far(qtbot: QtBot, page: RecipePage) -> None:
    page.choose("bars")
    press(qtbot, page, "recipeMore")
    set_field(page, "trials", "1000")
    press(qtbot, page, "recipeRun")
    qtbot.waitUntil(lambda: page.run is not None and len(page.run.measured) > 2, timeout=WAIT_MS)
    page.choose("alarm")  # looking elsewhere does not disturb it
    assert not page.run_button.isEnabled()
    assert "Bars is running" in page.run_button.toolTip() or page.view.note.text
    page.choose("bars")
    press(qtbot, page, "recipeStop")
    qtbot.waitUntil(lambda: page.run is not None and page.run.state.is_end, timeout=WAIT_MS)
    assert page.run is not None
    assert page.run.state is JobState.CANCELLED
    assert int(cell(page, 3, 4)) >= 2
    assert page.export_button.isEnabled()
    assert "Stopped" in page.view.progress_label.text()
    press(qtbot, page, "recipeRun")  # continues after those that are finished
    qtbot.waitUntil(lambda: page.run is not None and bool(page.run.notes), timeout=WAIT_MS)
    assert page.run.notes[0].startswith("Continues after ")
    assert page.run.measured
    press(qtbot, page, "recipeStop")
    qtbot.waitUntil(lambda: page.run is not None and page.run.state.is_end, timeout=WAIT_MS)
    page.view.where.cluster.setText("here")
    assert "is no address" in page.view.note.text
    assert not page.run_button.isEnabled()
    page.view.where.cluster.clear()
    assert page.run_button.isEnabled()


def test_absent_data_are_reported_and_a_folder_can_be_given(
    qtbot: QtBot, page: RecipePage, window: MainWindow, tmp_path: Path
) -> None:
    page.use_folder(tmp_path)
    page.choose("splice")
    assert "needs seeds/splice.csv" in page.view.note.text
    assert not page.run_button.isEnabled()
    assert "Not now" in page.run_button.toolTip()
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds/splice.csv").write_text("site_1,junction\nA,EI\n")
    page.use_folder(tmp_path)
    assert page.view.note.text == ""
    assert page.run_button.isEnabled()
    assert window.app.preferences.recipe_folder == str(tmp_path)


def test_a_recipe_along_a_setting_shows_its_curves(qtbot: QtBot, page: RecipePage) -> None:
    page.choose("bars")
    assert not page.view.views.isVisibleTo(page)
    page.choose("bars-sweep")
    assert page.view.views.current == "curves"
    press(qtbot, page, "recipeMore")
    for name, text in (("trials", "1"), ("trees", "2"), ("smoothings", "1, 10"), ("side", "3")):
        set_field(page, name, text)
    press(qtbot, page, "recipeRun")
    run = page.run
    assert run is not None
    qtbot.waitUntil(lambda: run.state is JobState.FINISHED, timeout=WAIT_MS)
    assert list(page.view.plot.curves) == ["2 trees"]
    assert len(page.view.plot.curves["2 trees"][0]) == 2
    assert "One repeat" in page.view.plot.hint


def test_a_study_of_several_languages_runs_into_a_folder_and_goes_on(
    qtbot: QtBot, page: RecipePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"queries": "0", "graphs": "2", "most_classes": "2", "rows": "200", "test_rows": "100"}
    few |= {"run_limit": "no limit", "curve_limit": "no limit"}  # a busy machine exceeds them
    monkeypatch.setattr(study_view, "SMALL", study_view.SMALL | few)
    monkeypatch.setenv(PINNED_VERSION, "1")  # points are also kept when files of the code change
    page.choose("made")
    view = page.study_view
    assert view.isVisibleTo(page)
    assert not view.run_button.isEnabled()
    assert "Choose a folder" in view.run_button.toolTip()
    view.use_folder(tmp_path)
    view.form.set_params(replace(StudyParams(), only="logic2"))
    view.where.processes.setValue(1)
    press(qtbot, page, "studyRunSmall")
    run = view.run
    assert run is not None
    qtbot.waitUntil(lambda: run.state is JobState.FINISHED, timeout=WAIT_MS)
    titles = [view.tables.itemText(index) for index in range(view.tables.count())]
    assert "The best model on the test rows" in titles
    view.tables.setCurrentIndex(titles.index("The best model on the test rows"))
    assert view.table.rows[0][0] == "Logic2"
    points = sorted(tmp_path.rglob("*"))
    press(qtbot, page, "studyRunSmall")  # everything is there already
    again = view.run
    assert again is not None
    qtbot.waitUntil(lambda: again.state is JobState.FINISHED, timeout=WAIT_MS)
    assert sorted(tmp_path.rglob("*")) == points
    view.where.cluster.setText("here")
    assert "is no address" in view.note.text
    assert not view.run_button.isEnabled()
    view.where.cluster.clear()
    assert view.run_button.isEnabled()
    view.use_folder(tmp_path / "another")  # has no points
    assert not view.table.rows
    assert view.tables.count() == 0
    assert not view.tables.isVisibleTo(page)
    page.choose("bars")
    assert not view.isVisibleTo(page)
