"""Rows from random Markov networks on the graphs of Pensar et al. (2017): grids, loops, hubs, …"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.experiments.generators.generator import Generator
from pgmstudio.core.languages.markov_network.log_linear import LogLinearTables
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure, edge_of
from pgmstudio.core.languages.sessions import rows_of
from pgmstudio.core.params import param

TOPOLOGIES = ("grid", "loop", "chain", "hub", "clique", "random")
HUB_SIZE = 8  # variables of a hub with its leaves
CLIQUE_SIZE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomMarkovParams:
    variables: int = param(16, title="Variables", low=1, high=500, help="Columns.")
    topology: str = param(
        "grid",
        title="Topology",
        choices=TOPOLOGIES,
        help="grid: a rectangle of squares. loop, chain: one after another. hub: a chain of hubs "
        "with leaves. clique: separate groups of four. random: edges at random.",
    )
    states: int = param(2, title="States", low=2, high=10, help="Of every variable.")
    degree: float = param(
        3.0, title="Mean degree", low=0, high=20, help="Neighbours of a variable in a random graph."
    )
    strength: float = param(
        1.0,
        title="Strength",
        low=0,
        high=10,
        help="Standard deviation of the interactions of two variables; of more, half of it.",
    )
    contexts: float = param(
        0.0,
        title="Fraction of contexts",
        low=0,
        high=1,
        help="Fraction of the contexts of an edge in which it vanishes. Graphs without triangles "
        "get further edges, since only edges in triangles have contexts.",
    )


def random_markov_network(params: RandomMarkovParams, rng: np.random.Generator) -> MarkovNetwork:
    """A graph of the topology, random contexts and normally distributed interactions."""
    states = tuple(str(state) for state in range(params.states))
    domain = Domain(tuple(Variable(f"X{n + 1}", states) for n in range(params.variables)))
    structure = MarkovStructure(domain, frozenset(_edges(params, rng)))
    for edge in sorted(structure.edges) if params.contexts > 0 else ():
        for element in structure.completions(edge, {}):
            if element and rng.random() < params.contexts:
                try:
                    structure = structure.with_context(edge, element)
                except GraphError:  # the edge would have no effect
                    continue
    form = LogLinearTables.of(structure)
    orders = np.array([len(term) for term, _ in form.parameters])
    values = rng.normal(size=orders.size) * params.strength
    values[orders == 1] = 0.0
    values[orders > 2] /= 2
    values = form.restricted(values)
    # Main effects that cancel the mean of the interactions, so that no state is rare.
    index = {parameter: n for n, parameter in enumerate(form.parameters)}
    for (term, codes), value in zip(form.parameters, values.copy(), strict=True):
        for v, code in zip(term, codes, strict=True) if len(term) > 1 else ():
            values[index[(v,), (code,)]] -= value / params.states ** (len(term) - 1)
    return MarkovNetwork.of_parameters(structure, values)


def _edges(params: RandomMarkovParams, rng: np.random.Generator) -> Iterator[Edge]:
    count, closes = params.variables, params.contexts > 0
    match params.topology:
        case "grid":
            width = max(1, math.isqrt(count))
            for v in range(count):
                is_inner = v % width + 1 < width
                if is_inner and v + 1 < count:
                    yield v, v + 1
                if v + width < count:
                    yield v, v + width
                if closes and is_inner and v + width + 1 < count:
                    yield v, v + width + 1
        case "loop" | "chain":
            is_loop = params.topology == "loop"
            for step in (1, 2) if closes else (1,):
                for v in range(count if is_loop else count - step):
                    if (other := (v + step) % count) != v:
                        yield edge_of(v, other)
        case "hub":
            for v in range(count):
                hub = v - v % HUB_SIZE
                if v != hub:
                    yield hub, v
                elif hub:
                    yield hub - HUB_SIZE, hub
                if closes and v - 1 > hub:
                    yield v - 1, v
        case "clique":
            for start in range(0, count, CLIQUE_SIZE):
                yield from combinations(range(start, min(count, start + CLIQUE_SIZE)), 2)
        case _:
            edge_probability = min(1.0, params.degree / max(1, count - 1))
            for pair in combinations(range(count), 2):
                if rng.random() < edge_probability:
                    yield pair


def random_markov_rows(params: RandomMarkovParams, rng: np.random.Generator, count: int) -> DataSet:
    """Independent rows; of a network too large for that by Gibbs sampling."""
    network = random_markov_network(params, rng)
    try:
        return network.sample(count, rng)
    except TooLargeError:
        return rows_of(network, count, int(rng.integers(2**31)))


RANDOM_MARKOV = Generator(
    "random-markov",
    "Random Markov network",
    "Rows from a Markov network on a grid, a loop, hubs, cliques or a random graph; of one too "
    "large for exact sampling by Gibbs sampling, whose rows are not quite independent.",
    RandomMarkovParams,
    random_markov_rows,
    random_markov_network,
)
