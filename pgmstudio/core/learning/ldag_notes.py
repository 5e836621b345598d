"""What is told of a labelled graph that was learned: measures, and labels without rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning.label_scores import LabelScores
from pgmstudio.core.learning.missing_cells import count_of
from pgmstudio.core.models.label_partitions import label_of
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.running import NEVER, CancelToken


def told_of(
    scores: LabelScores, dag: Dag, cancel: CancelToken = NEVER
) -> tuple[LabelledDag, dict[str, float]]:
    """The labelled model of a graph, and its measures; scores in bits."""
    model, log2_likelihood = scores.model(dag, cancel)
    measures = scores.measures(dag, cancel) | {
        "edges": float(len(dag.edges)),
        "labels": float(model.label_count),
        "parameters": float(model.representation_size()),
        "parameters_without_labels": float(model.unlabelled_size()),
        "kappa": scores.score.kappa,
    }
    if not scores.data.has_missing:
        measures["log2_likelihood_per_row"] = log2_likelihood / scores.total_weight
    return model, measures


def label_sentences(scores: LabelScores, dag: Dag) -> Iterator[str]:
    """How many contexts of labels have no rows behind them, where there are such."""
    unseen, total = unsupported_contexts(scores, dag)
    if unseen:
        contexts = "1 context of the labels has" if unseen == 1 else f"{unseen} contexts have"
        yield (
            f"Of {count_of(total, 'context')} in labels, {contexts} no support in the data: rows "
            "show at most one state of the parent there, so its rows were merged freely."
        )


def unsupported_contexts(scores: LabelScores, dag: Dag) -> tuple[int, int]:
    """Contexts in labels where fewer than two states of the parent were seen; and all contexts."""
    unseen, total = 0, 0
    for child, parents in enumerate(dag.parent_indices):
        if len(parents) < 2:
            continue
        classes = scores.family(child, parents).classes
        rows = scores.counts(child, parents).sum(axis=-1) > 0
        for axis in range(classes.ndim):
            label = label_of(classes, axis)
            seen = np.moveaxis(rows, axis, -1).sum(axis=-1)
            total += int(label.sum())
            unseen += int((label & (seen < 2)).sum())
    return unseen, total
