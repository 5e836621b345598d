"""The pictures of the tutorials: samples of the start page, as a reader of them sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtTest import QTest

from pgmstudio.core.inference.base import Observed
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.languages.pdg.page_extension import PdgExtension
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_sample
from tests.gui.small_scenes import draw_a_cycle, open_asia


def _open_sample(driver: WindowDriver, file: str) -> ModelPage:
    opened: list[bool] = []
    open_sample(driver.app, file, lambda: opened.append(True))
    driver.wait_for("the sample", lambda: opened)
    page = driver.model_page()
    driver.wait_for("beliefs", lambda: not page.asking.live.is_stale)
    return page


def tutorials(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """A labelled graph in a context, flows, profiles of classes, a large network, a cycle."""
    app = driver.app
    page = _open_sample(driver, "coronary_labels.json")
    page.canvas.view.fit()
    context_views(app).choose(page.model_id or "", {"smoking": "no"})
    QTest.qWait(300)
    yield "tutorial-labels"
    page = _open_sample(driver, "coronary_flow.json")
    extension = page.extension
    assert isinstance(extension, PdgExtension)
    page.asking.live.set_finding("smoking", Observed("yes"))
    driver.wait_for("beliefs", lambda: not page.asking.live.is_stale)
    QTest.qWait(1200)
    yield "tutorial-flow"
    _open_sample(driver, "survey_classes.json")
    driver.do("model.profiles")
    QTest.qWait(300)
    yield "tutorial-classes"
    page = _open_sample(driver, "greenhouse.json")
    page.canvas.view.fit()
    QTest.qWait(300)
    yield "tutorial-greenhouse"
    page = open_asia(driver)
    app.workspace.select(())
    draw_a_cycle(driver, page)
    yield "tutorial-cycle"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"tutorials": tutorials}
