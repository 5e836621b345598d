"""The E step of mixtures of trees on a table that is read in chunks: every step is a pass.

A chunk gives Σ weight · ln Q, the mass of every component and, for each, the counts of all pairs of
columns weighted by its responsibilities; these are added in the order of the chunks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import Arrays, ChunkedData, StoredRows
from pgmstudio.core.data.counting import PairCounts, pair_counts, pair_offsets
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.components import log2_sums, responsibilities_of
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

# Rows whose responsibilities are computed together.
BLOCK_ROWS = 1 << 16


@dataclass(frozen=True)
class _Expectation:
    """The sums of a chunk under a mixture."""

    mixture: TreeMixture

    def __call__(self, chunk: DataSet, _first_row: int) -> Arrays:
        mixture, count = self.mixture, len(self.mixture.trees)
        total, masses, pairs = 0.0, np.zeros(count), None
        for begin in range(0, chunk.row_count, BLOCK_ROWS):
            rows = chunk.take_rows(slice(begin, begin + BLOCK_ROWS))
            parts = mixture.component_log2_likelihoods(rows)
            weights = rows.row_weights
            total += float(weights @ log2_sums(parts))
            responsibilities = responsibilities_of(parts, mixture.weights) * weights[:, None]
            masses += responsibilities.sum(axis=0)
            counted = np.array([_weighted_pairs(rows, column) for column in responsibilities.T])
            pairs = counted if pairs is None else pairs + counted
        assert pairs is not None
        return np.array(total), masses, pairs


def _weighted_pairs(rows: DataSet, weights: Floats) -> Floats:
    weighted = StoredRows.of(
        rows.domain, rows.codes, np.ascontiguousarray(weights), rows.missing_counts
    )
    return pair_counts(weighted).flat


def expected_pairs(
    data: ChunkedData, mixture: TreeMixture, cancel: CancelToken
) -> tuple[float, Floats, list[PairCounts]]:
    """Σ weight · log2 Q(row), the mass of every component, and its counts of all pairs."""
    total, masses, pairs = data.sums(_Expectation(mixture), cancel)
    offsets, cards = pair_offsets(data.card_array), data.domain.cardinalities
    assert math.isfinite(float(total)) or total == -math.inf
    return float(total), masses, [PairCounts(cards, flat, offsets) for flat in pairs]
