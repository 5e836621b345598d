"""What the components of a mixture differ in: their edges' information, and who tells them apart.

Both are Σ_k w_k KL(rows_k ‖ Σ_j w_j rows_j): with the states of a parent for k it is the mutual
information of an edge, with the components for k it is I(z; v) (Meilă 1999, §3.3.4).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

Floats = NDArray[np.float64]
Edge = tuple[str, str]
Mixture = TreeMixture | LatentClasses


def spread_bits(weights: Floats, rows: Floats) -> float:
    """Σ_k w_k Σ_x rows[k, x] log2( rows[k, x] / Σ_j w_j rows[j, x] ), with 0 log 0 = 0."""
    mixed = np.broadcast_to(weights @ rows, rows.shape)
    joint = weights[:, None] * rows
    seen = joint > 0
    return max(0.0, float(np.sum(joint[seen] * np.log2(rows[seen] / mixed[seen]))))


def marginals_of(tree: Tree) -> tuple[Floats, ...]:
    """P(X) of every variable of a tree, in the order of its domain."""
    found: dict[int, Floats] = {}
    for place in tree.as_bayesian_network.dag.topological_order:
        parent, table = tree.parents[place], tree.tables[place]
        found[place] = table if parent is None else found[parent] @ table
    return tuple(found[place] for place in range(len(tree.domain)))


def edge_information(tree: Tree) -> dict[Edge, float]:
    """I(U; X) in bits of the two ends of every edge; the names of a pair in domain order."""
    names, marginals = tree.domain.names, marginals_of(tree)
    found = {}
    for place, parent in enumerate(tree.parents):
        if parent is not None:
            low, high = min(place, parent), max(place, parent)
            bits = spread_bits(marginals[parent], tree.tables[place])
            found[names[low], names[high]] = bits
    return found


def component_marginals(model: Mixture) -> Mapping[str, Floats]:
    """P(X | component) of every variable of the components, components × states."""
    if isinstance(model, LatentClasses):
        return dict(zip(model.domain.names, model.tables, strict=True))
    each = [marginals_of(tree) for tree in model.trees]
    return {
        name: np.stack([of_tree[place] for of_tree in each])
        for place, name in enumerate(model.tree_domain.names)
    }


def choice_information(model: Mixture) -> dict[str, float]:
    """I(z; v) in bits of the component and every variable, the largest first."""
    rows = component_marginals(model)
    found = {name: spread_bits(model.weights, rows[name]) for name in rows}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def component_names(model: Mixture) -> tuple[str, ...]:
    """What the components are called: class 1, tree 1, or the states of the choice variable."""
    if isinstance(model, LatentClasses):
        return model.as_bayesian_network.domain[model.hidden].states
    if model.choice is not None:
        return model.domain[model.choice].states
    return tuple(f"tree {k + 1}" for k in range(len(model.trees)))


def nearly_empty(weights: Floats) -> NDArray[np.bool_]:
    """Which components have less than a quarter of an even share, 1/(4m)."""
    found: NDArray[np.bool_] = weights < 1 / (4 * weights.size)
    return found


def effective_count(weights: Floats) -> float:
    """2^H(λ): as many even components would be as uncertain."""
    some = weights[weights > 0]
    return float(np.exp2(-np.sum(some * np.log2(some))))
