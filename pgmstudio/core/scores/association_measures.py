"""Association of a parent attribute A with its child C: the probabilistic measures of the
lecture "Learning the Network Structure from Data" (Borgelt, Steinbrecher and Kruse 2009, ch. 7).

A table of counts has the states of A as rows and those of C as columns. A set of parents is one
compound attribute whose states are the joint states, so a family's counts with the child's axis
last are such a table; joint states that never occur do not count. Large values are strong
dependences, and without parents every measure here is 0. Where a denominator is 0, so is the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.scores.independence import sums_of

Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure; `symmetric` when exchanging parent and child changes nothing."""

    key: str
    title: str
    symmetric: bool
    value: Callable[[Table], float]


def compound(counts: Table) -> Table:
    """A family's counts, the child's axis last, as a table whose rows all occur."""
    rows = counts.reshape(-1, counts.shape[-1])
    table: Table = rows[rows.sum(axis=1) > 0]
    return table


def entropy(counts: Table) -> float:
    """−Σ p log2 p of counts, in bits."""
    seen = counts[counts > 0]
    if not seen.size:
        return 0.0
    fraction = seen / seen.sum()
    return max(float(-(fraction @ np.log2(fraction))), 0.0)


def _ratio(value: float, by: float) -> float:
    return value / by if by > 0 else 0.0


def info_gain(counts: Table) -> float:
    """H(C) − H(C | A) = Σ p_ij log2(p_ij / (p_i p_j)), the mutual information in bits."""
    return sums_of(compound(counts)).bits


def gain_ratio(counts: Table) -> float:
    """Information gain over H(A)."""
    return _ratio(info_gain(counts), entropy(compound(counts).sum(axis=1)))


def sym_gain_ratio1(counts: Table) -> float:
    """Information gain over H(A, C)."""
    return _ratio(info_gain(counts), entropy(compound(counts)))


def sym_gain_ratio2(counts: Table) -> float:
    """Information gain over H(A) + H(C)."""
    table = compound(counts)
    return _ratio(info_gain(table), entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)))


def _squares(counts: Table) -> tuple[float, float, float, float]:
    """Σ_j p_j Σ_i p_i|j², the same with A and C exchanged, Σ_i p_i² and Σ_j p_j²."""
    table = compound(counts)
    joint = table / table.sum() if table.size else np.ones((1, 1))
    parent, child = joint.sum(axis=1), joint.sum(axis=0)
    given_parent = float((joint**2 / parent[:, None]).sum())
    seen = child > 0
    given_child = float((joint[:, seen] ** 2 / child[seen]).sum())
    return given_parent, given_child, float(child @ child), float(parent @ parent)


def gini(counts: Table) -> float:
    """Reduction of the Gini index: Σ_j p_j Σ_i p_i|j² − Σ_i p_i²."""
    given_parent, _, child, _ = _squares(counts)
    return given_parent - child


def gini_sym(counts: Table) -> float:
    """The Gini reductions both ways, over what they could be at most."""
    given_parent, given_child, child, parent = _squares(counts)
    return _ratio(given_parent + given_child - child - parent, 2 - child - parent)


def relief(counts: Table) -> float:
    """Relief (Kira and Rendell 1992; Kononenko 1994): Gini with squared weights, normalised."""
    table = compound(counts)
    joint = table / table.sum() if table.size else np.ones((1, 1))
    parent, child = joint.sum(axis=1), joint.sum(axis=0)
    same_parent, same_child = float(parent @ parent), float(child @ child)
    # p_j² Σ_i p_i|j² = Σ_i p_ij²
    weighted = float((joint**2).sum()) / same_parent - same_child
    return _ratio(same_parent * weighted, same_child * (1 - same_child))


def chi2(counts: Table) -> float:
    """χ² = N Σ (p_i p_j − p_ij)² / (p_i p_j)."""
    return sums_of(compound(counts)).chi2


