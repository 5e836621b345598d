"""Rows under every component of a mixture, compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pgmstudio.core.numba_support import compiled

# Below this a message is scaled up, so that no product of many of them underflows.
_SMALL = 1e-60


@compiled
def add_complete_rows(
    codes: Any, parents: Any, table_at: Any, cards: Any, logs: Any, result: Any
) -> None:
    """result[k, row] += Σ_v log P(x_v | x_pa) in tree k; every cell of `codes` is a state."""
    for k in range(parents.shape[0]):
        for v in range(parents.shape[1]):
            at, parent, card = table_at[k, v], parents[k, v], cards[v]
            if parent < 0:
                for row in range(codes.shape[1]):
                    result[k, row] += logs[at + codes[v, row]]
            else:
                for row in range(codes.shape[1]):
                    result[k, row] += logs[at + codes[parent, row] * card + codes[v, row]]


@compiled
def add_incomplete_rows(
    codes: Any,
    missing: int,
    order: Any,
    parents: Any,
    table_at: Any,
    state_at: Any,
    cards: Any,
    tables: Any,
    result: Any,
) -> None:
    """The same with missing cells summed out: messages from the leaves to the roots, per row."""
    width = parents.shape[1]
    below = np.empty(state_at[width])
    for k in range(parents.shape[0]):
        for row in range(codes.shape[1]):
            total = 0.0
            for index in range(state_at[width]):
                below[index] = 1.0
            for step in range(width - 1, -1, -1):
                v = order[k, step]
                at, parent, card, own = table_at[k, v], parents[k, v], cards[v], state_at[v]
                code = codes[v, row]
                above_count = 1 if parent < 0 else cards[parent]
                largest = 0.0
                for above in range(above_count):
                    message = 0.0
                    if code != missing:
                        message = tables[at + above * card + code] * below[own + code]
                    else:
                        for state in range(card):
                            message += tables[at + above * card + state] * below[own + state]
                    if parent < 0:
                        largest = message
                    else:
                        below[state_at[parent] + above] *= message
                        if below[state_at[parent] + above] > largest:
                            largest = below[state_at[parent] + above]
                if largest <= 0.0:
                    total = -math.inf
                    break
                if parent < 0:
                    total += math.log2(largest)
                elif largest < _SMALL:
                    total += math.log2(largest)
                    for above in range(above_count):
                        below[state_at[parent] + above] /= largest
            result[k, row] += total


@compiled
def add_class_rows(codes: Any, missing: int, state_at: Any, logs: Any, result: Any) -> None:
    """result[row, c] += Σ log P(x_v | c) over the cells that are there; `logs` is states × c."""
    classes = logs.shape[1]
    for v in range(codes.shape[0]):
        own = state_at[v]
        for row in range(codes.shape[1]):
            code = codes[v, row]
            if code != missing:
                for c in range(classes):
                    result[row, c] += logs[own + code, c]
