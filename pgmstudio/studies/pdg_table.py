"""Decision graphs on synthetic data (Nielsen 2007, §4.5.2, table 4.3).

The random graphs Rnd15 and Rnd20 are not published, and neither is how their structure was drawn.
Their variables, states, size and bits per row are published. Among random graphs with at most four
nodes per variable none of thousands has these states and this size; with as many nodes as there
are edges to reach them the size is typical. So such graphs are drawn until one matches.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.generators.random_models import (
    RandomPdgParams,
    random_decision_graph,
)
from pgmstudio.core.experiments.generators.textbook import LogicParams, logic1, logic2, logic3
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.pdg.learning.params import levels_param
from pgmstudio.core.languages.pdg.learning.trace import PdgScan
from pgmstudio.core.languages.pdg.measures import in_flows, refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.params import param
from pgmstudio.studies.measures import bits
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    load_recipe,
    only_param,
    selected_names,
    trials_param,
)

_NEAR_SIZE = 0.02  # of the size
_NEAR_BITS = 0.05
_MAX_NODES = 32
_MAX_TRIES = 20_000


@dataclass(frozen=True, slots=True)
class PublishedGraph:
    """What is published of a random graph; `states` is the sum over all variables."""

    variables: int
    states: int
    size: int
    bits: float


# Tables 4.3 and 5.3; the states follow from the sizes of naive Bayes models; the bits are the
# mean of training and test rows.
KNOWN = {"rnd15": PublishedGraph(15, 39, 182, 14.84), "rnd20": PublishedGraph(20, 48, 233, 18.08)}


def graph_like(known: PublishedGraph, rng: np.random.Generator) -> DecisionGraph:
    """The first random graph that matches the published numbers."""
    params = RandomPdgParams(variables=known.variables, size=known.size, most_nodes=_MAX_NODES)
    for _ in range(_MAX_TRIES):
        graph = random_decision_graph(params, rng)
        if _is_like(graph, known):
            return graph
    raise ParameterError({"only": f"no random graph came near one of size {known.size}"})


def _is_like(graph: DecisionGraph, known: PublishedGraph) -> bool:
    return (
        sum(graph.domain.cardinalities) == known.states
        and abs(graph.effective_size() - known.size) <= _NEAR_SIZE * known.size
        and abs(entropy_bits(graph) - known.bits) <= _NEAR_BITS
    )


def entropy_bits(graph: DecisionGraph) -> float:
    """The entropy of the distribution of a graph, in bits."""
    total = 0.0
    for flows, rows in zip(in_flows(graph), graph.parameters, strict=True):
        logs = np.log2(rows, out=np.zeros_like(rows), where=rows > 0)
        total -= float(flows @ (rows * logs).sum(axis=1))
    return total


TITLES = {
    "logic1": "Logic1",
    "logic2": "Logic2",
    "logic3": "Logic3",
    "rnd15": "Rnd15",
    "rnd20": "Rnd20",
}
# Generator, the true chain of variables, the size of its smallest graph, the entropy.
_LOGIC = {
    "logic1": (logic1, "A->B->C->G->D->E->F->H->I->J", 44, 4.0),
    "logic2": (logic2, "chain", 18, 4.0),
    "logic3": (logic3, "chain", 40, 7.0),
}
# Bits per row within which a model counts as near to the truth as the published one.
_NEAR = 0.01
# Variables and size of the random graphs that other studies draw.
RANDOM = {"rnd15": (15, 182), "rnd20": (20, 233)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PdgTableParams:
    """The settings of the experiment."""

    only: str | None = only_param("Names with commas: logic1, logic2, logic3, rnd15, rnd20.")
    trials: int = trials_param(1)
    rows: int = param(10_000, title="Rows", low=100, help="Rows to learn from.")
    test_rows: int = param(5000, title="Test rows", low=100, help="Rows that choose, as there.")
    population: int = param(30, title="Forests", low=1, high=500, help="How many are learned.")
    levels: tuple[float, ...] | None = levels_param("from 10⁻⁶ to 0.999")


@dataclass(frozen=True)
class _Drawn:
    rows: DataSet
    test: DataSet
    forest: str
    true: tuple[float, float, float]  # size, training and test bits


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: PdgTableParams = context.params
    names = selected_names(params.only, TITLES)
    context.expect_models(2 * params.trials * len(names))
    for trial, name, rng in context.trials(TITLES):
        drawn = _drawn(name, params, rng)
        for kind in ("given", "learned"):
            settings = _settings(params, drawn.forest if kind == "given" else None)
            message = f"{TITLES[name]}, forest {kind}, trial {trial + 1}"
            begin = time.process_time()
            yield from context.learn(message, "pdg.learn", drawn.rows, rng, **settings)
            seconds = time.process_time() - begin
            scan = context.artifacts[PdgScan.kind]
            assert isinstance(scan, PdgScan)
            model = best_on(scan, drawn.test)
            measured = (model.effective_size(), bits(model, drawn.rows), bits(model, drawn.test))
            values = _named(name, kind, measured)
            values[f"{name}_{kind}_gap"] = measured[2] - drawn.true[2]
            values[f"{name}_{kind}_near"] = _size_as_near(scan, drawn, name, kind)
            values[f"{name}_{kind}_relative"] = model.effective_size() / drawn.true[0]
            values[f"{name}_{kind}_seconds"] = seconds
            if name in _LOGIC:
                values[f"{name}_{kind}_false"] = false_fraction(model, drawn.rows)
            else:
                values |= _curve_points(scan, drawn, f"{TITLES[name]}, forest {kind}")
            yield Measured(trial, values, model, drawn.rows, f"{TITLES[name]}, forest {kind}")
        yield Measured(trial, _named(name, "true", drawn.true))


def best_on(scan: PdgScan, test: DataSet) -> DecisionGraph:
    """The model with the best test bits to three decimals, of equal ones the smallest."""
    models = [point.model for point in scan.points if point.model is not None]
    return min(models, key=lambda m: (round(bits(m, test), 3), m.effective_size()))


def false_fraction(graph: DecisionGraph, rows: DataSet) -> float:
    """The fraction of the states that no row has to which the likeliest parameters give a
    probability; 0 for a graph that represents the rows' logic."""
    count = len(rows.domain)
    codes = np.array(list(itertools.product((0, 1), repeat=count)), dtype=np.uint8).T
    weights = 1 << np.arange(count)
    is_seen = np.isin(weights @ codes.astype(np.int64), weights @ rows.codes.astype(np.int64))
    logs = refitted(graph, rows).log2_probabilities(DataSet(rows.domain, codes))
    return float(np.isfinite(logs[~is_seen]).mean())


