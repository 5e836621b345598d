"""Priors of mixtures of trees: smoothing of tables and edge penalties (Meilă 1999, §4.2 and ch.
7)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.learning.edge_constraints import ForestRules

TOWARDS = ("marginal", "product", "uniform", "model")
POLICIES = ("rows", "share", "edges", "fraction")
PENALTIES = ("none", "constant", "mdl", "bic")


@dataclass(frozen=True, slots=True)
class TreePriors:
    """Smoothing of the tables, edge penalties and the prior of the weights.

    `strength` α mixes the tables P^k of a tree with P': P̃ = (1 − α_k) P^k + α_k P'. By policy:
    “rows”: N' = α fictitious rows of the whole mixture, split evenly over its trees, so
    α_k = N'_k / (Γ_k + N'_k) (eq. 4.38; the only one for which EM's objective is known);
    “share”: α_k ∝ 1/Γ_k with Σ_k α_k = α; “edges”: the same, after the edges are chosen and divided
    by their number; “fraction”: α for all. P' is the table of all rows, with `even_rows` rows of
    the even table among them (“marginal”), the product of its two margins (“product”), the even
    table (“uniform”), or that of a model (“model”), in `joints` by u ≤ v. All are margins of one
    joint distribution, as eq. 4.34 asks.

    `edge_penalty` is β in nats, times (r−1)(s−1) for “mdl”; “bic” takes ½ ln Γ_k instead of it.
    `costs` are added to it, a matrix over the variables: ∞ forbids an edge, −∞ asks for it.
    """

    strength: float = 0.0
    policy: str = "rows"
    toward: str = "marginal"
    even_rows: float = 0.0
    edge_penalty: float = 0.0
    penalty: str = "constant"
    weight_rows: float = 0.0  # Dirichlet rows of the λ, over all components
    weight_entropy: float = 0.0  # α of the prior exp(−α H(λ)) of the λ
    is_shared: bool = False
    costs: Floats | None = None
    rules: ForestRules | None = None  # what every tree must have and may not have
    joints: Mapping[tuple[int, int], Floats] | None = None  # P' of pairs of variables, by index

    def __post_init__(self) -> None:
        if self.toward not in TOWARDS or self.policy not in POLICIES:
            raise ParameterError({"smoothing": "unknown kind of smoothing"})
        if self.toward == "model" and self.joints is None:
            raise ParameterError({"toward": "needs a model to smooth towards"})
        if self.penalty not in PENALTIES:
            raise ParameterError({"penalty": "unknown kind of penalty"})

    @property
    def own_rows(self) -> float:
        """N': fictitious rows of the whole mixture; 0 under a policy without them."""
        return self.strength if self.policy == "rows" else 0.0

    def smoothing_fractions(self, masses: Floats) -> Floats:
        """α_k: how much of each tree's tables is P', for trees with so many rows."""
        count = masses.size
        safe = np.maximum(masses, 1e-12)
        if self.strength <= 0:
            # A tree without rows has no tables of its own.
            return np.where(masses > 1e-9, 0.0, 1.0)
        if self.policy == "rows":
            own = self.strength / count
            return np.asarray(own / (safe + own))
        if self.policy in ("share", "edges"):
            inverse = 1 / safe
            return np.asarray(np.minimum(1.0, self.strength * inverse / inverse.sum()))
        return np.full(count, min(1.0, self.strength))

    def grow(self, weights: Floats, parents: NDArray[np.int64]) -> None:
        """The best forest under these weights that obeys the rules; −1 for a root."""
        if self.rules is not None:
            parents[:] = [-1 if p is None else p for p in self.rules.parents(weights)]
            return
        from pgmstudio.core.graphs.spanning_forest_kernels import grow_forest

        grow_forest(weights, parents)

    def gains(self, information: Floats, rows: float, count: int, free: Floats) -> Floats:
        """rows · I − β: what every edge gains in a tree of so many rows, in nats."""
        result = rows * information
        is_free = self.penalty == "none" or (self.penalty != "bic" and self.edge_penalty == 0.0)
        if self.costs is not None or not is_free:
            result -= self.penalties(rows, count, free)
        return result

    def penalties(self, rows: float, count: int, free: Floats) -> Floats:
        """β_uv in nats for a tree of so many rows; `free` is (r_u−1)(r_v−1)."""
        beta = np.zeros_like(free)
        if self.penalty == "constant":
            beta += self.edge_penalty
        elif self.penalty == "mdl":
            beta += self.edge_penalty * free
        elif self.penalty == "bic":
            copies = count if self.is_shared else 1
            beta += 0.5 * copies * math.log(max(rows, 1.0)) * free
        return beta if self.costs is None else beta + self.costs


def likeness_costs(edges: NDArray[np.bool_], kappa: float) -> Floats:
    """β_uv of the prior κ^Δ(E, E*): ln κ on the edges of E*, −ln κ elsewhere (eqs. 4.15–4.17).

    The printed eq. 4.17 has the two signs the other way round.
    """
    if not 0 < kappa <= 1:
        raise ParameterError({"kappa": "must be more than 0 and at most 1"})
    return np.where(edges, math.log(kappa), -math.log(kappa))


# Steps and tolerance of `entropic_weights`; each step finds ν by so many halvings.
_STEPS, _HALVINGS, _TOLERANCE = 500, 100, 1e-12


def entropic_weights(masses: Floats, strength: float, before: Floats) -> Floats:
    """λ of largest Σ Γ_k ln λ_k − α H(λ): the prior exp(−α H(λ)) empties small components.

    −H is convex, so it is replaced by its tangent at the last λ, again and again: no step lowers
    the objective. Begins with Γ/N and with `before`; the better result counts.
    """
    starts = (masses / masses.sum(), before)
    results = [_climbed(masses, strength, start) for start in starts]
    return max(results, key=lambda weights: entropic_objective(masses, strength, weights))


def entropic_objective(masses: Floats, strength: float, weights: Floats) -> float:
    """Σ (Γ_k + α λ_k) ln λ_k, with 0 ln 0 = 0."""
    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    factors = masses + strength * weights
    return float((factors[factors > 0] * logs[factors > 0]).sum())


def _climbed(masses: Floats, strength: float, weights: Floats) -> Floats:
    has_rows = masses > 0
    mass, result = masses[has_rows], np.zeros_like(masses)
    own = np.maximum(weights[has_rows], 1e-300)
    for _ in range(_STEPS):
        slopes = strength * (np.log(own) + 1)
        # Σ Γ_k / (ν − slope_k) = 1 falls in ν; it is at least 1 at the first end, at most at the
        # second.
        low, high = float((slopes + mass).max()), float(slopes.max() + mass.sum())
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if (mass / (middle - slopes)).sum() > 1:
                low = middle
            else:
                high = middle
        new = mass / (high - slopes)
        new /= new.sum()
        change, own = float(np.abs(new - own).max()), np.maximum(new, 1e-300)
        if change < _TOLERANCE:
            break
    result[has_rows] = own
    return result
