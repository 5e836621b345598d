"""Probabilistic decision graphs: a joint distribution as a walk through parameter nodes.

A forest over the variables gives the order of decisions; each variable X_i is expanded into
nodes V_i, each with a distribution over its states, and an edge for every state of a node leads to
one node of every variable below (Jaeger 2004; Nielsen 2007, Defs. 3.13–3.16). A row reaches exactly
one node of every variable, and P(x) = Π_i p^reach(i,x)_x[i] (Prop. 3.4). Rows with missing cells
take an out-flow pass each, over the graph as flat arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, GraphError
from pgmstudio.core.model import SealedFields

Indices = NDArray[np.int64]

# The numbers of a node may miss 1 by so much; readers of files normalise what they read.
_SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class DecisionGraph(SealedFields):
    """A probabilistic decision graph; `forest[i]` is the variable above X_i, or None.

    `parameters[i]` holds a row per node of X_i: the distribution over its states. `successors[i]`
    gives for every node of the variable above (row) and each of its states (column) the node of
    X_i that comes next; a root has None and one node.
    """

    domain: Domain
    forest: tuple[int | None, ...]
    parameters: tuple[Floats, ...]
    successors: tuple[Indices | None, ...]

    kind = "pdg"

    def __post_init__(self) -> None:
        counts = {len(self.domain), len(self.forest), len(self.parameters), len(self.successors)}
        if len(counts) != 1:
            raise GraphError(
                "A decision graph needs a forest entry, nodes and successors for each of "
                f"its {len(self.domain)} variables."
            )
        _ = self.order  # refuses cycles
        object.__setattr__(
            self, "parameters", tuple(self._checked_nodes(i) for i in range(len(self.domain)))
        )
        object.__setattr__(
            self, "successors", tuple(self._checked_edges(i) for i in range(len(self.domain)))
        )

    def _checked_nodes(self, i: int) -> Floats:
        name, card = self.domain.names[i], self.domain.cardinalities[i]
        rows = np.array(self.parameters[i], dtype=np.float64, order="C")
        if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] != card:
            raise GraphError(f"{name} needs at least one node, each with {card} numbers.")
        if not (np.isfinite(rows).all() and (rows >= 0).all()):
            raise GraphError(f"A node of {name} contains a number that is not a probability.")
        off = np.abs(rows.sum(axis=1) - 1)
        if off.max() > _SUM_TOLERANCE:
            raise GraphError(
                f"The numbers of node {int(off.argmax()) + 1} of {name} do not sum to 1; "
                "normalise them."
            )
        if self.forest[i] is None and rows.shape[0] != 1:
            raise GraphError(f"{name} is a root and has {rows.shape[0]} nodes; a root has one.")
        rows.flags.writeable = False
        return rows

    def _checked_edges(self, i: int) -> Indices | None:
        name, above, given = self.domain.names[i], self.forest[i], self.successors[i]
        if above is None:
            if given is not None:
                raise GraphError(f"{name} is a root, so no edges lead to it.")
            return None
        upper = self.domain.names[above]
        shape = self.parameters[above].shape
        if given is None or np.shape(given) != shape:
            raise GraphError(
                f"Every state of every node of {upper} needs one edge to a node of {name}."
            )
        edges = np.array(given, dtype=np.int64, order="C")
        count = self.parameters[i].shape[0]
        if edges.min() < 0 or edges.max() >= count:
            raise GraphError(f"An edge from {upper} leads to a node that {name} does not have.")
        lost = np.flatnonzero(np.bincount(edges.ravel(), minlength=count) == 0)
        if lost.size:
            raise GraphError(f"No edge leads to node {int(lost[0]) + 1} of {name}; remove it.")
        edges.flags.writeable = False
        return edges

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """ch_F(X_i): the variables right below, in the order of the domain."""
        result: list[list[int]] = [[] for _ in self.forest]
        for i, above in enumerate(self.forest):
            if above is not None:
                result[above].append(i)
        return tuple(tuple(below) for below in result)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The variables, each after the one above it, a whole tree at a time."""
        size = len(self.forest)
        if any(above is not None and not 0 <= above < size for above in self.forest):
            raise GraphError("A variable of the forest stands below one that does not exist.")
        result: list[int] = []
        waiting = [i for i in reversed(range(size)) if self.forest[i] is None]
        while waiting:
            result.append(waiting.pop())
            waiting.extend(reversed(self.children[result[-1]]))
        if len(result) != size:
            stuck = next(i for i in range(size) if i not in set(result))
            raise GraphError(
                f"{self.domain.names[stuck]} stands above itself in the forest of variables."
            )
        return tuple(result)

    @property
    def roots(self) -> tuple[int, ...]:
        return tuple(i for i, above in enumerate(self.forest) if above is None)

    @cached_property
    def node_counts(self) -> tuple[int, ...]:
        """|V_i| of every variable."""
        return tuple(rows.shape[0] for rows in self.parameters)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The edges of the forest of variables."""
        names = self.domain.names
        return tuple((names[p], names[i]) for i, p in enumerate(self.forest) if p is not None)

    def effective_size(self) -> int:
        """Σ_i |R(X_i)| · |V_i| · max(1, |ch_F(X_i)|) (eqs. 3.48, 3.52): the cost of a pass."""
        return sum(
            rows.size * max(1, len(below))
            for rows, below in zip(self.parameters, self.children, strict=True)
        )

    def representation_size(self) -> int:
        """Σ_i (|R(X_i)| − 1) · |V_i| (eq. 3.53): free parameters."""
        return sum(rows.shape[0] * (rows.shape[1] - 1) for rows in self.parameters)

    def parameter_size(self) -> int:
        """Σ_i |R(X_i)| · |V_i|: the size of Jaeger et al. 2006."""
        return sum(rows.size for rows in self.parameters)

    def reached_nodes(self, data: DataSet) -> NDArray[np.int32]:
        """Which node of each variable a complete row reaches, variables × rows."""
        data = data.for_model(self.domain)
        if data.has_missing:
            raise DataError(
                "A row with missing cells reaches no single node; sum the cells out, or fill them."
            )
        return self._reached(data)

    def _reached(self, data: DataSet) -> NDArray[np.int32]:
        result = np.zeros(data.codes.shape, dtype=np.int32)
        for i in self.order:
            above, edges = self.forest[i], self.successors[i]
            if above is not None and edges is not None:
                result[i] = edges[result[above], data.codes[above]]
        return result

    def log2_probabilities(self, data: DataSet) -> Floats:
        """log2 P(row) = Σ_i log2 p^reach(i,x)_x[i] (eq. 3.28), missing cells summed out; −inf for
        impossible rows."""
        data = data.for_model(self.domain)
        is_whole = ~(data.codes == data.missing_code).any(axis=0)
        if is_whole.all():
            return self._log2_of_whole(data)

        total = np.empty(data.row_count)
        total[is_whole] = self._log2_of_whole(data.take_rows(is_whole))
        total[~is_whole] = log2_of_incomplete(self, data.take_rows(~is_whole))
        return total

    def _log2_of_whole(self, data: DataSet) -> Floats:
        reached, total = self._reached(data), np.zeros(data.row_count)
        for i, rows in enumerate(self.parameters):
            with np.errstate(divide="ignore"):
                total += np.log2(rows)[reached[i], data.codes[i]]
        return total

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        """Independent rows: a walk from the roots that draws the state at each node reached."""
        codes = np.zeros((len(self.domain), count), dtype=code_dtype(self.domain))
        reached = np.zeros(codes.shape, dtype=np.int64)
        for i in self.order:
            above, edges = self.forest[i], self.successors[i]
            if above is not None and edges is not None:
                reached[i] = edges[reached[above], codes[above]]
            sums = self.parameters[i].cumsum(axis=1)
            draws = rng.random(count) * sums[reached[i], -1]
            below = draws[:, None] >= sums[reached[i], :-1]
            codes[i] = below.sum(axis=1)
        return DataSet(self.domain, codes)


def minimal_graph(domain: Domain, forest: tuple[int | None, ...]) -> DecisionGraph:
    """One uniform node for every variable: all are independent (the start of LearnPDG)."""
    parameters = tuple(np.full((1, card), 1 / card) for card in domain.cardinalities)
    successors = tuple(
        None if above is None else np.zeros((1, domain.cardinalities[above]), dtype=np.int64)
        for above in forest
    )
    return DecisionGraph(domain, forest, parameters, successors)


def without_unreachable(
    domain: Domain,
    forest: tuple[int | None, ...],
    parameters: tuple[Floats, ...],
    successors: tuple[Indices | None, ...],
    order: tuple[int, ...],
) -> DecisionGraph:
    """The graph without the nodes that no edge leads to any more; the others keep their order."""
    reachable: dict[int, Indices] = {}
    rows, edges = list(parameters), list(successors)
    for i in order:
        above, given = forest[i], successors[i]
        if above is None or given is None:
            reachable[i] = np.arange(parameters[i].shape[0])
            continue
        mine = given[reachable[above]]
        reachable[i], numbers = np.unique(mine, return_inverse=True)
        edges[i] = numbers.reshape(mine.shape)
        rows[i] = parameters[i][reachable[i]]
    return DecisionGraph(domain, forest, tuple(rows), tuple(edges))


class GraphArrays(NamedTuple):
    """All nodes in a row, those of a variable together; all parameters in a row, a slot each.

    The node `n` of variable `i` has the slots from `slot_at[i] + (n − node_at[i]) · cards[i]` on.
    The edge of slot `s` of variable `j` into the variable `i` below leads to the node
    `heads[head_at[i] + s − slot_at[j]]`. `order` lists a variable before those below it, which are
    `below[below_at[j]:below_at[j + 1]]`; `above` is −1 at a root.
    """

    cards: Indices
    state_at: Indices
    order: Indices
    above: Indices
    below: Indices
    below_at: Indices
    node_at: Indices
    slot_at: Indices
    head_at: Indices
    heads: Indices
    parameters: Floats


def arrays_of(graph: DecisionGraph) -> GraphArrays:
    """The graph as flat arrays; cheap compared with a pass over it."""
    cards = np.array(graph.domain.cardinalities, dtype=np.int64)
    counts = np.array(graph.node_counts, dtype=np.int64)
    node_at = _starts(counts)
    edges = [
        np.zeros(0, np.int64) if heads is None else heads.ravel() + node_at[i]
        for i, heads in enumerate(graph.successors)
    ]
    rows = [rows.ravel() for rows in graph.parameters]
    return GraphArrays(
        cards,
        _starts(cards),
        np.array(graph.order, dtype=np.int64),
        np.array([-1 if p is None else p for p in graph.forest], dtype=np.int64),
        np.array([i for below in graph.children for i in below], dtype=np.int64),
        _starts(np.array([len(below) for below in graph.children], dtype=np.int64)),
        node_at,
        _starts(counts * cards),
        _starts(np.array([one.size for one in edges], dtype=np.int64)),
        np.concatenate(edges) if edges else np.zeros(0, np.int64),
        np.concatenate(rows) if rows else np.zeros(0),
    )


def _starts(counts: Indices) -> Indices:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def log2_of_incomplete(graph: DecisionGraph, rows: DataSet) -> Floats:
    """log2 P(observed cells) of every row; equal rows are computed once."""
    from pgmstudio.core.languages.pdg.kernels import row_flows

    a = arrays_of(graph)
    codes, which = np.unique(rows.codes, axis=1, return_inverse=True)
    logs = np.empty(codes.shape[1])
    nodes, slots = int(a.node_at[-1]), a.parameters.size
    row_flows(
        np.ascontiguousarray(codes),
        rows.missing_code,
        a,
        np.empty(int(a.state_at[-1])),
        np.empty(slots),
        np.empty(slots, np.int64),
        np.empty(nodes),
        np.empty(nodes, np.int64),
        logs,
    )
    return np.asarray(logs[which.ravel()])
