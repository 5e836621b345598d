"""Conversions of a latent class model, and of naive Bayes networks to it."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses, free_name


def classes_of_network(network: BayesianNetwork) -> LatentClasses:
    """Naive Bayes whose class becomes hidden; GraphError when the graph is no such star."""
    reason = no_classes_reason(network)
    if reason is not None:
        raise GraphError(reason)
    root = next(name for name in network.domain.names if not network.dag.parents(name))
    items = network.domain.restricted_to(n for n in network.domain.names if n != root)
    tables = tuple(network.table(name) for name in items.names)
    return LatentClasses(items, network.table(root), tables, root)


def no_classes_reason(network: BayesianNetwork) -> str | None:
    """Why a network is not naive Bayes, as text; None if it is."""
    names, parents = network.domain.names, network.dag.parent_indices
    roots = [index for index, some in enumerate(parents) if not some]
    if len(roots) != 1 or len(names) < 2:
        return f"latent classes have one root over their items; this network has {len(roots)}."
    for name, some in zip(names, parents, strict=True):
        if some and tuple(some) != (roots[0],):
            return f"{name} has another parent than {names[roots[0]]}; classes have no such edges."
    return None


def one_class_of_network(network: BayesianNetwork) -> LatentClasses:
    """A single class, from a network without edges."""
    tables = tuple(table[None, :] for table in network.tables)
    return LatentClasses(network.domain, np.ones(1), tables, free_name(network.domain))
