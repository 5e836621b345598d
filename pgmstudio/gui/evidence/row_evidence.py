"""A row of a data set as the evidence of a model."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QWidgetAction

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.inference.base import Finding, Observed
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.evidence.row_surprise import ActiveRow, row_surprise_of
from pgmstudio.gui.widgets.basic import button, label, row
from pgmstudio.gui.widgets.number_box import whole_box


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
