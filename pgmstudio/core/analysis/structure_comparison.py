"""Comparison of two models as structures: differing edges, distances and the change in score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.analysis.model_comparison import Mean, finite, mean_of, row_log2, whole
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.comparison import (
    EdgeChange,
    GraphDifference,
    UndirectedDifference,
    graph_difference,
    undirected_difference,
)
from pgmstudio.core.languages.conversions import dag_of
from pgmstudio.core.model import Model, UndirectedModel


@dataclass(frozen=True, slots=True)
class LikelihoodChange:
    """Σ log2 P(row) of both models on the same rows; `per_row` is second − first, paired.

    It is None where one of them rules out rows: the difference is not finite.
    """

    rows: float
    first: float
    second: float
    per_row: Mean | None

    @property
    def difference(self) -> float | None:
        """Second − first in bits; above 0 the second fits better."""
        return None if self.per_row is None else self.per_row.value * self.rows


@dataclass(frozen=True, eq=False)
class ModelDifference:
    """The comparison of two structures; differences are second − first."""

    graph: GraphDifference
    parameters: tuple[int, int]
    effective_sizes: tuple[int, int]
    likelihood: LikelihoodChange | None = None  # None: no rows to ask

    def as_dict(self) -> dict[str, Any]:
        """For JSON; minus infinity is None."""
        graph = self.graph
        payload: dict[str, Any] = {
            "common": [list(edge.edge) for edge in graph.of(EdgeChange.COMMON)],
            "added": [list(edge.edge) for edge in graph.of(EdgeChange.ADDED)],
            "missing": [list(edge.edge) for edge in graph.of(EdgeChange.MISSING)],
            "reversed": [list(edge.edge) for edge in graph.of(EdgeChange.REVERSED)],
            "only_first": list(graph.only_first),
            "only_second": list(graph.only_second),
            "shd": graph.shd,
            "shd_cpdag": graph.shd_of_classes,
            "equivalent": graph.shd_of_classes == 0 and not (graph.only_first or graph.only_second),
            "representation_sizes": list(self.parameters),
            "effective_sizes": list(self.effective_sizes),
        }
        return payload | _likelihood_json(self.likelihood)


@dataclass(frozen=True, eq=False)
class UndirectedModelDifference:
    """The comparison of two structures whose directions do not count."""

    graph: UndirectedDifference
    parameters: tuple[int, int]
    effective_sizes: tuple[int, int]
    likelihood: LikelihoodChange | None = None  # None: no rows to ask

    def as_dict(self) -> dict[str, Any]:
        """For JSON; minus infinity is None."""
        graph = self.graph
        payload: dict[str, Any] = {
            "common": [list(edge) for edge in graph.common],
            "added": [list(edge) for edge in graph.added],
            "missing": [list(edge) for edge in graph.missing],
            "only_first": list(graph.only_first),
            "only_second": list(graph.only_second),
            "hamming_distance": graph.hamming_distance,
            "f1": graph.f1,
            "representation_sizes": list(self.parameters),
            "effective_sizes": list(self.effective_sizes),
        }
        return payload | _likelihood_json(self.likelihood)


def _likelihood_json(change: LikelihoodChange | None) -> dict[str, Any]:
    if change is None:
        return {}
    return {
        "rows": whole(change.rows),
        "log2_likelihoods": [finite(change.first), finite(change.second)],
        "log2_likelihood_difference": change.difference,
        "standard_error_per_row": change.per_row and change.per_row.standard_error,
    }


def structure_difference(
    first: Model, second: Model, data: DataSet | None = None
) -> ModelDifference:
    """How the second model differs from the first, with likelihoods when there are rows."""
    return ModelDifference(
        graph_difference(dag_of(first), dag_of(second)),
        (first.representation_size(), second.representation_size()),
        (first.effective_size(), second.effective_size()),
        None if data is None else likelihood_change(first, second, data),
    )


def undirected_model_difference(
    first: Model, second: Model, data: DataSet | None = None
) -> UndirectedModelDifference:
    """How the edges of the second model differ from those of the first, whatever their direction;
    for pairs of models of which one has none."""
    edges = [
        model.undirected_edges if isinstance(model, UndirectedModel) else dag_of(model).edges
        for model in (first, second)
    ]
    graph = undirected_difference(first.domain.names, edges[0], second.domain.names, edges[1])
    return UndirectedModelDifference(
        graph,
        (first.representation_size(), second.representation_size()),
        (first.effective_size(), second.effective_size()),
        None if data is None else likelihood_change(first, second, data),
    )


def likelihood_change(first: Model, second: Model, data: DataSet) -> LikelihoodChange:
    """Both models on the same rows; DataError when they are not over the same variables."""
    unlike = sorted({*first.domain.names} ^ {*second.domain.names})
    if unlike:
        raise DataError(
            f"The likelihoods cannot be compared: only one of the models has {', '.join(unlike)}."
        )
    if data.row_count == 0:
        raise DataError("There are no rows to compare the likelihoods on.")
    before, after = row_log2(first, data), row_log2(second, data)
    means = [mean_of(bits, data.weights).value for bits in (before, after)]
    per_row = None
    if np.isfinite(means).all():
        with np.errstate(invalid="ignore"):  # rows of weight 0 may be impossible
            per_row = mean_of(after - before, data.weights)
    total = data.total_weight
    return LikelihoodChange(total, means[0] * total, means[1] * total, per_row)
