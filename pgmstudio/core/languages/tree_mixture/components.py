"""Facts about the components of a mixture of trees: roles, constraints, weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

Floats = NDArray[np.float64]
Mixture = TreeMixture | LatentClasses


def tree_roles(model: TreeMixture, target: str) -> dict[str, str]:
    """The variables that predict the target: its neighbours in the trees, and the choice."""
    if target == model.choice:
        others = (name for name in model.domain.names if name != target)
        return dict.fromkeys(others, "in the trees it chooses")
    count = len(model.trees)
    roles = {}
    for pair, trees in model.edge_counts.items():
        if target in pair:
            other = pair[1] if pair[0] == target else pair[0]
            roles[other] = f"neighbour in {trees} of {count} trees" if count > 1 else "neighbour"
    if model.choice is not None:
        roles[model.choice] = "chooses the tree"
    return roles


def violations(model: TreeMixture, knowledge: Knowledge) -> list[str]:
    """The constraints that any of the trees violates."""
    return [
        f"Tree {number}: {message}"
        for number, tree in enumerate(model.trees, start=1)
        for message in knowledge.among(tree.domain.names).violations(tree.edges)
    ]


def nearly_empty(weights: Floats) -> NDArray[np.bool_]:
    """Which components have less than a quarter of an equal weight, 1/(4m)."""
    result: NDArray[np.bool_] = weights < 1 / (4 * weights.size)
    return result


def effective_count(weights: Floats) -> float:
    """2^H(λ): the number of equally weighted components with the same entropy."""
    some = weights[weights > 0]
    return float(np.exp2(-np.sum(some * np.log2(some))))
