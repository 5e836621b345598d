"""Posterior probabilities of edges, contexts and graphs, as an artifact of a run.

Where chains are not reversible, a model's probability is its score, normalized over the stored
models (Corander, Gyllenberg and Koski 2006); otherwise it is the frequency of its visits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.learning.artifacts import PlainFields

# Contexts, and graphs, less probable than this are not listed.
MIN_LISTED = 0.001
MAX_GRAPHS = 20
_MILLION = 1_000_000
Key = TypeVar("Key", bound=tuple[int, ...])  # a graph as its search has it


@dataclass(frozen=True, slots=True)
class EdgeProbability:
    """The probability of an edge, and of the edge with a context in which it vanishes."""

    source: str
    target: str
    probability: float
    labelled: float


@dataclass(frozen=True, slots=True)
class ContextProbability:
    """The probability that the edge exists and vanishes in this context of other variables."""

    source: str
    target: str
    context: tuple[tuple[str, str], ...]
    probability: float

    @property
    def text(self) -> str:
        return ", ".join(f"{name} = {state}" for name, state in self.context)


@dataclass(frozen=True, slots=True)
class GraphProbability:
    """One graph with its probability and its score in bits."""

    edges: tuple[tuple[str, str], ...]
    probability: float
    score: float


def weights_of(scores: Mapping[Key, float], base: float = 2.0) -> dict[Key, float]:
    """The probabilities of graphs from their scores, logarithms to the base."""
    best = max(scores.values())
    powers = {key: base ** (score - best) for key, score in scores.items()}
    total = math.fsum(powers.values())
    return {key: power / total for key, power in powers.items()}


def likely_graphs(
    scores: Mapping[Key, float],
    edges: Callable[[Key], Iterable[tuple[int, int]]],
    domain: Domain,
    base: float = 2.0,
) -> tuple[GraphProbability, ...]:
    """The most probable graphs, by their scores."""
    weights, names, bits = weights_of(scores, base), domain.names, math.log2(base)
    return tuple(
        GraphProbability(
            tuple((names[a], names[b]) for a, b in edges(key)), weights[key], bits * scores[key]
        )
        for key in sorted(scores, key=lambda key: (-scores[key], key))[:MAX_GRAPHS]
        if weights[key] >= MIN_LISTED
    )


@dataclass(frozen=True)
class StructurePosterior(PlainFields):
    """Probabilities over `models` different graphs, each with its best contexts."""

    models: int
    steps: int
    accepted: int
    edges: tuple[EdgeProbability, ...]
    contexts: tuple[ContextProbability, ...]
    graphs: tuple[GraphProbability, ...]

    is_directed: ClassVar[bool] = True
    has_contexts: ClassVar[bool] = True  # whether edges of the language can vanish in contexts
    weighting: ClassVar[str] = "weighted by score"

    def edge(self, source: str, target: str) -> float:
        """The probability of an edge; 0 when no graph has it."""
        ends = [(source, target)] if self.is_directed else [(source, target), (target, source)]
        return next((e.probability for e in self.edges if (e.source, e.target) in ends), 0.0)

    def frequencies(self, names: Sequence[str]) -> EdgeFrequencies:
        """The probabilities as edge frequencies, in counts per million graphs."""
        counts = {(e.source, e.target): round(_MILLION * e.probability) for e in self.edges}
        directed, undirected = (counts, {}) if self.is_directed else ({}, counts)
        return EdgeFrequencies(tuple(names), _MILLION, directed, undirected)

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows: every edge, then its contexts."""
        rows: list[tuple[object, ...]] = []
        for edge in self.edges:
            rows.append((edge.source, edge.target, "", edge.probability))
            rows += [
                (one.source, one.target, one.text, one.probability)
                for one in self.contexts
                if (one.source, one.target) == (edge.source, edge.target)
            ]
        ends = ("from", "to") if self.is_directed else ("first", "second")
        return (*ends, "vanishes_where", "probability"), rows
