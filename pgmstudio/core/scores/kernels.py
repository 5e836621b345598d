"""Compiled data terms of families, many at a time, and mutual information of all pairs."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.numba_support import compiled, compiled_with

Ints = NDArray[np.int64]

LARGEST_TABLE = 1 << 14  # 128 KB: what a near cache holds


@lru_cache(maxsize=4)
def k_log2_k_table(largest: int) -> Floats:
    """k log2 k for k = 0 … largest, as far as a small table goes."""
    k = np.arange(min(max(largest, 0), LARGEST_TABLE) + 1, dtype=np.float64)
    return k * np.log2(np.maximum(k, 1))


@compiled
def k_log2_k(value: float, table: Floats) -> float:
    """value · log2 value, looked up where it is a small whole number; 0 log 0 = 0."""
    whole = int(value)
    if whole < table.shape[0] and whole == value:
        known: float = table[whole]
        return known
    return value * math.log2(value) if value > 0 else 0.0


@compiled
def data_terms(
    counts: Floats,
    offsets: Ints,
    widths: Ints,
    q: int,
    r: int,
    term: int,
    prior_weight: float,
    table: Floats,
    terms: Floats,
    seen: Floats,
) -> None:
    """The data term, in bits, of a child with q parent states joined by each of several parents.

    The counts of the k-th start at `offsets[k]`: parents' state j slowest, then the child's state,
    then the `widths[k]` states of the further parent. `seen` becomes the total of its counts.
    """
    for k in range(offsets.shape[0]):
        width = widths[k]
        total = 0.0
        bits = 0.0
        nats = 0.0
        if term == 1:
            prior_row = prior_weight / (q * width)
            prior_cell = prior_row / r
        else:
            prior_row, prior_cell = np.float64(r), 1.0
        free_row, free_cell = math.lgamma(prior_row), math.lgamma(prior_cell)
        for j in range(q):
            for state in range(width):
                cell = offsets[k] + j * r * width + state
                row = 0.0
                for _ in range(r):
                    count = counts[cell]
                    if count > 0:
                        row += count
                        if term == 0:
                            bits += k_log2_k(count, table)
                        else:
                            nats += math.lgamma(prior_cell + count) - free_cell
                    cell += width
                if row > 0:
                    total += row
                    if term == 0:
                        bits -= k_log2_k(row, table)
                    else:
                        nats += free_row - math.lgamma(prior_row + row)
        terms[k] = bits + nats / math.log(2.0)
        seen[k] = total


@compiled_with(inline="always")  # for tables of 2 × 2 a call would be felt
def sum_margins(
    counts: Floats, start: int, rows: int, columns: int, left: Floats, right: Floats
) -> float:
    """left[a] = Σ_b N_ab and right[b] = Σ_a N_ab of the table that begins at `start`; Σ N_ab."""
    total = 0.0
    for b in range(columns):
        right[b] = 0.0
    for a in range(rows):
        left[a] = 0.0
        for b in range(columns):
            count = counts[start + a * columns + b]
            left[a] += count
            right[b] += count
        total += left[a]
    return total


@compiled
def mutual_information(
    flat: Floats, offsets: Ints, cards: Ints, first: int, last: int, out: Floats
) -> None:
    """I(X;Y) in nats of the pair tables i < j, first ≤ i < last; exactly 0 where independent.

    I = (1/N) Σ N_ab ln(N_ab N / (N_a N_b)).
    """
    n = cards.shape[0]
    largest = 1
    for i in range(n):
        largest = max(largest, cards[i])
    left, right = np.empty(largest), np.empty(largest)
    for i in range(first, last):
        for j in range(i + 1, n):
            start = offsets[i, j]
            rows, columns = cards[i], cards[j]
            total = sum_margins(flat, start, rows, columns, left, right)
            information = 0.0
            for a in range(rows):
                for b in range(columns):
                    count = flat[start + a * columns + b]
                    if count > 0:
                        information += count * math.log(count * total / (left[a] * right[b]))
            value = max(information / total, 0.0) if total > 0 else 0.0
            out[i, j] = value
            out[j, i] = value
