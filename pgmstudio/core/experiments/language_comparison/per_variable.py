"""Where a difference between languages comes from: bits per row of each variable.

By the chain rule in the order of the columns, log2 P(x) = Σ log2 P(x_i | x_1 … x_(i−1)): the parts
of one row add up to its log-likelihood in every language, whatever its structure. A part is how
well a variable is predicted from those before it, so it depends on the order; the sum does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import case_total, hold_out
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.languages.base import HasNetwork
from pgmstudio.core.model import Model

# So many rows at most: every column of every row is one question to the model.
MAX_ROWS = 500


def variable_bits(model: Model, rows: DataSet, cancel: CancelToken = NEVER) -> NDArray[np.float64]:
    """log2 P(x_i | x_1 … x_(i−1)) for each column and row; the columns of a row add up to
    log2 P(row). A missing cell has 0. From where a row is impossible on it is −∞, then 0."""
    if isinstance(model, HasNetwork) and model.as_bayesian_network.domain == model.domain:
        model = model.as_bayesian_network  # the same distribution, for many rows at once
    count = len(rows.domain)
    bits = np.zeros((count, rows.row_count))
    before = np.zeros(rows.row_count)
    for index in range(count):
        cancel.raise_if_cancelled()
        codes = np.full(rows.codes.shape, rows.missing_code, dtype=rows.codes.dtype)
        codes[: index + 1] = rows.codes[: index + 1]
        now = row_log2(model, DataSet(rows.domain, codes))
        both = np.isfinite(before)
        bits[index, both] = now[both] - before[both]
        before = now
    return bits


@dataclass(frozen=True, eq=False)
class VariableBits:
    """Mean bits per row of each variable for one model, and of how many rows."""

    name: str
    bits: Mapping[str, float]
    rows: int


@dataclass(frozen=True, eq=False)
class VariableBitsTask:
    """The same for several models, on the same rows, as a task; of several splits, the mean over
    the rows of all, each by the models of its split."""

    splits: Sequence[tuple[Mapping[str, Model], DataSet]]
    max_rows: int = MAX_ROWS

    def __call__(self, cancel: CancelToken, /) -> Iterator[Progress | VariableBits]:
        splits = list(self.splits)
        if sum(rows.row_count for _, rows in splits) > self.max_rows:
            fraction = self.max_rows / sum(case_total(rows) for _, rows in splits)
            splits = [
                (models, hold_out(rows, fraction, np.random.default_rng(0))[1])
                for models, rows in splits
            ]
        names = list(splits[0][0]) if splits else []
        for index, name in enumerate(names):
            yield Progress(index / len(names), name)
            total, sums, count = 1e-300, np.zeros(len(splits[0][1].domain)), 0
            for models, rows in splits:
                weights = rows.row_weights
                bits = variable_bits(models[name], rows, cancel)
                sums += np.where(weights > 0, bits, 0.0) @ weights
                total, count = total + float(weights.sum()), count + rows.row_count
            means = (sums / total).tolist()
            yield VariableBits(
                name, dict(zip(splits[0][1].domain.names, means, strict=True)), count
            )
