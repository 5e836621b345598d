"""Actions about going on from a graph: learning again, and deciding what tests left open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.model import DirectedModel, UndirectedModel
from pgmstudio.core.params import parse_params, specs_of
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.model_page.action_conditions import PageConditions
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.artifact_source import run_of_model, task_of
from pgmstudio.gui.widgets.actions import ActionSpec

# Learners of graphs that no run with a start made, by what their edges are.
GOES_ON_WITH = {True: "bn.hill-climb", False: "mn.mpl"}


def search_actions(app: AppContext) -> list[ActionSpec]:
    on = PageConditions(app)

    def go_on() -> None:
        if on.entry is not None:
            continue_from(app, on.entry)

    def model_with_edges() -> str | None:
        is_start = on.entry is not None and isinstance(
            on.entry.model, DirectedModel | UndirectedModel
        )
        return None if is_start else "open a Bayesian network or a Markov network first."

    def rows_to_go_on() -> str | None:
        names = set() if on.entry is None else {*on.entry.model.domain.names}
        if any(names == {*data.data.domain.names} for data in app.project.data.values()):
            return None
        return "import data with the variables of this model first."

    def open_questions() -> str | None:
        if on.page is not None and on.page.questions.is_open:
            return None
        return "nothing is open in the model in view; PC and NPC may leave something open."

    return [
        ActionSpec(
            "learn.continue",
            "Continue from this graph…",
            "Learn",
            "Learn again, starting from the edges of the model in view; rules about edges hold.",
            go_on,
            icon="arrow-bend-down-right",
            needs=[model_with_edges, rows_to_go_on],
        ),
        ActionSpec(
            "learn.open-questions",
            "Decide what is open",
            "Learn",
            "Ambiguous regions and free directions that tests left, to be decided one by one.",
            on.command(lambda page: page.questions.open()),
            icon="question",
            needs=[open_questions],
        ),
    ]


def continue_from(app: AppContext, entry: ModelEntry) -> None:
    """The run sheet with this model as the start, set as its own run was where that had one."""
    key, params, seed = _settings(app, entry)
    names = {*entry.model.domain.names}
    fitting = [k for k, d in app.project.data.items() if names == {*d.data.domain.names}]
    data_id = entry.data_id if entry.data_id in fitting else fitting[0]
    rules = app.project.knowledge
    params = replace(params, start=entry.model, knowledge=None if rules.is_empty else rules)
    split = app.project.data[data_id].split
    request = RunRequest(
        title=f"{entry.title}, continued",
        learner_key=key,
        params=params,
        seed=seed,
        data_id=data_id,
        split_part=None if split is None else split.names[0],
    )
    open_learn_page(app).fill(request)


def _settings(app: AppContext, entry: ModelEntry) -> tuple[str, Any, int]:
    """Learner, parameters and seed of the run behind the model in view, if it has a start."""
    run_id = run_of_model(app.project, app.workspace.model_id)
    if run_id is not None:
        run = app.project.runs[run_id]
        learner = learner_of(run.learner)
        if any(spec.name == "start" for spec in specs_of(learner.params_type)):
            return run.learner, task_of(app.project, run).params, run.seed
    key = GOES_ON_WITH[isinstance(entry.model, DirectedModel)]
    return key, parse_params(learner_of(key).params_type, {}), 0
