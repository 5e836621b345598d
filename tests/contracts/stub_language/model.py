"""Independent variables, each with a distribution of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IndependentVariables:
    """`marginals[i]` is P(X_i)."""

    domain: Domain
    marginals: tuple[Floats, ...]

    kind = "independent"

    def representation_size(self) -> int:
        return sum(marginal.size - 1 for marginal in self.marginals)

    def effective_size(self) -> int:
        return sum(self.domain.cardinalities)

    def log2_probabilities(self, data: DataSet) -> Floats:
        """A missing cell has probability 1."""
        logs = np.zeros(data.row_count)
        with np.errstate(divide="ignore"):
            for codes, marginal in zip(
                rows_over(data, self.domain).codes, self.marginals, strict=True
            ):
                observed = codes < marginal.size
                logs[observed] += np.log2(marginal[codes[observed]])
        return logs

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        codes = [rng.choice(marginal.size, count, p=marginal) for marginal in self.marginals]
        return DataSet(self.domain, np.array(codes, dtype=code_dtype(self.domain)))


def to_network(model: IndependentVariables) -> BayesianNetwork:
    """A network without edges."""
    dag = Dag.from_edges(model.domain.names, ())
    return BayesianNetwork(model.domain, dag, model.marginals)


def from_network(network: BayesianNetwork) -> IndependentVariables:
    """The marginals of a network without edges."""
    return IndependentVariables(network.domain, network.tables)


def set_uniform(model: IndependentVariables, *, variable: str) -> IndependentVariables:
    """Make all states of a variable equally probable."""
    i = model.domain.index(variable)
    even = np.full(model.marginals[i].size, 1 / model.marginals[i].size)
    return replace(model, marginals=(*model.marginals[:i], even, *model.marginals[i + 1 :]))
