"""The action of the published experiments; apart from their page, which loads every study."""

from __future__ import annotations

from functools import partial

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.widgets.actions import ActionSpec


def recipe_actions(app: AppContext) -> list[ActionSpec]:
    return [
        ActionSpec(
            "evaluate.recipes",
            "Published experiments…",
            "Evaluate",
            "Run published experiments again and compare the values.",
            partial(_open, app),
            icon="flask",
            separator_before=True,
        )
    ]


def _open(app: AppContext) -> None:
    from pgmstudio.gui.experiments.page import open_recipes

    open_recipes(app)
