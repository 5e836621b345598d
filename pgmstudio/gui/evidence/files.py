"""Evidence files: opened onto the active model and saved from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.evidence.active_model import active_model
from pgmstudio.gui.jobs.progress_dialog import run_with_progress
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.file_dialog import choose_file, choose_target

EVIDENCE_ENDING = ".evid"
_FILTER = f"UAI evidence (*{EVIDENCE_ENDING})"


def open_evidence(
    app: AppContext,
    path: Path,
    then: Callable[[], object],
    failed: Callable[[BaseException], object],
) -> None:
    """Set the findings of a file as evidence on the active model."""
    from pgmstudio.core.io.models.uai import read_evidence

    subject = active_model(app)
    if subject is None:
        failed(FileError(path, "contains evidence on a model. Open the model first."))
        return
    domain = subject.model.domain

    def show(cases: list[dict[str, Observed]]) -> None:
        subject.live.set_all(cases[0] if cases else {})
        more = f" It is the first of {len(cases)} evidence sets in the file."
        result = counted(len(cases[0]) if cases else 0, "variable")
        app.notify(f"Evidence on {result} from {path.name}.{more if len(cases) > 1 else ''}")
        then()

    def work(*_: object) -> list[dict[str, Observed]]:
        return read_evidence(path, domain)

    run_with_progress(app.window, f"Opening {path.name}", work, show, failed)


class EvidenceFileCommands(QObject):
    """The commands to open and save evidence files."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app

    def open(self) -> None:
        filters = f"{_FILTER};;All files (*)"
        chosen = choose_file(self._app.window, "evidence", "Open evidence", filters)
        if chosen is not None:
            open_evidence(self._app, chosen, lambda: None, self._app.errors.report)

    def save(self) -> None:
        from pgmstudio.core.io.models.uai import write_evidence

        subject = active_model(self._app)
        if subject is None:
            return
        name = f"{subject.entry.title}{EVIDENCE_ENDING}"
        chosen = choose_target(self._app.window, "evidence", "Save evidence", name, _FILTER)
        if chosen is None:
            return
        path, _ = chosen
        if path.suffix.lower() != EVIDENCE_ENDING:
            path = path.with_name(path.name + EVIDENCE_ENDING)
        try:
            lost = write_evidence(path, [subject.live.evidence], subject.model.domain)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(" ".join([f"Saved {path.name}.", *lost]))


def evidence_file_actions(app: AppContext) -> list[ActionSpec]:
    """Evidence files in the Evidence menu."""
    on, commands = Conditions(app), EvidenceFileCommands(app)
    return [
        ActionSpec(
            "evidence.open-file",
            "Open evidence file…",
            "Evidence",
            "Set the evidence of a UAI evidence file (.evid).",
            commands.open,
            icon="folder-open",
            needs=[on.model],
            separator_before=True,
        ),
        ActionSpec(
            "evidence.save-file",
            "Save evidence file…",
            "Evidence",
            "Write the observed states as a UAI evidence file (.evid).",
            commands.save,
            icon="floppy-disk",
            needs=[on.evidence],
        ),
    ]
