"""The maximum spanning forest over the variables that obeys a root and edge constraints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.learning.edge_constraints import ForestRules


def best_forest(
    weights: NDArray[np.float64],
    names: tuple[str, ...],
    root: str | None = None,
    knowledge: Knowledge | None = None,
    cancel: CancelToken = NEVER,
) -> list[int | None]:
    """The parents of the forest of largest total weight that obeys root and knowledge."""
    from pgmstudio.core.graphs.spanning_forest_kernels import grow_forest

    if root is not None and root not in names:
        raise ParameterError({"root": f"{root!r} is not a column"})
    top = 0 if root is None else names.index(root)
    rules = ForestRules.of(names, knowledge, root)
    if rules is None:
        grown = np.empty(len(names), dtype=np.int64)
        grow_forest(weights, grown)
        parents = [None if p < 0 else int(p) for p in grown]
        return parents if root is None else rooted_at(parents, top)
    return rules.parents(weights, cancel)


def rooted_at(parents: list[int | None], root: int) -> list[int | None]:
    """The same tree with the edges turned that led into `root`'s ancestors and itself."""
    turned = list(parents)
    child, node = None, root
    while True:
        above = parents[node]
        turned[node] = child
        if above is None:
            return turned
        child, node = node, above
