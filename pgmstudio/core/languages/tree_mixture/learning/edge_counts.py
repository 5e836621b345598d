"""Edge counts over the restarts of a mixture: cumulative adjacency (Meilă 1999, ch. 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.base import RunArtifact

Edge = tuple[str, str]
HEAD = ("components", "from", "to", "trees", "of_trees", "restarts", "of_restarts")


@dataclass(frozen=True)
class EdgeTally:
    """How many of `total` graphs join two variables; the earlier variable first."""

    names: tuple[str, ...]
    counts: Mapping[Edge, int]
    total: int
    what: str  # what the graphs are: "trees", "restarts", "optima", "replicates"

    def count(self, one: str, other: str) -> int:
        return self.counts.get((one, other), self.counts.get((other, one), 0))

    @property
    def ordered(self) -> list[tuple[Edge, int]]:
        """The pairs with their counts, the most frequent first, then as the variables come."""
        index = {name: i for i, name in enumerate(self.names)}
        return sorted(self.counts.items(), key=lambda p: (-p[1], *(index[name] for name in p[0])))

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each pair, the most frequent first."""
        head = ("from", "to", self.what, f"of_{self.what}")
        return head, [(*pair, count, self.total) for pair, count in self.ordered]


@dataclass(frozen=True)
class SameNumber:
    """The restarts with one number of trees: counts of edges in trees, and in restarts."""

    restarts: int = 0
    in_trees: Mapping[Edge, int] = field(default_factory=dict)
    in_restarts: Mapping[Edge, int] = field(default_factory=dict)

    def joined_by(self, edges: Mapping[Edge, int]) -> SameNumber:
        """With one more restart, which has these edges in so many of its trees."""
        trees, restarts = Counter(self.in_trees), Counter(self.in_restarts)
        trees.update(edges)
        restarts.update(edges.keys())
        return SameNumber(self.restarts + 1, dict(trees), dict(restarts))


@dataclass(frozen=True)
class Adjacency:
    """Edge counts by number of trees, independent of the order of restarts."""

    names: tuple[str, ...]
    by_number: Mapping[int, SameNumber] = field(default_factory=dict)

    kind = "adjacency"

    def with_restart(self, mixture: TreeMixture) -> Adjacency:
        """With the edges that one more restart ended with."""
        number = len(mixture.trees)
        more = self.by_number.get(number, SameNumber()).joined_by(mixture.edge_counts)
        return Adjacency(self.names, {**self.by_number, number: more})

    def tally(self, number: int | None = None, *, of_restarts: bool = False) -> EdgeTally:
        """The counts of restarts with so many trees, or of all of them."""
        chosen = {m: one for m, one in self.by_number.items() if number in (None, m)}
        counts: Counter[Edge] = Counter()
        for one in chosen.values():
            counts.update(one.in_restarts if of_restarts else one.in_trees)
        each = ((1 if of_restarts else m) * one.restarts for m, one in chosen.items())
        return EdgeTally(self.names, counts, sum(each), "restarts" if of_restarts else "trees")

    def plain(self) -> dict[str, Any]:
        index = {name: i for i, name in enumerate(self.names)}
        return {
            "names": list(self.names),
            "numbers": [
                {
                    "trees": number,
                    "restarts": one.restarts,
                    "edges": [
                        [index[a], index[b], count, one.in_restarts[a, b]]
                        for (a, b), count in one.in_trees.items()
                    ],
                }
                for number, one in self.by_number.items()
            ],
        }

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> Adjacency:
        """The counts that `plain` encoded."""
        names = tuple(map(str, plain["names"]))
        result = {}
        for one in plain["numbers"]:
            edges = [((names[a], names[b]), int(n), int(r)) for a, b, n, r in one["edges"]]
            result[int(one["trees"])] = SameNumber(
                int(one["restarts"]),
                {edge: count for edge, count, _ in edges},
                {edge: count for edge, _, count in edges},
            )
        return cls(names, result)

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each number of trees and pair, the most frequent first."""
        rows: list[tuple[object, ...]] = []
        for m, one in self.by_number.items():
            rows += [
                (m, a, b, count, m * one.restarts, one.in_restarts[a, b], one.restarts)
                for (a, b), count in self.tally(m).ordered
            ]
        return HEAD, rows


def tally_of(artifact: RunArtifact | None, *, number: int | None = None) -> EdgeTally | None:
    """The edge counts in a run artifact, ignoring directions; None if it has no graphs."""
    if isinstance(artifact, Adjacency):
        return artifact.tally(number)
    if isinstance(artifact, KesOptima):
        return _joined(artifact.edge_frequencies(of_runs=True), "restarts")
    return _joined(artifact, "replicates") if isinstance(artifact, EdgeFrequencies) else None


def _joined(result: EdgeFrequencies, what: str) -> EdgeTally:
    index = {name: i for i, name in enumerate(result.names)}
    counts = {
        (e.source, e.target) if index[e.source] < index[e.target] else (e.target, e.source): round(
            e.joined * result.graphs
        )
        for e in result.edges
    }
    return EdgeTally(result.names, counts, result.graphs, what)
