"""The window answers while learners work, and is there before anything heavy is loaded."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QAbstractEventDispatcher, QObject, QTimer
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.files.opening import begin
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.widgets.time_slices import SLICE_SECONDS, TimeSlices
from pgmstudio.gui.window.application import GuiThreadCollector
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from pgmstudio.gui.window.registry import PANELS
from tests.gui.samples import add_sprinkler

ROOT = Path(__file__).resolve().parents[3]
# What one turn of the event loop may cost; a person notices a tenth of a second, a busy machine
# and the first pictures of a model take their share.
MAX_SECONDS = 0.25
LONG_MS = 180_000


class Turns(QObject):
    """How much the window thread works in each turn of its event loop.

    Its own processor time counts, so that other programs on a busy machine do not.
    """

    def __init__(self) -> None:
        super().__init__()
        self.costs: list[float] = []
        self._began = time.thread_time()
        dispatcher = QAbstractEventDispatcher.instance()
        dispatcher.awake.connect(self._on_awake)
        dispatcher.aboutToBlock.connect(self._on_block)
        self._beat = QTimer(self)
        self._beat.start(10)

    def _on_awake(self) -> None:
        self._began = time.thread_time()

    def _on_block(self) -> None:
        self.costs.append(time.thread_time() - self._began)


def many_rows(rows: int, columns: int) -> DataSet:
    """Rows of a random network in which every variable has up to two parents."""
    rng = np.random.default_rng(5)
    domain = Domain.of({f"v{i}": ["a", "b", "c"] for i in range(columns)})
    edges = [(f"v{p}", f"v{i}") for i in range(1, columns) for p in {(i - 1) // 2, i // 3}]
    dag = Dag.from_edges(domain.names, edges)
    tables = tuple(
        rng.dirichlet(np.ones(3), size=(3,) * len(dag.parent_indices[i])) for i in range(columns)
    )
    return BayesianNetwork(domain, dag, tables).sample(rows, rng)


def test_the_window_keeps_turning_while_a_learner_works(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    model_id = add_sprinkler(app)
    open_model_page(app, model_id)
    entry = DataEntry("many", many_rows(100_000, 37))
    app.change("Import", partial(edits.add_data, entry=entry))
    qtbot.wait(50)
    idle = Turns()
    qtbot.waitUntil(lambda: len(idle.costs) > 100)
    params: Any = learner_of("bn.hill-climb").params_type(restarts=1000)
    data_id = list(app.project.data)[-1]
    request = RunRequest("endless", "bn.hill-climb", params, 1, data_id)
    busy = Turns()
    run = run_recorder(app).start(request)
    qtbot.waitUntil(lambda: run.best is not None, timeout=LONG_MS)
    live = app.workspace.beliefs(model_id)
    before = len(busy.costs)
    for state in ("yes", "no"):
        live.click_state("rain", state)
        app.workspace.select(["wet"])
        qtbot.waitUntil(lambda: len(busy.costs) > before + 50)
    assert max(busy.costs) < MAX_SECONDS + max(idle.costs)
    with qtbot.waitSignal(run.ended, timeout=LONG_MS):
        run.stop()
    assert run.model_id in app.project.models


BEFORE_PAINT = """
import os, sys
import pgmstudio.gui.window.application as start
from pgmstudio.__main__ import main
def painted(window, files):
    print("painted", window.app.center.current.key, *sys.modules)
    sys.stdout.flush()
    os._exit(0)
