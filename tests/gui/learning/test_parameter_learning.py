"""Learning the tables of the model in view, and one-click remedies for missing cells."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.learning.base import refuse_empty
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.navigation import open_data_page, open_learn_page
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler, sprinkler, sprinkler_rows

LONG_MS = 60_000


def holed_rows() -> DataSet:
    data = sprinkler_rows(300)
    codes = data.codes.copy()
    codes[np.random.default_rng(1).random(codes.shape) < 0.3] = data.missing_code
    return DataSet(data.domain, codes)


@pytest.fixture
def garden(window: MainWindow) -> MainWindow:
    """A model in view whose data have holes."""
    add_sprinkler(window.app)
    edit = partial(edits.replace_data, data_id="d1", data=holed_rows())
    window.app.change("Holes", edit)
    return window


def learn_page(window: MainWindow) -> LearnPage:
    page = window.app.center.current
    assert isinstance(page, LearnPage)
    return page


def field(page: LearnPage, kind: type[Any], name: str) -> Any:
    (result,) = [w for w in page.findChildren(kind, name) if w.isVisible()]
    return result


def test_the_model_in_view_is_fitted_to_its_data_with_a_curve(
    qtbot: QtBot, garden: MainWindow
) -> None:
    app = garden.app
    app.actions["model.learn-parameters"].trigger()
    page = learn_page(garden)
    assert page.learner.key == "bn.em"
    assert field(page, QComboBox, "param.start").currentText() == "Sprinkler (m1)"
    assert "(EM)" in page.findChild(Note, "missingNote").text
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        page.findChild(QPushButton, "learnStart").click()
    (run,) = app.workspace.runs.runs
    assert run.trace.scores  # how many of them are drawn depends on how quick the run is
    assert run.trace.scores == sorted(run.trace.scores)
    fitted: Any = app.project.models[run.model_id or ""].model
    assert fitted.edges == sprinkler().edges
    assert not np.allclose(fitted.table("rain"), sprinkler().table("rain"))


def test_only_the_selection_is_learned(qtbot: QtBot, garden: MainWindow) -> None:
    app = garden.app
    assert not app.actions["model.learn-selected"].isEnabled()
    app.workspace.select(["rain"])
    app.actions.refresh("model.learn-selected")
    app.actions["model.learn-selected"].trigger()
    page = learn_page(garden)
    assert field(page, QLineEdit, "param.nodes").text() == "rain"
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        page.findChild(QPushButton, "learnStart").click()
    fitted: Any = list(app.project.models.values())[-1].model
    assert np.array_equal(fitted.table("wet"), sprinkler().table("wet"))
    assert not np.allclose(fitted.table("rain"), sprinkler().table("rain"))


def test_the_class_is_chosen_from_the_columns_and_is_the_target_until_then(
    garden: MainWindow,
) -> None:
    workspace = garden.app.workspace
    workspace.set_target("wet")
    page = open_learn_page(garden.app, "bn.naive-bayes")
    class_field = field(page, QComboBox, "param.class_")
    choices = [class_field.itemText(index) for index in range(class_field.count())]
    assert choices == ["the last column", *garden.app.project.data["d1"].data.domain.names]
    assert class_field.currentText() == "wet"
    workspace.set_target("rain")
    assert class_field.currentText() == "rain"
    class_field.setCurrentText("sprinkler")
    workspace.set_target("wet")
    assert class_field.currentText() == "sprinkler"
    assert page.about_run().params.class_ == "sprinkler"  # type: ignore[union-attr]


def test_what_is_done_with_missing_cells_is_reported_with_its_cost(garden: MainWindow) -> None:
    page = open_learn_page(garden.app, "bn.hill-climb")
    note = page.findChild(Note, "missingNote")
    assert "fitted by EM" in note.text
    assert "takes" in note.text
    field(page, QComboBox, "param.missing").setCurrentText("available")
    assert "different rows" in note.text
    assert "fitted by EM" not in note.text


@pytest.mark.parametrize(
    ("name", "rows"), [("fillMode", 300), ("missingState", 300), ("dropIncomplete", None)]
)
def test_a_refusal_because_of_missing_cells_has_a_one_click_remedy(
    garden: MainWindow, monkeypatch: pytest.MonkeyPatch, name: str, rows: int | None
) -> None:
    page = open_learn_page(garden.app, "bn.tan")
    remedies = page.findChild(QWidget, "remedyRow")
    assert not remedies.isVisible()

    def refuses(self: object, data: DataSet) -> str | None:
        return "Not now: cells are missing." if data.has_missing else refuse_empty(data)

    monkeypatch.setattr(type(page.learner), "refuses", refuses)
    open_learn_page(garden.app, "bn.hill-climb")
    open_learn_page(garden.app, "bn.tan")
    assert remedies.isVisible()
    assert not page.findChild(QPushButton, "learnStart").isEnabled()
    page.findChild(QPushButton, f"remedy.{name}").click()
    data = garden.app.project.data["d1"].data
    assert not data.has_missing
    assert data.row_count == (rows or data.complete_rows().row_count)
    assert page.findChild(QPushButton, "learnStart").isEnabled()
    assert not remedies.isVisible()
    garden.app.document.undo_stack.undo()
    assert garden.app.project.data["d1"].data.has_missing


def test_missing_cells_are_filled_as_the_model_predicts(qtbot: QtBot, garden: MainWindow) -> None:
    app = garden.app
    before = app.project.data["d1"].data
    open_data_page(app, "d1")
    page = app.center.page("data:d1")
    assert isinstance(page, DataPage)
    page.show_tab("missing")
    page.findChild(QPushButton, "fillByModel").click()
    qtbot.waitUntil(lambda: not app.project.data["d1"].data.has_missing, timeout=LONG_MS)
    filled = app.project.data["d1"].data
    seen = before.codes != before.missing_code
    assert np.array_equal(filled.codes[seen], before.codes[seen])
    # Where neither rain nor the sprinkler is on, the grass is dry for certain.
    dry = (filled.column("rain") == 0) & (filled.column("sprinkler") == 0)
    assert (filled.column("wet")[dry] == 0).all()


def test_without_a_model_filling_as_it_predicts_states_what_is_lacking(window: MainWindow) -> None:
    app = window.app
    app.change("Import", partial(edits.add_data, entry=DataEntry("garden", holed_rows())))
    open_data_page(app, "d1")
    page = app.center.page("data:d1")
    assert isinstance(page, DataPage)
    page.show_tab("missing")
    messages: list[str] = []
    app.workspace.message.connect(lambda _level, message: messages.append(message))
    page.findChild(QPushButton, "fillByModel").click()
    assert messages == ["Open or learn a Bayesian network of these columns first."]
