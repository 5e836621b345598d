"""Posterior probabilities of the edges and labels of labelled DAGs, from MCMC chains."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from pgmstudio.core.graphs.pdag import bits_of
from pgmstudio.core.languages.ldag.learning.label_search import LabelScores
from pgmstudio.core.languages.ldag.partitions import label_of
from pgmstudio.core.learning.structure_posterior import (
    MIN_LISTED,
    ContextProbability,
    EdgeProbability,
    StructurePosterior,
    likely_graphs,
    weights_of,
)

Key = tuple[int, ...]  # a graph: each variable's parents as bits


class LdagPosterior(StructurePosterior):
    """The probabilities of labelled DAGs; the contexts of an edge are those of its label."""

    kind = "ldag-posterior"


def posterior_of(
    scores: LabelScores, models: Mapping[Key, float], steps: int, accepted: int
) -> LdagPosterior:
    """The probabilities of edges and labels over models with their scores in nats."""
    families: defaultdict[tuple[int, int], float] = defaultdict(float)
    for key, weight in weights_of(models, math.e).items():
        for child, mask in enumerate(key):
            families[child, mask] += weight
    edges, contexts = _of_families(scores, families)
    graphs = likely_graphs(models, _edges, scores.data.domain, math.e)
    return LdagPosterior(len(models), steps, accepted, edges, contexts, graphs)


def _edges(key: Key) -> Iterator[tuple[int, int]]:
    return ((parent, child) for child, mask in enumerate(key) for parent in bits_of(mask))


def _of_families(
    scores: LabelScores, families: Mapping[tuple[int, int], float]
) -> tuple[tuple[EdgeProbability, ...], tuple[ContextProbability, ...]]:
    domain = scores.data.domain
    plain: defaultdict[tuple[int, int], float] = defaultdict(float)
    labelled: defaultdict[tuple[int, int], float] = defaultdict(float)
    contexts = []
    for (child, mask), weight in families.items():
        parents = [*bits_of(mask)]
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
