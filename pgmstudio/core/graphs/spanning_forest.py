"""The maximum spanning forest of a dense graph, as plain loops that can be compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def grow(weights: NDArray[np.float64], parents: NDArray[np.int64]) -> None:
    """Prim's algorithm from node 0, then from the first node not reached; only edges > 0 join.

    `parents[i]` becomes the parent in the forest, −1 for a root.
    """
    n = weights.shape[0]
    best, done = np.empty(n), np.empty(n, np.bool_)
    for i in range(n):
        best[i], done[i], parents[i] = 0.0, False, -1
    for _ in range(n):
        chosen = -1  # the heaviest edge's end, or the first node left where there is no edge
        for i in range(n):
            if not done[i] and (chosen < 0 or best[i] > best[chosen]):
                chosen = i
        done[chosen] = True
        for i in range(n):
            if not done[i] and weights[chosen, i] > best[i]:
                best[i] = weights[chosen, i]
                parents[i] = chosen
