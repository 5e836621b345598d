"""Opening of projects, models, data files and evidence, by menu, drop or command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pgmstudio.core.data.counting import ReportFraction, ignore_progress
from pgmstudio.core.data.dataset import Imported
from pgmstudio.core.errors import PgmStudioError, ProjectFileError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.io.atomic import Stamp, file_stamp
from pgmstudio.core.io.child_reading import read_model_in_child
from pgmstudio.core.io.models.files import ModelFile, is_model_path, read_model
from pgmstudio.core.io.models.project_entry import file_fingerprint, model_entry, open_model
from pgmstudio.core.io.project.project_file import read_project
from pgmstudio.core.project.edits import add_data, with_distinct_titles
from pgmstudio.core.project.project import DataEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.files import EVIDENCE_ENDING, open_evidence
from pgmstudio.gui.files.closing import when_settled
from pgmstudio.gui.files.recovery import Recovered, offer_recovery, take_over
from pgmstudio.gui.files.saving import PROJECT_ENDING
from pgmstudio.gui.jobs.progress_dialog import run_with_progress
from pgmstudio.gui.navigation import (
    add_and_show_model,
    open_data_page,
    open_import_page,
    open_model_page,
    open_welcome,
)
from pgmstudio.gui.widgets.file_dialog import FileKind, remember_folder
from pgmstudio.gui.widgets.question_box import Answer, Then, ask, nothing

_KINDS: dict[str, FileKind] = {PROJECT_ENDING: "project", EVIDENCE_ENDING: "evidence"}


def begin(app: AppContext, files: Sequence[Path]) -> None:
    """Show the given files, or the welcome page, at start."""

    def on_opened() -> None:
        if not app.center.pages:
            open_welcome(app)
        offer_recovery(app)

    open_files(app, files, on_opened)


def open_files(app: AppContext, files: Sequence[Path], then: Then = nothing) -> None:
    """Open each file by its ending; what cannot be opened is reported and skipped."""
    if files:
        open_file(app, files[0], partial(open_files, app, files[1:], then))
    else:
        then()


def open_dropped(app: AppContext, files: Sequence[Path]) -> None:
    """Open files that were dropped; the next dialog for such files begins in their folder."""
    for file in files:
        remember_folder(_kind_of(file), file.parent)
    open_files(app, files)


def _kind_of(path: Path) -> FileKind:
    """The dialog that offers files with this ending."""
    if is_model_path(path):
        return "project"  # one dialog opens both
    return _KINDS.get(path.suffix.lower(), "data")


def open_file(app: AppContext, path: Path, then: Then = nothing) -> None:
    """Open a file by its ending; `then` is called when it is open or cannot be opened."""
    from pgmstudio.core.io.data.large_table import is_large

    openers = {PROJECT_ENDING: open_project, EVIDENCE_ENDING: open_evidence}
    opener = open_model_file if is_model_path(path) else openers.get(path.suffix.lower())

    def on_failed(error: BaseException) -> None:
        app.errors.report(error)
        then()

    if opener is not None:
        opener(app, path, then, on_failed)
        return
    if not is_large(path):
        _import(app, path, then)
        return
    ask(
        app.window,
        "largeTableBox",
        f"{path.name} is large. Leave its rows in the file?",
        {
            Answer.Yes: ("Leave in file", partial(open_large_table, app, path, then, on_failed)),
            Answer.No: ("Import", partial(_import, app, path, then)),
        },
        then,
        more="Learners that need only counts read them in chunks, in memory that does not grow "
        "with the rows. Pages that show or change rows need an import.",
        default=Answer.Yes,
    )


def _import(app: AppContext, path: Path, then: Then) -> None:
    try:
        open_import_page(app, path)
    except PgmStudioError as error:
        app.errors.report(error)
    then()


def open_large_table(
    app: AppContext,
    path: Path,
    then: Then = nothing,
    failed: Callable[[BaseException], object] | None = None,
) -> None:
    """Add a table that stays in its file to the project and show it."""
    from pgmstudio.core.execution.child_process import in_process

    def show(imported: Imported) -> None:
        for warning in imported.warnings:
            app.log("warning", warning)
        data_id = app.project.next_data_id()
        entry = DataEntry(path.stem, imported.data, source=path.name, cuts=imported.cuts)
        if app.change(f"Open {path.name}", partial(add_data, entry=entry)):
            open_data_page(app, data_id)
        then()

    def work(cancel: CancelToken, report: ReportFraction) -> Imported:
        (imported,) = in_process(partial(_opened_table, path), cancel)
        return imported

    run_with_progress(app.window, f"Opening {path.name}", work, show, failed or app.errors.report)


def _opened_table(path: Path, cancel: CancelToken) -> Iterator[Imported]:
    from pgmstudio.core.io.data.large_table import open_table

    yield open_table(path, cancel=cancel)


def open_project(
    app: AppContext,
    path: Path,
    then: Then,
    failed: Callable[[BaseException], object],
) -> None:
    """Replace the open project, after asking about unsaved changes."""

    def show(opened: OpenedProject) -> None:
        def replace() -> None:
            show_project(app, opened.project, path, stamp=opened.stamp)
            app.set_preferences(app.preferences.with_recent(path))
            report_left_out(app, path, opened.left_out)
            then()

        when_settled(app, replace, then)

    read_with_progress(app, path, show, failed)


def recover(app: AppContext, entry: Recovered) -> None:
    """Open a recovery copy as unsaved changes of its project."""

    def show(opened: OpenedProject) -> None:
        def replace() -> None:
            show_project(app, opened.project, entry.path, saved=False, stamp=entry.stamp)
            take_over(entry)
            report_left_out(app, entry.file, opened.left_out)

        when_settled(app, replace)

    read_with_progress(app, entry.file, show, app.errors.report)


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
    project = with_distinct_titles(project)
    app.document.replace(project, path, saved=saved, stamp=stamp)
    for model_id in list(project.models)[:1]:
        open_model_page(app, model_id)
    if not project.models:
        for data_id in list(project.data)[:1]:
            open_data_page(app, data_id)
    if not app.center.pages:
        open_welcome(app)


def open_model_file(
    app: AppContext,
    path: Path,
    then: Then = nothing,
    failed: Callable[[BaseException], object] | None = None,
) -> None:
    """Add the model of a file to the project and show it."""

    def show(read: tuple[ModelFile, str]) -> None:
        file, fingerprint = read
        for warning in file.warnings:
            app.log("warning", warning)
        title = file.title or path.name.split(".")[0]
        how = partial(open_model, path=str(path.absolute()), title=title, fingerprint=fingerprint)
        add_and_show_model(app, model_entry(file, title), f"Open {path.name}", how)
        if file.warnings:
            more = f" {len(file.warnings) - 1} more in the log." if len(file.warnings) > 1 else ""
            app.notify(file.warnings[0] + more)
        then()

    work = partial(_read_model, path)
    run_with_progress(app.window, f"Opening {path.name}", work, show, failed or app.errors.report)


# Read in less than a tenth of a second.
SMALL_FILE = 2 << 20  # bytes
SMALL_TEXT = 1 << 18  # bytes of a model file, packed or not


@dataclass(frozen=True, slots=True)
class OpenedProject:
    """A project, the stamp of its file when it was read, and a message for each part that could
    not be read."""

    project: Project
    stamp: Stamp | None
    left_out: tuple[str, ...]


def read_with_progress(
    app: AppContext,
    path: Path,
    then: Callable[[OpenedProject], object],
    failed: Callable[[BaseException], object],
) -> None:
    """Read the project in a file; Cancelled when the person does not want to wait for it."""
    if path.is_file() and path.stat().st_size >= SMALL_FILE:
        work = partial(_read, path)
        run_with_progress(app.window, f"Opening {path.name}", work, then, failed)
        return
    try:
        opened = _read(path, NEVER, ignore_progress)
    except PgmStudioError as error:
        failed(error)
    else:
        then(opened)


def _read_model(
    path: Path, cancel: CancelToken, _report_fraction: ReportFraction
) -> tuple[ModelFile, str]:
    # Taking a long text apart would hold up the window from another thread, too.
    is_small = not path.is_file() or path.stat().st_size < SMALL_TEXT
    file = read_model(path) if is_small else read_model_in_child(path, cancel)
    return file, file_fingerprint(path)


def _read(path: Path, cancel: CancelToken, report_fraction: ReportFraction) -> OpenedProject:
    stamp = file_stamp(path)
    left_out: list[str] = []
    project = read_project(path, cancel, report_fraction, left_out=left_out)
    for entry in project.data.values():
        cancel.raise_if_cancelled()
        entry.data.prepared()
    return OpenedProject(project, stamp, tuple(left_out))
