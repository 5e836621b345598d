"""From the run sheet to a model in the project, and back to the same model again."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import THESIS
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.params import parse_params
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry, Outcome
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.keyed_list import KEY
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.gui.samples import add_sprinkler, sprinkler_rows
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import trigger
from tests.strategies import random_mixture

LONG_MS = 60_000
HILL_CLIMB = "bn.hill-climb"
Widget = TypeVar("Widget", bound=QWidget)


@pytest.fixture
def page(window: MainWindow) -> LearnPage:
    add_sprinkler(window.app)
    return open_learn_page(window.app, "bn.hill-climb")


def shown(page: LearnPage, kind: type[Widget], name: str) -> Widget:
    """Every learner has a form of its own, and settings of the same name; one form is in sight."""
    (result,) = [w for w in page.findChildren(kind, name) if w.isVisible()]
    return result


def start_and_wait(qtbot: QtBot, window: MainWindow, page: LearnPage) -> None:
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=LONG_MS):
        page.findChild(QPushButton, "learnStart").click()


def test_a_run_ends_with_its_model_in_the_project(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    start_and_wait(qtbot, window, page)
    (run,) = window.app.project.runs.values()
    assert run.outcome is Outcome.FINISHED
    assert run.model_id in window.app.project.models
    assert window.app.project.models[run.model_id].title == "Hill climbing"
    window.app.document.undo_stack.undo()
    assert not window.app.project.runs
    table = window.findChild(QTableView, "runTable")
    assert table.model().index(0, 1).data() == "finished"


def test_reproduce_gives_the_same_model_bit_for_bit(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    start_and_wait(qtbot, window, page)
    messages: list[str] = []
    window.app.workspace.message.connect(lambda _level, message: messages.append(message))
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=LONG_MS):
        run_recorder(window.app).again("r1")
    models = [
        window.app.project.models[run.model_id or ""].model
        for run in window.app.project.runs.values()
    ]
    assert document_of(ModelFile(models[0])) == document_of(ModelFile(models[1]))
    assert any("bit for bit" in message for message in messages)


def test_the_inspector_says_what_a_run_will_cost_and_what_earlier_ones_did(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    inspector = panel_widget(window, "inspectorPanel")
    assert isinstance(inspector, InspectorPanel)
    qtbot.waitUntil(lambda: bool(inspector.plan.forecast.facts))
    facts = inspector.plan.forecast.facts
    rows = page.about_run().rows  # type: ignore[union-attr]
    assert facts["Rows × columns"] == f"{rows.row_count} × {len(rows.domain)}"
    assert facts["Time"] == "a few seconds"
    shown(page, QLineEdit, "param.restarts").setText("10000000")
    qtbot.waitUntil(lambda: "hours" in inspector.plan.forecast.facts["Time"])
    shown(page, QLineEdit, "param.restarts").setText("0")
    start_and_wait(qtbot, window, page)
    window.app.center.bring_to_front(page)
    qtbot.waitUntil(lambda: any("finished" in v for v in inspector.plan.before.facts.values()))


def test_a_wrong_setting_is_marked_and_keeps_start_greyed(page: LearnPage) -> None:
    field = shown(page, QLineEdit, "param.restarts")
    field.setText("many")
    assert shown(page, QLabel, "error.restarts").text() == "'many' is not a number"
    start = page.findChild(QPushButton, "learnStart")
    assert not start.isEnabled()
    assert start.toolTip().startswith("Not now:")
    field.setText("2")
    assert start.isEnabled()


def test_the_sentence_on_missing_cells_stands_before_start(page: LearnPage) -> None:
    note = page.findChild(Note, "missingNote")
    assert note.text == page.learner.on_missing(page._app.project.data["d1"].data)


def test_clashing_rules_are_named_before_the_start(window: MainWindow, page: LearnPage) -> None:
    app = window.app
    app.change("tiers", lambda p: edits.set_tiers(p, tiers=[["wet"], ["rain"]]))
    app.change("rule", lambda p: edits.require_edge(p, source="rain", target="wet"))
    shown(page, QComboBox, "param.knowledge").setCurrentText("of this project")
    refusal = page.findChild(Note, "refusalNote")
    assert "rain → wet is required, but" in refusal.text
    assert not page.findChild(QPushButton, "learnStart").isEnabled()


def test_what_a_learner_makes_of_the_rules_stands_before_start(
    window: MainWindow, page: LearnPage
) -> None:
    window.app.change("rule", lambda p: edits.forbid_edge(p, source="rain", target="wet"))
    note = page.findChild(Note, "rulesNote")
    for key, words in (
        ("tree.chow-liu-sparse", "1 rule about edges will be obeyed."),
        ("pdg.learn", "1 rule about edges cannot be imposed on this learner."),
    ):
        open_learn_page(window.app, key)
        shown(page, QComboBox, "param.knowledge").setCurrentText("of this project")
        assert note.text.startswith(words)


def test_required_edges_are_obeyed_and_checked(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    app = window.app
    app.change("rule", lambda p: edits.require_edge(p, source="wet", target="rain"))
    shown(page, QComboBox, "param.knowledge").setCurrentText("of this project")
    messages: list[str] = []
    app.workspace.message.connect(lambda _level, message: messages.append(message))
    start_and_wait(qtbot, window, page)
    model = list(app.project.models.values())[-1].model
    assert ("wet", "rain") in model.edges  # type: ignore[attr-defined]
    assert "All constraints hold." in messages


def test_stopping_keeps_the_best_model_found(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    shown(page, QLineEdit, "param.restarts").setText("1000000")
    runs = window.app.workspace.runs
    page.findChild(QPushButton, "learnStart").click()
    (run,) = runs.runs
    qtbot.waitUntil(lambda: run.best is not None, timeout=LONG_MS)
    with qtbot.waitSignal(runs.run_ended, timeout=5000):
        window.findChild(QPushButton, "runStop").click()
    assert run.state is JobState.CANCELLED
    (record,) = window.app.project.runs.values()
    assert record.outcome is Outcome.STOPPED
    assert window.app.project.models[record.model_id or ""].model is run.best


def test_more_runs_than_cores_wait_their_turn(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    runs = window.app.workspace.runs
    runs.workers = 1
    for _ in range(3):
        page.findChild(QPushButton, "learnStart").click()
    assert len(runs.running) == 1
    assert len(runs.waiting) == 2
    last = runs.runs[2]
    runs.move(last, 1)
    assert runs.waiting[0] is last
    runs.remove(runs.runs[2])
    qtbot.waitUntil(lambda: not runs.running and not runs.waiting, timeout=LONG_MS)
    assert len(window.app.project.runs) == 2


def test_a_finished_run_can_be_set_up_again(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    shown(page, QLineEdit, "param.restarts").setText("3")
    start_and_wait(qtbot, window, page)
    window.app.center.bring_to_front(page)
    shown(page, QLineEdit, "param.restarts").setText("9")
    page.fill(window.app.workspace.runs.runs[0].request)
    assert shown(page, QLineEdit, "param.restarts").text() == "3"


def test_settings_stay_when_a_model_is_added(window: MainWindow, page: LearnPage) -> None:
    shown(page, QLineEdit, "param.restarts").setText("4")
    add_sprinkler(window.app)
    assert shown(page, QLineEdit, "param.restarts").text() == "4"
    start = shown(page, QComboBox, "param.start")
    assert start.count() == 3


def test_em_is_offered_the_mixtures_and_smoothing_the_networks_of_the_project(
    window: MainWindow, page: LearnPage
) -> None:
    mixture = random_mixture(np.random.default_rng(0), 3, 2)
    add = partial(edits.add_model, entry=ModelEntry("Mixture", mixture))
    window.app.change("Add", add)
    open_learn_page(window.app, "mixture.trees")
    start = page.findChild(QComboBox, "param.start_model")
    towards = page.findChild(QComboBox, "param.toward_model")
    texts = {box: [box.itemText(i) for i in range(box.count())] for box in (start, towards)}
    assert len(texts[start]) == 2
    assert texts[start][1].startswith("Mixture")
    assert any(text.startswith("Sprinkler") for text in texts[towards])
    assert not any(text.startswith("Sprinkler") for text in texts[start])


def test_heads_of_runs_stand_above_their_cells(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    start_and_wait(qtbot, window, page)
    table = panel_widget(window, "runsPanel").findChild(QTableView, "runTable")
    assert table is not None
    role, across = Qt.ItemDataRole.TextAlignmentRole, Qt.Orientation.Horizontal
    for column in range(table.model().columnCount()):
        head = table.model().headerData(column, across, role)
        assert head == table.model().index(0, column).data(role)


def stale_model(window: MainWindow) -> str:
    """A learned model whose rows were changed since."""
    model_id = add_ended_run(window.app, sprinkler_rows(), HILL_CLIMB)
    fewer = partial(edits.replace_data, data_id="d1", data=sprinkler_rows(60))
    window.app.change("Filter", fewer)
    open_model_page(window.app, model_id)
    window.app.actions.refresh()
    return model_id


def test_a_model_whose_rows_changed_is_learned_again_not_reproduced(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    model_id = stale_model(window)
    assert app.project.is_stale(model_id)
    reproduce, again = app.actions["learn.reproduce"], app.actions["learn.again"]
    assert not reproduce.isEnabled()
    assert "its rows have changed since" in reproduce.toolTip()
    assert again.isEnabled()
    inspector = panel_widget(window, "inspectorPanel")
    assert isinstance(inspector, InspectorPanel)
    button = inspector.model.findChild(QPushButton, "inspectorLearnAgain")
    qtbot.waitUntil(button.isVisible)
    refused: list[str] = []
    app.errors.message.connect(refused.append)
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        button.click()
    assert refused == []
    first, second = app.project.runs.values()
    assert (second.learner, second.params, second.seed) == (first.learner, first.params, first.seed)
    assert second.data_fingerprint == app.project.data["d1"].data.fingerprint
    assert not app.project.is_stale(second.model_id or "")


def test_a_model_whose_rows_are_the_same_or_gone_is_not_learned_again(window: MainWindow) -> None:
    app = window.app
    model_id = add_ended_run(app, sprinkler_rows(), HILL_CLIMB)
    open_model_page(app, model_id)
    app.actions.refresh()
    assert app.actions["learn.reproduce"].isEnabled()
    assert "data have not changed" in app.actions["learn.again"].toolTip()
    app.change("Delete", partial(edits.remove_data, data_id="d1"))
    app.actions.refresh()
    for action in ("learn.reproduce", "learn.again"):
        assert not app.actions[action].isEnabled()
        assert "its data are no longer in the project" in app.actions[action].toolTip()


def test_what_a_run_kept_is_freed_with_the_page_that_shows_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    model_id = add_ended_run(app, sprinkler_rows(), "bn.kes", restarts=2)
    for _ in range(3):
        open_model_page(app, model_id)
        trigger(window, "learn.restarts")
    assert len(window.findChildren(ArtifactSource)) == 1
    page = app.center.current
    assert page is not None
    app.center.close_page(page)
    qtbot.waitUntil(lambda: not window.findChildren(ArtifactSource))


def test_a_run_that_fails_says_why(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    add_sprinkler(app)
    messages: list[str] = []
    app.errors.message.connect(messages.append)
    app.workspace.message.connect(lambda _level, message: messages.append(message))
    params = parse_params(learner_of("bn.tan").params_type, {"class_": "nobody"})
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        run_recorder(app).start(RunRequest("Augmented", "bn.tan", params, 0, "d1"))
    assert any("'nobody' is not a column" in message for message in messages)
    assert any(message.startswith("Augmented failed after") for message in messages)


def test_a_run_that_fails_before_it_has_learned_anything_leaves_no_model(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    add_sprinkler(app)
    before = set(app.project.models)
    params = parse_params(learner_of("possibilistic.exhaustive").params_type, {"max_variables": 2})
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        run_recorder(app).start(RunRequest("All", "possibilistic.exhaustive", params, 0, "d1"))
    assert next(iter(app.project.runs.values())).outcome is Outcome.FAILED
    assert set(app.project.models) == before


def test_a_model_that_is_waited_for_opens_by_itself_and_others_are_offered(
    qtbot: QtBot, window: MainWindow, page: LearnPage
) -> None:
    app = window.app
    start_and_wait(qtbot, window, page)
    assert app.center.current is not None
    assert app.center.current.model_id == app.project.runs["r1"].model_id
    app.center.bring_to_front(page)
    with qtbot.waitSignal(app.workspace.runs.run_ended, timeout=LONG_MS):
        page.findChild(QPushButton, "learnStart").click()
        qtbot.keyClick(window.windowHandle(), Qt.Key.Key_Shift)  # something else is being done
    assert app.center.current is page
    offered = window.toast.findChild(QPushButton, "toastAction")
    assert (offered.isVisible(), offered.text()) == (True, "Open")
    qtbot.mouseClick(offered, Qt.MouseButton.LeftButton)
    assert app.center.current.model_id == app.project.runs["r2"].model_id


def test_learners_are_found_by_beginnings_of_words_else_by_any_part(page: LearnPage) -> None:
    search = page.findChild(QLineEdit, "learnerListSearch")
    listed = page.findChild(QListWidget, "learnerList")
    assert isinstance(search, QLineEdit)
    assert isinstance(listed, QListWidget)

    def found(text: str) -> set[str]:
        search.setText(text)
        items = [listed.item(row) for row in range(listed.count()) if not listed.isRowHidden(row)]
        return {item.text() for item in items if item.data(KEY)}

    assert found("kes") == {"Equivalence search (KES)"}  # not those that “make” something
    assert found("climb hill") == {"Hill climbing"}
    assert "Hill climbing" in found("limbing")
    assert len(found("exact")) > 2
    search.returnPressed.emit()
    assert listed.currentItem().text() == "Best of all graphs (exact)"  # by its title


def test_a_preset_leaves_the_chosen_rules_also_where_a_field_is_invalid(
    window: MainWindow, page: LearnPage
) -> None:
    rule = partial(edits.forbid_edge, source="rain", target="wet")
    window.app.change("Rule", rule)
    page.choose(learner="bn.kes")
    knowledge = shown(page, QComboBox, "param.knowledge")
    assert knowledge.currentText() == "of this project"
    shown(page, QLineEdit, "param.restarts").setText("many")
    shown(page, ChoiceBox, "learnPreset").picked.emit("thesis")
    assert shown(page, QLineEdit, "param.restarts").text() == "100"
    assert knowledge.currentText() == "of this project"


def test_a_preset_fills_the_form_and_is_named_as_long_as_the_form_has_its_settings(
    page: LearnPage,
) -> None:
    page.choose(learner="bn.kes")
    presets = shown(page, ChoiceBox, "learnPreset")
    runs = shown(page, QLineEdit, "param.restarts")
    assert presets.currentText() == "defaults"
    presets.picked.emit("thesis")
    assert page._forms.params() == parse_params(learner_of("bn.kes").params_type, THESIS.settings)
    assert (presets.currentText(), runs.text()) == (THESIS.title, "100")
    runs.setText("7")
    assert presets.currentText() == "other settings"
    presets.picked.emit(presets.currentData())  # chosen again, they stay
    assert (presets.currentText(), runs.text()) == ("other settings", "7")
    presets.picked.emit("none")
    assert (presets.currentText(), runs.text()) == ("defaults", "10")
    page.choose(learner="bn.hill-climb")
    assert not presets.isVisible()
