"""The expectation step of EM for Bayesian networks: expected counts of every family.

A family whose cells a row has is counted once, before the first step. A missing cell none of whose
descendants was observed carries no information: the row is explained without it, so it is left out
of the row's counts. (The complete data of a row are then its ancestral part only. That is EM all
the same, and closer to the end after each step than if the tables of such cells were counted in.)

Given a row's observed cells, its other missing cells fall into parts that are independent of each
other, and the same parts occur in many rows. The distinct ones, the cases, do not depend on the
tables and are computed once; see kernels.py for the loops. All joint states of a part are listed; a
row with a part too large for that goes through the junction tree of the whole network.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import Codes, DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.junction_tree import CliqueTree, clique_tree_of
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of

if TYPE_CHECKING:
    from pgmstudio.core.languages.bayesian_network.learning.missing_data.kernels import Listed, Walk


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
        from pgmstudio.core.languages.bayesian_network.learning.missing_data.kernels import Walk

        return Walk(
            self.cards, self.order, self.member_at, self.members, self.child_at, self.children
        )

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
        from pgmstudio.core.languages.bayesian_network.learning.missing_data.kernels import (
            Listed,
            find_parts,
            lay_out_cases,
        )

        missing = rows.missing_code
        by_row = np.ascontiguousarray(rows.codes.T)
        most = sum(rows.missing_counts)
        keys = np.empty((most, 2), dtype=np.uint64)
        indices = np.empty((most, 4), dtype=np.int64)
        sizes = np.empty(most)
        result = 0
        for begin in range(0, rows.row_count, ROWS_PER_CALL):
            cancel.raise_if_cancelled()
            end = min(begin + ROWS_PER_CALL, rows.row_count)
            hashes = _code_hashes(layout)
            index = (begin, end, result, keys, indices, sizes)
            result = find_parts(by_row, missing, layout.walk, prunes, hashes, *index)
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
        lay_out_cases(by_row, missing, layout.walk, prunes, layout.table_from, chosen, laid_out)
        row_of = indices[kept, 0]
        row_weights = np.ones(rows.row_count) if rows.weights is None else rows.weights
        weights = np.bincount(case_of, weights=row_weights[row_of], minlength=first.size)
        states = sizes[kept][first].astype(np.int64)
        cases = Cases(weights.astype(np.float64), laid_out, states)
        return cls(layout, rows, by_row, row_of, case_of, cases, whole)


def incomplete_rows(data: DataSet) -> DataSet:
    """The rows with a missing cell that count, equal ones once."""
    chosen = (data.codes == data.missing_code).any(axis=0)
    if data.weights is not None:
        chosen &= data.weights > 0
    return data.take_rows(chosen).merged()


def impossible_rows(dag: Dag, observed: Sequence[Counts], tables: Sequence[Table]) -> DataError:
    """The error that names the tables that make rows impossible, as far as the observed cells
    show."""
    names = [
        dag.names[child]
        for child, counts in enumerate(observed)
        if (tables[child][counts > 0] == 0).any()
    ]
    where = f" by the table of {', '.join(names[:3])}" if names else ""
    return DataError(
        f"Some rows are impossible{where}, which holds zeros; let these tables be learned too, or "
        "take the zeros out."
    )


def tree_of(layout: Layout) -> CliqueTree:
    return clique_tree_of(layout.dag.parent_indices, layout.cards.tolist())


def _too_large(layout: Layout, listed: Floats) -> NDArray[np.bool_]:
    """Which parts take longer to list than their row takes in the clique tree."""
    seconds = listed * SECONDS_PER_LISTED
    if not (seconds > SECONDS_PER_ROW).any():
        return np.zeros(listed.size, dtype=bool)
    whole = SECONDS_PER_ROW + SECONDS_PER_CELL * tree_of(layout).table_cells
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


@dataclass(frozen=True, eq=False)
class Expected:
    """Counts of every family, the child's axis last, and the likelihood of the observed cells."""

    counts: tuple[Counts, ...]
    log2_likelihood: float


