"""Contextual Markov networks by marginal pseudo-likelihood (Pensar, Nyman and Corander 2017).

κ, which penalizes contexts, is chosen by BIC: for each κ a structure is learned by marginal
pseudo-likelihood, and its parameters are fitted by maximum likelihood once. Contexts that fit the
pseudo-likelihood too well show as a lower BIC.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.languages.markov_network.fitting import FittedMarkovNetwork
from pgmstudio.core.languages.markov_network.learning.blanket_record import BlanketRecord
from pgmstudio.core.languages.markov_network.learning.blankets import MIN_GAIN
from pgmstudio.core.languages.markov_network.learning.context_search import ContextSearch
from pgmstudio.core.languages.markov_network.learning.kappa_path import ContextPath, ContextPoint
from pgmstudio.core.languages.markov_network.learning.learner import (
    LN2,
    MarkovLearner,
    bic_of,
    finished,
    interim_network,
    structure_measures,
    table_notes,
)
from pgmstudio.core.languages.markov_network.learning.mpl import (
    PseudoLikelihoodParams,
    PseudoLikelihoodRun,
)
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    LAMBDA,
    PIC,
    PseudoLikelihood,
    neighbour_masks,
    pseudo_score,
)
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure
from pgmstudio.core.learning.base import ArtifactSaved, ImprovedModel, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.params import AUTO, param

SCRATCH, INCREMENTAL = "scratch", "incremental"
# With more columns contexts are searched incrementally, and edges near those of the blankets only.
MAX_SCRATCH_COLUMNS = 16
FROM_EMPTY, FROM_MPL = "no edges", "the graph without contexts"
# The gradient per row at which the fits for BIC end: far below what BIC can tell apart.
BIC_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextualParams(PseudoLikelihoodParams):
    """The settings of the search for contextual Markov networks."""

    kappa: float | Literal["auto"] = param(
        AUTO,
        title="κ",
        low=0,
        high=1,
        help="Prior of contexts: a factor κ for each parameter of a context; 0 is without contexts."
        " auto selects it by BIC and stores the model of every κ.",
    )
    kappas: tuple[float, ...] = param(
        (1.0, 0.5, 0.1, 0.01, 1e-3, 1e-4, 0.0),
        title="κ to try",
        low=0,
        high=1,
        help="For auto: the values to try; 0 is without contexts.",
        advanced=True,
    )
    max_common: int = param(
        4,
        title="Maximum common neighbours",
        low=0,
        high=8,
        help="An edge whose ends have more common neighbours carries no context.",
    )
    inner: str = param(
        AUTO,
        title="Search for contexts",
        choices=(AUTO, SCRATCH, INCREMENTAL),
        help="scratch: contexts are found anew for every changed graph. incremental: only for edges"
        " whose common neighbours change; faster. auto: from scratch up to "
        f"{MAX_SCRATCH_COLUMNS} columns.",
        advanced=True,
    )


@dataclass(frozen=True, slots=True)
class FoundStructure:
    """What the searches of one κ found; scores in bits, `pseudo_likelihood` without priors."""

    kappa: float
    structure: MarkovStructure
    score: float
    pseudo_likelihood: float
    start: str
    other_score: float  # of the other start

    @property
    def has_two_optima(self) -> bool:
        return abs(self.score - self.other_score) > 1e-6


class ContextualLearner(MarkovLearner[ContextualParams]):
    """Edges that vanish in some contexts."""

    key = "mn.contextual"
    passes = Passes(columns=4.0)
    title = "Contextual Markov network"
    params_type = ContextualParams
    cost = Cost(18.0, 0.4, 2.0, gaps=2.0)
    artifacts = (ContextPath, BlanketRecord)

    def search(
        self, data: DataSet, params: ContextualParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        run = PseudoLikelihoodRun.of(data, params)
        yield from run.begin(cancel)
        plain = yield from run.climb(run.start_edges(), cancel)
        yield run.record()
        if params.kappa != AUTO:
            kappas = [float(params.kappa)]
        elif params.score == LAMBDA:
            kappas = [1.0]  # λ is the price of contexts already
        else:
            kappas = sorted(set(params.kappas))
        yield from run.improved(plain, cancel)
        searches = _Searches(run, params, plain, len(kappas))
        path, best = ContextPath(), None
        fits: dict[MarkovStructure, FittedMarkovNetwork] = {}
        pic = PseudoLikelihood(data, pseudo_score(PIC, data.total_weight))
        for kappa in kappas:
            optimum = yield from searches.find(kappa, cancel)
            if optimum.has_two_optima:
                higher, lower = (
                    f"{value * LN2:.3f}" for value in (optimum.score, optimum.other_score)
                )
                yield Note(
                    f"κ {kappa:g}: the two starts end in different local optima, with scores "
                    f"{higher} and {lower} (natural logarithm). That from {optimum.start} was kept."
                )
            structure = optimum.structure
            if len(kappas) == 1:
                best = optimum
                break
            if structure not in fits:
                fits[structure] = yield from bic_of(structure, data, BIC_TOLERANCE, cancel)
                yield Progress(searches.fraction, f"κ {kappa:g}: fitted for BIC")
            point = yield from _point(optimum, fits[structure], pic, run, cancel)
            path = path.with_point(point)
            yield ArtifactSaved(path)
            if path.best() is point:
                best = optimum
                yield ImprovedModel(point.model, _measures(run, optimum, point))
        assert best is not None
        point_chosen = path.best() if path.points else None
        if point_chosen is not None:
            value = point_chosen.value(path.criterion)
            yield Note(
                f"κ {best.kappa:g} was chosen by {path.criterion}: {value:.4f} (natural "
                f"logarithm), {point_chosen.parameters} parameters."
            )
        yield from map(Note, table_notes(run.scores, best.structure, cancel))
        measures = _measures(run, best, point_chosen)
        yield (yield from finished(best.structure, data, params, measures, cancel))


class _Searches:
    """The searches of all κ, each from both starts."""

    def __init__(
        self,
        run: PseudoLikelihoodRun,
        params: ContextualParams,
        plain: frozenset[Edge],
        kappas: int,
    ) -> None:
        self._run, self._params, self._plain = run, params, plain
        columns = len(run.data.domain)
        self._is_small = columns <= MAX_SCRATCH_COLUMNS
        inner = params.inner
        self._is_incremental = inner == INCREMENTAL or (inner == AUTO and not self._is_small)
        self._candidates = frozenset(self._edges())
        self._total, self._done = 2 * kappas, 0

    @property
    def fraction(self) -> float:
        return self._done / self._total

    def _edges(self) -> Iterable[Edge]:
        """The edges that may change: all, or those found for blankets and those that close a
        triangle of such edges."""
        near = neighbour_masks(self._run.search.count, self._run.search.or_edges())
        for i, j in self._run.rules.pairs():
            if self._is_small or near[i] >> j & 1 or near[i] & near[j]:
                yield i, j

    def find(
        self, kappa: float, cancel: CancelToken
    ) -> Generator[LearnEvent, None, FoundStructure]:
        """The better of the searches from no edges and from the graph without contexts."""
        starts = {FROM_EMPTY: self._run.start_edges(), FROM_MPL: self._plain}
        results = []
        for name, start in starts.items():
            search = ContextSearch(
                self._run.search,
                self._run.data.domain,
                kappa=kappa,
                max_common=self._params.max_common,
                is_incremental=self._is_incremental,
            )
            yield from self._climb(search, start, f"κ {kappa:g}, from {name}", cancel)
            results.append((search.structure(), name))
            self._done += 1
        return self._better(kappa, search, results, cancel)

    def _better(
        self,
        kappa: float,
        search: ContextSearch,
        results: list[tuple[MarkovStructure, str]],
        cancel: CancelToken,
    ) -> FoundStructure:
        scored = []
        for structure, name in results:
            masks = neighbour_masks(self._run.search.count, structure.edges)
            value = self._run.scores.total(masks, structure.contexts, cancel)
            scored.append((value + search.log2_prior(structure), value, structure, name))
        first, second = scored
        best, other = (second, first) if second[0] > first[0] + MIN_GAIN else (first, second)
        return FoundStructure(kappa, best[2], best[0], best[1], best[3], other[0])

    def _climb(
        self, search: ContextSearch, start: Iterable[Edge], label: str, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        scores = self._run.scores
        yield Progress(self.fraction, label)
        for number, step in enumerate(search.climb(start, self._candidates, cancel), 1):
            yield Progress(
                self.fraction,
                label,
                {
                    "step": float(number),
                    "gain": step.gain,
                    "contexts": float(sum(map(len, search.contexts.values()))),
                    "scores": float(scores.evaluations),
                    "cache hits": float(scores.cache_hits),
                },
            )


def _point(
    optimum: FoundStructure,
    fitted: FittedMarkovNetwork,
    pic: PseudoLikelihood,
    run: PseudoLikelihoodRun,
    cancel: CancelToken,
) -> Generator[Progress, None, ContextPoint]:
    structure = optimum.structure
    masks = neighbour_masks(len(structure.domain), structure.edges)
    network = yield from interim_network(structure, run.data, run.params, cancel)
    return ContextPoint(
        optimum.kappa,
        optimum.start,
        len(structure.edges),
        structure.element_count,
        fitted.free_parameters,
        optimum.score,
        optimum.pseudo_likelihood * LN2,
        fitted.log_likelihood_nats,
        fitted.bic_nats,
        pic.total(masks, structure.contexts, cancel) * LN2,
        network,
    )


def _measures(
    run: PseudoLikelihoodRun, optimum: FoundStructure, point: ContextPoint | None
) -> dict[str, float]:
    result = structure_measures(optimum.structure)
    result |= run.measures(optimum.score, optimum.pseudo_likelihood)
    result["kappa"] = optimum.kappa
    if point is not None and not math.isnan(point.bic_nats):
        result["log_likelihood_nats"] = point.log_likelihood_nats
        result["bic_nats"] = point.bic_nats
    return result
