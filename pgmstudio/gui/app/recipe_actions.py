"""The experiments of the sources in the Evaluate menu."""

from __future__ import annotations

from pgmstudio.gui.app.actions import ActionSpec
from pgmstudio.gui.app.shell import Shell


def recipe_actions(shell: Shell) -> list[ActionSpec]:
    def show() -> None:
        from pgmstudio.gui.pages.recipe_page import open_recipes

        open_recipes(shell)

    return [
        ActionSpec(
            "evaluate.recipes",
            "Experiments of the sources…",
            "Evaluate",
            "Published experiments run again: their values beside those obtained here.",
            show,
            icon="flask",
            separator_before=True,
        )
    ]
