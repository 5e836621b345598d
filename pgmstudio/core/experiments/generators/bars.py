"""Bars: images of horizontal or vertical bars under noise (Meilă 1999, §7.1.2).

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

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ParameterError, TooLargeError
from pgmstudio.core.experiments.generators.generator import (
    Generator,
    binary,
    keep_hidden,
    without_columns,
)
from pgmstudio.core.params import param

ORIENTATION = "orientation"


@dataclass(frozen=True, slots=True, kw_only=True)
class BarsParams:
    side: int = param(5, title="Side", low=2, high=12, help="Pixels in a row and in a column.")
    bar_probability: float = param(
        0.2, title="Bar probability", low=0, high=1, help="Chance that a bar is on."
    )
    noise: float = param(
        0.02, title="Noise", low=0, high=0.5, help="Chance that a pixel is flipped."
    )
    unambiguous: bool = param(
        False,
        title="Unambiguous only",
        help="Leave out images where no bar or every bar is on: their orientation is not visible.",
    )
    keep_hidden: bool = keep_hidden("orientation")

    def __post_init__(self) -> None:
        if self.unambiguous and self.bar_probability in (0, 1):
            raise ParameterError(
                {"bar-probability": "with unambiguous images it must lie between 0 and 1"}
            )


def draw_bars(
    params: BarsParams, rng: np.random.Generator, count: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Orientation (True: vertical), which bars are on (rows × side), pixels (rows × side²)."""
    side = params.side
    vertical = rng.random(count) < 0.5
    bars = rng.random((count, side)) < params.bar_probability
    while params.unambiguous and (dull := is_ambiguous(bars)).any():
        bars[dull] = rng.random((int(dull.sum()), side)) < params.bar_probability
    across = np.repeat(bars[:, :, None], side, axis=2)  # bar i fills row i
    image = np.where(vertical[:, None, None], across.transpose(0, 2, 1), across)
    pixels = image.reshape(count, side * side) ^ (rng.random((count, side * side)) < params.noise)
    return vertical, bars, pixels


def is_ambiguous(bars: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """No bar or every bar on; of probability p^l + (1−p)^l (eq. 7.2)."""
    on = bars.sum(axis=1)
    return np.asarray((on == 0) | (on == bars.shape[1]))


def bars(params: BarsParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows of side² pixels, named by row and column."""
    vertical, _, pixels = draw_bars(params, rng, count)
    indices = range(1, params.side + 1)
    variables = [binary(f"r{row}c{column}") for row in indices for column in indices]
    variables.append(Variable(ORIENTATION, ("horizontal", "vertical")))
    codes = np.concatenate([pixels.T, vertical[None, :]]).astype(np.uint8)
    data = DataSet(Domain(tuple(variables)), codes)
    return data if params.keep_hidden else without_columns(data, ORIENTATION)


BARS = Generator(
    "bars",
    "Bars",
    "Images of horizontal or vertical bars under noise; the orientation is hidden.",
    BarsParams,
    bars,
)


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
