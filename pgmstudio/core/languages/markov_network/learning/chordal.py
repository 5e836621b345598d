"""Chordal Markov networks and decomposable stratified graphs by their marginal likelihood.

The graphs that a search scored give probabilities of edges and contexts, weighted by score.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.languages.markov_network.learning.chordal_search import (
    ChordalScores,
    ChordalSearch,
    Key,
    Strata,
    chordal_start,
)
from pgmstudio.core.languages.markov_network.learning.learner import (
    LN2,
    MarkovLearner,
    MarkovParams,
    edge_prior_param,
    finished,
    interim_network,
    start_edges,
    structure_measures,
    table_notes,
)
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    MPL,
    PseudoLikelihood,
    bits_of,
    edges_of,
    pseudo_score,
)
from pgmstudio.core.languages.markov_network.structure import Configuration, Edge
from pgmstudio.core.learning.base import ArtifactSaved, ImprovedModel, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.learning.structure_posterior import (
    MIN_LISTED,
    ContextProbability,
    EdgeProbability,
    StructurePosterior,
    likely_graphs,
    weights_of,
)
from pgmstudio.core.learning.undirected_rules import UndirectedRules, direction_note
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import AUTO, param

MAX_EXACT_VARIABLES = 6
EXACT, CHAINS = "exact", "chains"
STEPS_PER_MODEL = 64  # of a climb, until it is shown as a model again


class MarkovPosterior(StructurePosterior):
    """The probabilities of Markov networks."""

    kind = "markov-posterior"
    is_directed = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChordalParams(MarkovParams):
    """The settings of the search for chordal graphs."""

    method: str = param(
        AUTO,
        title="Method",
        choices=(AUTO, EXACT, CHAINS),
        help=f"exact: all chordal graphs, for at most {MAX_EXACT_VARIABLES} variables. chains: "
        "hill climbing, then chains of random changes. auto: exact where it is possible.",
    )
    iterations: int = param(
        10_000, title="Steps", low=100, high=10_000_000, help="Number of steps of every chain."
    )
    chains: int = param(4, title="Chains", low=1, high=32, help="Number of parallel chains.")
    edge_prior: float = edge_prior_param()


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedParams(ChordalParams):
    """The settings of the search for chordal graphs with strata."""

    kappa: float = param(
        0.5,
        title="κ",
        low=0,
        high=1,
        help="Prior of strata: a factor κ for each parameter that they save; 0 is without strata.",
    )


C = TypeVar("C", bound=ChordalParams)


class ChordalFamilyLearner(MarkovLearner[C]):
    """A learner of chordal graphs."""

    artifacts = (MarkovPosterior,)
    score_kind = ScoreKind.MARGINAL

    def kappa(self, params: C) -> float | None:
        """The prior of strata; None without them."""
        return None

    def search(
        self, data: DataSet, params: C, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        rules = UndirectedRules.of(data.domain.names, params.knowledge)
        start = chordal_start(rules, start_edges(params.start, data.domain, rules))
        yield from direction_note(params.knowledge)
        pseudo = pseudo_score(MPL, data.total_weight, ess=params.ess)
        local = PseudoLikelihood(data, pseudo, max_table_cells=params.max_table_cells)
        prior = math.log2(params.edge_prior)
        scores = ChordalScores(local, kappa=self.kappa(params), log2_edge_prior=prior)
        search = ChordalSearch(scores, rules, cancel)
        run = _Run(data, params, rules, scores, cancel)
        yield from run.improved(start)
        is_small = len(data.domain) <= MAX_EXACT_VARIABLES
        if params.method == EXACT and not is_small:
            yield Note(
                f"All chordal graphs can be scored for at most {MAX_EXACT_VARIABLES} variables, so "
                "chains were used."
            )
        if is_small and params.method != CHAINS:
            yield from search.enumerate_all()
            how = f"all {count_of(len(search.models), 'chordal graph')}"
        else:
            for progress in search.climb(start):
                yield progress
                if progress.counters.get("step", 0) % STEPS_PER_MODEL == STEPS_PER_MODEL - 1:
                    yield from run.improved(search.best)
            yield from run.improved(search.best)
            best = search.best_score
            seed = int(rng.integers(2**63))
            for progress in search.run_chains(
                search.best, chains=params.chains, iterations=params.iterations, seed=seed
            ):
                yield progress
                if search.best_score > best:
                    best = search.best_score
                    yield from run.improved(search.best)
            how = f"{count_of(len(search.models), 'graph')} that the search visited"
        yield ArtifactSaved(
            posterior_of(
                data.domain,
                search.models,
                lambda key: scores.strata(key, cancel),
                search.steps,
                search.accepted,
            )
        )
        yield Note(f"Probabilities of edges are over {how}, weighted by score.")
        structure = scores.structure(data.domain, search.best, rules, cancel)
        yield from map(Note, table_notes(local, structure, cancel))
        measures = run.measures(search.best) | {"models": float(len(search.models))}
        yield (yield from finished(structure, data, params, measures, cancel))


@dataclass
class _Run:
    data: DataSet
    params: ChordalParams
    rules: UndirectedRules
    scores: ChordalScores
    cancel: CancelToken

    def measures(self, key: Key) -> dict[str, float]:
        """The score in bits with the priors, and in natural logarithms."""
        score = self.scores.total(key, self.cancel)
        return {"score": score, "score_nats": score * LN2}

    def improved(self, key: Key) -> Generator[Progress | ImprovedModel, None, None]:
        structure = self.scores.structure(self.data.domain, key, self.rules, self.cancel)
        network = yield from interim_network(structure, self.data, self.params, self.cancel)
        yield ImprovedModel(network, structure_measures(structure) | self.measures(key))


class ChordalLearner(ChordalFamilyLearner[ChordalParams]):
    """The chordal graph of largest marginal likelihood, and probabilities of edges."""

    key = "mn.chordal"
    passes = Passes(columns=6.0)
    title = "Chordal graph"
    params_type = ChordalParams
    cost = Cost(0.35, 0.3, 1.5)


class StratifiedLearner(ChordalFamilyLearner[StratifiedParams]):
    """The decomposable graph with strata of largest marginal likelihood."""

    key = "mn.stratified"
    passes = Passes(columns=6.0)
    title = "Chordal graph with strata"
    params_type = StratifiedParams
    cost = Cost(12.0, 0.3, 1.5)

    def kappa(self, params: StratifiedParams) -> float | None:
        return params.kappa


def posterior_of(
    domain: Domain,
    models: Mapping[Key, float],
    strata: Callable[[Key], Strata],
    steps: int,
    accepted: int,
) -> MarkovPosterior:
    """The probabilities over graphs with their scores in bits."""
    plain: defaultdict[Edge, float] = defaultdict(float)
    labelled: defaultdict[Edge, float] = defaultdict(float)
    in_context: defaultdict[tuple[Edge, tuple[int, ...], Configuration], float] = defaultdict(float)
    names = domain.names
    for key, weight in weights_of(models).items():
        if weight < 1e-12:
            continue
        for edge in edges_of(key):
            plain[edge] += weight
        for (i, j), elements in strata(key).items():
            labelled[i, j] += weight
            for states in elements:
                in_context[(i, j), bits_of(key[i] & key[j]), states] += weight
    edges = [
        EdgeProbability(names[i], names[j], min(weight, 1.0), min(labelled[i, j], 1.0))
        for (i, j), weight in sorted(plain.items(), key=lambda item: (-item[1], item[0]))
    ]
    contexts = [
        ContextProbability(
            names[edge[0]],
            names[edge[1]],
            tuple(
                (names[v], domain.variables[v].states[s])
                for v, s in zip(common, states, strict=True)
            ),
            min(weight, 1.0),
        )
        for (edge, common, states), weight in sorted(
            in_context.items(), key=lambda item: (-item[1], item[0])
        )
        if weight >= MIN_LISTED
    ]
    graphs = likely_graphs(models, edges_of, domain)
    return MarkovPosterior(len(models), steps, accepted, tuple(edges), tuple(contexts), graphs)
