"""From a click on a mini bar to painted bars: how long a person waits for beliefs.

    python benchmarks/bench_evidence.py [NETWORK …]

A window on no screen shows the model's page, the list of variables and the inspector. Every step
clicks the bar of another possible state in the list and lets the window work until the new beliefs
are painted in list and inspector. The line shows the median; quality has the slowest of twenty,
how long the window thread worked for it and what inference itself took. The first click is not
counted: it may meet a worker. A second line clicks bars on the canvas, which slide on afterwards.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, QPoint, QSettings, QStandardPaths, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from reporting import SHARED, say_line, version_of

from pgmstudio.core.inference.junction_tree.propagation import compiled_passes
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.evidence.variables_panel import VariablesPanel, mini_rect
from pgmstudio.gui.files.opening import open_model_file
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.project import preferences
from pgmstudio.gui.widgets.belief_bars import BeliefBars
from pgmstudio.gui.window.application import make_application
from pgmstudio.gui.window.main_window import MainWindow, panel_widget

DEFAULT = ("alarm", "andes")
STEPS = 20
PATIENCE_SECONDS = 60.0
REST_SECONDS = 0.15  # people pause between clicks; faster ones are answered together


class Painted(QObject):
    """Whether a widget was painted since `forget`."""

    def __init__(self, watched: QObject) -> None:
        super().__init__()
        self.is_painted = False
        watched.installEventFilter(self)

    def forget(self) -> None:
        self.is_painted = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.is_painted = True
        return False


def until(qt_app: QApplication, is_done: Callable[[], bool]) -> None:
    give_up = time.perf_counter() + PATIENCE_SECONDS
    while not is_done():
        qt_app.processEvents()
        if time.perf_counter() > give_up:
            raise TimeoutError("the window does not come to rest")


def possible_states(live: BeliefService, name: str) -> list[int]:
    return [i for i, p in enumerate(live.beliefs[name]) if 0 < p < 1]


def workspace(qt_app: QApplication, name: str) -> None:
    window = MainWindow()
    window.resize(1280, 800)
    window.show()
    path = SHARED / "networks" / f"{name}.bif"
    open_model_file(window.app, path)
    until(qt_app, lambda: window.app.workspace.model_id is not None)  # the file is read in a worker
    live = window.app.workspace.active_beliefs
    variables = panel_widget(window, "variablesPanel")
    inspector = panel_widget(window, "inspectorPanel")
    assert live is not None
    assert isinstance(variables, VariablesPanel)
    assert isinstance(inspector, InspectorPanel)
    until(qt_app, lambda: not live.is_stale)
    shown = variables.list
    until(qt_app, lambda: shown.model().rowCount() == len(live.model.domain))
    names = [n for n in live.model.domain.names if len(possible_states(live, n)) > 1][: STEPS + 3]
    window.app.workspace.select((names[-1],))
    until(qt_app, inspector.node.isVisible)
    for _ in range(30):
        qt_app.processEvents()
    bars = inspector.node.belief.bars
    painted = Painted(shown.viewport())
    live.changed.connect(painted.forget)  # painted before the answer does not count
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    until(qt_app, lambda: bool(page.canvas.scene.nodes))
    times: list[float] = []
    inference: list[float] = []
    busy: list[float] = []
    for clicked in names[:-1][: STEPS + 1]:
        states = possible_states(live, clicked)
        if not states:
            continue
        index = variables._rows.index_of(clicked)
        shown.scrollTo(index)
        rest = time.perf_counter() + REST_SECONDS
        until(qt_app, lambda: time.perf_counter() > rest)  # noqa: B023
        row = variables._rows.rows[index.row()]
        mini = mini_rect(shown.visualRect(index))
        place = row.shown().index(states[0])
        x = int(mini.left() + (place + 0.5) * mini.width() / len(row.shown()))
        begin, busy_before = time.perf_counter(), time.thread_time()
        QTest.mouseClick(
            shown.viewport(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
            QPoint(x, mini.center().y()),
        )
        assert clicked in live.evidence
        until(qt_app, partial(are_shown, live, names[-1], bars, painted))
        times.append(time.perf_counter() - begin)
        busy.append(time.thread_time() - busy_before)
        inference.append(live.update_ms)
    times, inference, busy = times[1:], inference[1:], busy[1:]
    worked, asked = statistics.median(busy) * 1000, statistics.median(inference)
    told = (
        f"slowest {max(times) * 1000:.1f} ms; window thread busy {worked:.1f} ms; "
        f"inference {asked:.2f} ms; {len(times)} clicks"
    )
    say_line(
        "evidence click to painted bars",
        f"{name} ({len(live.model.domain)} variables)",
        "pgmstudio",
        version_of("pgmstudio") or "-",
        statistics.median(times),
        told,
    )
    on_canvas(qt_app, page, live)
    window.app.document.undo_stack.setClean()
    window.close()


def on_canvas(qt_app: QApplication, page: ModelPage, live: BeliefService) -> None:
    """The same on the canvas, with bars on every node, at 100 %."""
    live.clear()
    page.set_mode_of_all(NodeMode.PRIOR)
    view = page.canvas.view
    resting = time.perf_counter() + 2.0  # a layout for the larger boxes comes and slides in
    until(qt_app, lambda: time.perf_counter() > resting and not live.is_stale)
    names = live.model.domain.names
    view.set_zoom(1.0)
    view.centre_on(page.canvas.scene.nodes[names[len(names) // 2]].pos())
    painted = Painted(view.viewport())
    live.changed.connect(painted.forget)
    times = []
    for item in view.nodes_in_sight()[: STEPS + 1]:
        bar = item.geometry.bar(0).center() + item.pos() + item.corner
        place = view.mapFromScene(bar)
        if not possible_states(live, item.id) or not view.viewport().rect().contains(place):
            continue
        rest = time.perf_counter() + REST_SECONDS
        until(qt_app, lambda: time.perf_counter() > rest)  # noqa: B023
        begin = time.perf_counter()
        QTest.mouseClick(
            view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
        )
        until(qt_app, lambda: not live.is_stale and painted.is_painted)
        times.append(time.perf_counter() - begin)
    say_line(
        "evidence click on the canvas to painted bars",
        f"{len(names)} variables, {len(view.nodes_in_sight())} in sight",
        "pgmstudio",
        version_of("pgmstudio") or "-",
        statistics.median(times),
        f"slowest {max(times) * 1000:.1f} ms; {len(times)} clicks",
    )


def are_shown(live: BeliefService, inspected: str, bars: BeliefBars, painted: Painted) -> bool:
    """The inspector repaints only when its variable moved."""
    if live.is_stale or bars.bars.beliefs != tuple(live.beliefs[inspected].tolist()):
        return False
    return painted.is_painted


def main(names: list[str]) -> None:
    QStandardPaths.setTestModeEnabled(True)
    with tempfile.TemporaryDirectory() as folder:
        preferences.preferences_folder = lambda: Path(folder)
        for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
            QSettings.setPath(QSettings.Format.IniFormat, scope, folder)
        qt_app = make_application()
        compiled_passes()
        for name in names or DEFAULT:
            workspace(qt_app, name)


if __name__ == "__main__":
    main(sys.argv[1:])
