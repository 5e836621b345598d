"""Autosave, and its offer after a crash.

Each running window keeps one recovery file, named by its process. A file whose process is gone was
left by a crash; its project is offered once. A clean end removes the file.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.project_file import project_bytes, read_project
from pgmstudio.core.project.project import Project
from pgmstudio.gui.app import preferences
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.workers.questions import Asker


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a crash left behind."""

    file: Path
    name: str  # of the project it belongs to
    path: Path | None
    saved_at: datetime


def recovery_folder() -> Path:
    return preferences.preferences_folder() / "recovery"


class Autosave(QObject):
    """Writes the project beside the person's files whenever it has unsaved changes."""

    saved = Signal(object)  # Path

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._written: Project | None = None
        self._writing: Project | None = None
        self._asker = Asker(self)
        self._asker.answered.connect(self._on_written)
        self._asker.failed.connect(shell.errors.report)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.save_now)
        shell.preferences_changed.connect(self._restart)
        shell.document.file_changed.connect(self._on_file_changed)
        self._restart()

    @property
    def file(self) -> Path:
        return recovery_folder() / f"{os.getpid()}.pgmz"

    def save_now(self) -> None:
        """Write in the background, when there is something new that is not in the person's file."""
        project = self._shell.project
        if self._shell.document.is_saved or project is self._written or self._asker.is_waiting:
            return
        self._writing = project
        file, path = self.file, self._shell.document.path
        self._asker.ask(lambda _cancel: _write(file, project, path))

    def discard(self) -> None:
        """The person's own file is up to date, or the end was clean."""
        self._asker.wait(5)
        for file in (self.file, self.file.with_suffix(".json")):
            file.unlink(missing_ok=True)
        self._written = None

    def stop(self) -> None:
        self._timer.stop()
        self._asker.forget()
        self.discard()

    def _on_written(self, file: object) -> None:
        self._written = self._writing
        self.saved.emit(file)

    def _on_file_changed(self) -> None:
        if self._shell.document.is_saved:
            self.discard()

    def _restart(self, *_: object) -> None:
        self._timer.start(max(1, self._shell.preferences.autosave_seconds) * 1000)


def _write(file: Path, project: Project, path: Path | None) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    facts = {"path": str(path) if path else None, "name": path.name if path else "untitled"}
    replace_file(file.with_suffix(".json"), json.dumps(facts).encode())
    replace_file(file, project_bytes(project))
    return file


def left_behind() -> list[Recovered]:
    """The recovery files whose processes are gone, newest first."""
    found = []
    for file in recovery_folder().glob("*.pgmz"):
        if not file.stem.isdigit() or _is_running(int(file.stem)):
            continue
        try:
            facts = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
            path = Path(facts["path"]) if facts["path"] else None
            name = str(facts["name"])
        except (OSError, ValueError, KeyError, TypeError):
            path, name = None, "untitled"
        when = datetime.fromtimestamp(file.stat().st_mtime)
        found.append(Recovered(file, name, path, when))
    return sorted(found, key=lambda entry: entry.saved_at, reverse=True)


def _is_running(process: int) -> bool:
    if process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return not _is_zombie(process)


def _is_zombie(process: int) -> bool:
    """Ended, but nobody has asked how; it writes no more."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] == ["Z"]


def recover(shell: Shell, entry: Recovered) -> None:
    """Open what was kept, as unsaved changes of its project, and forget the recovery file."""
    from pgmstudio.gui.app.closing import settled
    from pgmstudio.gui.app.opening import show_project

    try:
        project = read_project(entry.file)
    except PgmStudioError as error:
        shell.errors.report(error)
        return
    if settled(shell):
        show_project(shell, project, entry.path, saved=False)
        forget(entry)


def forget(entry: Recovered) -> None:
    entry.file.unlink(missing_ok=True)
    entry.file.with_suffix(".json").unlink(missing_ok=True)


def offer_recovery(shell: Shell) -> None:
    """After a crash: the welcome page with its note in front."""
    from pgmstudio.gui.app.opening import open_welcome

    if left_behind():
        open_welcome(shell)
