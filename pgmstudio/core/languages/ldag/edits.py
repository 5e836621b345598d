"""Edits of the labels of a labelled DAG: contexts, rows of classes, labels from equal rows."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.labels import (
    SAME,
    labelled_from_rows,
    labelled_less,
    labelled_more,
    with_labels_dropped,
    with_partition,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Context, with_context
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model


def add_context(
    model: Model, *, source: str, target: str, context: Context, weights: Floats | None = None
) -> LabelledDag:
    """Let the edge vanish in one more context; rows that merge become their weighted mean."""
    return labelled_more(_labelled(model), source, target, context, weights)


def remove_context(model: Model, *, source: str, target: str, context: Context) -> LabelledDag:
    """Keep the edge in a context in which it vanished; the rows keep their common numbers."""
    return labelled_less(_labelled(model), source, target, context)


def delete_labelled_edge(
    model: Model, *, source: str, target: str, context: Context, weights: Floats | None = None
) -> LabelledDag:
    """Add the last context to a label, after which no context needs the edge, and remove the edge.

    Edges that have no effect once the rows are merged are removed as well.
    """
    labelled = _labelled(model)
    axis = labelled.dag.parents(target).index(source)
    merged = with_context(labelled.classes[labelled.domain.index(target)], axis, context)
    return with_partition(labelled, target, merged, weights).regular()


def set_class_rows(model: Model, *, variable: str, rows: Floats) -> LabelledDag:
    """Replace the distributions of the classes of a variable, in their order."""
    labelled = _labelled(model)
    i = labelled.domain.index(variable)
    every = (*labelled.rows[:i], np.asarray(rows, dtype=np.float64), *labelled.rows[i + 1 :])
    return LabelledDag(labelled.domain, labelled.dag, labelled.classes, every)


def drop_labels(model: Model) -> LabelledDag:
    """Give every configuration a row of its own; the distribution stays."""
    return with_labels_dropped(_labelled(model))


def labels_from_rows(model: Model, *, tolerance: float = SAME) -> LabelledDag:
    """Add a label wherever a parent changes no number by more than the tolerance."""
    network = model.as_bayesian_network if isinstance(model, LabelledDag) else model
    if not isinstance(network, BayesianNetwork):
        raise GraphError(f"{a_kind(model.kind, 'A')} has no tables whose rows could be compared.")
    return labelled_from_rows(network, tolerance)


def _labelled(model: Model) -> LabelledDag:
    if not isinstance(model, LabelledDag):
        raise GraphError(
            f"{a_kind(model.kind, 'A')} has no labels; convert it to a labelled DAG first."
        )
    return model
