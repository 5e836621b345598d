"""The Evaluate menu: how well models predict and fit."""

from __future__ import annotations

from functools import partial
from typing import cast

from pgmstudio.gui.project.opening import close_welcome
from pgmstudio.gui.window.actions import ActionSpec
from pgmstudio.gui.window.app_context import Shell
from pgmstudio.gui.window.page import Page

NO_ROWS = "no data set has columns of a model. Import data first (Ctrl+I)."


def open_classification(shell: Shell, target: str | None = None) -> Page:
    """The page about predicting a target, with the model that was in view last."""
    from pgmstudio.gui.evaluation.classification_page import KEY, ClassificationPage
    from pgmstudio.gui.evaluation.row_choice import classifiers
    from pgmstudio.gui.project.last_model import last_model

    in_view, found = last_model(shell).id, classifiers(shell.project)
    close_welcome(shell)
    wanted = in_view if in_view in found else next(iter(found), None)
    page = cast(ClassificationPage, shell.open_page(KEY, partial(ClassificationPage, shell)))
    if wanted is not None:
        page.choose(wanted, target)
    return page


def open_scores(shell: Shell) -> Page:
    """The table of all models."""
    from pgmstudio.gui.evaluation.score_table_page import KEY, ScoreTablePage

    close_welcome(shell)
    return shell.open_page(KEY, partial(ScoreTablePage, shell))


def evaluate_actions(shell: Shell) -> list[ActionSpec]:
    def why_no_classifier() -> str | None:
        from pgmstudio.gui.evaluation.row_choice import RowChoices, classifiers

        found = classifiers(shell.project)
        if not found:
            return "there is no model that gives rows a probability. Open or learn one first."
        if not RowChoices().words(shell.project, *(entry.model for entry in found.values())):
            return NO_ROWS
        return None

    def why_no_scores() -> str | None:
        from pgmstudio.gui.evaluation.row_choice import RowChoices

        models = [entry.model for entry in shell.project.models.values()]
        if not models:
            return "there is no model yet. Open or learn one first."
        return None if RowChoices().words(shell.project, *models) else NO_ROWS

    return [
        ActionSpec(
            "evaluate.classify",
            "Classify a target…",
            "Evaluate",
            "How well a model predicts one variable: confusion, ROC, calibration, features.",
            partial(open_classification, shell),
            icon="crosshair",
            why_not=why_no_classifier,
        ),
        ActionSpec(
            "evaluate.scores",
            "Score table…",
            "Evaluate",
            "All models on the same rows: bits per row, BIC, AIC, BDeu and sizes.",
            partial(open_scores, shell),
            icon="scales",
            why_not=why_no_scores,
        ),
    ]
