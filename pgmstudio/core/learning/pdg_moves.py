"""Changes of a forest worth trying: a variable elsewhere, alone or with all below it, or two
exchanged.

Our own addition to the population of Alg. 4.6: the forests left out after a λ make room for changed
copies of the best ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from pgmstudio.core.learning.pdg_gains import Placing
from pgmstudio.core.learning.pdg_state import Forest, PdgState


class Gainful:
    """Where, by itself, each variable would gain over where it is in a graph; found when asked."""

    def __init__(self, state: PdgState, lambda_: float) -> None:
        self._more = _gainful(state, lambda_)
        self._found = list(islice(self._more, 1))

    def __bool__(self) -> bool:
        """Whether any would gain: one is looked for, not all."""
        return bool(self._found)

    def drawn(self, rng: np.random.Generator) -> tuple[int, int]:
        """A variable and its new place, in proportion to the gain."""
        self._found += self._more
        shares = np.array([gain for _, _, gain in self._found])
        i, above, _ = self._found[int(rng.choice(shares.size, p=shares / shares.sum()))]
        return i, above


def changed(
    forest: Forest, guide: Gainful, rng: np.random.Generator, seen: set[Forest]
) -> Forest | None:
    """A forest that was not seen before, one change away; None when ten draws found none.

    Half of the draws put a variable where the guide says that it would gain; the others are blind.
    A chain stays a chain.
    """
    size = len(forest)
    if size < 2:
        return None
    kinds = _CHAIN_KINDS if is_chain(forest) else _KINDS
    for _ in range(10):
        if guide and rng.random() < 0.5:
            i, above = guide.drawn(rng)
        else:
            i, above = (int(v) for v in rng.choice(size, 2, replace=False))
        made = kinds[int(rng.integers(len(kinds)))](forest, i, above)
        if made is not None and made not in seen:
            return made
    return None


def _gainful(state: PdgState, lambda_: float) -> Iterator[tuple[int, int, float]]:
    """Variable, new place and gain in bits, where a variable alone would gain."""
    placing = Placing.of(state, lambda_)
    size = len(state.forest)
    for i in range(size):
        now = placing.worth(i, state)
        for above in range(size):
            if above in (i, state.forest[i]):
                continue
            gain = 0.0  # as where it would not gain at all
            if placing.most_below(i, above) > max(now, 0.0):
                gain = placing.below(i, above).gain
            if gain > now:
                yield i, above, gain - now


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
