"""Edits of a tree: edges added and removed; the rest keeps its distribution."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.tree.model import Tree, marginals_of


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
    """P(column | row); uniform in a row of probability 0."""
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
