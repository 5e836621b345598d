"""Compiled sweeps over the neighbours of an equivalence class, and random walks within one.

Sets of nodes are rows of 64-bit words: node i is bit i & 63 of word i >> 6.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.numba_support import compiled, popcount

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

ADDITIONS = 1
REMOVALS = 2


@compiled
def has(words: Words, node: int) -> bool:
    return bool((words[node >> 6] >> np.uint64(node & 63)) & np.uint64(1))


@compiled
def flip(words: Words, node: int) -> None:
    words[node >> 6] ^= np.uint64(1) << np.uint64(node & 63)


@compiled
def fill_reachable(start: int, avoided: Words, onward: Words, seen: Words, stack: Ints) -> None:
    """The nodes at the ends of paths along `onward` that enter none of `avoided`."""
    words = onward.shape[1]
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
            while fresh:
                low = fresh & (~fresh + np.uint64(1))
                stack[top] = (word << 6) + np.int64(popcount(low - np.uint64(1)))
                top += 1
                fresh ^= low


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
    is_added: NDArray[np.uint8],
) -> int:
    """Every legal move that gains more than `least_gain`, each resulting class once.

    Choice c of parents is `parents[nodes[c]]` and `cliques[c]`; `gains[rows[c], x]` is what x gains
    by joining or leaving it. `onward` are the neighbours and children. `kinds` selects additions,
    removals or both. Moves more than `margin` below the best so far are left out. Returns how many
    moves there are; only as many as fit are written. `is_added`, 0 for every pair, becomes 1 for
    those whose edge is added without a new v-structure.
    """
    n, words = adjacent.shape
    seen, stack = np.empty(words, np.uint64), np.empty(n, np.int64)
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


@compiled
def can_turn(
    x: int,
    y: int,
    clique: Words,
    parents: Words,
    neighbours: Words,
    onward: Words,
    avoided: Words,
    seen: Words,
    stack: Ints,
) -> bool:
    """Whether x → y can be turned where the parents of x are its own and `clique`."""
    words = clique.shape[0]
    if has(parents[y], x):
        for word in range(words):
            avoided[word] = clique[word] | neighbours[y, word]
        if not has(avoided, y):
            flip(avoided, y)
        fill_reachable(x, avoided, onward, seen, stack)
        flip(seen, x)
        reached = np.uint64(0)
        for word in range(words):
            reached |= seen[word] & parents[y, word]
        return bool(reached == 0)
    is_within = True
    for word in range(words):
        avoided[word] = ~neighbours[x, word] | (clique[word] & neighbours[y, word])
        if clique[word] & ~neighbours[y, word]:
            is_within = False
    if is_within:
        return False
    for start in range(parents.shape[0]):
        if has(neighbours[x], start) and has(neighbours[y], start) and not has(clique, start):
            fill_reachable(start, avoided, neighbours, seen, stack)
            for word in range(words):
                if seen[word] & clique[word] & ~neighbours[y, word]:
                    return False
    return True


@compiled
def improving_turns(
    gains: Floats,
    rows: Ints,
    nodes: Ints,
    cliques: Words,
    parents: Words,
    neighbours: Words,
    onward: Words,
    adjacent: Words,
    least_gain: float,
    choice_of: Ints,
    other_of: Ints,
    gain_of: Floats,
) -> int:
    """Every legal turn of an edge that gains more than `least_gain`, as `improving_moves` has them.

    Choice c belongs to the end that becomes the child. Two turns may lead to the same class.
    """
    n, words = adjacent.shape
    avoided, seen = np.empty(words, np.uint64), np.empty(words, np.uint64)
    stack, first = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    for node in range(n + 1):
        first[node] = rows.shape[0]
    for c in range(rows.shape[0] - 1, -1, -1):
        first[nodes[c]] = c
    count = 0
    for c in range(rows.shape[0]):
        x = nodes[c]
        for y in range(n):
            if not has(adjacent[x], y) or has(parents[x], y) or has(cliques[c], y):
                continue
            own = gains[rows[c], y]
            d = first[y]  # the choice without neighbours
            if not has(parents[y], x):
                # The choice of x and of those of the clique that are near y too.
                while d < first[y + 1]:
                    is_same = True
                    for word in range(words):
                        wanted = cliques[c, word] & neighbours[y, word]
                        if word == x >> 6:
                            wanted |= np.uint64(1) << np.uint64(x & 63)
                        if cliques[d, word] != wanted:
                            is_same = False
                            break
                    if is_same:
                        break
                    d += 1
                if d == first[y + 1]:  # beyond the choices that are looked at
                    continue
            gain = own + gains[rows[d], x]
            if not gain > least_gain:
                continue
            if can_turn(x, y, cliques[c], parents, neighbours, onward, avoided, seen, stack):
                if count < choice_of.shape[0]:
                    choice_of[count], other_of[count], gain_of[count] = c, y, gain
                count += 1
    return count


@compiled
def next_random(state: NDArray[np.uint64]) -> np.uint64:
    """SplitMix64 (Steele, Lea and Flood 2014): good numbers from any seed, one word of state."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    random: np.uint64 = mixed ^ (mixed >> np.uint64(31))
    return random


