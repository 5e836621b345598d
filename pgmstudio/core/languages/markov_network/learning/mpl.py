"""Markov networks by marginal pseudo-likelihood (Pensar, Nyman, Niiranen and Corander 2017)."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.languages.markov_network.learning.blanket_record import (
    BlanketRecord,
    record_of,
)
from pgmstudio.core.languages.markov_network.learning.blankets import (
    MAX_EXHAUSTIVE_EDGES,
    MAX_EXHAUSTIVE_VARIABLES,
    BlanketSearch,
    EdgeStep,
)
from pgmstudio.core.languages.markov_network.learning.learner import (
    LN2,
    MarkovLearner,
    MarkovParams,
    edge_prior_param,
    finished,
    interim_network,
    max_neighbours_param,
    start_edges,
    structure_measures,
    table_notes,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    MPL,
    PIC,
    PSEUDO_SCORES,
    PseudoLikelihood,
    pseudo_score,
)
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure
from pgmstudio.core.learning.base import ArtifactSaved, ImprovedModel, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.params import lambda_param
from pgmstudio.core.learning.undirected_rules import UndirectedRules, direction_note
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import param

CLIMB, AND, OR, EXHAUSTIVE = "hc", "and", "or", "exhaustive"
RANKED = 20  # graphs of the exhaustive search that are stored
EMPTY = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoLikelihoodParams(MarkovParams):
    """The settings of searches by pseudo-likelihood."""

    score: str = param(
        MPL,
        title="Score",
        choices=PSEUDO_SCORES,
        help="mpl: marginal pseudo-likelihood, with the equivalent sample size as prior. pic: "
        "maximum of the pseudo-likelihood less ½ log N for each parameter. lambda: the same with "
        "the given weight of the parameters, for edges and for contexts.",
    )
    lambda_: float | None = lambda_param()
    edge_prior: float = edge_prior_param()
    max_neighbours: int = max_neighbours_param()


@dataclass(frozen=True, slots=True, kw_only=True)
class MplParams(PseudoLikelihoodParams):
    """The settings of the search by marginal pseudo-likelihood."""

    combine: str = param(
        CLIMB,
        title="Combine blankets",
        choices=(CLIMB, AND, OR, EXHAUSTIVE),
        help="hc: hill climbing over the edges that were found from one end at least. and, or: the "
        "edges that were found from both ends, or from one. exhaustive: the best of all graphs of "
        f"at most {MAX_EXHAUSTIVE_VARIABLES} variables or {MAX_EXHAUSTIVE_EDGES} edges.",
    )
    climb_from: str = param(
        EMPTY,
        title="Climb from",
        choices=(EMPTY, AND),
        help="Where hill climbing begins: without edges, or with those found from both ends. A "
        "start model replaces it.",
        advanced=True,
    )


@dataclass
class PseudoLikelihoodRun:
    """The scores and blankets of one run."""

    data: DataSet
    params: PseudoLikelihoodParams
    rules: UndirectedRules
    scores: PseudoLikelihood
    search: BlanketSearch
    graphs: dict[str, tuple[frozenset[Edge], float]] = field(default_factory=dict)
    steps: list[EdgeStep] = field(default_factory=list)

    @classmethod
    def of(cls, data: DataSet, params: PseudoLikelihoodParams) -> PseudoLikelihoodRun:
        rules = UndirectedRules.of(data.domain.names, params.knowledge)
        score = pseudo_score(
            params.score, data.total_weight, ess=params.ess, lambda_=params.lambda_
        )
        scores = PseudoLikelihood(data, score, max_table_cells=params.max_table_cells)
        search = BlanketSearch(scores, rules, params.max_neighbours, math.log2(params.edge_prior))
        return cls(data, params, rules, scores, search)

    def start_edges(self) -> frozenset[Edge]:
        """The edges to begin with: those required, and those of the start model."""
        return start_edges(self.params.start, self.data.domain, self.rules)

    def begin(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        """Notes on the rules, the first model, and the blankets."""
        yield from direction_note(self.params.knowledge)
        yield from self.improved(self.start_edges(), cancel)
        yield from self.search.find_blankets(cancel)
        for title, edges in ((AND, self.search.and_edges()), (OR, self.search.or_edges())):
            self.graphs[title] = edges, self.search.total(edges, cancel)
        if self.graphs[AND][1] > self.search.total(self.start_edges(), cancel):
            yield from self.improved(self.graphs[AND][0], cancel)
        sizes = [blanket.members.bit_count() for blanket in self.search.blankets]
        least = "" if min(sizes) == max(sizes) else f"{min(sizes)} to "
        yield Note(
            f"Blankets have {least}{count_of(max(sizes), 'variable')}. Edges found from one end at "
            f"least: {len(self.search.or_edges())}; from both: {len(self.search.and_edges())}."
        )

    def climb(
        self, start: Iterable[Edge], cancel: CancelToken
    ) -> Generator[LearnEvent, None, frozenset[Edge]]:
        """Hill climbing over the edges found from one end at least."""
        steps = self.search.climb(start, self.search.or_edges(), cancel)
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                edges: frozenset[Edge] = end.value
                break
            self.steps.append(step)
            if len(self.steps) % 8 == 1:
                yield Progress(
                    None, "Climbing", {"step": float(len(self.steps)), "gain": step.gain}
                )
        self.graphs[CLIMB] = edges, self.search.total(edges, cancel)
        return edges

    def record(self) -> ArtifactSaved:
        names = self.data.domain.names
        return ArtifactSaved(record_of(names, self.search, self.graphs, self.steps))

    def improved(
        self, edges: Iterable[Edge], cancel: CancelToken
    ) -> Generator[LearnEvent, None, MarkovNetwork]:
        """A graph on the way as a model."""
        structure = MarkovStructure(self.data.domain, frozenset(edges))
        network = yield from interim_network(structure, self.data, self.params, cancel)
        score = self.search.total(structure.edges, cancel)
        yield ImprovedModel(network, structure_measures(structure) | self.measures(score))
        return network

    def measures(self, score: float, pseudo_likelihood: float | None = None) -> dict[str, float]:
        """The score in bits, and without priors in natural logarithms, as papers print it."""
        plain = score if pseudo_likelihood is None else pseudo_likelihood
        names = {MPL: "log_mpl_nats", PIC: "pic_nats"}
        result = {"score": score}
        if self.params.score in names:
            result[names[self.params.score]] = plain * LN2
        return result


class MplLearner(MarkovLearner[MplParams]):
    """The blanket of each variable, then the graph."""

    key = "mn.mpl"
    passes = Passes(columns=2.0)
    title = "Marginal pseudo-likelihood"
    params_type = MplParams
    cost = Cost(2.0, 0.6, 2.0, states=4.0)
    artifacts = (BlanketRecord,)

    def search(
        self, data: DataSet, params: MplParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        run = PseudoLikelihoodRun.of(data, params)
        yield from run.begin(cancel)
        yield run.record()
        edges, score = yield from self._graph(run, params, cancel)
        yield run.record()
        network = yield from run.improved(edges, cancel)  # the final fit may take long
        structure = network.structure
        yield from map(Note, table_notes(run.scores, structure, cancel))
        prior = run.search.log2_edge_prior * len(edges)
        measures = run.measures(score, score - prior)
        measures["scores"] = float(run.scores.evaluations)
        yield (yield from finished(structure, data, params, measures, cancel, network))

    def _graph(
        self, run: PseudoLikelihoodRun, params: MplParams, cancel: CancelToken
    ) -> Generator[LearnEvent, None, tuple[frozenset[Edge], float]]:
        combine = params.combine
        if combine == EXHAUSTIVE:
            candidates = run.search.exhaustive_candidates()
            if candidates is not None:
                ranked = yield from run.search.best_of_all(candidates, RANKED, cancel)
                run.graphs |= {f"rank {n}": graph for n, graph in enumerate(ranked, 1)}
                yield Note(f"All {2 ** len(candidates)} graphs of the candidate edges were scored.")
                return ranked[0]
            yield Note(
                "There are too many candidate edges to score all graphs, so hill climbing was used."
            )
        if combine in (AND, OR):
            return run.graphs[combine]
        start = run.start_edges()
        if params.start is None and params.climb_from == AND:
            start |= run.search.and_edges()
        yield from run.climb(start, cancel)
        return run.graphs[CLIMB]
