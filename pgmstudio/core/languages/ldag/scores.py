"""Scores of tables with classes of equal rows, and of labelled DAGs with and without labels.

The score is a marginal likelihood or BIC, and priors of labels and parents:

    log p(x | G_L) = Σ_l [ ln Γ(α_l) − ln Γ(α_l + n_l) + Σ_i ln Γ(α_l/r + n_il) − ln Γ(α_l/r) ]

over the classes l of a family, with α_l = ess · |S_l| / q: Dirichlet weights of merged rows add up,
and without merged rows this is BDeu (Pensar et al. 2015). The prior of labels is

    κ ^ ((r − 1)(q − k))

for k classes of q configurations, or κ to the number of contexts in the labels, and that of the
graph λ for each parent. Natural logarithms; learners report bits.

With this prior a graph has more weight the more labels it could carry, and dense graphs could carry
very many: one more binary parent triples the sum over all labels. The shared prior divides the
prior of each graph among its labels instead. Each context is in its label or not with odds κ to the
parameters it saves, so that with L_i contexts of parent i

    p(labels | graph) = κ ^ ((r − 1)(q − k)) / Π_i (1 + κ ^ ((r − 1)(r_i − 1))) ^ L_i
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    Classes,
    class_count,
    full_partition,
    labels_of,
    numbered,
)
from pgmstudio.core.scores.local import DataTerm

PARTITION_SCORES = ("bdeu", "k2", "bic")
PARAMETERS, ELEMENTS, SHARED = "parameters", "contexts", "shared"
USUAL_KAPPA = 0.1
# What can be merged: all states of a parent in a context, two of them, any two rows, or any rows
# into one default row.
CONTEXTS, STATES, ROWS, DEFAULT_ROW = "contexts", "states", "rows", "default row"

_TERMS = {"bdeu": DataTerm.BDEU, "k2": DataTerm.K2, "bic": DataTerm.LOG_LIKELIHOOD}


@lru_cache(maxsize=4096)
def _log_default_tables(q: int, log_odds: float) -> float:
    """ln of 1 + Σ_{m ≥ 2} (q choose m) x^(m − 1), over all sets of m rows that share a default row,
    the sum of which is ((1 + x)^q − 1) / x − q."""
    x = math.exp(log_odds)
    power = q * math.log1p(x)  # of (1 + x)^q
    if power > 30:
        return power - log_odds
    return math.log1p(math.expm1(power) / x - q) if power > 1e-3 else q * (q - 1) / 2 * x


@dataclass(frozen=True, slots=True)
class PartitionScore:
    """A score of partitions; κ = 0 allows no labels at all. `cost` is BIC's ½ ln N for each
    parameter, and `merging` what can be merged, over which the shared prior is normalized."""

    name: str = "bdeu"
    ess: float = 1.0
    kappa: float = 1.0
    per: str = PARAMETERS
    parent_prior: float = 1.0
    cost: float = 0.0
    merging: str = CONTEXTS

    def __post_init__(self) -> None:
        if self.name not in PARTITION_SCORES:
            raise ParameterError(
                {"score": f"{self.name!r} is not one of {', '.join(PARTITION_SCORES)}"}
            )

    @property
    def term(self) -> int:
        """The data term's number in the compiled kernels."""
        return int(_TERMS[self.name])

    @property
    def log_kappa(self) -> float:
        return math.log(self.kappa) if self.kappa > 0 else -math.inf

    def log_likelihood(self, counts: Floats, classes: Classes, scale: float = 1.0) -> float:
        """ln p(x | classes) of one family, or its BIC; the child's axis is the last of counts."""
        from pgmstudio.core.scores.partition_kernels import partition_score

        r, labels = counts.shape[-1], numbered(classes).ravel()
        flat = np.ascontiguousarray(counts, dtype=np.float64).ravel()
        count = int(labels.max(initial=0)) + 1
        return float(partition_score(flat, labels, count, r, self.term, self.ess, self.cost, scale))

    def log_label_prior(self, r: int, classes: Classes) -> float:
        """ln of the prior of the labels of a child with r states."""
        if self.per == ELEMENTS:
            saved = sum(int(label.sum()) for label in labels_of(classes) if label.size)
        else:
            saved = (r - 1) * (classes.size - class_count(classes))
        all_labels = self._log_alternatives(r, classes.shape) if self.per == SHARED else 0.0
        return (saved * self.log_kappa if saved else 0.0) - all_labels

    def _log_alternatives(self, r: int, cards: tuple[int, ...]) -> float:
        """ln of the sum over all that could be merged or not in a table."""
        q = math.prod(cards)
        if self.kappa <= 0 or q < 2 or (len(cards) < 2 and self.merging == CONTEXTS):
            return 0.0
        if self.merging == DEFAULT_ROW:
            return _log_default_tables(q, (r - 1) * self.log_kappa)
        one = math.log1p(self.kappa ** (r - 1))
        if self.merging == ROWS:
            return one * q * (q - 1) / 2
        if self.merging == STATES:
            return one * sum(q * (card - 1) / 2 for card in cards)
        return math.fsum(
            q // card * math.log1p(self.kappa ** ((r - 1) * (card - 1))) for card in cards
        )

    def log_prior(self, r: int, classes: Classes) -> float:
        """ln of the prior of one family: its labels and its parents."""
        return self.log_label_prior(r, classes) + classes.ndim * math.log(self.parent_prior)

    def rows(self, counts: Floats, classes: Classes) -> Floats:
        """The posterior means (n_il + α_l/r) / (n_l + α_l) of the classes."""
        sums, weights = self._sums(counts, classes)
        with_prior = sums + weights
        return np.asarray(with_prior / with_prior.sum(axis=1, keepdims=True))

    def pseudo_counts(self, r: int, classes: Classes) -> Floats:
        """What the prior adds to each cell of a table, so that a class has α_l/r of each state."""
        labels = classes.ravel()
        sizes = np.bincount(labels, minlength=class_count(classes))
        each = (
            1 / sizes[labels]
            if self.name == "k2"
            else np.full(labels.size, self.ess / (labels.size * r))
        )
        return np.broadcast_to(each.reshape((*classes.shape, 1)), (*classes.shape, r))

    def left_out(self, counts: Floats, classes: Classes) -> float:
        """Σ counts · log2 of the means that all other rows give: what is known of a row left out.

        log2 (n_il − 1 + α_l/r) / (n_l − 1 + α_l) for each of the n_il rows, in closed form.
        """
        sums, weights = self._sums(counts, classes)
        own = np.minimum(sums, 1.0)  # weights below one row are left out as they are
        r = counts.shape[-1]
        others = sums.sum(axis=1, keepdims=True) - own + r * weights
        seen = sums > 0
        means = np.divide(sums - own + weights, others, where=seen, out=np.ones_like(sums))
        return float(sums[seen] @ np.log2(means[seen]))

    def _sums(self, counts: Floats, classes: Classes) -> tuple[Floats, Floats]:
        """The counts of the classes, and the α_l/r of each."""
        r, labels = counts.shape[-1], classes.ravel()
        count = class_count(classes)
        flat = counts.reshape(-1, r)
        columns = [np.bincount(labels, flat[:, h], count) for h in range(r)]
        sums = np.stack(columns, axis=1).astype(np.float64)
        if self.name == "k2":
            return sums, np.ones((count, 1))
        sizes = np.bincount(labels, minlength=count)[:, None]
        return sums, np.asarray(self.ess * sizes / (labels.size * r))


