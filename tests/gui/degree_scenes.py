"""Scenes of degrees of possibility; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtTest import QTest

from pgmstudio.core.io.data.imprecise import read_imprecise
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.navigation import open_model_page
from tests.gui.kept_runs import add_ended_run
from tests.gui.small_scenes import SAMPLES


def degrees(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """Possibility with necessity inside it, and the states that a relation leaves possible."""
    app = driver.app
    rows = read_imprecise(SAMPLES / "weather_imprecise.csv")
    open_model_page(app, add_ended_run(app, rows, "possibilistic.spanning-tree", rescaled=True))
    _click(driver, "grass", "wet")
    app.workspace.select(("weather",), ())
    QTest.qWait(600)
    yield "degrees-possibility"
    objects = import_data(SAMPLES / "geometric_objects.csv", ImportOptions()).data
    open_model_page(app, add_ended_run(app, objects, "relational.spanning-tree"))
    _click(driver, "shape", "triangle")
    app.workspace.select(("color",), ())
    QTest.qWait(600)
    yield "degrees-relation"


def _click(driver: WindowDriver, variable: str, state: str) -> None:
    canvas = driver.model_page().canvas
    driver.wait_for(
        "beliefs", lambda: canvas.scene.nodes and canvas.scene.nodes[variable].face.beliefs
    )
    canvas.signals.click_state.emit(variable, state)


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"degrees": degrees}
