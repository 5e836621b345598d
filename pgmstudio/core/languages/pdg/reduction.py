"""Reduction of decision graphs: unreached nodes collapsed, equal nodes merged, small joint tables.

Nodes that no row reaches are replaced by one per variable (Nielsen 2007, §4.6.3). Over a chain of
the variables a fully expanded graph represents every distribution (Lemma 4.5); nodes with equal
distributions and equal edges are then merged.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.graphs.junction_tree import CliqueTree
from pgmstudio.core.languages.pdg.from_network import (
    FEWEST_STATES,
    Placement,
    chains_of,
    rooted,
    steps_of,
)
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph, without_unreachable

Indices = NDArray[np.int64]


def graph_of_rows(
    tree: CliqueTree, data: DataSet, *, order: str = FEWEST_STATES, is_early: bool = False
) -> DecisionGraph:
    """The graph of a clique tree without idle nodes, fitted to complete rows.

    The same as compiling, leaving out and fitting again, but nodes are made for what rows have and
    not for every combination of states: the time goes with the rows, however large the cliques are.
    `is_early` attaches a clique below the first variable that determines its separator, which more
    often leaves nodes that can be merged.
    """
    if max(tree.cells) >= 2**62:
        raise TooLargeError(
            "A clique of this network has too many combinations of states to be counted. Remove "
            "edges or merge states."
        )
    seen_from = rooted(tree)
    chains = chains_of(tree, seen_from, order)
    codes, cards = data.codes.astype(np.int64), data.domain.cardinalities
    size = len(cards)
    forest: list[int | None] = [None] * size
    successors: list[Indices | None] = [None] * size
    parameters = [np.full((1, card), 1 / card) for card in cards]
    firsts: dict[int, Indices] = {}  # a row of each node of a variable
    has_garbage = [False] * size
    for step in steps_of(tree, seen_from, chains, is_early=is_early):
        i, scope = step.variable, step.scope
        keys, first = np.unique(_key(codes, scope, cards), return_index=True)
        firsts[i] = first
        if not step.path:
            continue
        above = forest[i] = step.path[-1]
        is_full = keys.size == math.prod(cards[v] for v in scope)
        has_garbage[i] = has_garbage[above] or not is_full
        edges = _edges(step, codes[:, firsts[above]], keys, cards)
        if has_garbage[above]:
            edges = np.vstack([edges, np.full(edges.shape[1], keys.size, dtype=np.int64)])
        successors[i] = edges
        parameters[i] = np.full((keys.size + has_garbage[i], cards[i]), 1 / cards[i])
    graph = DecisionGraph(data.domain, tuple(forest), tuple(parameters), tuple(successors))
    return refitted(graph, data)


def _key(codes: Indices, scope: tuple[int, ...], cards: tuple[int, ...]) -> Indices:
    """The states of the variables as one number, the last running fastest."""
    result = np.zeros(codes.shape[1:], dtype=np.int64)
    for variable in scope:
        result = result * cards[variable] + codes[variable]
    return result


def _edges(step: Placement, samples: Indices, keys: Indices, cards: tuple[int, ...]) -> Indices:
    """For each node above, known by a row, and each state: the index of the node in `keys`, or
    their number when no row has that node."""
    above = step.path[-1]
    wanted = np.zeros((samples.shape[1], cards[above]), dtype=np.int64)
    for variable in step.scope:
        states = samples[variable][:, None] if variable != above else np.arange(cards[above])
        wanted = wanted * cards[variable] + states
    indices = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[indices] == wanted, indices, keys.size)


# Distributions that agree to so many digits are the same.
_DIGITS = 12


def reduced(graph: DecisionGraph) -> DecisionGraph:
    """The same distribution with equal nodes made one, from the leaves of the forest upwards.

    The target of the edge of an impossible state does not matter: it is set to that of the most
    probable state, so that it neither distinguishes two nodes nor keeps an otherwise unreachable
    one.
    """
    parameters, successors = list(graph.parameters), list(graph.successors)
    for i in reversed(graph.order):
        columns = [np.round(parameters[i], _DIGITS) + 0.0]  # no minus zero
        is_impossible = parameters[i] == 0
        likeliest = parameters[i].argmax(axis=1)[:, None]
        for child in graph.children[i]:
            edges = successors[child]
            assert edges is not None
            edges = np.where(is_impossible, np.take_along_axis(edges, likeliest, axis=1), edges)
            successors[child] = edges
            columns.append(edges.astype(np.float64))
        _, first, group = np.unique(
            np.hstack(columns), axis=0, return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        representatives, index = first[order], np.argsort(order)[group.ravel()]
        parameters[i] = parameters[i][representatives]
        for child in graph.children[i]:
            edges = successors[child]
            assert edges is not None
            successors[child] = edges[representatives]
        mine = successors[i]
        if mine is not None:
            successors[i] = index[mine]
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
    successors: list[Indices | None] = [None]
    for rows in parameters[:-1]:
        successors.append(np.arange(rows.size).reshape(rows.shape))
    forest = (None, *range(len(cards) - 1))
    return reduced(DecisionGraph(domain, forest, tuple(parameters), tuple(successors)))
