"""Actions of the Learn menu: the learning page, stop and reproduce."""

from __future__ import annotations

from functools import partial

from pgmstudio.core.languages.learners import all_learners
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.learning.learner_forms import free_title
from pgmstudio.gui.navigation import open_learn_page
from pgmstudio.gui.runs.run_recorder import not_again_reason, not_reproducible_reason, run_recorder
from pgmstudio.gui.widgets.actions import ActionSpec


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
            "Learn/With",
            " ".join((type(learner).__doc__ or learner.title).split()),
            partial(open_learn_page, app, key),
            needs=[Conditions(app).data],
        )
        for key, learner in all_learners().items()
    ]


def learn_actions(app: AppContext) -> list[ActionSpec]:
    landing = run_recorder(app)
    runs = app.workspace.runs

    def active_run() -> str | None:
        entry = app.project.models.get(app.workspace.model_id or "")
        return entry.run_id if entry is not None else None

    def reproduce() -> None:
        run_id = active_run()
        if run_id is not None:
            landing.again(run_id)
            app.reveal("runsPanel")

    def learn_again() -> None:
        run_id = active_run()
        if run_id is not None:
            title = free_title(app, app.project.runs[run_id].title)
            landing.on_present_rows(run_id, title)
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
