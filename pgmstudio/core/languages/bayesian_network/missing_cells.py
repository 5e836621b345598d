"""Summing missing cells out of a Bayesian network, many rows at once.

Given a row's observed cells, its missing ones fall into parts that are independent of each other:
P(observed) = Π over tables without a missing variable · Π over parts of Σ over the part's states of
its tables. Parts are small and occur in many rows; the distinct ones, the cases, do not depend on
the numbers in the tables and are computed once. All joint states of a part are listed
(missing_cells_loops.py); a row with a part too large for that goes through the junction tree of
the whole network, or through one of what it lacks.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import Codes, DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of
from pgmstudio.core.inference.base import observed_cells
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.query import FactorQuery
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.bayesian_network import missing_cells_loops
from pgmstudio.core.languages.bayesian_network.missing_cells_loops import Listed, Walk
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

Counts = Floats
Ints = NDArray[np.int64]
Table = Floats

# Measured: one state of one table in a listed part; a row through the clique tree, and a cell.
SECONDS_PER_LISTED = 4e-9
SECONDS_PER_ROW, SECONDS_PER_CELL = 6e-5, 8e-9
MAX_LISTED = 10_000_000  # states × tables of one part: 80 MB
# Seconds that one compiled call may take, so that a stop acts soon.
SECONDS_PER_CALL = 0.05
ROWS_PER_CALL = 20_000
# A query about the missing cells of one row alone.
SECONDS_PER_QUERY = 5e-3
# So many steps of the loops take about as long as loading the compiler.
MAX_PLAIN_WORK = 150_000


def loops_for(work: int) -> Any:
    """The compiled loops, or the plain ones for little work in a fresh process."""
    if "numba" not in sys.modules and work <= MAX_PLAIN_WORK:
        return missing_cells_loops
    from pgmstudio.core.languages.bayesian_network import missing_cells_kernels

    return missing_cells_kernels


@dataclass(frozen=True, eq=False)
class Layout:
    """A graph as the arrays that the compiled loops walk; tables follow each other in one array."""

    dag: Dag
    cards: Ints
    order: Ints
    member_at: Ints
    members: Ints
    child_at: Ints
    children: Ints
    table_from: Ints

    @classmethod
    def of(cls, dag: Dag, cardinalities: Sequence[int]) -> Layout:
        families = [(*parents, child) for child, parents in enumerate(dag.parent_indices)]
        cells = [math.prod(cardinalities[v] for v in family) for family in families]
        return cls(
            dag,
            np.array(cardinalities, dtype=np.int64),
            np.array(dag.topological_order, dtype=np.int64),
            _ends([len(family) for family in families]),
            _concatenated(families),
            _ends([len(children) for children in dag.child_indices]),
            _concatenated(dag.child_indices),
            _ends(cells),
        )

    @property
    def walk(self) -> Walk:
        """The arrays of a walk over a row."""
        return Walk(
            self.cards, self.order, self.member_at, self.members, self.child_at, self.children
        )

    @cached_property
    def tree(self) -> CliqueTree:
        """The junction tree of the graph."""
        return clique_tree_of(self.dag.parent_indices, self.cards.tolist())

    def family(self, child: int) -> tuple[int, ...]:
        return (*self.dag.parent_indices[child], child)

    def flat(self, tables: Sequence[Table]) -> Table:
        return np.concatenate([np.zeros(0), *(table.ravel() for table in tables)])

    def shaped(self, flat: Counts) -> tuple[Counts, ...]:
        return tuple(
            flat[self.table_from[c] : self.table_from[c + 1]].reshape(
                tuple(int(self.cards[v]) for v in self.family(c))
            )
            for c in range(len(self.cards))
        )


@dataclass(frozen=True, eq=False)
class Cases:
    """Distinct parts of missing cells with what is observed around them."""

    weights: Counts
    arrays: Listed
    states: Ints  # joint states, per case

    @cached_property
    def listed(self) -> Ints:
        """States × tables, per case: its cost and its memory."""
        return self.states * np.diff(self.arrays.table_at)

    @cached_property
    def chunks(self) -> list[tuple[int, int]]:
        """Cases to be done by one call each."""
        work = np.cumsum(self.listed) * SECONDS_PER_LISTED // SECONDS_PER_CALL
        ends = [*(np.flatnonzero(np.diff(work)) + 1).tolist(), self.weights.size]
        return [(a, b) for a, b in zip([0, *ends], ends, strict=False) if b > a]

    def workspace(self) -> tuple[Table, Ints]:
        """Buffers for the products of one case and for the cells they came from."""
        return (
            np.empty(int(self.states.max(initial=1))),
            np.empty(int(self.listed.max(initial=1)), dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class Parts:
    """The incomplete rows that are distinct, and the parts of each.

    With `prunes`, cells without information are left out. Rows in `whole` have a part too
    large to be listed; their parts are none of the cases.
    """

    layout: Layout
    rows: DataSet
    by_row: Codes  # rows × variables
    row_of: Ints  # per part
    case_of: Ints  # per part
    cases: Cases
    whole: Ints

    @classmethod
    def of(
        cls, layout: Layout, rows: DataSet, *, prunes: bool, cancel: CancelToken = NEVER
    ) -> Parts:
        missing = rows.missing_code
        by_row = np.ascontiguousarray(rows.codes.T)
        most = sum(rows.missing_counts)
        loops = loops_for(rows.codes.size + 10 * most)
        keys = np.empty((most, 2), dtype=np.uint64)
        indices = np.empty((most, 4), dtype=np.int64)
        sizes = np.empty(most)
        result = 0
        for begin in range(0, rows.row_count, ROWS_PER_CALL):
            cancel.raise_if_cancelled()
            end = min(begin + ROWS_PER_CALL, rows.row_count)
            hashes = _code_hashes(layout)
            index = (begin, end, result, keys, indices, sizes)
            with np.errstate(over="ignore"):  # sums of hashes
                result = loops.find_parts(by_row, missing, layout.walk, prunes, hashes, *index)
        keys, indices, sizes = keys[:result], indices[:result], sizes[:result]
        listed = sizes * indices[:, 3]
        is_large = _too_large(layout, listed)
        whole = np.unique(indices[is_large, 0])
        kept = ~np.isin(indices[:, 0], whole)
        first, case_of = _distinct(keys[kept])
        chosen = np.ascontiguousarray(indices[kept][first])
        var_at, table_at = _ends(chosen[:, 2]), _ends(chosen[:, 3])
        stride_at = _ends(chosen[:, 2] * chosen[:, 3])
        laid_out = Listed(
            var_at,
            table_at,
            stride_at,
            variables=np.zeros(var_at[-1], dtype=np.int64),
            cells=np.zeros(table_at[-1], dtype=np.int64),
            strides=np.zeros(stride_at[-1], dtype=np.int64),
        )
        loops.lay_out_cases(
            by_row, missing, layout.walk, prunes, layout.table_from, chosen, laid_out
        )
        row_of = indices[kept, 0]
        row_weights = rows.row_weights
        weights = np.bincount(case_of, weights=row_weights[row_of], minlength=first.size)
        states = sizes[kept][first].astype(np.int64)
        cases = Cases(weights.astype(np.float64), laid_out, states)
        return cls(layout, rows, by_row, row_of, case_of, cases, whole)


def _too_large(layout: Layout, listed: Floats) -> NDArray[np.bool_]:
    """Which parts take longer to list than their row takes in the clique tree."""
    seconds = listed * SECONDS_PER_LISTED
    if not (seconds > SECONDS_PER_ROW).any():
        return np.zeros(listed.size, dtype=bool)
    whole = SECONDS_PER_ROW + SECONDS_PER_CELL * layout.tree.table_cells
    return (seconds > whole) | (listed > MAX_LISTED)


def _code_hashes(layout: Layout) -> NDArray[np.uint64]:
    """Random numbers for every state of every variable and for a missing cell; two of each, so that
    two different cases have the same pair of sums once in 2^128."""
    shape = (len(layout.cards), int(layout.cards.max(initial=0)) + 1, 2)
    return np.random.default_rng(1977).integers(2**64, size=shape, dtype=np.uint64)


def _distinct(keys: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Where each different pair stands first, and which of them every pair is."""
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    ordered = keys[order]
    is_new = np.ones(len(keys), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    which = np.empty(len(keys), dtype=np.int64)
    which[order] = np.cumsum(is_new) - 1
    return order[is_new].astype(np.int64), which


def _ends(lengths: Sequence[int] | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, dtype=np.int64))]).astype(np.int64)


