"""Actions of the Learn menu: the learning page, stop and reproduce."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.languages.registry import kind_title, language_of
from pgmstudio.core.model import DirectedModel, UndirectedModel
from pgmstudio.core.params import parse_params, specs_of
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.learning.learner_forms import free_title
from pgmstudio.gui.model_page.action_conditions import PageConditions
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.artifact_source import run_of_model, task_of
from pgmstudio.gui.runs.run_recorder import not_again_reason, not_reproducible_reason, run_recorder
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
        if not is_start or on.entry is None:
            return "open a Bayesian network or a Markov network first."
        if language_of(on.entry.model).scale is not Scale.PROBABILITY:
            return f"no learner of a {kind_title(on.entry.model.kind).lower()} starts from a graph."
        return None

    def rows_to_go_on() -> str | None:
        names = set() if on.entry is None else {*on.entry.model.domain.names}
        if any(names == {*data.data.domain.names} for data in app.project.data.values()):
            return None
        return "import data with the variables of this model first."

    def open_questions() -> str | None:
        if on.page is not None and on.page.questions.is_open:
            return None
        return "the active model has no uncertain edges; PC and NPC may leave some."

    return [
        ActionSpec(
            "learn.continue",
            "Continue from this graph…",
            "Learn",
            "Learn again, starting from the edges of the active model; rules about edges apply.",
            go_on,
            icon="arrow-bend-down-right",
            needs=[model_with_edges, rows_to_go_on],
        ),
        ActionSpec(
            "learn.open-questions",
            "Resolve uncertain edges",
            "Learn",
            "Decide the ambiguous regions and open directions that independence tests left.",
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
    """Learner, parameters and seed of the run of the active model, if it has a start."""
    run_id = run_of_model(app.project, app.workspace.model_id)
    if run_id is not None:
        run = app.project.runs[run_id]
        learner = learner_of(run.learner)
        if any(spec.name == "start" for spec in specs_of(learner.params_type)):
            return run.learner, task_of(app.project, run).params, run.seed
    key = GOES_ON_WITH[isinstance(entry.model, DirectedModel)]
    return key, parse_params(learner_of(key).params_type, {}), 0


def learn_page_actions(app: AppContext) -> list[ActionSpec]:
    return [
        ActionSpec(
            "learn.learn",
            "Learn…",
            "Learn",
            "Choose a learner, set its parameters and start it in the background.",
            lambda: open_learn_page(app),
            keys=("Ctrl+L",),
            icon="play-circle",
            needs=[Conditions(app).data],
        )
    ]


def learner_actions(app: AppContext) -> list[ActionSpec]:
    return [
        ActionSpec(
            f"learn.{key}",
            f"{learner.title}…",
            f"Learn/With/{kind_title(learner.kind)}",
            " ".join((type(learner).__doc__ or learner.title).split()),
            partial(open_learn_page, app, key),
            needs=[Conditions(app).data],
        )
        for key, learner in all_learners().items()
    ]


def learn_actions(app: AppContext) -> list[ActionSpec]:
    recorder = run_recorder(app)
    runs = app.workspace.runs

    def active_run() -> str | None:
        entry = app.project.models.get(app.workspace.model_id or "")
        return entry.run_id if entry is not None else None

    def reproduce() -> None:
        run_id = active_run()
        if run_id is not None:
            recorder.again(run_id)
            app.reveal("runsPanel")

    def learn_again() -> None:
        run_id = active_run()
        if run_id is not None:
            title = free_title(app, app.project.runs[run_id].title)
            recorder.on_present_rows(run_id, title)
            app.reveal("runsPanel")

    def changed_data() -> str | None:
        if app.project.is_stale(app.workspace.model_id or ""):
            return None
        return "the data have not changed since. Use Reproduce this model instead."

    return [
        ActionSpec(
            "learn.runs",
            "Show runs",
            "Learn",
            "Show the Runs panel.",
            lambda: app.reveal("runsPanel"),
            separator_before=True,
        ),
        ActionSpec(
            "learn.stop",
            "Stop all, keep best",
            "Learn",
            "Stop every run and keep the best model of each.",
            runs.stop_all,
            icon="stop",
            needs=[lambda: None if runs.running or runs.waiting else "no run is active."],
        ),
        ActionSpec(
            "learn.reproduce",
            "Reproduce this model",
            "Learn",
            "Run the learner again with the same data, parameters and seed, and compare.",
            reproduce,
            needs=[lambda: not_reproducible_reason(app.project, active_run())],
        ),
        ActionSpec(
            "learn.again",
            "Learn again",
            "Learn",
            "Learn from the current data with the learner, parameters and seed of this model.",
            learn_again,
            icon="arrow-clockwise",
            needs=[lambda: not_again_reason(app.project, active_run()), changed_data],
        ),
    ]


def stepwise_actions(app: AppContext) -> list[ActionSpec]:
    return [
        ActionSpec(
            "learn.stepwise",
            "Learn step by step…",
            "Learn",
            "Five steps: columns, rules, learning, unresolved edges, edge strengths.",
            partial(_open_stepwise, app),
            icon="list-numbers",
        )
    ]


def _open_stepwise(app: AppContext) -> None:
    from pgmstudio.gui.learning.wizard.page import open_stepwise

    open_stepwise(app)
