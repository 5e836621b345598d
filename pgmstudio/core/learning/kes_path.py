"""One more start for an equivalence search: where stronger and stronger penalties led.

A greedy search by a large λ keeps only the strongest edges. Searched on from there with the next
smaller λ, and so on down to the score that is asked for, it joins the weaker ones in another order
than a search that begins without edges, and often ends in another optimum.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.learning.kes_params import KesParams
from pgmstudio.core.learning.kes_restarts import Climber
from pgmstudio.core.running import CancelToken, Progress
from pgmstudio.core.scores.family_scores import FamilyScores
from pgmstudio.core.scores.local_scores import DataTerm, Score, lambda_bic


def own_lambda(score: Score, total_weight: float) -> float:
    """The λ whose score ranks as this one does; BDeu comes near BIC as rows become many."""
    if score.term is not DataTerm.LOG_LIKELIHOOD:
        return lambda_bic(total_weight)
    return score.cost_per_parameter / (score.weight + score.cost_per_parameter)


def path_of(params: KesParams, scores: FamilyScores) -> tuple[float, ...]:
    """The λ of the path above the score's own, from the largest down."""
    own = own_lambda(scores.score, scores.total_weight)
    return tuple(sorted({w for w in params.lambda_path or () if w > own}, reverse=True))


def path_end(
    data: DataSet,
    params: KesParams,
    path: Sequence[float],
    scores: FamilyScores,
    cancel: CancelToken,
) -> Generator[tuple[None, Progress], None, Pdag]:
    """The class that greedy searches end in, each begun where the one before ended."""
    at: Pdag | None = None
    rng = np.random.default_rng(0)  # greedy steps draw nothing
    exact = replace(params, score="lambda", neighbourhood="exact")
    for place, weight in enumerate(path, start=1):
        climber = Climber(data, replace(exact, lambda_=weight), counted=scores)
        for _ in climber.climb.climb(1.0, params.phases, rng, cancel, at):
            words = f"λ = {weight:g}, {place} of {len(path)} on the path: {climber.climb.last}"
            yield None, Progress(None, words, {"edges": float(climber.climb.cpdag.edge_count)})
        at = climber.climb.cpdag
    assert at is not None
    return at
