"""A decision graph as flat arrays, for loops that visit every node and every edge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.models.decision_graph import DecisionGraph

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class GraphArrays(NamedTuple):
    """All nodes in a row, those of a variable together; all parameters in a row, a slot each.

    The node `n` of variable `i` has the slots from `slot_at[i] + (n − node_at[i]) · cards[i]` on.
    The edge of slot `s` of variable `j` into the variable `i` below leads to the node
    `heads[head_at[i] + s − slot_at[j]]`. `order` lists a variable before those below it, which are
    `below[below_at[j]:below_at[j + 1]]`; `above` is −1 at a root.
    """

    cards: Places
    state_at: Places
    order: Places
    above: Places
    below: Places
    below_at: Places
    node_at: Places
    slot_at: Places
    head_at: Places
    heads: Places
    parameters: Floats


def arrays_of(graph: DecisionGraph) -> GraphArrays:
    """The graph as flat arrays; cheap beside a pass over it."""
    cards = np.array(graph.domain.cardinalities, dtype=np.int64)
    counts = np.array(graph.node_counts, dtype=np.int64)
    node_at = _starts(counts)
    edges = [
        np.zeros(0, np.int64) if found is None else found.ravel() + node_at[i]
        for i, found in enumerate(graph.successors)
    ]
    rows = [rows.ravel() for rows in graph.parameters]
    return GraphArrays(
        cards,
        _starts(cards),
        np.array(graph.order, dtype=np.int64),
        np.array([-1 if p is None else p for p in graph.forest], dtype=np.int64),
        np.array([i for below in graph.children for i in below], dtype=np.int64),
        _starts(np.array([len(below) for below in graph.children], dtype=np.int64)),
        node_at,
        _starts(counts * cards),
        _starts(np.array([one.size for one in edges], dtype=np.int64)),
        np.concatenate(edges) if edges else np.zeros(0, np.int64),
        np.concatenate(rows) if rows else np.zeros(0),
    )


def _starts(counts: Places) -> Places:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
