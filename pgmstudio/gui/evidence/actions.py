"""The Evidence menu: clear, retract, update, explain, rows and scenarios."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QWidget

from pgmstudio.core.inference.base import ExplainingSession, Finding, Scale
from pgmstudio.core.inference.findings import finding_text
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import free_name, save_evidence_case
from pgmstudio.core.project.project import DataEntry
from pgmstudio.core.project.scenarios import name_for
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import NO_MODEL, NO_ROWS_OF_MODEL, Conditions
from pgmstudio.gui.evidence.active_model import ActiveModel, active_model, rows_for
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.evidence.map_query import MapQuestion, map_query_of
from pgmstudio.gui.evidence.row_evidence import RowChooser, row_surprise_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import ActionSpec


def analysis_actions(app: AppContext) -> list[ActionSpec]:
    on, commands = Conditions(app), _Commands(app)

    def probabilities() -> str | None:
        return on.probabilities() or on.beliefs()

    tables = on.model_with(
        lambda entry: as_network(entry.model) is not None,
        lambda entry: f"{a_kind(entry.model.kind)} has no conditional probability tables.",
    )
    return [
        ActionSpec(
            "evidence.ask-next",
            "Value of information",
            "Evidence",
            "Which observation would reduce the uncertainty of the target most.",
            commands.ask_next,
            icon="question",
            needs=[probabilities],
            separator_before=True,
        ),
        ActionSpec(
            "evidence.findings",
            "Evidence impact",
            "Evidence",
            "The belief in the target without each finding, and which findings conflict.",
            commands.findings,
            icon="flag",
            needs=[probabilities, on.evidence],
        ),
        ActionSpec(
            "evidence.sensitivity",
            "Sensitivity to CPT entries",
            "Evidence",
            "Which CPT entries change the belief in the target most.",
            commands.numbers,
            icon="table",
            needs=[probabilities, tables],
        ),
        ActionSpec(
            "evidence.map",
            "Most probable states of the selection (MAP)",
            "Evidence",
            "The jointly most probable states of the selected variables.",
            commands.most_probable,
            keys=("Ctrl+M",),
            icon="crosshair",
            needs=[probabilities, on.variables(2)],
        ),
        ActionSpec(
            "evidence.surprise",
            "Mark surprising evidence",
            "Evidence",
            "Show on every observed node its surprise in bits, given the other evidence.",
            commands.toggle_surprise,
            needs=[probabilities],
            is_checked=commands.marks_surprise,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.next-row",
            "Next least likely row",
            "Evidence",
            "Set the next row in the order of increasing probability as evidence.",
            commands.next_row,
            keys=("F7",),
            icon="table",
            needs=[commands.no_row_reason],
        ),
    ]


def evidence_actions(app: AppContext) -> list[ActionSpec]:
    on, commands = Conditions(app), _Commands(app)

    def findings() -> str | None:
        return None if on.subject and on.subject.live.findings else "there is no evidence."

    def finding_selected() -> str | None:
        chosen, subject = app.workspace.selection.nodes, on.subject
        if subject is not None and any(name in subject.live.findings for name in chosen):
            return None
        return "no selected variable has evidence." if chosen else "no variable is selected."

    def explainable() -> str | None:
        subject = on.subject
        session = None if subject is None else subject.live.session
        if subject is None or session is None or isinstance(session, ExplainingSession):
            return None
        return f"{a_kind(subject.model.kind)} has no most probable explanation yet."

    def has_degrees() -> str | None:
        subject = on.subject
        is_possibility = subject is not None and subject.live.scale is Scale.POSSIBILITY
        return None if is_possibility else "the active model is not a possibilistic network."

    def explanation_text() -> str:
        is_possible = on.entry is not None and on.probabilities() is not None
        return "Most possible tuple" if is_possible else "Most probable explanation"

    return [
        ActionSpec(
            "evidence.clear",
            "Clear all evidence",
            "Evidence",
            "Remove all evidence; the bars show the prior again.",
            commands.clear,
            keys=("Ctrl+Shift+E",),
            icon="eraser",
            needs=[on.model, findings],
        ),
        ActionSpec(
            "evidence.retract",
            "Retract on selection",
            "Evidence",
            "Remove the evidence on the selected variables.",
            commands.retract_selected,
            needs=[on.model, finding_selected],
        ),
        ActionSpec(
            "evidence.target",
            "Make target",
            "Evidence",
            "The variable of interest: marked everywhere and used by value of information.",
            commands.toggle_target,
            icon="crosshair",
            needs=[on.model, on.one_variable],
            is_checked=commands.is_target,
        ),
        ActionSpec(
            "evidence.update",
            "Update now",
            "Evidence",
            "Update the beliefs.",
            commands.update,
            keys=("F5",),
            needs=[on.beliefs],
            separator_before=True,
        ),
        ActionSpec(
            "evidence.live",
            "Live update",
            "Evidence",
            "Beliefs follow every click; when off, bars are dimmed until you update.",
            commands.toggle_live,
            keys=("Ctrl+F5",),
            needs=[on.beliefs],
            is_checked=commands.is_live,
        ),
        ActionSpec(
            "evidence.explain",
            "Most probable explanation",
            "Evidence",
            "Frame the most probable, or most possible, state of all variables together.",
            commands.toggle_explanation,
            needs=[on.beliefs, explainable],
            is_checked=commands.is_explaining,
            text_provider=explanation_text,
        ),
        ActionSpec(
            "evidence.relative",
            "Degrees relative to Π(e)",
            "Evaluate/Possibilistic network",
            "Show possibility and necessity divided by the possibility of the evidence.",
            commands.toggle_relative,
            needs=[on.beliefs, has_degrees],
            is_checked=commands.is_relative,
        ),
        ActionSpec(
            "evidence.save",
            "Save as scenario…",
            "Evidence",
            "Save the current evidence in the project under a name.",
            commands.save_case,
            icon="flag",
            needs=[on.evidence],
            separator_before=True,
        ),
        ActionSpec(
            "evidence.row",
            "Load row as evidence…",
            "Evidence",
            "Set the states of one row of the data as evidence.",
            commands.choose_row,
            icon="table",
            needs=[on.rows_of_model],
        ),
        ActionSpec(
            "evidence.copy",
            "Copy evidence",
            "Evidence",
            "Copy the evidence to the clipboard, one variable per line.",
            commands.copy,
            icon="copy",
            needs=[on.evidence],
        ),
        ActionSpec(
            "evidence.compare",
            "Compare scenarios",
            "Evidence",
            "Compare the current evidence and saved scenarios side by side, up to four.",
            commands.compare,
            icon="scales",
            needs=[on.beliefs],
        ),
    ]


class _Commands:
    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def _subject(self) -> ActiveModel | None:
        return active_model(self._app)

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

    def is_relative(self) -> bool:
        subject = self._subject
        return subject is not None and subject.live.is_relative

    def toggle_relative(self) -> None:
        if (subject := self._subject) is not None:
            subject.live.show_relative(not subject.live.is_relative)
        self._app.actions.refresh("evidence.relative")

    def save_case(self) -> None:
        subject = self._subject
        if subject is None or not subject.live.evidence:
            return
        evidence, cases = subject.live.evidence, self._app.project.evidence_cases
        name = name_for(evidence, subject.entry.node_titles, cases)
        save = partial(self._save_as, dict(evidence), subject.model_id)
        ask_name(self._app.window, "Save scenario", "Name of the scenario", name, save)

    def _save_as(self, evidence: Mapping[str, Finding], model_id: str, name: str) -> None:
        name = free_name(name, self._app.project.evidence_cases)
        edit = partial(save_evidence_case, name=name, evidence=evidence, model_id=model_id)
        if self._app.change(f"Save scenario {name}", edit):
            self._app.notify(f"The evidence was saved as “{name}”.", undo=True)

    def _rows(self) -> DataEntry | None:
        """The model's own data set, or the first that has one of its variables."""
        subject = self._subject
        return None if subject is None else rows_for(self._app, subject.entry)

    def choose_row(self) -> None:
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
            lines = [f"{name} {finding_text(finding)}" for name, finding in evidence.items()]
            QApplication.clipboard().setText("\n".join(lines))
            self._app.notify(f"The evidence on {counted(len(lines), 'variable')} was copied.")

    def compare(self) -> None:
        from pgmstudio.gui.evidence.scenarios_page import ScenariosPage

        if (subject := self._subject) is not None:
            model_id = subject.model_id
            self._app.open_page(f"scenarios:{model_id}", lambda: ScenariosPage(self._app, model_id))

    def no_row_reason(self) -> str | None:
        entry = last_model(self._app).entry
        if entry is None:
            return NO_MODEL
        if not isinstance(entry.model, ProbabilisticModel):
            return f"{a_kind(entry.model.kind)} gives rows no probability."
        return None if self._data() is not None else NO_ROWS_OF_MODEL

    def ask_next(self) -> None:
        self._open("ask")

    def findings(self) -> None:
        self._open("findings")

    def numbers(self) -> None:
        self._open("numbers")

    def _open(self, tab: str) -> None:
        from pgmstudio.gui.evidence.sensitivity_page import SensitivityPage

        if (subject := self._subject) is not None:
            app, model_id = self._app, subject.model_id
            page = app.open_page(f"sensitivity:{model_id}", lambda: SensitivityPage(app, model_id))
            if isinstance(page, SensitivityPage):
                page.show_tab(tab)

    def most_probable(self) -> None:
        subject = self._subject
        if subject is not None:
            names = self._app.workspace.selection.nodes
            question = MapQuestion(subject.model, names, subject.live.evidence)
            self._app.reveal("inspectorPanel")
            map_query_of(self._app).search(question)

    def marks_surprise(self) -> bool:
        return row_surprise_of(self._app).marks_surprise

    def toggle_surprise(self) -> None:
        commands = row_surprise_of(self._app)
        commands.mark_surprise(not commands.marks_surprise)
        self._app.actions.refresh("evidence.surprise")

    def _data(self) -> DataEntry | None:
        """The current data set, else the model's own, else the first with one of its columns."""
        app, entry = self._app, last_model(self._app).entry
        if entry is None:
            return None
        page = app.center.current
        data_id = None if page is None else page.about_data()
        return rows_for(app, entry, [app.project.data.get(data_id or "")])

    def next_row(self) -> None:
        data, model_id = self._data(), last_model(self._app).id
        if data is not None and model_id is not None:
            row_surprise_of(self._app).go_on(model_id, data.data)


def ask_name(
    parent: QWidget, title: str, text: str, offered: str, then: Callable[[str], object]
) -> None:
    """Call `then` with the name that is entered; not when it is cancelled or empty."""
    dialog = QInputDialog(parent)
    dialog.setObjectName("nameDialog")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(text)
    dialog.setTextValue(offered)
    dialog.setOkButtonText("Save")
    dialog.resize(theme().px("left") * 2, dialog.sizeHint().height())

    def on_accepted(name: str) -> None:
        if name.strip():
            then(name.strip())

    dialog.textValueSelected.connect(on_accepted)
    dialog.open()
    if (field := dialog.findChild(QLineEdit)) is not None:
        field.selectAll()
