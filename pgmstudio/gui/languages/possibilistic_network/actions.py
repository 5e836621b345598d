"""The actions of possibilistic networks: the distribution, the norm, and rescaling."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.join_tree import MINIMUM, PRODUCT
from pgmstudio.core.languages.possibilistic_network.edits import project_data
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.project.edits import Computed
from pgmstudio.core.project.model_edits import edit_from_rows, edit_language, edited_model
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.actions import ActionSpec

RESCALE = "Rescale degrees to a largest of 1"
MENU = "Evaluate/Possibilistic network"
NO_NETWORK = "the active model is not a possibilistic network."


class DataDegrees(QObject):
    """Takes the degrees of a graph from the rows of its data set, in the background."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._asked: tuple[str, object, bool] = ("", None, False)
        self._task = LatestTask(self, self._on_projected, app.errors.report)

    def take(self) -> None:
        """Rescaled as in the run that made the model."""
        model_id = self._app.workspace.model_id or ""
        entry = self._app.project.models.get(model_id)
        sources = model_sources(self._app)
        rows = sources.rows(model_id)
        if entry is None or rows is None or not isinstance(entry.model, PossibilisticNetwork):
            return
        rescaled = bool(getattr(sources.params(model_id), "rescaled", False))
        self._asked = (model_id, entry.model, rescaled)
        self._task.ask(partial(_projected, entry.model, rows.data, rescaled))

    def _on_projected(self, network: PossibilisticNetwork) -> None:
        model_id, model, rescaled = self._asked
        entry = self._app.project.models.get(model_id)
        if entry is None or entry.model is not model:  # it was edited in the meantime
            return
        how = partial(edit_from_rows, edit="project_data", model_id=model_id, rescaled=rescaled)
        edit = Computed(how, partial(edited_model, model_id=model_id, model=network))
        if self._app.change("Degrees from data", edit):
            self._app.notify("The degrees are those of the data.", undo=True)


def _projected(
    model: PossibilisticNetwork, data: DataSet, rescaled: bool, cancel: CancelToken
) -> PossibilisticNetwork:
    return project_data(model, data=data, rescaled=rescaled, cancel=cancel)


def possibilistic_actions(app: AppContext) -> list[ActionSpec]:
    on, from_data = Conditions(app), DataDegrees(app)
    possibilistic = on.model_with(
        lambda entry: isinstance(entry.model, PossibilisticNetwork), NO_NETWORK
    )
    by_minimum = on.model_with(
        lambda entry: getattr(entry.model, "norm", MINIMUM) == MINIMUM,
        "only degrees that are combined by their minimum can be rescaled.",
    )

    def open_page() -> None:
        from pgmstudio.gui.languages.possibilistic_network.distribution_page import (
            open_distribution,
        )

        if app.workspace.model_id is not None:
            open_distribution(app, app.workspace.model_id)

    def open_probabilities() -> None:
        from pgmstudio.gui.languages.possibilistic_network.comparison_page import open_comparison

        if app.workspace.model_id is not None:
            open_comparison(app, app.workspace.model_id)

    def model() -> PossibilisticNetwork | None:
        current = None if on.entry is None else on.entry.model
        return current if isinstance(current, PossibilisticNetwork) else None

    def has_product() -> bool:
        network = model()
        return network is not None and network.norm == PRODUCT

    def turn_norm() -> None:
        norm = MINIMUM if has_product() else PRODUCT
        change_network(app, f"Combine degrees by their {norm}", "set_norm", norm=norm)

    def rescale() -> None:
        change_network(app, RESCALE, "rescale")

    return [
        ActionSpec(
            "model.possibility",
            "Possibility distribution…",
            MENU,
            "The degrees of the tuples of a possibilistic network, and its α-cuts as relations.",
            open_page,
            icon="cube",
            needs=[possibilistic],
        ),
        ActionSpec(
            "evaluate.degrees-and-probabilities",
            "Degrees and probabilities…",
            MENU,
            "Possibility and necessity beside the probabilities of the same graph and data.",
            open_probabilities,
            icon="scales",
            needs=[possibilistic, on.rows_of_model],
        ),
        ActionSpec(
            "model.product-norm",
            "Product of degrees",
            MENU,
            "Combine degrees by their product; without the tick by their minimum.",
            turn_norm,
            needs=[possibilistic],
            is_checked=has_product,
        ),
        ActionSpec(
            "model.degrees-from-data",
            "Degrees from data",
            MENU,
            "Give this graph the degrees of the rows of its data set.",
            from_data.take,
            icon="database",
            needs=[possibilistic, on.rows_of_model],
        ),
        ActionSpec(
            "model.rescale",
            "Rescale degrees",
            MENU,
            "Divide all degrees by the largest, so that it is 1.",
            rescale,
            needs=[possibilistic, by_minimum],
        ),
    ]


def change_network(app: AppContext, text: str, edit: str, **values: Any) -> bool:
    """An edit of the active possibilistic network as one undoable step."""
    model_id = app.workspace.model_id or ""
    return app.change(text, partial(edit_language, edit=edit, model_id=model_id, **values))
