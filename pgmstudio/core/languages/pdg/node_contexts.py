"""The contexts in which rows reach a node of a decision graph, as short rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.languages.pdg.model import DecisionGraph

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
