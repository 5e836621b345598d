"""Changes of a forest worth trying: a variable elsewhere, alone or with all below it, or two
exchanged.

Our own addition to the population of Alg. 4.6: the forests left out after a λ make room for changed
copies of the best ones.
"""

from __future__ import annotations

import numpy as np

from pgmstudio.core.learning.pdg_gains import Placing
from pgmstudio.core.learning.pdg_state import Forest, PdgState


def changed(
    forest: Forest, state: PdgState, lambda_: float, rng: np.random.Generator, seen: set[Forest]
) -> Forest | None:
    """A forest that was not seen before, one change away; None when ten draws found none.

    Half of the draws put a variable where, by itself, it would gain most over where it is in
    `state`; the others are blind. A chain stays a chain.
    """
    size = len(forest)
    if size < 2:
        return None
    kinds = _CHAIN_KINDS if is_chain(forest) else _KINDS
    guided = _gainful(state, lambda_)
    for _ in range(10):
        if guided and rng.random() < 0.5:
            shares = np.array([gain for _, _, gain in guided])
            i, above, _ = guided[int(rng.choice(len(guided), p=shares / shares.sum()))]
        else:
            i, above = (int(v) for v in rng.choice(size, 2, replace=False))
        made = kinds[int(rng.integers(len(kinds)))](forest, i, above)
        if made is not None and made not in seen:
            return made
    return None


def _gainful(state: PdgState, lambda_: float) -> list[tuple[int, int, float]]:
    """Variable, new place and gain in bits, where a variable alone would gain."""
    placing = Placing.of(state, lambda_)
    size = len(state.forest)
    found = []
    for i in range(size):
        now = placing.worth(i, state)
        for above in range(size):
            if above not in (i, state.forest[i]):
                gain = placing.below(i, above).gain - now
                if gain > 0:
                    found.append((i, above, gain))
    return found


def with_subtree_below(forest: Forest, i: int, above: int) -> Forest | None:
    """The variable and all below it, below another; None when that stands below it."""
    line: int | None = above
    while line is not None:
        if line == i:
            return None
        line = forest[line]
    moved = list(forest)
    moved[i] = above
    return tuple(moved)


def alone_below(forest: Forest, i: int, above: int) -> Forest:
    """The variable alone as a leaf below another; what stood below it moves up."""
    moved = [forest[i] if up == i else up for up in forest]
    moved[i] = above
    return tuple(moved)


def between(forest: Forest, i: int, above: int) -> Forest:
    """The variable alone, between another and all that stands below that."""
    freed = alone_below(forest, i, above)
    return tuple(i if up == above and j != i else up for j, up in enumerate(freed))


def exchanged(forest: Forest, a: int, b: int) -> Forest:
    """Two variables in each other's place."""
    other = {a: b, b: a}
    moved = list(forest)
    moved[a], moved[b] = forest[b], forest[a]
    return tuple(None if up is None else other.get(up, up) for up in moved)


_CHAIN_KINDS = (exchanged, between)
_KINDS = (*_CHAIN_KINDS, with_subtree_below, alone_below)


def is_chain(forest: Forest) -> bool:
    """Whether every variable but one stands alone below another: room for any distribution."""
    above = [up for up in forest if up is not None]
    return len(above) == len(forest) - 1 and len(set(above)) == len(above)
