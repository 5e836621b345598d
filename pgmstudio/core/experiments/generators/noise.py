"""Noise columns, independent of each other and of everything else (Meilă 1999, §7.3.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.experiments.generators.generator import Generator
from pgmstudio.core.params import param


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseParams:
    variables: int = param(60, title="Variables", low=1, high=2000, help="Columns of noise.")
    states: int = param(4, title="States", low=2, high=200, help="States of every column.")
    concentration: float = param(
        1.0, title="Concentration", low=0, low_open=True, help="Dirichlet of their frequencies."
    )


def noise(params: NoiseParams, rng: np.random.Generator, count: int) -> DataSet:
    """Each column has frequencies from a symmetric Dirichlet, and rows independent of all else."""
    states = tuple(str(state) for state in range(params.states))
    names = [f"noise_{number + 1}" for number in range(params.variables)]
    domain = Domain(tuple(Variable(name, states) for name in names))
    alpha = np.full(params.states, params.concentration)
    codes = np.empty((params.variables, count), dtype=code_dtype(domain))
    for column in codes:
        column[:] = rng.choice(params.states, size=count, p=rng.dirichlet(alpha))
    return DataSet(domain, codes)


def with_noise(data: DataSet, params: NoiseParams, rng: np.random.Generator) -> DataSet:
    """The same rows with columns of noise after their own."""
    more = noise(params, rng, data.row_count)
    domain = Domain((*data.domain.variables, *more.domain.variables))
    return DataSet(domain, np.concatenate([data.codes, more.codes]), data.weights)


NOISE = Generator(
    "noise",
    "Noise columns",
    "Columns with random frequencies, independent of everything.",
    NoiseParams,
    noise,
)
