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
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import NO_MODEL, ModelCommands, rows_for
from pgmstudio.gui.widgets.actions import ActionSpec


def evidence_actions(app: AppContext) -> list[ActionSpec]:
    commands = _Commands(app)
    return [
        ActionSpec(
            "evidence.clear",
            "Clear all evidence",
            "Evidence",
            "Remove all evidence; the bars show the prior again.",
            commands.clear,
            keys=("Ctrl+Shift+E",),
            icon="eraser",
            disabled_reason=commands.no_findings_reason,
        ),
        ActionSpec(
            "evidence.retract",
            "Retract on selection",
            "Evidence",
            "Remove the evidence on the selected variables.",
            commands.retract_selected,
            disabled_reason=commands.no_finding_selected_reason,
        ),
        ActionSpec(
            "evidence.target",
            "Make target",
            "Evidence",
            "The variable of interest: marked everywhere and used by value of information.",
            commands.toggle_target,
            icon="crosshair",
            disabled_reason=commands.no_single_reason,
            is_checked=commands.is_target,
        ),
        ActionSpec(
            "evidence.update",
            "Update now",
            "Evidence",
            "Update the beliefs.",
            commands.update,
            keys=("F5",),
            disabled_reason=commands.no_beliefs_reason,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.live",
            "Live update",
            "Evidence",
            "Beliefs follow every click; when off, bars are dimmed until you update.",
            commands.toggle_live,
            keys=("Ctrl+F5",),
            disabled_reason=commands.no_beliefs_reason,
            is_checked=commands.is_live,
        ),
        ActionSpec(
            "evidence.explain",
            "Most probable explanation",
            "Evidence",
            "Frame the most probable state of all variables together.",
            commands.toggle_explanation,
            disabled_reason=commands.no_explanation_reason,
            is_checked=commands.is_explaining,
        ),
        ActionSpec(
            "evidence.save",
            "Save as case",
            "Evidence",
            "Save the current evidence in the project; F2 in the project tree renames it.",
            commands.save_case,
            icon="flag",
            disabled_reason=commands.no_evidence_reason,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.row",
            "Load row as evidence…",
            "Evidence",
            "Set the states of one row of the data as evidence.",
            commands.choose_row,
            icon="table",
            disabled_reason=commands.no_row_reason,
        ),
        ActionSpec(
            "evidence.copy",
            "Copy evidence",
            "Evidence",
            "Copy the evidence to the clipboard, one variable per line.",
            commands.copy,
            icon="copy",
            disabled_reason=commands.no_evidence_reason,
        ),
        ActionSpec(
            "evidence.compare",
            "Compare scenarios",
            "Evidence",
            "Compare the current evidence and saved scenarios side by side, up to four.",
            commands.compare,
            icon="scales",
            disabled_reason=commands.no_beliefs_reason,
        ),
    ]


class _Commands(ModelCommands):
    # -- reasons why an action is disabled

    def no_findings_reason(self) -> str | None:
        subject = self._subject
        if subject is None:
            return NO_MODEL
        return None if subject.live.findings else "there is no evidence."

    def no_evidence_reason(self) -> str | None:
        subject = self._subject
        if subject is None:
            return NO_MODEL
        return None if subject.live.evidence else "there is no evidence. Click a state to set it."

    def no_finding_selected_reason(self) -> str | None:
        subject = self._subject
        if subject is None:
            return NO_MODEL
        chosen = self._app.workspace.selection.nodes
        if any(name in subject.live.findings for name in chosen):
            return None
        return "no selected variable has evidence." if chosen else "no variable is selected."

    def no_single_reason(self) -> str | None:
        if self._subject is None:
            return NO_MODEL
        chosen = self._app.workspace.selection.nodes
        return None if len(chosen) == 1 else "select one variable first."

    def no_explanation_reason(self) -> str | None:
        reason, subject = self.no_beliefs_reason(), self._subject
        if reason is not None or subject is None:
            return reason
        session = subject.live.session
        if session is not None and not isinstance(session, ExplainingSession):
            return f"a {subject.language} has no most probable explanation yet."
        return None

    def no_row_reason(self) -> str | None:
        if self._subject is None:
            return NO_MODEL
        return None if self._rows() is not None else "no data set has columns of this model."

    # -- commands

    def clear(self) -> None:
        if (subject := self._subject) is not None:
            subject.live.clear()

    def retract_selected(self) -> None:
        if (subject := self._subject) is not None:
            for name in self._app.workspace.selection.nodes:
                subject.live.retract(name)

    def is_target(self) -> bool:
        workspace = self._app.workspace
        return workspace.target is not None and workspace.selection.nodes == (workspace.target,)

    def toggle_target(self) -> None:
        workspace = self._app.workspace
        if len(workspace.selection.nodes) == 1:
            name = workspace.selection.nodes[0]
            workspace.set_target(None if workspace.target == name else name)
        self._app.actions.refresh("evidence.target")

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
            self._app.notify("Beliefs follow every click." if live else "F5 updates the beliefs.")
        self._app.actions.refresh("evidence.live")

    def is_explaining(self) -> bool:
        subject = self._subject
        return subject is not None and subject.live.shows_most_probable

    def toggle_explanation(self) -> None:
        if (subject := self._subject) is not None:
            subject.live.show_most_probable(not subject.live.shows_most_probable)
        self._app.actions.refresh("evidence.explain")

    def save_case(self) -> None:
        subject = self._subject
        if subject is None or not subject.live.evidence:
            return
        evidence, cases = subject.live.evidence, self._app.project.evidence_cases
        name = name_for(evidence, subject.entry.node_titles, cases)
        edit = partial(save_evidence_case, name=name, evidence=evidence, model_id=subject.model_id)
        if self._app.change(f"Save case {name}", edit):
            self._app.notify(f"The evidence was saved as “{name}”.", undo=True)

    def _rows(self) -> DataEntry | None:
        """The model's own data set, or the first that has one of its variables."""
        subject = self._subject
        return None if subject is None else rows_for(self._app, subject.entry)

    def choose_row(self) -> None:
        from pgmstudio.gui.evidence.row_chooser import RowChooser

        rows = self._rows()
        if rows is not None:
            chooser = RowChooser(self._app, rows.data, rows.name)
            window = self._app.window
            at = QCursor.pos()
            if not window.geometry().contains(at):
                at = window.mapToGlobal(window.rect().center())
            chooser.popup(at)

    def copy(self) -> None:
        if (subject := self._subject) is not None:
            evidence = subject.live.evidence
            lines = [f"{name} {finding_words(finding)}" for name, finding in evidence.items()]
            QApplication.clipboard().setText("\n".join(lines))
            self._app.notify(f"The evidence on {counted(len(lines), 'variable')} was copied.")

    def compare(self) -> None:
        from pgmstudio.gui.evidence.scenarios_page import ScenariosPage

        if (subject := self._subject) is not None:
            model_id = subject.model_id
            self._app.open_page(f"scenarios:{model_id}", lambda: ScenariosPage(self._app, model_id))