@compiled
def random_below(state: NDArray[np.uint64], bound: int) -> int:
    """A whole number from 0 to bound − 1."""
    return int(np.int64((next_random(state) >> np.uint64(11)) % np.uint64(bound)))


@compiled
def is_covered(parents: Words, p: int, c: int) -> bool:
    """Whether c has p and the parents of p as its parents."""
    for word in range(parents.shape[1]):
        above = parents[p, word]
        if word == p >> 6:
            above |= np.uint64(1) << np.uint64(p & 63)
        if above != parents[c, word]:
            return False
    return True


@compiled
def is_ancestor(parents: Words, above: int, below: int, seen: Words, stack: Ints) -> bool:
    fill_reachable(below, np.zeros_like(seen), parents, seen, stack)
    return has(seen, above)


@compiled
def draw_neighbour(parents: Words, seed: np.uint64, is_turn: bool) -> tuple[int, int]:
    """Walk at random in the class of a DAG, then change one edge (Algorithm 4.4).

    Up to as many covered edges as there are edges are reversed in `parents`; the last change is not
    made but returned as (x, y): x joins or leaves the parents of y, or x → y is turned. (−1, −1)
    when the edge that was drawn cannot be turned.
    """
    n, words = parents.shape
    state = np.empty(1, np.uint64)
    state[0] = seed
    seen, stack = np.empty(words, np.uint64), np.empty(n, np.int64)
    edges = 0
    for c in range(n):
        for word in range(words):
            edges += int(np.int64(popcount(parents[c, word])))
    sources, targets = np.empty(edges, np.int64), np.empty(edges, np.int64)
    edges = 0
    for c in range(n):
        for p in range(n):
            if has(parents[c], p):
                sources[edges], targets[edges] = p, c
                edges += 1
    covered = np.empty(edges, np.int64)
    for _ in range(random_below(state, edges + 1)):
        count = 0
        for e in range(edges):
            if is_covered(parents, sources[e], targets[e]):
                covered[count] = e
                count += 1
        if count == 0:
            break
        e = covered[random_below(state, count)]
        p, c = sources[e], targets[e]
        flip(parents[c], p)
        flip(parents[p], c)
        sources[e], targets[e] = c, p
    if is_turn:
        if edges == 0:
            return -1, -1
        e = random_below(state, edges)
        p, c = sources[e], targets[e]
        # Turned, a covered edge leads nowhere and one with another path below it to a cycle.
        flip(parents[c], p)
        is_legal = not is_ancestor(parents, p, c, seen, stack)
        flip(parents[c], p)
        return (p, c) if is_legal and not is_covered(parents, p, c) else (-1, -1)
    x = random_below(state, n)
    y = (x + 1 + random_below(state, n - 1)) % n
    if has(parents[x], y):
        return y, x
    # Of two nodes that are not adjacent at most one is above the other.
    if not has(parents[y], x) and is_ancestor(parents, y, x, seen, stack):
        return y, x
    return x, y


@compiled
def draw_neighbours(
    parents: Words, seeds: Words, is_turn: bool, drawn: Words, joining: Ints, node: Ints
) -> None:
    """For every seed the change `draw_neighbour` makes, and the parents of both ends."""
    walked = np.empty_like(parents)
    for k in range(seeds.shape[0]):
        walked[:] = parents
        joining[k], node[k] = draw_neighbour(walked, seeds[k], is_turn)
        if node[k] >= 0:
            drawn[k, 0], drawn[k, 1] = walked[node[k]], walked[joining[k]]
