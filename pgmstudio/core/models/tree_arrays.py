"""Several trees over the same variables as flat arrays, for loops that visit every table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.models.tree import Tree

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """Per tree k and variable v: its parent (−1 at a root) and where its table begins.

    A table has a row per state of the parent (one row at a root), so P(x_v | x_pa) stands at
    `table_at[k, v] + x_pa · cards[v] + x_v`. `order[k]` lists parents before their children;
    `state_at[v]` is the place of a variable's first state where all states stand in a row.
    """

    cards: Places
    state_at: Places
    order: Places
    parents: Places
    table_at: Places
    tables: Floats


def arrays_of(trees: Sequence[Tree], cardinalities: Sequence[int]) -> TreeArrays:
    """The trees, all over variables of these cardinalities, as flat arrays."""
    cards = np.array(cardinalities, dtype=np.int64)
    count, width = len(trees), len(cardinalities)
    parents = np.full((count, width), -1, dtype=np.int64)
    order = np.empty((count, width), dtype=np.int64)
    table_at = np.zeros((count, width), dtype=np.int64)
    tables: list[Floats] = []
    filled = 0
    for k, tree in enumerate(trees):
        order[k] = tree.as_bayesian_network.dag.topological_order
        for v, (parent, table) in enumerate(zip(tree.parents, tree.tables, strict=True)):
            if parent is not None:
                parents[k, v] = parent
            table_at[k, v] = filled
            tables.append(table.ravel())
            filled += table.size
    flat = np.concatenate(tables) if tables else np.zeros(0)
    state_at = np.concatenate(([0], np.cumsum(cards))).astype(np.int64)
    return TreeArrays(cards, state_at, order, parents, table_at, np.ascontiguousarray(flat))
