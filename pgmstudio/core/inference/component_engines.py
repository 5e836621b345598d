"""What a mixture computes for one set of findings, component by component.

Weights have one number per state of the components' variables, all states in a row.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.models.tree_mixture import TreeMixture

Floats = NDArray[np.float64]


class ComponentEngine(Protocol):
    """The components of a mixture under findings."""

    def update(self, weights: Floats) -> tuple[Floats, Floats]:
        """log2 of P(findings | k) for each component, and its beliefs, components × states;
        those of a component in which the findings are impossible are 0."""

    def explain(self, weights: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """max_x log2 P(x, findings | k) for each component, and the states that reach it."""


class TreeEngine:
    """Messages in every tree."""

    def __init__(self, mixture: TreeMixture) -> None:
        self._arrays = arrays = mixture.arrays
        width = arrays.cards.size
        widest = int(arrays.cards.max(initial=1))
        self._below = np.empty(int(arrays.state_at[-1]))
        self._sent = np.empty((width, widest))
        self._best = np.empty((width, widest), dtype=np.int64)

    def update(self, weights: Floats) -> tuple[Floats, Floats]:
        from pgmstudio.core.inference.mixture_passes_kernels import update

        a = self._arrays
        totals = np.empty(a.parents.shape[0])
        beliefs = np.empty((totals.size, self._below.size))
        update(
            a.order,
            a.parents,
            a.table_at,
            a.state_at,
            a.cards,
            a.tables,
            weights,
            self._below,
            self._sent,
            totals,
            beliefs,
        )
        return totals, beliefs

    def explain(self, weights: Floats) -> tuple[Floats, NDArray[np.int64]]:
        from pgmstudio.core.inference.mixture_passes_kernels import explain

        a = self._arrays
        tops = np.empty(a.parents.shape[0])
        states = np.zeros(a.parents.shape, dtype=np.int64)
        with np.errstate(divide="ignore"):
            log_tables, log_weights = np.log2(a.tables), np.log2(weights)
        explain(
            a.order,
            a.parents,
            a.table_at,
            a.state_at,
            a.cards,
            log_tables,
            log_weights,
            self._below,
            self._best,
            tops,
            states,
        )
        return tops, states


class ClassEngine:
    """Variables that are independent given the class (Nielsen 2007, eq. 3.58)."""

    def __init__(self, model: LatentClasses) -> None:
        self._stacked, self._starts = model.stacked, model.state_at[:-1]
        self._counts = np.diff(model.state_at)

    def update(self, weights: Floats) -> tuple[Floats, Floats]:
        weighed = self._stacked * weights[:, None]
        if not self._starts.size:
            return np.zeros(weighed.shape[1]), weighed.T
        masses = np.add.reduceat(weighed, self._starts, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            totals = np.log2(masses).sum(axis=0)
            beliefs = weighed / np.repeat(masses, self._counts, axis=0)
        beliefs[:, ~np.isfinite(totals)] = 0.0
        return totals, np.ascontiguousarray(beliefs.T)

    def explain(self, weights: Floats) -> tuple[Floats, NDArray[np.int64]]:
        weighed = self._stacked * weights[:, None]
        tops = np.zeros(weighed.shape[1])
        states = np.zeros((weighed.shape[1], self._starts.size), dtype=np.int64)
        for v, (at, count) in enumerate(zip(self._starts, self._counts, strict=True)):
            table = weighed[at : at + count]
            states[:, v] = table.argmax(axis=0)
            with np.errstate(divide="ignore"):
                tops += np.log2(table.max(axis=0))
        return tops, states
