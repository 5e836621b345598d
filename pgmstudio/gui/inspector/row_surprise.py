"""The surprise of each finding, given the other findings or given its parents."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QCheckBox

from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.beliefs.evidence_diagnostics import EvidenceDiagnostics, stop_listening
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.row_surprise import row_surprise_of, surprises
from pgmstudio.gui.widgets.bar_rows import RankBars
from pgmstudio.gui.widgets.basic import Section, Segments, button, label, row

_HOW = (
    ("rest", "Given rest", "−log2 P(e | all other evidence)"),
    ("parents", "Given parents", "−log2 P(state | states of its parents), where all are known"),
)
MAX_RANKED = 8


class SurpriseSection(Section):
    """Hidden while there is no evidence."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Most surprising evidence", "bits")
        self.setObjectName("inspectorSurprise")
        self._app = app
        self._subject: ActiveModel | None = None
        self._keeper: EvidenceDiagnostics | None = None
        self._controller = row_surprise_of(app)
        self._controller.changed.connect(self._refresh)
        self._row = label("", "secondary", size="dense", wrap=True)
        self._row.setObjectName("inspectorSurpriseRow")
        self.how = Segments(_HOW, "inspectorSurpriseHow")
        self.how.chosen.connect(self._controller.measure_by)
        self.ranks = RankBars("inspectorSurprises", most=MAX_RANKED)
        self.ranks.chosen.connect(self._on_chosen)
        self._none = label("", "tertiary", size="dense", wrap=True)
        self.mark = QCheckBox("Mark it in the diagram")
        self.mark.setObjectName("inspectorSurpriseMark")
        self.mark.setToolTip("Write on every observed node how many bits it surprises.")
        self.mark.clicked.connect(self._controller.mark_surprise)
        self._next = button(
            "Next least likely row",
            self._on_next,
            icon_name="table",
            name="inspectorSurpriseNext",
            tip="The states of the next row of the data become the evidence (F7).",
        )
        for part in (
            self._row,
            row(self.how, None),
            self.ranks,
            self._none,
            self.mark,
            row(self._next, None),
        ):
            self.add(part)

    def show_subject(self, subject: ActiveModel) -> None:
        self._subject = subject
        keeper = subject.live.diagnostics
        if keeper is not self._keeper:
            stop_listening(self._keeper, self._refresh)
            self._keeper = keeper
            keeper.changed.connect(self._refresh)
        keeper.follow()
        self._refresh()

    def _refresh(self, *_: object) -> None:
        subject, keeper = self._subject, self._keeper
        if subject is None or keeper is None or subject.live.error is not None:
            self.hide()
            return
        evidence = subject.live.evidence
        self.setVisible(bool(evidence))
        if not evidence or self._app.project.models.get(subject.model_id) is None:
            return
        self.how.choose(self._controller.measure)
        bits = surprises(self._controller, subject.live)
        ranked = sorted(bits.items(), key=lambda one: -one[1])
        shown = [(name, subject.title(name), min(value, 999.0)) for name, value in ranked]
        self.ranks.show_ranks(shown)
        self._none.setText("" if shown else "Nothing to show yet.")
        self._none.setVisible(not shown)
        self.mark.setChecked(self._controller.marks_surprise)
        self._show_row(subject)
        spec = self._app.actions.specs.get("evidence.next-row")
        self._next.setVisible(spec is not None and spec.disabled_reason() is None)

    def _show_row(self, subject: ActiveModel) -> None:
        result = self._controller.row_of(subject.model_id)
        self._row.setVisible(result is not None)
        if result is None:
            return
        name = next((e.name for e in self._app.project.data.values() if e.data is result.data), "")
        text = f"Row {grouped(result.row + 1)}{f' of {name}' if name else ''}"
        ranking = self._controller.ranking_of(subject.model, result.data)
        if ranking is not None:
            bits = float(ranking.bits[result.row])
            message = f"{bits:.2f} bits" if math.isfinite(bits) else "impossible in this model"
            position = grouped(ranking.rank_of(result.row) + 1)
            rows = counted(len(ranking.order), "row")
            text += f": {message} in all, number {position} of {rows} by surprise"
        left = len(result.evidence) - len(subject.live.evidence)
        lost = (
            f" Evidence on {counted(left, 'variable')} could not hold with the rest."
            if left > 0
            else ""
        )
        self._row.setText(f"{text}.{lost}")

    def _on_chosen(self, name: str) -> None:
        self._app.workspace.select((name,))

    def _on_next(self) -> None:
        action = self._app.actions.by_id.get("evidence.next-row")
        if action is not None:
            action.trigger()