def chi2_norm(counts: Table) -> float:
    """χ² / N."""
    return _ratio(chi2(counts), float(counts.sum()))


def cramers_v(counts: Table) -> float:
    """Cramér's V = √(χ² / (N · min(r − 1, q − 1))) with the states that occur."""
    table = compound(counts)
    states = min(table.shape[0], int((table.sum(axis=0) > 0).sum()))
    return math.sqrt(_ratio(chi2_norm(table), states - 1))


def g2(counts: Table) -> float:
    """G² = 2 N ln 2 · information gain."""
    return sums_of(compound(counts)).g2


def _log2_factorial(counts: Table | float) -> Table:
    from scipy.special import gammaln

    logs: Table = gammaln(np.asarray(counts, dtype=np.float64) + 1) / math.log(2)
    return logs


def _log2_compositions(totals: Table, states: int) -> Table:
    """log2 C(N + r − 1, r − 1): which counts of r states sum to N."""
    return (
        _log2_factorial(totals + states - 1)
        - _log2_factorial(totals)
        - _log2_factorial(float(states - 1))
    )


def _saved_per_row(counts: Table, code_length: Callable[[Table], float]) -> float:
    """(L0 − L1) / N: bits a row saves when the child is coded apart for each parent state."""
    table = compound(counts)
    if not table.size:
        return 0.0
    return (code_length(table.sum(axis=0, keepdims=True)) - code_length(table)) / float(table.sum())


def _relative_code(table: Table) -> float:
    totals = table.sum(axis=1)
    entropies = np.array([entropy(row) for row in table])
    return float((_log2_compositions(totals, table.shape[1]) + totals * entropies).sum())


def _absolute_code(table: Table) -> float:
    totals = table.sum(axis=1)
    orders = _log2_factorial(totals) - _log2_factorial(table).sum(axis=1)
    return float((_log2_compositions(totals, table.shape[1]) + orders).sum())


def _stochastic_code(table: Table) -> float:
    from scipy.special import gammaln

    totals, r = table.sum(axis=1), table.shape[1]
    entropies = np.array([entropy(row) for row in table])
    volume = r / 2 * math.log2(math.pi) - float(gammaln(r / 2)) / math.log(2)
    return float((totals * entropies + (r - 1) / 2 * np.log2(totals / 2) + volume).sum())


def mdl_rel(counts: Table) -> float:
    """Description length saved per row, coding relative frequencies."""
    return _saved_per_row(counts, _relative_code)


def mdl_abs(counts: Table) -> float:
    """Description length saved per row, coding absolute frequencies: log2 of K2's ratio, over N."""
    return _saved_per_row(counts, _absolute_code)


def stoch_complexity(counts: Table) -> float:
    """Stochastic complexity saved per row (Rissanen 1995)."""
    return _saved_per_row(counts, _stochastic_code)


MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure("info_gain", "Information gain", True, info_gain),
        Measure("gain_ratio", "Information gain ratio", False, gain_ratio),
        Measure("sym_gain_ratio1", "Symmetric gain ratio by H(A, C)", True, sym_gain_ratio1),
        Measure("sym_gain_ratio2", "Symmetric gain ratio by H(A) + H(C)", True, sym_gain_ratio2),
        Measure("gini", "Gini reduction", False, gini),
        Measure("gini_sym", "Symmetric Gini reduction", True, gini_sym),
        Measure("relief", "Relief", False, relief),
        Measure("chi2", "χ²", True, chi2),
        Measure("chi2_norm", "χ² per row", True, chi2_norm),
        Measure("cramers_v", "Cramér's V", True, cramers_v),
        Measure("g2", "G²", True, g2),
        Measure("mdl_rel", "Description length, relative frequencies", False, mdl_rel),
        Measure("mdl_abs", "Description length, absolute frequencies", False, mdl_abs),
        Measure("stoch_complexity", "Stochastic complexity", False, stoch_complexity),
    )
}