start._go_on = painted
main([])
"""


# What the welcome page does without: libraries, languages, pages of models and readers of tables.
NOT_NEEDED = re.compile(
    r"numba|scipy|polars|pyqtgraph|networkx|pygraphviz|multiprocessing\.connection"
    r"|pgmstudio\.core\.languages\..*\.(learning|session|language|diagrams)"
    r"|pgmstudio\.core\.(experiments|io\.data\.reader|io\.data\.large_table)"
    r"|pgmstudio\.gui\.(canvas|cpt_editor|inspector|learning|model_page|plots|separation)\..*"
    r"|pgmstudio\.gui\.languages\..*\..*"
)


def test_the_first_picture_needs_nothing_heavy(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    text = subprocess.run(
        [sys.executable, "-c", BEFORE_PAINT],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    painted, page, *modules = text.stdout.split()
    assert (painted, page) == ("painted", "welcome")
    assert [name for name in modules if NOT_NEEDED.fullmatch(name)] == []


def _menu_entries(menu: QWidget) -> list[object]:
    """The texts of a menu, with those of its submenus in lists."""
    texts: list[object] = []
    for action in menu.actions():
        submenu = action.menu()
        inside = [_menu_entries(submenu)] if isinstance(submenu, QMenu) else []
        texts += [action.text(), *inside]
    return texts


def test_what_comes_after_the_first_paint_is_all_there_in_the_end(
    qtbot: QtBot, window: MainWindow
) -> None:
    late = MainWindow(completed_later=True)
    qtbot.addWidget(late)
    begin(late.app, [])
    late.show()
    assert "learn.bn.kes" not in late.app.actions.by_id
    with qtbot.waitSignal(late.adding_learners.finished):
        late.completing.start()
    assert late.panels.is_complete
    assert [panel_widget(late, spec.name).accessibleName() for spec in PANELS] == [
        spec.title for spec in PANELS
    ]
    kinds = [type(panel_widget(late, spec.name)) for spec in PANELS]
    assert kinds == [type(panel_widget(window, spec.name)) for spec in PANELS]
    assert _menu_entries(late.menuBar()) == _menu_entries(window.menuBar())


def test_a_menu_that_is_opened_before_its_turn_has_all_entries(
    qtbot: QtBot, window: MainWindow
) -> None:
    late = MainWindow(completed_later=True)
    qtbot.addWidget(late)
    late.show()
    for name in ("menuFile", "menuLearn/With"):
        menu = late.findChild(QMenu, name)
        menu.aboutToShow.emit()
        assert _menu_entries(menu) == _menu_entries(window.findChild(QMenu, name))
    assert not late.completing.is_active
    assert not late.adding_learners.is_active


def test_a_long_work_leaves_the_window_its_turns(qtbot: QtBot) -> None:
    turns: list[int] = []
    done: list[int] = []

    def work() -> Iterator[int]:
        for step in range(4):
            begin = time.perf_counter()
            while time.perf_counter() - begin < 2 * SLICE_SECONDS:
                pass
            done.append(step)
            yield step

    beat = QTimer()
    beat.timeout.connect(lambda: turns.append(len(done)))
    beat.start()
    slices = TimeSlices(work())
    with qtbot.waitSignal(slices.finished):
        slices.start()
    assert not slices.is_active
    assert {1, 2, 3} <= {*turns}


def test_the_rest_of_a_long_work_can_be_done_at_once(qtbot: QtBot) -> None:
    done: list[int] = []
    slices = TimeSlices(map(done.append, range(5)))
    with qtbot.waitSignal(slices.finished):
        slices.finish()
    assert done == [0, 1, 2, 3, 4]
    assert not slices.is_active


def test_a_panel_is_built_when_it_is_seen_before_its_turn(qtbot: QtBot, window: MainWindow) -> None:
    late = MainWindow(completed_later=True)
    qtbot.addWidget(late)
    late.resize(1280, 800)
    late.show()
    late.app.reveal("runsPanel")
    assert panel_widget(late, "runsPanel").isVisible()
    assert late.docks["runsPanel"].isAncestorOf(panel_widget(late, "runsPanel"))
    assert not late.panels.is_complete


class Cycle:
    """Refers to itself, and notes the thread in which it dies."""

    deaths: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        self.deaths.append(threading.get_ident())


def test_what_workers_leave_behind_is_collected_in_the_window_thread(qtbot: QtBot) -> None:
    Cycle.deaths.clear()
    garbage = GuiThreadCollector()
    try:
        for _ in range(3):
            worker = threading.Thread(target=lambda: [Cycle() for _ in range(3000)] and None)
            worker.start()
            worker.join()
        assert not Cycle.deaths
        garbage.collect()
        assert set(Cycle.deaths) == {threading.get_ident()}
    finally:
        garbage.stop()
    gc.collect()
