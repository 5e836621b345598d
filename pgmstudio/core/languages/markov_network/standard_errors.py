"""Standard errors of the φ's at the maximum of the likelihood.

With φ = Bβ the Fisher information I of a row is the negative second derivative of its expected
log-likelihood by β. For large N the estimates from N rows have the covariance B I⁻¹ Bᵀ / N.
"""

from __future__ import annotations

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.objectives import (
    JunctionTreeObjective,
    curvature_at,
    matrix_of,
)

# A gradient is computed for each free parameter, in the junction tree of the network.
MAX_PARAMETERS = 300
MAX_CELLS = 1 << 16


def standard_errors(
    network: MarkovNetwork, total_weight: float, cancel: CancelToken = NEVER
) -> Floats | None:
    """Of every φ, in the order of `log_linear.parameters`, if the network is the fit to so many
    rows; 0 where a context sets it to 0. None where it would take long or there are none."""
    form = network.log_linear
    free = form.basis.shape[1]
    if free > MAX_PARAMETERS or network.clique_tree.table_cells > MAX_CELLS:
        return None
    if not network.is_positive:
        return None
    objective = JunctionTreeObjective(form, network.potentials)
    information = matrix_of(curvature_at(objective, form, network.parameters, cancel), free)
    try:
        covariance = np.linalg.inv(information)
    except np.linalg.LinAlgError:
        return None
    variances = (form.basis @ covariance * form.basis.toarray()).sum(axis=1) / total_weight
    return np.sqrt(variances) if (variances >= 0).all() else None
