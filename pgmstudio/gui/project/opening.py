"""Opening things: projects, models, data files and samples; by menu, drop or command line.

Reading and writing projects: small ones at once, large ones beside the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pgmstudio.core.data.counting import Told, unheard
from pgmstudio.core.errors import Cancelled, PgmStudioError, ProjectFileError, UnknownNameError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.io.atomic import Stamp, file_stamp
from pgmstudio.core.io.child_reading import read_model_in_child
from pgmstudio.core.io.models.files import ModelFile, is_model_path, read_model
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages.diagrams import picture_names
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.evidence.files import EVIDENCE_ENDING, open_evidence
from pgmstudio.gui.window.app_context import Shell
from pgmstudio.gui.window.page import Page
from pgmstudio.gui.window.progress_dialog import done_beside

PROJECT_ENDING = ".pgmz"


def begin(shell: Shell, files: Sequence[Path]) -> None:
    """What the window shows first: the files given, or the welcome page."""
    from pgmstudio.gui.project.recovery import offer_recovery

    if files:
        open_files(shell, files)
    if not shell.center.pages:
        open_welcome(shell)
    offer_recovery(shell)


def open_files(shell: Shell, files: Sequence[Path]) -> None:
    """Each file in the way its ending says; what cannot be opened is told and skipped."""
    for file in files:
        try:
            open_file(shell, file)
        except (PgmStudioError, Cancelled) as error:
            shell.errors.report(error)


def open_file(shell: Shell, path: Path) -> None:
    if path.suffix == PROJECT_ENDING:
        open_project(shell, path)
    elif is_model_path(path):
        open_model_file(shell, path)
    elif path.suffix.lower() == EVIDENCE_ENDING:
        open_evidence(shell, path)
    else:
        open_import_page(shell, path)


def open_project(shell: Shell, path: Path) -> None:
    """Replace the open project, after asking about unsaved changes."""
    from pgmstudio.gui.project.closing import settled

    opened = read_beside(shell, path)
    if not settled(shell):
        return
    show_project(shell, opened.project, path, stamp=opened.stamp)
    shell.set_preferences(shell.preferences.with_recent(path))
    report_left_out(shell, path, opened.left_out)


def report_left_out(shell: Shell, path: Path, left_out: Sequence[str]) -> None:
    """Say which parts of a project could not be read, once it is shown."""
    if left_out:
        advice = "The rest was opened. Keep a copy of the file before you save the project."
        shell.errors.report_loss(ProjectFileError(path, " ".join([*left_out, advice])))


def show_project(
    shell: Shell,
    project: Project,
    path: Path | None,
    *,
    saved: bool = True,
    stamp: Stamp | None = None,
) -> None:
    """Make `project` the open one and show its first model or data set."""
    shell.center.close_all()
    shell.document.replace(project, path, saved=saved, stamp=stamp)
    for model_id in list(project.models)[:1]:
        open_model_page(shell, model_id)
    if not project.models:
        for data_id in list(project.data)[:1]:
            open_data_page(shell, data_id)
    if not shell.center.pages:
        open_welcome(shell)


def model_entry(file: ModelFile, title: str) -> ModelEntry:
    """What a model file says, as an entry of the project."""
    pictures = picture_names(file.model)
    drawn = "dag" if "dag" in pictures else pictures[0]
    return ModelEntry(
        title=title,
        model=file.model,
        layouts={drawn: dict(file.layout)} if file.layout else {},
        node_titles=dict(file.titles),
        notes=file.notes,
        provenance=file.provenance or {},
        properties=file.properties,
    )


def open_model_file(shell: Shell, path: Path) -> None:
    """Add the model of a file to the project and show it."""

    file = read_model_beside(shell, path)
    for remark in file.remarks:
        shell.bench.message.emit("warning", remark)
    entry = model_entry(file, file.title or path.name.split(".")[0])
    add_and_show_model(shell, entry, f"Open {path.name}")
    if file.remarks:
        more = f" {len(file.remarks) - 1} more in the log." if len(file.remarks) > 1 else ""
        shell.tell(file.remarks[0] + more)


def add_and_show_model(shell: Shell, entry: ModelEntry, text: str) -> str | None:
    """One undoable step, then the model's page in front; returns the model's id."""
    model_id = shell.project.next_model_id()
    if not shell.change(text, partial(add_model, entry=entry)):
        return None
    close_welcome(shell)
    open_model_page(shell, model_id)
    return model_id


def open_model_page(shell: Shell, model_id: str, *, beside: bool = False) -> None:
    from pgmstudio.gui.model_page.page import ModelPage

    if model_id not in shell.project.models:
        raise UnknownNameError("model", model_id, shell.project.models)
    close_welcome(shell)
    shell.open_page(f"model:{model_id}", lambda: ModelPage(shell, model_id), beside=beside)


def leave_model_page(shell: Shell, page: Page, model_id: str) -> None:
    """The model is gone; one of another language under its id gets a page of its own."""
    shell.center.close_page(page)
    if model_id in shell.project.models:
        open_model_page(shell, model_id)


def open_data_page(shell: Shell, data_id: str, *, beside: bool = False) -> None:
    from pgmstudio.gui.data.page import DataPage

    if data_id not in shell.project.data:
        raise UnknownNameError("data set", data_id, shell.project.data)
    close_welcome(shell)
    shell.open_page(f"data:{data_id}", lambda: DataPage(shell, data_id), beside=beside)


def open_import_page(shell: Shell, path: Path) -> None:
    from pgmstudio.gui.importing.page import ImportPage

    close_welcome(shell)
    shell.open_page(f"import:{path}", lambda: ImportPage(shell, path))


def open_welcome(shell: Shell) -> None:
    from pgmstudio.gui.welcome.page import WelcomePage

    shell.open_page("welcome", lambda: WelcomePage(shell))


def close_welcome(shell: Shell) -> None:
    page = shell.center.page("welcome")
    if page is not None:
        shell.center.close_page(page)


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
