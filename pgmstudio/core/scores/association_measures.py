"""Association of a parent attribute A with its child C: the measures of the lecture "Learning the
Network Structure from Data" (Borgelt, Steinbrecher and Kruse 2009, ch. 7), in one table.

A table of numbers has the states of A as rows and those of C as columns: counts (probabilistic),
degrees of possibility (possibilistic), or anything above 0 for the pairs that occur (relational). A
set of parents is one compound attribute whose states are the joint states, so a family's table with
the child's axis last is such a table; joint states that never occur do not count. A conditional
measure takes one more axis in front, the joint states of the condition. Where a denominator is 0,
so is the value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.scores.independence import sums_of
from pgmstudio.core.scores.local import Score, score_of

Table = NDArray[np.float64]

BSK = "Borgelt, Steinbrecher and Kruse 2009, ch. 7"


class Setting(Enum):
    """What the numbers of a table are, and how a table over fewer variables follows from it."""

    RELATIONAL = "relational"  # 0 or 1: which tuples occur; projections
    PROBABILISTIC = "probabilistic"  # counts; sums
    POSSIBILISTIC = "possibilistic"  # degrees of possibility; largest degrees


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure; `symmetric` when exchanging parent and child changes nothing.

    `formula` has A for the parent, C for the child and Z for the condition.
    """

    key: str
    title: str
    symmetric: bool
    value: Callable[[Table], float]
    formula: str
    setting: Setting = Setting.PROBABILISTIC
    larger_is_stronger: bool = True
    is_conditional: bool = False
    reference: str = BSK

    @property
    def direction(self) -> str:
        """Which values are strong dependences, as text."""
        return "larger is stronger" if self.larger_is_stronger else "smaller is stronger"

    def strength(self, table: Table) -> float:
        """The value, negated where smaller is stronger."""
        value = self.value(table)
        return value if self.larger_is_stronger else -value


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


def description_length(counts: Table) -> float:
    """Bits of the child, the last axis, coded by relative frequencies for each parent state."""
    return _relative_code(compound(counts))


def mdl_rel(counts: Table) -> float:
    """Description length saved per row, coding relative frequencies."""
    return _saved_per_row(counts, _relative_code)


def mdl_abs(counts: Table) -> float:
    """Description length saved per row, coding absolute frequencies: log2 of K2's ratio, over N."""
    return _saved_per_row(counts, _absolute_code)


def stoch_complexity(counts: Table) -> float:
    """Stochastic complexity saved per row (Rissanen 1995)."""
    return _saved_per_row(counts, _stochastic_code)


# -- relational: which pairs occur


def _bits(number: int) -> float:
    return math.log2(number) if number else 0.0


def _hartley(table: Table) -> tuple[float, float, float]:
    """log2 of the numbers of states of A, of states of C and of pairs that occur."""
    occurs = compound(table) > 0
    return (
        _bits(int(np.count_nonzero(occurs.any(axis=1)))),
        _bits(int(np.count_nonzero(occurs.any(axis=0)))),
        _bits(int(np.count_nonzero(occurs))),
    )


def rel_relative(table: Table) -> float:
    """The part of all pairs of states that occur."""
    return _ratio(float(np.count_nonzero(table)), float(table.size))


def hartley_gain(table: Table) -> float:
    """log2 of the pairs that the single states allow, over those that occur."""
    parent, child, both = _hartley(table)
    return parent + child - both


def hartley_gain_ratio(table: Table) -> float:
    """Hartley gain over the Hartley information of A."""
    return _ratio(hartley_gain(table), _hartley(table)[0])


def hartley_sym1(table: Table) -> float:
    """Hartley gain over the Hartley information of the pair."""
    return _ratio(hartley_gain(table), _hartley(table)[2])


def hartley_sym2(table: Table) -> float:
    """Hartley gain over the sum of the Hartley information of A and of C."""
    parent, child, _ = _hartley(table)
    return _ratio(hartley_gain(table), parent + child)


# -- possibilistic: degrees, projected by their maximum


def nonspecificity(degrees: Table) -> float:
    """∫ log2 |α-cut| dα in bits: U-uncertainty (Higashi and Klir 1983)."""
    return float(_nonspecificities(degrees.reshape(1, -1))[0])


