"""Facts about one node of a decision graph: counts, rows, contexts, candidate operations, moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    OperationEffect,
    ScoreWeight,
    merges_of,
    operation_effect,
    redirections_from,
    redirections_to,
)
from pgmstudio.core.languages.pdg.measures import change_between, node_counts
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import moved

# Redirections are measured on the rows one by one, so not all of a large graph are tried.
MAX_REDIRECTED, MAX_POSITIONS = 24, 12
MAX_MERGES, MAX_ARCS, MAX_MOVES = 4, 3, 4
MAX_ROWS = 200


@dataclass(frozen=True)
class Move:
    """Moving a variable below another (None: as a root), with its effect."""

    above: str | None
    bits: float | None
    size: int
    free: int
    is_exact: bool = True
    refusal: str = ""


@dataclass(frozen=True)
class GraphNodeFacts:
    """Facts of one node. `counts` are the rows that reach it by state; None without rows."""

    counts: Floats | None
    total: float
    prospects: tuple[OperationEffect, ...]
    moves: tuple[Move, ...]
    rows: tuple[int, ...] = ()  # the first rows that reach the node, from 0


def graph_node_facts(
    graph: DecisionGraph,
    data: DataSet | None,
    variable: str,
    node: int,
    weight: ScoreWeight,
    cancel: CancelToken,
) -> GraphNodeFacts:
    """The facts of one node; the best operations of each kind first, with reasons for impossible
    ones."""
    i = graph.domain.index(variable)
    counts = None if data is None else node_counts(graph, data)
    merges = _best(merges_of(graph, variable, node, counts), weight, MAX_MERGES)
    effects = [
        *merges,
        operation_effect(graph, CandidateOperation(Operation.SPLIT, variable, node), data),
    ]
    if data is not None:
        steps = (*redirections_to(graph, variable, node), *redirections_from(graph, variable, node))
        arcs = _measured(graph, islice(steps, MAX_REDIRECTED), data, cancel)
        effects += _best(arcs, weight, MAX_ARCS)
    effects.sort(key=lambda one: bool(one.refusal))
    moves = list(_moves(graph, variable, data, cancel))
    moves.sort(key=lambda m: -(weight.gain(m.bits, m.size, m.free) if m.bits is not None else -1e9))
    here: tuple[int, ...] = ()
    if data is not None:
        reached = graph.reached_nodes(data)[i]
        here = tuple(np.flatnonzero(reached == node)[:MAX_ROWS].tolist())
    return GraphNodeFacts(
        None if counts is None else counts[i][node],
        0.0 if data is None else data.total_weight,
        tuple(effects),
        tuple(moves[:MAX_MOVES]),
        here,
    )


def _best(
    effects: Iterable[OperationEffect], weight: ScoreWeight, most: int
) -> list[OperationEffect]:
    def worth(one: OperationEffect) -> tuple[bool, float]:
        score = one.score(weight)
        return bool(one.refusal), -(score if score is not None else float(-one.size))

    return sorted(effects, key=worth)[:most]


def _measured(
    graph: DecisionGraph, steps: Iterable[CandidateOperation], data: DataSet, cancel: CancelToken
) -> Iterator[OperationEffect]:
    for step in steps:
        cancel.raise_if_cancelled()
        yield operation_effect(graph, step, data)


def _moves(
    graph: DecisionGraph, variable: str, data: DataSet | None, cancel: CancelToken
) -> Iterator[Move]:
    i = graph.domain.index(variable)
    others: list[str | None] = [name for name in graph.domain.names if name != variable]
    for above in [None, *others][: MAX_POSITIONS + 1]:
        cancel.raise_if_cancelled()
        at = None if above is None else graph.domain.index(above)
        if at == graph.forest[i] or (at is not None and is_under(graph, at, i)):
            continue
        yield move_of(graph, variable, above, data)


def move_of(graph: DecisionGraph, variable: str, above: str | None, data: DataSet | None) -> Move:
    """The effect of moving the variable below another, or making it a root."""
    try:
        result = moved(graph, variable, above, data)
    except GraphError as error:
        return Move(above, None, 0, 0, refusal=str(error))
    after = result.graph
    bits: float | None = None
    if result.is_exact:
        bits = 0.0  # parameters stay the same, also in multiplied nodes
    elif data is not None:
        bits = change_between(graph, after, data).log2_likelihood
    return Move(
        above,
        bits,
        after.effective_size() - graph.effective_size(),
        after.representation_size() - graph.representation_size(),
        result.is_exact,
    )


# The contexts in which rows reach a node of a decision graph, as short rules.

Mask = NDArray[np.bool_]
_NEVER, _ALWAYS = 0, 1


@dataclass(frozen=True)
class ReachRule:
    """A conjunction: variables with the states each may have, from the root downwards."""

    parts: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def text(self) -> str:
        """Such as `Smoking = no, Pressure = low or high`."""
        if not self.parts:
            return "always"
        return ", ".join(f"{name} = {' or '.join(states)}" for name, states in self.parts)


@dataclass(frozen=True)
class ReachRules:
    """A disjunction: its first rules, and how many there are in all."""

    rules: tuple[ReachRule, ...]
    count: int


class _Test:
    """Reaching a node as a decision diagram that leaves out variables which do not matter."""

    def __init__(self, graph: DecisionGraph, i: int, node: int) -> None:
        self._graph = graph
        # The test of each part of the diagram: the variable, and the part that follows each state.
        self._asks: list[tuple[int, tuple[int, ...]]] = [(-1, ()), (-1, ())]
        numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        parts = [_ALWAYS if n == node else _NEVER for n in range(graph.node_counts[i])]
        below = i
        while (above := graph.forest[below]) is not None:
            edges = graph.successors[below]
            assert edges is not None
            upper = []
            for row in edges.tolist():
                heads = tuple(parts[head] for head in row)
                if len(set(heads)) == 1:
                    upper.append(heads[0])
                    continue
                key = above, heads
                if key not in numbers:
                    numbers[key] = len(self._asks)
                    self._asks.append(key)
                upper.append(numbers[key])
            parts, below = upper, above
        self._top = parts[0]

    def _groups(self, part: int) -> dict[int, list[int]]:
        result: dict[int, list[int]] = {}
        for state, head in enumerate(self._asks[part][1]):
            if head != _NEVER:
                result.setdefault(head, []).append(state)
        return result

    def count(self) -> int:
        ways = [0, 1]
        for part in range(2, len(self._asks)):
            ways.append(sum(ways[head] for head in self._groups(part)))
        return ways[self._top]

    def rules(self) -> Iterator[ReachRule]:
        yield from self._below(self._top, ())

    def _below(
        self, part: int, so_far: tuple[tuple[str, tuple[str, ...]], ...]
    ) -> Iterator[ReachRule]:
        if part == _ALWAYS:
            yield ReachRule(so_far)
        elif part != _NEVER:
            variable = self._graph.domain.variables[self._asks[part][0]]
            for head, states in self._groups(part).items():
                names = tuple(variable.states[state] for state in states)
                yield from self._below(head, (*so_far, (variable.name, names)))


def reach_rules(graph: DecisionGraph, variable: str, node: int, most: int = 6) -> ReachRules:
    """The rules under which a row reaches the node; irrelevant variables are omitted."""
    test = _Test(graph, graph.domain.index(variable), node)
    return ReachRules(tuple(islice(test.rules(), most)), test.count())


def paths_through(graph: DecisionGraph, variable: str, node: int) -> dict[int, Mask]:
    """The nodes on paths through one, by variable: above it those that lead to it, below it those
    it leads to."""
    i = graph.domain.index(variable)
    mine: Mask = np.zeros(graph.node_counts[i], dtype=bool)
    mine[node] = True
    result: dict[int, Mask] = {i: mine}
    below = i
    while (above := graph.forest[below]) is not None:
        edges = graph.successors[below]
        assert edges is not None
        result[above] = np.asarray(result[below][edges].any(axis=1))
        below = above
    waiting = list(graph.children[i])
    while waiting:
        lower = waiting.pop()
        upper, edges = graph.forest[lower], graph.successors[lower]
        assert upper is not None
        assert edges is not None
        mask = np.zeros(graph.node_counts[lower], dtype=bool)
        mask[edges[result[upper]].ravel()] = True
        result[lower] = mask
        waiting.extend(graph.children[lower])
    return result


def is_under(graph: DecisionGraph, lower: int, upper: int) -> bool:
    """Whether a variable is another one or stands below it in the forest."""
    at: int | None = lower
    while at is not None and at != upper:
        at = graph.forest[at]
    return at is not None
