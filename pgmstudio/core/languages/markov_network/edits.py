"""Edits of a Markov network: contexts of its edges, potentials, parameters fitted to data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.markov_network.fitting import fit
from pgmstudio.core.languages.markov_network.log_linear import normalised
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Configuration, Edge, edge_of


def _edge(model: MarkovNetwork, source: str, target: str) -> Edge:
    return edge_of(model.domain.index(source), model.domain.index(target))


def add_context(
    model: MarkovNetwork, *, source: str, target: str, context: Configuration
) -> MarkovNetwork:
    """Let the edge vanish in one more context, states of the common neighbours, and in those that
    follow; the nearest distribution."""
    edge = _edge(model, source, target)
    return model.with_structure(normalised(model.structure.with_context(edge, context)))


def remove_context(
    model: MarkovNetwork, *, source: str, target: str, context: Configuration
) -> MarkovNetwork:
    """Keep the edge in a context in which it vanished; the distribution stays."""
    edge = _edge(model, source, target)
    return MarkovNetwork(model.structure.without_context(edge, context), model.potentials)


def drop_contexts(model: MarkovNetwork) -> MarkovNetwork:
    """The graph without contexts; the distribution stays."""
    return MarkovNetwork(model.structure.without_contexts(), model.potentials)


def set_potential(
    model: MarkovNetwork, *, variables: Sequence[str], values: Floats
) -> MarkovNetwork:
    """Other numbers for the potential of a maximal clique, its axes in the order of the names."""
    order = [model.domain.index(name) for name in variables]
    clique = tuple(sorted(order))
    index = model.structure.maximal_cliques.index(clique)
    table = np.asarray(values, dtype=np.float64).transpose(np.argsort(order))
    potentials = (*model.potentials[:index], table, *model.potentials[index + 1 :])
    return MarkovNetwork(model.structure, potentials)


def fit_parameters(model: MarkovNetwork, *, data: DataSet, smoothing: float = 0.0) -> MarkovNetwork:
    """The same structure with the parameters of largest likelihood."""
    return run_to_end(fit(model.structure, data, smoothing=smoothing)).network