def _nonspecificities(rows: Table) -> Table:
    """The same of every row."""
    ascending = np.sort(rows, axis=1)
    steps = np.diff(ascending, axis=1, prepend=0.0)
    # The cut at the i-th degree has all cells from there on; equal degrees have steps of 0.
    bits: Table = steps @ np.log2(np.arange(rows.shape[1], 0, -1))
    return bits


def _nonspecific(table: Table) -> tuple[float, float, float]:
    table = compound(table)
    parts = (table.max(axis=1, initial=0.0), table.max(axis=0, initial=0.0), table)
    parent, child, both = map(nonspecificity, parts)
    return parent, child, both


def spec_gain(table: Table) -> float:
    """Specificity gain: nonspecificity of A and of C less that of the pair."""
    parent, child, both = _nonspecific(table)
    return parent + child - both


def spec_gain_ratio(table: Table) -> float:
    """Specificity gain over the nonspecificity of A."""
    return _ratio(spec_gain(table), _nonspecific(table)[0])


def spec_sym1(table: Table) -> float:
    """Specificity gain over the nonspecificity of the pair."""
    return _ratio(spec_gain(table), _nonspecific(table)[2])


def spec_sym2(table: Table) -> float:
    """Specificity gain over the sum of the nonspecificities of A and of C."""
    parent, child, _ = _nonspecific(table)
    return _ratio(spec_gain(table), parent + child)


def _without_interaction(table: Table) -> tuple[Table, Table]:
    """The degrees, and those that the single states allow: min(π(a), π(c))."""
    table = compound(table)
    allowed: Table = np.minimum(
        table.max(axis=1, keepdims=True, initial=0.0), table.max(axis=0, keepdims=True, initial=0.0)
    )
    return table, allowed


def poss_mi(table: Table) -> float:
    """−Σ π(a,c) log2(π(a,c) / min(π(a), π(c)))."""
    degrees, allowed = _without_interaction(table)
    seen = degrees > 0
    return float(-(degrees[seen] @ np.log2(degrees[seen] / allowed[seen]))) + 0.0


def poss_chi2(table: Table) -> float:
    """Σ (min(π(a), π(c)) − π(a,c))² / min(π(a), π(c))."""
    degrees, allowed = _without_interaction(table)
    seen = allowed > 0
    return float(((allowed - degrees)[seen] ** 2 / allowed[seen]).sum())


def poss_diff(table: Table) -> float:
    """Σ (min(π(a), π(c)) − π(a,c)): the additional degrees of the pair."""
    degrees, allowed = _without_interaction(table)
    return float((allowed - degrees).sum())


def poss_sq(table: Table) -> float:
    """Σ (min(π(a), π(c)) − π(a,c))²."""
    degrees, allowed = _without_interaction(table)
    return float(((allowed - degrees) ** 2).sum())


# -- conditional: the gain within every slice of the condition

AGGREGATIONS = ("mean", "weighted", "max")


def slice_gains(table: Table, setting: Setting) -> Table:
    """The gain of A and C within every slice z of a table z × a × c; 0 where nothing occurs."""
    if setting is Setting.RELATIONAL:
        occurs = table > 0
        parent, child = occurs.any(axis=2).sum(axis=1), occurs.any(axis=1).sum(axis=1)
        both = occurs.sum(axis=(1, 2))
        gains: Table = np.zeros(both.size)
        seen = both > 0
        gains[seen] = np.log2(parent[seen] * child[seen] / both[seen])
        return gains
    if setting is Setting.POSSIBILISTIC:
        both = table.reshape(table.shape[0], -1)
        parts = (table.max(axis=2, initial=0.0), table.max(axis=1, initial=0.0), both)
        parent, child, pair = map(_nonspecificities, parts)
        return parent + child - pair
    return np.array([info_gain(one) if one.any() else 0.0 for one in table])


def conditional_gain(table: Table, setting: Setting, aggregation: str = "mean") -> float:
    """The gains within the slices that occur: their mean, their mean weighted by the numbers of
    the slice, or the largest."""
    return aggregated(slice_gains(table, setting), table.sum(axis=(1, 2)), aggregation)


