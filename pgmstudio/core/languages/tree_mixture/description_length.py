"""The description length of a mixture of trees with shared edges, in bits (Meilă 1999, §6.4, §6.6).

DL(D, M) = DL(M) + DL(D | M): the length of a message with the parameters and then, given them,
the rows. Empirical, with parameters rounded to the best precision (eqs. 6.10–6.14), or by BIC.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

CORRECTED, PUBLISHED = "corrected", "as-published"
FORMS = (CORRECTED, PUBLISHED)
# Maximum fractional and range bits that are tried; the source gives no grid.
FINE_BITS, RANGE_BITS = 8, 5


@dataclass(frozen=True, slots=True)
class Precision:
    """The precision of parameters: b_m fractional bits, b_M bits of range."""

    fine: int
    range: int

    @property
    def bits(self) -> int:
        return self.fine + self.range


def encode(theta: Floats, precision: Precision) -> tuple[Floats, NDArray[np.intp]]:
    """φ_i = −ln(θ_i / θ_max) as whole numbers, cut at 2^b_M and times 2^b_m; and where the max is.

    Rows of the array are distributions (eqs. 6.12 and 6.13, the former as reconstructed).
    """
    largest = theta.argmax(axis=-1)
    top = np.take_along_axis(theta, largest[..., None], axis=-1)
    with np.errstate(divide="ignore"):
        phi = -np.log(theta / top)
    codes = np.round(2.0**precision.fine * np.minimum(phi, 2.0**precision.range))
    np.put_along_axis(codes, largest[..., None], 0.0, axis=-1)
    return codes, largest


def decode(codes: Floats, precision: Precision) -> Floats:
    """θ̂_max = 1 / (1 + Σ e^−φ̂) and θ̂_i = e^−φ̂_i θ̂_max; the code of the largest is 0."""
    ratios = np.exp(-codes / 2.0**precision.fine)
    return np.asarray(ratios / ratios.sum(axis=-1, keepdims=True))


def rounded(model: TreeMixture, precision: Precision) -> TreeMixture:
    """The model with rounded parameters; the weights λ are not rounded."""
    trees = tuple(
        Tree(
            tree.domain,
            tree.parents,
            tuple(decode(encode(table, precision)[0], precision) for table in tree.tables),
        )
        for tree in model.trees
    )
    return replace(model, trees=trees)


class Shape(Protocol):
    """Whatever the length of a model depends on."""

    def bits(self, rows: float, precision: Precision, form: str = CORRECTED) -> float: ...


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The quantities that determine the length of a model, other than its precision."""

    components: int
    free_weights: int  # of the components
    parameters: int  # of one tree: Σ_E (r_u−1)(r_v−1) + Σ_v (r_v − 1)
    state_bits: float  # Σ_v R_v log2 r_v, R_v = states of the parent, 1 for a root
    edge_state_bits: float  # Σ_E r_u log2 r_v, the term as printed in eq. 6.11

    def bits(self, rows: float, precision: Precision, form: str = CORRECTED) -> float:
        """DL(M): corrected, every conditional by eq. 6.14, or the sum printed as eq. 6.11."""
        weights = 0.5 * self.free_weights * math.log2(max(rows, 1.0))
        numbers = self.components * precision.bits * self.parameters
        if form == PUBLISHED:
            return weights + numbers + self.edge_state_bits
        return weights + numbers + self.components * self.state_bits

    @property
    def free_parameters(self) -> int:
        return self.free_weights + self.components * self.parameters

    def bic_bits(self, rows: float) -> float:
        """½ log2 N for every free parameter."""
        return 0.5 * math.log2(max(rows, 1.0)) * self.free_parameters

    def bic_h_bits(self, rows: float, masses: Floats) -> float:
        """The same with Σ_k max(log2 Γ_k, 0) for the trees, so empty ones cost nothing."""
        weights = self.free_weights * math.log2(max(rows, 1.0))
        return 0.5 * (weights + self.parameters * _log2_masses(masses))


def _log2_masses(masses: Floats) -> float:
    return float(np.log2(np.maximum(masses, 1.0)).sum())


def edge_penalty_bits(
    rows: float, components: int, free: Floats | float, masses: Floats | None = None
) -> Floats:
    """What an edge shared by all trees must gain: Δ^BIC (eq. 6.7), with masses Δ^BICh (eq. 6.9)."""
    logs = components * math.log2(max(rows, 1.0)) if masses is None else _log2_masses(masses)
    return np.asarray(0.5 * logs * np.asarray(free, dtype=np.float64))


def shape_of(model: TreeMixture) -> ModelShape:
    """The shape of a mixture whose trees have the same edges; separators have no parameters."""
    count = len(model.trees)
    names = [name for name in model.tree_domain.names if name not in model.separators]
    return shape_of_trees(model.trees[0], names, count, count - 1)


