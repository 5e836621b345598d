"""Markov networks with known answers, and random ones for property tests."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.io.models.markov_text import parse
from pgmstudio.core.languages.markov_network.log_linear import LogLinearTables
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure


def binary(count: int) -> Domain:
    return Domain.of({str(i): "01" for i in range(1, count + 1)})


def graph(text: str, count: int) -> MarkovStructure:
    """Edges as in the papers: `12 14 23`."""
    return MarkovStructure.of_names(binary(count), [(e[0], e[1]) for e in text.split()])


def structure_of(data: DataSet, edges: str, **contexts: str) -> MarkovStructure:
    """Edges as `AC AE`, contexts as `AD="E=1"`, over the columns of data with one-letter names."""
    lines = [f"#states {v.name} : {', '.join(v.states)}" for v in data.domain]
    lines += [" -- ".join(pair) for pair in edges.split()]
    lines += [f"{' -- '.join(pair)} : {context}" for pair, context in contexts.items()]
    model = parse("\n".join(lines).encode(), Path("text.mn")).model
    assert isinstance(model, MarkovNetwork)
    assert model.domain == data.domain
    return model.structure


FIGURE_3 = graph("12 14 23 25 35 45", 6)


def random_structure(
    rng: np.random.Generator, cards: list[int], density: float = 0.6, contexts: float = 0.3
) -> MarkovStructure:
    """Random edges, and random contexts that leave every edge with an effect."""
    names = "ABCDEFGH"[: len(cards)]
    domain = Domain.of({n: [str(s) for s in range(r)] for n, r in zip(names, cards, strict=True)})
    pairs = combinations(range(len(cards)), 2)
    result = MarkovStructure(domain, frozenset(pair for pair in pairs if rng.random() < density))
    for edge in sorted(result.edges):
        for element in result.completions(edge, {}):
            if element and rng.random() < contexts:
                try:
                    result = result.with_context(edge, element)
                except GraphError:
                    continue
    return result


def random_markov_network(
    rng: np.random.Generator, structure: MarkovStructure, size: float = 1.0
) -> MarkovNetwork:
    """Normal φ's, those expressed by others adjusted to the contexts."""
    form = LogLinearTables.of(structure)
    values = rng.normal(size=len(form.parameters)) * size
    return MarkovNetwork.of_parameters(structure, form.restricted(values))


def figure_8() -> MarkovNetwork:
    """The triangle in which X2 and X3 are independent where X1 = 1 (Pensar 2016, Fig. 8)."""
    domain = Domain.of({f"X{i}": ("0", "1") for i in (1, 2, 3)})
    edges = frozenset({(0, 1), (0, 2), (1, 2)})
    structure = MarkovStructure(domain, edges, {(1, 2): frozenset({(1,)})})
    return random_markov_network(np.random.default_rng(8), structure)


def figure_9() -> MarkovNetwork:
    """2 – 5 vanishes where X3 = 1, but 2 – 1 – 4 – 5 still connects (Pensar 2016, Fig. 9)."""
    structure = graph("12 14 45 23 35 25", 5).with_context((1, 4), (1,))
    return random_markov_network(np.random.default_rng(9), structure)
