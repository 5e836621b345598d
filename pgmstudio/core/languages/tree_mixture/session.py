"""Inference in mixtures of trees, by messages in every tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.inference.programs import InferenceProgram, mixture_program
from pgmstudio.core.languages.latent_class.session import MixtureSession
from pgmstudio.core.languages.tree_mixture.model import TreeMixture


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
        from pgmstudio.core.languages.tree_mixture.session_kernels import update

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
        from pgmstudio.core.languages.tree_mixture.session_kernels import explain

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


class TreeMixtureSession(MixtureSession):
    """Inference in a mixture of trees."""

    def __init__(self, model: TreeMixture) -> None:
        super().__init__(model, TreeEngine(model), model.tree_domain)


def program_of(model: TreeMixture) -> InferenceProgram:
    """The trees as plain numbers, over the whole domain."""
    names = model.tree_domain.names
    index = [model.domain.index(name) for name in names]
    choice = None if model.choice is None else model.domain.index(model.choice)
    count = len(model.domain)
    trees = []
    for tree in model.trees:
        parents: list[int | None] = [None] * count
        tables: list[Floats | None] = [None] * count
        for v, (parent, table) in enumerate(zip(tree.parents, tree.tables, strict=True)):
            parents[index[v]] = None if parent is None else index[parent]
            tables[index[v]] = table
        order = [index[v] for v in tree.as_bayesian_network.dag.topological_order]
        trees.append((parents, order, tables))
    return mixture_program(model.domain.cardinalities, model.weights, choice, trees)
