"""What labels cost and gain on data: the score of a labelled graph, and of the graph without."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.models.label_partitions import full_partition
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.running import NEVER, CancelToken
from pgmstudio.core.scores.partition_scores import PartitionScore

Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class VariableCost:
    """Of one table, in bits, higher is better; `plain` is its score with every row on its own."""

    variable: str
    likelihood: float  # marginal, or BIC
    prior: float
    plain: float

    @property
    def score(self) -> float:
        return self.likelihood + self.prior


@dataclass(frozen=True, slots=True)
class LabelCost:
    """Both in bits, higher is better; `plain` is the same graph without labels."""

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
    found = []
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
        found.append(VariableCost(variable.name, likelihood, prior, full_likelihood + full_prior))
    return LabelCost(tuple(found))
