"""Labelled graphs by non-reversible chains: the best one, and how probable edges and labels are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.label_em import labels_by_em
from pgmstudio.core.learning.label_scores import NATS_PER_BIT
from pgmstudio.core.learning.ldag_chains import Chains
from pgmstudio.core.learning.ldag_notes import label_sentences, told_of
from pgmstudio.core.learning.ldag_params import GivenKappaParams, kappa_of, label_scores
from pgmstudio.core.learning.ldag_posterior import posterior_of
from pgmstudio.core.learning.missing_cells import (
    ON_MISSING,
    count_of,
    missing_sentence,
    refuse_empty,
)
from pgmstudio.core.learning.network_params import (
    knowledge_param,
    max_parents_param,
    max_table_cells_param,
    start_param,
)
from pgmstudio.core.learning.protocols import Finished, Found, Kept, LearnEvent
from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.params import param
from pgmstudio.core.running import CancelToken, Note, Progress

TOLD = 50  # times that a run tells how far it is


@dataclass(frozen=True, slots=True, kw_only=True)
class McmcParams(GivenKappaParams):
    """The settings of the chains."""

    iterations: int = param(
        10_000, title="Steps", low=100, high=10_000_000, help="Steps of every chain."
    )
    chains: int = param(4, title="Chains", low=1, high=32, help="Chains that walk side by side.")
    jump_rate: float = param(
        0.1,
        title="Jump rate",
        low=0,
        high=1,
        help="Probability that a chain jumps to the graph of another, better ones more often; it "
        "falls as 1/√t with the steps.",
    )
    count_evaluated: bool = param(
        False,
        title="Count every model scored",
        help="Also weigh models that were proposed and not gone to, for the probabilities.",
        advanced=True,
    )
    max_parents: int | None = max_parents_param(4)
    knowledge: Knowledge | None = knowledge_param()
    start: DirectedModel | None = start_param()
    max_table_cells: int = max_table_cells_param()


class McmcLearner:
    """The best labelled graph that chains visit, and probabilities of edges and labels."""

    key = "ldag.mcmc"
    title = "Labelled graph, chains"
    kind = "ldag"
    params_type = McmcParams

    def refuses(self, data: DataSet) -> str | None:
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_sentence(data, ON_MISSING)

    def run(
        self, data: DataSet, params: McmcParams, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        search = partial(self._run, params=params, rng=rng, cancel=cancel)
        yield from labels_by_em(search, data, params, rng=rng, cancel=cancel)

    def _run(
        self, data: DataSet, params: McmcParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        start = yield from rules.start_of(params.start)
        scores = label_scores(data, params, kappa_of(params), start, params.max_table_cells)
        chains = Chains(
            scores,
            rules,
            start,
            chains=params.chains,
            jump_rate=params.jump_rate,
            count_evaluated=params.count_evaluated,
            seed=int(rng.integers(2**63)),
            cancel=cancel,
        )
        yield Found(*told_of(scores, start, cancel))
        found = chains.best_score
        every = max(1, params.iterations // TOLD)
        while chains.steps < params.iterations and chains.step():
            if chains.steps % 32 == 0:
                cancel.raise_if_cancelled()
            if chains.steps % every == 0:
                yield _progress(chains, params, scores.families_scored)
                if chains.best_score > found:
                    found = chains.best_score
                    yield Found(*told_of(scores, chains.best_dag(), cancel))
        cancel.raise_if_cancelled()
        yield Kept(posterior_of(scores, chains.models, chains.steps, chains.accepted))
        kept = "scored" if params.count_evaluated else "visited"
        yield Note(
            f"Probabilities of edges and labels are over {count_of(len(chains.models), 'graph')} "
            f"that the chains {kept}, weighed by score; how often they were there does not count."
        )
        dag = chains.best_dag()
        yield from map(Note, label_sentences(scores, dag))
        model, measures = told_of(scores, dag, cancel)
        yield Finished(
            model, measures | {"models": float(len(chains.models)), "steps": float(chains.steps)}
        )


def _progress(chains: Chains, params: McmcParams, families: int) -> Progress:
    tried = chains.steps * params.chains
    counters = {
        "score": max(place.score for place in chains.at) / NATS_PER_BIT,
        "best score": chains.best_score / NATS_PER_BIT,
        "accepted": float(chains.accepted),
        "not accepted": float(tried - chains.accepted),
        "graphs": float(len(chains.models)),
        "families": float(families),
        "step": float(chains.steps),
    }
    return Progress(chains.steps / params.iterations, "Chains walk", counters)
