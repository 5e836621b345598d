"""Bars: images of horizontal or vertical bars under noise (Meilă 1999, §7.1.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ParameterError
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
