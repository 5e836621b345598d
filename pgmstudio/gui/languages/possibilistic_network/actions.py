"""The actions of possibilistic networks: the distribution, the norm, and rescaling."""

from __future__ import annotations

from functools import partial
from typing import Any

from pgmstudio.core.inference.join_tree import MINIMUM, PRODUCT
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.widgets.actions import ActionSpec

RESCALE = "Rescale degrees to a largest of 1"
NO_NETWORK = "the active model is not a possibilistic network."


def possibilistic_actions(app: AppContext) -> list[ActionSpec]:
    on = Conditions(app)
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
        found = None if on.entry is None else on.entry.model
        return found if isinstance(found, PossibilisticNetwork) else None

    def has_product() -> bool:
        found = model()
        return found is not None and found.norm == PRODUCT

    def turn_norm() -> None:
        norm = MINIMUM if has_product() else PRODUCT
        change_network(app, f"Combine degrees by their {norm}", "set_norm", norm=norm)

    def rescale() -> None:
        change_network(app, RESCALE, "rescale")

    return [
        ActionSpec(
            "model.possibility",
            "Possibility distribution…",
            "Model",
            "The degrees of the tuples of a possibilistic network, and its α-cuts as relations.",
            open_page,
            icon="cube",
            needs=[possibilistic],
        ),
        ActionSpec(
            "evaluate.degrees-and-probabilities",
            "Degrees and probabilities…",
            "Evaluate",
            "Possibility and necessity beside the probabilities of the same graph and data.",
            open_probabilities,
            icon="scales",
            needs=[possibilistic, on.rows_of_model],
        ),
        ActionSpec(
            "model.product-norm",
            "Product of degrees",
            "Model",
            "Combine degrees by their product; without the tick by their minimum.",
            turn_norm,
            needs=[possibilistic],
            is_checked=has_product,
        ),
        ActionSpec(
            "model.rescale",
            "Rescale degrees",
            "Model",
            "Divide all degrees by the largest, so that it is 1.",
            rescale,
            needs=[possibilistic, by_minimum],
        ),
    ]


def change_network(app: AppContext, text: str, edit: str, **values: Any) -> bool:
    """An edit of the active possibilistic network as one undoable step."""
    model_id = app.workspace.model_id or ""
    return app.change(text, partial(edit_language, edit=edit, model_id=model_id, **values))
