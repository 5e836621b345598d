"""Imputation of missing cells by a network: all completions of a row with their probabilities, or
draws.

A row with few completions becomes one weighted row for each. Of one with more, as many are drawn
from their joint distribution given the observed cells; over the draws of a row each part of its
missing cells is spread evenly (one draw from each of as many equal slices), so that even few draws
have nearly the right frequencies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.inference.junction_tree.propagation import Propagation
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.bayesian_network.learning.missing_data.expected_counts import (
    impossible_rows,
    incomplete_rows,
)
from pgmstudio.core.languages.bayesian_network.missing_cells import Layout, Parts
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

# Completed rows there should be at most, unless a row would have fewer than MIN_DRAWS.
MAX_ROWS = 300_000
MIN_DRAWS, MAX_DRAWS = 5, 64


def copies_for(rows: int) -> int:
    """How many completions each of so many incomplete rows may have."""
    return int(np.clip(MAX_ROWS // max(rows, 1), MIN_DRAWS, MAX_DRAWS))


def completed(
    network: BayesianNetwork,
    data: DataSet,
    *,
    copies: int | None = None,
    rng: np.random.Generator,
    cancel: CancelToken = NEVER,
) -> DataSet:
    """Weighted complete rows with the expected counts of `data` under the network.

    They are exact where every row has at most `copies` completions, and else drawn.
    """
    if not data.has_missing:
        return data
    whole = data.complete_rows()
    lacking = incomplete_rows(data)
    filled = _Filling(network, lacking, copies or copies_for(lacking.row_count), rng, cancel)
    codes = np.concatenate([whole.codes, filled.codes.T], axis=1)
    return DataSet(data.domain, codes, np.concatenate([whole.row_weights, filled.weights]))


def impute_by_model(
    network: BayesianNetwork,
    data: DataSet,
    rng: np.random.Generator,
    cancel: CancelToken = NEVER,
) -> DataSet:
    """The same rows in the same order, each missing cell drawn given its row's observed cells.

    Columns are matched by name and get the network's states; those it does not have stay as they
    are, and a variable that is not a column is summed out.
    """
    shared = [name for name in data.domain.names if name in network.domain]
    if not shared:
        raise DataError("The model and the data have no column in common; choose another model.")
    rows = rows_over(data, network.domain)
    holes = (data.codes == data.missing_code).any(axis=0)
    codes = rows.codes.copy()
    codes[:, holes] = _Filling(network, rows.take_rows(holes), 1, rng, cancel).codes.T
    filled = DataSet(network.domain, codes)
    variables = tuple(network.domain[v.name] if v.name in shared else v for v in data.domain)
    domain = Domain(variables)
    out = np.empty(data.codes.shape, dtype=code_dtype(domain))
    for index, name in enumerate(domain.names):
        if name in shared:
            out[index] = filled.column(name)
        else:
            column = data.codes[index]
            out[index] = np.where(column == data.missing_code, np.iinfo(out.dtype).max, column)
    return DataSet(domain, out, data.weights)


@dataclass(frozen=True, eq=False)
class _Plan:
    """How many copies each row gets and where they start."""

    first: NDArray[np.int64]
    copies: NDArray[np.int64]
    is_drawn: NDArray[np.uint8]
    radix: NDArray[np.int64]  # per part

    @classmethod
    def of(cls, parts: Parts, most: int) -> _Plan:
        rows = parts.rows.row_count
        states = parts.cases.states[parts.case_of].astype(np.float64)
        ends = np.searchsorted(parts.row_of, np.arange(rows + 1))
        completions = np.ones(rows)
        radix = np.ones(states.size, dtype=np.int64)
        # Parts stand row by row; the products are cut off long before they overflow.
        index = np.arange(states.size) - ends[parts.row_of]
        for number in range(int(index.max(initial=-1)) + 1):
            here = np.flatnonzero(index == number)
            row = parts.row_of[here]
            radix[here] = completions[row].astype(np.int64)
            completions[row] = np.minimum(completions[row] * states[here], 1e15)
        is_drawn = completions > most
        is_drawn[parts.whole] = True
        copies = np.where(is_drawn, most, completions).astype(np.int64)
        first = np.concatenate([[0], np.cumsum(copies)]).astype(np.int64)
        return cls(first, copies, is_drawn.astype(np.uint8), radix)


class _Filling:
    """The copies of incomplete rows, rows × variables, and their weights."""

    def __init__(
        self,
        network: BayesianNetwork,
        rows: DataSet,
        most: int,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> None:
        layout = Layout.of(network.dag, network.domain.cardinalities)
        self._network = network
        self._parts = Parts.of(layout, rows, prunes=False, cancel=cancel)
        self._plan = _Plan.of(self._parts, most)
        self._most = most
        self._rng = rng
        plan = self._plan
        row_of_copy = np.repeat(np.arange(rows.row_count), plan.copies)
        self.codes = np.ascontiguousarray(self._parts.by_row[row_of_copy])
        drawn = plan.is_drawn[row_of_copy] == 1
        self.weights = rows.row_weights[row_of_copy] / np.where(drawn, most, 1)
        self._fill_cases(cancel)
        self._fill_whole(cancel)

    def _fill_cases(self, cancel: CancelToken) -> None:
        from pgmstudio.core.languages.bayesian_network.missing_cells_kernels import (
            complete_cases,
        )

        parts, plan = self._parts, self._plan
        cases, layout = parts.cases, parts.layout
        by_case = np.argsort(parts.case_of, kind="stable").astype(np.int64)
        counts = np.bincount(parts.case_of, minlength=cases.weights.size)
        part_at = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        product, where = cases.workspace()
        points = self._spread_points(len(parts.row_of))
        flat = layout.flat(self._network.tables)
        for begin, end in cases.chunks:
            cancel.raise_if_cancelled()
            failed = complete_cases(
                begin,
                end,
                layout.cards,
                cases.arrays,
                flat,
                product,
                where,
                np.empty_like(product),
                part_at,
                by_case,
                parts.row_of,
                plan.radix,
                plan.first,
                plan.copies,
                plan.is_drawn,
                points,
                self.codes,
                self.weights,
            )
            if failed >= 0:
                raise impossible_rows(layout.dag, (), self._network.tables)

    def _spread_points(self, count: int) -> Floats:
        """Per part a number in each slice of [0, 1), the slices in random order."""
        slices = np.tile(np.arange(self._most, dtype=np.float64), (count, 1))
        slices = self._rng.permuted(slices, axis=1)
        points: Floats = (slices + self._rng.random(slices.shape)) / self._most
        return points

    def _fill_whole(self, cancel: CancelToken) -> None:
        parts = self._parts
        if not parts.whole.size:
            return
        tree = parts.layout.tree
        check_budget(forecast(tree))
        flow = Propagation(plan_of(tree, self._network.factors))
        cliques = len(flow.plan.tree.cliques)
        for row in parts.whole:
            cancel.raise_if_cancelled()
            codes = parts.by_row[row]
            flow.set_states(codes, codes == parts.rows.missing_code)
            if not flow.is_possible():
                raise impossible_rows(parts.layout.dag, (), self._network.tables)
            for copy in range(self._plan.first[row], self._plan.first[row + 1]):
                self.codes[copy] = flow.draw(self._rng.random(cliques))
