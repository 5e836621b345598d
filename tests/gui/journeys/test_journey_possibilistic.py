"""The walk with imprecise rows: imported, edited, learned, cut, asked, compared and saved."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.imprecise import ImpreciseData, cell_text
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.project.model_edits import remove_edge
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.data.possibility_tab import PossibilityTab
from pgmstudio.gui.data.set_editor import SetEditor
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.languages.possibilistic_network.comparison_page import (
    ProbabilityComparisonPage,
)
from pgmstudio.gui.languages.possibilistic_network.distribution_page import DistributionPage
from pgmstudio.gui.languages.possibilistic_network.page_extension import PossibilisticExtension
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector
from tests.gui.walking import trigger

LONG_MS = 60_000


@pytest.mark.slow
def test_imprecise_rows_are_imported_learned_cut_asked_saved_and_reopened(
    qtbot: QtBot, window: MainWindow, sample_data: Path, tmp_path: Path
) -> None:
    app, driver = window.app, WindowDriver(window)
    open_file(app, sample_data / "weather_imprecise.csv")
    page = app.center.current
    assert isinstance(page, ImportPage)
    qtbot.waitUntil(lambda: "read as sets" in page.view.file.sets.text, timeout=LONG_MS)
    qtbot.waitUntil(page.view.foot.finish.isEnabled, timeout=LONG_MS)
    driver.press("importFinish")
    qtbot.waitUntil(lambda: isinstance(app.center.current, DataPage), timeout=LONG_MS)
    rows = app.center.current
    assert isinstance(rows, DataPage)
    assert "set" in rows.facts.text()
    message = inspector(window).data.facts
    qtbot.waitUntil(lambda: message.facts.get("Unknown cells") == "38 (19.0 %)")
    assert message.facts["Sets of states"] == "4"

    # A cell becomes a set, by its text.
    view, model = rows.table.view, rows.table.model
    view.setCurrentIndex(model.index(3, 0))
    view.edit(view.currentIndex())
    editor = view.viewport().findChildren(SetEditor)[-1]
    editor.field.selectAll()
    qtbot.keyClicks(editor.field, "{cloudy, rainy}\r")
    qtbot.waitUntil(lambda: model.index(3, 0).data() == "{cloudy, rainy}")

    # Degrees of the data; the largest alone is left by the largest α.
    trigger(window, "data.possibility")
    tab = rows.show_tab("possibility")
    assert isinstance(tab, PossibilityTab)
    qtbot.waitUntil(lambda: tab.view.shown is not None, timeout=LONG_MS)
    tab.view.slider.slider.setValue(100)
    assert tab.view.relation.relation is not None
    assert len(tab.view.relation.relation) == 1

    # Learned with the form.
    (data_id,) = app.project.data
    open_learn_page(app).choose(learner="possibilistic.spanning-tree", data_id=data_id)
    driver.press("learnStart")
    qtbot.waitUntil(lambda: bool(app.project.runs), timeout=LONG_MS)
    (model_id,) = (record.model_id for record in app.project.runs.values())
    assert model_id is not None
    open_model_page(app, model_id)
    model_page = driver.model_page()
    nodes = model_page.scene().nodes
    qtbot.waitUntil(lambda: bool(nodes and nodes["weather"].face.beliefs), timeout=LONG_MS)
    prior = nodes["weather"].face.beliefs

    # The cut in the nodes and as a relation.
    extension = model_page.extension
    assert isinstance(extension, PossibilisticExtension)
    extension.bar.slider.slider.setValue(80)
    states = nodes["weather"].face
    assert any(states.is_cut(i) for i in range(3))
    trigger(window, "model.possibility")
    distribution = app.center.current
    assert isinstance(distribution, DistributionPage)
    qtbot.waitUntil(lambda: distribution.view.shown is not None, timeout=LONG_MS)
    assert distribution.view.alpha == pytest.approx(extension.cut)

    # An edge is removed, and the degrees of the smaller graph are those of the data.
    open_model_page(app, model_id)
    before_edit = app.project.models[model_id].model
    assert isinstance(before_edit, PossibilisticNetwork)
    source, target = before_edit.edges[0]
    edit = partial(remove_edge, model_id=model_id, source=source, target=target)
    assert app.change("Remove", edit)
    edited = app.project.models[model_id].model
    trigger(window, "model.degrees-from-data")
    qtbot.waitUntil(lambda: app.project.models[model_id].model is not edited, timeout=LONG_MS)
    app.history.undo()
    app.history.undo()
    assert app.project.models[model_id].model is before_edit
    qtbot.waitUntil(lambda: nodes["weather"].face.beliefs == prior)

    # Evidence, with the probabilities of the same graph beside it, and undone.
    open_model_page(app, model_id)
    model_page.asking.live.set_finding("grass", Observed("wet"))
    qtbot.waitUntil(lambda: nodes["weather"].face.beliefs != prior)
    given_wet = nodes["weather"].face.beliefs
    trigger(window, "evaluate.degrees-and-probabilities")
    compared = app.center.current
    assert isinstance(compared, ProbabilityComparisonPage)
    qtbot.waitUntil(lambda: bool(compared.table.rows), timeout=LONG_MS)
    shown = [line for line in compared.table.rows if line.variable == "weather"]
    assert [line.possibility for line in shown] == pytest.approx(given_wet)
    assert sum(line.probability for line in shown) == pytest.approx(1)
    app.history.undo()
    qtbot.waitUntil(lambda: nodes["weather"].face.beliefs == prior)

    # Saved and reopened.
    path = tmp_path / "rain.pgmz"
    write_project(path, app.project)
    again = read_project(path)
    data = again.data[data_id].data
    assert isinstance(data, ImpreciseData)
    assert cell_text(data, 0, 3) == "{cloudy,rainy}"
    network, before = again.models[model_id].model, app.project.models[model_id].model
    assert isinstance(network, PossibilisticNetwork)
    assert isinstance(before, PossibilisticNetwork)
    assert network.edges == before.edges
    assert all((a == b).all() for a, b in zip(network.degrees, before.degrees, strict=True))
