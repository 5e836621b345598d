"""The window itself: first paint, first beliefs, another look, and its event loop while learning.

    python benchmarks/bench_window.py

Everything happens without a screen. First paint counts from the start of the process to the first
picture of the welcome page, with Python's byte code and the disk warm. Plots are loaded in slices
when the first run is shown. Lateness is how much later than asked a timer of 5 ms comes, in an idle
window and while a learner works on 100 000 rows of ALARM in a process of its own. Repaints of large
graphs and evidence clicks have benchmarks of their own: canvas and evidence.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from bench_approximate import grid_network
from PySide6.QtCore import QEventLoop, QObject, QSettings, QStandardPaths, Qt, QTimer
from PySide6.QtWidgets import QApplication
from reporting import SHARED, network_rows, say_line, version_of

from pgmstudio.core.execution.child_process import SPARE_CHILD
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.sessions import warm_up
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.files.opening import open_model_file
from pgmstudio.gui.navigation import open_data_page
from pgmstudio.gui.plots.plot_widget import plot_library
from pgmstudio.gui.project import preferences
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.application import LOADED_AHEAD, make_application
from pgmstudio.gui.window.main_window import MainWindow

ROOT = Path(__file__).resolve().parent.parent
STARTS = 9
BEAT_MS = 5
RUNS = 5
WATCH_SECONDS = 10.0

FIRST_PAINT = """
import os, sys
from importlib import import_module
import pgmstudio.__main__ as program
def import_and_watch(name):
    module = import_module(name)
    if name == "pgmstudio.gui.window.application":
        module._go_on = painted
    return module
def painted(window, files):
    sys.stdout.write("painted\\n"); sys.stdout.flush()
    os._exit(0)
import importlib
importlib.import_module = import_and_watch
program.main([])
"""


def say(task: str, data: str, seconds: float, quality: str) -> None:
    say_line(task, data, "pgmstudio", version_of("pgmstudio") or "-", seconds, quality)


def first_paint() -> None:
    """The best and the median of several starts, the first of which warms up."""
    environment = {**os.environ, "XDG_CONFIG_HOME": tempfile.mkdtemp()}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    times = []
    for _ in range(STARTS + 1):
        begin = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-c", FIRST_PAINT],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"painted\n"
        times.append(time.perf_counter() - begin)
        child.wait()
    middle = statistics.median(times[1:])
    say("first paint", "welcome page", min(times[1:]), f"median of {STARTS}: {middle:.3f} s")


class Lateness(QObject):
    """How late a timer comes, in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self._last = time.perf_counter()
        self._beat = QTimer(self)
        self._beat.setTimerType(Qt.TimerType.PreciseTimer)
        self._beat.timeout.connect(self._on_beat)
        self._beat.start(BEAT_MS)

    def _on_beat(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, (now - self._last) * 1000 - BEAT_MS))
        self._last = now

    def stop(self) -> None:
        self._beat.stop()

    @property
    def p99(self) -> float:
        return sorted(self.late)[int(0.99 * (len(self.late) - 1))]


def turn(seconds: float) -> None:
    """Let the event loop run as it does in the program."""
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def watched(seconds: float) -> Lateness:
    watch = Lateness()
    turn(seconds)
    watch.stop()
    return watch


def lateness(qt_app: QApplication) -> None:
    window = MainWindow()
    window.show()
    app = window.app
    open_model_file(app, ROOT / "sample_data" / "asia.json")
    rows = network_rows("alarm", 100_000)
    app.change("Import", partial(edits.add_data, entry=DataEntry("alarm", rows)))
    turn(2.0)
    idle = watched(WATCH_SECONDS)
    params: Any = learner_of("bn.hill-climb").params_type(restarts=1_000_000)
    request = RunRequest("alarm", "bn.hill-climb", params, 1, list(app.project.data)[-1])
    run = run_recorder(app).start(request)
    busy = watched(WATCH_SECONDS)
    state = f"{run.state.value}, {len(run.trace.steps)} points of its trace"
    for name, watch in (("idle", idle), ("learning, 100 000 x 37", busy)):
        told = f"median {statistics.median(watch.late):.2f} ms, largest {max(watch.late):.1f} ms"
        say("lateness of the event loop, p99", name, watch.p99 / 1000, told)
    above = busy.p99 - idle.p99
    say("lateness above idle, p99", "learning, 100 000 x 37", above / 1000, f"the run is {state}")
    begin = time.perf_counter()
    run.stop()
    while not run.state.is_end:
        qt_app.processEvents()
    say("stop, keep best", "learning, 100 000 x 37", time.perf_counter() - begin, "a model is kept")
    _end(window)


