"""A row of a data set as the evidence of a model."""

from __future__ import annotations

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.inference.base import Finding, Observed
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.evidence.row_surprise import ActiveRow, row_surprise_of


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
