"""Labels for a graph that is given: drawn by hand, imported, or learned otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.label_em import labels_by_em
from pgmstudio.core.learning.label_scores import MOST_CONFIGURATIONS
from pgmstudio.core.learning.ldag_notes import label_sentences, told_of
from pgmstudio.core.learning.ldag_params import GivenKappaParams, kappa_of, label_scores
from pgmstudio.core.learning.missing_cells import ON_MISSING, missing_sentence, refuse_empty
from pgmstudio.core.learning.network_params import knowledge_param
from pgmstudio.core.learning.protocols import Finished, Found, LearnEvent
from pgmstudio.core.learning.run_checks import given_start
from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.params import param
from pgmstudio.core.running import CancelToken, Note, Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenGraphParams(GivenKappaParams):
    """The settings of labels for a given graph."""

    start: DirectedModel | None = param(
        None,
        title="Model",
        none_label="not chosen",
        help="The model whose edges are kept and whose tables get labels.",
    )
    knowledge: Knowledge | None = knowledge_param(
        "the edges are those of the given model; the model is only checked."
    )


class LabelsLearner:
    """The labels and tables of a given graph."""

    key = "ldag.labels"
    title = "Labels of a graph"
    kind = "ldag"
    params_type = GivenGraphParams
    obeys_knowledge = False
    needs_start = True

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_sentence(data, ON_MISSING)

    def run(
        self,
        data: DataSet,
        params: GivenGraphParams,
        *,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        search = partial(self._run, params=params, cancel=cancel)
        yield from labels_by_em(search, data, params, rng=rng, cancel=cancel)

    def _run(
        self, data: DataSet, params: GivenGraphParams, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, None, None)
        dag, _ = rules.starting_graph(given_start(params.start).edges)
        plain = label_scores(data, params, 0.0, is_given_graph=True)
        yield Found(*told_of(plain, dag, cancel))
        scores = label_scores(data, params, kappa_of(params), is_given_graph=True)
        too_large = []
        for child, parents in enumerate(dag.parent_indices):
            name = dag.names[child]
            yield Progress(child / len(dag.names), f"Labels of {name}")
            cancel.raise_if_cancelled()
            if scores.family(child, parents, cancel).classes.size > MOST_CONFIGURATIONS:
                too_large.append(name)
        if too_large:
            yield Note(
                f"The table of {', '.join(too_large)} has more than {MOST_CONFIGURATIONS} rows; "
                "no labels were looked for there."
            )
        model, measures = told_of(scores, dag, cancel)
        without = plain.measures(dag, cancel)["score"]
        yield from map(Note, label_sentences(scores, dag))
        yield Finished(model, measures | {"score_without_labels": without})
