"""Start models of a run: without edges, and the best tree, so that a run can be stopped at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.counting import (
    MAX_PASS_CELLS,
    family_counter,
    joint_counts,
    pair_cells,
    pair_counts,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CLOCK, CancelToken
from pgmstudio.core.graphs.background_knowledge import Edge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.registry import language
from pgmstudio.core.languages.run_checks import knowledge_of, obeys_knowledge
from pgmstudio.core.languages.tree.learning.accelerated import dense_cost
from pgmstudio.core.languages.tree.learning.chow_liu import edge_weights
from pgmstudio.core.learning.base import ImprovedModel, Learner
from pgmstudio.core.learning.cost_estimates import START_SECONDS, Passes, forecast_run
from pgmstudio.core.learning.edge_constraints import EdgeRules, best_forest
from pgmstudio.core.learning.smoothing import smoothed
from pgmstudio.core.model import DirectedModel, Model
from pgmstudio.core.scores.mutual_information import mutual_information_nats

# The tree is left out where, by forecast, counting all pairs of columns takes more than this part
# of the whole run, or more memory.
MAX_TREE_FRACTION, MAX_TREE_MEGABYTES = 0.05, 200.0


def start_models(
    learner: Learner[Any], data: DataSet, params: Any, cancel: CancelToken
) -> Iterator[ImprovedModel]:
    """Models of the learner's language that obey its constraints: the given start or no edges, then
    the best tree where it is quick. None if the parameters are wrong, which the learner reports."""
    if language(learner.kind).from_network is None:
        return  # its learners begin with a model of their own
    if isinstance(data, ChunkedData) and getattr(learner, "passes", Passes()).has_sample:
        return  # counting pairs would be a pass for nothing else
    knowledge = knowledge_of(params) if obeys_knowledge(learner) else None
    if knowledge is not None and knowledge.tiers and not getattr(learner, "uses_tiers", True):
        return
    start = getattr(params, "start", None)
    if not isinstance(start, Model):  # some learners have ways to start by this name
        start = None
    given = _edges_of(start, data)
    try:
        rules = EdgeRules.of(data.domain.names, knowledge, getattr(params, "max_parents", None))
        if start is not None and start.kind == learner.kind and given is None and not knowledge:
            yield ImprovedModel(start, {}, is_start=True)
        elif given is not None or rules.required.any():
            dag, _ = rules.starting_graph(given or ())
            yield _start_model(learner.kind, fit_tables(data, dag, 1.0).network)
        else:
            yield _start_model(learner.kind, _without_edges(data, cancel))
        if given is None and _is_free(learner) and _is_quick(learner, params, data):
            if not isinstance(data, ChunkedData):
                with CLOCK.paused():  # loads the kernels, once in a process; no limit is for that
                    _tree_edges(data.take_rows(slice(0, 2)), cancel)
            dag, _ = rules.starting_graph(_tree_edges(data, cancel))
            yield _start_model(learner.kind, fit_tables(data, dag, 1.0, cancel=cancel).network)
    except PgmStudioError:
        return


def _edges_of(start: Model | None, data: DataSet) -> tuple[Edge, ...] | None:
    """Those of a graph over the columns, None without one."""
    if isinstance(start, DirectedModel) and {*start.domain.names} == {*data.domain.names}:
        return start.edges
    return None


def _is_free(learner: Learner[Any]) -> bool:
    """Whether a tree may be drawn as data have it: not along an order, nor as a star."""
    return language(learner.kind).starts_with_tree and getattr(learner, "starts_with_tree", True)


def _is_quick(learner: Learner[Any], params: Any, data: DataSet) -> bool:
    if isinstance(data, ChunkedData):  # a pass counts all pairs, and the learner needs them too
        return data.pairs is not None
    cost = dense_cost(data)
    whole = forecast_run(learner, params, data)
    seconds = START_SECONDS if whole is None else whole.seconds
    return cost.seconds <= MAX_TREE_FRACTION * seconds and cost.megabytes <= MAX_TREE_MEGABYTES


def _without_edges(data: DataSet, cancel: CancelToken) -> BayesianNetwork:
    """Every column on its own, counted without compiled code: it is there at once."""
    tables = []
    if isinstance(data, ChunkedData):
        if pair_cells(data) <= MAX_PASS_CELLS:
            pair_counts(data, cancel)
        family_counter(data).prefetch([((), range(len(data.domain)))], cancel)
        tables = [smoothed(joint_counts(data, (v,)), 1.0) for v in range(len(data.domain))]
        return BayesianNetwork(data.domain, Dag.from_edges(data.domain.names, ()), tuple(tables))
    for codes, card in zip(data.codes, data.domain.cardinalities, strict=True):
        seen = codes != data.missing_code
        weights = None if data.weights is None else data.weights[seen]
        counts = np.bincount(codes[seen], weights, minlength=card).astype(np.float64)
        tables.append(smoothed(counts, 1.0))
    return BayesianNetwork(data.domain, Dag.from_edges(data.domain.names, ()), tuple(tables))


def _tree_edges(data: DataSet, cancel: CancelToken) -> Iterable[Edge]:
    information = mutual_information_nats(pair_counts(data, cancel), cancel)
    names = data.domain.names
    parents = best_forest(edge_weights(information, data, 0.0, "bic"), names, cancel=cancel)
    return [(names[p], names[c]) for c, p in enumerate(parents) if p is not None]


def _start_model(kind: str, network: BayesianNetwork) -> ImprovedModel:
    return ImprovedModel(
        _in_language(network, kind), {"edges": float(len(network.edges))}, is_start=True
    )


def _in_language(network: BayesianNetwork, kind: str) -> Model:
    """The network as a model of that kind."""
    from_network = language(kind).from_network
    assert from_network is not None
    return from_network.load()(network)
