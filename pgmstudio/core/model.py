"""The small faces of models; a family offers what it truly has."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain


@runtime_checkable
class Model(Protocol):
    """Anything that can be shown, saved and opened."""

    @property
    def kind(self) -> str:
        """The key for files, sessions and pictures: "bayesian-network", "tree", …"""

    @property
    def domain(self) -> Domain: ...

    def representation_size(self) -> int:
        """size_rep: free parameters."""

    def effective_size(self) -> int:
        """size_eff: the table cells that updating all beliefs passes, in one unit for all
        languages; independent variables have the sum of their states in each."""


@runtime_checkable
class ProbabilisticModel(Model, Protocol):
    """A model that is a joint distribution."""

    def log2_probabilities(self, data: DataSet) -> NDArray[np.float64]:
        """One per row, −inf for impossible rows. DataError when a family needs complete rows and
        there are missing cells; `inference.likelihood` sums them out for every family."""

    def sample(self, count: int, rng: np.random.Generator) -> DataSet: ...


@runtime_checkable
class DirectedModel(Model, Protocol):
    """A model with directed edges between its variables."""

    @property
    def edges(self) -> tuple[tuple[str, str], ...]: ...
