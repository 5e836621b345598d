"""The Learn menu: the run sheet, stop and reproduce."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from pgmstudio.core.languages.learners import all_learners
from pgmstudio.gui.project.opening import close_welcome
from pgmstudio.gui.runs.run_recorder import Landing, why_not_again, why_not_reproducible
from pgmstudio.gui.window.actions import ActionSpec
from pgmstudio.gui.window.app_context import Shell

if TYPE_CHECKING:
    from pgmstudio.gui.learning.page import LearnPage


def landing_of(shell: Shell) -> Landing:
    """The one landing of a shell, made at the first asking."""
    found = shell.findChild(Landing)
    return found if isinstance(found, Landing) else Landing(shell)


def open_learn_page(shell: Shell, learner: str | None = None) -> LearnPage:
    from pgmstudio.gui.learning.page import LearnPage

    in_front = shell.center.current
    data_id = None if in_front is None else in_front.about_data()
    close_welcome(shell)
    page = cast(LearnPage, shell.open_page("learn", lambda: LearnPage(shell, landing_of(shell))))
    page.choose(learner=learner, data_id=data_id)
    return page


def learn_page_actions(shell: Shell) -> list[ActionSpec]:
    return [
        ActionSpec(
            "learn.learn",
            "Learn…",
            "Learn",
            "Choose a learner, set it up and start it in the background.",
            lambda: open_learn_page(shell),
            keys=("Ctrl+L",),
            icon="play-circle",
            why_not=partial(_no_data, shell),
        )
    ]


def learner_actions(shell: Shell) -> list[ActionSpec]:
    return [
        ActionSpec(
            f"learn.{key}",
            f"{learner.title}…",
            "Learn/With",
            " ".join((type(learner).__doc__ or learner.title).split()),
            partial(open_learn_page, shell, key),
            why_not=partial(_no_data, shell),
        )
        for key, learner in all_learners().items()
    ]


def _no_data(shell: Shell) -> str | None:
    return None if shell.project.data else "import data first (Ctrl+I)."


def learn_actions(shell: Shell) -> list[ActionSpec]:
    landing = landing_of(shell)
    runs = shell.bench.runs

    def run_in_view() -> str | None:
        entry = shell.project.models.get(shell.bench.model_id or "")
        return entry.run_id if entry is not None else None

    def reproduce() -> None:
        run_id = run_in_view()
        if run_id is not None:
            landing.again(run_id)
            shell.reveal("runsPanel")

    def learn_again() -> None:
        from pgmstudio.gui.learning.learner_forms import free_title

        run_id = run_in_view()
        if run_id is not None:
            title = free_title(shell, shell.project.runs[run_id].title)
            landing.on_present_rows(run_id, title)
            shell.reveal("runsPanel")

    def why_not_learn_again() -> str | None:
        reason = why_not_again(shell.project, run_in_view())
        if reason is None and not shell.project.is_stale(shell.bench.model_id or ""):
            return "its rows have not changed since; Reproduce this model runs it again."
        return reason

    return [
        ActionSpec(
            "learn.runs",
            "Show runs",
            "Learn",
            "The runs panel.",
            lambda: shell.reveal("runsPanel"),
            separator_before=True,
        ),
        ActionSpec(
            "learn.stop",
            "Stop all, keep best",
            "Learn",
            "End every run; the best model of each is kept.",
            runs.stop_all,
            icon="stop",
            why_not=lambda: None if runs.running or runs.waiting else "nothing runs.",
        ),
        ActionSpec(
            "learn.reproduce",
            "Reproduce this model",
            "Learn",
            "Run its learner again with the same data, settings and seed, and compare.",
            reproduce,
            why_not=lambda: why_not_reproducible(shell.project, run_in_view()),
        ),
        ActionSpec(
            "learn.again",
            "Learn again",
            "Learn",
            "Learn from the present rows with the learner, settings and seed of this model.",
            learn_again,
            icon="arrow-clockwise",
            why_not=why_not_learn_again,
        ),
    ]
