"""Scenes of the lecture on learning structures: searches step by step, and samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtTest import QTest

from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.languages.bayesian_network.independences_page import IndependencesPage
from pgmstudio.gui.navigation import open_help, open_model_page, open_welcome
from pgmstudio.gui.runs.results.page import RunResultPage
from tests.core.learning.lecture_data import CORONARY, K2_DEMO
from tests.gui.saved_runs import add_ended_run


def walks(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """PC and K2, step by step."""
    app = driver.app
    for name, data in (("demo", K2_DEMO), ("coronary", CORONARY)):
        open_model_page(app, add_ended_run(app, data, "bn.pc"))
        driver.model_page()
        driver.do("learn.pc-steps")
        yield from _walk(driver, f"pc-{name}", (0, 7, 20, 80))
    open_model_page(app, add_ended_run(app, K2_DEMO, "bn.k2", order="L, KA, M, KV"))
    driver.model_page()
    driver.do("learn.trace")
    yield from _walk(driver, "k2", (0, 2, 4, 20))


def _walk(driver: WindowDriver, name: str, steps: tuple[int, ...]) -> Iterator[str]:
    page = driver.app.center.current
    assert isinstance(page, RunResultPage)
    driver.wait_for("the graph", lambda: page.canvas.scene.nodes)
    for step in steps:
        page.choose(slider=step)
        QTest.qWait(200)
        yield f"{name}-{step}"


def samples(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """What the samples of the lecture show first, by a click on their cards."""
    app = driver.app
    for group in ("All", "Relations"):
        open_welcome(app)
        driver.press(f"sampleGroups.{group}")
        driver.settle()
        yield f"welcome-{group}"
    for name in ("geometric_objects.json", "geometric_objects_9.json", "weather_imprecise.csv"):
        open_welcome(app)
        driver.settle()
        before = len(app.project.data)
        driver.press(f"sample.{name}")
        driver.wait_for("the rows", lambda before=before: len(app.project.data) > before)
        QTest.qWait(500)
        yield f"sample-{name.partition('.')[0]}"
    open_welcome(app)
    driver.settle()
    driver.press("sample.k2_demo_counts.csv")
    driver.wait_for("the rows", lambda: len(app.project.data) == 4)
    QTest.qWait(300)
    yield "sample-k2"
    driver.do("learn.bn.k2")
    QTest.qWait(300)
    yield "learn-k2"
    open_model_page(app, add_ended_run(app, CORONARY, "bn.mcmc", iterations=5000))
    driver.model_page()
    driver.do("learn.network-probabilities")
    QTest.qWait(800)
    yield "mcmc"


def stated(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """Independences that are typed in."""
    app = driver.app
    driver.do("learn.independences")
    page = app.center.current
    assert isinstance(page, IndependencesPage)
    driver.wait_for("the graph", lambda: page.steps._content and page.canvas.scene.nodes)
    for step in (0, 15, 30):
        page.steps.choose(slider=step)
        QTest.qWait(300)
        yield f"stated-{step}"
    open_help(app, "tutorials/learn-a-structure.md")
    driver.settle()
    yield "lecture-page"
    app.center.bring_to_front(page)
    page.statements.setPlainText("A ⊥ B\nA ⊥")
    QTest.qWait(800)
    yield "stated-wrong"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {
    "walks": walks,
    "lecture-samples": samples,
    "stated": stated,
}
