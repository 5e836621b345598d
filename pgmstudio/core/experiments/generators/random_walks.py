"""Sparse rows: each turns on a few columns along a random walk (Meilă 1999, §5.7; completed by us).

The first column is drawn evenly, further ones by steps of −4 … 4 around the circle of columns,
until as many different ones are on as asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.generators.generator import Generator, binary
from pgmstudio.core.params import param

LONGEST_STEP = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomWalksParams:
    variables: int = param(1000, title="Variables", low=1, high=100_000, help="Columns.")
    on: int = param(15, title="Columns on", low=0, high=1000, help="Ones in every row.")

    def __post_init__(self) -> None:
        if self.on > self.variables:
            raise ParameterError({"on": f"there are only {self.variables} columns"})


def random_walks(params: RandomWalksParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows with exactly `on` ones, near each other on the circle of columns."""
    n = params.variables
    codes = np.zeros((n, count), dtype=np.uint8)
    rows = np.arange(count if params.on else 0)
    index = rng.integers(0, n, rows.size)
    on = np.zeros(rows.size, dtype=np.int64)
    while rows.size:
        on += codes[index, rows] == 0
        codes[index, rows] = 1
        goes_on = on < params.on
        rows, index, on = rows[goes_on], index[goes_on], on[goes_on]
        index = (index + rng.integers(-LONGEST_STEP, LONGEST_STEP + 1, rows.size)) % n
    return DataSet(Domain(tuple(binary(f"X{i + 1}") for i in range(n))), codes)


RANDOM_WALKS = Generator(
    "random-walks",
    "Sparse random walks",
    "Many columns of 0 and 1, few of them on in a row and those near each other.",
    RandomWalksParams,
    random_walks,
)
