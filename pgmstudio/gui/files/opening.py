"""Opening of projects, models, data files and evidence, by menu, drop or command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pgmstudio.core.data.counting import ReportFraction, ignore_progress
from pgmstudio.core.errors import Cancelled, PgmStudioError, ProjectFileError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.io.atomic import Stamp, file_stamp
from pgmstudio.core.io.child_reading import read_model_in_child
from pgmstudio.core.io.models.files import ModelFile, is_model_path, read_model
from pgmstudio.core.io.models.project_entry import model_entry
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.files import EVIDENCE_ENDING, open_evidence
from pgmstudio.gui.jobs.progress_dialog import run_with_progress
from pgmstudio.gui.navigation import (
    add_and_show_model,
    open_data_page,
    open_import_page,
    open_model_page,
    open_welcome,
)

PROJECT_ENDING = ".pgmz"


def begin(app: AppContext, files: Sequence[Path]) -> None:
    """Show the given files, or the welcome page, at start."""
    from pgmstudio.gui.files.recovery import offer_recovery

    if files:
        open_files(app, files)
    if not app.center.pages:
        open_welcome(app)
    offer_recovery(app)


def open_files(app: AppContext, files: Sequence[Path]) -> None:
    """Open each file by its ending; what cannot be opened is reported and skipped."""
    for file in files:
        try:
            open_file(app, file)
        except (PgmStudioError, Cancelled) as error:
            app.errors.report(error)


def open_file(app: AppContext, path: Path) -> None:
    if path.suffix == PROJECT_ENDING:
        open_project(app, path)
    elif is_model_path(path):
        open_model_file(app, path)
    elif path.suffix.lower() == EVIDENCE_ENDING:
        open_evidence(app, path)
    else:
        open_import_page(app, path)


def open_project(app: AppContext, path: Path) -> None:
    """Replace the open project, after asking about unsaved changes."""
    from pgmstudio.gui.files.closing import settled

    opened = read_with_progress(app, path)
    if not settled(app):
        return
    show_project(app, opened.project, path, stamp=opened.stamp)
    app.set_preferences(app.preferences.with_recent(path))
    report_left_out(app, path, opened.left_out)


def report_left_out(app: AppContext, path: Path, left_out: Sequence[str]) -> None:
    """Report the parts of a project that could not be read."""
    if left_out:
        advice = "The rest was opened. Keep a copy of the file before you save the project."
        app.errors.report_loss(ProjectFileError(path, " ".join([*left_out, advice])))


def show_project(
    app: AppContext,
    project: Project,
    path: Path | None,
    *,
    saved: bool = True,
    stamp: Stamp | None = None,
) -> None:
    """Make `project` the open one and show its first model or data set."""
    app.center.close_all()
    app.document.replace(project, path, saved=saved, stamp=stamp)
    for model_id in list(project.models)[:1]:
        open_model_page(app, model_id)
    if not project.models:
        for data_id in list(project.data)[:1]:
            open_data_page(app, data_id)
    if not app.center.pages:
        open_welcome(app)


def open_model_file(app: AppContext, path: Path) -> None:
    """Add the model of a file to the project and show it."""

    file = read_model_with_progress(app, path)
    for warning in file.warnings:
        app.log("warning", warning)
    entry = model_entry(file, file.title or path.name.split(".")[0])
    add_and_show_model(app, entry, f"Open {path.name}")
    if file.warnings:
        more = f" {len(file.warnings) - 1} more in the log." if len(file.warnings) > 1 else ""
        app.notify(file.warnings[0] + more)


# Read or written in less than a tenth of a second.
SMALL_FILE = 2 << 20  # bytes
SMALL_TEXT = 1 << 18  # bytes of a model file, packed or not
SMALL_DATA = 4 << 20  # bytes of codes


@dataclass(frozen=True, slots=True)
class OpenedProject:
    """A project, the stamp of its file when it was read, and a message for each part that could
    not be read."""

    project: Project
    stamp: Stamp | None
    left_out: tuple[str, ...]


def read_with_progress(app: AppContext, path: Path) -> OpenedProject:
    """The project in a file; Cancelled when the person does not want to wait for it."""
    if not path.is_file() or path.stat().st_size < SMALL_FILE:
        return _read(path, NEVER, ignore_progress)
    return run_with_progress(app.window, f"Opening {path.name}", partial(_read, path))


def read_model_with_progress(app: AppContext, path: Path) -> ModelFile:
    """The model in a file; Cancelled when the person does not want to wait for it."""
    return run_with_progress(app.window, f"Opening {path.name}", partial(_read_model, path))


def _read_model(path: Path, cancel: CancelToken, _report_fraction: ReportFraction) -> ModelFile:
    # Taking a long text apart would hold up the window from another thread, too.
    is_small = not path.is_file() or path.stat().st_size < SMALL_TEXT
    return read_model(path) if is_small else read_model_in_child(path, cancel)


def write_with_progress(app: AppContext, path: Path, project: Project) -> tuple[str, ...]:
    """Save the project; returns a message for each part that could not be written. When it is
    stopped the old file is unchanged."""
    if sum(entry.data.codes.nbytes for entry in project.data.values()) < SMALL_DATA:
        return write_project(path, project)
    work = partial(write_project, path, project)
    return run_with_progress(app.window, f"Saving {path.name}", work)


def _read(path: Path, cancel: CancelToken, report_fraction: ReportFraction) -> OpenedProject:
    stamp = file_stamp(path)
    left_out: list[str] = []
    project = read_project(path, cancel, report_fraction, left_out=left_out)
    for entry in project.data.values():
        cancel.raise_if_cancelled()
        entry.data.prepared()
    return OpenedProject(project, stamp, tuple(left_out))
