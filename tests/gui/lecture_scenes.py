"""Scenes of the lecture on learning structures: searches step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtTest import QTest

from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from tests.core.learning.lecture_data import CORONARY, K2_DEMO
from tests.gui.kept_runs import add_ended_run


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


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"walks": walks}
