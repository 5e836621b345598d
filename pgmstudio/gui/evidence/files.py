"""Evidence in files of its own: opened onto the model in view, and saved from it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.number_format import counted
from pgmstudio.gui.inspector.subject import subject_in_view
from pgmstudio.gui.window.actions import ActionSpec
from pgmstudio.gui.window.app_context import Shell
from pgmstudio.gui.window.progress_dialog import done_beside

EVIDENCE_ENDING = ".evid"
_FILTER = f"UAI evidence (*{EVIDENCE_ENDING})"


def open_evidence(shell: Shell, path: Path) -> None:
    """The findings of a file become the evidence on the model in view."""
    from pgmstudio.core.io.models.uai import read_evidence

    subject = subject_in_view(shell)
    if subject is None:
        raise FileError(path, "is evidence on a model. Open the model first.")
    domain = subject.model.domain
    opening = f"Opening {path.name}"
    cases = done_beside(shell.window, opening, lambda *_: read_evidence(path, domain))
    subject.live.set_all(cases[0] if cases else {})
    more = f" The first of {len(cases)} sets in the file." if len(cases) > 1 else ""
    found = counted(len(cases[0]) if cases else 0, "variable")
    shell.tell(f"Evidence on {found} from {path.name}.{more}")


class EvidenceFileDesk(QObject):
    """Opening and saving through file choices."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell

    def why_no_model(self) -> str | None:
        return None if subject_in_view(self._shell) else "no model is in view. Open one first."

    def why_no_evidence(self) -> str | None:
        subject = subject_in_view(self._shell)
        if subject is None:
            return self.why_no_model()
        return None if subject.live.evidence else "there is no evidence. Click a state to set it."

    def open(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(
            self._shell.window, "Open evidence", "", f"{_FILTER};;All files (*)"
        )
        if chosen:
            try:
                open_evidence(self._shell, Path(chosen))
            except PgmStudioError as error:
                self._shell.errors.report(error)

    def save(self) -> None:
        from pgmstudio.core.io.models.uai import write_evidence

        subject = subject_in_view(self._shell)
        if subject is None:
            return
        name = f"{subject.entry.title}{EVIDENCE_ENDING}"
        chosen, _ = QFileDialog.getSaveFileName(self._shell.window, "Save evidence", name, _FILTER)
        if not chosen:
            return
        path = Path(chosen)
        path = path if path.suffix.lower() == EVIDENCE_ENDING else Path(chosen + EVIDENCE_ENDING)
        try:
            lost = write_evidence(path, [subject.live.evidence], subject.model.domain)
        except PgmStudioError as error:
            self._shell.errors.report(error)
            return
        self._shell.tell(" ".join([f"Saved {path.name}.", *lost]))


def evidence_file_actions(shell: Shell) -> list[ActionSpec]:
    """Evidence files in the Evidence menu."""
    desk = EvidenceFileDesk(shell)
    return [
        ActionSpec(
            "evidence.open-file",
            "Open evidence file…",
            "Evidence",
            "Take the evidence of a UAI evidence file (.evid).",
            desk.open,
            icon="folder-open",
            why_not=desk.why_no_model,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.save-file",
            "Save evidence file…",
            "Evidence",
            "Write the observed states as a UAI evidence file (.evid).",
            desk.save,
            icon="floppy-disk",
            why_not=desk.why_no_evidence,
        ),
    ]
