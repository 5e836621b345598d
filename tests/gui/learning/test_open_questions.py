"""What tests leave open is drawn on the canvas and decided there."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.npc import NpcParams
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.project.edits import choices_of
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.languages.bayesian_network.learning.constraint_based.test_npc import copies
from tests.core.learning.lecture_data import K2_DEMO
from tests.gui.saved_runs import SEED, add_ended_run

LONG_MS = 60_000
EITHER = {frozenset("ab"), frozenset("ac")}


def page_of(qtbot: QtBot, window: MainWindow, data: DataSet, learner: str) -> ModelPage:
    model_id = add_ended_run(window.app, data, learner)
    open_model_page(window.app, model_id)
    return in_front(qtbot, window)


def in_front(qtbot: QtBot, window: MainWindow) -> ModelPage:
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.scene().nodes) and not page.questions.is_waiting)
    qtbot.waitUntil(lambda: all(page.scene().is_routed(e) for e in page.scene().edges.values()))
    page.questions.layer.follow()
    return page


def network(page: ModelPage, window: MainWindow) -> BayesianNetwork:
    model = window.app.project.models[page.model_id or ""].model
    assert isinstance(model, BayesianNetwork)
    return model


def skeleton(page: ModelPage, window: MainWindow) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in network(page, window).edges}


def click_at(qtbot: QtBot, page: ModelPage, position: QPointF | None) -> None:
    assert position is not None
    view = page.canvas.view
    point: QPoint = view.mapFromScene(position)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    qtbot.waitUntil(lambda: not page.questions.is_waiting, timeout=LONG_MS)


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    """b and c are nearly copies, so one of a – b and a – c is needed, and no test says which."""
    return page_of(qtbot, window, copies(), "bn.npc")


def left_out(page: ModelPage) -> tuple[str, str]:
    (link,) = [link for link in page.questions.layer.links if link.kind == "left out"]
    return link.edge


def test_an_ambiguous_region_is_drawn_asked_about_and_in_the_legend(page: ModelPage) -> None:
    assert page.questions.bar.isVisible()
    assert page.questions.bar.heading.startswith("Either a – b (p = ")
    links = {frozenset(link.edge): link.kind for link in page.questions.layer.links}
    assert {links[pair] for pair in EITHER} == {"kept", "left out"}
    words = {entry.text for entry in page.legend_entries()}
    assert {"uncertain edge, kept so far", "uncertain edge, left out so far"} <= words


def test_clicking_the_edge_to_keep_resolves_the_region_and_can_be_undone(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    before = network(page, window)
    edge = left_out(page)
    click_at(qtbot, page, page.questions.layer.middle_of(edge))
    after = skeleton(page, window)
    assert frozenset(edge) in after
    assert not (EITHER - {frozenset(edge)}) & after
    assert choices_of(window.app.project.models[page.model_id or ""]) == " - ".join(edge)
    assert not any(link.kind != "free" for link in page.questions.layer.links)
    assert window.app.document.undo_stack.undoText() == f"Keep {edge[0]} – {edge[1]}"
    window.app.document.undo_stack.undo()
    assert network(page, window) is before
    qtbot.waitUntil(lambda: not page.questions.is_waiting)
    assert left_out(page) == edge


def test_what_is_clicked_is_what_the_learner_gives_with_the_same_choice(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    edge = left_out(page)
    click_at(qtbot, page, page.questions.layer.middle_of(edge))
    params = NpcParams(
        smoothing=1.0, choose=choices_of(window.app.project.models[page.model_id or ""])
    )
    *_, last = LearnTask("bn.npc", copies(), params, SEED)(NEVER)
    assert isinstance(last, Finished)
    assert document_of(ModelFile(network(page, window))) == document_of(ModelFile(last.model))


def test_the_buttons_of_the_bar_answer_too_and_resolve_all_leaves_nothing_open(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    wanted = page.findChild(QPushButton, "ambiguous.answer1")
    assert wanted.toolTip() == "Keep a – c"
    qtbot.mouseClick(wanted, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.questions.is_waiting, timeout=LONG_MS)
    assert frozenset("ac") in skeleton(page, window)
    before = set(network(page, window).edges)
    qtbot.mouseClick(page.findChild(QPushButton, "ambiguous.all"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.questions.is_waiting, timeout=LONG_MS)
    assert set(network(page, window).edges) == before
    assert not page.questions.is_open
    assert not page.questions.bar.isVisible()


def test_a_free_edge_points_at_the_end_that_is_clicked_and_what_follows_is_directed(
    qtbot: QtBot, window: MainWindow
) -> None:
    # The lecture's demo: L–KA, L–KV, KA–KV and L–M without direction; M → L decides the first two.
    page = page_of(qtbot, window, K2_DEMO, "bn.pc")
    assert {frozenset(link.edge) for link in page.questions.layer.links} == {
        frozenset(pair) for pair in (("L", "KA"), ("L", "KV"), ("KA", "KV"), ("L", "M"))
    }
    click_at(qtbot, page, page.questions.layer.point_near(("L", "M"), "L"))
    assert {("M", "L"), ("L", "KA"), ("L", "KV")} <= set(network(page, window).edges)
    (link,) = page.questions.layer.links
    assert frozenset(link.edge) == frozenset(("KA", "KV"))
    assert "could point either way" in {entry.text for entry in page.legend_entries()}


def test_the_bar_goes_from_question_to_question_and_can_be_closed_and_asked_for_again(
    qtbot: QtBot, window: MainWindow
) -> None:
    page = page_of(qtbot, window, K2_DEMO, "bn.pc")
    first = page.questions.bar.heading
    qtbot.mouseClick(page.findChild(QToolButton, "ambiguous.forth"), Qt.MouseButton.LeftButton)
    assert page.questions.bar.heading != first
    qtbot.mouseClick(page.findChild(QToolButton, "ambiguous.back"), Qt.MouseButton.LeftButton)
    assert page.questions.bar.heading == first
    qtbot.mouseClick(page.findChild(QToolButton, "ambiguous.x"), Qt.MouseButton.LeftButton)
    assert not page.questions.bar.isVisible()
    assert page.questions.layer.links == ()
    window.app.actions.refresh()
    window.app.actions["learn.open-questions"].trigger()
    assert page.questions.bar.isVisible()


def test_an_edge_drawn_by_hand_takes_the_questions_away_until_it_is_undone(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    edge = network(page, window).edges[0]
    page.editing.delete((), [edge])
    qtbot.waitUntil(lambda: not page.questions.is_waiting)
    assert not page.questions.is_open
    window.app.document.undo_stack.undo()
    qtbot.waitUntil(lambda: not page.questions.is_waiting)
    assert page.questions.is_open


def test_marks_are_only_on_the_graph_itself(qtbot: QtBot, page: ModelPage) -> None:
    page.bar.picture_chosen.emit("cpdag")
    assert not page.questions.bar.isVisible()
    page.bar.picture_chosen.emit("dag")
    assert page.questions.bar.isVisible()


def test_a_run_of_the_queue_ends_with_its_questions_on_the_canvas(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_ended_run(window.app, copies(), "bn.k2")  # brings the data
    request = RunRequest("Paths", "bn.npc", NpcParams(smoothing=1.0), SEED, "d1")
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=LONG_MS):
        run = run_recorder(window.app).start(request)
    open_model_page(window.app, run.model_id or "")
    page = in_front(qtbot, window)
    source, target = left_out(page)
    before = model_edges(window, run.model_id or "")
    assert {source, target} not in before
    click_at(qtbot, page, page.questions.layer.middle_of((source, target)))
    assert {source, target} in model_edges(window, run.model_id or "")
    assert not any(link.kind == "left out" for link in page.questions.layer.links)


def model_edges(window: MainWindow, model_id: str) -> list[set[str]]:
    model: Any = window.app.project.models[model_id].model
    return [set(edge) for edge in model.edges]
