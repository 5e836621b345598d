"""Opening things: projects, models, data files and samples; by menu, drop or command line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pgmstudio.core.errors import Cancelled, PgmStudioError, ProjectFileError, UnknownNameError
from pgmstudio.core.io.atomic import Stamp
from pgmstudio.core.io.model_files import ModelFile, is_model_path
from pgmstudio.core.pictures.families import picture_names
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.app.evidence_files import EVIDENCE_ENDING, open_evidence
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.page import Page

PROJECT_ENDING = ".pgmz"


def begin(shell: Shell, files: Sequence[Path]) -> None:
    """What the window shows first: the files given, or the welcome page."""
    from pgmstudio.gui.document.recovery import offer_recovery

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
    from pgmstudio.gui.app.closing import settled
    from pgmstudio.gui.app.project_files import read_beside

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
    from pgmstudio.gui.app.project_files import read_model_beside

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
    from pgmstudio.gui.pages.model_page import ModelPage

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
    from pgmstudio.gui.pages.data_page import DataPage

    if data_id not in shell.project.data:
        raise UnknownNameError("data set", data_id, shell.project.data)
    close_welcome(shell)
    shell.open_page(f"data:{data_id}", lambda: DataPage(shell, data_id), beside=beside)


def open_import_page(shell: Shell, path: Path) -> None:
    from pgmstudio.gui.pages.import_page import ImportPage

    close_welcome(shell)
    shell.open_page(f"import:{path}", lambda: ImportPage(shell, path))


def open_welcome(shell: Shell) -> None:
    from pgmstudio.gui.pages.welcome_page import WelcomePage

    shell.open_page("welcome", lambda: WelcomePage(shell))


def close_welcome(shell: Shell) -> None:
    page = shell.center.page("welcome")
    if page is not None:
        shell.center.close_page(page)
