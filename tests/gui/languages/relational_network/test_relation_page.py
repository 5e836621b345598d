"""The page of a relation: tests with a threshold, steps of the tree, grids, models without data."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QSlider, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.model import edges_of
from pgmstudio.core.project.edits import remove_data, remove_model
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.languages.relational_network.relation_page import RelationPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.learning.lecture_data import CORONARY, GEOMETRIC, GEOMETRIC_9
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import trigger

TREE = {("color", "shape"), ("shape", "size")}


def relation_page(
    qtbot: QtBot, window: MainWindow, data: DataSet, learner: str = "relational.spanning-tree"
) -> RelationPage:
    """Of a model that was learned from some data."""
    open_model_page(window.app, add_ended_run(window.app, data, learner))
    trigger(window, "model.relation")
    page = window.app.center.current
    assert isinstance(page, RelationPage)
    qtbot.waitUntil(lambda: page.facts is not None)
    return page


def drawn_edges(page: RelationPage) -> set[tuple[str, str]]:
    return set(page.tests.canvas.canvas.scene.edges)


def slider_of(widget: QWidget) -> QSlider:
    slider = widget.findChild(QSlider)
    assert isinstance(slider, QSlider)
    return slider


def test_the_graph_of_the_tests_follows_the_threshold(qtbot: QtBot, window: MainWindow) -> None:
    page = relation_page(qtbot, window, GEOMETRIC_9, "relational.tests")
    page.show_view("tests")
    qtbot.waitUntil(lambda: len(drawn_edges(page)) == 3)  # exact tests: the complete graph
    qtbot.waitUntil(lambda: len(page.graphs.rows) == 8)

    slider_of(page.tests.slider).setValue(20)
    assert page.tests.epsilon == pytest.approx(0.2)
    qtbot.waitUntil(lambda: drawn_edges(page) == TREE)
    qtbot.waitUntil(lambda: page.graph is not None and page.graph.additional == 1)

    WindowDriver(window).press("testsUse")
    model = window.app.project.models[page.model_id or ""].model
    assert isinstance(model, RelationalNetwork)
    assert set(model.undirected_edges) == TREE
    assert page.tests.epsilon == pytest.approx(0.2)  # the slider stays


def test_a_test_shows_the_gains_within_its_slices(qtbot: QtBot, window: MainWindow) -> None:
    page = relation_page(qtbot, window, GEOMETRIC_9)
    page.show_view("tests")
    qtbot.waitUntil(lambda: bool(page.tests.tests.rows))
    keys = [test for test, _ in page.tests.tests.rows]
    page.tests.tests.select(keys.index("shape ⊥ size | color"))
    assert page.tests.tests.current_row[1] == pytest.approx(0.396241, abs=1e-6)
    slices = {name: (terms, bits) for name, terms, bits in page.tests.slices.rows}
    assert slices["blue"] == ("log₂ 1 + log₂ 2 − log₂ 2", 0)
    assert slices["red"] == ("log₂ 2 + log₂ 3 − log₂ 4", pytest.approx(0.584963, abs=1e-6))
    assert slices["yellow"] == ("log₂ 1 + log₂ 1 − log₂ 1", 0)
    assert slices["green"] == ("log₂ 2 + log₂ 2 − log₂ 2", 1)


def test_the_steps_of_the_spanning_tree_are_walked_forth_and_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_ended_run(window.app, GEOMETRIC, "relational.spanning-tree")
    trigger(window, "learn.spanning-tree")
    page = window.app.center.current
    assert isinstance(page, RunResultPage)

    def caption() -> str:
        texts = (label.text() for label in page.findChildren(QWidget) if hasattr(label, "text"))
        return next(text for text in texts if text.startswith(("Step ", "The tree after")))

    def press(name: str) -> None:
        result = [b for b in page.findChildren(QAbstractButton) if b.objectName().endswith(name)]
        qtbot.mouseClick(result[0], Qt.MouseButton.LeftButton)

    assert caption().startswith("Step 1 of 3. color – shape, 1.00: added.")
    press("Forth")
    assert caption().startswith("Step 2 of 3. shape – size, 0.85: added.")
    press("Forth")
    assert caption().startswith("Step 3 of 3. color – size, 0.58: closes a cycle.")
    press("Forth")
    assert caption() == "The tree after 3 steps, of total weight 1.85."
    press("Back")
    assert caption().startswith("Step 3 of 3.")


def test_a_relation_of_more_variables_is_drawn_as_grids(qtbot: QtBot, window: MainWindow) -> None:
    page = relation_page(qtbot, window, CORONARY)
    view = page.drawing_view
    qtbot.waitUntil(lambda: len(view.pair_positions()) == 5)  # of the first with each other
    pair, position = list(view.pair_positions().items())[1]
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=position.toPoint())
    assert page.views.current == "pairs"
    names = CORONARY.domain.names
    assert page.pairs.current_row[0] == f"{names[pair[0]]} × {names[pair[1]]}"


def test_a_model_without_data_shows_its_own_tuples(qtbot: QtBot, window: MainWindow) -> None:
    page = relation_page(qtbot, window, GEOMETRIC)
    (data_id,) = window.app.project.data
    assert window.app.change("Remove data", partial(remove_data, data_id=data_id))
    qtbot.waitUntil(lambda: "those of the model" in page.summary.text())
    assert page.summary.text().startswith("10 tuples of 36 possible")


def test_the_page_closes_with_its_model(qtbot: QtBot, window: MainWindow) -> None:
    page = relation_page(qtbot, window, GEOMETRIC)
    assert page.model_id is not None
    assert window.app.change("Remove", partial(remove_model, model_id=page.model_id))
    qtbot.waitUntil(lambda: window.app.center.page(page.key) is None)


def drawn_graph(page: RunResultPage) -> set[tuple[str, str]]:
    return set(page.canvas.scene.edges)


@pytest.mark.parametrize(
    ("learner", "graphs", "unit"),
    [("relational.exhaustive", 8, "tuples"), ("possibilistic.exhaustive", 25, "degrees")],
)
def test_a_graph_of_the_ranking_is_shown_sorted_and_becomes_a_model(
    qtbot: QtBot, window: MainWindow, learner: str, graphs: int, unit: str
) -> None:
    app = window.app
    open_model_page(app, add_ended_run(app, GEOMETRIC, learner))
    trigger(window, "learn.graph-ranking")
    page = app.center.current
    assert isinstance(page, RunResultPage)
    assert len(page.table.rows) == graphs
    assert page.table.current == 0
    qtbot.waitUntil(lambda: len(drawn_graph(page)) == 2)  # the tree of the lecture
    page.table.sortByColumn(4, Qt.SortOrder.DescendingOrder)
    worst = str(page.table.model().index(0, 1).data()).strip()
    assert worst == "no edges"
    page.table.select(graphs - 1)
    qtbot.waitUntil(lambda: not drawn_graph(page))
    assert unit in page.caption.text()
    count = len(app.project.models)
    WindowDriver(window).press("graphRankingOpen")
    qtbot.waitUntil(lambda: len(app.project.models) == count + 1)
    entry = app.project.models[app.workspace.model_id or ""]
    assert entry.title.endswith(f"No. {graphs}")
    assert not edges_of(entry.model)
