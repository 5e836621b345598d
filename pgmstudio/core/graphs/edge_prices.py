"""Prices of edges, the structure prior Pr[E] ∝ Π exp(−β_uv) over pairs (Meilă 1999, eq. 4.11)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import ParameterError, no_column

Price = tuple[str, str, float]


@dataclass(frozen=True)
class EdgePrices:
    """β_uv in nats for pairs of variables, whichever way their edge points; others have 0.

    An edge must gain more than its price; a negative price favours the edge.
    """

    prices: tuple[Price, ...] = ()

    def __post_init__(self) -> None:
        prices: dict[tuple[str, str], float] = {}
        for one, other, price in self.prices:
            pair = (min(one, other), max(one, other))
            if one == other:
                raise ParameterError({"edge_prices": f"{one} has a price with itself"})
            if not math.isfinite(price):
                raise ParameterError(
                    {
                        "edge_prices": f"the price of {one} – {other} is not finite; knowledge "
                        "requires or forbids an edge"
                    }
                )
            if prices.setdefault(pair, float(price)) != price:
                raise ParameterError({"edge_prices": f"{pair[0]} – {pair[1]} has two prices"})
        ordered = tuple((*pair, prices[pair]) for pair in sorted(prices))
        object.__setattr__(self, "prices", ordered)

    @property
    def is_empty(self) -> bool:
        """Whether every price is 0."""
        return not any(price for _, _, price in self.prices)

    def among(self, names: Iterable[str]) -> EdgePrices:
        """The prices of pairs of these variables."""
        known = frozenset(names)
        prices = tuple(price for price in self.prices if known.issuperset(price[:2]))
        return self if len(prices) == len(self.prices) else EdgePrices(prices)

    def matrix(self, names: Sequence[str]) -> Floats:
        """β, symmetric; ParameterError if a priced variable is not among the names."""
        index = {name: i for i, name in enumerate(names)}
        result = np.zeros((len(names), len(names)))
        for one, other, price in self.prices:
            for name in (one, other):
                if name not in index:
                    raise ParameterError({"edge_prices": no_column(name, names)})
            u, v = index[one], index[other]
            result[u, v] = result[v, u] = price
        return result


def price_matrix(prices: EdgePrices | None, names: Sequence[str]) -> Floats | None:
    """β over these columns; None if every price is 0."""
    if prices is None:
        return None
    matrix = prices.matrix(names)
    return matrix if matrix.any() else None
