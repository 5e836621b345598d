"""What learning Markov networks leaves to be looked at: blankets, a path of κ, probabilities."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.drawing.diagram import EdgeStyle
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.languages.markov_network.learning.blanket_record import BlanketRecord
from pgmstudio.core.languages.markov_network.learning.chordal import MarkovPosterior
from pgmstudio.core.languages.markov_network.learning.kappa_path import ContextPath
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.saved_runs import add_ended_run
from tests.gui.small_scenes import SAMPLES
from tests.gui.walking import trigger


@pytest.fixture(scope="module")
def rows() -> DataSet:
    return import_data(SAMPLES / "coronary.csv", ImportOptions()).data


def opened(window: MainWindow, action: str) -> RunResultPage:
    trigger(window, action)
    page = window.app.center.current
    assert isinstance(page, RunResultPage)
    return page


def drawn(page: RunResultPage) -> dict[frozenset[str], EdgeStyle]:
    edges = page.canvas.scene.edges
    return {frozenset(ends): item.edge.style for ends, item in edges.items()}


def test_blankets_are_a_dependency_network_with_arrows_where_one_end_was_found(
    qtbot: QtBot, window: MainWindow, rows: DataSet
) -> None:
    assert not window.app.actions["learn.blankets"].isEnabled()
    add_ended_run(window.app, rows, "mn.mpl")
    page = opened(window, "learn.blankets")
    record = page.artifact
    assert isinstance(record, BlanketRecord)
    qtbot.waitUntil(lambda: len(page.canvas.scene.nodes) == 6)
    members = {one.variable: set(one.members) for one in record.blankets}
    for ends, item in page.canvas.scene.edges.items():
        assert ends[0] in members[ends[1]]
        assert (ends[1] in members[ends[0]]) is not item.edge.style.has_arrow
    assert [row[0] for row in page.table.rows] == list(members)
    # The score of smoking given its blanket, in the natural logarithms of the specification.
    assert page.table.model().index(0, 3).data() == "−1\u202f266.79"


def test_graphs_of_the_blankets_are_drawn_over_all_edges_found_and_opened(
    qtbot: QtBot, window: MainWindow, rows: DataSet
) -> None:
    app = window.app
    add_ended_run(app, rows, "mn.mpl")
    page = opened(window, "learn.blankets")
    qtbot.waitUntil(lambda: bool(page.canvas.scene.nodes))
    page.choose(view="graphs", graph="and")
    graphs = {graph.title: set(map(frozenset, graph.edges)) for graph in page.artifact.graphs}
    styles = drawn(page)
    assert set(styles) == graphs["or"]
    assert {edge for edge, s in styles.items() if s is EdgeStyle.UNDIRECTED} == graphs["and"]
    before = len(app.project.models)
    page.open_model()
    qtbot.waitUntil(lambda: len(app.project.models) > before)
    model = app.project.models[app.workspace.model_id or ""].model
    assert isinstance(model, MarkovNetwork)
    assert set(map(frozenset, model.undirected_edges)) == graphs["and"]


def test_steps_of_the_climb_are_walked_and_played(
    qtbot: QtBot, window: MainWindow, rows: DataSet
) -> None:
    add_ended_run(window.app, rows, "mn.mpl")
    page = opened(window, "learn.blankets")
    qtbot.waitUntil(lambda: bool(page.canvas.scene.nodes))
    page.findChild(QToolButton, "blanketsView.steps").click()
    steps = page.artifact.steps
    solid: set[frozenset[str]] = set()
    for step in steps:
        styles = drawn(page)
        edge = frozenset((step.first, step.second))
        assert {e for e, s in styles.items() if s is EdgeStyle.UNDIRECTED} == solid
        assert styles[edge] is EdgeStyle.ADDED_LINE
        solid |= {edge}
        page.findChild(QToolButton, "blanketsSliderForth").click()
    assert {e for e, s in drawn(page).items() if s is EdgeStyle.UNDIRECTED} == solid
    assert page.caption.text() == f"The result after {len(steps)} steps."
    # Play begins again from the start and ends at the end.
    play = page.findChild(QToolButton, "blanketsSliderPlay")
    play.click()
    assert page.caption.text().startswith("Step 1")
    qtbot.waitUntil(lambda: not play.isChecked(), timeout=20_000)
    assert page.caption.text().startswith("The result")


def test_the_path_of_kappa_is_plotted_and_every_model_on_it_opens(
    window: MainWindow, rows: DataSet
) -> None:
    app = window.app
    add_ended_run(app, rows, "mn.contextual", kappas=(1.0, 0.001, 0.0))
    page = opened(window, "learn.markov-kappa-path")
    path = page.artifact
    assert isinstance(path, ContextPath)
    assert page.view.curves["BIC"][1] == [point.bic_nats for point in path.points]
    assert "best by BIC: κ 1, 9 parameters, −6\u202f721.65 nats" in page.facts.text()
    page.choose(along="edges")
    assert page.view.curves["contexts"][1] == [0, 0, 3]
    page.view.chosen.emit(0)
    model = app.project.models[app.workspace.model_id or ""].model
    assert isinstance(model, MarkovNetwork)
    assert model.structure == path.points[0].model.structure


def test_probabilities_of_undirected_edges_have_no_direction(
    qtbot: QtBot, window: MainWindow, rows: DataSet
) -> None:
    few = rows.select_columns(rows.domain.names[:4])
    add_ended_run(window.app, few, "mn.stratified")
    page = opened(window, "learn.markov-probabilities")
    kept = page.artifact
    assert isinstance(kept, MarkovPosterior)
    qtbot.waitUntil(lambda: len(page.canvas.scene.nodes) == 4)
    assert set(drawn(page)) == {
        frozenset((e.source, e.target)) for e in kept.edges if e.probability >= 0.5
    }
    assert not any(style.has_arrow for style in drawn(page).values())
    assert page.facts.text().startswith("61 graphs, weighted by score, each with its best contexts")
    assert page.table.rows[0][0] == " – ".join((kept.edges[0].source, kept.edges[0].target))
    page.choose(views="labels")
    assert [row[2] for row in page.table.rows] == [c.probability for c in kept.contexts]
