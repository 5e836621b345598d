"""Candidate operations on the nodes of a decision graph, and the effect of each on the score.

With rows, ΔL is over all of them, both graphs with maximum-likelihood parameters. Without rows it
is the expected loss of a merge under the model itself, and unknown for other operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.pdg.measures import (
    change_between,
    merge_change,
    merge_score,
    node_counts,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import merged, redirected, split


class Operation(Enum):
    """An operation on a node."""

    MERGE = "merge"
    SPLIT = "split"
    REDIRECT = "redirect"


@dataclass(frozen=True)
class CandidateOperation:
    """One operation: merge `node` with `other`; split `node`; or redirect the edge of `state` of
    the `upper` node, one of the variable above, to `node`."""

    operation: Operation
    variable: str
    node: int
    other: int = -1
    upper: int = -1
    state: int = -1

    def done(self, graph: DecisionGraph) -> DecisionGraph:
        """The graph after the operation; raises GraphError if it is not possible."""
        if self.operation is Operation.MERGE:
            return merged(graph, self.variable, self.node, self.other)
        if self.operation is Operation.SPLIT:
            return split(graph, self.variable, self.node)
        return redirected(graph, self.variable, self.upper, self.state, self.node)

    def touched(self, before: DecisionGraph, after: DecisionGraph) -> tuple[tuple[str, int], ...]:
        """The nodes of the later graph that the operation changed."""
        i = before.domain.index(self.variable)
        if self.operation is Operation.MERGE:
            return ((self.variable, min(self.node, self.other)),)
        old, new = before.successors[i], after.successors[i]
        if old is None or new is None:
            return ()
        if self.operation is Operation.REDIRECT:
            return ((self.variable, int(new[self.upper, self.state])),)
        return tuple((self.variable, int(node)) for node in np.unique(new[old == self.node]))


@dataclass(frozen=True)
class OperationEffect:
    """An operation with its effect; `refusal` is the reason if it is not possible."""

    step: CandidateOperation
    bits: float | None = None  # ΔL over all rows; per row where there are none
    size: int = 0  # Δsize_eff
    free: int = 0  # Δ free parameters
    refusal: str = ""

    def score(self, weight: ScoreWeight) -> float | None:
        """ΔS: the gain in likelihood less the penalty of the size."""
        if self.bits is None:
            return None
        return weight.gain(self.bits, self.size, self.free)


@dataclass(frozen=True)
class ScoreWeight:
    """The weight of size against bits: λ (eq. 4.40), or ½·log2 N per free parameter."""

    rows: float
    lambda_: float | None = None

    @property
    def label(self) -> str:
        return "BIC" if self.lambda_ is None else f"λ {self.lambda_:.3g}"

    def gain(self, bits: float, size: int, free: int) -> float:
        if self.lambda_ is not None:
            return (1 - self.lambda_) * bits - self.lambda_ * size
        return bits - 0.5 * math.log2(max(self.rows, 2.0)) * free


def whole_rows(graph: DecisionGraph, data: DataSet) -> DataSet:
    """The rows without missing cells, over the variables of the graph."""
    data = data.for_model(graph.domain)
    is_whole = ~(data.codes == data.missing_code).any(axis=0)
    return data if is_whole.all() else data.take_rows(is_whole)


def operation_effect(
    graph: DecisionGraph, step: CandidateOperation, data: DataSet | None
) -> OperationEffect:
    """The effect of one operation on these rows, which must be complete."""
    try:
        after = step.done(graph)
    except GraphError as error:
        return OperationEffect(step, refusal=str(error))
    free = after.representation_size() - graph.representation_size()
    size = after.effective_size() - graph.effective_size()
    if data is not None:
        return OperationEffect(step, change_between(graph, after, data).log2_likelihood, size, free)
    bits = None
    if step.operation is Operation.MERGE:
        bits = -merge_score(graph, step.variable, step.node, step.other)
    elif step.operation is Operation.SPLIT:
        bits = 0.0
    return OperationEffect(step, bits, size, free)


def merges_of(
    graph: DecisionGraph, variable: str, node: int, counts: tuple[Floats, ...] | None
) -> list[OperationEffect]:
    """The effects of merging the node with each other of its variable, from the counts alone."""
    i, result = graph.domain.index(variable), []
    for other in range(graph.node_counts[i]):
        if other == node:
            continue
        step = CandidateOperation(Operation.MERGE, variable, node, other)
        refusal = _why_not_merged(graph, step)
        if refusal or counts is None:
            result.append(
                OperationEffect(step, refusal=refusal)
                if refusal
                else operation_effect(graph, step, None)
            )
            continue
        change = merge_change(graph, counts, variable, node, other)
        free = 1 - graph.domain.cardinalities[i]
        result.append(OperationEffect(step, change.log2_likelihood, change.effective_size, free))
    return result


def _why_not_merged(graph: DecisionGraph, step: CandidateOperation) -> str:
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


def redirections_to(graph: DecisionGraph, variable: str, node: int) -> Iterator[CandidateOperation]:
    """Redirections to this node of every edge that leads to another node of the variable."""
    edges = graph.successors[graph.domain.index(variable)]
    if edges is not None:
        for upper, state in np.argwhere(edges != node).tolist():
            yield CandidateOperation(Operation.REDIRECT, variable, node, upper=upper, state=state)


def redirections_from(
    graph: DecisionGraph, variable: str, node: int
) -> Iterator[CandidateOperation]:
    """Redirections of every edge that leaves the node to every other possible node."""
    i = graph.domain.index(variable)
    for below in graph.children[i]:
        edges = graph.successors[below]
        assert edges is not None
        for state, head in enumerate(edges[node].tolist()):
            for other in range(graph.node_counts[below]):
                if other != head:
                    yield CandidateOperation(
                        Operation.REDIRECT,
                        graph.domain.names[below],
                        other,
                        upper=node,
                        state=state,
                    )


def all_steps(graph: DecisionGraph) -> Iterator[CandidateOperation]:
    """All merges, splits and redirections."""
    for i, name in enumerate(graph.domain.names):
        for node in range(graph.node_counts[i]):
            edges = graph.successors[i]
            if edges is not None and int((edges == node).sum()) > 1:
                yield CandidateOperation(Operation.SPLIT, name, node)
            for other in range(node + 1, graph.node_counts[i]):
                yield CandidateOperation(Operation.MERGE, name, node, other)
            yield from redirections_to(graph, name, node)


def best_step(
    graph: DecisionGraph,
    data: DataSet,
    weight: ScoreWeight,
    check: Callable[[], None] = lambda: None,
) -> OperationEffect | None:
    """The operation that raises the score most; None if none does. Rows must be complete."""
    counts = node_counts(graph, data)
    best: OperationEffect | None = None
    highest = 1e-9
    for step in all_steps(graph):
        check()
        if step.operation is Operation.MERGE:
            if _why_not_merged(graph, step):
                continue
            change = merge_change(graph, counts, step.variable, step.node, step.other)
            free = 1 - graph.domain[step.variable].cardinality
            result = OperationEffect(step, change.log2_likelihood, change.effective_size, free)
        else:
            result = operation_effect(graph, step, data)
        score = result.score(weight)
        if score is not None and score > highest:
            best, highest = result, score
    return best
