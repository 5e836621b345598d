"""Kruskal stopped early: the heaviest forest of a given number of parts (Meilă 1999, §6.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Forest = NDArray[np.int64]


def heaviest_forest(weights: Floats, parts: int) -> Forest:
    """The forest of largest weight with at most n − `parts` edges, all above 0; parents, −1 roots.

    Cutting the lightest edges off a maximum spanning forest is stopping Kruskal early.
    """
    from pgmstudio.core.learning.tree_kernels import grow_forest

    count = len(weights)
    forest = np.full(count, -1, dtype=np.int64)
    grow_forest(np.ascontiguousarray(weights), forest)
    children = np.flatnonzero(forest >= 0)
    spare = children.size - (count - parts)
    if spare > 0:
        order = np.argsort(weights[children, forest[children]], kind="stable")
        forest[children[order[:spare]]] = -1
    return forest
