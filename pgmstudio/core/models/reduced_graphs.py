"""Decision graphs without nodes that say the same, and the graph of any small joint table.

Over a chain of the variables a graph that is expanded in full represents every distribution
(Nielsen 2007, Lemma 4.5); nodes with equal distributions and equal edges can then be one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.models.decision_graph import DecisionGraph, without_unreachable

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

# Distributions that agree to so many digits are the same.
_DIGITS = 12


def reduced(graph: DecisionGraph) -> DecisionGraph:
    """The same distribution with equal nodes made one, from the leaves of the forest upwards.

    Where the edge of an impossible state leads does not matter: it follows that of the likeliest
    state, so that it tells no two nodes apart and keeps none that nothing else leads to.
    """
    parameters, successors = list(graph.parameters), list(graph.successors)
    for i in reversed(graph.order):
        signs = [np.round(parameters[i], _DIGITS) + 0.0]  # no minus zero
        is_impossible = parameters[i] == 0
        likeliest = parameters[i].argmax(axis=1)[:, None]
        for child in graph.children[i]:
            edges = successors[child]
            assert edges is not None
            edges = np.where(is_impossible, np.take_along_axis(edges, likeliest, axis=1), edges)
            successors[child] = edges
            signs.append(edges.astype(np.float64))
        _, first, group = np.unique(
            np.hstack(signs), axis=0, return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        kept, place = first[order], np.argsort(order)[group.ravel()]
        parameters[i] = parameters[i][kept]
        for child in graph.children[i]:
            edges = successors[child]
            assert edges is not None
            successors[child] = edges[kept]
        mine = successors[i]
        if mine is not None:
            successors[i] = place[mine]
    return without_unreachable(
        graph.domain, graph.forest, tuple(parameters), tuple(successors), graph.order
    )


def graph_of_joint(domain: Domain, joint: Floats) -> DecisionGraph:
    """A chain in the order of the domain with this joint distribution, equal nodes made one."""
    cards = domain.cardinalities
    parameters: list[Floats] = []
    table = np.asarray(joint, dtype=np.float64).reshape(cards)
    for card in reversed(cards):
        sums = table.sum(axis=-1, keepdims=True)
        rows = np.where(sums > 0, table / np.where(sums > 0, sums, 1.0), 1.0 / card)
        parameters.append(rows.reshape(-1, card))
        table = sums[..., 0]
    parameters.reverse()
    successors: list[Places | None] = [None]
    for rows in parameters[:-1]:
        successors.append(np.arange(rows.size).reshape(rows.shape))
    forest = (None, *range(len(cards) - 1))
    return reduced(DecisionGraph(domain, forest, tuple(parameters), tuple(successors)))
