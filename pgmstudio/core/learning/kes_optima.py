"""What the runs of a k-greedy search ended in: the local optima and how often each was met."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from pgmstudio.core.graphs.cpdag import Pdag

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KesRun:
    """One climb, and where it ended."""

    greediness: float
    score: float
    steps: int
    cpdag: Pdag


@dataclass(frozen=True, slots=True)
class Optimum:
    """A class that no neighbour improves, and how many runs ended in it."""

    cpdag: Pdag
    score: float
    runs: int


@dataclass(frozen=True, slots=True)
class EdgeFrequency:
    """The shares of optima that join two variables, and in which the edge is compelled."""

    one: str
    other: str
    joined: float
    forward: float  # one → other in every member
    backward: float


@dataclass(frozen=True)
class KesOptima:
    """The finished runs, in the order they were made."""

    runs: tuple[KesRun, ...]

    def with_run(self, run: KesRun) -> KesOptima:
        return KesOptima((*self.runs, run))

    @cached_property
    def optima(self) -> tuple[Optimum, ...]:
        """Every distinct class once, best first."""
        counts: dict[Pdag, int] = {}
        scores: dict[Pdag, float] = {}
        for run in self.runs:
            counts[run.cpdag] = counts.get(run.cpdag, 0) + 1
            scores.setdefault(run.cpdag, run.score)
        found = (Optimum(cpdag, scores[cpdag], count) for cpdag, count in counts.items())
        return tuple(sorted(found, key=lambda optimum: -optimum.score))

    @property
    def best(self) -> Optimum:
        return self.optima[0]

    @cached_property
    def greedinesses(self) -> tuple[float, ...]:
        """Every greediness that was run, in order."""
        return tuple(dict.fromkeys(run.greediness for run in self.runs))

    def sorted_scores(self, greediness: float) -> tuple[float, ...]:
        """The scores of the runs with this greediness, ascending (Nielsen 2007, Figs. 4.6–4.8)."""
        return tuple(sorted(run.score for run in self.runs if run.greediness == greediness))

    def edge_frequencies(self) -> tuple[EdgeFrequency, ...]:
        """How many of the distinct optima join each pair, the most frequent first.

        What nearly all local optima share is worth more trust than one of them (Peña, Kočka and
        Nielsen 2004).
        """
        joined: Counter[Edge] = Counter()
        compelled: Counter[Edge] = Counter()
        for optimum in self.optima:
            cpdag = optimum.cpdag
            place = {name: i for i, name in enumerate(cpdag.names)}
            compelled.update(cpdag.directed)
            joined.update(cpdag.undirected)
            joined.update((a, b) if place[a] < place[b] else (b, a) for a, b in cpdag.directed)
        count = len(self.optima)
        return tuple(
            EdgeFrequency(a, b, times / count, compelled[a, b] / count, compelled[b, a] / count)
            for (a, b), times in joined.most_common()
        )
