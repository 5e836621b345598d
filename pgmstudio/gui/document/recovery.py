"""Autosave, and its offer after a crash.

Each running program keeps one recovery file, named by its process and a token, since numbers of
processes come back. A file whose process is gone was left by a crash; its project is offered once.
A clean end removes the file.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.errors import Cancelled, FileError, PgmStudioError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.project_file import project_bytes
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


_TOKEN = secrets.token_hex(4)


def recovery_folder() -> Path:
    return preferences.preferences_folder() / "recovery"


def _own_file() -> Path:
    return recovery_folder() / f"{os.getpid()}-{_TOKEN}.pgmz"


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
        self._asker.failed.connect(self._on_failed)
        self._has_told = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.save_now)
        shell.preferences_changed.connect(self._restart)
        shell.document.file_changed.connect(self._on_file_changed)
        shell.bench.beside.changed.connect(self.save_now)  # a sweep lasts long; its plan is kept
        self._restart()

    @property
    def file(self) -> Path:
        return _own_file()

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
        _remove(self.file)
        self._written = None

    def stop(self) -> None:
        self._timer.stop()
        self._asker.forget()
        self.discard()

    def _on_written(self, file: object) -> None:
        self._written, self._has_told = self._writing, False
        self.saved.emit(file)

    def _on_failed(self, error: BaseException) -> None:
        """Told once: what cannot be written now cannot be written in a minute either."""
        if not self._has_told:
            self._has_told = True
            self._shell.errors.report(error)

    def _on_file_changed(self) -> None:
        if self._shell.document.is_saved:
            self.discard()

    def _restart(self, *_: object) -> None:
        self._timer.start(max(1, self._shell.preferences.autosave_seconds) * 1000)


def _write(file: Path, project: Project, path: Path | None) -> Path:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        why = f"copies for recovery cannot be kept: {problem.strerror}. Save your project often."
        raise FileError(file.parent, why) from problem
    _write_facts(file, path)
    replace_file(file, project_bytes(project))
    return file


def _write_facts(file: Path, path: Path | None) -> None:
    """Whose project the file holds, and which process writes it."""
    facts = {
        "path": str(path) if path else None,
        "name": path.name if path else "untitled",
        "process": os.getpid(),
        "began": _began(os.getpid()),
    }
    replace_file(file.with_suffix(".json"), json.dumps(facts).encode())


def left_behind() -> list[Recovered]:
    """The recovery files whose processes are gone, newest first."""
    found = []
    for file in recovery_folder().glob("*.pgmz"):
        process = file.stem.partition("-")[0]
        if file == _own_file() or not process.isdigit():
            continue
        facts = _facts(file)
        if _is_running(int(process), facts.get("began")):
            continue
        path = Path(str(facts["path"])) if facts.get("path") else None
        name = str(facts.get("name", "untitled"))
        found.append(Recovered(file, name, path, datetime.fromtimestamp(file.stat().st_mtime)))
    return sorted(found, key=lambda entry: entry.saved_at, reverse=True)


def _facts(file: Path) -> dict[str, object]:
    try:
        facts = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


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
        pass  # it lives and belongs to somebody else
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


def recover(shell: Shell, entry: Recovered) -> None:
    """Open what was kept, as unsaved changes of its project.

    The file becomes this program's own: another crash before the next autosave loses nothing.
    """
    from pgmstudio.gui.app.closing import settled
    from pgmstudio.gui.app.opening import show_project
    from pgmstudio.gui.app.project_files import read_beside

    try:
        project = read_beside(shell, entry.file)
    except (PgmStudioError, Cancelled) as error:
        shell.errors.report(error)
        return
    if settled(shell):
        show_project(shell, project, entry.path, saved=False)
        _take_over(entry)


def _take_over(entry: Recovered) -> None:
    # What cannot be renamed is offered once more, which does no harm.
    with contextlib.suppress(OSError):
        _write_facts(_own_file(), entry.path)
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


def offer_recovery(shell: Shell) -> None:
    """After a crash: the welcome page with its note in front."""
    from pgmstudio.gui.app.opening import open_welcome

    if left_behind():
        open_welcome(shell)
