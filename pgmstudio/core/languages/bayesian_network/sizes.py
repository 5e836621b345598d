"""The sizes of a Bayesian network: parameters per table, cells per clique."""

from __future__ import annotations

import math

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.sizes import CliqueSize, FamilySize, SizeBreakdown


def families_of(network: BayesianNetwork) -> tuple[FamilySize, ...]:
    return tuple(
        FamilySize(
            name,
            network.dag.parents(name),
            math.prod(table.shape[:-1]),
            math.prod(table.shape[:-1]) * (table.shape[-1] - 1),
        )
        for name, table in zip(network.domain.names, network.tables, strict=True)
    )


def network_sizes(network: BayesianNetwork) -> SizeBreakdown:
    """The tables and the cliques of a network."""
    names = network.domain.names
    tree = network.clique_tree
    cliques = tuple(
        CliqueSize(tuple(names[v] for v in clique), cells)
        for clique, cells in zip(tree.cliques, tree.cells, strict=True)
    )
    return SizeBreakdown(families_of(network), cliques, tree.method)
