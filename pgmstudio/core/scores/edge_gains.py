"""What one edge is worth to a score: the change of adding, removing or reversing it now."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pgmstudio.core.errors import CycleError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.scores.family_cache import FamilyScores

Edge = tuple[str, str]
EdgeAction = Literal["add", "remove", "reverse"]


@dataclass(frozen=True, slots=True)
class EdgeMove:
    """One step from a graph; source → target is what is added, removed or turned round.

    `path` is the directed path that the step would close to a cycle; such a step has no gain.
    """

    action: EdgeAction
    source: str
    target: str
    gain: float | None  # bits, above 0 improves; None: it cannot be done
    path: tuple[str, ...] = ()
    is_too_large: bool = False  # the table would exceed the limit of the score


def edge_gains(
    dag: Dag, scores: FamilyScores, cancel: CancelToken = NEVER
) -> Iterator[tuple[Edge, float]]:
    """For each edge the loss of score without it, in bits; below 0 the edge costs more than it
    explains."""
    for child, parents in enumerate(dag.parent_indices):
        whole = scores.local(child, parents, cancel)
        for parent in parents:
            less = scores.local(child, [p for p in parents if p != parent], cancel)
            yield (dag.names[parent], dag.names[child]), whole - less


def moves_between(
    dag: Dag, one: str, other: str, scores: FamilyScores, cancel: CancelToken = NEVER
) -> tuple[EdgeMove, ...]:
    """Every step on the pair: two additions when it is not joined, else removal and reversal."""
    if dag.has_edge(other, one):
        one, other = other, one
    if dag.has_edge(one, other):
        removed = dag.without_edge(one, other)
        gone = _gain(dag, removed, other, scores, cancel)
        removal = EdgeMove("remove", one, other, gone)
        return removal, _addition("reverse", removed, (other, one), (one, other), scores, gone)
    return (
        _addition("add", dag, (one, other), (one, other), scores, 0.0),
        _addition("add", dag, (other, one), (other, one), scores, 0.0),
    )


def _addition(
    action: EdgeAction, dag: Dag, new: Edge, named: Edge, scores: FamilyScores, before: float
) -> EdgeMove:
    """Put `new` into a graph; `before` is what the step has gained already."""
    try:
        changed = dag.with_edge(*new)
    except CycleError as cycle:
        return EdgeMove(action, *named, None, cycle.path)
    gain = _gain(dag, changed, new[1], scores, NEVER)
    if gain == -math.inf:
        return EdgeMove(action, *named, None, is_too_large=True)
    return EdgeMove(action, *named, before + gain)


def _gain(before: Dag, after: Dag, child: str, scores: FamilyScores, cancel: CancelToken) -> float:
    position = before.index(child)
    old = scores.local(position, before.parent_indices[position], cancel)
    return scores.local(position, after.parent_indices[position], cancel) - old
