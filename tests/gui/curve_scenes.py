"""Scenes of SL-curves: the plan, a sweep that goes on, points, queries, made-up rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from pgmstudio.core.execution.events import Progress
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.io import curve_setup as curve_setup
from pgmstudio.core.io.curve_setup import CurveSetup, Loaded, RowChoice
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import CurveEntry
from pgmstudio.gui.curves.page import CurvesPage
from pgmstudio.gui.curves.plan_page import open_plan
from pgmstudio.gui.data.generate_page import open_generate
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from tests.gui.curve_pages import SlowPlace, add_rows, is_drawn, made_up_points, open_curves


def curves(driver: WindowDriver, own: Path) -> Iterator[str]:
    """The views of mocks 09 and 12, and the pages before them."""
    app = driver.app
    made = open_generate(app)
    made.choose("random-pdg")
    driver.settle()
    yield "generate"
    app.center.close_page(made)
    data_id = add_rows(app, 15_000, "adult")
    plan = open_plan(app, data_id=data_id)
    plan.learners.choose("mixture.trees")
    driver.settle()
    yield "curves-plan"
    plan.sheet.lambdas.setText("0.5, 1.2")
    plan.form("mixture.trees").field("components").setText("2, many")
    driver.settle()
    yield "curves-plan-wrong"
    app.center.close_page(plan)
    page = _sweep(driver, data_id, own)
    yield "curves-running"
    _point(driver, page, "LDAG0-006")
    yield "curves"
    page.plot.card.hide()
    page.commands.toggle_pin(page.points[5])
    page.foot.show_table("points")
    driver.settle()
    yield "curves-points"
    page.foot.show_table("curves")
    page.bar.parts.button("side").click()
    driver.wait_for("both plots", lambda: page.test_plot.canvas is not None)
    driver.settle()
    yield "curves-apart"
    page.bar.parts.button("both").click()
    for view in ("accuracy", "times", "sizes"):
        page.bar.choose_view(view)
        driver.wait_for("the plot", lambda: not page.queries.is_empty)
        driver.settle()
        yield f"curves-{view}"
    page.bar.choose_view("curves")
    page.take_points(made_up_points(seeds=3))
    driver.wait_for("the bars", lambda: is_drawn(page))
    driver.settle()
    yield "curves-seeds"
    page.take_points(made_up_points(more=160))
    driver.wait_for("many points", lambda: is_drawn(page))
    driver.settle()
    yield "curves-many"
    if page.run is not None:
        page.run.stop()


def _sweep(driver: WindowDriver, data_id: str, own: Path) -> CurvesPage:
    """A sweep that has just found its points and goes on."""
    app, points = driver.app, made_up_points()
    names = dict.fromkeys(point.series for point in points)
    keys = ("ldag.greedy", "bn.hill-climb", "mixture.trees", "pdg.learn", "tree.chow-liu")
    grids = [LearnerGrid(key, name=name) for key, name in zip(keys, names, strict=True)]
    setup = CurveSetup(Plan(tuple(grids), lambdas=(0.5,)), RowChoice(data_id))
    curve_setup.ProcessExecutor = lambda *_, **__: SlowPlace(most=0)  # type: ignore[assignment, misc]
    entry = CurveEntry("SL-curves of adult", (), data_id, setup.plain(), str(own / "points"))
    app.change("Plan", partial(edits.add_curve, entry=entry))
    page = open_curves(app, "c1")
    app.approved_locations.add(str(own / "points"))
    page.resume()
    driver.wait_for("the rows", lambda: page.run is not None and page._known.train_rows)
    known: Loaded = page._known
    runs = {f"{name}{k}": name for name in names for k in range(11)}
    done = frozenset(key for key in runs if int(key[-1]) < 7 or key.startswith(("Chow", "Bay")))
    page._known = replace(known, series=runs, done=done, ceiling=-15.3)
    page.plots.set_truth(-15.3, None)
    assert page.run is not None
    page.run.progress = Progress(0.63, "LDAG, κ = 0.01", {"run": 34.0, "of": 55.0})
    page.run.new_points = len(points)
    page.take_points(points)
    page.set_lambda(0.36)
    driver.wait_for("the points", lambda: is_drawn(page))
    driver.settle()
    page._on_clock()
    return page


def _point(driver: WindowDriver, page: CurvesPage, key: str) -> None:
    position = page.plot._index_of(key)
    assert position is not None
    page.plot._look_at(position)
    driver.settle()


GROUPS = {"curves": curves}
