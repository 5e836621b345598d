"""The α-cut of a possibilistic network and of data: slider, nodes, inspector and relation."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.inference.join_tree import PRODUCT
from pgmstudio.core.io.data.reader import read_imprecise
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.project.edits import add_data
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.data.possibility_tab import PossibilityTab, data_distribution
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.languages.possibilistic_network.degree_editor import DegreeEditor
from pgmstudio.gui.languages.possibilistic_network.distribution_page import DistributionPage
from pgmstudio.gui.languages.possibilistic_network.inspector import EdgeSections, ModelSection
from pgmstudio.gui.languages.possibilistic_network.page_extension import PossibilisticExtension
from pgmstudio.gui.navigation import add_and_show_model, open_data_page
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.languages.possibilistic_network.test_degrees_in_the_window import weather_and_grass


def test_the_slider_strikes_out_states_and_turns_degrees_into_a_relation(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    add_and_show_model(app, ModelEntry("rain", weather_and_grass()), "Open")
    page = WindowDriver(window).model_page()
    nodes = page.scene().nodes
    # Degrees of tuples: 0.45, 0.2, 0.35, 0.3, 0.1, 0.8; of dry 0.45 and wet 0.8.
    qtbot.waitUntil(lambda: nodes["weather"].face.beliefs == pytest.approx((0.45, 0.35, 0.8)))
    extension = page.extension
    assert isinstance(extension, PossibilisticExtension)
    bar = extension.bar
    bar.slider.slider.setValue(50)  # of the largest degree, 0.8
    assert extension.cut == pytest.approx(0.4)
    face = nodes["weather"].face
    assert [face.is_cut(i) for i in range(3)] == [False, True, False]
    qtbot.waitUntil(lambda: bar.kept.text() == "4 of 5 states · 2 of 6 tuples kept")
    page.canvas.signals.click_state.emit("grass", "wet")
    # 0.2, 0.3, 0.8 given wet
    qtbot.waitUntil(lambda: bar.kept.text() == "2 of 5 states · 1 of 3 tuples kept")

    # Relative to Π(e) = 0.8; α is that of the degrees themselves.
    action = app.actions["evidence.relative"]
    qtbot.waitUntil(action.isEnabled)
    action.trigger()
    qtbot.waitUntil(lambda: nodes["weather"].face.beliefs == pytest.approx((0.25, 0.375, 1)))
    assert nodes["weather"].face.cut == pytest.approx(0.5)
    assert bar.kept.text() == "2 of 5 states · 1 of 3 tuples kept"
    action.trigger()
    qtbot.waitUntil(lambda: nodes["weather"].face.beliefs == pytest.approx((0.2, 0.3, 0.8)))

    bar.relation.click()
    shown = app.center.current
    assert isinstance(shown, DistributionPage)
    qtbot.waitUntil(lambda: shown.view.shown is not None)
    view = shown.view
    assert view.alpha == pytest.approx(0.4)
    assert view.relation.relation is not None
    assert len(view.relation.relation) == 2  # without evidence
    assert "not normalised" in view.note.text
    view.slider.slider.setValue(0)
    assert len(view.relation.relation) == 6
    assert extension.cut == 0  # both follow each other
    assert view.grid.degrees.tolist() == [[0.45, 0.2], [0.35, 0.3], [0.1, 0.8]]
    app.document.undo_stack.undo()  # the model goes, and its page with it
    qtbot.waitUntil(lambda: app.center.page(shown.key) is None)


def test_inspector_and_table_show_and_edit_degrees(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    add_and_show_model(app, ModelEntry("rain", weather_and_grass()), "Open")
    (model_id,) = app.project.models

    def model() -> PossibilisticNetwork:
        result = app.project.models[model_id].model
        assert isinstance(result, PossibilisticNetwork)
        return result

    app.workspace.select((), ())
    qtbot.waitUntil(lambda: bool(window.findChildren(ModelSection)))
    section = window.findChildren(ModelSection)[0]
    qtbot.waitUntil(lambda: "Not normalised" in section.warning.text)
    section.norm.chosen.emit(PRODUCT)
    assert model().norm == PRODUCT
    qtbot.waitUntil(lambda: not app.actions["model.rescale"].isEnabled())
    app.document.undo_stack.undo()
    qtbot.waitUntil(lambda: app.actions["model.rescale"].isEnabled())
    app.actions["model.rescale"].trigger()
    assert model().top == 1
    app.document.undo_stack.undo()

    app.workspace.select((), (("weather", "grass"),))
    qtbot.waitUntil(lambda: bool(window.findChildren(EdgeSections)))
    edge = window.findChildren(EdgeSections)[0]
    expected = [[0.45, 0.2], [0.35, 0.3], [0.1, 0.8]]
    qtbot.waitUntil(lambda: edge.grid.degrees.tolist() == expected)

    editor = DegreeEditor(app)
    qtbot.addWidget(editor)
    editor.show_variable(model_id, app.project.models[model_id], "grass")
    assert [row[:3] for row in editor.table.rows] == [
        ("sunny", 1.0, 0.2),
        ("cloudy", 1.0, 0.3),
        ("rainy", 0.1, 0.8),
    ]
    messages: list[str] = []
    app.toast.connect(lambda text, _button: messages.append(text))
    editor.table.edited.emit(0, 2, "1.5")
    assert "no degree" in messages[-1]
    editor.table.edited.emit(0, 2, "0.4")
    assert model().degrees[1][0, 1] == 0.4
    editor.show_variable(model_id, app.project.models[model_id], "grass")
    editor.conventions.choose("hisdal")
    editor.conventions.chosen.emit("hisdal")
    # π(sunny, dry) = 0.45 = π(sunny): 1 by Hisdal's rule.
    assert editor.table.rows[0] == ("sunny", 1.0, 0.4)
    editor.use.click()
    assert model().convention == "hisdal"


def test_degrees_of_data_are_cut_and_an_approximation_is_marked(
    qtbot: QtBot, window: MainWindow, sample_data: Path
) -> None:
    app = window.app
    data = read_imprecise(sample_data / "weather_imprecise.csv")
    app.change("Add", partial(add_data, entry=DataEntry("weather", data)))
    (data_id,) = app.project.data
    open_data_page(app, data_id)
    app.actions["data.possibility"].trigger()
    page = app.center.current
    assert isinstance(page, DataPage)
    tab = page.show_tab("possibility")
    assert isinstance(tab, PossibilityTab)
    qtbot.waitUntil(lambda: tab.view.shown is not None)
    assert "exact" in tab.view.summary.text()
    tab.view.slider.slider.setValue(100)
    assert tab.view.relation.relation is not None
    assert len(tab.view.relation.relation) == 1  # the most possible tuple
    tab.rescale.click()
    qtbot.waitUntil(lambda: tab.view.shown is not None and tab.view.shown.tuples.top == 1)
    assert tab.view.alpha == pytest.approx(1)
    approximate = data_distribution(data, NEVER, max_closure=5)
    assert approximate.warning.startswith("Approximate")
