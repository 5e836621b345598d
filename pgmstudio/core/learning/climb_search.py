"""The climbs of one run over directed graphs, told as events."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic

import numpy as np

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning.graph_climb import GraphClimb, S, flags_of
from pgmstudio.core.learning.protocols import Found, LearnEvent
from pgmstudio.core.models.protocols import Model
from pgmstudio.core.running import CancelToken, Progress


class ClimbSearch(ABC, Generic[S]):
    """A climb from a start and further ones from the best graph without most of its edges.

    `column_seconds` and `fit_seconds` are about how long it takes to score the changes of one
    variable and to make a model.
    """

    def __init__(
        self,
        graph: GraphClimb[S],
        rng: np.random.Generator,
        *,
        tabu: int,
        restarts: int,
        column_seconds: float,
        fit_seconds: float,
    ) -> None:
        self.graph, self.rng = graph, rng
        self.tabu, self.restarts = tabu, restarts
        self.restarts_done = 0
        self.found_score = -math.inf
        self._told = 0  # columns scored when the last Found was looked for
        self._column_seconds, self._fit_seconds = column_seconds, fit_seconds

    @abstractmethod
    def best(self, cancel: CancelToken) -> tuple[Model, dict[str, float]]:
        """The model of the best graph so far, and its measures."""

    def run(self, start: Dag, cancel: CancelToken) -> Iterator[LearnEvent]:
        """All climbs."""
        yield from self.begin(start, cancel)
        yield from self.again(cancel)

    def begin(self, start: Dag, cancel: CancelToken) -> Iterator[LearnEvent]:
        """The climb from a graph that is given."""
        yield from self.place(start, cancel)
        yield from self.climb(cancel)

    def again(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        """The climbs from the best graph without most of its edges."""
        for _ in range(self.restarts):
            self.restarts_done += 1
            self.graph.thin_out(self.rng, cancel)
            yield from self.climb(cancel)

    def place(self, dag: Dag, cancel: CancelToken) -> Iterator[LearnEvent]:
        n = len(dag.names)
        for child in self.graph.place(flags_of(dag), cancel):
            if child % 8 == 7:
                yield Progress(None, f"Scoring pairs of {n} columns", {"column": child + 1.0})
        yield from self._found_by_now(cancel)

    def climb(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        for _ in self.graph.steps(self.tabu, cancel):
            if self.graph.step % 8 == 0:
                yield self._progress()
            yield from self._found_by_now(cancel)
        yield from self._found(cancel)
        yield self._progress()

    def counters(self) -> dict[str, float]:
        """What the progress tells beside its sentence."""
        graph = self.graph
        return {
            "score": graph.score,
            "best score": graph.best_score,
            "edges": float(graph.edges.sum()),
            "step": float(graph.step),
            "restart": float(self.restarts_done),
        }

    def _progress(self) -> Progress:
        climbs = self.restarts + 1
        fraction = self.restarts_done / climbs if climbs > 1 else None
        since = self.graph.since_best
        past_peak = f"No better for {since} {'step' if since == 1 else 'steps'}"
        return Progress(fraction, past_peak if since else "Climbing", self.counters())

    def _found_by_now(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        """Hand out the best model after every third of a second of work, or what fits its cost.

        Work is estimated from measured speeds and not read off a clock, so that the same seed
        gives the same events.
        """
        done = (self.graph.columns_scored - self._told) * self._column_seconds
        if done >= max(0.3, 3 * self._fit_seconds):
            yield from self._found(cancel)

    def _found(self, cancel: CancelToken) -> Iterator[LearnEvent]:
        self._told = self.graph.columns_scored
        if self.graph.best_score > self.found_score:
            self.found_score = self.graph.best_score
            yield Found(*self.best(cancel))
