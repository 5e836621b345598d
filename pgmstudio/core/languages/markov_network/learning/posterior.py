"""Probabilities of edges and contexts over the graphs that a search scored, weighted by score."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.ldag.learning.posterior import (
    ContextProbability,
    EdgeProbability,
    GraphProbability,
)
from pgmstudio.core.languages.markov_network.learning.chordal_search import Key, Strata
from pgmstudio.core.languages.markov_network.pseudo_likelihood import bits_of, edges_of
from pgmstudio.core.languages.markov_network.structure import Configuration, Edge
from pgmstudio.core.learning.artifacts import PlainFields

# Contexts, and graphs, less probable than this are not listed.
MIN_LISTED = 0.001
MAX_GRAPHS = 20
_MILLION = 1_000_000


@dataclass(frozen=True)
class MarkovPosterior(PlainFields):
    """Probabilities over `models` different graphs, each with its best contexts."""

    models: int
    steps: int
    accepted: int
    edges: tuple[EdgeProbability, ...]
    contexts: tuple[ContextProbability, ...]
    graphs: tuple[GraphProbability, ...]

    kind = "markov-posterior"

    def edge(self, one: str, other: str) -> float:
        """The probability of an edge; 0 when no graph has it."""
        ends = {one, other}
        return next((e.probability for e in self.edges if {e.source, e.target} == ends), 0.0)

    def frequencies(self, names: Sequence[str]) -> EdgeFrequencies:
        """The probabilities as edge frequencies, in counts per million graphs."""
        counts = {(e.source, e.target): round(_MILLION * e.probability) for e in self.edges}
        return EdgeFrequencies(tuple(names), _MILLION, undirected=counts)

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
        return ("first", "second", "vanishes_where", "probability"), rows


def posterior_of(
    domain: Domain,
    models: Mapping[Key, float],
    strata: Callable[[Key], Strata],
    steps: int,
    accepted: int,
) -> MarkovPosterior:
    """The probabilities over graphs with their scores in bits."""
    best = max(models.values())
    total = math.fsum(2.0 ** (score - best) for score in models.values())
    plain: defaultdict[Edge, float] = defaultdict(float)
    labelled: defaultdict[Edge, float] = defaultdict(float)
    found: defaultdict[tuple[Edge, tuple[int, ...], Configuration], float] = defaultdict(float)
    names = domain.names
    for key, score in models.items():
        weight = 2.0 ** (score - best) / total
        if weight < 1e-12:
            continue
        for edge in edges_of(key):
            plain[edge] += weight
        for (i, j), elements in strata(key).items():
            labelled[i, j] += weight
            for states in elements:
                found[(i, j), bits_of(key[i] & key[j]), states] += weight
    edges = [
        EdgeProbability(names[i], names[j], min(weight, 1.0), min(labelled[i, j], 1.0))
        for (i, j), weight in sorted(plain.items(), key=lambda item: (-item[1], item[0]))
    ]
    contexts = [
        ContextProbability(
            names[edge[0]],
            names[edge[1]],
            tuple(
                (names[v], domain.variables[v].states[s])
                for v, s in zip(common, states, strict=True)
            ),
            min(weight, 1.0),
        )
        for (edge, common, states), weight in sorted(
            found.items(), key=lambda item: (-item[1], item[0])
        )
        if weight >= MIN_LISTED
    ]
    graphs = [
        GraphProbability(
            tuple((names[i], names[j]) for i, j in edges_of(key)),
            2.0 ** (models[key] - best) / total,
            models[key],
        )
        for key in sorted(models, key=lambda key: (-models[key], key))[:MAX_GRAPHS]
        if 2.0 ** (models[key] - best) / total >= MIN_LISTED
    ]
    return MarkovPosterior(
        len(models), steps, accepted, tuple(edges), tuple(contexts), tuple(graphs)
    )