def plots(qt_app: QApplication) -> None:
    """What the window notices of the library of plots being loaded for the first run."""
    window = MainWindow()
    window.show()
    turn(1.0)
    watch, library = Lateness(), plot_library()
    begin = time.perf_counter()
    library.ask()
    while not library.is_loaded:
        turn(0.05)
    seconds = time.perf_counter() - begin
    watch.stop()
    told = f"window late by {max(watch.late):.1f} ms at most, p99 {watch.p99:.1f} ms"
    say("plots loaded beside the window", "pyqtgraph", seconds, told)
    _end(window)


def another_look(qt_app: QApplication) -> None:
    """Light to dark with everything open; every widget is styled and painted anew."""
    window = MainWindow()
    window.resize(1280, 800)
    window.show()
    open_model_file(window.app, ROOT / "sample_data" / "asia.json")
    rows = network_rows("alarm", 1000)
    window.app.change("Import", partial(edits.add_data, entry=DataEntry("alarm", rows)))
    open_data_page(window.app, list(window.app.project.data)[-1])
    window.app.actions.refresh()
    for action in ("learn.learn", "knowledge.edit", "help.contents"):
        window.app.actions[action].trigger()
    turn(1.0)
    begin = time.perf_counter()
    theme().set_look(mode="dark")
    qt_app.processEvents()
    seconds = time.perf_counter() - begin
    say("light to dark", f"{len(qt_app.allWidgets())} widgets", seconds, "five pages open")
    theme().set_look(mode="light")
    _end(window)


def first_event(qt_app: QApplication) -> None:
    """From the start of a run to its first event, with a process ready as the window has it."""
    window = MainWindow()
    window.show()
    app = window.app
    data = read_data(ROOT / "sample_data" / "coronary.csv")
    app.change("Import", partial(edits.add_data, entry=DataEntry("coronary", data)))
    SPARE_CHILD.keep(LOADED_AHEAD)
    times = []
    for _ in range(RUNS):
        turn(5.0)  # until it has loaded
        params: Any = learner_of("tree.chow-liu").params_type()
        request = RunRequest("coronary", "tree.chow-liu", params, 1, list(app.project.data)[-1])
        begin = time.perf_counter()
        run = run_recorder(app).start(request)
        loop = QEventLoop()
        run.changed.connect(loop.quit)
        loop.exec()
        times.append(time.perf_counter() - begin)
        while not run.state.is_end:
            qt_app.processEvents()
    SPARE_CHILD.drop()
    told = f"median {statistics.median(times):.2f} s"
    say("first event of a run", "tree.chow-liu, coronary", min(times), told)
    _end(window)


def first_beliefs(qt_app: QApplication) -> None:
    """Large networks until their first beliefs are shown, from opening the file, which is laid out
    meanwhile; in processor time of the window's process."""
    warm_up()
    folder = Path(tempfile.mkdtemp())
    grid = folder / "grid 30×30.json"
    write_model(grid, ModelFile(grid_network(30), title="grid 30×30"))
    networks = (SHARED / "networks" / f"{name}.bif" for name in ("link", "munin1"))
    for path in (*networks, grid):
        if not path.exists():
            print(f"{path.name} is not at hand, left out")
            continue
        window = MainWindow()
        window.resize(1280, 800)
        window.show()
        qt_app.processEvents()
        begin = time.process_time()
        open_model_file(window.app, path)
        while not ((page := window.app.center.current) and page.asking.live.beliefs):
            qt_app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        seconds, error = time.process_time() - begin, page.asking.live.largest_error
        text = "exact" if error is None else f"estimates with bars of {error:.3f} at most"
        say("first beliefs of a large network", path.stem, seconds, text)
        _end(window)


def _end(window: MainWindow) -> None:
    window.app.document.undo_stack.setClean()
    window.close()


def main() -> None:
    first_paint()
    folder = Path(tempfile.mkdtemp())
    QStandardPaths.setTestModeEnabled(True)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder))
    preferences.preferences_folder = lambda: folder
    qt_app = make_application()
    qt_app.setQuitOnLastWindowClosed(False)
    theme().set_look(mode="light", scale=1.0)
    plots(qt_app)
    lateness(qt_app)
    another_look(qt_app)
    first_event(qt_app)
    first_beliefs(qt_app)


if __name__ == "__main__":
    main()
