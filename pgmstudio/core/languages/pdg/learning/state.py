"""The state of a decision graph search: nodes, edges, counts, and the node every row reaches.

Arrays are replaced, never written into, so that a copy of the lists is a copy of the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.pdg.candidate_operations import Operation
from pgmstudio.core.languages.pdg.model import DecisionGraph, minimal_graph
from pgmstudio.core.learning.smoothing import smoothed

Ints = NDArray[np.int32]
Forest = tuple[int | None, ...]

# n·log2 n is looked up for whole numbers below this.
_TABLE_SIZE = 1 << 17
# Redirecting needs log2 f of every node for every class of rows; larger tables are left out.
MAX_FITS = 1 << 26


class PdgRows:
    """Complete rows, equal ones once with their weights, in the form that the operators read."""

    def __init__(self, data: DataSet) -> None:
        merged = data.complete_rows().merged()
        assert merged.weights is not None
        self.domain = data.domain
        self.cards = data.domain.cardinalities
        self.codes = np.ascontiguousarray(merged.codes, dtype=np.uint16)
        self.weights: Floats = np.array(merged.weights)
        self.total = float(self.weights.sum())
        whole = np.arange(1, min(_TABLE_SIZE, int(self.total) + 2), dtype=np.float64)
        self.table: Floats = np.concatenate([[0.0], whole * np.log2(whole)])

    @property
    def row_count(self) -> int:
        return int(self.codes.shape[1])


def blocks_of(reached: Ints, nodes: int, codes: NDArray[np.uint16], card: int) -> tuple[Ints, int]:
    """The partition of the rows by node and state, its empty blocks left out, and their number."""
    keys = reached.astype(np.int64) * card + codes
    seen = np.bincount(keys, minlength=nodes * card) > 0
    number = np.cumsum(seen) - 1
    return number[keys].astype(np.int32), int(seen.sum())


class RowClasses:
    """For every variable of a forest, the rows that are equal in all that stands below it.

    f^ν depends on these alone, so it is computed once for each class (§4.5.1).
    """

    def __init__(self, rows: PdgRows, forest: Forest) -> None:
        self._rows = rows
        self._children = minimal_graph(rows.domain, forest).children
        self._by_variable: dict[int, tuple[Ints, Ints, Ints]] = {}
        self._states: dict[int, Ints] = {}
        self._below: dict[tuple[int, int], Ints] = {}

    def of(self, i: int) -> tuple[Ints, Ints, Ints]:
        """Class of every row, the rows class by class, and a row of each class."""
        if i not in self._by_variable:
            keys = [self._rows.codes[i].astype(np.int32)]
            counts, order = [self._rows.cards[i]], np.arange(keys[0].size, dtype=np.int32)
            for below in self._children[i]:
                classes, order, samples = self.of(below)
                keys.append(classes)
                counts.append(samples.size)
            self._by_variable[i] = _classes(keys, counts, order)
        return self._by_variable[i]

    def states(self, i: int) -> Ints:
        """The state of the variable in each of its classes."""
        if i not in self._states:
            self._states[i] = self._rows.codes[i][self.of(i)[2]].astype(np.int32)
        return self._states[i]

    def below(self, i: int, child: int) -> Ints:
        """Which class of a child each class of a variable is part of."""
        if (i, child) not in self._below:
            self._below[i, child] = self.of(child)[0][self.of(i)[2]]
        return self._below[i, child]


def _classes(keys: list[Ints], counts: list[int], order: Ints) -> tuple[Ints, Ints, Ints]:
    """The classes of rows equal in all keys, numbered by the first key, then the second, and so on;
    `order` lists the rows by the last of several keys, equal ones in their order."""
    from pgmstudio.core.languages.pdg.learning.kernels import sort_stably

    for key, count in reversed([*zip(keys, counts, strict=True)][: max(1, len(keys) - 1)]):
        sorted_ = np.empty_like(order)
        sort_stably(order, key, count, sorted_)
        order = sorted_
    is_first = np.zeros(order.size, dtype=bool)
    is_first[:1] = True
    for key in keys:
        along = key[order]
        is_first[1:] |= along[1:] != along[:-1]
    numbers = np.empty_like(order)
    numbers[order] = np.cumsum(is_first, dtype=np.int32) - 1
    return numbers, order, order[is_first]


@dataclass(frozen=True, eq=False)
class Batch:
    """The operations at one variable, in order: nodes split; pairs merged, the remaining node
    first; edges redirected, as upper node, state and new head."""

    operation: Operation
    variable: int
    targets: NDArray[np.signedinteger[Any]]


class PdgState:
    """The graph that LearnPDG works on; starts as the minimal one or a given one."""

    def __init__(
        self,
        rows: PdgRows,
        forest: Forest,
        *,
        by_parameters: bool = False,
        start: DecisionGraph | None = None,
        classes: RowClasses | None = None,
    ) -> None:
        begin = minimal_graph(rows.domain, forest) if start is None else start
        self.rows, self.forest = rows, forest
        self.children, self.order = begin.children, begin.order
        self.classes = RowClasses(rows, forest) if classes is None else classes
        branches = [1 if by_parameters else max(1, len(below)) for below in self.children]
        self.node_costs = tuple(k * b for k, b in zip(rows.cards, branches, strict=True))
        self.edges: list[Ints | None] = [
            None if edges is None else edges.astype(np.int32) for edges in begin.successors
        ]
        size = len(rows.cards)
        nothing: Any = None  # filled at once
        self.reached: list[Ints] = [nothing] * size
        self.counts: list[Floats] = [nothing] * size
        self.bits: list[Floats] = [nothing] * size
        self.is_changed: list[NDArray[np.bool_]] = [nothing] * size
        self.record: list[Batch] | None = None  # the operations, while stepping
        self._count_again(begin.node_counts)

    def copy(self) -> Self:
        """An independent copy of the state."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in ("edges", "reached", "counts", "bits", "is_changed"):
            setattr(twin, name, list(getattr(self, name)))
        return twin

    # -- record for stepping ----------------------------------------------------------------------

    def _record(
        self, operation: Operation, i: int, targets: NDArray[np.signedinteger[Any]]
    ) -> None:
        if self.record is not None and targets.size:
            self.record.append(Batch(operation, i, targets))

    # -- measures ---------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        return sum(bits.size for bits in self.bits)

    def log2_likelihood(self) -> float:
        """L(D|M) with the likeliest parameters."""
        return float(sum(bits.sum() for bits in self.bits))

    def size(self) -> int:
        """The size that the score weighs: size_eff, or the parameter count."""
        return sum(cost * bits.size for cost, bits in zip(self.node_costs, self.bits, strict=True))

    def score(self, lambda_: float) -> float:
        """S_λ = (1−λ)·L − λ·size (eq. 4.40)."""
        return (1 - lambda_) * self.log2_likelihood() - lambda_ * self.size()

    def graph(self) -> DecisionGraph:
        """The graph as a value, with the likeliest parameters."""
        parameters = tuple(smoothed(counts, 0.0) for counts in self.counts)
        edges = tuple(None if e is None else e.astype(np.int64) for e in self.edges)
        return DecisionGraph(self.rows.domain, self.forest, parameters, edges)

    # -- operators --------------------------------------------------------------------------------

    def split(self, lambda_: float, rng: np.random.Generator) -> int:
        """One traversal of splits from the roots down (Alg. 4.8); returns the number of nodes
        split."""
        from pgmstudio.core.languages.pdg.learning.kernels import split_nodes

        fraction = (1 - lambda_) / self.rows.total
        is_new = [np.zeros(bits.size, dtype=bool) for bits in self.bits]
        split = 0
        for i in self.order:
            above, edges = self.forest[i], self.edges[i]
            if above is None or edges is None:
                continue
            draws, edges = rng.random(self.bits[i].size), edges.copy()
            origins = np.empty(edges.size, dtype=np.int32)
            made = split_nodes(
                edges, self.counts[above], is_new[above], draws, fraction, self.rows.table, origins
            )
            if made:
                parts = np.unique(origins[:made])
                split += parts.size
                self._record(Operation.SPLIT, i, parts[:, None])
                is_new[i][parts] = True
                is_new[i] = np.concatenate([is_new[i], np.ones(made, dtype=bool)])
                self._add_nodes(i, edges, origins[:made], is_new[i])
        return split

    def _add_nodes(self, i: int, edges: Ints, origins: Ints, is_new: NDArray[np.bool_]) -> None:
        self.edges[i] = edges
        was = self.is_changed[i]
        self._walk(i, was.size + origins.size)
        self.is_changed[i] = np.concatenate([was, np.ones(origins.size, dtype=bool)]) | is_new
        for below in self.children[i]:
            mine = self.edges[below]
            assert mine is not None
            self.edges[below] = np.concatenate([mine, mine[origins]])

    def merge(self, limits: Sequence[float]) -> int:
        """Merge from the leaves up every pair that loses fewer bits than its variable's limit."""
        return sum(self.merge_nodes_of(i, limits[i]) for i in reversed(self.order))

    def merge_nodes_of(self, i: int, limit: float) -> int:
        """Merge nodes of one variable; pairs unchanged since the last call are skipped."""
        from pgmstudio.core.languages.pdg.learning.kernels import merge_nodes

        size = self.bits[i].size
        if size == 1 or not self.is_changed[i].any():
            return 0
        heads, home = self._heads(i), np.empty(size, np.int32)
        pairs = np.empty((size, 2), np.int32)
        counts, bits = self.counts[i].copy(), self.bits[i].copy()
        is_changed = self.is_changed[i].copy()
        table = self.rows.table
        made: int = merge_nodes(counts, bits, heads, is_changed, limit, table, home, pairs)
        if made:
            self._leave_out(i, home, counts, bits)
            self._record(Operation.MERGE, i, pairs[:made])
        self.is_changed[i] = np.zeros(self.bits[i].size, dtype=bool)
        return made

    def merge_at(self, lambda_: float, *, as_printed: bool = False) -> int:
        """Every merge that raises S_λ; `as_printed` leaves the factor N out, as Alg. 4.9 does."""
        return self.merge(self.merge_limits(lambda_, as_printed=as_printed))

    def merge_limits(self, lambda_: float, *, as_printed: bool = False) -> list[float]:
        """How many bits a merge may lose, per variable: (1−λ)·loss < λ·saving."""
        ratio = lambda_ / (1 - lambda_) if lambda_ < 1 else np.inf
        if as_printed:
            return [ratio * card * self.rows.total for card in self.rows.cards]
        return [ratio * cost for cost in self.node_costs]

    def _heads(self, i: int) -> Ints:
        """The successors of every node of a variable, side by side."""
        below = [e for c in self.children[i] if (e := self.edges[c]) is not None]
        if not below:
            return np.empty((self.bits[i].size, 0), dtype=np.int32)
        return np.ascontiguousarray(np.concatenate(below, axis=1))

    def _leave_out(self, i: int, home: Ints, counts: Floats, bits: Floats) -> None:
        representatives = np.flatnonzero(home == np.arange(home.size))
        number = np.empty(home.size, dtype=np.int32)
        number[representatives] = np.arange(representatives.size)
        number = number[home]
        edges, above = self.edges[i], self.forest[i]
        assert edges is not None
        assert above is not None
        self.is_changed[above] = self.is_changed[above] | (home[edges] != edges).any(axis=1)
        self.edges[i], self.reached[i] = number[edges], number[self.reached[i]]
        self.counts[i], self.bits[i] = counts[representatives], bits[representatives]
        for below in self.children[i]:
            mine = self.edges[below]
            assert mine is not None
            self.edges[below] = mine[representatives]

    def redirect(self) -> int:
        """Redirect every edge to the node that fits its rows best (Alg. 4.10); returns how many."""
        from pgmstudio.core.languages.pdg.learning.kernels import (
            add_child_fits,
            child_fits,
            redirect_edges,
        )

        redirected = 0
        fits: dict[int, NDArray[np.float32]] = {}
        too_large: set[int] = set()
        for i in reversed(self.order):
            above, edges, size = self.forest[i], self.edges[i], self.bits[i].size
            # A variable with one node fits the same whatever leads to it.
            split_below = [c for c in self.children[i] if self.bits[c].size > 1]
            if above is None or edges is None or size == 1:
                continue
            classes, order, samples = self.classes.of(i)
            if samples.size * size > MAX_FITS or too_large.intersection(split_below):
                too_large.add(i)
                continue
            states = self.classes.states(i)
            own = np.ascontiguousarray(self._log2_parameters(i).T, dtype=np.float32)
            result = np.empty((samples.size, size), dtype=np.float32)
            if not split_below:
                np.take(own, states, axis=0, out=result)
            for below in split_below:
                below_classes = self.classes.below(i, below)
                below_edges = self.edges[below]
                assert below_edges is not None
                by_state = np.ascontiguousarray(below_edges.T, dtype=np.uint32)
                if below == split_below[0]:
                    child_fits(result, own, states, below_classes, by_state, fits.pop(below))
                else:
                    add_child_fits(result, states, below_classes, by_state, fits.pop(below))
            fits[i] = result
            moved = edges.copy()
            redirected += redirect_edges(
                moved,
                self.reached[above],
                self.rows.codes[above],
                order,
                classes,
                self.rows.weights,
                result,
            )
            self.edges[i] = moved
            if self.record is not None:
                indices = np.argwhere(moved != edges)
                self._record(
                    Operation.REDIRECT, i, np.column_stack([indices, moved[moved != edges]])
                )
        if redirected:
            self._remove_orphans()
        return redirected

    def _log2_parameters(self, i: int) -> Floats:
        counts = self.counts[i]
        totals = counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log2(counts / totals)
        return np.asarray(np.where(totals > 0, logs, -np.log2(counts.shape[1])))

    def _remove_orphans(self) -> None:
        representatives: dict[int, NDArray[np.signedinteger[Any]]] = {}
        sizes = [1] * len(self.forest)
        for i in self.order:
            above, edges = self.forest[i], self.edges[i]
            if above is None or edges is None:
                representatives[i] = np.zeros(1, dtype=np.intp)
                continue
            mine = edges[representatives[above]]
            representatives[i], numbers = np.unique(mine, return_inverse=True)
            self.edges[i] = numbers.reshape(mine.shape).astype(np.int32)
            sizes[i] = representatives[i].size
        self._count_again(sizes)

    # -- rows -------------------------------------------------------------------------------------

    def _count_again(self, sizes: Sequence[int]) -> None:
        for i in self.order:
            self._walk(i, sizes[i])
            self.is_changed[i] = np.ones(sizes[i], dtype=bool)

    def _walk(self, i: int, size: int) -> None:
        """Which node of the variable the rows reach, and the counts of its nodes."""
        from pgmstudio.core.languages.pdg.learning.kernels import count, node_bits, walk

        above, edges = self.forest[i], self.edges[i]
        reached = np.zeros(self.rows.row_count, dtype=np.int32)
        if above is not None and edges is not None:
            walk(edges, self.reached[above], self.rows.codes[above], reached)
        counts, bits = np.zeros((size, self.rows.cards[i])), np.empty(size)
        count(reached, self.rows.codes[i], self.rows.weights, counts)
        node_bits(counts, self.rows.table, bits)
        self.reached[i], self.counts[i], self.bits[i] = reached, counts, bits