def partition_score_of(
    name: str,
    total_weight: float,
    *,
    ess: float = 1.0,
    kappa: float = 1.0,
    per: str = PARAMETERS,
    parent_prior: float = 1.0,
    merging: str = CONTEXTS,
) -> PartitionScore:
    """The score called `name` on data of that total weight."""
    cost = math.log(max(total_weight, 1.0)) / 2 if name == "bic" else 0.0
    return PartitionScore(name, ess, kappa, per, parent_prior, cost, merging)


Counts = Floats


@dataclass(frozen=True, slots=True)
class VariableCost:
    """The score of one table in bits, higher is better; `plain` is its score with every row on its
    own."""

    variable: str
    likelihood: float  # marginal, or BIC
    prior: float
    plain: float

    @property
    def score(self) -> float:
        return self.likelihood + self.prior


@dataclass(frozen=True, slots=True)
class LabelCost:
    """The score of a labelled DAG in bits, higher is better; `plain` is that without labels."""

    by_variable: tuple[VariableCost, ...]

    @property
    def score(self) -> float:
        return math.fsum(one.score for one in self.by_variable)

    @property
    def plain(self) -> float:
        return math.fsum(one.plain for one in self.by_variable)


def fits(model: LabelledDag, data: DataSet) -> bool:
    """Whether the data set has every variable of the model with the same states."""
    return all(v.name in data.domain and data.domain[v.name] == v for v in model.domain)


def counts_of(
    model: LabelledDag, data: DataSet, variable: str, cancel: CancelToken = NEVER
) -> Counts:
    """Rows by the states of the parents in domain order, then of the variable itself."""
    family = [*model.dag.parents(variable), variable]
    return joint_counts(data, [data.domain.index(name) for name in family], cancel)


def label_cost(
    model: LabelledDag, data: DataSet, score: PartitionScore, cancel: CancelToken = NEVER
) -> LabelCost:
    """log2 of the marginal likelihood (or BIC) and of the prior of graph and labels."""
    costs = []
    for i, variable in enumerate(model.domain):
        counts = counts_of(model, data, variable.name, cancel)
        classes = model.classes[i]
        (likelihood, prior), (full_likelihood, full_prior) = (
            (
                score.log_likelihood(counts, c) / math.log(2),
                score.log_prior(variable.cardinality, c) / math.log(2),
            )
            for c in (classes, full_partition(classes.shape))
        )
        costs.append(VariableCost(variable.name, likelihood, prior, full_likelihood + full_prior))
    return LabelCost(tuple(costs))
