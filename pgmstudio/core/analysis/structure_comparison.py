"""Comparison of two models as structures: differing edges, distances and the change in score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pgmstudio.core.analysis.model_comparison import finite, row_log2, whole
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.comparison import (
    EdgeChange,
    GraphDifference,
    UndirectedDifference,
    graph_difference,
    undirected_difference,
)
from pgmstudio.core.graphs.triangulation import moral_edges
from pgmstudio.core.languages.conversions import dag_of
from pgmstudio.core.languages.diagrams import edge_contexts
from pgmstudio.core.model import Model, UndirectedModel
from pgmstudio.core.scores.row_means import Mean, mean_of

Edge = tuple[str, str]
DagAs = Literal["moral graph", "skeleton"]
MORAL: DagAs = "moral graph"  # parents of a common child are joined, so that blankets are the same
SKELETON: DagAs = "skeleton"


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


Contexts = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ModelDifference:
    """The comparison of two structures; differences are second − first.

    `dag_as` says what stands for the directed graph where the other one has no directions.
    `contexts` has the common edges that vanish in different contexts, with those of both models.
    """

    graph: GraphDifference | UndirectedDifference
    parameters: tuple[int, int]
    effective_sizes: tuple[int, int]
    contexts: Mapping[Edge, tuple[Contexts, Contexts]]
    dag_as: DagAs | None = None
    likelihood: LikelihoodChange | None = None  # None: no rows to ask

    def as_dict(self) -> dict[str, Any]:
        """For JSON; minus infinity is None."""
        graph = self.graph
        payload: dict[str, Any] = {
            "common": [list(edge.edge) for edge in graph.of(EdgeChange.COMMON)],
            "added": [list(edge.edge) for edge in graph.of(EdgeChange.ADDED)],
            "missing": [list(edge.edge) for edge in graph.of(EdgeChange.MISSING)],
            "only_first": list(graph.only_first),
            "only_second": list(graph.only_second),
        }
        if isinstance(graph, UndirectedDifference):
            payload |= {
                "dag_as": self.dag_as,
                "hamming_distance": graph.distance,
                "true_positives": graph.true_positives,
                "false_positives": graph.false_positives,
                "false_negatives": graph.false_negatives,
                "f1": graph.f1,
            }
        else:
            has_same_nodes = not (graph.only_first or graph.only_second)
            payload |= {
                "reversed": [list(edge.edge) for edge in graph.of(EdgeChange.REVERSED)],
                "shd": graph.shd,
                "shd_cpdag": graph.shd_of_classes,
                "equivalent": graph.shd_of_classes == 0 and has_same_nodes,
            }
        return payload | {
            "other_contexts": [
                {"edge": list(edge), "first": list(first), "second": list(second)}
                for edge, (first, second) in self.contexts.items()
            ],
            "representation_sizes": list(self.parameters),
            "effective_sizes": list(self.effective_sizes),
            **_likelihood_json(self.likelihood),
        }


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
    first: Model, second: Model, data: DataSet | None = None, *, dag_as: DagAs = MORAL
) -> ModelDifference:
    """How the second model differs from the first, with likelihoods when there are rows.

    Where one of them has no directions, a directed graph counts as its moral graph or skeleton.
    """
    models = first, second
    undirected = [isinstance(model, UndirectedModel) for model in models]
    is_mixed = len(set(undirected)) == 2
    graph: GraphDifference | UndirectedDifference
    if any(undirected):
        edges = [undirected_edges(model, dag_as) for model in models]
        graph = undirected_difference(first.domain.names, edges[0], second.domain.names, edges[1])
    else:
        graph = graph_difference(dag_of(first), dag_of(second))
    return ModelDifference(
        graph,
        (first.representation_size(), second.representation_size()),
        (first.effective_size(), second.effective_size()),
        {} if is_mixed else _other_contexts(first, second, graph),
        dag_as if is_mixed else None,
        None if data is None else likelihood_change(first, second, data),
    )


def undirected_edges(model: Model, dag_as: DagAs) -> tuple[Edge, ...]:
    """The edges without directions; of a directed graph those of its moral graph or skeleton."""
    if isinstance(model, UndirectedModel):
        return model.undirected_edges
    dag = dag_of(model)
    if dag_as == SKELETON:
        return dag.edges
    married = moral_edges(dag.parent_indices)
    return (*dag.edges, *((dag.names[a], dag.names[b]) for a, b in married))


def _other_contexts(
    first: Model, second: Model, graph: GraphDifference | UndirectedDifference
) -> dict[Edge, tuple[Contexts, Contexts]]:
    """The edges of both models that vanish in different contexts."""
    result = {}
    for edge in graph.of(EdgeChange.COMMON):
        one, other = (edge_contexts(model, *edge.edge) for model in (first, second))
        if one is not None and other is not None and _parts(one) != _parts(other):
            result[edge.edge] = one, other
    return result


def _parts(contexts: Contexts) -> set[frozenset[str]]:
    """Contexts whose variables have no order, since the models may list them differently."""
    return {frozenset(context.split(", ")) for context in contexts}


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
