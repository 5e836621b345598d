"""Decision graphs with known answers, and random ones for property tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.languages.pdg.model import DecisionGraph, without_unreachable
from tests.strategies import domain_of, random_table

Rows = Sequence[Sequence[float]]


def graph_of(
    domain: Domain,
    above: Mapping[str, str],
    parameters: Mapping[str, Rows],
    successors: Mapping[str, Sequence[Sequence[int]]],
) -> DecisionGraph:
    """A graph written down by names; what is not in `above` is a root."""
    forest = tuple(domain.index(above[n]) if n in above else None for n in domain.names)
    return DecisionGraph(
        domain,
        forest,
        tuple(np.array(parameters[n], dtype=float) for n in domain.names),
        tuple(np.array(successors[n]) if n in above else None for n in domain.names),
    )


def two_trees() -> DecisionGraph:
    """Nielsen 2007, Fig. 3.6 and Table 3.2; node k of a variable is its k-th ν in the table."""
    return graph_of(
        domain_of([2] * 8),
        {"X1": "X0", "X3": "X1", "X2": "X0", "X5": "X4", "X6": "X5", "X7": "X5"},
        {
            "X0": [[0.9, 0.1]],
            "X1": [[0.7, 0.3], [0.1, 0.9]],
            "X2": [[0.5, 0.5], [0.4, 0.6]],
            "X3": [[0.9, 0.1], [0.8, 0.2], [0.5, 0.5]],
            "X4": [[0.2, 0.8]],
            "X5": [[0.2, 0.8], [0.7, 0.3]],
            "X6": [[0.6, 0.4], [0.1, 0.9]],
            "X7": [[0.5, 0.5], [0.2, 0.8]],
        },
        {
            "X1": [[0, 1]],
            "X2": [[0, 1]],
            "X3": [[1, 0], [1, 2]],
            "X5": [[1, 0]],
            "X6": [[1, 0], [1, 1]],
            "X7": [[1, 0], [0, 1]],
        },
    )


def medical() -> DecisionGraph:
    """Nielsen 2007, Example 3.6 and Table 3.1: a chain H → F → D."""
    domain = Domain(
        (
            Variable("H", ("p", "f", "u")),
            Variable("F", ("p", "a")),
            Variable("D", ("p", "a")),
        )
    )
    return graph_of(
        domain,
        {"F": "H", "D": "F"},
        {
            "H": [[0.3, 0.3, 0.4]],
            "F": [[0.2, 0.8], [0.7, 0.3], [0.6, 0.4]],
            "D": [[0.7, 0.3], [0.1, 0.9], [0.5, 0.5], [0.1, 0.9], [0.3, 0.7]],
        },
        {"F": [[1, 2, 0]], "D": [[0, 0], [1, 2], [3, 4]]},
    )


def parity(count: int) -> DecisionGraph:
    """Even parity over a chain of binary variables (Example 3.11): 2^−(n−1) each."""
    names = [f"X{i}" for i in range(count)]
    parameters: dict[str, Rows] = {n: [[0.5, 0.5]] * (1 if n == "X0" else 2) for n in names}
    parameters[names[-1]] = [[1.0, 0.0], [0.0, 1.0]]
    successors = {"X1": [[0, 1]]} | {n: [[0, 1], [1, 0]] for n in names[2:]}
    above = dict(zip(names[1:], names, strict=False))
    return graph_of(domain_of([2] * count), above, parameters, successors)


def random_graph(
    rng: np.random.Generator,
    variables: int = 6,
    *,
    zeros: float = 0.2,
    most_nodes: int = 4,
    cardinalities: Sequence[int] | None = None,
) -> DecisionGraph:
    """A random forest whose variables have random nodes and edges; every node can be reached."""
    cards = cardinalities or [int(card) for card in rng.integers(2, 4, size=variables)]
    domain, order = domain_of(cards), [int(i) for i in rng.permutation(len(cards))]
    forest: list[int | None] = [None] * len(cards)
    counts = [1] * len(cards)
    parameters: list[NDArray[np.float64]] = [np.ones((1, card)) for card in cards]
    successors: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None] = [None] * len(cards)
    for index, i in enumerate(order):
        if index and rng.random() < 0.85:
            above = forest[i] = order[int(rng.integers(index))]
            counts[i] = int(rng.integers(1, most_nodes + 1))
            shape = (counts[above], cards[above])
            successors[i] = rng.integers(counts[i], size=shape)
        parameters[i] = random_table(rng, (counts[i], cards[i]), zeros)
    return without_unreachable(
        domain, tuple(forest), tuple(parameters), tuple(successors), tuple(order)
    )
