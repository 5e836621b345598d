"""Decomposable scores in bits; higher is better.

Every score is a sum over the families of a network of

    weight · (data term) − cost per parameter · (r − 1) · q

with r states of the child and q joint states of its parents. The data term is the maximised
log2-likelihood Σ N_jh log2(N_jh / N_j), or, for BDeu and K2, the log2 of the family's marginal
likelihood under a Dirichlet prior (Heckerman, Geiger and Chickering 1995; Cooper and Herskovits
1992), which needs no further cost.

Missing cells: the data term is taken over the rows that have all cells of the family, divided by
their weight and multiplied by the total weight N (node-average likelihood; Balov 2013), so that
families counted over different rows can be compared. A family that no row has in full predicts
uniformly: −N log2 r.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import ParameterError

SCORES = ("bic", "aic", "aic-thesis", "bdeu", "k2", "lambda")

# What a free parameter costs in AIC: one nat (Akaike 1974), here in bits.
AIC_BITS = math.log2(math.e)


def bic_bits(total_weight: float) -> float:
    """What a free parameter costs in BIC: ½ log2 N bits (Schwarz 1978)."""
    return math.log2(max(total_weight, 1.0)) / 2


SCORE_HELP = (
    "Score to maximize, in bits: bic and aic penalize parameters (aic-thesis: one bit each instead "
    "of one nat), bdeu and k2 are marginal likelihoods, lambda uses the given weight."
)


class DataTerm(IntEnum):
    """Which term of the data a score has; the compiled kernels know these numbers."""

    LOG_LIKELIHOOD = 0
    BDEU = 1
    K2 = 2


@dataclass(frozen=True, slots=True)
class Score:
    """One score; `prior_weight` is BDeu's equivalent sample size."""

    name: str
    term: DataTerm = DataTerm.LOG_LIKELIHOOD
    weight: float = 1.0
    cost_per_parameter: float = 0.0
    prior_weight: float = 1.0

    def local(self, counts: NDArray[np.float64]) -> float:
        """The score of one family from its complete counts, the child's axis last."""
        from pgmstudio.core.scores.kernels import data_terms, k_log2_k_table

        r = counts.shape[-1]
        q = counts.size // r
        term, seen = np.empty(1), np.empty(1)
        flat = np.ascontiguousarray(counts, dtype=np.float64).ravel()
        one, zero = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        table = k_log2_k_table(0)
        data_terms(flat, zero, one, q, r, int(self.term), self.prior_weight, table, term, seen)
        score: float = self.weight * float(term[0]) - self.cost_per_parameter * (r - 1) * q
        return score


def spaced_lambdas(low: float, high: float, count: int) -> tuple[float, ...]:
    """So many λ whose λ/(1−λ) are evenly spaced in their logarithm from `low` to `high`."""
    return tuple(float(ratio / (1 + ratio)) for ratio in np.geomspace(low, high, count))


def lambda_bic(total_weight: float) -> float:
    """The λ whose score ranks as BIC does: log2 N / (2 + log2 N)."""
    log: float = math.log2(max(total_weight, 1.0))
    return log / (2 + log)


def lambda_score(lambda_: float) -> Score:
    """S_λ = (1−λ)·L − λ·size_rep (Nielsen 2007, eq. 4.24)."""
    return Score("lambda", weight=1 - lambda_, cost_per_parameter=lambda_)


def score_of(
    name: str, total_weight: float, *, lambda_: float | None = None, ess: float = 1.0
) -> Score:
    """The score called `name` on data of that total weight; λ is λ_BIC when it is not given."""
    if name == "bic":
        return Score(name, cost_per_parameter=bic_bits(total_weight))
    if name == "aic":
        return Score(name, cost_per_parameter=AIC_BITS)
    if name == "aic-thesis":  # L − size_rep, a bit for each (Nielsen 2007, §4.1.1)
        return Score(name, cost_per_parameter=1.0)
    if name == "bdeu":
        return Score(name, DataTerm.BDEU, prior_weight=ess)
    if name == "k2":
        return Score(name, DataTerm.K2)
    if name == "lambda":
        return lambda_score(lambda_bic(total_weight) if lambda_ is None else lambda_)
    raise ParameterError({"score": f"{name!r} is not one of {', '.join(SCORES)}"})
