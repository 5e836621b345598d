"""Maximum branchings: at most one parent each, no cycle, largest total weight (Edmonds 1967)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.execution.events import NEVER, CancelToken

Weights = NDArray[np.float64]
NONE = -1


@dataclass(frozen=True, eq=False)
class _Contraction:
    """One level: every cycle of best parents has become one node of the next level."""

    best: NDArray[np.int64]  # each node's best parent, or NONE
    group_of: NDArray[np.int64]
    cycles: tuple[NDArray[np.int64], ...]  # the nodes of group k, for the groups that are cycles
    weakest: tuple[int, ...]  # of each cycle, the node whose edge is dropped when nothing enters
    source: NDArray[np.int64]  # between groups, the nodes that the heaviest edge joins
    target: NDArray[np.int64]


def maximum_branching(weights: Weights, cancel: CancelToken = NEVER) -> list[int | None]:
    """The parent of each node, or None, so that the total weight of the edges is largest.

    `weights[p, c]` is the weight of p → c; edges of weight ≤ 0, and −inf for forbidden ones, are
    not taken. Dense form of Chu, Liu and Edmonds: contract the cycles of best parents until there
    are none, then open each cycle where an edge enters it, or at its weakest edge.
    """
    usable = np.where(weights > 0, weights, 0.0)
    np.fill_diagonal(usable, 0.0)
    levels: list[_Contraction] = []
    while True:
        best = _best_parents(usable)
        cycles = _cycles(best)
        if not cycles:
            break
        level, usable = _contract(usable, best, cycles, cancel)
        levels.append(level)
    for level in reversed(levels):
        best = _expand(level, best)
    return [None if parent == NONE else int(parent) for parent in best]


def _best_parents(usable: Weights) -> NDArray[np.int64]:
    if usable.shape[0] == 0:
        return np.zeros(0, dtype=np.int64)
    best: NDArray[np.int64] = usable.argmax(axis=0)
    best[usable.max(axis=0) <= 0] = NONE
    return best


def _cycles(parents: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    walk_of = np.full(len(parents), NONE)
    result = []
    for start in range(len(parents)):
        walk: list[int] = []
        node = start
        while node != NONE and walk_of[node] == NONE:
            walk_of[node] = start
            walk.append(node)
            node = int(parents[node])
        if node != NONE and walk_of[node] == start:
            result.append(np.array(walk[walk.index(node) :], dtype=np.int64))
    return result


def _contract(
    usable: Weights,
    best: NDArray[np.int64],
    cycles: list[NDArray[np.int64]],
    cancel: CancelToken,
) -> tuple[_Contraction, Weights]:
    n = len(best)
    group_of = np.full(n, NONE)
    entering = usable.copy()
    weakest = []
    for group, cycle in enumerate(cycles):
        group_of[cycle] = group
        gains = usable[best[cycle], cycle]
        weakest.append(int(cycle[gains.argmin()]))
        # An edge into the cycle replaces one of its own; without any, the weakest is lost.
        entering[:, cycle] += gains.min() - gains
    entering[usable <= 0] = 0.0
    alone = np.flatnonzero(group_of == NONE)
    group_of[alone] = len(cycles) + np.arange(alone.size)
    groups = len(cycles) + alone.size
    entering[group_of[:, None] == group_of[None, :]] = 0.0
    heaviest, source, target = _heaviest_between(entering, group_of, groups, cancel)
    level = _Contraction(best, group_of, tuple(cycles), tuple(weakest), source, target)
    return level, heaviest


def _heaviest_between(
    weights: Weights, group_of: NDArray[np.int64], groups: int, cancel: CancelToken
) -> tuple[Weights, NDArray[np.int64], NDArray[np.int64]]:
    """Between each two groups the largest weight, and the nodes it joins."""
    from_group, source = _heaviest_rows(weights, group_of, groups, cancel)
    turned = np.ascontiguousarray(from_group.T)
    transposed, target = _heaviest_rows(turned, group_of, groups, cancel)
    heaviest = np.where(transposed.T > 0, transposed.T, 0.0)
    return heaviest, np.take_along_axis(source, target.T, axis=1), target.T


def _heaviest_rows(
    weights: Weights, group_of: NDArray[np.int64], groups: int, cancel: CancelToken
) -> tuple[Weights, NDArray[np.int64]]:
    """Per group of rows the largest weight of each column, and the row it is in."""
    heaviest = np.full((groups, weights.shape[1]), -np.inf)
    row_of = np.zeros((groups, weights.shape[1]), dtype=np.int64)
    for row, group in enumerate(group_of):
        cancel.raise_if_cancelled()
        better = weights[row] > heaviest[group]
        heaviest[group, better] = weights[row, better]
        row_of[group, better] = row
    return heaviest, row_of


def _expand(level: _Contraction, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    parents = np.full(len(level.best), NONE)
    for group, cycle in enumerate(level.cycles):
        parents[cycle] = level.best[cycle]
        if chosen[group] == NONE:
            parents[level.weakest[group]] = NONE
    for group, parent in enumerate(chosen):
        if parent != NONE:
            parents[level.target[parent, group]] = level.source[parent, group]
    return parents


def branching_with_required(
    weights: Weights,
    allowed: NDArray[np.bool_],
    required: list[tuple[int, int]],
    cancel: CancelToken = NEVER,
) -> list[int | None]:
    """The maximum branching among those that have every required edge and no forbidden one.

    The required edges form trees; only a tree's root may still get a parent. Each is contracted.
    """
    n = weights.shape[0]
    fixed = np.full(n, NONE)
    for parent, child in required:
        fixed[child] = parent
    root_of = np.arange(n)
    for node in range(n):
        while fixed[root_of[node]] != NONE:
            root_of[node] = fixed[root_of[node]]
    roots, group_of = np.unique(root_of, return_inverse=True)
    usable = np.where(allowed, weights, -np.inf)
    usable[:, fixed != NONE] = -np.inf
    usable[group_of[:, None] == group_of[None, :]] = -np.inf
    heaviest, source, _ = _heaviest_between(usable, group_of, len(roots), cancel)
    parents = [None if parent == NONE else int(parent) for parent in fixed]
    for group, chosen in enumerate(maximum_branching(heaviest, cancel)):
        if chosen is not None:
            parents[roots[group]] = int(source[chosen, group])
    return parents
