"""Saving the project in its file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.counting import ReportFraction
from pgmstudio.core.errors import Cancelled, FileError, PgmStudioError, ProjectFileError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.io.project.project_file import write_project
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.progress_dialog import run_with_progress
from pgmstudio.gui.widgets.basic import named
from pgmstudio.gui.widgets.file_dialog import choose_target

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
    """Saves the project of a window.

    The methods return True when it is saved. A large project is saved in the background: then they
    return False, and `later` is called when it is saved.
    """

    def __init__(self, app: AppContext) -> None:
        self._app = app

    def save(self, later: Callable[[], object] = lambda: None) -> bool:
        path = self._app.document.path
        return self.save_as(later) if path is None else self.save_to(path, later)

    def save_as(self, later: Callable[[], object] = lambda: None) -> bool:
        chosen = choose_target(
            self._app.window,
            "project",
            "Save project",
            f"project{PROJECT_ENDING}",
            f"Projects (*{PROJECT_ENDING})",
            first=project_folder(self._app),
        )
        if chosen is None:
            return False
        path, _ = chosen
        has_ending = path.suffix == PROJECT_ENDING
        return self.save_to(path if has_ending else Path(f"{path}{PROJECT_ENDING}"), later)

    def save_to(self, path: Path, later: Callable[[], object] = lambda: None) -> bool:
        """Write the project; when that fails the old file is as it was."""
        app, project = self._app, self._app.project
        if path == app.document.path and app.document.is_file_changed:
            answer = self._ask_about_changed(path)
            if answer == QMessageBox.StandardButton.Save:
                return self.save_as(later)
            if answer != QMessageBox.StandardButton.Discard:
                return False
        cells = sum(
            d.data.row_count * len(d.data.domain)
            for d in project.data.values()
            if not isinstance(d.data, ChunkedData)
        )
        is_large = cells >= SMALL_DATA
        ends: list[bool] = []
        has_returned = False

        def on_written(lost: tuple[str, ...]) -> None:
            ends.append(self._on_written(path, project, lost))
            if has_returned and ends[0]:
                later()

        def on_failed(error: BaseException) -> None:
            # Whatever it is, it must be seen that nothing was saved.
            if isinstance(error, Exception) and not isinstance(error, Cancelled):
                app.errors.report_loss(not_saved(path, error))

        if is_large:
            work = partial(_write, path, project)
            run_with_progress(app.window, f"Saving {path.name}", work, on_written, on_failed)
        else:
            try:
                lost = write_project(path, project)
            except Exception as error:
                on_failed(error)
            else:
                on_written(lost)
        has_returned = True
        return ends == [True]

    def _on_written(self, path: Path, project: Project, lost: tuple[str, ...]) -> bool:
        app = self._app
        app.document.mark_saved(path, project, whole=not lost)
        app.set_preferences(app.preferences.with_recent(path))
        app.log("info", f"Saved {path.name}.")
        if lost:
            app.errors.report_loss(ProjectFileError(path, f"{' '.join(lost)} The rest is saved."))
        return not lost

    def _ask_about_changed(self, path: Path) -> int:
        """Another window or program has written the file: Save is save as, Discard overwrite."""
        buttons = QMessageBox.StandardButton
        box = named(QMessageBox(self._app.window), "changedFileBox")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle("PGM Studio")
        box.setText(f"{path.name} was changed on disk since you opened or saved it here.")
        box.setInformativeText(
            "Another window or program has written it. Overwriting loses what was saved there."
        )
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.button(buttons.Save).setText("Save as…")
        box.button(buttons.Discard).setText("Overwrite")
        box.setDefaultButton(buttons.Save)
        return box.exec()


def _write(
    path: Path, project: Project, cancel: CancelToken, report_fraction: ReportFraction
) -> tuple[str, ...]:
    return write_project(path, project, cancel, report_fraction)