def aggregated(gains: Table, totals: Table, aggregation: str) -> float:
    """One number for the gains of slices with these sums; empty slices do not count."""
    seen = totals > 0
    if not seen.any():
        return 0.0
    if aggregation == "max":
        return float(gains[seen].max())
    weights = totals if aggregation == "weighted" else seen
    return float(gains[seen] @ weights[seen] / weights.sum())


def hartley_cond(table: Table) -> float:
    """The mean of the Hartley gains within the slices."""
    return conditional_gain(table, Setting.RELATIONAL)


def cond_info_gain(table: Table) -> float:
    """I(A; C | Z) in bits."""
    return sums_of(table).bits


def spec_cond(table: Table) -> float:
    """The mean of the specificity gains within the slices."""
    return conditional_gain(table, Setting.POSSIBILISTIC)


# Scores that only the lecture has: AIC with half a bit for a parameter, and no cost at all.
LECTURE_SCORES = {
    "aic_half": Score("aic_half", cost_per_parameter=0.5),
    "loglik": Score("loglik"),
}


def _scored(name: str) -> Callable[[Table], float]:
    """A score of the child given its parent, in bits."""

    def value(table: Table) -> float:
        return (LECTURE_SCORES.get(name) or score_of(name, float(table.sum()))).local(table)

    return value


_RELATIONAL, _POSSIBILISTIC = Setting.RELATIONAL, Setting.POSSIBILISTIC
_HARTLEY = "Hartley 1928; " + BSK
_NONSPEC = "Higashi and Klir 1983; " + BSK

MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure(
            "info_gain",
            "Information gain",
            True,
            info_gain,
            "Σ p(a,c) log2( p(a,c) / (p(a) p(c)) ) = H(A) + H(C) − H(A,C)",
            reference="Shannon 1948; Chow and Liu 1968",
        ),
        Measure("gain_ratio", "Information gain ratio", False, gain_ratio, "I(A;C) / H(A)"),
        Measure(
            "sym_gain_ratio1",
            "Symmetric gain ratio by H(A, C)",
            True,
            sym_gain_ratio1,
            "I(A;C) / H(A,C)",
        ),
        Measure(
            "sym_gain_ratio2",
            "Symmetric gain ratio by H(A) + H(C)",
            True,
            sym_gain_ratio2,
            "I(A;C) / (H(A) + H(C))",
        ),
        Measure("gini", "Gini reduction", False, gini, "Σ p(a) Σ p(c|a)² − Σ p(c)²"),
        Measure(
            "gini_sym",
            "Symmetric Gini reduction",
            True,
            gini_sym,
            "(Σ p(a) Σ p(c|a)² + Σ p(c) Σ p(a|c)² − Σ p(c)² − Σ p(a)²) / (2 − Σ p(c)² − Σ p(a)²)",
        ),
        Measure(
            "relief",
            "Relief",
            False,
            relief,
            "(Σ p(a,c)² − s Σ p(a)²) / (s (1 − s)), s = Σ p(c)²",
            reference="Kira and Rendell 1992; Kononenko 1994",
        ),
        Measure("chi2", "χ²", True, chi2, "N Σ (p(a) p(c) − p(a,c))² / (p(a) p(c))"),
        Measure("chi2_norm", "χ² per row", True, chi2_norm, "χ² / N"),
        Measure(
            "cramers_v",
            "Cramér's V",
            True,
            cramers_v,
            "√( χ² / (N min(r − 1, q − 1)) )",
            reference="Cramér 1946",
        ),
        Measure("g2", "G²", True, g2, "2 N ln 2 · I(A;C)"),
        Measure(
            "mdl_rel",
            "Description length, relative frequencies",
            False,
            mdl_rel,
            "(L(C) − L(C|A)) / N, L = Σ log2 C(N+r−1, r−1) + N H",
        ),
        Measure(
            "mdl_abs",
            "Description length, absolute frequencies",
            False,
            mdl_abs,
            "(L(C) − L(C|A)) / N, L = Σ log2 C(N+r−1, r−1) + log2 (N! / Π N_c!)",
        ),
        Measure(
            "stoch_complexity",
            "Stochastic complexity",
            False,
            stoch_complexity,
            "(L(C) − L(C|A)) / N, L = Σ N H + (r−1)/2 log2(N/2) + log2(π^(r/2) / Γ(r/2))",
            reference="Rissanen 1995",
        ),
        Measure(
            "k2",
            "K2 score",
            False,
            _scored("k2"),
            "Σ_a log2( (r−1)! / (N_a + r − 1)! · Π_c N_ac! )",
            reference="Cooper and Herskovits 1992",
        ),
        Measure(
            "bdeu",
            "BDeu score",
            False,
            _scored("bdeu"),
            "log2 marginal likelihood with α_ac = 1 / (r q)",
            reference="Heckerman, Geiger and Chickering 1995",
        ),
        Measure(
            "bic",
            "BIC",
            False,
            _scored("bic"),
            "−N H(C|A) − ½ log2(N) (r − 1) q",
            reference="Schwarz 1978",
        ),
        Measure(
            "aic",
            "AIC",
            False,
            _scored("aic"),
            "−N H(C|A) − log2(e) (r − 1) q",
            reference="Akaike 1974",
        ),
        Measure(
            "aic_half",
            "AIC with half the cost",
            False,
            _scored("aic_half"),
            "−N H(C|A) − ½ (r − 1) q, as the lecture prints it",
        ),
        Measure("loglik", "Log-likelihood", False, _scored("loglik"), "N (I(A;C) − H(C))"),
        Measure(
            "cond_info_gain",
            "Conditional information gain",
            True,
            cond_info_gain,
            "Σ p(z) Σ p(a,c|z) log2( p(a,c|z) / (p(a|z) p(c|z)) )",
            is_conditional=True,
            reference="Shannon 1948",
        ),
        Measure(
            "rel_relative",
            "Relative number of pairs",
            True,
            rel_relative,
            "|R(A,C)| / (|dom A| · |dom C|)",
            _RELATIONAL,
            larger_is_stronger=False,
        ),
        Measure(
            "hartley_gain",
            "Hartley information gain",
            True,
            hartley_gain,
            "log2( |R(A)| · |R(C)| / |R(A,C)| )",
            _RELATIONAL,
            reference=_HARTLEY,
        ),
        Measure(
            "hartley_gain_ratio",
            "Hartley gain ratio",
            False,
            hartley_gain_ratio,
            "Hartley gain / log2 |R(A)|",
            _RELATIONAL,
            reference=_HARTLEY,
        ),
        Measure(
            "hartley_sym1",
            "Symmetric Hartley gain ratio by H(A, C)",
            True,
            hartley_sym1,
            "Hartley gain / log2 |R(A,C)|",
            _RELATIONAL,
            reference=_HARTLEY,
        ),
        Measure(
            "hartley_sym2",
            "Symmetric Hartley gain ratio by H(A) + H(C)",
            True,
            hartley_sym2,
            "Hartley gain / (log2 |R(A)| + log2 |R(C)|)",
            _RELATIONAL,
            reference=_HARTLEY,
        ),
        Measure(
            "hartley_cond",
            "Conditional Hartley gain",
            True,
            hartley_cond,
            "mean over z of log2( |R(A|z)| · |R(C|z)| / |R(A,C|z)| )",
            _RELATIONAL,
            is_conditional=True,
            reference=_HARTLEY,
        ),
        Measure(
            "spec_gain",
            "Specificity gain",
            True,
            spec_gain,
            "nonspec(A) + nonspec(C) − nonspec(A,C)",
            _POSSIBILISTIC,
            reference=_NONSPEC,
        ),
        Measure(
            "spec_gain_ratio",
            "Specificity gain ratio",
            False,
            spec_gain_ratio,
            "specificity gain / nonspec(A)",
            _POSSIBILISTIC,
            reference=_NONSPEC,
        ),
        Measure(
            "spec_sym1",
            "Symmetric specificity gain ratio by the pair",
            True,
            spec_sym1,
            "specificity gain / nonspec(A,C)",
            _POSSIBILISTIC,
            reference=_NONSPEC,
        ),
        Measure(
            "spec_sym2",
            "Symmetric specificity gain ratio by the sum",
            True,
            spec_sym2,
            "specificity gain / (nonspec(A) + nonspec(C))",
            _POSSIBILISTIC,
            reference=_NONSPEC,
        ),
        Measure(
            "poss_mi",
            "Possibilistic mutual information",
            True,
            poss_mi,
            "−Σ π(a,c) log2( π(a,c) / min(π(a), π(c)) )",
            _POSSIBILISTIC,
        ),
        Measure(
            "poss_chi2",
            "Possibilistic χ²",
            True,
            poss_chi2,
            "Σ (min(π(a), π(c)) − π(a,c))² / min(π(a), π(c))",
            _POSSIBILISTIC,
        ),
        Measure(
            "poss_diff",
            "Sum of differences of degrees",
            True,
            poss_diff,
            "Σ (min(π(a), π(c)) − π(a,c))",
            _POSSIBILISTIC,
        ),
        Measure(
            "poss_sq",
            "Sum of squared differences of degrees",
            True,
            poss_sq,
            "Σ (min(π(a), π(c)) − π(a,c))²",
            _POSSIBILISTIC,
        ),
        Measure(
            "spec_cond",
            "Conditional specificity gain",
            True,
            spec_cond,
            "mean over z of the specificity gain of π(a,c,z)",
            _POSSIBILISTIC,
            is_conditional=True,
            reference=_NONSPEC,
        ),
    )
}


