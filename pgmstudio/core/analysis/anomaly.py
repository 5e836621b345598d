"""Anomaly scores of rows and of their cells: −log2 P(cell | the rest of the row)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.likelihood import log2_probabilities
from pgmstudio.core.model import ProbabilisticModel

ROWS_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class RowSurprises:
    """Bits per row, and per variable and row; NaN where a cell is missing or nothing is known.

    A cell of an impossible row is ∞ when the rest of the row is possible, and NaN when it is not.
    """

    domain: Domain
    row_bits: Floats  # −log2 P(row)
    cell_bits: Floats  # variables × rows: −log2 P(cell | the rest of the row)

    def most_surprising(self, row: int) -> tuple[str, float] | None:
        """The variable whose state is least expected given the others, and its bits."""
        bits = self.cell_bits[:, row]
        if np.isnan(bits).all():
            return None
        index = int(np.nanargmax(bits))
        return self.domain.names[index], float(bits[index])


def row_bits(model: ProbabilisticModel, rows: DataSet, cancel: CancelToken = NEVER) -> Floats:
    """−log2 P(row) of every row, missing cells summed out; ∞ for impossible rows."""
    result = np.empty(rows.row_count)
    for at in range(0, rows.row_count, ROWS_AT_ONCE):
        cancel.raise_if_cancelled()
        part = slice(at, at + ROWS_AT_ONCE)
        result[part] = -log2_probabilities(model, _part(rows, part))
    return result + 0.0


def row_surprises(
    model: ProbabilisticModel, rows: DataSet, cancel: CancelToken = NEVER
) -> RowSurprises:
    """Every cell given the rest of its row. Complete rows of a network need its tables only."""
    bits, whole = np.full(rows.codes.shape, np.nan), row_bits(model, rows, cancel)
    # For an impossible row, the tables around a cell do not show whether the rest is possible.
    is_complete = np.isfinite(whole) & ~(rows.codes == rows.missing_code).any(axis=0)
    network = as_network(model)
    if network is None:
        is_complete[:] = False
    else:
        complete = np.flatnonzero(is_complete)
        for at in range(0, complete.size, ROWS_AT_ONCE):
            cancel.raise_if_cancelled()
            part = complete[at : at + ROWS_AT_ONCE]
            bits[:, part] = _blanket_bits(network, rows.codes[:, part])
    rest = np.flatnonzero(~is_complete)
    if rest.size:
        first, which = rows.take_rows(rest).distinct(cancel)
        distinct = rows.codes[:, rest].take(first, axis=1)
        once = _left_out_bits(model, DataSet(rows.domain, distinct), cancel)
        bits[:, rest] = once[:, which]
    return RowSurprises(rows.domain, whole, bits)


def parent_bits(model: ProbabilisticModel, rows: DataSet) -> Floats:
    """−log2 P(cell | its parents), variables × rows; NaN where one of them is missing.

    Of a complete row of a network they add up to −log2 P(row). Other models have none.
    """
    result = np.full(rows.codes.shape, np.nan)
    network = as_network(model)
    if network is None:
        return result
    is_missing = rows.codes == rows.missing_code
    for child, parents in enumerate(network.dag.parent_indices):
        family = [*parents, child]
        there = ~is_missing[family].any(axis=0)
        cells = tuple(rows.codes[v, there] for v in family)
        with np.errstate(divide="ignore"):
            result[child, there] = -np.log2(network.tables[child][cells]) + 0.0
    return result


def _part(rows: DataSet, part: slice) -> DataSet:
    return DataSet(rows.domain, rows.codes[:, part])


def _blanket_bits(network: BayesianNetwork, codes: NDArray[np.unsignedinteger]) -> Floats:
    """Given everything else, P(x) is proportional to its own entry times those of its children.

    The rows are complete and possible.
    """
    cards = network.domain.cardinalities
    count = codes.shape[1]
    columns = codes.astype(np.int64)
    with np.errstate(divide="ignore"):
        logs = [np.log2(table).ravel() for table in network.tables]
    families = [(*p, c) for c, p in enumerate(network.dag.parent_indices)]
    indices, strides = [], []
    for family in families:
        steps, step = {}, 1
        for v in reversed(family):
            steps[v] = step
            step *= cards[v]
        strides.append(steps)
        indices.append(sum((columns[v] * steps[v] for v in family), np.zeros(count, np.int64)))
    bits = np.empty((len(cards), count))
    for v, card in enumerate(cards):
        states = np.arange(card)[:, None]
        scores = np.zeros((card, count))
        for child in (v, *network.dag.child_indices[v]):
            step = strides[child][v]
            scores += logs[child][indices[child] + (states - columns[v]) * step]
        top = scores.max(axis=0)  # finite: the row itself is possible
        total = np.log2(np.exp2(scores - top).sum(axis=0)) + top
        bits[v] = np.maximum(0.0, total - scores[columns[v], np.arange(count)])
    return bits


def _left_out_bits(model: ProbabilisticModel, rows: DataSet, cancel: CancelToken) -> Floats:
    """log2 P(rest) − log2 P(row), each cell left out in turn."""
    whole = row_bits(model, rows, cancel)
    bits = np.full(rows.codes.shape, np.nan)
    for index in range(len(rows.domain)):
        there = np.flatnonzero(rows.codes[index] != rows.missing_code)
        codes = rows.codes[:, there].copy()
        codes[index] = rows.missing_code
        rest = row_bits(model, DataSet(rows.domain, codes), cancel)
        with np.errstate(invalid="ignore"):  # ∞ − ∞: the rest is impossible too
            bits[index, there] = np.maximum(0.0, whole[there] - rest)
    return bits
