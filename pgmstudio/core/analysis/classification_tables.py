"""Classifications as tables of numbers: for files, the clipboard and other programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pgmstudio.core.analysis.classification import Classification
from pgmstudio.core.analysis.feature_selection import Feature
from pgmstudio.core.analysis.roc_calibration import Calibration, RocCurve
from pgmstudio.core.analysis.tables import Cell

TOP_STATE = "most probable state"


def prediction_table(result: Classification) -> list[list[Cell]]:
    """One line per row, counted from 1: true and most probable state, log-likelihoods, P(state).

    `log2_probability` is of the row with its target, or of the rest alone where that is missing.
    """
    head: list[Cell] = ["row", result.target, f"predicted_{result.target}", "probability"]
    head += ["log2_probability", "log2_probability_of_rest"]
    head += [f"p_{result.target}={state}" for state in result.states]
    lines: list[list[Cell]] = [head]
    fractions, chosen = result.beliefs.probabilities, result.beliefs.chosen
    known = result.truth >= 0
    true = np.where(known, np.take_along_axis(fractions, result.truth[:, None], axis=1)[:, 0], 1.0)
    with np.errstate(divide="ignore"):
        logs = result.beliefs.log2_rest + np.log2(true)
    for row in range(result.row_count):
        state = result.states[int(result.truth[row])] if known[row] else None
        best = int(chosen[row])
        line: list[Cell] = [row + 1, state, result.states[best], float(fractions[row, best])]
        line += [float(logs[row]), float(result.beliefs.log2_rest[row])]
        lines.append([*line, *fractions[row].tolist()])
    return lines


def confusion_table(result: Classification) -> list[list[Cell]]:
    """True states down, most probable states across; weights of rows."""
    lines: list[list[Cell]] = [
        [f"true_{result.target}", *(f"predicted_{s}" for s in result.states)]
    ]
    for state, counts in zip(result.states, result.confusion.tolist(), strict=True):
        lines.append([state, *counts])
    return lines


def roc_table(states: Sequence[str], curves: Sequence[RocCurve]) -> list[list[Cell]]:
    """The corners of the curve of every state against the rest."""
    lines: list[list[Cell]] = [["state", "threshold", "false_positive_rate", "true_positive_rate"]]
    for state, curve in zip(states, curves, strict=True):
        columns = (curve.thresholds, curve.false_rates, curve.true_rates)
        for numbers in zip(*(column.tolist() for column in columns), strict=True):
            lines.append([state, *numbers])
    return lines


def calibration_table(result: Classification) -> list[list[Cell]]:
    """The bins of the most probable state, then those of every state."""
    lines: list[list[Cell]] = [
        ["state", "low", "high", "rows", "mean_probability", "frequency", "from_95", "to_95"]
    ]
    curves: list[tuple[str, Calibration]] = [(TOP_STATE, result.calibration)]
    curves += [(state, result.calibration_of(code)) for code, state in enumerate(result.states)]
    for state, curve in curves:
        for one in curve.bins:
            bounds = (one.low, one.high, one.weight, one.probability, one.frequency)
            lines.append([state, *bounds, *one.interval])
    return lines


def feature_table(features: Iterable[Feature]) -> list[list[Cell]]:
    """One line per variable: its mutual information with the target and its role."""
    lines: list[list[Cell]] = [["variable", "information_bits", "role"]]
    lines += [[one.name, one.bits, one.role or None] for one in features]
    return lines
