"""The labelled DAG of highest score, by dynamic programming over sets of variables.

Labels of different tables are independent, so the algorithm for plain DAGs applies (Silander and
Myllymäki 2006): the best parents within every set of candidates, then the best last variable of
every set. Exact with respect to the labels found for each family.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.languages.ldag.learning.label_learner import (
    GivenKappaParams,
    LabelLearner,
    kappa_of,
    label_scores,
)
from pgmstudio.core.languages.ldag.learning.label_search import LabelScores
from pgmstudio.core.languages.ldag.learning.learner import label_notes, model_and_measures
from pgmstudio.core.learning.base import (
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import knowledge_param, max_parents_param, max_table_cells_param
from pgmstudio.core.scores.family_cache import mask_of

MAX_VARIABLES = 12
# If scores differ by less, the first is kept: fewer parents.
_ROUNDING = 1e-9

Masks = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactParams(GivenKappaParams):
    """The settings of the exact search."""

    max_parents: int | None = max_parents_param(4)
    knowledge: Knowledge | None = knowledge_param()
    max_table_cells: int = max_table_cells_param()


class ExactLearner(LabelLearner[ExactParams]):
    """The labelled graph of highest score, for few variables."""

    key = "ldag.exact"
    title = "Labelled graph, exact"
    params_type = ExactParams
    cost = Cost(60.0, 0.5, 5.0)

    def refuses(self, data: DataSet) -> str | None:
        columns = len(data.domain)
        if columns > MAX_VARIABLES:
            return (
                f"Not now: the exact search is for at most {MAX_VARIABLES} columns and there are "
                f"{columns}. Select fewer columns, or use ldag.greedy."
            )
        return super().refuses(data)

    def search(
        self, data: DataSet, params: ExactParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        start, _ = rules.starting_graph(())
        scores = label_scores(data, params, kappa_of(params), start, params.max_table_cells)
        yield ImprovedModel(*model_and_measures(scores, start, cancel))
        dag = yield from best_graph(scores, rules, cancel)
        yield from map(Note, label_notes(scores, dag))
        model, measures = model_and_measures(scores, dag, cancel)
        yield Finished(model, measures | {"families": float(scores.families_scored)})


def best_graph(
    scores: LabelScores, rules: EdgeRules, cancel: CancelToken
) -> Generator[Progress, None, Dag]:
    """The graph of highest score that the rules allow."""
    n = len(rules.names)
    values = np.empty((n, 1 << n))
    parents = np.empty((n, 1 << n), dtype=np.int64)
    for child in range(n):
        yield Progress(
            child / (n + 1),
            f"Labels for all parents of {rules.names[child]}",
            {"families": float(scores.families_scored)},
        )
        values[child], parents[child] = _best_parents(scores, rules, child, cancel)
    yield Progress(n / (n + 1), "Combining the families")
    best, last = np.full(1 << n, -math.inf), np.full(1 << n, -1, dtype=np.int64)
    best[0] = 0.0
    for members in range(1, 1 << n):
        for child in range(n):
            rest = members ^ (1 << child)
            if members >> child & 1:
                value = best[rest] + values[child, rest]
                if value > best[members] + _ROUNDING:
                    best[members], last[members] = value, child
    chosen: list[tuple[int, ...]] = [()] * n
    members = (1 << n) - 1
    while members:
        child = int(last[members])
        members ^= 1 << child
        mask = int(parents[child, members])
        chosen[child] = tuple(bits_of(mask))
    return Dag(rules.names, tuple(chosen))


def _best_parents(
    scores: LabelScores, rules: EdgeRules, child: int, cancel: CancelToken
) -> tuple[Floats, Masks]:
    """For every set of candidates, as bits, the best score in bits and the parents that have it."""
    n = len(rules.names)
    allowed = mask_of(np.flatnonzero(rules.allowed[:, child]).tolist())
    required = mask_of(np.flatnonzero(rules.required[:, child]).tolist())
    best, which = np.full(1 << n, -math.inf), np.zeros(1 << n, dtype=np.int64)
    for mask in range(1 << n):
        if mask >> child & 1:
            continue
        members = [*bits_of(mask)]
        for parent in members:
            less = mask ^ (1 << parent)
            if best[less] > best[mask] + _ROUNDING:
                best[mask], which[mask] = best[less], which[less]
        is_legal = not mask & ~allowed and not required & ~mask
        if is_legal and len(members) <= rules.most_parents:
            cancel.raise_if_cancelled()
            value = scores.local(child, members, cancel)
            if value > best[mask] + _ROUNDING:
                best[mask], which[mask] = value, mask
    return best, which
