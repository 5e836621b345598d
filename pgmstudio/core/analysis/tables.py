"""Analyses as tables of text, to all digits: for files, the clipboard and other programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pgmstudio.core.analysis.anomaly import RowSurprises
from pgmstudio.core.analysis.evidence_impact import FindingTrace
from pgmstudio.core.analysis.sensitivity import ParameterSensitivity
from pgmstudio.core.analysis.value_of_information import ValueOfEvidence
from pgmstudio.core.csv_text import csv_text

Cell = str | float | int | None


def swing_table(swings: Sequence[ParameterSensitivity]) -> list[list[Cell]]:
    """One line per number of a table: what it is, its function, and how far the belief moves."""
    head: list[Cell] = ["variable", "state", "parents", "value", "low", "high"]
    head += ["belief_at_low", "belief_at_high", "width", "derivative", "a", "b", "c", "d"]
    rows: list[list[Cell]] = [head]
    for swing in swings:
        parents = ", ".join(f"{name} = {state}" for name, state in swing.context)
        rows.append(
            [
                swing.variable,
                swing.state,
                parents,
                swing.value,
                swing.low,
                swing.high,
                swing.belief_at_low,
                swing.belief_at_high,
                swing.width,
                swing.derivative,
                *swing.coefficients,
            ]
        )
    return rows


def worth_table(value: ValueOfEvidence, code: int) -> list[list[Cell]]:
    """One line per variable that could be asked about."""
    head = ("variable", "bits", "share_of_entropy", "lowest", "lowest_state", "highest")
    rows: list[list[Cell]] = [[*head, "highest_state"]]
    for worth in value.worths:
        (low_state, low), (high_state, high) = worth.extremes(code)
        fraction = value.entropy_fraction(worth)
        rows.append([worth.variable, worth.bits, fraction, low, low_state, high, high_state])
    return rows


def trace_table(traces: Mapping[str, FindingTrace], code: int, belief: float) -> list[list[Cell]]:
    """One line per finding: the belief with and without it, and how it goes with the others."""
    head = ("variable", "finding", "belief", "belief_without", "probability", "given_rest")
    rows: list[list[Cell]] = [[*head, "normalised_likelihood", "conflict_bits"]]
    for trace in traces.values():
        without = None if trace.target_belief is None else float(trace.target_belief[code])
        rows.append(
            [
                trace.variable,
                str(trace.finding),
                belief,
                without,
                trace.alone,
                trace.given_rest,
                trace.normalised_likelihood,
                trace.conflict_bits,
            ]
        )
    return rows


def surprise_table(result: RowSurprises, order: Iterable[int]) -> list[list[Cell]]:
    """One line per row, counted from 1: log2 P(row), its least expected variable and its bits."""
    rows: list[list[Cell]] = [["row", "log2_probability", "most_surprising", "bits"]]
    for row in order:
        most = result.most_surprising(row)
        log2 = 0.0 - float(result.row_bits[row])
        rows.append([row + 1, log2, *(most if most is not None else (None, None))])
    return rows


def table_text(rows: Sequence[Sequence[Cell]], separator: str = ",") -> str:
    """The table with a head line; numbers to all digits, infinity as `inf`."""
    return csv_text(([_cell_text(cell) for cell in row] for row in rows), separator)


def _cell_text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float | np.floating):
        return repr(float(cell)) if math.isfinite(cell) else str(float(cell))
    return str(cell)
