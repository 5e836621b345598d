"""An upper bound of the largest product of factors: mini-bucket elimination.

Dechter and Rish (2003), "Mini-buckets: a general scheme for bounded inference", J. ACM 50. A
variable is maximised out of the factors that have it; where their joint table would be too large,
they are split, and each part takes its own maximum, which can only be larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.graphs.triangulation import eliminate, joined_graph, strip
from pgmstudio.core.inference.factors import Factor

MAX_TABLE_CELLS = 2**14


def log2_maximum_bound(
    factors: Sequence[Factor], cardinalities: Sequence[int], most_cells: int = MAX_TABLE_CELLS
) -> float:
    """An upper bound of log2 of the largest product; the exact maximum where nothing is split."""
    graph = joined_graph([factor.scope for factor in factors], len(cardinalities))
    elimination = eliminate(strip(graph), cardinalities, "min-size")
    assert elimination is not None
    index = {variable: i for i, variable in enumerate(elimination.order)}
    buckets: list[list[Factor]] = [[] for _ in cardinalities]
    bound = 0.0
    with np.errstate(divide="ignore"):
        logs = [Factor(factor.scope, np.log2(factor.values)) for factor in factors]
    for factor in logs:
        if factor.scope:
            buckets[min(map(index.__getitem__, factor.scope))].append(factor)
        else:
            bound += float(factor.values)
    for position, variable in enumerate(elimination.order):
        for part in _parts(buckets[position], cardinalities, most_cells):
            message = _maximised(part, variable, cardinalities)
            if message.scope:
                buckets[min(map(index.__getitem__, message.scope))].append(message)
            else:
                bound += float(message.values)
    return bound


def _parts(
    bucket: Sequence[Factor], cardinalities: Sequence[int], most_cells: int
) -> list[list[Factor]]:
    """The factors in as few groups with tables of at most `most_cells` cells as first fit finds."""
    groups: list[tuple[set[int], list[Factor]]] = []
    for factor in sorted(bucket, key=lambda one: -one.values.size):
        for scope, members in groups:
            if math.prod(cardinalities[v] for v in scope.union(factor.scope)) <= most_cells:
                scope.update(factor.scope)
                members.append(factor)
                break
        else:
            groups.append((set(factor.scope), [factor]))
    return [members for _, members in groups]


def _maximised(part: Sequence[Factor], variable: int, cardinalities: Sequence[int]) -> Factor:
    """The sum of tables of logarithms, maximised over one variable."""
    scope = sorted({v for factor in part for v in factor.scope} - {variable})
    axes = [*scope, variable]
    total: Floats = np.zeros([cardinalities[v] for v in axes])
    for factor in part:
        order = sorted(range(len(factor.scope)), key=lambda a: axes.index(factor.scope[a]))
        shape = [cardinalities[v] if v in factor.scope else 1 for v in axes]
        total = total + factor.values.transpose(order).reshape(shape)
    return Factor(tuple(scope), total.max(axis=-1))
