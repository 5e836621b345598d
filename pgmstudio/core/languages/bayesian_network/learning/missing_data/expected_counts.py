"""The expectation step of EM for Bayesian networks: expected counts of every family.

A family whose cells a row has is counted once, before the first step. A missing cell none of whose
descendants was observed carries no information: the row is explained without it, so it is left out
of the row's counts. (The complete data of a row are then its ancestral part only. That is EM all
the same, and closer to the end after each step than if the tables of such cells were counted in.)

The parts of missing cells are those of missing_cells.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.chunked import Arrays, ChunkedData
from pgmstudio.core.data.counting import family_counter, joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.bayesian_network.missing_cells import (
    SECONDS_PER_CELL,
    SECONDS_PER_LISTED,
    SECONDS_PER_ROW,
    Counts,
    Ints,
    Layout,
    Parts,
    Table,
)

# About how long EM may take for the tables of a graph.
EM_SECONDS = 60.0


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
        from pgmstudio.core.languages.bayesian_network.missing_cells_kernels import (
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


# Steps on a table that is read in chunks; each is a pass.
CHUNKED_STEPS = 20


class ChunkedExpectation(Expectation):
    """The same of a table that is read in chunks; every step is a pass."""

    def __init__(self, dag: Dag, data: ChunkedData, cancel: CancelToken = NEVER) -> None:
        self._data, self._dag = data, dag
        self.layout = Layout.of(dag, data.domain.cardinalities)
        self.total_weight = data.total_weight
        families = [self.layout.family(child) for child in range(len(dag.names))]
        counter = family_counter(data)
        counter.prefetch([(family[:-1], family[-1:]) for family in families], cancel)
        self.observed = tuple(counter.counts(family, cancel) for family in families)

    @property
    def is_complete(self) -> bool:
        return not self._data.has_missing

    @property
    def seconds(self) -> float:
        """So many that EM makes CHUNKED_STEPS of them in its time."""
        return EM_SECONDS / CHUNKED_STEPS

    def step(self, tables: Sequence[Table], cancel: CancelToken = NEVER) -> Expected:
        work = _ExpectedOfChunk(self._dag, tuple(tables))
        log2_likelihood, *counts = self._data.sums(work, cancel)
        return Expected(tuple(counts), float(log2_likelihood))


@dataclass(frozen=True)
class _ExpectedOfChunk:
    dag: Dag
    tables: tuple[Table, ...]

    def __call__(self, chunk: DataSet, _first_row: int) -> Arrays:
        expected = Expectation(self.dag, chunk).step(self.tables)
        return np.array(expected.log2_likelihood), *expected.counts


def expectation_of(dag: Dag, data: DataSet, cancel: CancelToken = NEVER) -> Expectation:
    """The expectation step for rows in memory, or for those of a table read in chunks."""
    if isinstance(data, ChunkedData):
        return ChunkedExpectation(dag, data, cancel)
    return Expectation(dag, data, cancel)


class _TreeRows:
    """Rows with a part too large to list, one after the other through the whole clique tree."""

    def __init__(self, parts: Parts) -> None:
        self._layout = parts.layout
        rows = parts.rows.take_rows(parts.whole)
        self._codes = parts.by_row[parts.whole]
        self._weights = rows.weights
        self._is_missing = self._codes == rows.missing_code
        tree = self._tree = self._layout.tree
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
