"""What cliques that have had their messages tell of several variables: counts, and draws.

Like the loops of passes.py, which says how the arrays are laid out, these run compiled
(passes_kernels.py) or as they stand. They call no other loop, so numba's cache, which knows only
the file a kernel stands in, misses no change.
"""

from __future__ import annotations

from typing import Any


def add_counts(
    cliques: Any,
    inputs: Any,
    maps: Any,
    tables: Any,
    down: Any,
    weight: float,
    wanted: Any,
    counts: Any,
) -> None:
    """Add the joint belief of every wanted factor's variables, times `weight`, to `counts`.

    `wanted` has one number per factor in the order of `inputs`; `counts` is laid out as the
    factors' own numbers are. Every clique has to be visited.
    """
    factor = 0
    for c in range(len(cliques)):
        start, sep, width = cliques[c, 0], cliques[c, 2], cliques[c, 3]
        for i in range(cliques[c, 5], cliques[c, 6]):
            if inputs[i, 5] >= 0:
                continue
            factor += 1
            if wanted[factor - 1] == 0:
                continue
            source, at, blocks = inputs[i, 0], inputs[i, 1], inputs[i, 2]
            length, is_run = inputs[i, 3], inputs[i, 4]
            x = 0
            for b in range(blocks):
                s = source + maps[at + b]
                for j in range(length):
                    belief = tables[start + x + j] * down[sep + (x + j) % width]
                    counts[s + j * is_run] += weight * belief
                x += length


def draw(cliques: Any, members: Any, tables: Any, points: Any, states_of: Any) -> None:
    """One joint state from the belief, into `states_of`, by a number from 0 to 1 for each clique.

    After collecting, a clique's table has all that is below it summed in: so states are drawn from
    the roots down, each clique's own given those it shares with its parent.
    """
    for c in range(len(cliques)):
        start, cells, width = cliques[c, 0], cliques[c, 1], cliques[c, 3]
        s = 0
        for m in range(cliques[c, 7], cliques[c, 8]):
            if members[m, 1] * members[m, 2] <= width:
                s += states_of[members[m, 0]] * members[m, 1]
        total = 0.0
        for r in range(cells // width):
            total += tables[start + r * width + s]
        left = points[c] * total
        chosen = 0
        for r in range(cells // width):
            value = tables[start + r * width + s]
            if value > 0.0:
                chosen = r
                left -= value
                if left < 0.0:
                    break
        for m in range(cliques[c, 7], cliques[c, 8]):
            if members[m, 1] * members[m, 2] > width:
                states_of[members[m, 0]] = chosen * width // members[m, 1] % members[m, 2]
