"""Probabilities of edges and contexts over the graphs that a search scored, weighted by score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.markov_network.learning.chordal_search import Key, Strata
from pgmstudio.core.languages.markov_network.pseudo_likelihood import bits_of, edges_of
from pgmstudio.core.languages.markov_network.structure import Configuration, Edge
from pgmstudio.core.learning.structure_posterior import (
    MIN_LISTED,
    ContextProbability,
    EdgeProbability,
    StructurePosterior,
    likely_graphs,
    weights_of,
)


class MarkovPosterior(StructurePosterior):
    """The probabilities of Markov networks."""

    kind = "markov-posterior"
    is_directed = False


def posterior_of(
    domain: Domain,
    models: Mapping[Key, float],
    strata: Callable[[Key], Strata],
    steps: int,
    accepted: int,
) -> MarkovPosterior:
    """The probabilities over graphs with their scores in bits."""
    plain: defaultdict[Edge, float] = defaultdict(float)
    labelled: defaultdict[Edge, float] = defaultdict(float)
    found: defaultdict[tuple[Edge, tuple[int, ...], Configuration], float] = defaultdict(float)
    names = domain.names
    for key, weight in weights_of(models).items():
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
    graphs = likely_graphs(models, edges_of, domain)
    return MarkovPosterior(len(models), steps, accepted, tuple(edges), tuple(contexts), graphs)
