"""Edges that may be there only because missing cells were filled as if they were.

Completions by a network with an edge show the edge, also where no cell speaks for it. Of the
likelihood that an edge gains on completed rows, the share of rows that lack a cell of its family is
hearsay. If the rest does not pay for the edge's parameters, the edge is in doubt, and only the
score of the observed cells can tell whether it should stay.
"""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.editing import weights_of
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.running import NEVER, CancelToken
from pgmstudio.core.scores.family_scores import FamilyScores
from pgmstudio.core.scores.local_scores import Score


def doubtful_edges(
    dag: Dag, data: DataSet, completed: DataSet, score: Score, cancel: CancelToken = NEVER
) -> list[tuple[str, str]]:
    """The edges in doubt, the one that gains least on the completed rows first."""
    scores = FamilyScores(completed, score)
    is_missing = data.codes == data.missing_code
    weights = weights_of(data)
    cards = data.domain.cardinalities
    found = []
    for child, parents in enumerate(dag.parent_indices):
        lacking = is_missing[[*parents, child]].any(axis=0)
        hearsay = float(weights[lacking].sum()) / data.total_weight
        rows = int(np.prod([cards[p] for p in parents]))
        for parent in parents:
            rest = [p for p in parents if p != parent]
            gain = scores.local(child, parents, cancel) - scores.local(child, rest, cancel)
            price = score.cost_per_parameter * (cards[child] - 1) * (rows - rows // cards[parent])
            if gain < hearsay * (gain + price):
                found.append((gain, (dag.names[parent], dag.names[child])))
    return [edge for _, edge in sorted(found)]
