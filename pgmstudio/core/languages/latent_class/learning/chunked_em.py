"""EM for latent classes on a table that is read in chunks: every step is a pass.

The steps are those of `LatentEm`. A chunk gives Σ weight · ln P, the mass of every class and the
expected counts of every state in every class; these are added in the order of the chunks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import Arrays, ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.latent_class.learning.em import LN_NEVER
from pgmstudio.core.languages.latent_class.model import LatentClasses


@dataclass(frozen=True)
class _Expectation:
    """The sums of a chunk under some classes."""

    weights: Floats
    tables: tuple[Floats, ...]  # classes × states

    def __call__(self, chunk: DataSet, _first_row: int) -> Arrays:
        from pgmstudio.core.languages.latent_class.learning.kernels import expect_codes

        cards = chunk.card_array.copy()
        first = np.cumsum(cards) - cards
        with np.errstate(divide="ignore"):
            base = np.maximum(np.log(self.weights), LN_NEVER)
            stacked = np.concatenate([table.T for table in self.tables])
            added = np.ascontiguousarray(np.maximum(np.log(stacked), LN_NEVER))
        sums, masses = np.zeros_like(added), np.zeros(base.size)
        weights = np.empty(0) if chunk.weights is None else np.array(chunk.weights)
        total = expect_codes(chunk.codes, weights, base, added, first, cards, sums, masses)
        return np.array(total), masses, sums


def em_steps(
    data: ChunkedData, model: LatentClasses, smoothing: float, cancel: CancelToken
) -> Iterator[tuple[LatentClasses, float]]:
    """For every step the classes after it, and Σ weight · log2 P(row) of those before it."""
    first = np.cumsum((0, *data.domain.cardinalities))[1:-1]
    while True:
        log_likelihood, masses, sums = data.sums(_Expectation(model.weights, model.tables), cancel)
        tables = tuple(
            _fitted(counts.T + smoothing, table)
            for counts, table in zip(np.split(sums, first), model.tables, strict=True)
        )
        model = LatentClasses(model.domain, masses / masses.sum(), tables, model.hidden)
        yield model, float(log_likelihood) / math.log(2)


def _fitted(counts: Floats, before: Floats) -> Floats:
    """The tables of one column; a class without rows that show it keeps its own."""
    totals = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.ascontiguousarray(np.where(totals > 1e-12, counts / totals, before))