class Expectation:
    """The rows of one data set under one graph; `step` is asked again and again."""

    def __init__(self, dag: Dag, data: DataSet, cancel: CancelToken = NEVER) -> None:
        self.layout = Layout.of(dag, data.domain.cardinalities)
        self.total_weight = data.total_weight
        families = [self.layout.family(child) for child in range(len(dag.names))]
        counted = [joint_counts(data, family, cancel) for family in families]
        self.observed = tuple(counted)
        self._observed_flat = self.layout.flat(counted)
        self.parts = Parts.of(self.layout, incomplete_rows(data), prunes=True, cancel=cancel)
        self._workspace = self.parts.cases.workspace()
        self._tree_rows = _TreeRows(self.parts) if self.parts.whole.size else None

    @property
    def is_complete(self) -> bool:
        """Whether the counts do not depend on the tables, so that one step is the last."""
        return self.parts.cases.weights.size == 0 and self._tree_rows is None

    @property
    def seconds(self) -> float:
        """The estimated seconds of a step, from measured speeds and not read off a clock."""
        listed = float(self.parts.cases.listed.sum()) * SECONDS_PER_LISTED
        tree = 0.0 if self._tree_rows is None else self._tree_rows.seconds
        return listed + tree + 1e-9 * self._observed_flat.size + 1e-5 * len(self.observed)

    def step(self, tables: Sequence[Table], cancel: CancelToken = NEVER) -> Expected:
        """Expected counts under these tables; DataError when a row is impossible in them."""
        from pgmstudio.core.languages.bayesian_network.learning.missing_data.kernels import (
            expect_cases,
        )

        flat = self.layout.flat(tables)
        counts = self._observed_flat.copy()
        seen = counts > 0
        with np.errstate(divide="ignore"):
            log2_likelihood = float(counts[seen] @ np.log2(flat[seen]))
        if log2_likelihood == -math.inf:
            raise impossible_rows(self.layout.dag, self.observed, tables)
        cases = self.parts.cases
        for begin, end in cases.chunks:
            cancel.raise_if_cancelled()
            more, failed = expect_cases(
                begin,
                end,
                cases.weights,
                self.layout.cards,
                cases.arrays,
                flat,
                *self._workspace,
                counts,
            )
            if failed >= 0:
                raise impossible_rows(self.layout.dag, (), tables)
            log2_likelihood += more
        if self._tree_rows is not None:
            log2_likelihood += self._tree_rows.add(tables, counts, cancel)
        return Expected(self.layout.shaped(counts), log2_likelihood)


class _TreeRows:
    """Rows with a part too large to list, one after the other through the whole clique tree."""

    def __init__(self, parts: Parts) -> None:
        self._layout = parts.layout
        rows = parts.rows.take_rows(parts.whole)
        self._codes = parts.by_row[parts.whole]
        self._weights = rows.weights
        self._is_missing = self._codes == rows.missing_code
        tree = self._tree = tree_of(self._layout)
        check_budget(forecast(tree))
        self.seconds = rows.row_count * (SECONDS_PER_ROW + SECONDS_PER_CELL * tree.table_cells)
        self._flow: Propagation | None = None
        families = [list(self._layout.family(c)) for c in range(len(self._layout.cards))]
        silent = self._is_missing.copy()
        for v in reversed(self._layout.dag.topological_order):
            for child in self._layout.dag.child_indices[v]:
                silent[:, v] &= silent[:, child]
        # Families to be counted; those observed are counted already, and divided out again.
        lacking = np.stack([self._is_missing[:, f].any(axis=1) for f in families], axis=1)
        self._wanted = (lacking & ~silent).astype(np.int64)
        self._observed = ~lacking
        self._cells = np.stack([self._flat_cells(c, f) for c, f in enumerate(families)], axis=1)

    def _flat_cells(self, child: int, family: list[int]) -> Ints:
        cells = np.zeros(len(self._codes), dtype=np.int64)
        for v in family:
            cells = cells * self._layout.cards[v] + np.where(
                self._is_missing[:, v], 0, self._codes[:, v]
            )
        result: Ints = cells + self._layout.table_from[child]
        return result

    def add(self, tables: Sequence[Table], counts: Counts, cancel: CancelToken) -> float:
        """Add the expected counts of the families that lack a cell; the log2-likelihood of the
        rows without the families that are observed."""
        if self._flow is None:
            factors = [Factor(self._layout.family(c), table) for c, table in enumerate(tables)]
            self._flow = Propagation(plan_of(self._tree, factors))
        else:
            self._flow.set_factors(tables)
        flow = self._flow
        total = 0.0
        weights = np.ones(len(self._codes)) if self._weights is None else self._weights
        expected = np.zeros(flow.plan.factor_values.size)
        for row in range(len(self._codes)):
            cancel.raise_if_cancelled()
            flow.set_states(self._codes[row], self._is_missing[row])
            log2_row = flow.log2_evidence()
            if log2_row == -math.inf:
                raise impossible_rows(self._layout.dag, (), tables)
            total += float(weights[row]) * log2_row
            flow.add_factor_counts(float(weights[row]), self._wanted[row], expected)
        for child, (at, turn) in enumerate(flow.plan.factor_places):
            shape = tuple(tables[child].shape[axis] for axis in turn)
            turned = expected[at : at + tables[child].size].reshape(shape)
            begin, end = self._layout.table_from[child : child + 2]
            counts[begin:end] += turned.transpose(np.argsort(turn)).ravel()
        logs = np.log2(np.where(self._observed, self._layout.flat(tables)[self._cells], 1.0))
        return total - float(weights @ logs.sum(axis=1))
