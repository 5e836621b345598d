"""Reading and writing projects: small ones at once, large ones beside the window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pgmstudio.core.data.counting import Told, unheard
from pgmstudio.core.io.atomic import Stamp, file_stamp
from pgmstudio.core.io.child_reading import read_model_in_child
from pgmstudio.core.io.model_files import ModelFile, read_model
from pgmstudio.core.io.project_file import read_project, write_project
from pgmstudio.core.project.project import Project
from pgmstudio.core.running import NEVER, CancelToken
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.dialogs.waiting import done_beside

# Read or written in less than a tenth of a second.
SMALL_FILE = 2 << 20  # bytes
SMALL_TEXT = 1 << 18  # bytes of a model file, packed or not
SMALL_DATA = 4 << 20  # bytes of codes


@dataclass(frozen=True, slots=True)
class OpenedProject:
    """A project, the stamp of its file when it was read, and a sentence for each part that could
    not be read."""

    project: Project
    stamp: Stamp | None
    left_out: tuple[str, ...]


def read_beside(shell: Shell, path: Path) -> OpenedProject:
    """The project in a file; Cancelled when the person does not want to wait for it."""
    if not path.is_file() or path.stat().st_size < SMALL_FILE:
        return _read(path, NEVER, unheard)
    return done_beside(shell.window, f"Opening {path.name}", partial(_read, path))


def read_model_beside(shell: Shell, path: Path) -> ModelFile:
    """The model in a file; Cancelled when the person does not want to wait for it."""
    return done_beside(shell.window, f"Opening {path.name}", partial(_read_model, path))


def _read_model(path: Path, cancel: CancelToken, _told: Told) -> ModelFile:
    # Taking a long text apart would hold up the window from another thread, too.
    is_small = not path.is_file() or path.stat().st_size < SMALL_TEXT
    return read_model(path) if is_small else read_model_in_child(path, cancel)


def write_beside(shell: Shell, path: Path, project: Project) -> tuple[str, ...]:
    """Save the project; a sentence for each part that could not be written. When that is stopped
    the old file is as it was."""
    if sum(entry.data.codes.nbytes for entry in project.data.values()) < SMALL_DATA:
        return write_project(path, project)
    work = partial(write_project, path, project)
    return done_beside(shell.window, f"Saving {path.name}", work)


def _read(path: Path, cancel: CancelToken, told: Told) -> OpenedProject:
    stamp = file_stamp(path)
    left_out: list[str] = []
    project = read_project(path, cancel, told, left_out=left_out)
    for entry in project.data.values():
        cancel.raise_if_cancelled()
        entry.data.prepared()
    return OpenedProject(project, stamp, tuple(left_out))
