"""The true distribution of the bars: density, entropy and the best accuracy there is.

Given the orientation the bars are independent, and the probability of a bar's pixels depends on how
many are on alone: f(k) = p (1−q)^k q^(l−k) + (1−p) q^k (1−q)^(l−k), bar probability p, noise q.
So the probability of an image depends on the sums of its rows and of its columns, and sums over all
2^(l²) images are sums over pairs of such sums, each with the number of images that have them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.experiments.generators.bars import BarsParams

Floats = NDArray[np.float64]
Histogram = tuple[int, ...]  # of so many columns that have 0, 1, 2, … pixels on

MAX_SIDE = 6


def bar_likelihoods(params: BarsParams) -> Floats:
    """f(k): the probability of one bar's pixels when k of them are on."""
    on, p, q = np.arange(params.side + 1), params.bar_probability, params.noise
    off = params.side - on
    return np.asarray(p * (1 - q) ** on * q**off + (1 - p) * q**on * (1 - q) ** off)


@dataclass(frozen=True, slots=True)
class BarsTruth:
    """What can be known of the bars; entropies in bits."""

    total: float  # of the density over all images: 1
    entropy: float
    entropy_given_orientation: float
    accuracy: float  # of Bayes' rule for the orientation


def bars_truth(params: BarsParams) -> BarsTruth:
    """Exact, by the number of images with each pair of row sums and column sums."""
    if params.side > MAX_SIDE:
        raise TooLargeError(f"Exact figures of bars are for sides up to {MAX_SIDE}.")
    likelihood = bar_likelihoods(params)
    total = entropy = given = right = 0.0
    for (rows, columns), count in image_counts(params.side).items():
        one = math.prod(likelihood[k] ** n for k, n in enumerate(rows))
        other = math.prod(likelihood[k] ** n for k, n in enumerate(columns))
        both = (one + other) / 2
        total += count * both
        right += count * max(one, other) / 2
        if both > 0:
            entropy -= count * both * math.log2(both)
        if one > 0:
            given -= count * one * math.log2(one)
    return BarsTruth(total, entropy, given, right)


def image_counts(side: int) -> Counter[tuple[Histogram, Histogram]]:
    """How many binary images have each histogram of row sums and each of column sums."""
    empty = (side, *(0,) * side)
    result: Counter[tuple[Histogram, Histogram]] = Counter({((0,) * (side + 1), empty): 1})
    for _ in range(side):
        grown: Counter[tuple[Histogram, Histogram]] = Counter()
        steps: dict[Histogram, list[tuple[int, Histogram, int]]] = {}
        for (rows, columns), count in result.items():
            if columns not in steps:
                steps[columns] = list(_added_rows(columns))
            for on, more, ways in steps[columns]:
                taller = (*rows[:on], rows[on] + 1, *rows[on + 1 :])
                grown[taller, more] += count * ways
        result = grown
    return result


def _added_rows(columns: Histogram) -> Iterator[tuple[int, Histogram, int]]:
    """A further row: its pixels on, the column sums with it, and how many such rows there are."""
    for raised in product(*(range(many + 1) for many in columns[:-1])):
        more = list(columns)
        for index, many in enumerate(raised):
            more[index] -= many
            more[index + 1] += many
        ways = math.prod(math.comb(n, k) for n, k in zip(columns, raised, strict=False))
        yield sum(raised), tuple(more), ways
