"""Sessions as Python: exporting what was done, recording a part of it, and replaying a script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QInputDialog

from pgmstudio.core.data.counting import ReportFraction
from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.files.saving import project_folder
from pgmstudio.gui.jobs.progress_dialog import run_with_progress
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.file_dialog import choose_file, choose_target

if TYPE_CHECKING:
    from pgmstudio.core.io.session.commands import Replayed
    from pgmstudio.core.io.session.replay import RunTask
    from pgmstudio.core.io.session.script import Script

# Scripts are read and written by modules that load every learner: not at the start of the window.
ENDING = ".py"
FILTER = f"Python (*{ENDING})"
AS_RECORDED = "As recorded"


class SessionCommands(QObject):
    """Writes the steps of the undo history as a script, and carries out such scripts."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._begin: int | None = None  # number of undo steps when recording began
        app.document.replaced.connect(self._forget)
        app.document.undo_stack.indexChanged.connect(self._on_undone)

    # -- exporting and recording

    def nothing_done(self) -> str | None:
        return None if self._app.document.steps() else "nothing was changed since the start."

    def export(self) -> None:
        """Ask for a file and write the whole session."""
        self._save("Export session as Python", "session.py", 0)

    def is_recording(self) -> bool:
        return self._begin is not None

    def toggle_recording(self) -> None:
        """Begin to record, or end and ask where to save the steps since."""
        app = self._app
        if self._begin is None:
            self._begin = len(app.document.steps())
            app.notify("Recording. Choose Edit ▸ Record macro again to stop and save the steps.")
            return
        begin, self._begin = self._begin, None
        if len(app.document.steps()) <= begin:
            app.notify("Recording stopped. Nothing was changed, so there is nothing to save.")
            return
        self._save("Save macro", "macro.py", begin)

    def _forget(self) -> None:
        self._begin = None

    def _on_undone(self, done: int) -> None:
        """Steps before the recording that were undone are not in front of it any more."""
        if self._begin is not None:
            self._begin = min(self._begin, done)

    def _save(self, title: str, name: str, begin: int) -> None:
        folder = project_folder(self._app)
        chosen = choose_target(self._app.window, "session", title, name, FILTER, first=folder)
        if chosen is not None:
            path, _ = chosen
            self.save(path if path.suffix == ENDING else path.with_name(path.name + ENDING), begin)

    def save(self, path: Path, begin: int = 0) -> None:
        """Write the steps from a number on."""
        steps, title = self._app.document.steps()[begin:], self._app.project.title

        def work(_cancel: CancelToken, _report: ReportFraction) -> None:
            from pgmstudio.core.io.session.script import write_script

            write_script(path, steps, title)

        def then(_: object) -> None:
            self._app.notify(f"Wrote {counted(len(steps), 'step')} to {path.name}.")

        text = f"Writing {path.name}…"
        run_with_progress(self._app.window, text, work, then, self._app.errors.report)

    # -- replaying

    def replay(self) -> None:
        """Ask for a script and the data set to replay it on."""
        chosen = choose_file(self._app.window, "session", "Replay session or macro", FILTER)
        if chosen is None:
            return
        from pgmstudio.core.io.session.script import read_script

        try:
            script = read_script(chosen)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        if not self._app.project.data:
            self.start(chosen.name, script, None)
            return
        self._ask_data(chosen.name, script)

    def _ask_data(self, name: str, script: Script) -> None:
        app = self._app
        entries = app.project.data
        titles = [AS_RECORDED, *(entry.name for entry in entries.values())]
        dialog = QInputDialog(app.window)
        dialog.setObjectName("replayDialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Replay session or macro")
        steps = counted(len(script.steps), "step")
        dialog.setLabelText(f"{name} has {steps}. Replay on this data set:")
        dialog.setComboBoxItems(titles)
        dialog.setTextValue(titles[1])
        dialog.setOkButtonText("Replay")

        def on_accepted(title: str) -> None:
            data_id = next((key for key, entry in entries.items() if entry.name == title), None)
            self.start(name, script, data_id)

        dialog.textValueSelected.connect(on_accepted)
        dialog.open()

    def start(self, name: str, script: Script, data_id: str | None) -> None:
        """Carry out the script in the background, as one undo step."""
        app = self._app
        before, model_id = app.project, app.workspace.model_id

        def work(cancel: CancelToken, report: ReportFraction) -> Replayed:
            from pgmstudio.core.io.session.commands import Replayed

            run = cast("RunTask", in_process)
            replay = script.start_in(before, cancel, data_id=data_id, model_id=model_id, run=run)
            text = ""
            try:
                for progress in script.replay(replay, cancel):
                    cancel.raise_if_cancelled()
                    text = progress.message
                    report(progress.fraction or 0.0)
            except Cancelled:
                raise
            except PgmStudioError as error:
                raise PgmStudioError(f"{name}, {text}: {error} Nothing was changed.") from None
            return Replayed(tuple(replay.performed), replay.project)

        def then(replayed: Replayed) -> None:
            if app.project is not before:  # a run has ended meanwhile
                changed = f"The project was changed while {name} was replayed. Replay it again."
                app.errors.report(PgmStudioError(changed))
            elif app.change(f"Replay {name}", replayed):
                app.notify(f"Replayed {counted(len(script.steps), 'step')} of {name}.", undo=True)

        def failed(error: BaseException) -> None:
            if not isinstance(error, Cancelled):
                app.errors.report(error)

        run_with_progress(app.window, f"Replaying {name}…", work, then, failed)


def export_session_actions(app: AppContext) -> list[ActionSpec]:
    """The export in the File menu."""
    commands = app.service(SessionCommands)
    return [
        ActionSpec(
            "file.export-session",
            "Export session as Python…",
            "File",
            "Write a script that rebuilds this project step by step.",
            commands.export,
            needs=[commands.nothing_done],
        ),
    ]


def macro_actions(app: AppContext) -> list[ActionSpec]:
    """Recording and replaying in the Edit menu."""
    commands = app.service(SessionCommands)
    return [
        ActionSpec(
            "edit.record-macro",
            "Record macro",
            "Edit",
            "Record what you do from now on; choose it again to stop and save it as a script.",
            commands.toggle_recording,
            is_checked=commands.is_recording,
            separator_before=True,
        ),
        ActionSpec(
            "edit.replay-macro",
            "Replay session or macro…",
            "Edit",
            "Carry out the steps of an exported script, also on another data set.",
            commands.replay,
        ),
    ]
