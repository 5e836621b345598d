"""Texts and tables of a mixture of trees."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.description import ModelDescription, TableSize
from pgmstudio.gui.languages.tables import Edit, TableSource
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views

IN_ALL_COMPONENTS = "In all components together."


class MixtureDescription(ModelDescription):
    """The trees of a mixture and how many edges they have in common."""

    def facts(self, model: TreeMixture) -> list[str]:
        edges = "shared edges" if model.is_shared else "free edges"
        return [counted(len(model.trees), "tree"), edges]

    def variable_facts(self, model: TreeMixture, name: str) -> list[str]:
        neighbours = sum(name in pair for pair in model.edge_counts)
        trees = counted(len(model.trees), "tree")
        return [f"{counted(neighbours, 'neighbour')} in {trees}"]

    def edges(self, model: TreeMixture) -> str:
        edges = sum(len(tree.edges) for tree in model.trees)
        distinct = len(model.edge_counts)
        return f"{edges} edges in {len(model.trees)} trees · {distinct} distinct"

    def table_size(self, model: TreeMixture, name: str) -> TableSize:
        states = model.domain[name].cardinality
        columns = 1
        if name != model.choice:
            index = model.tree_domain.index(name)
            columns = sum(tree.tables[index].size for tree in model.trees) // states
        return TableSize(columns, columns * (states - 1), IN_ALL_COMPONENTS)


DESCRIPTION = MixtureDescription()


class TreeTables(TableSource):
    """The tables of one tree; none while several trees are shown."""

    no_table_text = (
        "Show one tree of the mixture alone, then select a variable or an edge to edit its table."
    )
    is_of_components = True

    def __init__(self, app: AppContext, parent: QObject) -> None:
        super().__init__(app, parent)
        component_views(app).changed.connect(self.changed)

    def _tree(self, model_id: str, model: Model) -> int | None:
        """The index of the tree that is shown alone."""
        if not isinstance(model, TreeMixture):
            return None
        if len(model.trees) == 1:
            return 0
        only = component_views(self._app).only(model_id)
        return only if only is not None and only < len(model.trees) else None

    def network(self, model_id: str, model: Model) -> BayesianNetwork | None:
        tree = self._tree(model_id, model)
        if tree is None or not isinstance(model, TreeMixture):
            return None
        return model.trees[tree].as_bayesian_network

    def title_suffix(self, model_id: str, model: Model) -> str:
        tree = self._tree(model_id, model)
        return "" if tree is None else f" in tree {tree + 1}"

    def is_editable(self, model: Model) -> bool:
        return True

    def edit(self, model_id: str, variable: str, table: NDArray[np.float64]) -> Edit:
        tree = self._tree(model_id, self._app.project.models[model_id].model)
        return partial(
            edit_language,
            edit="set_tree_table",
            model_id=model_id,
            number=tree,
            variable=variable,
            table=table,
        )
