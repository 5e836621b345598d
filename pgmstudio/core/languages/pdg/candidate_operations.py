"""What could be done with one node of a decision graph, and what each deed would bring.

With rows ΔL is over all of them, both graphs with their likeliest parameters; without rows it is
what the model itself expects to lose by a merge, and unknown for anything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.components import rows_over
from pgmstudio.core.languages.pdg.measures import (
    change_between,
    merge_change,
    merge_score,
    node_counts,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import merged, redirected, split

Floats = NDArray[np.float64]


class Command(Enum):
    """What is done with a node."""

    MERGE = "merge"
    SPLIT = "split"
    REDIRECT = "redirect"


@dataclass(frozen=True)
class Step:
    """One deed: merge `node` with `other`; split `node`; lead the edge of `state` of the `upper`
    node, one of the variable above, to `node`."""

    deed: Command
    variable: str
    node: int
    other: int = -1
    upper: int = -1
    state: int = -1

    def done(self, graph: DecisionGraph) -> DecisionGraph:
        """The graph after it; a GraphError says why it cannot be."""
        if self.deed is Command.MERGE:
            return merged(graph, self.variable, self.node, self.other)
        if self.deed is Command.SPLIT:
            return split(graph, self.variable, self.node)
        return redirected(graph, self.variable, self.upper, self.state, self.node)

    def touched(self, before: DecisionGraph, after: DecisionGraph) -> tuple[tuple[str, int], ...]:
        """The nodes of the later graph that it has changed."""
        i = before.domain.index(self.variable)
        if self.deed is Command.MERGE:
            return ((self.variable, min(self.node, self.other)),)
        old, new = before.successors[i], after.successors[i]
        if old is None or new is None:
            return ()
        if self.deed is Command.REDIRECT:
            return ((self.variable, int(new[self.upper, self.state])),)
        return tuple((self.variable, int(node)) for node in np.unique(new[old == self.node]))


@dataclass(frozen=True)
class OperationEffect:
    """A step with what it brings; `refusal` is the sentence when it cannot be taken."""

    step: Step
    bits: float | None = None  # ΔL over all rows; per row where there are none
    size: int = 0  # Δsize_eff
    free: int = 0  # Δ free parameters
    refusal: str = ""

    def score(self, weight: ScoreWeight) -> float | None:
        """ΔS: what is gained, less the price of the size."""
        if self.bits is None:
            return None
        return weight.gain(self.bits, self.size, self.free)


@dataclass(frozen=True)
class ScoreWeight:
    """How bits and size are weighed: by λ (eq. 4.40), or by ½·log2 N for a free parameter."""

    rows: float
    lambda_: float | None = None

    @property
    def words(self) -> str:
        return "BIC" if self.lambda_ is None else f"λ {self.lambda_:.3g}"

    def gain(self, bits: float, size: int, free: int) -> float:
        if self.lambda_ is not None:
            return (1 - self.lambda_) * bits - self.lambda_ * size
        return bits - 0.5 * math.log2(max(self.rows, 2.0)) * free


def whole_rows(graph: DecisionGraph, data: DataSet) -> DataSet:
    """The rows without missing cells, over the variables of the graph."""
    data = rows_over(graph.domain, data)
    is_whole = ~(data.codes == data.missing_code).any(axis=0)
    return data if is_whole.all() else data.take_rows(is_whole)


def prospect(graph: DecisionGraph, step: Step, data: DataSet | None) -> OperationEffect:
    """What one step brings on these rows, which must be whole."""
    try:
        after = step.done(graph)
    except GraphError as error:
        return OperationEffect(step, refusal=str(error))
    free = after.representation_size() - graph.representation_size()
    size = after.effective_size() - graph.effective_size()
    if data is not None:
        return OperationEffect(step, change_between(graph, after, data).log2_likelihood, size, free)
    bits = None
    if step.deed is Command.MERGE:
        bits = -merge_score(graph, step.variable, step.node, step.other)
    elif step.deed is Command.SPLIT:
        bits = 0.0
    return OperationEffect(step, bits, size, free)


def merges_of(
    graph: DecisionGraph, variable: str, node: int, counts: tuple[Floats, ...] | None
) -> list[OperationEffect]:
    """Merging the node with each other of its variable; quick, from the counts alone."""
    i, result = graph.domain.index(variable), []
    for other in range(graph.node_counts[i]):
        if other == node:
            continue
        step = Step(Command.MERGE, variable, node, other)
        refusal = _why_not_merged(graph, step)
        if refusal or counts is None:
            result.append(
                OperationEffect(step, refusal=refusal) if refusal else prospect(graph, step, None)
            )
            continue
        change = merge_change(graph, counts, variable, node, other)
        free = 1 - graph.domain.cardinalities[i]
        result.append(OperationEffect(step, change.log2_likelihood, change.effective_size, free))
    return result


def _why_not_merged(graph: DecisionGraph, step: Step) -> str:
    i = graph.domain.index(step.variable)
    for below in graph.children[i]:
        edges = graph.successors[below]
        assert edges is not None
        if (edges[step.node] != edges[step.other]).any():
            try:
                step.done(graph)
            except GraphError as error:
                return str(error)
    return ""


def redirections_to(graph: DecisionGraph, variable: str, node: int) -> Iterator[Step]:
    """Every edge that leads to another node of the variable, led to this one."""
    edges = graph.successors[graph.domain.index(variable)]
    if edges is not None:
        for upper, state in np.argwhere(edges != node).tolist():
            yield Step(Command.REDIRECT, variable, node, upper=upper, state=state)


def redirections_from(graph: DecisionGraph, variable: str, node: int) -> Iterator[Step]:
    """Every edge that leaves the node, led to every other node it could go to."""
    i = graph.domain.index(variable)
    for below in graph.children[i]:
        edges = graph.successors[below]
        assert edges is not None
        for state, head in enumerate(edges[node].tolist()):
            for other in range(graph.node_counts[below]):
                if other != head:
                    yield Step(
                        Command.REDIRECT, graph.domain.names[below], other, upper=node, state=state
                    )


def all_steps(graph: DecisionGraph) -> Iterator[Step]:
    """Every merge, split and redirection there is."""
    for i, name in enumerate(graph.domain.names):
        for node in range(graph.node_counts[i]):
            edges = graph.successors[i]
            if edges is not None and int((edges == node).sum()) > 1:
                yield Step(Command.SPLIT, name, node)
            for other in range(node + 1, graph.node_counts[i]):
                yield Step(Command.MERGE, name, node, other)
            yield from redirections_to(graph, name, node)


def best_step(
    graph: DecisionGraph,
    data: DataSet,
    weight: ScoreWeight,
    check: Callable[[], None] = lambda: None,
) -> OperationEffect | None:
    """The single deed that raises the score most; None when none does. Rows must be whole."""
    counts = node_counts(graph, data)
    best: OperationEffect | None = None
    highest = 1e-9
    for step in all_steps(graph):
        check()
        if step.deed is Command.MERGE:
            if _why_not_merged(graph, step):
                continue
            change = merge_change(graph, counts, step.variable, step.node, step.other)
            free = 1 - graph.domain[step.variable].cardinality
            result = OperationEffect(step, change.log2_likelihood, change.effective_size, free)
        else:
            result = prospect(graph, step, data)
        score = result.score(weight)
        if score is not None and score > highest:
            best, highest = result, score
    return best
