"""Scores of a directed graph on rows, variable by variable; their sums are those of the graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.counting import FamilyCounter, family_counter
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import tuple_ids
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.scores.association_measures import Table, description_length, entropy
from pgmstudio.core.scores.local import Score, bic_bits, score_of

# What each score is; all in bits, the KL divergence per row.
SCORES = {
    "k2": "K2",
    "bdeu": "BDeu",
    "bic": "BIC",
    "aic": "AIC",
    "mdl": "MDL",
    "loglik": "Log-likelihood",
    "kl": "KL",
}
HIGHER_IS_BETTER = frozenset(SCORES) - {"mdl", "kl"}


@dataclass(frozen=True, slots=True)
class FamilyScore:
    """The scores of a variable given its parents, by key."""

    variable: str
    parents: tuple[str, ...]
    scores: dict[str, float]


@dataclass(frozen=True, slots=True)
class GraphScores:
    """The families in the order of the columns, and their sums; `rows` have no missing cell."""

    families: tuple[FamilyScore, ...]
    total: dict[str, float]
    rows: int
    weight: float

    def bic_effective(self, effective_size: float) -> float:
        """BIC with the effective size in place of the parameters, experimental: it is no sum over
        families, since one edge may change the whole junction tree (Nielsen 2007, §4.3.3)."""
        return self.total["loglik"] - bic_bits(self.weight) * effective_size


def graph_scores(dag: Dag, data: DataSet, cancel: CancelToken = NEVER) -> GraphScores:
    """All scores of a graph over some columns of the data, on the rows without missing cells.

    KL is the divergence of the graph's distribution with relative frequencies from that of the
    rows. Of a variable it is I(X; earlier variables | parents), in a topological order.
    """
    rows = data.select_columns(dag.names).complete_rows()
    if rows.row_count == 0:
        raise DataError("Every row has a missing cell, so the graph cannot be scored.")
    counter = family_counter(rows)
    lost = _divergences(dag, rows, counter, cancel)
    local: dict[str, Callable[[Table], float]] = {
        name: score_of(name, rows.total_weight).local for name in ("k2", "bdeu", "bic", "aic")
    }
    local["mdl"] = description_length
    local["loglik"] = Score("loglik").local
    families = []
    for child, parents in enumerate(dag.parent_indices):
        cancel.raise_if_cancelled()
        counts = counter.counts((*parents, child), cancel)
        scores = {name: score(counts) for name, score in local.items()} | {"kl": lost[child]}
        names = tuple(dag.names[p] for p in parents)
        families.append(FamilyScore(dag.names[child], names, scores))
    total = {name: sum(family.scores[name] for family in families) for name in SCORES}
    return GraphScores(tuple(families), total, rows.row_count, rows.total_weight)


def _divergences(
    dag: Dag, rows: DataSet, counter: FamilyCounter, cancel: CancelToken
) -> list[float]:
    """H(X | parents) − H(X | earlier variables) of each variable in bits, never below 0."""
    result = [0.0] * len(dag.names)
    order = dag.topological_order
    cards = rows.domain.cardinalities
    weights = rows.row_weights
    bits_before = 0.0
    for position, child in enumerate(order):
        cancel.raise_if_cancelled()
        known = list(order[: position + 1])
        _, which = tuple_ids(rows.codes[known].astype(np.int64), [cards[v] for v in known])
        bits = entropy(np.bincount(which, weights).astype(np.float64))
        family = counter.counts((*dag.parent_indices[child], child), cancel)
        given_parents = entropy(family) - entropy(family.sum(axis=-1))
        result[child] = max(0.0, given_parents - (bits - bits_before))
        bits_before = bits
    return result
