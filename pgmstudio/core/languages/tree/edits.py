"""Edges of one tree added, removed and exchanged; what is not touched keeps its distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.components import rows_over
from pgmstudio.core.languages.tree.model import Tree, edge_information, marginals_of
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

Floats = NDArray[np.float64]
Edge = tuple[str, str]

# Rows imagined in the table of a new edge, spread as the ends are by themselves.
_IMAGINED_ROWS = 1.0


@dataclass(frozen=True)
class TreeEdit:
    """In tree `number` (from 0) one edge goes, one comes, or one is exchanged for another."""

    number: int
    added: Edge | None = None
    removed: Edge | None = None

    def words(self) -> str:
        """“Join A and B in tree 2, in place of C – D”."""
        tree = f"tree {self.number + 1}"
        if self.added is None:
            return f"Remove {' – '.join(self.removed or ())} from {tree}"
        told = f"Join {self.added[0]} and {self.added[1]} in {tree}"
        return told if self.removed is None else f"{told}, in place of {' – '.join(self.removed)}"


def joins(tree: Tree, one: str, other: str) -> bool:
    """Whether an edge of the tree joins the two."""
    a, b = tree.domain.index(one), tree.domain.index(other)
    return tree.parents[a] == b or tree.parents[b] == a


def path_between(tree: Tree, one: str, other: str) -> tuple[str, ...]:
    """The variables on the way from one to the other; empty when there is none."""
    names = tree.domain.names

    def upwards(name: str) -> list[int]:
        way: list[int] = [tree.domain.index(name)]
        while (parent := tree.parents[way[-1]]) is not None:
            way.append(parent)
        return way

    first, second = upwards(one), upwards(other)
    if first[-1] != second[-1]:
        return ()
    while len(first) > 1 and len(second) > 1 and first[-2] == second[-2]:
        first.pop()
        second.pop()
    return tuple(names[i] for i in (*first, *reversed(second[:-1])))


def rooted_at(tree: Tree, name: str) -> Tree:
    """The same distribution with `name` as the root of its part."""
    way = [tree.domain.index(name)]
    while (parent := tree.parents[way[-1]]) is not None:
        way.append(parent)
    marginals = marginals_of(tree)
    parents, tables = list(tree.parents), list(tree.tables)
    parents[way[0]], tables[way[0]] = None, marginals[way[0]]
    for child, above in pairwise(way):
        # P(above | child) by Bayes' rule from P(child | above) and P(above).
        joint = marginals[above][:, None] * tree.tables[child]
        parents[above], tables[above] = child, _rows(joint.T)
    return Tree(tree.domain, tuple(parents), tuple(tables))


def _rows(joint: Floats) -> Floats:
    """P(column | row); a row that never occurs says nothing."""
    sums = joint.sum(axis=1, keepdims=True)
    rows: Floats = np.where(sums > 0, joint / np.where(sums > 0, sums, 1), 1 / joint.shape[1])
    return rows


def without_tree_edge(tree: Tree, one: str, other: str) -> Tree:
    """The two apart; the part below keeps the distribution it has."""
    a, b = tree.domain.index(one), tree.domain.index(other)
    if tree.parents[a] == b:
        a, b = b, a
    if tree.parents[b] != a:
        raise GraphError(f"No edge of this tree joins {one} and {other}.")
    parents, tables = list(tree.parents), list(tree.tables)
    parents[b], tables[b] = None, marginals_of(tree)[b]
    return Tree(tree.domain, tuple(parents), tuple(tables))


def with_tree_edge(tree: Tree, one: str, other: str, joint: Floats | None = None) -> Tree:
    """The two joined, P(other | one) from `joint`, or independent; GraphError names the way that
    joins them already."""
    if one == other:
        raise GraphError(f"An edge joins two variables; both are {one}.")
    way = path_between(tree, one, other)
    if way:
        raise GraphError(
            f"{one} – {other} would close a cycle: {' – '.join(way)}. Remove one of its edges."
        )
    tree = rooted_at(tree, other)
    a, b = tree.domain.index(one), tree.domain.index(other)
    parents, tables = list(tree.parents), list(tree.tables)
    parents[b] = a
    shape = (tree.domain.cardinalities[a], tree.domain.cardinalities[b])
    tables[b] = np.broadcast_to(tables[b], shape).copy() if joint is None else _rows(joint)
    return Tree(tree.domain, tuple(parents), tuple(tables))


def joining(mixture: TreeMixture, number: int, one: str, other: str) -> TreeEdit:
    """The edit that joins two variables of a tree: where a way joins them already, its weakest
    edge makes room. GraphError when an edge joins them."""
    tree = mixture.trees[number]
    way = path_between(tree, one, other)
    if len(way) == 2:
        raise GraphError(f"{one} and {other} are joined in tree {number + 1} already.")
    if not way:
        return TreeEdit(number, added=(one, other))
    bits, index = edge_information(tree), tree.domain.index
    steps = [(a, b) if index(a) < index(b) else (b, a) for a, b in pairwise(way)]
    return TreeEdit(number, added=(one, other), removed=min(steps, key=bits.__getitem__))


def edited(mixture: TreeMixture, edit: TreeEdit, data: DataSet | None = None) -> TreeMixture:
    """The mixture after the edit; with rows a new edge gets its table from those of its tree."""
    tree = mixture.trees[edit.number]
    joint = None
    if edit.added is not None and data is not None and data.row_count:
        joint = joint_in_tree(mixture, edit.number, *edit.added, data)
    if edit.removed is not None:
        tree = without_tree_edge(tree, *edit.removed)
    if edit.added is not None:
        tree = with_tree_edge(tree, *edit.added, joint)
    return with_tree(mixture, edit.number, tree)


def with_tree(mixture: TreeMixture, number: int, tree: Tree) -> TreeMixture:
    """The mixture with another tree in the place of one."""
    trees = (*mixture.trees[:number], tree, *mixture.trees[number + 1 :])
    return replace(mixture, trees=trees)


def with_tree_table(tree: Tree, name: str, table: Floats) -> Tree:
    """The tree with another table P(name | its neighbour above)."""
    place = tree.domain.index(name)
    tables = (*tree.tables[:place], table, *tree.tables[place + 1 :])
    return Tree(tree.domain, tree.parents, tables)


def joint_in_tree(mixture: TreeMixture, number: int, one: str, other: str, data: DataSet) -> Floats:
    """P^k(one, other): the rows weighed by how much they belong to tree k (eqs. 3.17–3.18)."""
    data = rows_over(mixture.domain, data)
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
    weighed: Floats = np.asarray(counts + _IMAGINED_ROWS * alone, dtype=np.float64)
    joint: Floats = weighed / weighed.sum()
    return joint
