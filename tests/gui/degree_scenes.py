"""Scenes of degrees of possibility; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtTest import QTest

from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data, read_imprecise
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.data.set_editor import SetEditor
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.languages.possibilistic_network.alpha import alpha_cuts
from pgmstudio.gui.languages.possibilistic_network.distribution_page import open_distribution
from pgmstudio.gui.navigation import open_data_page, open_model_page
from tests.gui.saved_runs import add_ended_run
from tests.gui.small_scenes import SAMPLES

WEATHER = SAMPLES / "weather_imprecise.csv"


def degrees(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """Possibility with necessity inside it, and the states that a relation leaves possible."""
    app = driver.app
    rows = read_imprecise(WEATHER)
    model_id = add_ended_run(app, rows, "possibilistic.spanning-tree", rescaled=True)
    open_model_page(app, model_id)
    _click(driver, "grass", "wet")
    alpha_cuts(app).choose(model_id, 0.65)
    app.workspace.select((), (("weather", "road"),))
    QTest.qWait(600)
    yield "degrees-possibility"
    app.workspace.select((), ())
    QTest.qWait(300)
    yield "degrees-model"
    open_distribution(app, model_id)
    QTest.qWait(600)
    yield "degrees-distribution"
    data_id = next(iter(app.project.data))
    open_data_page(app, data_id)
    page = app.center.current
    assert isinstance(page, DataPage)
    page.table.view.edit(page.table.model.index(2, 0))
    QTest.qWait(300)
    yield "degrees-cells"
    for editor in page.table.view.viewport().findChildren(SetEditor):
        page.table.view.closeEditor(editor, page.table.view.itemDelegate().EndEditHint.NoHint)
    page.show_tab("possibility")
    QTest.qWait(600)
    yield "degrees-data"
    objects = import_data(SAMPLES / "geometric_objects.arff", ImportOptions()).data
    open_model_page(app, add_ended_run(app, objects, "relational.spanning-tree"))
    _click(driver, "shape", "triangle")
    app.workspace.select(("color",), ())
    QTest.qWait(600)
    yield "degrees-relation"
    open_file(app, WEATHER)
    QTest.qWait(900)
    yield "degrees-import"


def _click(driver: WindowDriver, variable: str, state: str) -> None:
    canvas = driver.model_page().canvas
    driver.wait_for(
        "beliefs", lambda: canvas.scene.nodes and canvas.scene.nodes[variable].face.beliefs
    )
    canvas.signals.click_state.emit(variable, state)


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"degrees": degrees}
