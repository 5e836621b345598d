"""The walk with the ten objects of the lecture: learned, seen, decomposed, asked and undone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSlider
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.languages.relational_network.relation_page import RelationPage
from pgmstudio.gui.navigation import open_learn_page, open_model_page, open_sample
from pgmstudio.gui.widgets.image_file import PictureOptions, picture_bytes
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.learning.lecture_data import GEOMETRIC
from tests.gui.walking import trigger

LONG_MS = 60_000
# The eight graphs of the lecture in its order: tuples and additional tuples.
LECTURE = [(36, 26), (18, 8), (20, 10), (24, 14), (10, 0), (13, 3), (16, 6), (10, 0)]
GAINS = {
    "color × shape": ("6 of 12", "log₂ 4 + log₂ 3 − log₂ 6 = 2.00 + 1.58 − 2.58 = 1.00 bits"),
    "color × size": ("8 of 12", "log₂ 4 + log₂ 3 − log₂ 8 = 2.00 + 1.58 − 3.00 = 0.58 bits"),
    "shape × size": ("5 of 9", "log₂ 3 + log₂ 3 − log₂ 5 = 1.58 + 1.58 − 2.32 = 0.85 bits"),
}


def learned(qtbot: QtBot, driver: WindowDriver, learner: str) -> str:
    """Learned with the form on the sample of the ten objects; the id of the model."""
    app = driver.app
    open_sample(app, "geometric_objects.json")
    qtbot.waitUntil(lambda: isinstance(app.center.current, RelationPage), timeout=LONG_MS)
    (data_id,) = app.project.data
    known = set(app.project.runs)  # the sample has one
    open_learn_page(app).choose(learner=learner, data_id=data_id)
    driver.press("learnStart")
    qtbot.waitUntil(lambda: set(app.project.runs) > known, timeout=LONG_MS)
    (model_id,) = (r.model_id for key, r in app.project.runs.items() if key not in known)
    assert model_id is not None
    return model_id


def text_of(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert isinstance(label, QLabel)
    return label.text()


def model_edges(window: MainWindow, model_id: str) -> set[tuple[str, str]]:
    model = window.app.project.models[model_id].model
    assert isinstance(model, RelationalNetwork)
    return set(model.undirected_edges)


def edges_by_tests(page: RelationPage) -> set[tuple[str, str]]:
    """The graph that the tests with the threshold of the slider leave."""
    assert page.tests.result is not None
    return set(page.tests.result.skeleton.edges)


@pytest.mark.slow
def test_the_ten_objects_are_learned_seen_decomposed_asked_and_undone(
    qtbot: QtBot, window: MainWindow
) -> None:
    app, driver = window.app, WindowDriver(window)
    model_id = learned(qtbot, driver, "relational.spanning-tree")
    open_model_page(app, model_id)
    model_page = driver.model_page()
    nodes = model_page.scene().nodes
    qtbot.waitUntil(lambda: len(nodes) == 3)

    # The inspector shows the projection to an edge.
    app.workspace.select((), (("color", "shape"),))
    qtbot.waitUntil(lambda: text_of(window, "inspectorPairGain").endswith("1.00 bits"))

    # The relation, and by a click on a wall of the cube the numbers of a pair.
    trigger(window, "model.relation")
    page = app.center.current
    assert isinstance(page, RelationPage)
    qtbot.waitUntil(lambda: len(page.graphs.rows) == 8)  # all at once, as they are few
    assert page.summary.text() == "10 tuples of 36 possible · perfect decomposition"
    view = page.drawing_view
    qtbot.waitUntil(lambda: len(view.pair_positions()) == 3)
    for pair, position in view.pair_positions().items():
        page.show_view("relation")
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=position.toPoint())
        assert page.views.current == "pairs"
        name, occur, _, _ = page.pairs.current_row
        assert name == " × ".join(GEOMETRIC.domain.names[v] for v in pair)
        assert occur == GAINS[name][0]
        assert page.pair.gain.text() == f"Hartley gain: {GAINS[name][1]}"

    # All graphs with their additional tuples, and those of one of them.
    trigger(window, "evaluate.decomposition")
    assert app.center.current is page
    qtbot.waitUntil(lambda: len(page.graphs.rows) == 8)
    assert [(tuples, extra) for _, _, tuples, extra in page.graphs.rows] == LECTURE
    assert not page.use.isEnabled()  # the model has the selected graph, No. 5
    assert page.graphs.current == 4
    page.graphs.select(5)
    qtbot.waitUntil(lambda: len(page.tuples.rows) == 3)
    assert set(page.tuples.rows) == {  # and the states that never occur together
        ("red", "circle", "large", "circle, large"),
        ("red", "triangle", "small", "triangle, small"),
        ("green", "square", "large", "square, large"),
    }

    # The drawing as a file, with the beams of the graph and hatched additional tuples.
    page.show_view("relation")
    page.shown.setCurrentIndex(1)
    page.shown.picked.emit("graph")
    drawing = page.drawing()
    assert drawing is not None
    svg = picture_bytes(drawing, ".svg", PictureOptions()).decode()
    assert all(text in svg for text in (">yellow<", ">extension<", ">additional<"))
    assert picture_bytes(drawing, ".pdf", PictureOptions()).startswith(b"%PDF")

    # Another graph as one undoable step.
    before = model_edges(window, model_id)
    driver.press("decompositionUse")
    assert model_edges(window, model_id) == {("color", "shape"), ("color", "size")}
    qtbot.waitUntil(lambda: page.summary.text().endswith("the graph adds 3"))
    app.history.undo()
    assert model_edges(window, model_id) == before
    qtbot.waitUntil(lambda: page.summary.text().endswith("perfect decomposition"))

    # Exact tests find the same graph; with a larger threshold edges go, and come back.
    page.show_view("tests")
    qtbot.waitUntil(lambda: page.tests.result is not None)
    assert edges_by_tests(page) == before
    slider = page.tests.slider.findChild(QSlider)
    assert isinstance(slider, QSlider)
    slider.setValue(90)
    qtbot.waitUntil(lambda: edges_by_tests(page) == {("color", "shape")})
    driver.press("testsUse")
    assert model_edges(window, model_id) == {("color", "shape")}
    app.history.undo()
    slider.setValue(0)
    qtbot.waitUntil(lambda: edges_by_tests(page) == before)
    assert model_edges(window, model_id) == before

    # Evidence: possible or not.
    open_model_page(app, model_id)
    model_page.asking.live.set_finding("shape", Observed("square"))
    domain = app.project.models[model_id].model.domain
    possible = [float(state in ("yellow", "green")) for state in domain["color"].states]
    qtbot.waitUntil(lambda: list(nodes["color"].face.beliefs) == possible)
    only = [float(state == "medium") for state in domain["size"].states]
    qtbot.waitUntil(lambda: list(nodes["size"].face.beliefs) == only)
    app.history.undo()
    qtbot.waitUntil(lambda: min(nodes["size"].face.beliefs) == 1)
