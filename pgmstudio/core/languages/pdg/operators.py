"""Operators on decision graphs: split, merge, redirect, move, set a distribution.

Nielsen (2007), §4.5.1, Algorithms 4.8–4.10. Each returns a new graph or raises a
GraphError with the reason. Nodes that no edge leads to any more are removed; the others keep their
order, and new ones come last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.pdg.measures import in_flows, merged_row, refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph, minimal_graph, without_unreachable

Indices = NDArray[np.int64]


def merged(graph: DecisionGraph, variable: str, a: int, b: int) -> DecisionGraph:
    """The graph with two nodes merged into the first; its distribution is their mean by in-flow.

    Only nodes whose edges lead to the same nodes can be merged.
    """
    i = _variable(graph, variable, a, b)
    if a == b:
        raise GraphError(f"Choose two different nodes of {variable} to merge.")
    for below in graph.children[i]:
        edges = graph.successors[below]
        assert edges is not None
        if (edges[a] != edges[b]).any():
            state = graph.domain[variable].states[int(np.argmax(edges[a] != edges[b]))]
            raise GraphError(
                f"These nodes of {variable} cannot be merged: for {state} they lead to "
                f"different nodes of {graph.domain.names[below]}. Merge or redirect those first."
            )
    low, high = sorted((a, b))
    parameters, successors = list(graph.parameters), list(graph.successors)
    rows = graph.parameters[i].copy()
    rows[low] = merged_row(in_flows(graph)[i][[a, b]], graph.parameters[i][[a, b]])
    rows[low] /= rows[low].sum()
    parameters[i] = np.delete(rows, high, axis=0)
    for below in graph.children[i]:
        successors[below] = np.delete(_edges(graph, below), high, axis=0)
    edges = _edges(graph, i).copy()  # a root has one node and was refused above
    edges[edges == high] = low
    successors[i] = edges - (edges > high)
    return DecisionGraph(graph.domain, graph.forest, tuple(parameters), tuple(successors))


def split(graph: DecisionGraph, variable: str, node: int) -> DecisionGraph:
    """A node for each edge that leads to this one, all with its distribution and its successors.

    The first edge keeps the node's number.
    """
    i = _variable(graph, variable, node)
    if graph.forest[i] is None:
        raise GraphError(f"{variable} is a root, and a root has one node.")
    edges = _edges(graph, i).copy()
    arriving = np.flatnonzero(edges.ravel() == node)
    if arriving.size < 2:
        raise GraphError(f"Only one edge leads to this node of {variable}, so it cannot be split.")
    count, more = graph.node_counts[i], arriving.size - 1
    edges.ravel()[arriving[1:]] = np.arange(count, count + more)
    parameters, successors = list(graph.parameters), list(graph.successors)
    successors[i] = edges
    parameters[i] = np.vstack([parameters[i], np.repeat(parameters[i][[node]], more, axis=0)])
    for below in graph.children[i]:
        mine = _edges(graph, below)
        successors[below] = np.vstack([mine, np.repeat(mine[[node]], more, axis=0)])
    return DecisionGraph(graph.domain, graph.forest, tuple(parameters), tuple(successors))


def redirected(
    graph: DecisionGraph, variable: str, upper: int, state: int, node: int
) -> DecisionGraph:
    """The edge of a state of an upper node leads to another node of `variable`."""
    i = _variable(graph, variable, node)
    above = graph.forest[i]
    if above is None:
        raise GraphError(f"{variable} is a root, so no edge leads to it.")
    name = graph.domain.names[above]
    _variable(graph, name, upper)
    if not 0 <= state < graph.domain.cardinalities[above]:
        raise GraphError(f"{name} has no state number {state + 1}.")
    edges = _edges(graph, i).copy()
    if edges[upper, state] == node:
        raise GraphError(f"That edge leads to this node of {variable} already.")
    edges[upper, state] = node
    successors = list(graph.successors)
    successors[i] = edges
    return without_unreachable(
        graph.domain, graph.forest, graph.parameters, tuple(successors), graph.order
    )


def with_parameters(
    graph: DecisionGraph, variable: str, node: int, numbers: ArrayLike
) -> DecisionGraph:
    """The graph with another distribution in one node."""
    i = _variable(graph, variable, node)
    row = np.asarray(numbers, dtype=np.float64)
    if row.shape != (graph.domain.cardinalities[i],):
        raise GraphError(f"A node of {variable} needs {graph.domain.cardinalities[i]} numbers.")
    parameters = list(graph.parameters)
    parameters[i] = parameters[i].copy()
    parameters[i][node] = row
    return DecisionGraph(graph.domain, graph.forest, tuple(parameters), graph.successors)


@dataclass(frozen=True)
class Moved:
    """A graph whose forest was changed; `is_exact` when its distribution is the same as before."""

    graph: DecisionGraph
    is_exact: bool


def moved(
    graph: DecisionGraph, variable: str, above: str | None, data: DataSet | None = None
) -> Moved:
    """The variable, with all that stands below it, below another one, or as a root.

    Exact where the new position determines the node that follows: always downwards, where the
    nodes on the way are duplicated as needed. Elsewhere the edges lead to the nodes that fit the
    rows of `data` best, and the parameters are fitted to them; this needs data.
    """
    i = graph.domain.index(variable)
    target = None if above is None else graph.domain.index(above)
    if target == graph.forest[i]:
        position = "a root" if above is None else f"below {above}"
        raise GraphError(f"{variable} is {position} already.")
    if target is not None and target in _subtree(graph, i):
        raise GraphError(f"{above} is {variable} or stands below it, so it cannot come above it.")
    exact = _moved_exactly(graph, i, target)
    if exact is not None:
        return Moved(exact, is_exact=True)
    if data is None:
        raise GraphError(
            f"The new position does not determine the node of {variable}, so it has to be fitted "
            "to data. Open a data set first."
        )
    return Moved(_moved_and_fitted(graph, i, target, data.for_model(graph.domain)), is_exact=False)


def idle_as_roots(graph: DecisionGraph) -> DecisionGraph:
    """Variables with one node as roots: the same distribution, at no larger size."""
    idle = [count == 1 for count in graph.node_counts]
    forest = tuple(None if i else above for i, above in zip(idle, graph.forest, strict=True))
    edges = tuple(None if i else e for i, e in zip(idle, graph.successors, strict=True))
    return DecisionGraph(graph.domain, forest, graph.parameters, edges)


def _moved_exactly(graph: DecisionGraph, i: int, target: int | None) -> DecisionGraph | None:
    """Move up as far as needed, then down; None if moving up would change the distribution."""
    meeting = None
    if target is not None:
        line = _line(graph, target)
        meeting = next((a for a in _line(graph, i)[1:] if a in line), None)
    lifted = _lifted(graph, i, meeting)
    if lifted is None or target is None or target == meeting:
        return lifted
    if meeting is None:  # another tree, and there is one node to lead to
        return _attached(
            lifted, i, target, np.zeros(lifted.parameters[target].shape, dtype=np.int64)
        )
    return _lowered(lifted, i, target)


def _lifted(graph: DecisionGraph, i: int, meeting: int | None) -> DecisionGraph | None:
    """Below an ancestor, or a root: when every edge from there comes to one node whatever lies
    between."""
    if graph.forest[i] == meeting:
        return graph
    if meeting is None:
        return _attached(graph, i, None, None) if graph.node_counts[i] == 1 else None
    way = _line(graph, i)[: _line(graph, i).index(meeting)][::-1]  # from below the ancestor to i
    # The node of i that each node on the way comes to; −1 where it is not only one.
    comes_to = np.arange(graph.node_counts[i])
    for step in reversed(range(1, len(way))):
        ends = comes_to[_edges(graph, way[step])]
        comes_to = np.where((ends == ends[:, :1]).all(axis=1), ends[:, 0], -1)
    edges = comes_to[_edges(graph, way[0])]
    return None if (edges < 0).any() else _attached(graph, i, meeting, edges)


def _lowered(graph: DecisionGraph, i: int, target: int) -> DecisionGraph:
    """Below a variable further down: nodes on the way are duplicated by the node of i to come."""
    start = graph.forest[i]
    assert start is not None
    line = _line(graph, target)
    way = line[: line.index(start)][::-1]
    parameters, successors = list(graph.parameters), list(graph.successors)
    bound = _edges(graph, i)  # by node and state of the variable above the way
    old = np.arange(graph.node_counts[start])  # which node each of the variable before was
    below_way = {*way, i}
    for step in way:
        pairs = np.stack([_edges(graph, step)[old], bound], axis=-1)
        result, numbers = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
        successors[step] = numbers.reshape(pairs.shape[:2])
        old, coming = result[:, 0], result[:, 1]
        parameters[step] = graph.parameters[step][old]
        for below in graph.children[step]:
            if below not in below_way:
                successors[below] = _edges(graph, below)[old]
        bound = np.repeat(coming[:, None], graph.domain.cardinalities[step], axis=1)
    forest = list(graph.forest)
    forest[i], successors[i] = target, bound
    return DecisionGraph(graph.domain, tuple(forest), tuple(parameters), tuple(successors))


def _moved_and_fitted(
    graph: DecisionGraph, i: int, target: int | None, data: DataSet
) -> DecisionGraph:
    if target is None:  # a root has one node: the one most rows reach
        reached = np.bincount(graph.reached_nodes(data)[i], data.weights)
        return refitted(_rooted_at(graph, i, int(reached.argmax())), data)
    free = _rooted_at(graph, i, 0)
    states = graph.domain.cardinalities[target]
    keys = free.reached_nodes(data)[target].astype(np.int64) * states + data.codes[target]
    fits = _fits(graph, i, data)
    weights = data.row_weights
    worth = np.zeros((free.node_counts[target] * states, graph.node_counts[i]))
    np.add.at(worth, keys, weights[:, None] * np.maximum(fits, -1e4))  # impossible, but summable
    edges = worth.argmax(axis=1).reshape(-1, states)
    return refitted(_attached(graph, i, target, edges), data)


def _rooted_at(graph: DecisionGraph, i: int, node: int) -> DecisionGraph:
    parameters = list(graph.parameters)
    parameters[i] = parameters[i][[node]]
    successors = list(graph.successors)
    for below in graph.children[i]:
        successors[below] = _edges(graph, below)[[node]]
    forest = list(graph.forest)
    forest[i], successors[i] = None, None
    return _reachable(graph, tuple(forest), parameters, successors)


def _fits(graph: DecisionGraph, i: int, data: DataSet) -> Floats:
    """log2 f^ν(row) for every row and every node ν of the variable (eq. 4.49)."""
    with np.errstate(divide="ignore"):
        fits = np.log2(graph.parameters[i])[:, data.codes[i]].T
    for below in graph.children[i]:
        heads = _edges(graph, below)[:, data.codes[i]].T
        fits = fits + np.take_along_axis(_fits(graph, below, data), heads, axis=1)
    return np.asarray(fits)


def _attached(
    graph: DecisionGraph, i: int, target: int | None, edges: Indices | None
) -> DecisionGraph:
    forest, successors = list(graph.forest), list(graph.successors)
    forest[i], successors[i] = target, edges
    return _reachable(graph, tuple(forest), list(graph.parameters), successors)


def _reachable(
    graph: DecisionGraph,
    forest: tuple[int | None, ...],
    parameters: list[Floats],
    successors: list[Indices | None],
) -> DecisionGraph:
    order = minimal_graph(graph.domain, forest).order
    return without_unreachable(graph.domain, forest, tuple(parameters), tuple(successors), order)


def _subtree(graph: DecisionGraph, i: int) -> set[int]:
    result, waiting = {i}, [i]
    while waiting:
        below = graph.children[waiting.pop()]
        result.update(below)
        waiting.extend(below)
    return result


def _line(graph: DecisionGraph, i: int) -> list[int]:
    """The variable and all above it, upwards."""
    line = [i]
    while (above := graph.forest[line[-1]]) is not None:
        line.append(above)
    return line


def _edges(graph: DecisionGraph, i: int) -> Indices:
    edges = graph.successors[i]
    assert edges is not None
    return edges


def _variable(graph: DecisionGraph, name: str, *nodes: int) -> int:
    i = graph.domain.index(name)
    for node in nodes:
        if not 0 <= node < graph.node_counts[i]:
            raise GraphError(f"{name} has no node {node + 1}; it has {graph.node_counts[i]}.")
    return i
