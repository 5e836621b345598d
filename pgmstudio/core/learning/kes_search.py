"""All runs of a k-greedy equivalence search on one data set."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.hill_climb import largest_table
from pgmstudio.core.learning.kes_boundary import MOST_CHOICES, Boundary, ExactBoundary
from pgmstudio.core.learning.kes_climb import ClassClimb
from pgmstudio.core.learning.kes_gains import GainRows
from pgmstudio.core.learning.kes_optima import KesOptima, KesRun
from pgmstudio.core.learning.kes_params import KesParams
from pgmstudio.core.learning.kes_rules import ClassRules
from pgmstudio.core.learning.kes_sampling import SampledBoundary
from pgmstudio.core.running import NEVER, CancelToken, Progress
from pgmstudio.core.scores.family_scores import FamilyScores, mask_of
from pgmstudio.core.scores.local_scores import score_of


def kes_optima(
    data: DataSet, params: KesParams, *, rng: np.random.Generator, cancel: CancelToken = NEVER
) -> KesOptima:
    """All local optima that the runs of a search end in, without fitting any table."""
    search = KesSearch(data, params, rng)
    for _ in search.runs(cancel):
        cancel.raise_if_cancelled()
    return search.optima()


class KesSearch:
    """The runs for every greediness; gains once computed serve all of them."""

    def __init__(self, data: DataSet, params: KesParams, rng: np.random.Generator) -> None:
        self.rules = ClassRules(
            EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        )
        self.scores = FamilyScores(
            data,
            score_of(params.score, data.total_weight, lambda_=params.lambda_, ess=params.ess),
            max_table_cells=max(params.max_table_cells, largest_table(self.rules.start, data)),
        )
        self.gains = GainRows(self.scores, self.rules)
        is_exact = params.neighbourhood == "exact"
        self._exact = ExactBoundary(self.gains)
        boundary: Boundary = self._exact
        if not is_exact:
            boundary = SampledBoundary(self.gains, params.epsilon)
        self.climb = ClassClimb(self.gains, boundary, has_missing=data.has_missing)
        self._phases = params.phases
        self._plan = [
            greediness
            for greediness in params.greediness
            for _ in range(1 if greediness == 1 and is_exact else params.restarts)
        ]
        # A generator for each, so that no run depends on those before it.
        self._rngs = rng.spawn(len(self._plan))
        self._runs: list[KesRun] = []
        self._classes: set[Pdag] = set()
        self.best_score = -math.inf  # of the finished runs

    def optima(self) -> KesOptima:
        """Where the runs so far have ended."""
        return KesOptima(tuple(self._runs))

    def runs(self, cancel: CancelToken) -> Iterator[Progress]:
        """Make all runs, told step by step."""
        yield from self._prepare(cancel)
        for greediness, rng in zip(self._plan, self._rngs, strict=True):
            for _ in self.climb.climb(greediness, self._phases, rng, cancel):
                if self.climb.step % 8 == 0:
                    yield self._progress(greediness)
            run = KesRun(greediness, self.climb.score, self.climb.step, self.climb.cpdag)
            self._runs.append(run)
            self._classes.add(run.cpdag)
            self.best_score = max(self.best_score, run.score)
            yield self._progress(greediness)

    def _prepare(self, cancel: CancelToken) -> Iterator[Progress]:
        """Score what the first step of every run asks for."""
        start, n = self.rules.start.parent_indices, len(self.rules.names)
        for child in range(n):
            self.gains.row(child, mask_of(start[child]), cancel)
            if child % 8 == 7:
                yield Progress(None, f"Scoring pairs of {n} columns", {"column": child + 1.0})

    def _progress(self, greediness: float) -> Progress:
        climb, done, total = self.climb, len(self._runs), len(self._plan)
        counters = {
            "score": climb.score,
            "best score": max(self.best_score, climb.score),
            "greediness": greediness,
            "edges": float(climb.cpdag.edge_count),
            "step": float(climb.step),
            "runs": float(done),
            "distinct optima": float(len(self._classes)),
        }
        return Progress(
            done / total if total > 1 else None,
            f"Searching with greediness {greediness:g}",
            counters,
        )

    def sentences(self, best: Pdag) -> Iterator[str]:
        """What is worth keeping of the runs that led to `best`, a sentence each."""
        optima = self.optima()
        runs = len(optima.runs)
        compelled, edges = len(best.directed), best.edge_count
        if edges:
            yield (
                f"{compelled} of {edges} edges have the same direction in every graph that "
                "entails the same independences; the others could be reversed."
            )
        if runs > 1:
            yield (
                f"{runs} runs ended in {len(optima.optima)} different classes of graphs; "
                f"{sum(run.cpdag == best for run in optima.runs)} of them in the best."
            )
            best_few = ", ".join(f"{_signed(o.score)} ({o.runs})" for o in optima.optima[:5])
            yield f"The best scores, and how many runs ended there: {best_few}."
            for greediness in optima.greedinesses:
                scores = optima.sorted_scores(greediness)
                yield (
                    f"Greediness {greediness:g}: best score {_signed(scores[-1])}, "
                    f"median of {len(scores)} {_signed(scores[len(scores) // 2])}."
                )
        if self._exact.is_cut:
            yield (
                f"Some variables had more than {MOST_CHOICES} possible sets of parents; the "
                "larger ones were not looked at. A limit on parents makes the search complete."
            )


def _signed(score: float) -> str:
    return f"{score:.1f}".replace("-", "−")
