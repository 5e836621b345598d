"""How often each combination of a table occurs in the rows of the project."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import plain_counts
from pgmstudio.core.data.editing import fitted_to
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.project.project import ModelEntry, Project

Counts = NDArray[np.float64]


def family_counts(
    project: Project, entry: ModelEntry, network: BayesianNetwork, index: int
) -> Counts | None:
    """One axis for each parent and one for the variable; None where no data set fits them."""
    family = [network.domain.names[i] for i in (*network.dag.parent_indices[index], index)]
    ids = [entry.data_id] if entry.data_id else list(project.data)
    for data_id in ids:
        data = project.data[data_id].data if data_id in project.data else None
        if data is None or not all(name in data.domain for name in family):
            continue
        try:  # the same states, in whichever order
            rows = fitted_to(data, network.domain.restricted_to(family))
        except PgmStudioError:
            continue
        return plain_counts(rows, [rows.domain.index(name) for name in family])
    return None
