"""Actions of the Evaluate menu: classification and scores."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import cast

from pgmstudio.core.analysis.model_averaging import no_average_reason
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evaluation.row_choice import RowChoices, classifiers
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.navigation import close_welcome
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.page import Page

NO_ROWS = "no data set has columns of a model. Import data first (Ctrl+I)."


def open_classification(app: AppContext, target: str | None = None) -> Page:
    """Open the classification page with the active model."""
    from pgmstudio.gui.evaluation.classification_page import KEY, ClassificationPage

    active_id, usable = last_model(app).id, classifiers(app.project)
    close_welcome(app)
    model_id = active_id if active_id in usable else next(iter(usable), None)
    page = cast(ClassificationPage, app.open_page(KEY, partial(ClassificationPage, app)))
    if model_id is not None:
        page.choose(model_id, target)
    return page


def open_scores(app: AppContext) -> Page:
    """Open the score table of all models."""
    from pgmstudio.gui.evaluation.score_table_page import KEY, ScoreTablePage

    close_welcome(app)
    return app.open_page(KEY, partial(ScoreTablePage, app))


def open_cross_validation(app: AppContext) -> Page:
    """Open the cross-validation of learners."""
    from pgmstudio.gui.evaluation.cross_validation_page import KEY, CrossValidationPage

    close_welcome(app)
    return app.open_page(KEY, partial(CrossValidationPage, app))


def open_averaging(app: AppContext) -> Page:
    """Open the page that averages models."""
    from pgmstudio.gui.evaluation.averaging_page import KEY, AveragingPage

    close_welcome(app)
    return app.open_page(KEY, partial(AveragingPage, app))


def evaluate_actions(app: AppContext) -> list[ActionSpec]:
    def models_with_rows(kind: str, entries: Iterable[ModelEntry]) -> str | None:
        models = [entry.model for entry in entries]
        if not models:
            return f"there is no {kind}. Open or learn one first."
        return None if RowChoices().titles(app.project, *models) else NO_ROWS

    def classifier() -> str | None:
        return models_with_rows("probabilistic model", classifiers(app.project).values())

    def scored_model() -> str | None:
        return models_with_rows("model", app.project.models.values())

    def no_data() -> str | None:
        return None if app.project.data else "import data first (Ctrl+I)."

    def no_two_models() -> str | None:
        count = sum(no_average_reason(entry.model) is None for entry in app.project.models.values())
        if count > 1:
            return None
        return "two trees, latent class models or mixtures of trees are needed."

    return [
        ActionSpec(
            "evaluate.classify",
            "Classify a target…",
            "Evaluate",
            "Evaluate predictions of one variable: confusion matrix, ROC, calibration, features.",
            partial(open_classification, app),
            icon="crosshair",
            needs=[classifier],
        ),
        ActionSpec(
            "evaluate.scores",
            "Score table…",
            "Evaluate",
            "Score all models on the same rows: bits per row, BIC, AIC, BDeu and sizes; or the "
            "tuples and degrees that relational and possibilistic networks add.",
            partial(open_scores, app),
            icon="scales",
            needs=[scored_model],
        ),
        ActionSpec(
            "evaluate.cross-validate",
            "Cross-validation…",
            "Evaluate",
            "Learn without one part of the rows after another, measure on it, and compare learners "
            "on the same parts.",
            partial(open_cross_validation, app),
            icon="scales",
            needs=[no_data],
        ),
        ActionSpec(
            "evaluate.average",
            "Average models…",
            "Evaluate",
            "Average trees, latent class models and mixtures of trees by their posterior; the "
            "result is a mixture of all their trees.",
            partial(open_averaging, app),
            icon="circles-three",
            needs=[no_two_models],
        ),
    ]
