"""Summing missing cells out of a Bayesian network, many rows at once.

Given a row's observed cells, its missing ones fall into parts that are independent of each other:
P(observed) = Π over tables without a missing variable · Π over parts of Σ over the part's states of
its tables. Parts are small and come back in row after row, so all rows with the same part are
summed together. Rows with so much missing that their parts are all different go through the clique
tree of the whole network instead, where that is cheaper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

# A part with at most this many joint states is listed; a larger one gets a clique tree.
LISTED_STATES = 512
CELLS_AT_ONCE = 1_000_000
# What was measured, to choose the cheaper way for each row: a table of a listed part, the clique
# tree of a larger one, and per row and cell the whole network's.
SECONDS_PER_TABLE, SECONDS_PER_TREE = 6e-5, 5e-3
SECONDS_PER_ROW, SECONDS_PER_CELL = 2e-5, 4e-9
SECONDS_PER_VARIABLE = 1e-2  # to triangulate the whole network; below that nothing can be saved


@dataclass(frozen=True, slots=True)
class Part:
    """Missing variables that hang together, and the variables whose tables they occur in."""

    missing: tuple[int, ...]
    tables: tuple[int, ...]


def _patterns(is_missing: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Per column, the number of its pattern, equal for equal columns.

    By machine words of 64 rows: numbers are sorted much faster than columns, and other threads can
    run meanwhile.
    """
    which = np.zeros(is_missing.shape[1], dtype=np.intp)
    for begin in range(0, is_missing.shape[0], 64):
        packed = np.zeros((which.size, 8), dtype=np.uint8)
        bits = np.packbits(is_missing[begin : begin + 64], axis=0)
        packed[:, : len(bits)] = bits.T
        word = np.unique(packed.view(np.uint64).ravel(), return_inverse=True)[1].ravel()
        both = which * (word.max(initial=0) + 1) + word
        which = np.unique(both, return_inverse=True)[1].ravel()
    return which


