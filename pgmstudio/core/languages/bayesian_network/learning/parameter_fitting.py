"""Tables for a given graph from data: α-smoothed relative frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from pgmstudio.core.data.counting import FamilyCounter, joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.smoothing import TunedSmoothing, smoothed, tune_smoothing
from pgmstudio.core.params import AUTO

Smoothing = float | Literal["auto"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network with its tables, and how they fit.

    `log2_likelihood` sums every table over the rows that have its cells: the log2-likelihood of
    the data when no cell is missing. After EM (`is_em`) it is that of the observed cells.
    """

    network: BayesianNetwork
    smoothing: float
    tuned: TunedSmoothing | None
    log2_likelihood: float
    is_em: bool = False

    def per_row(self, data: DataSet) -> dict[str, float]:
        """The measure of the fit; empty when missing cells leave it without a meaning."""
        if data.has_missing and not self.is_em:
            return {}
        return {"log2_likelihood_per_row": self.log2_likelihood / data.total_weight}


def fit_tables(
    data: DataSet,
    dag: Dag,
    smoothing: Smoothing = 1.0,
    *,
    rng: np.random.Generator | None = None,
    counter: FamilyCounter | None = None,
    observed: DataSet | None = None,
    cancel: CancelToken = NEVER,
) -> Fitted:
    """P(x | parents) from the counts of the rows that have these cells, each smoothed by α.

    "auto" tunes α by cross-validation, whose random split needs `rng`; on the `observed` rows where
    `data` are their completions, which would stand in several folds. A `counter` of the same data,
    where there is one, counts faster.
    """
    if dag.names != data.domain.names:
        raise DataError("The graph and the data have different columns; choose the same ones.")
    families = [(*parents, child) for child, parents in enumerate(dag.parent_indices)]
    tuned = None
    if smoothing == AUTO:
        if rng is None:
            raise ValueError("smoothing “auto” splits the rows at random and needs rng")
        tuned = tune_smoothing(data if observed is None else observed, families, rng, cancel)
        smoothing = tuned.smoothing
    assert isinstance(smoothing, float | int)
    count = partial(joint_counts, data) if counter is None else counter.counts
    tables = []
    log2_likelihood = 0.0
    for family in families:
        counts = count(family, cancel)
        table = smoothed(counts, smoothing)
        seen = counts > 0
        log2_likelihood += float(counts[seen] @ np.log2(table[seen]))
        tables.append(table)
    network = BayesianNetwork(data.domain, dag, tuple(tables))
    return Fitted(network, float(smoothing), tuned, log2_likelihood)
