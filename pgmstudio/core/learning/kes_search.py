"""All runs of a k-greedy equivalence search on one data set."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.cpdag import Pdag
from pgmstudio.core.learning.kes_boundary import MOST_CHOICES
from pgmstudio.core.learning.kes_climb import ClassClimb
from pgmstudio.core.learning.kes_optima import KesOptima, KesRun
from pgmstudio.core.learning.kes_params import KesParams
from pgmstudio.core.learning.kes_restarts import (
    Climbed,
    Climber,
    ClimbEvent,
    Climbing,
    Planned,
    process_count,
    spread,
)
from pgmstudio.core.running import NEVER, CancelToken, Progress


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
        self._data, self._params = data, params
        self.climber = Climber(data, params)
        self.rules, self.scores = self.climber.rules, self.climber.scores
        is_exact = params.neighbourhood == "exact"
        self._runs_of = {
            greediness: 1 if greediness == 1 and is_exact else params.restarts
            for greediness in params.greediness
        }
        wanted = [g for g in params.greediness for _ in range(self._runs_of[g])]
        # A generator for each, so that no run depends on those before it.
        self._plan = [
            Planned(number, greediness, own)
            for number, (greediness, own) in enumerate(
                zip(wanted, rng.spawn(len(wanted)), strict=True)
            )
        ]
        self._runs: list[KesRun] = []
        self._classes: set[Pdag] = set()
        self._steps = 0  # of all finished runs
        self._is_cut = False
        self.best_score = -math.inf  # of the finished runs

    @property
    def climb(self) -> ClassClimb:
        """The climb that is made in this process."""
        return self.climber.climb

    def optima(self) -> KesOptima:
        """Where the runs so far have ended."""
        return KesOptima(tuple(self._runs))

    @property
    def run_count(self) -> int:
        return len(self._runs)

    @property
    def is_done(self) -> bool:
        return len(self._runs) == len(self._plan)

    def runs(self, cancel: CancelToken) -> Iterator[tuple[ClimbEvent | None, Progress]]:
        """Make all runs; what each tells, in the order of the plan, and how far they all are."""
        first_rows: dict[tuple[int, int], NDArray[np.float64]] = {}
        n = len(self.rules.names)
        for key, place in self.climber.first_rows(cancel):
            first_rows[key] = self.climber.gains.values[place]
            if key[0] % 8 == 7:
                words = f"Scoring pairs of {n} columns"
                yield None, Progress(None, words, {"column": key[0] + 1.0})
        for number, event in self._events(first_rows, cancel):
            greediness = self._plan[number].greediness
            if isinstance(event, Climbed):
                run = KesRun(greediness, event.score, event.step, event.cpdag, event.seconds)
                self._runs.append(run)
                self._classes.add(run.cpdag)
                self._is_cut |= event.is_cut
                self.best_score = max(self.best_score, run.score)
            yield event, self._progress(self._plan[number], event)
            if isinstance(event, Climbed):
                self._steps += event.step

    def _events(
        self, first_rows: dict[tuple[int, int], NDArray[np.float64]], cancel: CancelToken
    ) -> Iterator[tuple[int, ClimbEvent]]:
        processes = process_count(self._data, self._params, len(self._plan))
        if processes > 1:
            yield from spread(self._data, self._params, self._plan, processes, first_rows, cancel)
            return
        for planned in self._plan:
            for event in self.climber.events(planned, cancel):
                yield planned.number, event

    def _progress(self, planned: Planned, event: ClimbEvent) -> Progress:
        k, done, total = planned.greediness, len(self._runs), len(self._plan)
        before = next(p.number for p in self._plan if p.greediness == k)
        edges = event.cpdag.edge_count if isinstance(event, Climbed) else event.edges
        counters = {
            "score": event.score,
            "best score": max(self.best_score, event.score),
            "edges": float(edges),
            "distinct optima": float(len(self._classes)),
            "runs": float(done),
            "greediness": k,
            "restart": planned.number + 1.0,
            "restarts": float(total),
            "step": float(self._steps + event.step),
        }
        if isinstance(event, Climbing) and event.better is not None:
            counters["better neighbours"] = float(event.better)
        words = f"k = {k:g}"
        if self._runs_of[k] > 1:
            words += f", restart {planned.number - before + 1} of {self._runs_of[k]}"
        last = event.move if isinstance(event, Climbing) else "at a local optimum"
        return Progress(done / total if total > 1 else None, f"{words}: {last}", counters)

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
        if self._is_cut:
            yield (
                f"Some variables had more than {MOST_CHOICES} possible sets of parents; the "
                "larger ones were not looked at. A limit on parents makes the search complete."
            )


def _signed(score: float) -> str:
    return f"{score:.1f}".replace("-", "−")
