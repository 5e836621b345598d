"""Models of other libraries: networkx, pgmpy and pyAgrum, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pgmstudio.api.models import Fitted
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, PgmStudioError, named
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import UndirectedModel

if TYPE_CHECKING:
    import networkx


def _not_installed(package: str) -> PgmStudioError:
    return PgmStudioError(f"{package} is not installed; install it with: pip install {package}")


def to_networkx(fitted: Fitted) -> networkx.Graph:
    """The graph of a model; directed edges make a DiGraph. Nodes have the attribute `states`."""
    import networkx

    is_undirected = isinstance(fitted.model, UndirectedModel)
    graph = networkx.Graph() if is_undirected else networkx.DiGraph()
    for name, states in fitted.variables.items():
        graph.add_node(name, states=states)
    graph.add_edges_from(fitted.edges)
    return graph


def from_networkx(
    graph: networkx.DiGraph, tables: Mapping[str, Any] | None = None, states: int = 2
) -> Fitted:
    """A Bayesian network with the edges of a graph.

    The node attribute `states` names the states, otherwise there are `states` of them, 0, 1, ….
    `tables[X]` is P(X | parents), an array with an axis for each parent in the order of the graph's
    nodes and X last; without one a table is uniform.
    """
    if not graph.is_directed():
        raise GraphError("A Bayesian network needs directed edges; give a DiGraph.")
    dag = Dag.from_networkx(graph)
    names = {str(node): attributes for node, attributes in graph.nodes(data=True)}
    domain = Domain(
        tuple(
            Variable(name, tuple(map(str, names[name].get("states", range(states)))))
            for name in dag.names
        )
    )
    made = []
    for name in tables or {}:
        named("node", name, names)
    for index, variable in enumerate(domain):
        shape = [
            *(domain.variables[p].cardinality for p in dag.parent_indices[index]),
            variable.cardinality,
        ]
        given = (tables or {}).get(variable.name)
        table = np.full(shape, 1 / shape[-1]) if given is None else np.asarray(given, dtype=float)
        if table.shape != tuple(shape):
            raise GraphError(f"The table of {variable.name} has shape {table.shape}, not {shape}.")
        made.append(table)
    return Fitted(BayesianNetwork(domain, dag, tuple(made)))


def _network(fitted: Fitted) -> BayesianNetwork:
    network = as_network(fitted.model)
    if network is None:
        raise GraphError(
            f"{a_kind(fitted.kind, 'A')} is no Bayesian network; convert it first: "
            '.convert("bayesian-network").'
        )
    return network


def to_pgmpy(fitted: Fitted) -> Any:
    """The model as a DiscreteBayesianNetwork of pgmpy."""
    try:
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork
    except ImportError:
        raise _not_installed("pgmpy") from None

    network = _network(fitted)
    result = DiscreteBayesianNetwork(network.edges)
    result.add_nodes_from(network.domain.names)
    for variable in network.domain:
        parents = list(network.dag.parents(variable.name))
        table = network.table(variable.name)
        result.add_cpds(
            TabularCPD(
                variable.name,
                variable.cardinality,
                table.reshape(-1, variable.cardinality).T,
                parents or None,
                [network.domain[p].cardinality for p in parents] or None,
                state_names={n: list(network.domain[n].states) for n in (variable.name, *parents)},
            )
        )
    return result


def from_pgmpy(model: Any) -> Fitted:
    """A Bayesian network of pgmpy as a model."""
    variables = []
    cpds = {str(cpd.variable): cpd for cpd in model.get_cpds()}
    for node in map(str, model.nodes()):
        variables.append(Variable(node, tuple(map(str, cpds[node].state_names[node]))))
    parents = {name: [str(p) for p in cpd.variables[1:]] for name, cpd in cpds.items()}
    # pgmpy has the axis of the variable first and its parents in an order of their own.
    return _assembled(
        Domain(tuple(variables)),
        parents,
        {name: np.moveaxis(np.asarray(cpd.values), 0, -1) for name, cpd in cpds.items()},
    )


def to_pyagrum(fitted: Fitted) -> Any:
    """The model as a BayesNet of pyAgrum."""
    try:
        import pyagrum
    except ImportError:
        raise _not_installed("pyagrum") from None

    network = _network(fitted)
    result = pyagrum.BayesNet()
    for variable in network.domain:
        result.add(pyagrum.LabelizedVariable(variable.name, variable.name, list(variable.states)))
    for source, target in network.edges:
        result.addArc(source, target)
    for variable in network.domain:
        axes = [*network.dag.parents(variable.name), variable.name]
        order = [axes.index(name) for name in reversed(result.cpt(variable.name).names)]
        table = network.table(variable.name).transpose(order)
        result.cpt(variable.name)[:] = np.ascontiguousarray(table)
    return result


def from_pyagrum(model: Any) -> Fitted:
    """A BayesNet of pyAgrum as a model."""
    variables, parents, tables = [], {}, {}
    for node in model.nodes():
        variable = model.variable(node)
        name = variable.name()
        variables.append(Variable(name, tuple(variable.labels())))
        cpt = model.cpt(node)
        axes = list(reversed(cpt.names))
        parents[name] = [axis for axis in axes if axis != name]
        tables[name] = np.moveaxis(np.asarray(cpt[:]), axes.index(name), -1)
    return _assembled(Domain(tuple(variables)), parents, tables)


def _assembled(
    domain: Domain, parents: Mapping[str, list[str]], tables: Mapping[str, Any]
) -> Fitted:
    """A network from tables whose axes are the listed parents and the variable itself."""
    edges = [(parent, name) for name in domain.names for parent in parents[name]]
    dag = Dag.from_edges(domain.names, edges)
    ordered = []
    for name in domain.names:
        order = [parents[name].index(parent) for parent in dag.parents(name)]
        ordered.append(np.asarray(tables[name], dtype=float).transpose([*order, len(order)]))
    return Fitted(BayesianNetwork(domain, dag, tuple(ordered)))
