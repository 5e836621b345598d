"""Random possibilistic networks for tests."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.join_tree import MINIMUM
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork


def random_possibilistic(
    rng: np.random.Generator, count: int, norm: str = MINIMUM, *, zeros: float = 0.0
) -> PossibilisticNetwork:
    """Degrees of one decimal; without zeros every parent state has a state of degree 1."""
    cards = rng.integers(2, 4, count)
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    parents = tuple(tuple(p for p in range(v) if rng.random() < 0.5)[:3] for v in range(count))
    tables = []
    for v, above in enumerate(parents):
        table = np.round(rng.uniform(0.1, 1.0, [cards[u] for u in (*above, v)]), 1)
        table[..., 0] = 1.0
        table[rng.random(table.shape) < zeros] = 0.0
        tables.append(table)
    return PossibilisticNetwork(domain, Dag(domain.names, parents), tuple(tables), norm)
