"""The race of languages on SL-curves: import, plan, watch, stop, open a model, take it away."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.sl_curves.points import points_csv
from pgmstudio.core.experiments.sl_curves.selection import best_at
from pgmstudio.gui.curves.page import CurvesPage
from pgmstudio.gui.curves.plan_page import CurvesPlanPage
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.model_page.page import ModelPage
from tests.gui.curve_pages import is_drawn
from tests.gui.journeys.test_journey_mixture import write_triple

LONG = 300_000  # ms
LANGUAGES = {"bayesian-network", "ldag", "tree", "tree-mixture", "latent-class"}


@pytest.mark.long
def test_a_person_races_the_languages_on_one_plot(
    driver: WindowDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    app = driver.app
    open_file(app, write_triple(tmp_path))
    page = app.center.current
    assert isinstance(page, ImportPage)
    driver.wait_for("the file to be read", lambda: page.reading)
    driver.press("importFinish")
    driver.wait_for("the rows", lambda: isinstance(app.center.current, DataPage))

    # A plan over the three parts, with few values; decision graphs have so much to do that they
    # are still at it when the others are through.
    app.actions.refresh()
    app.actions["evaluate.curves"].trigger()
    plan = app.center.current
    assert isinstance(plan, CurvesPlanPage)
    choice = plan.sheet.rows.choice()
    assert choice is not None
    assert (choice.how, choice.train, choice.valid) == ("split", "train", "valid")
    plan.sheet.lambdas.setText("0.3, 0.9")
    plan.form("mixture.trees").field("components").setText("2")
    plan.form("ldag.greedy").field("kappa").setText("0.1")
    plan.form("pdg.learn").field("lambdas").setText(", ".join(f"{k / 1000}" for k in range(1, 999)))
    plan.form("pdg.learn").field("population").setText("200")
    qtbot.waitUntil(plan.start_button.isEnabled)
    qtbot.mouseClick(plan.start_button, Qt.MouseButton.LeftButton)
    curves = app.center.current
    assert isinstance(curves, CurvesPage)

    # Points appear while the sweep goes on; it is stopped, and what was found stays.
    def has_all() -> bool:
        return {point.family for point in curves.points} >= LANGUAGES

    qtbot.waitUntil(has_all, timeout=LONG)
    assert curves.run is not None
    assert curves.run.is_running

    # Graphs that are still being learned stand on the plot already.
    qtbot.waitUntil(lambda: {point.family for point in curves.passing} == {"pdg"}, timeout=LONG)
    qtbot.waitUntil(lambda: "pdg" in {curve.family for curve in curves.chart.curves}, timeout=LONG)
    qtbot.mouseClick(curves.foot.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: curves.run is not None and not curves.run.is_running, timeout=LONG)
    qtbot.waitUntil(lambda: is_drawn(curves), timeout=LONG)
    assert has_all()
    assert "pdg" in {point.family for point in curves.points}  # as far as they had come
    assert not curves.passing
    assert curves.foot.resume.isEnabled()

    # The line of equal score selects; a point of the front opens its model.
    curves.side.slider.setValue(500)
    assert curves.plot.selected() is best_at(curves.points, 0.5)
    front = curves.chart.front[-1]
    position = curves.plot.position_on_screen(front)
    assert position is not None
    assert curves.plot.canvas is not None
    qtbot.mouseClick(curves.plot.canvas.viewport(), Qt.MouseButton.LeftButton, pos=position)
    qtbot.waitUntil(lambda: isinstance(app.center.current, ModelPage), timeout=LONG)
    (entry,) = app.project.models.values()
    assert entry.data_id == "d1"

    # What was measured leaves the window.
    assert curves.commands.export_table(tmp_path / "points.csv")
    assert (tmp_path / "points.csv").read_text() == points_csv(curves.points)
