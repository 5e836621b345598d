"""Autosave, and its offer after a crash.

Each running program keeps one recovery file, named by its process and a token, since numbers of
processes come back. A file whose process is gone was left by a crash; its project is offered once.
A clean end removes the file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.errors import FileError
from pgmstudio.core.io.atomic import Stamp, make_folder, replace_file
from pgmstudio.core.io.project.project_file import write_project
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.project import preferences
from pgmstudio.gui.widgets.debounce import one_shot


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a crash left behind."""

    file: Path
    name: str  # of the project it belongs to
    path: Path | None
    saved_at: datetime
    stamp: Stamp | None = None  # of the person's file, as the window knew it


_TOKEN = secrets.token_hex(4)
# No number of a process is longer; other files in the folder are none of ours.
_PROCESS = re.compile(r"([0-9]{1,9})-")


def recovery_folder() -> Path:
    return preferences.preferences_folder() / "recovery"


def _own_file() -> Path:
    return recovery_folder() / f"{os.getpid()}-{_TOKEN}.pgmz"


class Autosave(QObject):
    """Writes a recovery copy of the project while it has unsaved changes."""

    saved = Signal(object)  # Path

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._written: Project | None = None
        self._writing: Project | None = None
        self._latest_task = LatestTask(self, self._on_written, self._on_failed)
        self._has_told = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.save_now)
        app.preferences_changed.connect(self._restart)
        app.document.file_changed.connect(self._on_file_changed)
        # A sweep takes long, so its plan is saved at once.
        app.workspace.background_runs.changed.connect(self.save_now)
        # The result of a run is saved at once; parts that cannot be saved are reported at its end.
        self._save_soon = one_shot(self, self.save_now)
        app.workspace.runs.run_ended.connect(self._on_run_ended)
        self._restart()

    @property
    def file(self) -> Path:
        return _own_file()

    def save_now(self) -> None:
        """Write in the background, when there is something new that is not in the person's file."""
        project = self._app.project
        if self._app.document.is_saved or project is self._written or self._latest_task.is_waiting:
            return
        self._writing = project
        file, path = self.file, self._app.document.path
        stamp = self._app.document.stamp
        self._latest_task.ask(lambda _cancel: _write(file, project, path, stamp))

    def discard(self) -> None:
        """The person's own file is up to date, or the end was clean."""
        self._latest_task.wait(5)
        _remove(self.file)
        self._written = None

    def stop(self) -> None:
        self._timer.stop()
        self._save_soon.stop()
        self._latest_task.forget()
        self.discard()

    def _on_written(self, lost: tuple[str, ...]) -> None:
        self._written = self._writing
        if lost:
            why = f"{' '.join(lost)} The copy for recovery holds the rest."
            self._report(FileError(self.file, why))
        else:
            self._has_told = False
        self.saved.emit(self.file)

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, FileError):
            self._report(error)
            return
        failure = FileError(
            self.file,
            f"no copy for recovery could be written (internal error: {error!r}). "
            "Save your project often.",
        )
        failure.__cause__ = error
        self._report(failure)

    def _report(self, error: FileError) -> None:
        """Once: what cannot be written now cannot be written in a minute either."""
        if not self._has_told:
            self._has_told = True
            self._app.errors.report_loss(error)

    def _on_run_ended(self, _run: object) -> None:
        self._save_soon.start()  # when its model is in the project

    def _on_file_changed(self) -> None:
        if self._app.document.is_saved:
            self.discard()

    def _restart(self, *_: object) -> None:
        self._timer.start(max(1, self._app.preferences.autosave_seconds) * 1000)


def _write(file: Path, project: Project, path: Path | None, stamp: Stamp | None) -> tuple[str, ...]:
    """A message for each part of the project that could not be written."""
    try:
        make_folder(file.parent, private=True)
        _write_facts(file, path, stamp)
        return write_project(file, project, private=True)
    except FileError as problem:
        why = f"no copy for recovery could be written: {problem.message} Save your project often."
        raise FileError(problem.path, why) from problem


def _write_facts(file: Path, path: Path | None, stamp: Stamp | None) -> None:
    """Whose project the file holds, and which process writes it."""
    facts = {
        "path": str(path) if path else None,
        "stamp": stamp,
        "name": path.name if path else "untitled",
        "process": os.getpid(),
        "began": _began(os.getpid()),
    }
    replace_file(file.with_suffix(".json"), json.dumps(facts).encode(), private=True)


def left_behind() -> list[Recovered]:
    """The recovery files whose processes are gone, newest first."""
    entries = []
    for file in recovery_folder().glob("*.pgmz"):
        process = _PROCESS.match(file.name)
        if file == _own_file() or process is None or not file.is_file():
            continue
        facts = _facts(file)
        if _is_running(int(process[1]), facts.get("began")):
            continue
        path = Path(str(facts["path"])) if facts.get("path") else None
        name = str(facts.get("name", "untitled"))
        saved_at = datetime.fromtimestamp(file.stat().st_mtime)
        entries.append(Recovered(file, name, path, saved_at, _stamp_in(facts)))
    return sorted(entries, key=lambda entry: entry.saved_at, reverse=True)


def _facts(file: Path) -> dict[str, object]:
    try:
        facts = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _stamp_in(facts: Mapping[str, object]) -> Stamp | None:
    match facts.get("stamp"):
        case [int(modified), int(size), int(number)]:
            return modified, size, number
    return None


def _is_running(process: int, began: object) -> bool:
    """Whether the process that wrote the file lives, and not another one with its number."""
    if process == os.getpid():
        return False
    if not _exists(process):
        return False
    now = _began(process)
    return now != _ENDED and (began is None or now is None or now == began)


def _exists(process: int) -> bool:
    if sys.platform == "win32":  # where signal 0 is Ctrl+C
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, process)
        ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # the process is alive and belongs to another user
    return True


_ENDED = "ended"


def _began(process: int) -> str | None:
    """When it began, as the system counts; None where that cannot be asked."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    # A process that has ended, but nobody has asked how, writes no more.
    return _ENDED if fields[0] == "Z" else fields[19]


def take_over(entry: Recovered) -> None:
    """Make a recovery copy this program's own: another crash before the next save loses nothing."""
    # What cannot be renamed is offered once more, which does no harm.
    with contextlib.suppress(OSError, FileError):
        _write_facts(_own_file(), entry.path, entry.stamp)
        entry.file.replace(_own_file())
        _remove(entry.file)


def forget(entry: Recovered) -> None:
    """Not to be offered again."""
    _remove(entry.file)


def _remove(file: Path) -> None:
    for each in (file, file.with_suffix(".json")):
        # What cannot be removed was never written, or will be offered once more; both do no harm.
        with contextlib.suppress(OSError):
            each.unlink(missing_ok=True)


def offer_recovery(app: AppContext) -> None:
    """After a crash, show the welcome page with the recovery note."""
    if left_behind():
        open_welcome(app)
