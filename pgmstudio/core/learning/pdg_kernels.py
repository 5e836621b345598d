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
Ints = NDArray[np.int32]
Codes = NDArray[np.uint16]
Flags = NDArray[np.bool_]


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
