"""Common parts of mixtures: weights, the probability of rows in each component, responsibilities.

The information of an edge and that of the component about a variable are both
Σ_k w_k KL(rows_k ‖ Σ_j w_j rows_j): with the states of a parent for k it is the mutual information
of the edge, with the components for k it is I(z; v) (Meilă 1999, §3.3.4).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import is_small
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.table_checks import ROW_SUM_TOLERANCE

# Probabilities that differ by no more than the rounding errors of sums and products are equal.
EQUAL_WITHIN = 1e-12
# Rows looked at together: their parts in every component fit into a few megabytes.
_BLOCK_CELLS = 4_000_000


def checked_weights(weights: Floats) -> Floats:
    """The weights of the components, sealed; GraphError when they are no distribution."""
    weights = np.array(weights, dtype=np.float64, order="C")
    if weights.ndim != 1 or weights.size == 0:
        raise GraphError("A mixture needs at least one component, each with a weight.")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise GraphError("A component's weight is no probability.")
    if abs(weights.sum() - 1) > ROW_SUM_TOLERANCE:
        raise GraphError("The weights of the components do not sum to 1; normalise them.")
    weights.flags.writeable = False
    return weights


def needs_no_kernels(data: DataSet, columns_read: int) -> bool:
    """Whether numpy reads so many columns in less time than it takes to load compiled code, which
    gives the same and is not there yet."""
    is_loaded = "pgmstudio.core.languages.latent_class.kernels" in sys.modules
    return not is_loaded and is_small(data, columns_read)


def log2_sums(parts: Floats) -> Floats:
    """log2 Σ_k 2^parts[k, row] for every row; −inf where every part is."""
    top = parts.max(axis=0)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        sums: Floats = np.log2(np.exp2(parts - safe).sum(axis=0)) + safe
    return sums


def log2_sums_in_blocks(
    parts_of: Callable[[DataSet], Floats], data: DataSet, components: int
) -> Floats:
    """`log2_sums` of the parts of all rows, so many rows at a time as need little memory."""
    block = max(1, _BLOCK_CELLS // components)
    return np.concatenate(
        [
            log2_sums(parts_of(data.take_rows(slice(at, at + block))))
            for at in range(0, max(1, data.row_count), block)
        ]
    )


def likeliest(responsibilities: Floats) -> NDArray[np.intp]:
    """The most probable state or component of every row, the first of equal ones."""
    top = responsibilities.max(axis=1, keepdims=True)
    result: NDArray[np.intp] = (responsibilities >= top - EQUAL_WITHIN).argmax(axis=1)
    return result


def responsibilities_of(parts: Floats, weights: Floats) -> Floats:
    """γ[row, k] = 2^parts[k, row] / Σ; rows that are impossible everywhere get the weights."""
    totals = log2_sums(parts)
    possible = np.isfinite(totals)
    result = np.empty((parts.shape[1], parts.shape[0]))
    result[possible] = np.exp2(parts[:, possible] - totals[possible]).T
    result[~possible] = weights
    return result


def spread_bits(weights: Floats, rows: Floats) -> float:
    """Σ_k w_k Σ_x rows[k, x] log2( rows[k, x] / Σ_j w_j rows[j, x] ), with 0 log 0 = 0."""
    mixed = np.broadcast_to(weights @ rows, rows.shape)
    joint = weights[:, None] * rows
    seen = joint > 0
    return max(0.0, float(np.sum(joint[seen] * np.log2(rows[seen] / mixed[seen]))))


def choice_information(model: ComponentModel) -> dict[str, float]:
    """I(z; v) in bits of the component and every variable, the largest first."""
    rows = model.component_marginals()
    result = {name: spread_bits(model.weights, rows[name]) for name in rows}
    return dict(sorted(result.items(), key=lambda pair: -pair[1]))
