"""Parts of a Bayesian network: some of its variables, and two networks side by side."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork, Table


def part_of(
    network: BayesianNetwork, names: Collection[str]
) -> tuple[BayesianNetwork, tuple[str, ...]]:
    """The named variables with their edges and tables; parents left behind are summed out."""
    wanted = [name for name in network.domain.names if name in names]
    notices = []
    part = network
    for name in wanted:
        absent = [p for p in network.dag.parents(name) if p not in wanted]
        for parent in absent:
            part = part.without_edge(parent, name)
        if absent:
            part = part.with_table(name, _summed_out(network, part, name))
            notices.append(
                f"The table of {name} is summed over {', '.join(absent)}, not copied with it."
            )
    for name in network.domain.names:
        if name not in wanted:
            part = part.without_variable(name)
    return part, tuple(notices)


def _summed_out(network: BayesianNetwork, part: BayesianNetwork, name: str) -> Table:
    """P(name | the parents it keeps) in `network`; the plain average, as it stands in `part`,
    where the parents cannot be in such states together."""
    family = [*part.dag.parents(name), name]
    joint = JunctionTreeSession(network).joint(family)
    total = joint.sum(axis=-1, keepdims=True)
    table: Table = np.where(total > 0, joint / np.where(total > 0, total, 1), part.table(name))
    return table


def joined(network: BayesianNetwork, other: BayesianNetwork) -> BayesianNetwork:
    """Both networks as one, without edges between them."""
    domain = Domain((*network.domain.variables, *other.domain.variables))
    shift = len(network.domain)
    parents = tuple(tuple(p + shift for p in some) for some in other.dag.parent_indices)
    dag = Dag(domain.names, (*network.dag.parent_indices, *parents))
    return BayesianNetwork(domain, dag, (*network.tables, *other.tables))
