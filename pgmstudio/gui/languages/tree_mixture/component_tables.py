"""Whose tables the table panel shows, and what an edit of one means to each language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.tree.edits import with_tree_table
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.edits import with_tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model
from pgmstudio.core.project.edits import replace_model
from pgmstudio.core.project.model_edits import set_table
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views

NO_TABLE = "Select one variable, or an edge, to see and edit its table."
NO_TREE = "Show one tree of the mixture alone, then select a variable or an edge to edit its table."


def tree_shown(app: AppContext, model_id: str, model: Model) -> int | None:
    """The tree of a mixture whose tables are shown; None while several are in view."""
    if isinstance(model, TreeMixture) and len(model.trees) == 1:
        return 0
    only = component_views(app).only(model_id)
    is_there = isinstance(model, TreeMixture) and only is not None and only < len(model.trees)
    return only if is_there else None


def network_shown(app: AppContext, model_id: str, model: Model) -> BayesianNetwork | None:
    """The tables as those of a network; None for a language that has none to show."""
    if isinstance(model, Tree | LatentClasses | LabelledDag):
        return model.as_bayesian_network
    if isinstance(model, TreeMixture):
        tree = tree_shown(app, model_id, model)
        return None if tree is None else model.trees[tree].as_bayesian_network
    return model if isinstance(model, BayesianNetwork) else None


def variable_shown(selection: Selection, network: BayesianNetwork) -> str | None:
    """Whose table it is: of the one node selected, or of the lower end of the one edge."""
    if len(selection.nodes) == 1:
        return selection.nodes[0] if selection.nodes[0] in network.domain else None
    if selection.nodes or len(selection.edges) != 1:
        return None
    one, other = selection.edges[0]
    for parent, child in ((one, other), (other, one)):
        if child in network.domain and parent in network.dag.parents(child):
            return child
    return None


def is_mixture(model: Model) -> bool:
    return isinstance(model, TreeMixture | LatentClasses)


def component_columns(model: Model, name: str) -> int:
    """How many distributions of the variable a mixture holds, over all of its components."""
    if isinstance(model, LatentClasses):
        return model.class_count
    if not isinstance(model, TreeMixture) or name == model.choice:
        return 1
    place = model.tree_domain.index(name)
    cells = sum(tree.tables[place].size for tree in model.trees)
    return cells // model.domain[name].cardinality


def table_words(app: AppContext, model_id: str, model: Model) -> str:
    """“ in tree 2”, “ given the class”, or nothing."""
    if isinstance(model, LatentClasses):
        return f" given the {model.hidden}"
    tree = tree_shown(app, model_id, model)
    return "" if tree is None else f" in tree {tree + 1}"


def table_edit(
    app: AppContext, model_id: str, variable: str, table: NDArray[np.float64]
) -> Callable[[Project], Project]:
    """The undoable edit that gives the variable this table."""
    model = app.project.models[model_id].model
    if isinstance(model, LatentClasses):
        place = model.domain.index(variable)
        tables = (*model.tables[:place], table, *model.tables[place + 1 :])
        return partial(replace_model, model_id=model_id, model=replace(model, tables=tables))
    tree = tree_shown(app, model_id, model)
    if isinstance(model, TreeMixture) and tree is not None:
        changed = with_tree_table(model.trees[tree], variable, table)
        return partial(replace_model, model_id=model_id, model=with_tree(model, tree, changed))
    return partial(set_table, model_id=model_id, variable=variable, table=table)
