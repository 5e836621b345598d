"""The selection four-cycle X–Y–Z–U–X (Nielsen 2007, Example 4.1, Table 4.1).

No directed acyclic graph has exactly its independences X⊥Z|{Y,U} and Y⊥U|{X,Z}. The joint is not
printed; it is the one that iterative proportional fitting of the four pair tables ends in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.experiments.generators.generator import Generator, binary
from pgmstudio.core.params import param

# Axes of the joint are X, Y, U, Z; each table is over the two axes named with it.
PAIR_TABLES = (
    ((0, 1), [[0.22, 0.03], [0.03, 0.22], [0.22, 0.03], [0.03, 0.22]]),
    ((0, 2), [[0.22, 0.03], [0.22, 0.03], [0.03, 0.22], [0.03, 0.22]]),
    ((1, 3), [[0.35, 0.15], [0.15, 0.35]]),
    ((2, 3), [[0.35, 0.15], [0.15, 0.35]]),
)


@cache
def four_cycle_joint() -> NDArray[np.float64]:
    """P(X, Y, U, Z) by iterative proportional fitting; 4 × 2 × 2 × 2."""
    joint = np.full((4, 2, 2, 2), 1 / 32)
    for _ in range(200):  # converges to the last digit in fewer than 50 sweeps
        before = joint
        for axes, table in PAIR_TABLES:
            others = tuple(axis for axis in range(4) if axis not in axes)
            joint = joint * np.expand_dims(np.array(table) / joint.sum(axis=others), others)
        if np.abs(joint - before).max() < 1e-16:
            break
    joint.flags.writeable = False
    return joint


@dataclass(frozen=True, slots=True, kw_only=True)
class FourCycleParams:
    copies: int = param(
        1, title="Copies", low=1, high=60, help="Independent copies side by side, 4 columns each."
    )


def four_cycle(params: FourCycleParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows of one or more independent copies of the four-cycle."""
    joint = four_cycle_joint()
    bounds = np.cumsum(joint.ravel())
    variables: list[Variable] = []
    columns = []
    for copy in range(params.copies):
        number = "" if params.copies == 1 else str(copy + 1)
        variables.append(Variable(f"X{number}", ("x0", "x1", "x2", "x3")))
        variables += [binary(f"{letter}{number}") for letter in "YUZ"]
        cells = np.minimum(np.searchsorted(bounds, rng.random(count), side="right"), 31)
        columns += list(np.unravel_index(cells, joint.shape))
    return DataSet(Domain(tuple(variables)), np.stack(columns).astype(np.uint8))


FOUR_CYCLE = Generator(
    "four-cycle",
    "Selection four-cycle",
    "X–Y–Z–U–X: independences that no Bayesian network has exactly.",
    FourCycleParams,
    four_cycle,
)
