"""Edits of the trees of a mixture: edges added, removed and exchanged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.tree.edits import path_between, with_tree_edge, without_tree_edge
from pgmstudio.core.languages.tree.model import Edge, Tree, edge_information, marginals_of
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

# Pseudo-rows in the table of a new edge, with independent ends.
_PSEUDO_ROWS = 1.0


@dataclass(frozen=True)
class TreeEdit:
    """An edit of tree `number` (from 0): an edge removed, added, or replaced by another."""

    number: int
    added: Edge | None = None
    removed: Edge | None = None

    def text(self) -> str:
        """“Join A and B in tree 2, in place of C – D”."""
        tree = f"tree {self.number + 1}"
        if self.added is None:
            return f"Remove {' – '.join(self.removed or ())} from {tree}"
        text = f"Join {self.added[0]} and {self.added[1]} in {tree}"
        return text if self.removed is None else f"{text}, in place of {' – '.join(self.removed)}"


def joining(mixture: TreeMixture, number: int, one: str, other: str) -> TreeEdit:
    """The edit that joins two variables of a tree: if a path joins them already, its
    weakest edge is removed. GraphError if they are adjacent."""
    tree = mixture.trees[number]
    way = path_between(tree, one, other)
    if len(way) == 2:
        raise GraphError(f"{one} and {other} are joined in tree {number + 1} already.")
    if not way:
        return TreeEdit(number, added=(one, other))
    bits, index = edge_information(tree), tree.domain.index
    steps = [(a, b) if index(a) < index(b) else (b, a) for a, b in pairwise(way)]
    return TreeEdit(number, added=(one, other), removed=min(steps, key=bits.__getitem__))


def edited(mixture: TreeMixture, step: TreeEdit, data: DataSet | None = None) -> TreeMixture:
    """The mixture after the edit; with rows a new edge gets its table from those of its tree."""
    tree = mixture.trees[step.number]
    joint = None
    if step.added is not None and data is not None and data.row_count:
        joint = joint_in_tree(mixture, step.number, *step.added, data)
    if step.removed is not None:
        tree = without_tree_edge(tree, *step.removed)
    if step.added is not None:
        tree = with_tree_edge(tree, *step.added, joint)
    return with_tree(mixture, step.number, tree)


def edit_tree(
    mixture: TreeMixture,
    *,
    number: int,
    added: Edge | None = None,
    removed: Edge | None = None,
    data: DataSet | None = None,
) -> TreeMixture:
    """An edge of tree `number` (from 0) added, removed or exchanged."""
    rows = None if data is None or data.total_weight <= 0 else rows_over(data, mixture.domain)
    return edited(mixture, TreeEdit(number, added, removed), rows)


def set_tree_table(mixture: TreeMixture, number: int, variable: str, table: Floats) -> TreeMixture:
    """The mixture with another table of a variable in tree `number`."""
    return with_tree(mixture, number, mixture.trees[number].with_table(variable, table))


def with_tree(mixture: TreeMixture, number: int, tree: Tree) -> TreeMixture:
    """The mixture with one tree replaced."""
    trees = (*mixture.trees[:number], tree, *mixture.trees[number + 1 :])
    return replace(mixture, trees=trees)


def joint_in_tree(mixture: TreeMixture, number: int, one: str, other: str, data: DataSet) -> Floats:
    """P^k(one, other): the rows weighted by the responsibilities of tree k (eqs. 3.17–3.18)."""
    data = data.for_model(mixture.domain)
    weights = mixture.responsibilities(data)[:, number]
    if data.weights is not None:
        weights = weights * data.weights
    first, second = data.column(one), data.column(other)
    seen = (first != data.missing_code) & (second != data.missing_code)
    shape = (data.domain[one].cardinality, data.domain[other].cardinality)
    flat = first[seen].astype(np.intp) * shape[1] + second[seen]
    counts = np.bincount(flat, weights[seen], shape[0] * shape[1]).reshape(shape)
    tree = mixture.trees[number]
    marginals = marginals_of(tree)
    alone = np.outer(marginals[tree.domain.index(one)], marginals[tree.domain.index(other)])
    weighed: Floats = np.asarray(counts + _PSEUDO_ROWS * alone, dtype=np.float64)
    joint: Floats = weighed / weighed.sum()
    return joint
