"""Saving the project in its file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.counting import ReportFraction
from pgmstudio.core.errors import Cancelled, FileError, PgmStudioError, ProjectFileError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.io.project.project_file import write_project
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.progress_dialog import run_with_progress
from pgmstudio.gui.widgets.file_dialog import choose_target
from pgmstudio.gui.widgets.question_box import Answer, Then, ask, nothing

PROJECT_ENDING = ".pgmz"
SMALL_DATA = 4 << 20  # bytes of codes, written in less than a tenth of a second


def project_folder(app: AppContext) -> Path | None:
    """The folder of the project's file."""
    path = app.document.path
    return None if path is None else path.parent


def not_saved(path: Path, error: Exception) -> FileError:
    """The error to show for a failed save; an error a person can act on is returned as it is."""
    if isinstance(error, FileError):
        return error
    why = str(error) if isinstance(error, PgmStudioError) else f"internal error: {error!r}."
    failure = FileError(path, f"could not be saved. {why} The file on disk was not changed.")
    failure.__cause__ = error
    return failure


class ProjectSaver:
    """Saves the project of a window, a large one in the background.

    Its methods call `then` when all of the project is saved, and `otherwise` when it is not: no
    file was chosen, the person stopped it, or it failed, which is shown.
    """

    def __init__(self, app: AppContext) -> None:
        self._app = app

    def save(self, then: Then = nothing, otherwise: Then = nothing) -> None:
        path = self._app.document.path
        if path is None:
            self.save_as(then, otherwise)
        else:
            self.save_to(path, then, otherwise)

    def save_as(self, then: Then = nothing, otherwise: Then = nothing) -> None:
        chosen = choose_target(
            self._app.window,
            "project",
            "Save project",
            f"project{PROJECT_ENDING}",
            f"Projects (*{PROJECT_ENDING})",
            first=project_folder(self._app),
        )
        if chosen is None:
            otherwise()
            return
        path, _ = chosen
        has_ending = path.suffix == PROJECT_ENDING
        self.save_to(path if has_ending else Path(f"{path}{PROJECT_ENDING}"), then, otherwise)

    def save_to(self, path: Path, then: Then = nothing, otherwise: Then = nothing) -> None:
        """Save to that file, after asking if another window or program has written it."""
        if path != self._app.document.path or not self._app.document.is_file_changed:
            self._write(path, then, otherwise)
            return
        ask(
            self._app.window,
            "changedFileBox",
            f"{path.name} was changed on disk since you opened or saved it here.",
            {
                Answer.Save: ("Save as…", partial(self.save_as, then, otherwise)),
                Answer.Discard: ("Overwrite", partial(self._write, path, then, otherwise)),
            },
            otherwise,
            more="Another window or program has written it. Overwriting loses what was saved "
            "there.",
            default=Answer.Save,
        )

    def _write(self, path: Path, then: Then, otherwise: Then) -> None:
        """Write the project; when that fails the old file is as it was."""
        app, project = self._app, self._app.project

        def on_written(lost: tuple[str, ...]) -> None:
            self._on_written(path, project, lost)
            (otherwise if lost else then)()

        def on_failed(error: BaseException) -> None:
            # Whatever it is, it must be seen that nothing was saved.
            if isinstance(error, Exception) and not isinstance(error, Cancelled):
                app.errors.report_loss(not_saved(path, error))
            otherwise()

        cells = sum(
            d.data.row_count * len(d.data.domain)
            for d in project.data.values()
            if not isinstance(d.data, ChunkedData)
        )
        if cells >= SMALL_DATA:
            work = partial(_write, path, project)
            run_with_progress(app.window, f"Saving {path.name}", work, on_written, on_failed)
            return
        try:
            lost = write_project(path, project)
        except Exception as error:
            on_failed(error)
        else:
            on_written(lost)

    def _on_written(self, path: Path, project: Project, lost: tuple[str, ...]) -> None:
        app = self._app
        app.document.mark_saved(path, project, whole=not lost)
        app.set_preferences(app.preferences.with_recent(path))
        app.log("info", f"Saved {path.name}.")
        if lost:
            app.errors.report_loss(ProjectFileError(path, f"{' '.join(lost)} The rest is saved."))


def _write(
    path: Path, project: Project, cancel: CancelToken, report_fraction: ReportFraction
) -> tuple[str, ...]:
    return write_project(path, project, cancel, report_fraction)
