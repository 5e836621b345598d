"""Averages of mixtures of trees, which are mixtures of all their trees (Meilă 1999, eq. 4.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture


def averaged(models: Sequence[TreeMixture], weights: Floats) -> TreeMixture:
    """Σ_Q w_Q Q(x); all models have the variables and states of the first, in any order.

    A choice variable becomes a variable of the trees: in tree k it is in state k with probability
    1, so that a tree of the average is still T^k with its choice.
    """
    domain = models[0].domain
    parts = [weight * model.weights for weight, model in zip(weights, models, strict=True)]
    trees = tuple(tree for model in models for tree in _trees_over(model, domain))
    return TreeMixture(domain, np.concatenate(parts), trees)


def _trees_over(model: TreeMixture, domain: Domain) -> list[Tree]:
    """The trees of a mixture, with its choice variable, over a domain of the same variables."""
    if model.choice is None:
        return [tree_over(tree, domain) for tree in model.trees]
    choice, certain = model.domain[model.choice], np.eye(len(model.trees))
    return [
        tree_over(tree_beside(tree, choice, certain[k]), domain)
        for k, tree in enumerate(model.trees)
    ]


def tree_beside(tree: Tree, variable: Variable, table: Floats) -> Tree:
    """The tree with a variable without edges behind the others."""
    domain = Domain((*tree.domain.variables, variable))
    return Tree(domain, (*tree.parents, None), (*tree.tables, table))


def tree_over(tree: Tree, domain: Domain) -> Tree:
    """The same tree over a domain with other orders of its variables and states."""
    if tree.domain == domain:
        return tree
    before = tree.domain
    positions = [before.index(name) for name in domain.names]
    states = {
        variable.name: [before[variable.name].states.index(state) for state in variable.states]
        for variable in domain
    }
    parents, tables = [], []
    for variable, position in zip(domain, positions, strict=True):
        parent = tree.parents[position]
        table = tree.tables[position][..., states[variable.name]]
        if parent is not None:
            table = table[states[before.names[parent]]]
        parents.append(None if parent is None else domain.index(before.names[parent]))
        tables.append(table)
    return Tree(domain, tuple(parents), tuple(tables))
