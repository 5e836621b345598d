"""Tests of A ⊥ B | Z from counts: χ², G², a threshold on the information gain, and BIC.

Z is a set of columns, taken as one column whose states are the joint states; the statistics are
summed over its states z. With E_ab = N_az N_bz / N_z inside a slice z,

    χ² = Σ (N_abz − E_ab)² / E_ab        G² = 2 Σ N_abz ln(N_abz / E_ab) = 2 N ln 2 · I(A; B | Z)

and both have asymptotically a χ² distribution if A ⊥ B | Z (Bishop, Fienberg and Holland 1975).
Rows that miss one of the cells are left out of that test; weights count as so many rows.

Sanov's test of independence, also within the groups of a third variable (Meilă 1999, §6.7).

The mutual information Î of N rows of two independent variables is at least M with probability at
most (N+1)^(r s) 2^(−N M), whatever their distributions (eq. 6.21). It is very cautious; χ² and G
with their asymptotic quantiles are offered too. All in bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.counting import Request, family_counter
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER, CancelToken

TESTS = ("g2", "chi2", "info_gain", "bic")

TEST_HELP = (
    "Criterion for independence: g2 and chi2 use the p-value; info_gain: the information gain is "
    "at most ε bits; bic: an edge would lower BIC."
)

# A larger table has no power with the row counts of real data sets.
MAX_TEST_CELLS = 1_000_000
ROWS_PER_FREEDOM = 5


NO_DISTRIBUTION = -1  # as degrees of freedom: the statistic has no p-value
NO_STATISTIC = -2  # as degrees of freedom: a statement instead of a test
STATED = "stated"  # instead of a test: what is independent was stated


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one test; `p_value` is that of χ² for the χ² test and of G² for the others.

    `statistic` is χ² or G², or for a test of the information gain the gain in bits. `bits` is the
    (conditional) information gain whatever the test. A test of fewer than 5 rows for each degree
    of freedom is not `reliable`.
    """

    statistic: float
    freedom: int
    p_value: float
    bits: float
    independent: bool
    reliable: bool

    @property
    def has_p_value(self) -> bool:
        """False for gains; their `p_value` is 1 or 0 by the result."""
        return self.freedom >= 0

    @property
    def is_stated(self) -> bool:
        """Whether it was stated instead of tested; its numbers mean nothing."""
        return self.freedom == NO_STATISTIC


