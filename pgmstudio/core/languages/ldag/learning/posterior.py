"""Posterior probabilities of the edges and labels of labelled DAGs, from MCMC chains.

A model's probability is its score, normalized over the stored models. Visit frequencies are not
used, since the chains are not reversible (Corander, Gyllenberg and Koski 2006).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.ldag.learning.label_search import LabelScores
from pgmstudio.core.languages.ldag.partitions import label_of
from pgmstudio.core.learning.artifacts import PlainFields

Key = tuple[int, ...]  # a graph: each variable's parents as bits

# Contexts, and models, less probable than this are not listed.
MIN_LISTED = 0.001
MAX_MODELS = 20
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class EdgeProbability:
    """The probability of an edge, and of the edge with a label."""

    source: str
    target: str
    probability: float
    labelled: float


@dataclass(frozen=True, slots=True)
class ContextProbability:
    """The probability that the edge exists with these other parents and vanishes in this context
    of them."""

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


@dataclass(frozen=True)
class LdagPosterior(PlainFields):
    """Probabilities over `models` different graphs, each with its best labels."""

    models: int
    steps: int
    accepted: int
    edges: tuple[EdgeProbability, ...]
    contexts: tuple[ContextProbability, ...]
    graphs: tuple[GraphProbability, ...]

    kind = "ldag-posterior"

    def edge(self, source: str, target: str) -> float:
        """The probability of an edge; 0 when no model has it."""
        return next(
            (e.probability for e in self.edges if (e.source, e.target) == (source, target)), 0.0
        )

    def frequencies(self, names: Sequence[str]) -> EdgeFrequencies:
        """The probabilities as edge frequencies, in counts per million graphs."""
        counts = {(e.source, e.target): round(_MILLION * e.probability) for e in self.edges}
        return EdgeFrequencies(tuple(names), _MILLION, counts)

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows: every edge, then the contexts of its label."""
        rows: list[tuple[object, ...]] = []
        for edge in self.edges:
            rows.append((edge.source, edge.target, "", edge.probability))
            rows += [
                (one.source, one.target, one.text, one.probability)
                for one in self.contexts
                if (one.source, one.target) == (edge.source, edge.target)
            ]
        return ("from", "to", "vanishes_where", "probability"), rows


def posterior_of(
    scores: LabelScores, models: Mapping[Key, float], steps: int, accepted: int
) -> LdagPosterior:
    """The probabilities of edges and labels over models with their scores in nats."""
    best = max(models.values())
    total = math.fsum(math.exp(score - best) for score in models.values())
    weights = {key: math.exp(score - best) / total for key, score in models.items()}
    families: defaultdict[tuple[int, int], float] = defaultdict(float)
    for key, weight in weights.items():
        for child, mask in enumerate(key):
            families[child, mask] += weight
    edges, contexts = _of_families(scores, families)
    first = sorted(models, key=lambda key: (-models[key], key))[:MAX_MODELS]
    graphs = tuple(
        GraphProbability(_edges(key, scores), weights[key], models[key] / math.log(2))
        for key in first
        if weights[key] >= MIN_LISTED
    )
    return LdagPosterior(len(models), steps, accepted, edges, contexts, graphs)


def _edges(key: Key, scores: LabelScores) -> tuple[tuple[str, str], ...]:
    names = scores.data.domain.names
    return tuple(
        (names[p], names[c])
        for c, mask in enumerate(key)
        for p in range(len(names))
        if mask >> p & 1
    )


def _of_families(
    scores: LabelScores, families: Mapping[tuple[int, int], float]
) -> tuple[tuple[EdgeProbability, ...], tuple[ContextProbability, ...]]:
    domain = scores.data.domain
    plain: defaultdict[tuple[int, int], float] = defaultdict(float)
    labelled: defaultdict[tuple[int, int], float] = defaultdict(float)
    contexts = []
    for (child, mask), weight in families.items():
        parents = [p for p in range(len(domain)) if mask >> p & 1]
        classes = scores.family(child, parents).classes
        for axis, parent in enumerate(parents):
            plain[parent, child] += weight
            label = label_of(classes, axis)
            if len(parents) < 2 or not label.any():
                continue
            labelled[parent, child] += weight
            if weight < MIN_LISTED:
                continue
            others = [p for p in parents if p != parent]
            for states in np.argwhere(label).tolist():
                context = tuple(
                    (domain.names[p], domain[domain.names[p]].states[state])
                    for p, state in zip(others, states, strict=True)
                )
                contexts.append(
                    ContextProbability(domain.names[parent], domain.names[child], context, weight)
                )
    edges = [
        EdgeProbability(domain.names[p], domain.names[c], min(weight, 1.0), labelled[p, c])
        for (p, c), weight in plain.items()
    ]
    edges.sort(key=lambda e: (-e.probability, domain.index(e.source), domain.index(e.target)))
    contexts.sort(key=lambda c: (-c.probability, c.source, c.target, c.context))
    return tuple(edges), tuple(contexts)
