"""Learn ▸ Learn step by step: five steps from columns to the strengths of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pgmstudio.gui.app.actions import ActionSpec
from pgmstudio.gui.app.opening import close_welcome
from pgmstudio.gui.app.shell import Shell

if TYPE_CHECKING:
    from pgmstudio.gui.pages.stepwise_page import StepwisePage


def open_stepwise(shell: Shell, data_id: str | None = None) -> StepwisePage:
    """The page as it was left; `data_id`: with this data set."""
    from pgmstudio.gui.pages.stepwise_page import StepwisePage

    model_id = shell.bench.model_id
    close_welcome(shell)
    page = cast(StepwisePage, shell.open_page("stepwise", lambda: StepwisePage(shell)))
    if data_id is not None:
        page.plan.choose_data(data_id)
    if model_id in page.plan.models():
        page.plan.choose_model(model_id)
    return page


def stepwise_actions(shell: Shell) -> list[ActionSpec]:
    return [
        ActionSpec(
            "learn.stepwise",
            "Learn step by step…",
            "Learn",
            "Five steps: columns that tell, rules, learning, what is left open, dependences.",
            lambda: open_stepwise(shell),
            icon="list-numbers",
        ),
    ]