def _concatenated(lists: Sequence[Sequence[int]]) -> Ints:
    return np.array([item for items in lists for item in items], dtype=np.int64)


def incomplete_log2(network: BayesianNetwork, rows: DataSet) -> Floats:
    """log2 P(observed cells) of every row."""
    layout = Layout.of(network.dag, network.domain.cardinalities)
    if "clique_tree" in vars(network):
        vars(layout)["tree"] = network.clique_tree
    parts = Parts.of(layout, rows, prunes=True)
    flat = layout.flat(network.tables)
    cases = parts.cases
    case_log2 = np.empty(cases.states.size)
    loops = loops_for(int(cases.listed.sum()))
    loops.weigh_cases(layout.cards, cases.arrays, flat, *cases.workspace(), case_log2)
    of_parts = case_log2[parts.case_of]
    result = np.bincount(parts.row_of, of_parts, rows.row_count).astype(np.float64)
    is_missing = rows.codes == rows.missing_code
    with np.errstate(divide="ignore"):
        logs = np.log2(flat)
    for child in range(len(layout.cards)):
        family = layout.family(child)
        complete = np.flatnonzero(~is_missing[list(family)].any(axis=0))
        cells = np.zeros(complete.size, dtype=np.int64)
        for v in family:
            cells = cells * layout.cards[v] + rows.codes[v, complete]
        result[complete] += logs[layout.table_from[child] + cells]
    if parts.whole.size:
        result[parts.whole] = _log2_of_large(network, layout, rows, parts.whole)
    return result


def _log2_of_large(network: BayesianNetwork, layout: Layout, rows: DataSet, chosen: Ints) -> Floats:
    if SECONDS_PER_ROW + SECONDS_PER_CELL * layout.tree.table_cells > SECONDS_PER_QUERY:
        queries = (FactorQuery(network, (), observed_cells(rows, row)) for row in chosen)
        return np.array([query.log2_evidence() for query in queries])
    flow = Propagation(plan_of(layout.tree, network.factors))
    result = np.empty(len(chosen))
    for index, row in enumerate(chosen):
        codes = rows.codes[:, row]
        flow.set_states(codes, codes == rows.missing_code)
        result[index] = flow.log2_evidence()
    return result
