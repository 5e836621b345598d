"""Compiled sweeps over the neighbours of an equivalence class, and random walks within one.

Sets of nodes are rows of 64-bit words: node i is bit i & 63 of word i >> 6.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.compiled import compiled

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ADDITIONS = 1
REMOVALS = 2


@compiled
def has(words: Words, node: int) -> bool:
    return bool((words[node >> 6] >> np.uint64(node & 63)) & np.uint64(1))


@compiled
def flip(words: Words, node: int) -> None:
    words[node >> 6] ^= np.uint64(1) << np.uint64(node & 63)


@compiled
def fill_reachable(
    start: int, avoided: Words, onward: Words, seen: Words, stack: Ints
) -> None:
    """The nodes at the ends of paths along `onward` that enter none of `avoided`."""
    n, words = onward.shape
    for word in range(words):
        seen[word] = 0
    flip(seen, start)
    stack[0] = start
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        for word in range(words):
            fresh = onward[node, word] & ~seen[word] & ~avoided[word]
            seen[word] |= fresh
            other = word << 6
            while fresh:
                if fresh & np.uint64(1):
                    stack[top] = other
                    top += 1
                fresh >>= np.uint64(1)
                other += 1


@compiled
def improving_moves(
    gains: Floats,
    rows: Ints,
    nodes: Ints,
    cliques: Words,
    parents: Words,
    neighbours: Words,
    onward: Words,
    adjacent: Words,
    kinds: int,
    least_gain: float,
    margin: float,
    choice_of: Ints,
    other_of: Ints,
    gain_of: Floats,
) -> int:
    """Every legal move that gains more than `least_gain`, each resulting class once.

    Choice c of parents is `parents[nodes[c]]` and `cliques[c]`; `gains[rows[c], x]` is what x gains
    by joining or leaving it. `onward` are the neighbours and children. `kinds` says whether
    additions, removals or both are wanted. Moves more than `margin` below the best so far are left
    out. Returns how many moves there are; only as many as fit are written.
    """
    n, words = adjacent.shape
    seen, stack = np.empty(words, np.uint64), np.empty(n * 64, np.int64)
    is_added = np.zeros((n, n), np.uint8)  # pairs whose edge is added without a new v-structure
    count = 0
    best = -math.inf
    for c in range(rows.shape[0]):
        y = nodes[c]
        is_searched = False
        for x in range(n):
            gain = gains[rows[c], x]
            if not (gain > least_gain and gain >= best - margin) or x == y:
                continue
            if has(adjacent[y], x):
                if not kinds & REMOVALS:
                    continue
                # An undirected edge is removed by either end with the same result.
                if not (has(parents[y], x) or (has(cliques[c], x) and x < y)):
                    continue
            else:
                if not kinds & ADDITIONS:
                    continue
                is_cut, is_plain = True, True
                for word in range(words):
                    if neighbours[y, word] & adjacent[x, word] & ~cliques[c, word]:
                        is_cut = False
                        break
                    if (parents[y, word] | cliques[c, word]) & ~adjacent[x, word]:
                        is_plain = False
                if not is_cut or (is_plain and is_added[x, y]):
                    continue
                if not is_searched:
                    fill_reachable(y, cliques[c], onward, seen, stack)
                    is_searched = True
                if has(seen, x):
                    continue
                if is_plain:
                    is_added[y, x] = 1
            if count < choice_of.shape[0]:
                choice_of[count], other_of[count], gain_of[count] = c, x, gain
            count += 1
            best = max(best, gain)
    return count
