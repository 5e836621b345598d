"""Pages about what a search saw on the way: restarts, tests, steps; and going on from a graph."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QSlider, QToolButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.diagram import EdgeStyle
from pgmstudio.core.graphs.pdag import cpdag_of
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import KesParams
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.number_format import THIN
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.model_page.context_menu import canvas_menu
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.artifact_source import artifact_in
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.widgets.basic import Segments
from pgmstudio.gui.widgets.param_form import ParamSlider
from pgmstudio.gui.window.main_window import MainWindow
from tests.contracts.test_learners import rows
from tests.core.learning.lecture_data import CORONARY, K2_DEMO
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import trigger

LONG_MS = 60_000
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def restarts(window: MainWindow) -> RunResultPage:
    settings = {"greediness": (1.0, 0.4, 0.0), "restarts": 5}
    model_id = add_ended_run(window.app, CORONARY, "bn.kes", **settings)
    open_model_page(window.app, model_id)
    trigger(window, "learn.restarts")
    page = window.app.center.current
    assert isinstance(page, RunResultPage)
    return page


def optima_of(window: MainWindow) -> KesOptima:
    result = artifact_in(window.app.project.runs["r1"], "optima")
    assert isinstance(result, KesOptima)
    return result


def test_one_line_of_sorted_scores_for_each_greediness(
    window: MainWindow, restarts: RunResultPage
) -> None:
    optima, curves = optima_of(window), restarts.view.curves
    assert set(curves) == {"k = 1", "k = 0.4", "k = 0"}
    assert curves["k = 0.4"][1] == list(optima.sorted_scores(0.4))
    assert curves["k = 0"][1] == sorted(curves["k = 0"][1])
    assert curves["k = 1"][1] == [optima.sorted_scores(1.0)[0]] * 2
    assert restarts.facts.text().startswith("11 runs · ")


def test_the_time_of_each_greediness_is_a_view_of_its_own(
    qtbot: QtBot, window: MainWindow, restarts: RunResultPage
) -> None:
    qtbot.mouseClick(restarts.findChild(QToolButton, "restartsView.times"), LEFT)
    curves = restarts.view.curves
    assert len(curves["one run"][0]) == 11
    assert curves["mean"][0] == [0.0, 0.4, 1.0]


def test_every_local_optimum_can_be_opened_as_a_model(
    qtbot: QtBot, window: MainWindow, restarts: RunResultPage
) -> None:
    optima = optima_of(window)
    assert restarts.table.model().rowCount() == len(optima.optima)
    assert len(optima.optima) > 1
    last = len(optima.optima) - 1
    restarts.table.select(last)
    qtbot.mouseClick(restarts.findChild(QPushButton, "restartsOpen"), LEFT)
    qtbot.waitUntil(lambda: len(window.app.project.models) == 2, timeout=LONG_MS)
    model = window.app.project.models["m2"].model
    assert isinstance(model, BayesianNetwork)
    assert cpdag_of(model.dag) == optima.optima[last].cpdag
    window.app.document.undo_stack.undo()
    assert len(window.app.project.models) == 1


def test_shared_edges_have_their_share_as_width_and_number(
    qtbot: QtBot, window: MainWindow, restarts: RunResultPage
) -> None:
    qtbot.mouseClick(restarts.findChild(QToolButton, "restartsView.edges"), LEFT)
    canvas = restarts.canvas
    qtbot.waitUntil(lambda: bool(canvas.scene.nodes), timeout=LONG_MS)
    result = optima_of(window).edge_frequencies()
    drawn = {frozenset(ends) for ends in canvas.scene.edges}
    assert drawn == {frozenset((e.source, e.target)) for e in result.edges if e.joined >= 0.1}
    assert "Edge width: fraction of optima" in {entry.text for entry in canvas.legend_entries()}
    restarts.findChild(QSlider, "restartsLeast").setValue(100)
    always = {frozenset((e.source, e.target)) for e in result.edges if e.joined == 1}
    qtbot.waitUntil(
        lambda: {frozenset(ends) for ends in canvas.scene.edges} == always, timeout=LONG_MS
    )


def test_restarts_are_written_as_rows_or_whole(tmp_path: Path, restarts: RunResultPage) -> None:
    restarts.export(tmp_path / "runs.csv")
    restarts.export(tmp_path / "runs.json")
    with (tmp_path / "runs.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 11
    assert len(json.loads((tmp_path / "runs.json").read_text())["optima"]["runs"]) == 11


def test_the_page_of_a_running_search_follows_it(qtbot: QtBot, window: MainWindow) -> None:
    data = rows(1, 200, (2, 3, 2, 2, 3))
    add_ended_run(window.app, data, "bn.k2")  # brings the data
    params = KesParams(greediness=(0.2,), restarts=3000, smoothing=1.0, processes=1)
    run = run_recorder(window.app).start(RunRequest("Long", "bn.kes", params, 1, "d1"))
    qtbot.waitUntil(lambda: "optima" in run.artifacts, timeout=LONG_MS)
    window.app.workspace.runs.look_at(run)
    trigger(window, "learn.restarts")
    page = window.app.center.current
    assert isinstance(page, RunResultPage)
    first = page.facts.text()
    qtbot.waitUntil(lambda: page.facts.text() != first, timeout=LONG_MS)
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=LONG_MS):
        run.stop()
    # What was found until the stop is part of the record.
    kept = next(r.artifacts for r in window.app.project.runs.values() if r.title == "Long")
    assert len(kept["optima"]["runs"]) >= 1


def test_what_a_run_kept_is_saved_with_the_project(
    window: MainWindow, restarts: RunResultPage, tmp_path: Path
) -> None:
    before = optima_of(window)
    write_project(tmp_path / "kept.pgmz", window.app.project)
    project = read_project(tmp_path / "kept.pgmz")
    show_project(window.app, project, tmp_path / "kept.pgmz")
    assert optima_of(window) == before
    trigger(window, "learn.restarts")
    assert isinstance(window.app.center.current, RunResultPage)


# -- tests


@pytest.fixture
def log(window: MainWindow) -> RunResultPage:
    model_id = add_ended_run(window.app, K2_DEMO, "bn.pc")
    open_model_page(window.app, model_id)
    window.app.workspace.select(["KA", "M"])
    trigger(window, "learn.tests")
    page = window.app.center.current
    assert isinstance(page, RunResultPage)
    return page


def column(page: RunResultPage, number: int) -> list[str]:
    facts = page.table.model()
    return [facts.index(index, number).data().strip() for index in range(facts.rowCount())]


def test_two_selected_nodes_ask_why_there_is_no_edge(log: RunResultPage) -> None:
    assert log.note.text.startswith("There is no edge: KA ⊥ M | L")
    assert set(column(log, 1)) | set(column(log, 2)) == {"KA", "M"}
    assert "α = 0.05" in log.facts.text()


def test_the_log_is_filtered_sorted_and_written(
    qtbot: QtBot, log: RunResultPage, tmp_path: Path
) -> None:
    log.choose(one=None, other=None)
    made = log.table.model().rowCount()
    qtbot.mouseClick(log.findChild(QToolButton, "testLogFound.independent"), LEFT)
    assert 0 < log.table.model().rowCount() < made
    assert set(column(log, 8)) == {"independent"}
    log.table.select(1)
    chosen = log.table.current_row
    qtbot.mouseClick(log.findChild(QToolButton, "testLogFound.all"), LEFT)
    assert log.table.current_row == chosen
    log.table.sortByColumn(6, Qt.SortOrder.DescendingOrder)
    values = [float(p.replace("−", "-")) for p in column(log, 6)]
    assert values == sorted(values, reverse=True)
    log.export(tmp_path / "tests.csv")
    with (tmp_path / "tests.csv").open(encoding="utf-8") as file:
        events = list(csv.DictReader(file))
    assert len(events) == made
    assert {row["independent"] for row in events} == {"yes", "no"}


def test_another_alpha_says_how_many_tests_would_find_otherwise(
    qtbot: QtBot, window: MainWindow, log: RunResultPage
) -> None:
    assert log.foot.text == "With α = 0.05, 0 of these would find otherwise."
    slider = log.findChild(QSlider, "testLogAlpha")
    slider.setValue(slider.maximum())
    qtbot.waitUntil(lambda: "α = 0.5," in log.foot.text)
    qtbot.mouseClick(log.findChild(QPushButton, "testLogAgain"), LEFT)
    sheet = window.app.center.current
    assert isinstance(sheet, LearnPage)
    params = sheet._forms.params()
    assert params is not None
    assert params.alpha == 0.5


def test_the_run_sheet_has_a_slider_for_alpha(qtbot: QtBot, window: MainWindow) -> None:
    sheet = open_learn_page(window.app, "bn.pc")
    slider = next(w for w in sheet.findChildren(ParamSlider, "slider.alpha") if w.isVisible())
    field = next(w for w in sheet.findChildren(QLineEdit, "param.alpha") if w.isVisible())
    assert slider.value_at(slider.value()) == pytest.approx(0.05, rel=0.03)
    field.setText("0.001")
    assert slider.value_at(slider.value()) == pytest.approx(0.001, rel=0.03)
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert 0.9 < float(field.text()) < 1
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    assert 0 < float(field.text()) < 0.0002


# -- steps of K2


@pytest.fixture
def trace(qtbot: QtBot, window: MainWindow) -> RunResultPage:
    model_id = add_ended_run(window.app, K2_DEMO, "bn.k2", order="L, KA, M, KV", measure="k2")
    open_model_page(window.app, model_id)
    trigger(window, "learn.trace")
    page = window.app.center.current
    assert isinstance(page, RunResultPage)
    qtbot.waitUntil(lambda: bool(page.canvas.scene.nodes), timeout=LONG_MS)
    return page


def test_the_demo_of_the_lecture_is_shown_step_by_step(qtbot: QtBot, trace: RunResultPage) -> None:
    # §7.6: KV is worked first; of L, KA and M the best joins. All ln K2 are in the log.
    shown = [
        (column, " ".join(parents), round(nats, 6), result)
        for _, column, parents, _, nats, _, result in trace.table.rows
    ]
    assert shown == [
        ("KV", "", -689.639615, "start"),
        ("KV", "L", -486.542040, "tried"),
        ("KV", "KA", -525.771752, "tried"),
        ("KV", "M", -644.033833, "tried"),
        ("KV", "L", -486.542040, "L joins"),
        ("KV", "L KA", -428.000182, "tried"),
        ("KV", "L M", -491.081736, "tried"),
        ("KV", "L KA", -428.000182, "KA joins"),
        ("KV", "L KA M", -435.468569, "tried"),
        ("KV", "L KA", -428.000182, "no further parent"),
        ("M", "", -676.260900, "start"),
        ("M", "L", -550.642759, "tried"),
        ("M", "KA", -648.524391, "tried"),
        ("M", "L", -550.642759, "L joins"),
        ("M", "L KA", -555.011520, "tried"),
        ("M", "L", -550.642759, "no further parent"),
        ("KA", "", -696.376016, "start"),
        ("KA", "L", -572.735031, "tried"),
        ("KA", "L", -572.735031, "L joins"),
        ("L", "", -676.260900, "no candidates"),
    ]
    assert trace.caption.text().startswith("Step 1 of 20. KV with no parents")
    edges = trace.canvas.scene.edges
    assert not edges
    slider = trace.findChild(QSlider, "traceSlider")
    back, forth = (trace.findChild(QToolButton, f"traceSlider{way}") for way in ("Back", "Forth"))
    qtbot.mouseClick(forth, LEFT)
    assert {e: edges[e].edge.style for e in edges} == {("L", "KV"): EdgeStyle.TRIAL}
    assert trace.table.current == 1
    trace.table.select(4)  # a click on a row goes to its step
    assert slider.value() == 4
    assert {e: edges[e].edge.style for e in edges} == {("L", "KV"): EdgeStyle.ADDED}
    qtbot.mouseClick(back, LEFT)
    assert slider.value() == 3
    marks = trace.findChild(Segments, "traceSliderMarks")
    qtbot.mouseClick(marks.button("10"), LEFT)  # M
    assert slider.value() == 10
    assert set(edges) == {("L", "KV"), ("KA", "KV")}
    slider.setValue(slider.maximum())
    assert not forth.isEnabled()
    assert marks.current == "20"
    assert trace.table.current is None
    assert f"−2{THIN}227.638872 nats" in trace.facts.text()
    assert set(edges) == {("L", "KV"), ("KA", "KV"), ("L", "M"), ("L", "KA")}


def test_the_phases_of_pc_are_shown_step_by_step(qtbot: QtBot, window: MainWindow) -> None:
    model_id = add_ended_run(window.app, CORONARY, "bn.pc")
    open_model_page(window.app, model_id)
    trigger(window, "learn.pc-steps")
    page = window.app.center.current
    assert isinstance(page, RunResultPage)
    qtbot.waitUntil(lambda: bool(page.canvas.scene.nodes), timeout=LONG_MS)
    edges = page.canvas.scene.edges
    assert len(edges) == 15
    marks = page.findChild(Segments, "pcStepsSliderMarks")
    texts = [made.text() for made in marks.findChildren(QToolButton)]
    assert texts == ["Level 0", "1", "2", "v-structures", "Result"]
    rows = [row[1:3] + row[-1:] for row in page.table.rows]
    first = rows.index(("Level 0", "A ⊥ F?", "removed, S = ∅"))
    page.choose(slider=first)
    assert edges["A", "F"].edge.style is EdgeStyle.MISSING_LINE
    assert page.caption.text().endswith("p = 0.301: removed, S(A, F) = ∅.")
    qtbot.mouseClick(marks.findChildren(QToolButton)[3], LEFT)
    assert {edge.edge.style for edge in edges.values()} == {
        EdgeStyle.UNDIRECTED,
        EdgeStyle.ADDED,
    }
    qtbot.mouseClick(marks.findChildren(QToolButton)[4], LEFT)
    assert set(edges) >= {("C", "A"), ("D", "A"), ("E", "A"), ("B", "E"), ("D", "E")}
    assert any(row[-1].startswith("left out: ") for row in rows)  # conflicts on A – E


def test_the_steps_are_written(tmp_path: Path, trace: RunResultPage) -> None:
    trace.export(tmp_path / "steps.csv")
    with (tmp_path / "steps.csv").open(encoding="utf-8") as file:
        events = list(csv.DictReader(file))
    assert [row["tried"] for row in events if row["step"] == "1"] == ["L", "KA", "M"]
    assert {row["joins"] for row in events} == {"yes", "no"}


# -- going on from a graph


def test_a_pinned_edge_is_there_after_learning_again_from_the_edited_graph(
    qtbot: QtBot, window: MainWindow
) -> None:
    data = rows(1, 200, (2, 3, 2, 2, 3))
    model_id = add_ended_run(window.app, data, "bn.kes", greediness=(1.0,))
    open_model_page(window.app, model_id)
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.scene().nodes))
    model = window.app.project.models[model_id].model
    assert isinstance(model, BayesianNetwork)
    pinned, gone = model.edges[0], model.edges[-1]
    item = page.scene().edges[pinned]
    menu = canvas_menu(page, Hit(item.boundingRect().center(), edge=item), page)
    (pin,) = [action for action in menu.actions() if action.objectName() == "menu.pin"]
    pin.trigger()
    menu.deleteLater()
    assert window.app.project.knowledge.required == {pinned}
    page.editing.delete((), [gone])
    trigger(window, "learn.continue")
    sheet = window.app.center.current
    assert isinstance(sheet, LearnPage)
    start = next(w for w in sheet.findChildren(QComboBox, "param.start") if w.isVisible())
    assert start.currentText().endswith(f"({model_id})")
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=LONG_MS):
        sheet.findChild(QPushButton, "learnStart").click()
    again = window.app.project.models["m2"].model
    assert isinstance(again, BayesianNetwork)
    assert pinned in again.edges
    assert window.app.project.runs["r2"].params["start"] == {"model": model_id}


def test_a_markov_network_is_the_start_of_another_search(window: MainWindow) -> None:
    model_id = add_ended_run(window.app, rows(1, 200, (2, 3, 2, 2)), "mn.mpl")
    open_model_page(window.app, model_id)
    trigger(window, "learn.continue")
    sheet = window.app.center.current
    assert isinstance(sheet, LearnPage)
    (start,) = [w for w in sheet.findChildren(QComboBox, "param.start") if w.isVisible()]
    assert start.currentText().endswith(f"({model_id})")
    assert start.count() == 2  # none, and this one
    assert sheet.learner.key == "mn.mpl"


def test_actions_without_a_run_say_what_to_do_first(window: MainWindow) -> None:
    window.app.actions.refresh()
    for action in ("restarts", "tests", "trace", "continue", "open-questions"):
        made = window.app.actions[f"learn.{action}"]
        assert not made.isEnabled()
        assert made.toolTip().startswith("Not now: ")
