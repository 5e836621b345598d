"""Mutual information of all pairs of columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import PairCounts
from pgmstudio.core.execution.events import NEVER, CancelToken

# Cells of pair tables read between two looks at the cancel token: about a tenth of a second.
CELLS_PER_CALL = 4_000_000


def mutual_information_nats(pairs: PairCounts, cancel: CancelToken = NEVER) -> NDArray[np.float64]:
    """I(X;Y) = Σ p(x,y) ln p(x,y) / (p(x) p(y)) for every pair.

    Each pair is counted over the rows that have both.
    """
    from pgmstudio.core.scores.kernels import mutual_information

    n = len(pairs.cardinalities)
    information = np.zeros((n, n))
    cards = np.array(pairs.cardinalities, dtype=np.int64)
    step = max(1, CELLS_PER_CALL * n // max(1, pairs.flat.size))
    for first in range(0, n, step):
        cancel.raise_if_cancelled()
        last = min(first + step, n)
        mutual_information(pairs.flat, pairs.offsets, cards, first, last, information)
    return information
