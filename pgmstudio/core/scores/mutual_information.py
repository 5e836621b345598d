"""Mutual information of all pairs of columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import PairCounts


def mutual_information_nats(pairs: PairCounts) -> NDArray[np.float64]:
    """I(X;Y) = Σ p(x,y) ln p(x,y) / (p(x) p(y)) for every pair.

    Each pair is counted over the rows that have both.
    """
    from pgmstudio.core.scores.score_kernels import mutual_information

    n = len(pairs.cardinalities)
    information = np.zeros((n, n))
    cards = np.array(pairs.cardinalities, dtype=np.int64)
    mutual_information(pairs.flat, pairs.offsets, cards, information)
    return information
