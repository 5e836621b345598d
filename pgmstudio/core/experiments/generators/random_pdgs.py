"""Rows from random decision graphs (Nielsen 2007, §5.2; the structure is drawn in our own way)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.generators.generator import Generator
from pgmstudio.core.experiments.generators.random_networks import check_states, random_domain
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.params import param

# Graphs are drawn until one has the size asked for, or nearly, but not for ever.
_MAX_TRIES = 5000
_NEARLY = 0.1
_MAX_BELOW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomPdgParams:
    variables: int = param(15, title="Variables", low=1, high=2000, help="Columns.")
    least_states: int = param(2, title="Fewest states", low=2, high=200, help="Of any variable.")
    most_states: int = param(3, title="Most states", low=2, high=200, help="Of any variable.")
    most_nodes: int = param(4, title="Most nodes", low=1, high=1000, help="Of any variable.")
    size: int = param(
        0,
        title="Size",
        low=0,
        help="Effective size of the graph, met to a tenth: 182 and 233 for the 15 and 20 variables "
        "of the thesis; 0 takes any.",
    )

    def __post_init__(self) -> None:
        check_states(self.least_states, self.most_states)


def random_decision_graph(params: RandomPdgParams, rng: np.random.Generator) -> DecisionGraph:
    """One tree with at most two variables below each; parameters uniform on the simplex."""
    for _ in range(_MAX_TRIES):
        drawn = _Drawn(params, rng)
        size = drawn.effective_size()
        if params.size == 0 or abs(size - params.size) <= _NEARLY * params.size:
            return drawn.graph(rng)
    raise ParameterError(
        {"size": f"no graph of {params.variables} variables came near {params.size}; try another"}
    )


class _Drawn:
    """A random structure, of which most are thrown away."""

    def __init__(self, params: RandomPdgParams, rng: np.random.Generator) -> None:
        self._domain = random_domain(params.variables, params.least_states, params.most_states, rng)
        self._cards, size = self._domain.cardinalities, len(self._domain)
        self._forest: list[int | None] = [None] * size
        self._counts, self._below = [1] * size, [0] * size
        for i in range(1, size):
            free = [j for j in range(i) if self._below[j] < _MAX_BELOW]
            above = free[int(rng.integers(len(free)))]
            self._forest[i] = above
            self._below[above] += 1
            most = min(params.most_nodes, self._counts[above] * self._cards[above])
            self._counts[i] = int(rng.integers(1, most + 1))

    def effective_size(self) -> int:
        parts = zip(self._cards, self._counts, self._below, strict=True)
        return sum(card * count * max(1, below) for card, count, below in parts)

    def graph(self, rng: np.random.Generator) -> DecisionGraph:
        successors: list[NDArray[np.int64] | None] = []
        for above, count in zip(self._forest, self._counts, strict=True):
            if above is None:
                successors.append(None)
                continue
            shape = (self._counts[above], self._cards[above])
            more = rng.integers(count, size=shape[0] * shape[1] - count)
            edges = np.concatenate([np.arange(count), more])  # every node has an edge
            successors.append(rng.permutation(edges).reshape(shape))
        parameters = tuple(
            rng.dirichlet(np.ones(card), count)
            for card, count in zip(self._cards, self._counts, strict=True)
        )
        return DecisionGraph(self._domain, tuple(self._forest), parameters, tuple(successors))


def random_pdg(params: RandomPdgParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows of a random decision graph."""
    return random_decision_graph(params, rng).sample(count, rng)


RANDOM_PDG = Generator(
    "random-pdg",
    "Random decision graph",
    "Rows from a random decision graph over one tree of variables.",
    RandomPdgParams,
    random_pdg,
    random_decision_graph,
)
