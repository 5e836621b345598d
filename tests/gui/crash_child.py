"""A window of its own process that says what it does, to be killed while it does it.

`python -m tests.gui.crash_child WHEN`: half, whole or between, the moment of an autosave at which
it stops and waits to be killed; or learning.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QTimer

from pgmstudio.core.io import atomic
from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.files.recovery import recovery_folder
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.window.application import apply_preferences, make_application
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler, sprinkler


def say(*words: object) -> None:
    print(*words, flush=True)


def stop_here(moment: str) -> None:
    """Say where it is and go no further."""
    say("now", moment)
    threading.Event().wait()


class Victim:
    """Saves once, changes something, and meets its end at the moment asked for."""

    def __init__(self, window: MainWindow, when: str) -> None:
        self._window, self._when = window, when
        add_sprinkler(window.app)
        window.autosave.saved.connect(self._on_saved)
        window.autosave.save_now()

    def _on_saved(self, file: Path) -> None:
        say("saved", file, len(project_bytes(self._window.app.project)))
        if self._when == "learning":
            self._learn()
            return
        _stop_while_writing(self._when)
        self._window.app.change("Rename", partial(edits.set_title, title="too late"))
        # The first save is over when whoever hears of it is done.
        QTimer.singleShot(0, self._window.autosave.save_now)

    def _learn(self) -> None:
        app = self._window.app
        rows = sprinkler().sample(200_000, np.random.default_rng(0))
        entry = DataEntry("many", rows)
        app.document.show(edits.add_data(app.project, entry=entry))
        learner = learner_of("bn.hill-climb")
        params: Any = learner.params_type(restarts=1_000_000)
        data_id = list(app.project.data)[-1]
        request = RunRequest("endless", "bn.hill-climb", params, 1, data_id)
        run = run_recorder(app).start(request)
        run.changed.connect(partial(self._on_progress, run))

    def _on_progress(self, run: LearningRun) -> None:
        if run.trace.steps or run.best is not None:
            say("now", "learning", *_blocks())


def _blocks() -> set[str]:
    """The shared memory of this program, and of no other that runs beside it."""
    return set(re.findall(r"/dev/shm/(psm_\w+)", Path("/proc/self/maps").read_text()))


def _stop_while_writing(when: str) -> None:
    write, move = atomic._write_through, os.replace

    def writing(part: Path, content: bytes, permissions: int | None) -> None:
        is_project = ".pgmz." in part.name
        if when == "between" and is_project:
            stop_here(when)
        if when == "half" and is_project:
            write(part, content[: len(content) // 2], permissions)
            stop_here(when)
        write(part, content, permissions)

    def moving(source: Any, target: Any) -> None:
        if when == "whole" and str(target).endswith(".pgmz"):
            stop_here(when)
        move(source, target)

    atomic._write_through = writing
    os.replace = moving


def main(when: str) -> int:
    qt_app = make_application()
    apply_preferences()
    window = MainWindow()
    window.app.errors.install()
    window.show()
    say("folder", recovery_folder())
    QTimer.singleShot(0, lambda: setattr(window, "victim", Victim(window, when)))
    return int(qt_app.exec())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
