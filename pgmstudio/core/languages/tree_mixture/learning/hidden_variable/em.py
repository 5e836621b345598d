"""HMixTreeS: EM for trees that share a forest of at least p parts (Meilă 1999, §6.3).

The step that chooses edges is Kruskal's, cut after n − p edges: of all forests with so few edges it
has the largest weight Σ_E (Σ_k Γ_k I_k(u; v) − Δ_uv).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.description_length import edge_penalty_bits
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.learning.row_blocks import Part
from pgmstudio.core.learning.sparse_rows import SparseRows

Forest = NDArray[np.int64]


def heaviest_forest(weights: Floats, parts: int) -> Forest:
    """The forest of largest weight with at most n − `parts` edges, all above 0; parents, −1 roots.

    Cutting the lightest edges off a maximum spanning forest is stopping Kruskal early.
    """
    from pgmstudio.core.graphs.spanning_forest_kernels import grow_forest

    count = len(weights)
    forest = np.full(count, -1, dtype=np.int64)
    grow_forest(np.ascontiguousarray(weights), forest)
    children = np.flatnonzero(forest >= 0)
    spare = children.size - (count - parts)
    if spare > 0:
        order = np.argsort(weights[children, forest[children]], kind="stable")
        forest[children[order[:spare]]] = -1
    return forest


NONE, CONSTANT, BIC, BIC_H = "none", "constant", "bic", "bic-h"
PENALTIES = (BIC, BIC_H, CONSTANT, NONE)


class HiddenTreeEm(TreeMixtureEm):
    """EM with one forest for all trees, of at least `parts` parts; `penalty` may leave more.

    `edge_penalty` β is in bits, for the penalty “constant”. A given `forest` stays fixed.
    """

    def __init__(
        self,
        rows: SparseRows,
        count: int,
        *,
        parts: int = 1,
        penalty: str = BIC,
        edge_penalty: float = 0.0,
        smoothing: float = 0.0,
        forest: Forest | None = None,
        cancel: CancelToken = NEVER,
    ) -> None:
        self._parts, self._kind, self._beta, self._fixed_forest = (
            parts,
            penalty,
            edge_penalty,
            forest,
        )
        priors = TreePriors(smoothing, even_rows=1.0, penalty="none", is_shared=True)
        super().__init__(rows, count, priors, cancel)

    def edge_costs(self) -> Floats:
        """Δ_uv in bits for every pair; that of BIC^h moves with the rows of the trees."""
        if self._kind == CONSTANT:
            return np.full_like(self._free, self._beta)
        if self._kind == NONE:
            return np.zeros_like(self._free)
        masses = self.masses if self._kind == BIC_H else None
        return edge_penalty_bits(self.rows.total_weight, self.count, self._free, masses)

    def _grow_shared(self, gains: Floats, rows: Floats, forest: Forest) -> None:
        if self._fixed_forest is not None:
            forest[:] = self._fixed_forest
        else:
            forest[:] = heaviest_forest(gains - self.edge_costs() * math.log(2), self._parts)


def converging(
    em: HiddenTreeEm, max_iterations: int, tolerance: float, is_settled: bool
) -> Iterator[tuple[int, Part | None]]:
    """Steps of EM until three in a row gain less than a fraction; one if nothing is hidden.

    Yields the number of the step, with the parts of long ones; None at the end of each.
    """
    rows, before, quiet = max(em.rows.total_weight, 1e-300), -math.inf, 0
    for step in range(1, max_iterations + 1):
        yield from ((step, part) for part in em.improving())
        yield step, None
        bits = em.last_log_likelihood / math.log(2) / rows
        quiet = quiet + 1 if bits - before < tolerance * abs(bits) else 0
        before = bits
        if is_settled or quiet >= 3:
            return
