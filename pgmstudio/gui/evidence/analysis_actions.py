"""Evidence ▸ what a belief depends on, MAP of the selection, surprising evidence and rows."""

from __future__ import annotations

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.kinds import a_kind
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.evidence.row_surprise import row_desk
from pgmstudio.gui.project.last_model import last_model
from pgmstudio.gui.window.action_conditions import NO_MODEL, SubjectDeeds, rows_for
from pgmstudio.gui.window.actions import ActionSpec
from pgmstudio.gui.window.app_context import Shell, data_page_in_front


def analysis_actions(shell: Shell) -> list[ActionSpec]:
    deeds = _Deeds(shell)
    return [
        ActionSpec(
            "evidence.ask-next",
            "What to ask next",
            "Evidence",
            "Which variable would tell most about the target, and how far it could move it.",
            deeds.ask_next,
            icon="question",
            why_not=deeds.why_no_beliefs,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.findings",
            "What each evidence does",
            "Evidence",
            "The target without each piece of evidence, and which of them conflict.",
            deeds.findings,
            icon="flag",
            why_not=deeds.why_no_evidence,
        ),
        ActionSpec(
            "evidence.sensitivity",
            "Sensitivity to table entries",
            "Evidence",
            "Which numbers of the tables move the belief in the target most.",
            deeds.numbers,
            icon="table",
            why_not=deeds.why_no_tables,
        ),
        ActionSpec(
            "evidence.map",
            "Most probable states of the selection (MAP)",
            "Evidence",
            "The states of the selected variables that are most probable together.",
            deeds.most_probable,
            keys=("Ctrl+M",),
            icon="crosshair",
            why_not=deeds.why_no_map,
        ),
        ActionSpec(
            "evidence.surprise",
            "Mark surprising evidence",
            "Evidence",
            "Write on every observed node how many bits it surprises, given the rest.",
            deeds.toggle_surprise,
            why_not=deeds.why_no_beliefs,
            is_checked=deeds.marks_surprise,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.next-row",
            "Next most surprising row",
            "Evidence",
            "The row of the data that the model expects least after this one becomes evidence.",
            deeds.next_row,
            keys=("F7",),
            icon="table",
            why_not=deeds.why_no_row,
        ),
    ]


class _Deeds(SubjectDeeds):
    # -- why not

    def why_no_beliefs(self) -> str | None:
        reason, subject = super().why_no_beliefs(), self._subject
        if reason is None and subject is not None and subject.live.scale is not Scale.PROBABILITY:
            return f"a {subject.language} has no probabilities."
        return reason

    def why_no_evidence(self) -> str | None:
        reason, subject = self.why_no_beliefs(), self._subject
        if reason is None and subject is not None and not subject.live.evidence:
            return "there is no evidence yet. Click a state to set it."
        return reason

    def why_no_tables(self) -> str | None:
        reason, subject = self.why_no_beliefs(), self._subject
        if reason is not None or subject is None:
            return reason
        if isinstance(subject.model, BayesianNetwork | Tree):
            return None
        return f"a {subject.language} has no tables whose numbers could be varied."

    def why_no_map(self) -> str | None:
        reason = self.why_no_beliefs()
        if reason is None and len(self._shell.bench.selection.nodes) < 2:
            return "select two or more variables first."
        return reason

    def why_no_row(self) -> str | None:
        entry = last_model(self._shell).entry
        if entry is None:
            return NO_MODEL
        if not isinstance(entry.model, ProbabilisticModel):
            return f"{a_kind(entry.model.kind)} gives rows no probability."
        return None if self._data() is not None else "no data set has columns of this model."

    # -- deeds

    def ask_next(self) -> None:
        self._open("ask")

    def findings(self) -> None:
        self._open("findings")

    def numbers(self) -> None:
        self._open("numbers")

    def _open(self, tab: str) -> None:
        from pgmstudio.gui.evidence.sensitivity_page import SensitivityPage

        if (subject := self._subject) is not None:
            shell, model_id = self._shell, subject.model_id
            page = shell.open_page(
                f"sensitivity:{model_id}", lambda: SensitivityPage(shell, model_id)
            )
            if isinstance(page, SensitivityPage):
                page.show_tab(tab)

    def most_probable(self) -> None:
        subject = self._subject
        if subject is not None:
            from pgmstudio.gui.evidence.map_query import MapQuestion, map_desk

            names = self._shell.bench.selection.nodes
            question = MapQuestion(subject.model, names, subject.live.evidence)
            self._shell.reveal("inspectorPanel")
            map_desk(self._shell).search(question)

    def marks_surprise(self) -> bool:
        return row_desk(self._shell).marks_surprise

    def toggle_surprise(self) -> None:
        desk = row_desk(self._shell)
        desk.mark_surprise(not desk.marks_surprise)
        self._shell.book.refresh("evidence.surprise")

    def _data(self) -> DataEntry | None:
        """The data set in front, else the model's own, else the first with one of its columns."""
        shell, entry = self._shell, last_model(self._shell).entry
        if entry is None:
            return None
        page = data_page_in_front(shell)
        in_front = None if page is None else shell.project.data.get(page.data_id)
        return rows_for(shell, entry, [in_front])

    def next_row(self) -> None:
        data, model_id = self._data(), last_model(self._shell).id
        if data is not None and model_id is not None:
            row_desk(self._shell).go_on(model_id, data.data)
