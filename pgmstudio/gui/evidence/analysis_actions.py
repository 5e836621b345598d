"""Evidence menu: value of information, evidence impact, sensitivity, MAP and surprising rows."""

from __future__ import annotations

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import NO_MODEL, NO_ROWS_OF_MODEL, Conditions
from pgmstudio.gui.evidence.active_model import ActiveModel, active_model, rows_for
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.evidence.row_surprise import row_surprise_of
from pgmstudio.gui.widgets.actions import ActionSpec


def analysis_actions(app: AppContext) -> list[ActionSpec]:
    on, commands = Conditions(app), _Commands(app)

    def probabilities() -> str | None:
        subject = on.subject
        if subject is None or subject.live.scale is Scale.PROBABILITY:
            return on.beliefs()
        return f"a {subject.language} has no probabilities."

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


class _Commands:
    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def _subject(self) -> ActiveModel | None:
        return active_model(self._app)

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
            from pgmstudio.gui.evidence.map_query import MapQuestion, map_query_of

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