def formula_numbers(measure: Measure, table: Table) -> dict[str, float]:
    """The values of the symbols in the formula of a measure that is not conditional; sums over
    single cells have none."""
    numbers = _SYMBOLS[measure.setting](table)
    formula = measure.formula
    for gain in (MEASURES["hartley_gain"], MEASURES["spec_gain"]):
        formula = re.sub(gain.title.replace(" information", ""), gain.formula, formula, flags=re.I)
    used = set()
    for symbol in sorted(numbers, key=len, reverse=True):  # r is also a part of longer symbols
        rest = re.sub(rf"(?<!\w){re.escape(symbol)}(?!\w)", " ", formula)
        if rest != formula:
            used.add(symbol)
        formula = rest
    return {name: value for name, value in numbers.items() if name in used}


def _relational_symbols(table: Table) -> dict[str, float]:
    occurs = table > 0
    return {
        "|dom A|": table.shape[0],
        "|dom C|": table.shape[1],
        "|R(A)|": np.count_nonzero(occurs.any(axis=1)),
        "|R(C)|": np.count_nonzero(occurs.any(axis=0)),
        "|R(A,C)|": np.count_nonzero(occurs),
    }


def _probabilistic_symbols(table: Table) -> dict[str, float]:
    parent, child = table.sum(axis=1), table.sum(axis=0)
    given_parent, given_child, child_squares, parent_squares = _squares(table)
    occurring = min(np.count_nonzero(parent), np.count_nonzero(child))
    return {
        "N": float(table.sum()),
        "r": table.shape[1],
        "q": table.shape[0],
        "min(r − 1, q − 1)": max(occurring - 1, 0),
        "H(A)": entropy(parent),
        "H(C)": entropy(child),
        "H(A,C)": entropy(table),
        "H(C|A)": entropy(table) - entropy(parent),
        "I(A;C)": info_gain(table),
        "χ²": chi2(table),
        "Σ p(a)²": parent_squares,
        "Σ p(c)²": child_squares,
        "Σ p(a,c)²": float(((table / max(table.sum(), 1.0)) ** 2).sum()),
        "Σ p(a) Σ p(c|a)²": given_parent,
        "Σ p(c) Σ p(a|c)²": given_child,
    }


def _possibilistic_symbols(table: Table) -> dict[str, float]:
    return dict(zip(("nonspec(A)", "nonspec(C)", "nonspec(A,C)"), _nonspecific(table), strict=True))


_SYMBOLS: dict[Setting, Callable[[Table], dict[str, float]]] = {
    Setting.RELATIONAL: _relational_symbols,
    Setting.PROBABILISTIC: _probabilistic_symbols,
    Setting.POSSIBILISTIC: _possibilistic_symbols,
}


def measures_of(
    setting: Setting, *, symmetric: bool | None = None, conditional: bool = False
) -> tuple[str, ...]:
    """The keys of the measures of a setting."""
    return tuple(
        key
        for key, measure in MEASURES.items()
        if measure.setting is setting
        and measure.is_conditional is conditional
        and (symmetric is None or measure.symmetric is symmetric)
    )