def _curve_points(scan: PdgScan, drawn: _Drawn, line: str) -> dict[str, float]:
    values = {}
    for point in scan.points:
        if point.model is not None:
            for part, rows in (("training", drawn.rows), ("test", drawn.test)):
                key = f"{line}, {part}, size {point.effective_size}"
                values[key] = -bits(point.model, rows)
    return values


def _size_as_near(scan: PdgScan, drawn: _Drawn, name: str, kind: str) -> float:
    """The size of the smallest model about as near to the truth as the published one."""
    gap = PDG_TABLE.published(f"{name}_{kind}_gap")
    sizes = [
        point.effective_size
        for point in scan.points
        if point.model is not None
        and round(bits(point.model, drawn.test) - drawn.true[2], 3) <= round(gap + _NEAR, 3)
    ]
    return float(min(sizes, default=math.nan))


def _settings(params: PdgTableParams, forest: str | None) -> dict[str, object]:
    """All rows are learned from; levels near 1 give chains, which parity needs."""
    levels = params.levels or tuple(np.geomspace(1e-6, 0.999, params.population))
    settings: dict[str, object] = {"criterion": "bic", "population": params.population}
    return settings | {"levels": levels, "forest": forest}


def _drawn(name: str, params: PdgTableParams, rng: np.random.Generator) -> _Drawn:
    if name in _LOGIC:
        generate, forest, size, entropy = _LOGIC[name]
        rows = generate(LogicParams(), rng, params.rows)
        test = generate(LogicParams(), rng, params.test_rows)
        return _Drawn(rows, test, forest, (size, entropy, entropy))
    graph = graph_like(KNOWN[name], rng)
    rows, test = graph.sample(params.rows, rng), graph.sample(params.test_rows, rng)
    forest = ", ".join(f"{above}->{below}" for above, below in graph.edges)
    return _Drawn(
        rows, test, forest, (graph.effective_size(), bits(graph, rows), bits(graph, test))
    )


def _named(name: str, kind: str, numbers: tuple[float, float, float]) -> dict[str, float]:
    parts = zip(("size", "train", "test"), numbers, strict=True)
    return {f"{name}_{kind}_{part}": float(value) for part, value in parts}


PDG_TABLE = load_recipe(
    "pdg-table",
    PdgTableParams,
    run,
    names=TITLES,
    is_timed=True,
    curves=Curves(
        "Effective size",
        "Log2-likelihood per row ↑",
        r"(?P<line>Rnd\d+, forest \w+, \w+), size (?P<x>\d+)",
        is_log=True,
    ),
)
