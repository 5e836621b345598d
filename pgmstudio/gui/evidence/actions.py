"""The Evidence menu: clear, retract, update, explain, cases, rows and scenarios."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from pgmstudio.core.inference.base import ExplainingSession
from pgmstudio.core.inference.finding_text import finding_words
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import save_evidence_case
from pgmstudio.core.project.project import DataEntry
from pgmstudio.core.project.scenarios import name_for
from pgmstudio.gui.window.action_conditions import NO_MODEL, SubjectDeeds, rows_for
from pgmstudio.gui.window.actions import ActionSpec
from pgmstudio.gui.window.app_context import Shell


def evidence_actions(shell: Shell) -> list[ActionSpec]:
    deeds = _Deeds(shell)
    return [
        ActionSpec(
            "evidence.clear",
            "Clear all evidence",
            "Evidence",
            "Forget all evidence; the bars go back to the prior.",
            deeds.clear,
            keys=("Ctrl+Shift+E",),
            icon="eraser",
            why_not=deeds.why_no_findings,
        ),
        ActionSpec(
            "evidence.retract",
            "Retract on selection",
            "Evidence",
            "Forget the evidence on the selected variables.",
            deeds.retract_selected,
            why_not=deeds.why_no_finding_selected,
        ),
        ActionSpec(
            "evidence.target",
            "Make target",
            "Evidence",
            "The variable you want to know about: marked everywhere, and “Ask next” is about it.",
            deeds.toggle_target,
            icon="crosshair",
            why_not=deeds.why_no_single,
            is_checked=deeds.is_target,
        ),
        ActionSpec(
            "evidence.update",
            "Update now",
            "Evidence",
            "Bring the beliefs up to date.",
            deeds.update,
            keys=("F5",),
            why_not=deeds.why_no_beliefs,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.live",
            "Live update",
            "Evidence",
            "Beliefs follow every click; when off, bars are dimmed until you update.",
            deeds.toggle_live,
            keys=("Ctrl+F5",),
            why_not=deeds.why_no_beliefs,
            is_checked=deeds.is_live,
        ),
        ActionSpec(
            "evidence.explain",
            "Most probable explanation",
            "Evidence",
            "Frame the most probable state of all variables together.",
            deeds.toggle_explanation,
            why_not=deeds.why_no_explanation,
            is_checked=deeds.is_explaining,
        ),
        ActionSpec(
            "evidence.save",
            "Save as case",
            "Evidence",
            "Keep the present evidence in the project under a name; F2 in the tree renames it.",
            deeds.save_case,
            icon="flag",
            why_not=deeds.why_no_evidence,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.row",
            "Load row as evidence…",
            "Evidence",
            "Take the states of one row of the data as evidence.",
            deeds.choose_row,
            icon="table",
            why_not=deeds.why_no_row,
        ),
        ActionSpec(
            "evidence.copy",
            "Copy evidence",
            "Evidence",
            "Put the evidence on the clipboard, one variable per line.",
            deeds.copy,
            icon="copy",
            why_not=deeds.why_no_evidence,
        ),
        ActionSpec(
            "evidence.compare",
            "Compare scenarios",
            "Evidence",
            "The present evidence and saved cases side by side, up to four.",
            deeds.compare,
            icon="scales",
            why_not=deeds.why_no_beliefs,
        ),
    ]


class _Deeds(SubjectDeeds):
    # -- why not

    def why_no_findings(self) -> str | None:
        subject = self._subject
        if subject is None:
            return NO_MODEL
        return None if subject.live.findings else "there is no evidence."

    def why_no_evidence(self) -> str | None:
        subject = self._subject
        if subject is None:
            return NO_MODEL
        return None if subject.live.evidence else "there is no evidence. Click a state to set it."

    def why_no_finding_selected(self) -> str | None:
        subject = self._subject
        if subject is None:
            return NO_MODEL
        chosen = self._shell.bench.selection.nodes
        if any(name in subject.live.findings for name in chosen):
            return None
        return "no selected variable has evidence." if chosen else "no variable is selected."

    def why_no_single(self) -> str | None:
        if self._subject is None:
            return NO_MODEL
        chosen = self._shell.bench.selection.nodes
        return None if len(chosen) == 1 else "select one variable first."

    def why_no_explanation(self) -> str | None:
        reason, subject = self.why_no_beliefs(), self._subject
        if reason is not None or subject is None:
            return reason
        session = subject.live.session
        if session is not None and not isinstance(session, ExplainingSession):
            return f"a {subject.language} has no most probable explanation yet."
        return None

    def why_no_row(self) -> str | None:
        if self._subject is None:
            return NO_MODEL
        return None if self._rows() is not None else "no data set has columns of this model."

    # -- deeds

    def clear(self) -> None:
        if (subject := self._subject) is not None:
            subject.live.clear()

    def retract_selected(self) -> None:
        if (subject := self._subject) is not None:
            for name in self._shell.bench.selection.nodes:
                subject.live.retract(name)

    def is_target(self) -> bool:
        bench = self._shell.bench
        return bench.target is not None and bench.selection.nodes == (bench.target,)

    def toggle_target(self) -> None:
        bench = self._shell.bench
        if len(bench.selection.nodes) == 1:
            name = bench.selection.nodes[0]
            bench.set_target(None if bench.target == name else name)
        self._shell.book.refresh("evidence.target")

    def update(self) -> None:
        if (subject := self._subject) is not None:
            subject.live.update_now()

    def is_live(self) -> bool:
        subject = self._subject
        return subject is None or subject.live.is_live

    def toggle_live(self) -> None:
        if (subject := self._subject) is not None:
            live = not subject.live.is_live
            subject.live.set_live(live)
            self._shell.tell("Beliefs follow every click." if live else "F5 updates the beliefs.")
        self._shell.book.refresh("evidence.live")

    def is_explaining(self) -> bool:
        subject = self._subject
        return subject is not None and subject.live.shows_most_probable

    def toggle_explanation(self) -> None:
        if (subject := self._subject) is not None:
            subject.live.show_most_probable(not subject.live.shows_most_probable)
        self._shell.book.refresh("evidence.explain")

    def save_case(self) -> None:
        subject = self._subject
        if subject is None or not subject.live.evidence:
            return
        evidence, cases = subject.live.evidence, self._shell.project.evidence_cases
        name = name_for(evidence, subject.entry.node_titles, cases)
        edit = partial(save_evidence_case, name=name, evidence=evidence, model_id=subject.model_id)
        if self._shell.change(f"Save case {name}", edit):
            self._shell.tell(f"The evidence was saved as “{name}”.", undo=True)

    def _rows(self) -> DataEntry | None:
        """The model's own data set, or the first that has one of its variables."""
        subject = self._subject
        return None if subject is None else rows_for(self._shell, subject.entry)

    def choose_row(self) -> None:
        from pgmstudio.gui.evidence.row_chooser import RowChooser

        rows = self._rows()
        if rows is not None:
            chooser = RowChooser(self._shell, rows.data, rows.name)
            window = self._shell.window
            at = QCursor.pos()
            if not window.geometry().contains(at):
                at = window.mapToGlobal(window.rect().center())
            chooser.popup(at)

    def copy(self) -> None:
        if (subject := self._subject) is not None:
            evidence = subject.live.evidence
            lines = [f"{name} {finding_words(finding)}" for name, finding in evidence.items()]
            QApplication.clipboard().setText("\n".join(lines))
            self._shell.tell(f"The evidence on {counted(len(lines), 'variable')} was copied.")

    def compare(self) -> None:
        from pgmstudio.gui.evidence.scenarios_page import ScenariosPage

        if (subject := self._subject) is not None:
            model_id = subject.model_id
            self._shell.open_page(
                f"scenarios:{model_id}", lambda: ScenariosPage(self._shell, model_id)
            )
