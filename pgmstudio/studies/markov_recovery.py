"""Markov networks on synthetic data: edges that are wrong, and what contexts gain.

The designs of Pensar, Nyman, Niiranen and Corander (2017) and of Pensar, Nyman and Corander (2017),
who print figures but no numbers: true networks of several topologies, growing numbers of rows.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.generators.random_markov_networks import (
    RandomMarkovParams,
    random_markov_network,
)
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.markov_network.learning.blanket_record import BlanketRecord
from pgmstudio.core.languages.markov_network.learning.mpl import AND, CLIMB, OR
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.params import param
from pgmstudio.studies.measures import Edge, undirected
from pgmstudio.studies.recipe import (
    Measured,
    Quantity,
    RecipeContext,
    RecipeEvent,
    load_recipe,
    only_param,
    selected_names,
    trials_param,
)

TOPOLOGIES = ("grid", "loop", "hub", "clique", "random")
VARIABLES, ROWS = (16, 64), (250, 1000, 4000, 16_000)
METHODS = {
    "hc": "hill climbing",
    "and": "AND",
    "or": "OR",
    "pic": "PIC",
    "tests": "tests",
}
# All joint states are enumerated for the divergence.
MAX_ENUMERATED = 16
# The graph alone is compared, so its parameters need not be accurate.
GRAPH_ONLY = {"tolerance": 1e-2}
KINDS = {"plain": "without contexts", "contextual": "with contexts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkovRecoveryParams:
    """The settings of the experiment."""

    trials: int = trials_param(12)
    variables: tuple[int, ...] = param(
        VARIABLES, title="Variables", low=2, high=100, help="Columns of the true networks."
    )
    only: str | None = only_param("Topologies of the true networks, separated by commas.")
    rows: tuple[int, ...] = param(ROWS, title="Rows", low=10, help="Rows to learn from.")
    strength: float = param(
        1.0,
        title="Strength",
        low=0,
        high=10,
        help="Standard deviation of the interactions of two variables; of more, half of it.",
    )
    contexts: float = param(
        0.5,
        title="Fraction of contexts",
        low=0,
        high=1,
        help="For the divergence of networks with and without contexts, of at most "
        f"{MAX_ENUMERATED} variables; 0 leaves it out.",
    )


def every_state(network: MarkovNetwork) -> DataSet:
    """A row for each joint state."""
    cards = network.domain.cardinalities
    states = np.indices(cards).reshape(len(cards), -1)
    return DataSet(network.domain, states.astype(np.uint8))


def divergence(truth: MarkovNetwork, model: MarkovNetwork) -> float:
    """KL(truth ‖ model) in bits, over all joint states."""
    states = every_state(truth)
    log2_p = truth.log2_probabilities(states)
    return float(np.exp2(log2_p) @ (log2_p - model.log2_probabilities(states)))


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: MarkovRecoveryParams = context.params
    topologies = selected_names(params.only, TOPOLOGIES)
    enumerated = [n for n in params.variables if n <= MAX_ENUMERATED and params.contexts > 0]
    models = 3 * len(params.variables) + 2 * len(enumerated)
    context.expect_models(params.trials * len(topologies) * len(params.rows) * models)
    for trial in context.trial_numbers:
        for topology in topologies:
            number = TOPOLOGIES.index(topology)
            for n in params.variables:
                kind = RandomMarkovParams(variables=n, topology=topology, strength=params.strength)
                yield from _graphs(context, kind, trial, context.rng(trial, n, number))
            for n in enumerated:
                kind = RandomMarkovParams(
                    variables=n,
                    topology=topology,
                    strength=params.strength,
                    contexts=params.contexts,
                )
                yield from _contexts(context, kind, trial, context.rng(trial, n, number, 1))


def _graphs(
    context: RecipeContext, kind: RandomMarkovParams, trial: int, rng: np.random.Generator
) -> Iterator[RecipeEvent]:
    """How many edges every method has wrong."""
    n, topology = kind.variables, kind.topology
    true = random_markov_network(kind, rng)
    edges = undirected(true.undirected_edges)
    sample = true.sample(max(context.params.rows), rng)
    for count in context.params.rows:
        rows = sample.take_rows(slice(0, count))
        message = f"{topology}, {n} variables, {count} rows, trial {trial + 1}"
        result: dict[str, Iterable[Edge]] = {}
        model = yield from context.learn_model(
            MarkovNetwork, f"{message}: MPL", "mn.mpl", rows, rng, **GRAPH_ONLY
        )
        record = context.artifacts[BlanketRecord.kind]
        assert isinstance(record, BlanketRecord)
        graphs = {graph.title: undirected(graph.edges) for graph in record.graphs}
        result = {"hc": graphs[CLIMB], "and": graphs[AND], "or": graphs[OR]}
        by_pic = yield from context.learn_model(
            MarkovNetwork, f"{message}: PIC", "mn.mpl", rows, rng, score="pic", **GRAPH_ONLY
        )
        result["pic"] = undirected(by_pic.undirected_edges)
        result["tests"] = yield from _skeleton(context, f"{message}: tests", rows, rng)
        values = {}
        for name, title in METHODS.items():
            wrong = float(len(edges ^ frozenset(result[name])))
            values[graph_key(n, topology, count, name)] = wrong
            values[f"{title}, {count} rows"] = wrong / max(1, len(edges))
        yield Measured(trial, values, model, rows, f"{topology}, {n} variables, {count} rows")


def _skeleton(
    context: RecipeContext, message: str, rows: DataSet, rng: np.random.Generator
) -> Generator[RecipeEvent, None, frozenset[Edge]]:
    """The edges that no independence test removes, whatever their direction."""
    network = yield from context.learn_model(BayesianNetwork, message, "bn.pc", rows, rng)
    return undirected(network.dag.edges)


def _contexts(
    context: RecipeContext, kind: RandomMarkovParams, trial: int, rng: np.random.Generator
) -> Iterator[RecipeEvent]:
    """How far networks with and without contexts are from a truth with contexts."""
    n, topology = kind.variables, kind.topology
    true = random_markov_network(kind, rng)
    sample = true.sample(max(context.params.rows), rng)
    for count in context.params.rows:
        rows = sample.take_rows(slice(0, count))
        values = {}
        for name, key in (("plain", "mn.mpl"), ("contextual", "mn.contextual")):
            message = f"{topology} with contexts, {n} variables, {count} rows, trial {trial + 1}"
            model = yield from context.learn_model(
                MarkovNetwork, f"{message}: {KINDS[name]}", key, rows, rng
            )
            values[context_key(n, topology, count, name)] = divergence(true, model)
        plain, contextual = (values[context_key(n, topology, count, name)] for name in KINDS)
        values[context_key(n, topology, count, "gain")] = plain - contextual
        name = f"{topology} with contexts, {n} variables, {count} rows"
        yield Measured(trial, values, model, rows, name)


def graph_key(variables: int, topology: str, rows: int, name: str) -> str:
    """The key of a number of wrong edges."""
    return f"{name}_{topology}_{variables}_{rows}"


def context_key(variables: int, topology: str, rows: int, name: str) -> str:
    """The key of a divergence from a network with contexts."""
    return f"kl_{name}_{topology}_{variables}_{rows}"


def _quantities() -> Iterator[Quantity]:
    for n in VARIABLES:
        for topology in TOPOLOGIES:
            for count in ROWS:
                for name, method in METHODS.items():
                    title = f"{topology}, {n} variables, {count} rows, {method}"
                    yield Quantity(graph_key(n, topology, count, name), title, digits=1)
    for n in VARIABLES:
        for topology in TOPOLOGIES if n <= MAX_ENUMERATED else ():
            for count in ROWS:
                cell = f"{topology} with contexts, {n} variables, {count} rows"
                for name, kind in KINDS.items():
                    title = f"{cell}, {kind}"
                    yield Quantity(context_key(n, topology, count, name), title, digits=4)
                yield Quantity(context_key(n, topology, count, "gain"), f"{cell}, gain", digits=4)


MARKOV_RECOVERY = load_recipe(
    "markov-recovery",
    MarkovRecoveryParams,
    run,
    quantities=tuple(_quantities()),
    curves=Curves(
        "Rows",
        "Wrong edges per edge of the true graph, mean over all networks ↓",
        r"(?P<line>[^,]+), (?P<x>\d+) rows",
        is_log=True,
        is_log_up=True,
    ),
)
