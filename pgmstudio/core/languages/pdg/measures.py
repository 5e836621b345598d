"""Measures of decision graphs for its operators: in-flows, counts, and changes in score.

Nielsen (2007), §4.5.1. All logarithms are binary; ΔL is in bits over all rows, with the parameters
of both graphs fitted to the rows by maximum likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.learning.smoothing import smoothed

Indices = NDArray[np.int64]
# Keeps unseen states possible after an edit.
SMOOTHING = 0.01


@dataclass(frozen=True, slots=True)
class Change:
    """ΔL in bits and Δsize_eff from one graph to another."""

    log2_likelihood: float
    effective_size: int

    def score(self, lambda_: float) -> float:
        """ΔS_λ = (1−λ)·ΔL − λ·Δsize (eq. 4.40)."""
        return (1 - lambda_) * self.log2_likelihood - lambda_ * self.effective_size


def in_flows(graph: DecisionGraph) -> tuple[Floats, ...]:
    """The probability that a row reaches each node, per variable (eq. 3.47 without evidence)."""
    flows: list[Floats] = [np.ones(1) for _ in graph.forest]
    for i in graph.order:
        above, edges = graph.forest[i], graph.successors[i]
        if above is not None and edges is not None:
            mass = flows[above][:, None] * graph.parameters[above]
            arriving = np.bincount(edges.ravel(), mass.ravel(), minlength=graph.node_counts[i])
            flows[i] = arriving.astype(np.float64)
    return tuple(flows)


def merge_score(graph: DecisionGraph, variable: str, a: int, b: int) -> float:
    """Σ ifl(ν)·D_KL(p^ν ‖ p^12) in bits: what merging loses per row (eq. 4.48)."""
    i = graph.domain.index(variable)
    flows, rows = in_flows(graph)[i][[a, b]], graph.parameters[i][[a, b]]
    together = merged_row(flows, rows)
    lost = 0.0
    for flow, row in zip(flows, rows, strict=True):
        seen = row > 0
        if flow > 0:
            lost += float(flow * (row[seen] @ np.log2(row[seen] / together[seen])))
    return lost


def merged_row(flows: Floats, rows: Floats) -> Floats:
    """p^12 = (ifl₁·p₁ + ifl₂·p₂)/(ifl₁ + ifl₂) (eq. 4.46); the mean where nothing flows."""
    total = flows.sum()
    return np.asarray(flows @ rows / total if total > 0 else rows.mean(axis=0))


def numbers_change(counts: Floats, before: Floats, after: Floats) -> float:
    """Σ N^ν_h·log2(q_h/p_h): ΔL of another distribution q in a node that counts come to.

    −∞ where rows that come would be impossible.
    """
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(counts[seen] @ (np.log2(after[seen]) - np.log2(before[seen])))


def node_counts(graph: DecisionGraph, data: DataSet) -> tuple[Floats, ...]:
    """N^ν_h: how many of the rows reach each node of a variable with each of its states."""
    data = data.for_model(graph.domain)
    reached = graph.reached_nodes(data)
    result = []
    for i, (count, card) in enumerate(
        zip(graph.node_counts, graph.domain.cardinalities, strict=True)
    ):
        keys = reached[i].astype(np.int64) * card + data.codes[i]
        counts = np.bincount(keys, data.weights, minlength=count * card)
        result.append(counts.astype(np.float64).reshape(count, card))
    return tuple(result)


def refitted(graph: DecisionGraph, data: DataSet, smoothing: float = 0.0) -> DecisionGraph:
    """The same nodes with p^ν_h = (N^ν_h + α)/(N^ν + α·k); uniform where no row comes (4.38)."""
    rows = tuple(smoothed(counts, smoothing) for counts in node_counts(graph, data))
    return DecisionGraph(graph.domain, graph.forest, rows, graph.successors)


def fitted_where_changed(
    before: DecisionGraph, after: DecisionGraph, data: DataSet
) -> DecisionGraph:
    """The later graph, with the parameters fitted of those nodes that other rows reach now.

    A node with the same counts and parameters as before keeps them: it was not edited. Counts
    alone are not enough: by a redirection a node can get exactly the counts another one had.
    """
    old, new = node_counts(before, data), node_counts(after, data)
    rows = []
    for i, counts in enumerate(new):
        known = set()
        if before.forest[i] == after.forest[i]:
            pairs = zip(old[i], before.parameters[i], strict=True)
            known = {(row.tobytes(), numbers.tobytes()) for row, numbers in pairs}
        mine = after.parameters[i].copy()
        for node, row in enumerate(counts):
            if (row.tobytes(), mine[node].tobytes()) not in known and row.sum() > 0:
                mine[node] = (row + SMOOTHING) / (row.sum() + SMOOTHING * row.size)
        rows.append(mine)
    return DecisionGraph(after.domain, after.forest, tuple(rows), after.successors)


def fitted_log2_likelihood(graph: DecisionGraph, data: DataSet) -> float:
    """L(D|M) = Σ N^ν_h log2(N^ν_h/N^ν), with the likeliest parameters (eqs. 4.37–4.39)."""
    return sum(counts_log2_likelihood(counts) for counts in node_counts(graph, data))


def counts_log2_likelihood(counts: Floats) -> float:
    """Σ N_h log2(N_h/N) over the rows of a table of counts."""
    totals = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)
    seen = counts > 0
    return float(counts[seen] @ np.log2(counts[seen] / totals[seen]))


def change_between(before: DecisionGraph, after: DecisionGraph, data: DataSet) -> Change:
    """The effect of an edit on these rows."""
    return Change(
        fitted_log2_likelihood(after, data) - fitted_log2_likelihood(before, data),
        after.effective_size() - before.effective_size(),
    )


def merge_change(
    graph: DecisionGraph, counts: tuple[Floats, ...], variable: str, a: int, b: int
) -> Change:
    """The effect of merging two nodes, from the counts alone: ΔL = −N·mergeScore."""
    i = graph.domain.index(variable)
    pair = counts[i][[a, b]]
    gained = counts_log2_likelihood(pair.sum(axis=0)) - counts_log2_likelihood(pair)
    return Change(gained, -node_cost(graph, variable))


def node_cost(graph: DecisionGraph, variable: str) -> int:
    """What one node of the variable adds to size_eff: k·max(1, |ch|)."""
    i = graph.domain.index(variable)
    return graph.domain.cardinalities[i] * max(1, len(graph.children[i]))
