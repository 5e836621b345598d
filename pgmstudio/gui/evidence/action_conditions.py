"""Conditions of actions on the data of the project, the active model and its selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.registry import a_kind, language_of
from pgmstudio.core.model import Model, has_edges
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel, active_model, rows_for
from pgmstudio.gui.widgets.actions import Condition

NO_MODEL = "no model is open. Open or learn one first."
NO_ROWS_OF_MODEL = "no data set has columns of this model."


def no_probabilities_reason(model: Model) -> str | None:
    """Why a model has nothing that is made of probabilities, such as entropies; None if it has."""
    if language_of(model).scale is Scale.PROBABILITY:
        return None
    return f"{a_kind(model.kind)} has no probabilities."


class Conditions:
    """Each condition gives the reason why an action is disabled now, or None."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def entry(self) -> ModelEntry | None:
        """The active model."""
        return self._app.project.models.get(self._app.workspace.model_id or "")

    @property
    def subject(self) -> ActiveModel | None:
        """The active model with its beliefs."""
        return active_model(self._app)

    def data(self) -> str | None:
        return None if self._app.project.data else "import data first (Ctrl+I)."

    def model(self) -> str | None:
        return None if self.entry is not None else NO_MODEL

    def model_with(
        self, has: Callable[[ModelEntry], object], otherwise: str | Callable[[ModelEntry], str]
    ) -> Condition:
        """A model that has something; `otherwise` is the reason shown if it has not."""

        def condition() -> str | None:
            entry = self.entry
            if entry is None:
                return NO_MODEL
            if has(entry):
                return None
            return otherwise if isinstance(otherwise, str) else otherwise(entry)

        return condition

    def model_of(self, language: type, lacks: str) -> Condition:
        """A model of a class or protocol; `lacks` completes “A decision graph …”."""
        return self.model_with(
            lambda entry: isinstance(entry.model, language),
            lambda entry: f"{a_kind(entry.model.kind)} {lacks}",
        )

    def probabilities(self) -> str | None:
        """A model with probabilities, whatever state its beliefs are in."""
        return NO_MODEL if self.entry is None else no_probabilities_reason(self.entry.model)

    def model_with_edges(self) -> str | None:
        entry = self.entry
        has = entry is not None and has_edges(entry.model)
        return None if has else "open a model with edges first."

    def rows_of_model(self) -> str | None:
        entry = self.entry
        if entry is None:
            return NO_MODEL
        return None if rows_for(self._app, entry) is not None else NO_ROWS_OF_MODEL

    def beliefs(self) -> str | None:
        subject = self.subject
        if subject is None:
            return NO_MODEL
        return None if subject.live.error is None else str(subject.live.error)

    def evidence(self) -> str | None:
        subject = self.subject
        if subject is None:
            return NO_MODEL
        return None if subject.live.evidence else "there is no evidence. Click a state to set it."

    def one_variable(self) -> str | None:
        return (
            None if len(self._app.workspace.selection.nodes) == 1 else "select one variable first."
        )

    def variables(self, least: Literal[1, 2]) -> Condition:
        """So many selected variables."""
        reason = f"select {'a variable' if least == 1 else 'two or more variables'} first."
        return lambda: None if len(self._app.workspace.selection.nodes) >= least else reason