class IndependenceTester(Protocol):
    """Whatever can answer A ⊥ B | Z: data, or a table of statements."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def test(
        self, a: int, b: int, given: Sequence[int], cancel: CancelToken = NEVER
    ) -> Outcome | None:
        """What the test of columns a and b given others finds; None when it cannot be made."""


@dataclass(frozen=True, slots=True)
class SliceSums:
    """The sums of a table from which every test follows."""

    total: float
    chi2: float
    g2: float
    occurring_freedom: int  # Σ_z (r_z − 1)(s_z − 1) over the states that occur in slice z
    full_freedom: int  # (r − 1)(s − 1) for each joint state of the condition

    @property
    def bits(self) -> float:
        """I(A; B | Z) in bits."""
        return self.g2 / (2 * self.total * math.log(2)) if self.total > 0 else 0.0


def sums_of(counts: Floats) -> SliceSums:
    """The sums of a table whose last two axes are A and B and whose other axes are Z."""
    from pgmstudio.core.scores.independence_kernels import slice_sums

    rows, columns = counts.shape[-2:]
    slices = math.prod(counts.shape[:-2])
    sums = np.empty(4)
    flat = np.ascontiguousarray(counts, dtype=np.float64).ravel()
    slice_sums(flat, slices, rows, columns, sums)
    total, chi2, g2, freedom = sums.tolist()
    return SliceSums(total, chi2, g2, round(freedom), (rows - 1) * (columns - 1) * slices)


def tail_probability(statistic: float, freedom: int) -> float:
    """P(χ² ≥ statistic) with that many degrees of freedom; 1 when there are none."""
    from scipy.special import chdtrc

    return float(chdtrc(freedom, statistic)) if freedom > 0 else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependenceRule:
    """Which test decides, and how strict it is.

    With `adjusted` only states that occur in a slice give degrees of freedom; without, every state
    and every joint state of the condition does.
    """

    test: str = "g2"
    alpha: float = 0.05
    epsilon: float = 0.01
    adjusted: bool = True

    def __post_init__(self) -> None:
        if self.test not in (*TESTS, STATED):
            raise ParameterError({"test": f"{self.test!r} is not one of {', '.join(TESTS)}"})

    @property
    def threshold(self) -> str:
        """When a pair counts as independent, as text."""
        match self.test:
            case "info_gain":
                return f"independent up to ε = {self.epsilon:g} bits"
            case "bic":
                return "independent when an edge would not pay for its parameters"
            case "stated":
                return "independent as stated"
            case _:
                return f"independent when p > α = {self.alpha:g}"

    def decide(self, counts: Floats) -> Outcome:
        """Whether A and B, the last two axes, are independent given the others."""
        sums = sums_of(counts)
        freedom = sums.occurring_freedom if self.adjusted else sums.full_freedom
        statistic = sums.chi2 if self.test == "chi2" else sums.g2
        p_value = tail_probability(statistic, freedom)
        match self.test:
            case "info_gain":
                statistic, independent = sums.bits, sums.bits <= self.epsilon
            case "bic":
                # ln L gains G²/2 nats and pays ½ ln N for each parameter.
                independent = sums.g2 <= freedom * math.log(max(sums.total, 1.0))
            case _:
                independent = p_value > self.alpha
        reliable = sums.total >= ROWS_PER_FREEDOM * freedom
        return Outcome(statistic, freedom, p_value, sums.bits, independent, reliable)


class DataTests:
    """Independence tests on one data set; a table of too many cells is not tested."""

    def __init__(
        self, data: DataSet, rule: IndependenceRule, *, most_cells: int = MAX_TEST_CELLS
    ) -> None:
        self.rule, self.most_cells = rule, most_cells
        self.names = data.domain.names
        self._cards = data.domain.cardinalities
        self._counter = family_counter(data)

    @property
    def reads_chunks(self) -> bool:
        """Whether tests that are not announced cost a pass over the rows each."""
        return isinstance(self._counter.data, ChunkedData)

    def prefetch(
        self, tests: Iterable[tuple[int, int, Sequence[int]]], cancel: CancelToken = NEVER
    ) -> None:
        """Announce tests, of a and b given others each."""
        wanted: list[Request] = []
        for a, b, given in tests:
            if math.prod(self._cards[m] for m in (*given, a, b)) <= self.most_cells:
                wanted.append(((*given, a), (b,)))
        self._counter.prefetch(wanted, cancel)

    def test(
        self, a: int, b: int, given: Sequence[int], cancel: CancelToken = NEVER
    ) -> Outcome | None:
        cancel.raise_if_cancelled()
        members = (*given, a, b)
        if math.prod(self._cards[m] for m in members) > self.most_cells:
            return None
        return self.rule.decide(self._counter.counts(members, cancel))


SANOV, CHI_SQUARE, G = "sanov", "chi2", "g"
SANOV_TESTS = (SANOV, CHI_SQUARE, G)


def sanov_threshold(rows: Floats | float, cells: Floats | float, delta: float) -> Floats:
    """M(δ) = (1/N) [log2(1/δ) + r s log2(N+1)] (eq. 6.22); `cells` is r s. ∞ without rows."""
    n = np.asarray(rows, dtype=np.float64)
    with np.errstate(divide="ignore"):
        result = (math.log2(1 / delta) + cells * np.log2(n + 1)) / n
    return np.asarray(result, dtype=np.float64)


def quantile_threshold(rows: Floats | float, freedom: Floats | float, delta: float) -> Floats:
    """χ²_{1−δ}(freedom) / (2 N ln 2): where χ² and G reject, in bits; ∞ without rows."""
    from scipy.special import chdtri

    safe = np.maximum(freedom, 1)
    with np.errstate(divide="ignore"):
        result = chdtri(safe, delta) / (2 * math.log(2) * np.asarray(rows, dtype=np.float64))
    return np.where(np.asarray(freedom) > 0, result, np.inf)


def level_of_each(delta: float, groups: int) -> float:
    """δ̃ = 1 − (1−δ)^(1/m): m tests at this level together have level δ (eq. 6.38)."""
    return -math.expm1(math.log1p(-delta) / groups)


def attainable(one: int, other: int) -> float:
    """The most information two variables of so many states can have: the smaller log2."""
    return math.log2(min(one, other))


def information(table: Floats) -> float:
    """Î = KL(P̂_uv ‖ P̂_u P̂_v) of a table of counts, in bits."""
    return float(_pairs_of(table, SANOV)[0, 1])


def _pairs_of(table: Floats, test: str) -> Floats:
    """One table as the counts of two variables among each other."""
    r, s = table.shape
    whole = np.zeros((r + s, r + s))
    whole[:r, r:], whole[r:, :r] = table, table.T
    return pair_statistics(whole, np.array([0, r]), test)[0]


def pair_statistics(counts: Floats, begins: NDArray[np.int64], test: str) -> tuple[Floats, Floats]:
    """The statistic of every pair of variables in bits, and the rows that have both.

    `counts[i, j]` are the rows with the cells i and j; those of variable v begin at `begins[v]`.
    Î for Sanov and G, χ² / (2 N ln 2) for χ²; a pair of a variable with itself means nothing.
    """

    def added(values: Floats) -> Floats:
        rows = np.add.reduceat(values, begins, axis=0)
        return np.asarray(np.add.reduceat(rows, begins, axis=1))

    per_cell = np.add.reduceat(counts, begins, axis=1)
    totals = np.add.reduceat(per_cell, begins, axis=0)
    safe = np.where(totals > 0, totals, 1.0)
    if test == CHI_SQUARE:
        variable_of = np.zeros(len(counts), dtype=np.intp)
        variable_of[begins[1:]] = 1
        variable_of = np.cumsum(variable_of)
        margins = per_cell[:, variable_of]
        both = margins * margins.T
        ratios = np.where(both > 0, counts**2 / np.where(both > 0, both, 1.0), 0.0)
        return np.maximum(added(ratios) - 1, 0) / (2 * math.log(2)), totals
    alone = np.add.reduceat(_k_log2_k(per_cell), begins, axis=0)
    result = added(_k_log2_k(counts)) - alone - alone.T + _k_log2_k(totals)
    return np.maximum(result / safe, 0), totals


def _k_log2_k(values: Floats) -> Floats:
    return np.asarray(values * np.log2(np.where(values > 0, values, 1.0)))
