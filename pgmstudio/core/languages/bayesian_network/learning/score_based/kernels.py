"""Compiled choice of the best change of one edge; `edges[p, c]` is 1 where p → c."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.numba_support import compiled

Flags = NDArray[np.uint8]
Words = NDArray[np.uint64]


@compiled
def fill_ancestors(edges: Flags, ancestors: Words) -> None:
    """The ancestors of each node of an acyclic graph, as bits."""
    n = edges.shape[0]
    waiting, stack = np.empty(n, np.int64), np.empty(n, np.int64)
    for c in range(n):
        waiting[c] = 0
    for p in range(n):
        for c in range(n):
            waiting[c] += edges[p, c]
        for word in range(ancestors.shape[1]):
            ancestors[p, word] = 0
    top = 0
    for c in range(n):
        if waiting[c] == 0:
            stack[top] = c
            top += 1
    while top > 0:
        top -= 1
        p = stack[top]
        for c in range(n):
            if edges[p, c]:
                for word in range(ancestors.shape[1]):
                    ancestors[c, word] |= ancestors[p, word]
                ancestors[c, p >> 6] |= np.uint64(1) << np.uint64(p & 63)
                waiting[c] -= 1
                if waiting[c] == 0:
                    stack[top] = c
                    top += 1


@compiled
def has_bit(words: Words, index: int) -> bool:
    return bool((words[index >> 6] >> np.uint64(index & 63)) & np.uint64(1))


@compiled
def is_visited(graph: np.uint64, visited: Words) -> bool:
    for other in visited:  # noqa: SIM110 - numba compiles a loop, not `any`
        if other == graph:
            return True
    return False


@compiled
def can_reverse(edges: Flags, ancestors: Words, p: int, c: int) -> bool:
    """Whether p → c is the only way from p to c, so that c → p closes no cycle."""
    for q in range(edges.shape[0]):
        if edges[q, c] and q != p and has_bit(ancestors[q], p):
            return False
    return True


@compiled
def best_move(
    toggled: NDArray[np.float64],
    edges: Flags,
    ancestors: Words,
    allowed: Flags,
    required: Flags,
    parent_counts: NDArray[np.int64],
    most_parents: int,
    edge_hashes: Words,
    graph: np.uint64,
    visited: Words,
) -> tuple[int, int, int, float]:
    """The legal move of largest gain whose graph is not among `visited`: (kind, p, c, gain).

    `toggled[c, p]` scores c with p joining or leaving its parents, `toggled[c, c]` as it is. A
    graph's number is the exclusive or of the `edge_hashes` of its edges. `ancestors` is scratch.
    Kinds: 0 add p → c, 1 remove it, 2 reverse it, −1 there is no such move.
    """
    n = edges.shape[0]
    fill_ancestors(edges, ancestors)
    kind, source, target, best = -1, -1, -1, -math.inf
    for c in range(n):
        own = toggled[c, c]
        for p in range(n):
            if p == c:
                continue
            gain = toggled[c, p] - own
            if edges[p, c]:
                if required[p, c]:
                    continue
                without = graph ^ edge_hashes[p, c]
                if gain > best and not is_visited(without, visited):
                    kind, source, target, best = 1, p, c, gain
                if allowed[c, p] and parent_counts[p] < most_parents:
                    gain += toggled[p, c] - toggled[p, p]
                    if (
                        gain > best
                        and can_reverse(edges, ancestors, p, c)
                        and not is_visited(without ^ edge_hashes[c, p], visited)
                    ):
                        kind, source, target, best = 2, p, c, gain
            elif (
                gain > best
                and allowed[p, c]
                and parent_counts[c] < most_parents
                and not has_bit(ancestors[p], c)
                and not is_visited(graph ^ edge_hashes[p, c], visited)
            ):
                kind, source, target, best = 0, p, c, gain
    return kind, source, target, best


@compiled
def reverse_covered(
    edges: Flags, allowed: Flags, required: Flags, draws: NDArray[np.float64]
) -> None:
    """Draw an edge by each of these numbers in [0, 1), and reverse it if it is covered: if both
    ends have the same other parents. The class stays the same (Chickering 1995)."""
    n = edges.shape[0]
    sources, targets = np.empty(n * n // 2, np.int64), np.empty(n * n // 2, np.int64)
    count = 0
    for p in range(n):
        for c in range(n):
            if edges[p, c]:
                sources[count], targets[count] = p, c
                count += 1
    for draw in draws:
        edge = int(draw * count)
        p, c = sources[edge], targets[edge]
        is_covered = allowed[c, p] == 1 and required[p, c] == 0
        for q in range(n):
            if q != p and edges[q, c] != edges[q, p]:
                is_covered = False
                break
        if is_covered:
            edges[p, c], edges[c, p] = 0, 1
            sources[edge], targets[edge] = c, p
