"""The labelled DAG of highest score, by dynamic programming over sets of variables.

Labels of different tables are independent, so the algorithm for plain DAGs applies. Exact with
respect to the labels found for each family.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.ldag.learning.label_learner import (
    GivenKappaParams,
    LabelLearner,
    kappa_of,
    label_scores,
)
from pgmstudio.core.languages.ldag.learning.learner import label_notes, model_and_measures
from pgmstudio.core.learning.base import (
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.exact_search import best_graph
from pgmstudio.core.learning.params import knowledge_param, max_parents_param, max_table_cells_param

MAX_VARIABLES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactParams(GivenKappaParams):
    """The settings of the exact search."""

    max_parents: int | None = max_parents_param(4)
    knowledge: Knowledge | None = knowledge_param()
    max_table_cells: int = max_table_cells_param()


class ExactLearner(LabelLearner[ExactParams]):
    """The labelled graph of highest score, for few variables."""

    key = "ldag.exact"
    passes = Passes(columns=4.0)
    title = "Labelled graph, exact"
    params_type = ExactParams
    cost = Cost(60.0, 0.5, 5.0)

    def refuses(self, data: DataSet) -> str | None:
        columns = len(data.domain)
        if columns > MAX_VARIABLES:
            return (
                f"The exact search is for at most {MAX_VARIABLES} columns and there are "
                f"{columns}. Select fewer columns, or use the greedy search (ldag.greedy)."
            )
        return super().refuses(data)

    def search(
        self, data: DataSet, params: ExactParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        start, _ = rules.starting_graph(())
        scores = label_scores(data, params, kappa_of(params), start, params.max_table_cells)
        yield ImprovedModel(*model_and_measures(scores, start, cancel))
        dag = yield from best_graph(scores.local, rules, cancel)
        yield from map(Note, label_notes(scores, dag))
        model, measures = model_and_measures(scores, dag, cancel)
        yield Finished(model, measures | {"families": float(scores.families_scored)})
