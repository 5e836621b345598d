"""Conversions of probabilistic decision graphs and of other models to them.

A decision graph becomes a Bayesian network with auxiliary variables (Nielsen 2007, Thm 3.5): the
node of X_i that a row reaches becomes one only where it is needed, not where the state of the
variable above alone determines it, and not where X_i is a leaf of the forest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.bayesian_network.conversions import through_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.from_network import compiled_graph, graph_of_joint, reduced
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.model import Model

# Maximum joint states of a mixture with hidden component, all of which are enumerated.
MAX_STATES = 2**16


def graph_of_network(network: BayesianNetwork) -> DecisionGraph:
    """Through its clique tree, with equal nodes made one."""
    return reduced(compiled_graph(network))


def graph_of_tree(tree: Tree) -> DecisionGraph:
    """The forest of variables is the tree; a node for every state of the variable above."""
    cards = tree.domain.cardinalities
    rows = [1 if above is None else cards[above] for above in tree.parents]
    parameters = tuple(
        table.reshape(count, -1) for table, count in zip(tree.tables, rows, strict=True)
    )
    successors = tuple(
        None if above is None else np.tile(np.arange(cards[above]), (rows[above], 1))
        for above in tree.parents
    )
    return reduced(DecisionGraph(tree.domain, tree.parents, parameters, successors))


def graph_of_components(model: ComponentModel) -> DecisionGraph:
    """Through its network where the component is observed; else by listing every joint state."""
    if model.choice is not None:
        return graph_through_network(model)
    domain, states = model.domain, model.domain.joint_states()
    if states > MAX_STATES:
        raise TooLargeError(
            f"A mixture whose component is hidden becomes a decision graph by looking at all its "
            f"joint states: {count_text(states)}, where {MAX_STATES:,} are possible. Make a "
            "Bayesian network of it instead, or leave out variables."
        )
    codes = np.indices(domain.cardinalities).reshape(len(domain), -1)
    rows = DataSet(domain, codes.astype(code_dtype(domain)))
    return graph_of_joint(domain, np.exp2(model.log2_probabilities(rows)))


def graph_through_network(model: Model) -> DecisionGraph:
    """Through the model's Bayesian network."""
    return graph_of_network(through_network(model))


def graph_of_tree_network(network: BayesianNetwork) -> DecisionGraph:
    """A network in which every variable has one parent at most."""
    return graph_of_tree(Tree.from_bayesian_network(network))


Indices = NDArray[np.int64]

# Of all tables together.
MAX_CELLS = 2**24


class _NetworkBuilder:
    """The network so far: variables, their parents and their tables, by name."""

    def __init__(self, domain: Domain) -> None:
        self.variables = list(domain.variables)
        self.parents: dict[str, tuple[str, ...]] = {}
        self.tables: dict[str, Floats] = {}
        self._cells = 0

    def add(self, name: str, parents: tuple[str, ...], table: Floats) -> None:
        self._cells += table.size
        if self._cells > MAX_CELLS:
            raise TooLargeError(
                f"As a Bayesian network this decision graph needs more than {MAX_CELLS:,} "
                "numbers. Merge nodes, or keep it as it is."
            )
        self.parents[name], self.tables[name] = parents, table

    def network(self) -> BayesianNetwork:
        domain = Domain(tuple(self.variables))
        parents, tables = [], []
        for name in domain.names:
            indices = [domain.index(parent) for parent in self.parents[name]]
            axes = sorted(range(len(indices)), key=indices.__getitem__)
            parents.append(tuple(indices[a] for a in axes))
            tables.append(self.tables[name].transpose(*axes, len(indices)))
        return BayesianNetwork(domain, Dag(domain.names, tuple(parents)), tuple(tables))


def network_of_graph(graph: DecisionGraph) -> BayesianNetwork:
    """The same distribution over the variables of the graph and auxiliary ones for nodes."""
    names = graph.domain.names
    builder = _NetworkBuilder(graph.domain)
    # The variables that determine the node of X_i, and the node for each combination of their
    # states.
    determined: dict[int, tuple[tuple[str, ...], Indices]] = {}
    for i in graph.order:
        above, edges = graph.forest[i], graph.successors[i]
        if above is None or edges is None:
            determined[i] = ((), np.zeros((), dtype=np.int64))
        else:
            determined[i] = _node_parents(graph, builder, determined, i, above, edges)
        parents, nodes = determined[i]
        builder.add(names[i], parents, graph.parameters[i][nodes])
    return builder.network()


def dependences(graph: DecisionGraph) -> tuple[tuple[str, str], ...]:
    """Every (X, Y) where the state of X helps to decide which node of Y a row reaches: the edges of
    the graph as one between variables."""
    names = graph.domain.names
    deciding: dict[int, set[int]] = {}
    for i in graph.order:
        above, edges = graph.forest[i], graph.successors[i]
        deciding[i] = set()
        if above is None or edges is None or graph.node_counts[i] == 1:
            continue
        if (edges != edges[:, :1]).any():
            deciding[i].add(above)
        if (edges != edges[0]).any():
            deciding[i] |= deciding[above]
    return tuple((names[p], names[i]) for i in sorted(deciding) for p in sorted(deciding[i]))


def _node_parents(
    graph: DecisionGraph,
    builder: _NetworkBuilder,
    determined: dict[int, tuple[tuple[str, ...], Indices]],
    i: int,
    above: int,
    edges: Indices,
) -> tuple[tuple[str, ...], Indices]:
    if graph.node_counts[i] == 1:
        return (), np.zeros((), dtype=np.int64)
    upper = graph.domain.names[above]
    if (edges == edges[0]).all():
        return (upper,), edges[0]
    parents, nodes = determined[above]
    which = edges[nodes]  # by the combinations that determine the node above, then by its state
    if not graph.children[i]:
        return (*parents, upper), which
    count = graph.node_counts[i]
    name = _free_name(builder.variables, f"node of {graph.domain.names[i]}")
    builder.variables.append(Variable(name, tuple(f"ν{n + 1}" for n in range(count))))
    builder.add(name, (*parents, upper), np.eye(count)[which])
    return (name,), np.arange(count)


def _free_name(variables: list[Variable], name: str) -> str:
    taken = {variable.name for variable in variables}
    while name in taken:
        name = f"{name}′"
    return name


def violations(graph: DecisionGraph, knowledge: Knowledge) -> list[str]:
    """The constraints that the graph violates: an edge leads from each variable to those whose
    node it helps to determine."""
    return knowledge.violations(dependences(graph))
