"""A sweep that is planned in the window and runs on a real Dask cluster."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.plans.runner import SerialExecutor, run_plan
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.gui.curves.page import CurvesPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.experiments.plans.test_cluster import (
    Running,
    cluster,
    distributed,
    entries_of,
    one_version,
)
from tests.gui.curves.test_curves_plan import LONG, ended, planned

pytestmark = pytest.mark.long
NOT_KEPT = {"model": None}  # of those in the window it says which file they are in
__all__ = ["cluster", "distributed", "one_version"]


def test_the_address_of_a_scheduler_is_typed_and_its_workers_find_the_same_points(
    window: MainWindow,
    qtbot: QtBot,
    cluster: Running,
) -> None:
    page = planned(window)
    page.sheet.executor.button("cluster").click()
    address = page.findChild(QLineEdit, "planAddress")
    assert address is not None
    assert address.isVisibleTo(page)
    qtbot.keyClicks(address, cluster.address.replace("tcp://", "http://"))
    qtbot.waitUntil(lambda: not page.start_button.isEnabled())
    assert "tcp://HOST:8786" in page.start_button.toolTip()
    address.clear()
    qtbot.keyClicks(address, cluster.address)
    qtbot.waitUntil(page.start_button.isEnabled)
    qtbot.mouseClick(page.start_button, Qt.MouseButton.LeftButton)
    center = window.app.center
    qtbot.waitUntil(lambda: isinstance(center.current, CurvesPage), timeout=LONG)
    curves = center.current
    assert isinstance(curves, CurvesPage)
    ended(curves, qtbot)
    assert curves.setup is not None
    assert curves.setup.cluster == cluster.address
    rows = curves.setup.plan_rows(window.app.project)
    events = run_plan(curves.setup.plan, rows, cancel=NEVER, executor=SerialExecutor())
    here = [event for event in events if isinstance(event, CurvePoint)]
    assert [one | NOT_KEPT for one in entries_of(curves.points)] == [
        one | NOT_KEPT for one in entries_of(here)
    ]
    qtbot.waitUntil(lambda: curves.foot.extend.isVisible(), timeout=LONG)