def shape_of_trees(
    tree: Tree, names: Sequence[str], components: int, free_weights: int
) -> ModelShape:
    """The sizes of whole parts of one of the trees; each part is rooted at its widest variable."""
    cards, index = tree.domain.cardinalities, [tree.domain.index(name) for name in names]
    near: dict[int, list[int]] = {v: [] for v in index}
    parameters = sum(cards[v] - 1 for v in index)
    for v in index:
        parent = tree.parents[v]
        if parent is not None:
            near[v].append(parent)
            near[parent].append(v)
            parameters += (cards[v] - 1) * (cards[parent] - 1)
    state_bits = edge_state_bits = 0.0
    left = dict.fromkeys(sorted(near, key=lambda v: (-cards[v], v)))
    while left:
        root = next(iter(left))
        del left[root]
        state_bits += math.log2(cards[root])
        stack = [root]
        while stack:
            node = stack.pop()
            for other in near[node]:
                if other in left:
                    del left[other]
                    stack.append(other)
                    edge_state_bits += cards[node] * math.log2(cards[other])
    return ModelShape(
        components, free_weights, parameters, state_bits + edge_state_bits, edge_state_bits
    )


@dataclass(frozen=True, slots=True)
class DescriptionLength:
    """The shortest description length, its precision, and the lengths of the whole grid."""

    bits: float
    precision: Precision
    model_bits: float
    exact_data_bits: float  # DL(D | M) with parameters that are not rounded
    grid: tuple[tuple[int, int, float, float], ...]  # b_m, b_M, bits in all, bits of the rows

    @property
    def gained_by_rounding(self) -> float:
        """Bits that rounding saved on the rows; 0 at a maximum of the likelihood."""
        gained = max(self.exact_data_bits - data for *_, data in self.grid)
        return gained if gained > 1e-9 * abs(self.exact_data_bits) else 0.0


def data_bits(model: TreeMixture, data: DataSet) -> float:
    """DL(D | M) = −Σ log2 Q(row); ∞ where a row is impossible."""
    logs = model.log2_probabilities(data)
    return -float(logs.sum() if data.weights is None else (logs * data.weights).sum())


class _Rounding:
    """All tables of a model in one array, whose φ are taken once for every precision.

    The tables of separators say which component a row is of; they are not rounded.
    """

    def __init__(self, model: TreeMixture) -> None:
        self._model, arrays = model, model.arrays
        above = np.where(arrays.parents >= 0, arrays.cards[arrays.parents], 1)
        lengths = np.repeat(np.broadcast_to(arrays.cards, above.shape).ravel(), above.ravel())
        self._starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
        self._row_of = np.repeat(np.arange(lengths.size), lengths)
        top = np.maximum.reduceat(arrays.tables, self._starts)
        with np.errstate(divide="ignore"):
            self._phi = -np.log(arrays.tables / top[self._row_of])
        exact = np.zeros(above.shape, dtype=bool)
        for name in model.certain:
            exact[:, model.domain.index(name)] = True
        self._impossible = np.repeat(exact.ravel(), (arrays.cards * above).ravel()) & np.isinf(
            self._phi
        )

    def data_bits(self, precision: Precision, data: DataSet) -> float:
        """DL(D | M_b)."""
        fine = 2.0**precision.fine
        ratios = np.exp(-np.round(fine * np.minimum(self._phi, 2.0**precision.range)) / fine)
        ratios[self._impossible] = 0.0
        sums = np.add.reduceat(ratios, self._starts)
        coded = copy(self._model)  # only its likelihood is asked, which reads the arrays
        coded.__dict__["arrays"] = replace(self._model.arrays, tables=ratios / sums[self._row_of])
        return data_bits(coded, data)


def empirical_length(
    model: TreeMixture,
    data: DataSet,
    *,
    shape: Shape | None = None,
    form: str = CORRECTED,
    fine_bits: int = FINE_BITS,
    range_bits: int = RANGE_BITS,
    cancel: CancelToken = NEVER,
) -> DescriptionLength:
    """DL^emp: the least DL(D, M_b) over all precisions of the grid (eq. 6.10).

    A `shape` is given where trees have tables in common.
    """
    shape = shape_of(model) if shape is None else shape
    rows, rounding = data.total_weight, _Rounding(model)
    grid: list[tuple[int, int, float, float]] = []
    for fine in range(fine_bits + 1):
        for reach in range(range_bits + 1):
            cancel.raise_if_cancelled()
            precision = Precision(fine, reach)
            length = rounding.data_bits(precision, data)
            grid.append((fine, reach, shape.bits(rows, precision, form) + length, length))
    best = min(grid, key=lambda point: point[2])
    return DescriptionLength(
        best[2],
        Precision(best[0], best[1]),
        best[2] - best[3],
        data_bits(model, data),
        tuple(grid),
    )
