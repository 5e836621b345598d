"""The local optima of a k-greedy search, and the number of runs that ended in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.graphs.pdag import Pdag

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KesRun:
    """One climb and its final class."""

    greediness: float
    score: float
    steps: int
    cpdag: Pdag
    seconds: float = field(default=0.0, compare=False)  # two equal runs may take unequal time


@dataclass(frozen=True, slots=True)
class Optimum:
    """A class that no neighbour improves, how many runs ended in it, and with which greediness."""

    cpdag: Pdag
    score: float
    runs: int
    greedinesses: tuple[float, ...] = ()


@dataclass(frozen=True)
class KesOptima:
    """The finished runs, in the order they were made."""

    runs: tuple[KesRun, ...]

    kind = "optima"

    def with_run(self, run: KesRun) -> KesOptima:
        return KesOptima((*self.runs, run))

    @cached_property
    def optima(self) -> tuple[Optimum, ...]:
        """Every distinct class once, best first."""
        met: dict[Pdag, list[KesRun]] = {}
        for run in self.runs:
            met.setdefault(run.cpdag, []).append(run)
        result = (
            Optimum(
                cpdag,
                runs[0].score,
                len(runs),
                tuple(sorted({run.greediness for run in runs})),
            )
            for cpdag, runs in met.items()
        )
        return tuple(sorted(result, key=lambda optimum: -optimum.score))

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

    def mean_seconds(self, greediness: float) -> float:
        """How long a run with this greediness took on average (Nielsen 2007, Fig. 4.9)."""
        times = [run.seconds for run in self.runs if run.greediness == greediness]
        return sum(times) / len(times)

    def edge_frequencies(self, *, of_runs: bool = False) -> EdgeFrequencies:
        """How many of the distinct optima join each pair.

        Edges common to nearly all local optima are more reliable than those of one (Peña, Kočka and
        Nielsen 2004). With `of_runs` an optimum counts as often as it was met.
        """
        result = self.runs if of_runs else self.optima
        names = self.runs[0].cpdag.names if self.runs else ()
        return EdgeFrequencies.of((one.cpdag for one in result), names)

    # -- as an artifact

    def plain(self) -> dict[str, Any]:
        """Names, distinct optima with edges as pairs of indices, and every run with its optimum."""
        names = self.runs[0].cpdag.names if self.runs else ()
        index = {name: i for i, name in enumerate(names)}
        number = {optimum.cpdag: i for i, optimum in enumerate(self.optima)}

        def pairs(edges: tuple[Edge, ...]) -> list[list[int]]:
            return [[index[a], index[b]] for a, b in edges]

        return {
            "names": list(names),
            "optima": [
                {
                    "score": optimum.score,
                    "runs": optimum.runs,
                    "greediness": list(optimum.greedinesses),
                    "directed": pairs(optimum.cpdag.directed),
                    "undirected": pairs(optimum.cpdag.undirected),
                }
                for optimum in self.optima
            ],
            "runs": [
                [run.greediness, run.score, run.steps, number[run.cpdag], round(run.seconds, 6)]
                for run in self.runs
            ],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> KesOptima:
        """The inverse of `plain`."""
        names = tuple(plain["names"])

        def edges(pairs: list[list[int]]) -> list[Edge]:
            return [(names[a], names[b]) for a, b in pairs]

        classes = [
            Pdag.from_edges(names, edges(result["directed"]), edges(result["undirected"]))
            for result in plain["optima"]
        ]
        return cls(
            tuple(
                KesRun(float(k), float(score), int(steps), classes[number], float(seconds))
                for k, score, steps, number, seconds in plain["runs"]
            )
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each run."""
        head = ("run", "greediness", "score", "steps", "edges", "optimum", "seconds")
        number = {optimum.cpdag: i for i, optimum in enumerate(self.optima, start=1)}
        rows: list[tuple[object, ...]] = [
            (
                index,
                run.greediness,
                run.score,
                run.steps,
                run.cpdag.edge_count,
                number[run.cpdag],
                round(run.seconds, 6),
            )
            for index, run in enumerate(self.runs, start=1)
        ]
        return head, rows
