"""The rows a decision graph is measured on, and steps on its nodes as undoable changes."""

from __future__ import annotations

from functools import partial

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    ScoreWeight,
    whole_rows,
)
from pgmstudio.core.languages.pdg.diagrams import node_name, operation_text
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.runs.recorded_run import LAMBDA

# A run writes the λ of the model it chose under this name.


def rows_of(project: Project, entry: ModelEntry) -> DataSet | None:
    """The whole rows of the data the model was learned from; None when there are none that fit."""
    data = project.data.get(entry.data_id or "")
    if data is None or not isinstance(entry.model, DecisionGraph):
        return None
    try:
        rows = whole_rows(entry.model, data.data)
    except PgmStudioError:
        return None
    return rows if rows.row_count else None


def weight_of(project: Project, entry: ModelEntry, rows: DataSet | None) -> ScoreWeight:
    """By the λ of the run that made the model, else as BIC weighs."""
    run = project.runs.get(entry.run_id or "")
    result = None if run is None else run.measures.get(LAMBDA)
    if result is None:
        stored = entry.provenance.get(LAMBDA)
        result = float(stored) if isinstance(stored, int | float) else None
    return ScoreWeight(1.0 if rows is None else rows.total_weight, result)


def take(app: AppContext, model_id: str, step: CandidateOperation) -> bool:
    """Make one undoable step; a refusal is reported as an error."""
    entry = app.project.models[model_id]
    if not isinstance(entry.model, DecisionGraph):
        return False
    rows = rows_of(app.project, entry)
    edit = partial(edit_language, edit="take_step", model_id=model_id, step=step, data=rows)
    return app.change(operation_text(entry.model, step), edit)


def move(app: AppContext, model_id: str, variable: str, above: str | None) -> bool:
    """The variable below another, or as a root."""
    rows = rows_of(app.project, app.project.models[model_id])
    position = "to the top" if above is None else f"below {above}"
    edit = partial(
        edit_language,
        edit="move_variable",
        model_id=model_id,
        variable=variable,
        above=above,
        data=rows,
    )
    return app.change(f"Move {variable} {position}", edit)


def set_numbers(
    app: AppContext, model_id: str, variable: str, node: int, numbers: tuple[float, ...]
) -> bool:
    """Another distribution in a node."""
    graph = app.project.models[model_id].model
    if not isinstance(graph, DecisionGraph):
        return False
    name = node_name(graph, variable, node)
    edit = partial(
        edit_language,
        edit="set_node",
        model_id=model_id,
        variable=variable,
        node=node,
        numbers=numbers,
    )
    return app.change(f"Distribution of {name}", edit)
