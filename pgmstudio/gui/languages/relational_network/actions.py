"""The actions of relational networks: the relation and the decomposition test."""

from __future__ import annotations

from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.widgets.actions import ActionSpec

NO_RELATION = "the active model is not a relational network."


def relation_actions(app: AppContext) -> list[ActionSpec]:
    on = Conditions(app)
    relational = on.model_with(
        lambda entry: isinstance(entry.model, RelationalNetwork), NO_RELATION
    )

    def open_page(*, has_all: bool) -> None:
        from pgmstudio.gui.languages.relational_network.relation_page import open_relation

        model_id = app.workspace.model_id
        if model_id is not None:
            page = open_relation(app, model_id)
            if has_all:
                page.show_all_graphs()

    return [
        ActionSpec(
            "model.relation",
            "Relation…",
            "Model",
            "The tuples of a relational network as a cube or grids, and its pairs of variables.",
            lambda: open_page(has_all=False),
            icon="cube",
            needs=[relational],
            separator_before=True,
        ),
        ActionSpec(
            "evaluate.decomposition",
            "Decomposition test…",
            "Evaluate",
            "The tuples that each graph adds to the relation of the data.",
            lambda: open_page(has_all=True),
            icon="cube",
            needs=[relational],
        ),
    ]
