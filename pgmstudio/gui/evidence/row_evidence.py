"""A row of a data set as the evidence of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QWidgetAction

from pgmstudio.core.analysis.anomaly import parent_bits, row_bits
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import Done, Finding, Observed
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.widgets.basic import button, label, row
from pgmstudio.gui.widgets.number_box import whole_box


@dataclass(frozen=True, eq=False)
class ActiveRow:
    """A row whose states are the evidence of a model."""

    model_id: str
    data: DataSet
    row: int  # from 0
    evidence: Mapping[str, Finding]


@dataclass(frozen=True, eq=False)
class Ranking:
    """All rows of a data set by −log2 P(row) in a model, the most surprising first."""

    model: Model
    data: DataSet
    bits: NDArray[np.float64]
    order: NDArray[np.intp]

    def rank_of(self, row: int) -> int:
        """The rank of a row; 0 for the most surprising one."""
        return int(np.flatnonzero(self.order == row)[0])


def rank_rows(model: ProbabilisticModel, data: DataSet, cancel: CancelToken) -> Ranking:
    """Rank all rows by the model; columns that it does not have are ignored."""
    bits = row_bits(model, rows_over(data, model.domain, is_lenient=True), cancel)
    return Ranking(model, data, bits, np.argsort(-bits, kind="stable"))


class RowSurprise(QObject):
    """The active row and the ranking of rows; one per window."""

    changed = Signal()  # the row, the ranking, or whether surprise is marked

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._row: ActiveRow | None = None
        self._ranking: Ranking | None = None
        self._request: tuple[Model, DataSet] | None = None
        self._goes_on = False
        self._marks = False
        self._measure = "rest"
        self._latest_task = LatestTask(self, self._on_ranked, self._on_failed)
        app.document.replaced.connect(self._on_replaced)

    def _on_replaced(self) -> None:
        self._row = self._ranking = None
        self._marks = False
        self.stop()

    # -- the row

    def row_of(self, model_id: str) -> ActiveRow | None:
        """The row that is the evidence of this model; None once there is other evidence."""
        row = self._row
        if row is None or row.model_id != model_id or model_id not in self._app.project.models:
            return None
        live = self._app.workspace.beliefs(model_id)
        present = live.evidence
        if live.refusal is None:
            return row if present == row.evidence else None
        # Contradicting findings are refused, so some may be missing.
        is_row = bool(present) and all(row.evidence.get(n) == f for n, f in present.items())
        return row if is_row else None

    def show_row(self, row: ActiveRow) -> None:
        """Set the active row and mark its surprises."""
        self._row, self._marks = row, True
        model = self._app.project.models[row.model_id].model
        self._rank(model, row.data)
        self.changed.emit()

    # -- the marks

    @property
    def marks_surprise(self) -> bool:
        return self._marks

    def mark_surprise(self, on: bool) -> None:
        if on != self._marks:
            self._marks = on
            self.changed.emit()

    @property
    def measure(self) -> str:
        """Surprise given the "rest" of the evidence, or given the "parents"."""
        return self._measure

    def measure_by(self, measure: str) -> None:
        if measure != self._measure:
            self._measure = measure
            self.changed.emit()

    # -- the ranking

    def ranking_of(self, model: Model, data: DataSet) -> Ranking | None:
        result = self._ranking
        return result if result is not None and _is(result, model, data) else None

    def go_on(self, model_id: str, data: DataSet) -> None:
        """Go to the next most surprising row as soon as the rows are ranked."""
        model = self._app.project.models[model_id].model
        ranking = self.ranking_of(model, data)
        if ranking is None:
            self._goes_on = True
            self._rank(model, data)
            return
        row, position = self._row, 0
        if row is not None and row.model_id == model_id and row.data is data:
            position = ranking.rank_of(row.row) + 1
        if position >= len(ranking.order):
            position = 0
            self._app.notify("That was the last row. Starting again with the least likely one.")
        use_row_as_evidence(self._app, data, int(ranking.order[position]))

    def stop(self) -> None:
        """Cancel the ranking."""
        self._latest_task.forget()
        self._request, self._goes_on = None, False
        self.changed.emit()

    def _rank(self, model: Model, data: DataSet) -> None:
        request = self._request
        is_requested = request is not None and request[0] is model and request[1] is data
        if self.ranking_of(model, data) is not None or (
            is_requested and self._latest_task.is_waiting
        ):
            return
        if not isinstance(model, ProbabilisticModel):
            return
        self._request = (model, data)
        self._latest_task.ask(partial(rank_rows, model, data))

    def _on_ranked(self, ranking: Ranking) -> None:
        self._ranking = ranking
        goes_on, self._goes_on = self._goes_on, False
        self.changed.emit()
        if goes_on:
            for model_id, entry in self._app.project.models.items():
                if entry.model is ranking.model:
                    self.go_on(model_id, ranking.data)
                    return

    def _on_failed(self, error: BaseException) -> None:
        self._request, self._goes_on = None, False
        if not isinstance(error, PgmStudioError):
            raise error
        self._app.errors.report(error)


def surprises(surprise: RowSurprise, live: BeliefService) -> dict[str, float]:
    """Surprise of every finding in bits by the chosen measure; empty until computed."""
    if surprise.measure == "parents":
        return bits_given_parents(live.model, live.evidence)
    traces = live.diagnostics.traced.traces
    return {name: trace.surprise_bits for name, trace in traces.items()}


def bits_given_parents(model: Model, evidence: Mapping[str, Finding]) -> dict[str, float]:
    """−log2 P(x | parents) of every observed variable whose parents are all observed or set."""
    if not isinstance(model, ProbabilisticModel):
        return {}
    domain = model.domain
    states = [
        result.state if isinstance(result := evidence.get(name), Observed | Done) else None
        for name in domain.names
    ]
    bits = parent_bits(model, DataSet.from_rows(domain, [states]))[:, 0]
    return {
        name: float(value)
        for name, value in zip(domain.names, bits, strict=True)
        if not np.isnan(value) and isinstance(evidence.get(name), Observed)
    }


def _is(ranking: Ranking, model: Model, data: DataSet) -> bool:
    return ranking.model is model and ranking.data is data


def row_surprise_of(app: AppContext) -> RowSurprise:
    """The `RowSurprise` of a window, made on first use."""
    return app.service(RowSurprise)


def findings_of_row(
    data: DataSet, row: int, model: Model, *, target: str | None = None
) -> dict[str, Finding]:
    """The findings of a row on the variables of a model, without missing cells and the target."""
    findings: dict[str, Finding] = {}
    for variable, code in zip(data.domain, data.codes[:, row], strict=True):
        name = variable.name
        if name == target or name not in model.domain or int(code) == data.missing_code:
            continue
        state = variable.states[int(code)]
        if state in model.domain[name].states:
            findings[name] = Observed(state)
    return findings


def no_row_evidence_reason(app: AppContext) -> str | None:
    """Why a row cannot become evidence now; None when it can."""
    return None if last_model(app).id else "no model is open. Learn or open one first."


def use_row_as_evidence(app: AppContext, data: DataSet, row: int) -> bool:
    """Set a row as evidence on the active model, or on the last active one."""
    last = last_model(app)
    model_id, entry = last.id, last.entry
    if model_id is None or entry is None:
        app.notify("No model is open. Learn or open one, then use a row as its evidence.")
        return False
    findings = findings_of_row(data, row, entry.model, target=app.workspace.target)
    if not findings:
        app.notify(f"Row {grouped(row + 1)} has no value for a variable of {entry.title}.")
        return False
    app.workspace.beliefs(model_id).set_all(findings)
    page = next((p for p in app.center.pages if p.model_id == model_id), None)
    if page is not None and not page.isVisible():
        app.center.bring_to_front(page)
    row_surprise_of(app).show_row(ActiveRow(model_id, data, row, findings))
    text = counted(len(findings), "variable")
    app.notify(f"Row {grouped(row + 1)} is now the evidence on {entry.title}: {text}.")
    return True


class RowChooser(QMenu):
    """A menu to choose a row; Enter accepts it."""

    def __init__(self, app: AppContext, data: DataSet, name: str) -> None:
        super().__init__(app.window)
        self.setObjectName("rowChooser")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._app, self._data = app, data
        tip = f"Row number, 1 to {grouped(data.row_count)}."
        self._number = whole_box("rowChooserNumber", "Row", tip, 1, data.row_count)
        take = button(
            "Use as evidence",
            self.take,
            role="primary",
            name="rowChooserTake",
            tip="Replace the evidence by the states of this row.",
        )
        take.setDefault(True)
        whose = label(f"of {grouped(data.row_count)} in {name}", "secondary", name="rowChooserData")
        content = row(label("Row"), self._number, whose, take)
        content.setContentsMargins(12, 8, 12, 8)
        action = QWidgetAction(self)
        action.setDefaultWidget(content)
        self.addAction(action)
        self._number.lineEdit().returnPressed.connect(self.take)

    def take(self) -> None:
        row_number = self._number.value() - 1
        self.close()
        use_row_as_evidence(self._app, self._data, row_number)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._number.setFocus()
        self._number.selectAll()
