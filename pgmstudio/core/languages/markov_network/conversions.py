"""Conversions between Markov networks, Bayesian networks and labelled DAGs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.triangulation import families_of, joined_graph
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.bayesian_network.conversions import through_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.labels import labelled_from_rows
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    Edge,
    MarkovStructure,
)
from pgmstudio.core.model import Model

# Rows of a table of conditional probabilities that differ by less are equal but for rounding.
EQUAL_ROWS = 1e-9


def markov_of_network(network: BayesianNetwork) -> MarkovNetwork:
    """The moral graph with the tables as factors: the same distribution."""
    scopes = families_of(network.dag.parent_indices)
    structure = MarkovStructure(network.domain, edges_joining(scopes, len(network.domain)))
    return MarkovNetwork.of_factors(structure, _families(network))


def markov_through_network(model: Model) -> MarkovNetwork:
    """The moral graph of the model's network."""
    return markov_of_network(through_network(model))


def _families(network: BayesianNetwork) -> list[tuple[Sequence[int], Floats]]:
    return [
        ((*parents, child), network.tables[child])
        for child, parents in enumerate(network.dag.parent_indices)
    ]


def edges_joining(scopes: Iterable[Sequence[int]], count: int) -> frozenset[Edge]:
    """The edges of the smallest graph in which every scope is complete."""
    near = joined_graph(scopes, count)
    return frozenset((a, b) for a, others in enumerate(near) for b in others if a < b)


def markov_of_labelled(model: LabelledDag) -> MarkovNetwork:
    """The moral graph of a labelled DAG, with contexts where its labels imply them.

    An edge vanishes in a context where, in every family with both ends, the class of the rows
    depends on at most one of them.
    """
    plain = markov_of_network(model.as_bayesian_network).structure
    families = [(*parents, child) for child, parents in enumerate(model.dag.parent_indices)]
    contexts: dict[Edge, frozenset[Configuration]] = {}
    for edge in sorted(plain.edges):
        common = plain.common_neighbours(*edge)
        both = [child for child, family in enumerate(families) if set(edge) <= set(family)]
        elements = frozenset(
            element
            for element in plain.completions(edge, {})
            if all(
                _is_separable(model, child, edge, dict(zip(common, element, strict=True)))
                for child in both
            )
        )
        if elements and len(elements) < plain.configuration_count(edge):
            contexts[edge] = elements
    structure = MarkovStructure(model.domain, plain.edges, contexts)
    return MarkovNetwork.of_factors(structure, _families(model.as_bayesian_network))


def _is_separable(model: LabelledDag, child: int, edge: Edge, context: dict[int, int]) -> bool:
    """Whether the table of `child` in the context is a product of functions of either end."""
    parents = model.dag.parent_indices[child]
    classes = model.classes[child][tuple(slice(None) if p in edge else context[p] for p in parents)]
    # Where the child is an end, only the other end is left: it must not matter.
    return any(bool((classes == classes.take([0], axis)).all()) for axis in range(classes.ndim))


def network_of_markov(model: MarkovNetwork) -> BayesianNetwork:
    """The same distribution along a perfect order of the triangulated graph.

    Of a chordal graph the edges are the same. Ends of edges with contexts come late, so that their
    contexts become labels of their tables where that is possible.
    """
    domain, structure = model.domain, model.structure
    tree = model.clique_tree
    near = joined_graph(tree.cliques, len(domain))
    late = {v for edge in structure.contexts for v in edge}
    order = _perfect_order(near, late)
    rank = {v: n for n, v in enumerate(order)}
    parents = tuple(
        tuple(sorted(u for u in near[v] if rank[u] < rank[v])) for v in range(len(domain))
    )
    flow = model.propagation()
    flow.beliefs()  # in one pass, not on the way to each clique
    tables = []
    for v in range(len(domain)):
        joint = joint_of(model, (*parents[v], v), {}, flow)
        total = joint.sum(axis=-1, keepdims=True)
        uniform = np.full_like(joint, 1 / joint.shape[-1])
        tables.append(np.divide(joint, total, out=uniform, where=total > 0))
    return BayesianNetwork(domain, Dag(domain.names, parents), tuple(tables))


def _perfect_order(near: Sequence[set[int]], late: set[int]) -> list[int]:
    """Maximum cardinality search: the variables before each one that it is joined with are
    complete (Tarjan and Yannakakis 1984)."""
    order: dict[int, None] = {}
    numbered = [0] * len(near)
    waiting = [(0, v in late, v) for v in range(len(near))]
    heapify(waiting)
    while waiting:
        v = heappop(waiting)[-1]
        if v in order:
            continue  # it stood there with an older number
        order[v] = None
        for u in near[v] - order.keys():
            numbered[u] += 1
            heappush(waiting, (-numbered[u], u in late, u))
    return list(order)


def labelled_of_markov(model: MarkovNetwork) -> LabelledDag:
    """The network of the triangulated graph with labels where a parent changes no row."""
    return labelled_from_rows(network_of_markov(model), EQUAL_ROWS)