class MissingParts:
    """Incomplete rows over the domain of the network."""

    def __init__(self, network: BayesianNetwork, rows: DataSet) -> None:
        self._network = network
        self._codes = rows.codes
        self._cards = network.domain.cardinalities
        self._families = [(*p, c) for c, p in enumerate(network.dag.parent_indices)]
        self._is_missing = rows.codes == rows.missing_code
        # A missing variable all of whose descendants are missing sums to 1: its table is left out.
        self._is_barren = self._is_missing.copy()
        for v in reversed(network.dag.topological_order):
            for child in network.dag.child_indices[v]:
                self._is_barren[v] &= self._is_barren[child]

    def log2_probabilities(self) -> Floats:
        """log2 P(observed cells), one per row."""
        rows_by_part = self._rows_by_part()
        whole = self._better_whole(rows_by_part)
        result = np.zeros(self._codes.shape[1])
        for child, family in enumerate(self._families):
            rows = np.flatnonzero(~(whole | self._is_missing[list(family)].any(axis=0)))
            with np.errstate(divide="ignore"):
                cells = self._network.tables[child].ravel()[self._cells(family, rows)]
                result[rows] += np.log2(cells)
        for part, all_rows in rows_by_part.items():
            rows = all_rows[~whole[all_rows]]
            states = self._states(part)
            step = max(1, CELLS_AT_ONCE // states)
            if states > LISTED_STATES and rows.size:
                result[rows] += self._by_clique_tree(part, rows)
            elif states <= LISTED_STATES:
                for at in range(0, rows.size, step):
                    result[rows[at : at + step]] += self._by_listing(part, rows[at : at + step])
        if whole.any():
            result[whole] = self._by_whole_network(np.flatnonzero(whole))
        return result

    def _states(self, part: Part) -> int:
        return math.prod(self._cards[v] for v in part.missing)

    def _better_whole(self, rows_by_part: dict[Part, NDArray[np.intp]]) -> NDArray[np.bool_]:
        """Which rows are answered sooner by the clique tree of the whole network."""
        seconds = np.zeros(self._codes.shape[1])
        for part, rows in rows_by_part.items():
            listed = self._states(part) <= LISTED_STATES
            price = SECONDS_PER_TABLE * len(part.tables) if listed else SECONDS_PER_TREE
            seconds[rows] += price / rows.size
        if seconds.sum() < SECONDS_PER_VARIABLE * len(self._cards):
            return np.zeros(seconds.size, dtype=bool)
        cells = self._network.clique_tree.table_cells
        return seconds > SECONDS_PER_ROW + SECONDS_PER_CELL * cells

    def _by_whole_network(self, rows: NDArray[np.intp]) -> Floats:
        flow = Propagation(plan_of(self._network.clique_tree, self._network.factors))
        result = np.empty(rows.size)
        for index, row in enumerate(rows):
            flow.set_states(self._codes[:, row], self._is_missing[:, row])
            result[index] = flow.log2_evidence()
        return result

    def _cells(self, family: tuple[int, ...], rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Per row, the flat index into the family's table; missing variables count as state 0."""
        cells = np.zeros(rows.size, dtype=np.intp)
        for v in family:
            cells *= self._cards[v]
            cells += np.where(self._is_missing[v, rows], 0, self._codes[v, rows])
        return cells

    def _rows_by_part(self) -> dict[Part, NDArray[np.intp]]:
        which = _patterns(self._is_missing)
        order = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which))
        rows_of: dict[Part, list[NDArray[np.intp]]] = {}
        for begin, end in zip([0, *ends[:-1]], ends, strict=True):
            rows = order[begin:end]
            for part in self._parts_of(int(rows[0])):
                rows_of.setdefault(part, []).append(rows)
        return {part: np.concatenate(pieces) for part, pieces in rows_of.items()}

    def _parts_of(self, row: int) -> list[Part]:
        dag = self._network.dag
        barren = self._is_barren[:, row]
        free = set(np.flatnonzero(self._is_missing[:, row] & ~barren).tolist())
        parts = []
        while free:
            start = min(free)
            inside = {start}
            tables = set()
            stack = [start]
            while stack:
                v = stack.pop()
                for child in (v, *dag.child_indices[v]):
                    if not barren[child] and child not in tables:
                        tables.add(child)
                        more = free.intersection(self._families[child]) - inside
                        inside |= more
                        stack += more
            parts.append(Part(tuple(sorted(inside)), tuple(sorted(tables))))
            free -= inside
        return parts

    def _slices(self, part: Part, child: int, rows: NDArray[np.intp]) -> Floats:
        """The table of `child` at each row's observed states: rows × its missing variables."""
        family = self._families[child]
        cells = self._cells(family, rows)
        stride = 1
        strides = []
        for v in reversed(family):
            strides.append(stride)
            stride *= self._cards[v]
        for v, step in zip(family, reversed(strides), strict=True):
            if v in part.missing:
                cells = cells[..., None] + np.arange(self._cards[v]) * step
        return np.asarray(self._network.tables[child].ravel()[cells])

    def _by_listing(self, part: Part, rows: NDArray[np.intp]) -> Floats:
        shape = [self._cards[v] for v in part.missing]
        product = np.ones((rows.size, *shape))
        logs = np.zeros(rows.size)
        for child in part.tables:
            family = self._families[child]
            turned = [v for v in family if v in part.missing]
            values = self._slices(part, child, rows)
            order = np.argsort(turned)
            values = values.transpose(0, *(1 + order))
            product *= values.reshape(
                rows.size, *(self._cards[v] if v in turned else 1 for v in part.missing)
            )
            # Scaled every time, so that no number of tables makes it underflow.
            largest = product.reshape(rows.size, -1).max(axis=1)
            with np.errstate(divide="ignore"):
                logs += np.log2(largest)
            scale = np.where(largest > 0, largest, 1.0)
            product /= scale.reshape(-1, *[1] * len(shape))
        total = product.reshape(rows.size, -1).sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(logs + np.log2(total))

    def _by_clique_tree(self, part: Part, rows: NDArray[np.intp]) -> Floats:
        index = {v: i for i, v in enumerate(part.missing)}
        scopes = [
            tuple(index[v] for v in self._families[child] if v in index) for child in part.tables
        ]
        tree = clique_tree_of_scopes(scopes, [self._cards[v] for v in part.missing])
        check_budget(forecast(tree))
        slices = [self._slices(part, child, rows) for child in part.tables]
        first = [Factor(s, values[0]) for s, values in zip(scopes, slices, strict=True)]
        flow = Propagation(plan_of(tree, first))
        result = np.empty(rows.size)
        for row in range(rows.size):
            flow.set_factors([values[row] for values in slices])
            result[row] = flow.log2_evidence()
        return result


def incomplete_log2(network: BayesianNetwork, rows: DataSet) -> Floats:
    """log2 P(observed cells) of every row."""
    return MissingParts(network, rows).log2_probabilities()
