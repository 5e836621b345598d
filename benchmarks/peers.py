"""Our data and networks as other programs want them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork


def as_pyagrum(network: BayesianNetwork) -> Any:
    """The same network with the same numbers; variables and states are called by their indices."""
    import pyagrum

    twin = pyagrum.BayesNet()
    for i, card in enumerate(network.domain.cardinalities):
        twin.add(pyagrum.LabelizedVariable(f"v{i}", "", card))
    for child, parents in enumerate(network.dag.parent_indices):
        for parent in parents:
            twin.addArc(parent, child)
    for child, parents in enumerate(network.dag.parent_indices):
        scope = [f"v{i}" for i in (*parents, child)]
        axes = [scope.index(name) for name in reversed(twin.cpt(child).names)]
        twin.cpt(child)[:] = np.ascontiguousarray(network.tables[child].transpose(axes))
    return twin


def as_frame(data: DataSet) -> Any:
    """The rows as a pandas frame of categories."""
    import pandas as pd

    return pd.DataFrame(
        {
            variable.name: pd.Categorical.from_codes(column, variable.states)
            for variable, column in zip(data.domain, data.codes, strict=True)
        }
    )
