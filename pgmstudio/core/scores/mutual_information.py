"""Mutual information of all pairs of columns."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import Counts, PairCounts
from pgmstudio.core.execution.events import NEVER, CancelToken

# Cells of pair tables read between two looks at the cancel token: about a tenth of a second.
CELLS_PER_CALL = 4_000_000
# The pairs of so many columns take less time than to load compiled code.
PLAIN_COLUMNS = 10


def mutual_information_nats(pairs: PairCounts, cancel: CancelToken = NEVER) -> NDArray[np.float64]:
    """I(X;Y) = Σ p(x,y) ln p(x,y) / (p(x) p(y)) for every pair.

    Each pair is counted over the rows that have both.
    """
    n = len(pairs.cardinalities)
    information = np.zeros((n, n))
    if n <= PLAIN_COLUMNS:
        for i, j in itertools.combinations(range(n), 2):
            information[i, j] = information[j, i] = _information(pairs.table(i, j))
        return information
    from pgmstudio.core.scores.kernels import mutual_information

    cards = np.array(pairs.cardinalities, dtype=np.int64)
    step = max(1, CELLS_PER_CALL * n // max(1, pairs.flat.size))
    for first in range(0, n, step):
        cancel.raise_if_cancelled()
        last = min(first + step, n)
        mutual_information(pairs.flat, pairs.offsets, cards, first, last, information)
    return information


def _information(table: Counts) -> float:
    """(1/N) Σ N_ab ln(N_ab N / (N_a N_b)); exactly 0 where independent."""
    total = table.sum()
    if total <= 0:
        return 0.0
    margins = np.outer(table.sum(axis=1), table.sum(axis=0))
    seen = table > 0
    terms = table[seen] * np.log(table[seen] * total / margins[seen])
    return max(float(terms.sum() / total), 0.0)
