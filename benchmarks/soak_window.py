"""A long walk through the window: memory, stalls of the event loop and live widgets.

    python benchmarks/soak_window.py [--minutes 60]

One round opens a project with a data set, learns from it with a learner of every language, opens
each model, sets evidence, edits and undoes, opens the pages of the data and of the runs, saves, and
closes everything for the next round. A program that keeps nothing has as much memory and as many
widgets after the last round as after the third; the first rounds load modules and fill caches.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication, QGraphicsItem, QWidget

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, Project
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.project import preferences
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.application import GuiThreadCollector, make_application
from pgmstudio.gui.window.main_window import MainWindow

SAMPLES = Path(__file__).resolve().parent.parent / "sample_data"
BEAT_MS = 20
ACTIONS = ("learn.learn", "knowledge.edit", "help.contents", "data.associations")


class Heart(QObject):
    """How late a timer comes at most, in milliseconds, and how long the thread worked meanwhile.

    The second is what the window does itself; the first also waits for other programs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.longest = self.longest_work = 0.0
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def _beat(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.longest = max(self.longest, 1000 * (now - self._last) - BEAT_MS)
        self.longest_work = max(self.longest_work, 1000 * (worked - self._worked))
        self._last, self._worked = now, worked


def turn(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        QApplication.processEvents()
        time.sleep(0.002)


def rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def learners() -> list[str]:
    """One learner of every language."""
    keys = []
    for row in LANGUAGES.values():
        for key in row.learners:
            if not getattr(learner_of(key), "needs_start", False):
                keys.append(key)
                break
    return keys


def one_round(window: MainWindow, rows: object) -> None:
    app = window.app
    show_project(app, Project(), None)
    app.change("Import", partial(edits.add_data, entry=DataEntry("coronary", rows)))  # type: ignore[arg-type]
    data_id = next(iter(app.project.data))
    open_data_page(app, data_id)
    turn(0.2)
    for key in learners():
        params = learner_of(key).params_type()
        request = RunRequest(key, key, params, 1, data_id, None)
        run = run_recorder(app).start(request)
        end = time.perf_counter() + 60
        while not run.state.is_end and time.perf_counter() < end:
            turn(0.05)
        run.stop()
        while not run.state.is_end:
            turn(0.05)
    turn(0.2)
    for model_id in list(app.project.models):
        open_model_page(app, model_id)
        turn(0.4)
        live = app.workspace.active_beliefs
        if live is not None:
            name = app.project.models[model_id].model.domain.names[0]
            state = app.project.models[model_id].model.domain[name].states[0]
            live.set_finding(name, Observed(state))
            turn(0.2)
            live.retract(name)
        rename = partial(edits.rename_model, model_id=model_id, title="Renamed")
        app.change("Rename", rename)
        app.document.undo_stack.undo()
        turn(0.1)
    for action in ACTIONS:
        app.actions.refresh(action)
        if app.actions[action].isEnabled():
            app.actions[action].trigger()
            turn(0.2)
    app.document.undo_stack.setClean()
    show_project(app, Project(), None)
    turn(0.3)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    turn(0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--objects", action="store_true", help="count Python objects by class")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    QStandardPaths.setTestModeEnabled(True)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder))
    preferences.preferences_folder = lambda: folder
    qt_app = make_application()
    theme().set_look(mode="light", scale=1.0)
    collector = GuiThreadCollector(qt_app)
    window = MainWindow()
    window.resize(1280, 800)
    window.show()
    turn(1.0)
    rows = read_data(SAMPLES / "coronary.csv")
    start = time.perf_counter()
    print(f"start: {rss_mb():.0f} MB, {len(qt_app.allWidgets())} widgets", flush=True)
    before: Counter[str] = Counter()
    number = 0
    while time.perf_counter() - start < 60 * args.minutes:
        number += 1
        heart = Heart()
        one_round(window, rows)
        gc.collect()
        print(
            f"round {number}: {(time.perf_counter() - start) / 60:5.1f} min, {rss_mb():6.0f} MB, "
            f"{len(qt_app.allWidgets())} widgets, longest stall {heart.longest:.0f} ms "
            f"({heart.longest_work:.0f} ms of work), {len(window.app.center.pages)} pages",
            flush=True,
        )
        if args.objects:
            kinds = Counter(
                f"{type(o).__module__}.{type(o).__qualname__}"
                for o in gc.get_objects()
                if isinstance(o, QObject | QGraphicsItem | QWidget)
                or str(type(o).__module__).startswith("pgmstudio")
            )
            if before:
                grown = {k: n - before[k] for k, n in kinds.items() if n > before[k]}
                for kind, more in sorted(grown.items(), key=lambda one: -one[1])[:25]:
                    print(f"    +{more} {kind} ({kinds[kind]})", flush=True)
            before = kinds
    collector.stop()
    window.app.document.undo_stack.setClean()
    window.close()


if __name__ == "__main__":
    main()
