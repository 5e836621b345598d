"""Compiled operators on the nodes of one variable of a decision graph.

Counts are weights of rows; `table[n]` is n·log2 n for small whole n, since almost every count is
one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.compiled import compiled

Floats = NDArray[np.float64]
Fits = NDArray[np.float32]
Ints = NDArray[np.int32]
Codes = NDArray[np.uint16]
Flags = NDArray[np.bool_]

_SINGLE_ROUNDING = 3e-6  # of sums of single-precision numbers


@compiled
def log_mass(value: float, table: Floats) -> float:
    """x·log2 x, 0 at 0."""
    if value < table.shape[0]:
        whole = np.int64(value)
        if whole == value:
            return float(table[whole])
    return value * math.log2(value) if value > 0 else 0.0


@compiled
def node_bits(counts: Floats, table: Floats, bits: Floats) -> None:
    """Σ_h N_h log2(N_h/N) of every node."""
    for node in range(counts.shape[0]):
        total = 0.0
        sum_ = 0.0
        for state in range(counts.shape[1]):
            total += counts[node, state]
            sum_ += log_mass(counts[node, state], table)
        bits[node] = sum_ - log_mass(total, table)


@compiled
def walk(edges: Ints, above: Ints, above_codes: Codes, reached: Ints) -> None:
    """The node that every row reaches, from the node and the state above it."""
    for row in range(reached.shape[0]):
        reached[row] = edges[above[row], above_codes[row]]


@compiled
def count(reached: Ints, codes: Codes, weights: Floats, counts: Floats) -> None:
    """Add every row to its node and state."""
    for row in range(reached.shape[0]):
        counts[reached[row], codes[row]] += weights[row]


@compiled
def split_nodes(
    edges: Ints,
    above_counts: Floats,
    is_new_above: Flags,
    draws: Floats,
    share: float,
    table: Floats,
    origins: Ints,
) -> int:
    """Give every edge to a chosen node a node of its own, and tell which each new one copies.

    A node is chosen when share · splitPotential, in rows, is above its draw (eq. 4.44), unless a
    node above it is new. The first edge keeps the node.
    """
    nodes = draws.shape[0]
    degree = np.zeros(nodes, np.int64)
    mass, spread = np.zeros(nodes), np.zeros(nodes)
    state = np.zeros(nodes, np.int8)  # 1: not to be split, 2: chosen, 3: chosen and met
    for upper in range(edges.shape[0]):
        for label in range(edges.shape[1]):
            node = edges[upper, label]
            arriving = above_counts[upper, label]
            degree[node] += 1
            mass[node] += arriving
            spread[node] += log_mass(arriving, table)
            if is_new_above[upper]:
                state[node] = 1
    for node in range(nodes):
        if state[node] == 0 and degree[node] > 1:
            potential = (log_mass(mass[node], table) - spread[node]) / math.log2(degree[node])
            if share * potential > draws[node]:
                state[node] = 2
    made = 0
    for upper in range(edges.shape[0]):
        for label in range(edges.shape[1]):
            node = edges[upper, label]
            if node < nodes and state[node] == 2:
                state[node] = 3
            elif node < nodes and state[node] == 3:
                edges[upper, label] = nodes + made
                origins[made] = node
                made += 1
    return made


@compiled
def add_child_fits(fits: Fits, states: Ints, classes: Ints, heads: Ints, child_fits: Fits) -> None:
    """Add log2 f of the child's node that follows, for each class of rows and each node.

    Class c has state `states[c]` and, below, the child's class `classes[c]`; `heads` are the edges,
    state by state.
    """
    for one in range(fits.shape[0]):
        mine, following = fits[one], heads[states[one]]
        below = child_fits[classes[one]]
        for node in range(fits.shape[1]):
            mine[node] += below[following[node]]


@compiled
def redirect_edges(
    edges: Ints,
    above: Ints,
    above_codes: Codes,
    order: Ints,
    classes: Ints,
    weights: Floats,
    fits: Fits,
) -> int:
    """Lead every edge to the node whose f gives the edge's rows the largest likelihood (4.49).

    `order` lists the rows class by class, `fits` has log2 f^ν for every class and node. An edge
    without rows stays.
    """
    labels = edges.shape[1]
    starts = np.zeros(edges.shape[0] * labels + 1, np.int64)
    for row in range(above.shape[0]):
        starts[np.int64(above[row]) * labels + above_codes[row] + 1] += 1
    for edge in range(starts.shape[0] - 1):
        starts[edge + 1] += starts[edge]
    place = starts[:-1].copy()
    rows = np.empty(above.shape[0], np.int32)
    for at in range(order.shape[0]):
        row = order[at]
        edge = np.int64(above[row]) * labels + above_codes[row]
        rows[place[edge]] = row
        place[edge] += 1
    nodes = fits.shape[1]
    worth = np.empty(nodes)
    made = 0
    for edge in range(starts.shape[0] - 1):
        at, end = starts[edge], starts[edge + 1]
        if at == end:
            continue
        for node in range(nodes):
            worth[node] = 0.0
        while at < end:
            one = classes[rows[at]]
            weight = 0.0
            while at < end and classes[rows[at]] == one:
                weight += weights[rows[at]]
                at += 1
            fit = fits[one]
            for node in range(nodes):
                worth[node] += weight * fit[node]
        now = edges[edge // labels, edge % labels]
        best = now
        for node in range(nodes):
            if worth[node] > worth[best]:
                best = node
        if worth[best] > worth[now] + _SINGLE_ROUNDING * (1.0 + abs(worth[now])):
            edges[edge // labels, edge % labels] = best
            made += 1
    return made
