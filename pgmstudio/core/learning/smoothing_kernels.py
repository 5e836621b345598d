"""The compiled inner loop of tuning the smoothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.numba_support import compiled


@compiled
def held_out_log2_likelihood(counts: NDArray[np.float64], smoothing: float) -> float:
    """Σ over folds f and cells of N_f log2 P(cell | all counts but f's); −inf where P is 0.

    `counts` is folds × parents' states × child's states.
    """
    folds, rows, states = counts.shape
    total = 0.0
    kept = np.empty(states)
    for row in range(rows):
        for state in range(states):
            kept[state] = 0.0
            for fold in range(folds):
                kept[state] += counts[fold, row, state]
        everything = 0.0
        for state in range(states):
            everything += kept[state]
        if everything == 0:
            continue
        for fold in range(folds):
            held_out = 0.0
            for state in range(states):
                held_out += counts[fold, row, state]
            if held_out == 0:
                continue
            denominator = everything - held_out + smoothing * states
            for state in range(states):
                count = counts[fold, row, state]
                if count == 0:
                    continue
                if denominator <= 0:  # never seen and no smoothing: uniform
                    total -= count * math.log2(states)
                    continue
                numerator = kept[state] - count + smoothing
                if numerator <= 0:
                    return -math.inf
                total += count * math.log2(numerator / denominator)
    return total
