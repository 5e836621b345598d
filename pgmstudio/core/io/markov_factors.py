"""A product of factors as a chain of conditional tables with the same joint distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

Factor = tuple[tuple[int, ...], NDArray[np.float64]]
Family = tuple[int, tuple[int, ...], NDArray[np.float64]]  # child, parents, rows


def chain_rule(
    cards: Sequence[int], factors: Sequence[Factor], reserve: Callable[[tuple[int, ...]], None]
) -> tuple[list[Family] | None, float]:
    """P(x) ∝ Π factors as Π P(v | those eliminated later), and log2 of the normalising constant.

    Variable elimination read backwards: when v is summed out of the product ψ of its factors,
    ψ / Σ_v ψ is P(v | the others in ψ), since the rest of the product does not know v (Koller and
    Friedman 2009, §9.3 and §4.5). The variable with the smallest product goes next; `reserve` may
    refuse one. None when every joint state has weight 0.
    """
    near: list[set[int]] = [set() for _ in cards]
    for scope, _ in factors:
        for v in scope:
            near[v].update(scope)
    for v, others in enumerate(near):
        others.discard(v)
    families: list[Family] = []
    waiting: dict[int, Factor] = {}
    holding: list[set[int]] = [set() for _ in cards]  # the factors of each variable
    scalars: list[NDArray[np.float64]] = []
    log2_z = 0.0

    def wait(number: int, factor: Factor) -> None:
        waiting[number] = factor
        for u in factor[0]:
            holding[u].add(number)
        if not factor[0]:
            scalars.append(factor[1])

    for number, (scope, table) in enumerate(factors):  # each at most 1: no product is too large
        largest = float(table.max())
        if not largest > 0:
            return None, -math.inf
        wait(number, (scope, table / largest))
        log2_z += math.log2(largest)
    weight = [_log_cells(v, near, cards) for v in range(len(cards))]
    left = [(weight[v], v) for v in range(len(cards))]
    heapify(left)
    is_gone = [False] * len(cards)
    while left:
        heaviness, v = heappop(left)
        if is_gone[v] or heaviness != weight[v]:
            continue  # it has another weight by now, and stands there again
        is_gone[v] = True
        scope = (*sorted(near[v]), v)
        reserve(scope)
        table = np.ones([cards[u] for u in scope])
        for number in sorted(holding[v]):
            factor = waiting.pop(number)
            table = table * _spread(factor, scope)
            for u in factor[0]:
                holding[u].discard(number)
        largest = float(table.max())
        if not largest > 0:
            return None, -math.inf
        table /= largest
        message = table.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            rows = table / message[..., None]
        rows[message == 0] = 1 / cards[v]
        families.append((v, scope[:-1], rows.reshape(-1, cards[v])))
        log2_z += math.log2(largest)
        wait(len(factors) + v, (scope[:-1], message))
        for u in scope[:-1]:
            near[u].update(scope[:-1])
            near[u] -= {u, v}
            weight[u] = _log_cells(u, near, cards)
            heappush(left, (weight[u], u))
    for scalar in scalars:
        if not float(scalar) > 0:
            return None, -math.inf
        log2_z += math.log2(float(scalar))
    return families, log2_z


def _log_cells(v: int, near: Sequence[set[int]], cards: Sequence[int]) -> float:
    return math.log2(cards[v]) + sum(math.log2(cards[u]) for u in near[v])


def _spread(factor: Factor, scope: tuple[int, ...]) -> NDArray[np.float64]:
    """The factor with one axis for each variable of `scope`, of length 1 where it has none."""
    mine, table = factor
    ordered = sorted(range(len(mine)), key=lambda axis: scope.index(mine[axis]))
    shape = [table.shape[mine.index(u)] if u in mine else 1 for u in scope]
    spread: NDArray[np.float64] = table.transpose(ordered).reshape(shape)
    return spread
