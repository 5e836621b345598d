"""The DAG of highest score, by dynamic programming over sets of variables.

First the best parents within every set of candidates, then the best last variable of every set
(Silander and Myllymäki 2006). Time and memory grow as 2^n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.scores.family_cache import mask_of

# If scores differ by less, the first is kept: fewer parents.
_ROUNDING = 1e-9

Masks = NDArray[np.int64]
LocalScore = Callable[[int, Sequence[int], CancelToken], float]


def best_graph(
    local: LocalScore, rules: EdgeRules, cancel: CancelToken
) -> Generator[Progress, None, Dag]:
    """The graph of highest score that the rules allow."""
    n = len(rules.names)
    values = np.empty((n, 1 << n))
    parents = np.empty((n, 1 << n), dtype=np.int64)
    for child in range(n):
        yield Progress(
            child / (n + 1),
            f"Scoring all parents of {rules.names[child]}",
            {"columns": float(child)},
        )
        values[child], parents[child] = _best_parents(local, rules, child, cancel)
    yield Progress(n / (n + 1), "Combining the families")
    best, last = np.full(1 << n, -math.inf), np.full(1 << n, -1, dtype=np.int64)
    best[0] = 0.0
    for members in range(1, 1 << n):
        cancel.raise_if_cancelled()
        for child in range(n):
            rest = members ^ (1 << child)
            if members >> child & 1:
                value = best[rest] + values[child, rest]
                if value > best[members] + _ROUNDING:
                    best[members], last[members] = value, child
    chosen: list[tuple[int, ...]] = [()] * n
    members = (1 << n) - 1
    while members:
        child = int(last[members])
        members ^= 1 << child
        mask = int(parents[child, members])
        chosen[child] = tuple(bits_of(mask))
    return Dag(rules.names, tuple(chosen))


def _best_parents(
    local: LocalScore, rules: EdgeRules, child: int, cancel: CancelToken
) -> tuple[Floats, Masks]:
    """For every set of candidates, as bits, the best score in bits and the parents that have it."""
    n = len(rules.names)
    allowed = mask_of(np.flatnonzero(rules.allowed[:, child]).tolist())
    required = mask_of(np.flatnonzero(rules.required[:, child]).tolist())
    best, which = np.full(1 << n, -math.inf), np.zeros(1 << n, dtype=np.int64)
    for mask in range(1 << n):
        if mask >> child & 1:
            continue
        members = [*bits_of(mask)]
        for parent in members:
            less = mask ^ (1 << parent)
            if best[less] > best[mask] + _ROUNDING:
                best[mask], which[mask] = best[less], which[less]
        is_legal = not mask & ~allowed and not required & ~mask
        if is_legal and len(members) <= rules.most_parents:
            cancel.raise_if_cancelled()
            value = local(child, members, cancel)
            if value > best[mask] + _ROUNDING:
                best[mask], which[mask] = value, mask
    return best, which
