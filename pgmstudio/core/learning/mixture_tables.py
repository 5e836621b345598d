"""The parameters of a mixture of trees during EM, and the model they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.learning.mixture_rows import SparseRows
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.models.tree_mixture import TreeMixture

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeTables:
    """The parameters of a mixture at one moment, states numbered from the reference states."""

    weights: Floats
    forests: NDArray[np.int64]
    tables: Floats


def mixture_of(rows: SparseRows, tables: TreeTables) -> TreeMixture:
    """The model with these parameters; the rows tell their coding."""
    numbers = [rows.state_numbers(v) for v in range(len(rows.domain))]
    trees = tuple(
        _tree(rows.domain, numbers, forest.tolist(), flat)
        for forest, flat in zip(tables.forests, tables.tables, strict=True)
    )
    return TreeMixture(rows.domain, tables.weights / tables.weights.sum(), trees)


def _tree(
    domain: Domain, numbers: list[NDArray[np.int64]], forest: list[int], flat: Floats
) -> Tree:
    """One of the trees; `numbers` has per variable the place of each state in its table."""
    cards, found, at = domain.cardinalities, [], 0
    widest = max(cards, default=1)
    for v, parent in enumerate(forest):
        lines = cards[parent] if parent >= 0 else 1
        table = flat[at : at + lines * cards[v]].reshape(lines, cards[v])[:, numbers[v]]
        found.append(table[numbers[parent]] if parent >= 0 else table[0])
        at += cards[v] * widest
    return Tree(domain, tuple(None if p < 0 else p for p in forest), tuple(found))
