"""Decision graphs compiled from networks (Nielsen 2007, §5.5, tables 5.10, 5.11, A.1–A.13)."""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import Note
from pgmstudio.core.experiments.generators.random_models import (
    RandomPdgParams,
    random_decision_graph,
)
from pgmstudio.core.experiments.sl_curves.selection import relative_improvement
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.number_format import signed, whole
from pgmstudio.core.params import param
from pgmstudio.core.scores.local import spaced_lambdas
from pgmstudio.studies.alarm import ALARM_FILE
from pgmstudio.studies.measures import bits
from pgmstudio.studies.nb_real import SETS, both_parts
from pgmstudio.studies.nb_synthetic import HAILFINDER_FILE, true_classes
from pgmstudio.studies.pdg_table import RANDOM
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    load_recipe,
    only_param,
    selected_names,
    trials_param,
)
from pgmstudio.studies.sl_published import published_networks
from pgmstudio.studies.sl_verdicts import StudyTable, hybrid_verdict

_REAL = ("page-blocks", "abalone", "adult", "krkopt", "landsat", "letter", "mushroom")
_TITLES = {name: SETS[name].title for name in _REAL} | {
    "alarm": "Alarm",
    "hailfinder": "Hailfinder",
    "nb10": "NB10",
    "nb20": "NB20",
    "rnd15": "Rnd15",
    "rnd20": "Rnd20",
}
_CLASSES = {"nb10": 10, "nb20": 20}
# Likelihoods nearer than this, in bits per row, are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PdgHybridParams:
    """The settings of the experiment."""

    only: str | None = only_param()
    trials: int = trials_param(1)
    networks: int = param(
        40,
        title="Networks",
        low=1,
        high=100,
        help="λ of the networks: λ/(1−λ) from 0.1 to 2·log2 of the rows, four times that of BIC.",
    )
    restarts: int = param(
        5, title="Restarts", low=0, help="Further climbs for each network, by bn.hill-climb."
    )
    most_cells: int = param(
        2_000_000,
        title="Maximum cells",
        low=1,
        help="Networks with a larger junction tree are left out.",
    )
    rows: int = param(10_000, title="Rows", low=100, help="Rows of known models to learn from.")
    test_rows: int = param(5000, title="Test rows", low=100, help="Test rows of known models.")


@dataclass(frozen=True)
class Pair:
    """A network and its best graph; bits are per row, of training and of test rows."""

    cells: int
    network_train: float
    network_test: float
    size: int
    train: float
    test: float

    @property
    def is_smaller(self) -> bool:
        """Smaller than the clique tree, and the training likelihood no lower."""
        return self.size < self.cells and self.train <= self.network_train + _ROUNDING

    def values(self, title: str) -> dict[str, float]:
        """Sizes, bits and relative improvements, (network − graph)/network."""
        columns = {
            "graph": self.size,
            "smaller by": 1 - self.size / self.cells,
            "network, training bits": self.network_train,
            "graph, training bits": self.train,
            "training bits better by": 1 - self.train / self.network_train,
            "network, test bits": self.network_test,
            "graph, test bits": self.test,
            "test bits better by": 1 - self.test / self.network_test,
        }
        return {f"{title}, {self.cells} cells: {key}": float(v) for key, v in columns.items()}


def stored_pairs(rows: Iterable[Mapping[str, str]]) -> dict[str, list[Pair]]:
    """The pairs of each data set in a written table of this recipe, by its title."""
    parts: dict[tuple[str, int], dict[str, float]] = {}
    for row in rows:
        if match := re.fullmatch(r"(.+), (\d+) cells: (.+)", row["quantity"]):
            parts.setdefault((match[1], int(match[2])), {})[match[3]] = float(row["obtained"])
    pairs: dict[str, list[Pair]] = {}
    for (title, cells), values in parts.items():
        bits_of = [
            values[f"{what}, {which} bits"]
            for what in ("network", "graph")
            for which in ("training", "test")
        ]
        train, test, graph_train, graph_test = bits_of
        pair = Pair(cells, train, test, int(values["graph"]), graph_train, graph_test)
        pairs.setdefault(title, []).append(pair)
    return pairs


def compiled_table(name: str, number: int, pairs: Iterable[Pair]) -> StudyTable:
    """Table A.`number` row by row, each with the network here that is nearest in size."""
    rows = []
    smaller = [0, 0]
    by_size = sorted(pairs, key=lambda pair: pair.cells)
    published_pairs = published_networks()[name]
    for published in published_pairs:
        size = published.network.size
        pair = min(by_size, key=lambda pair: abs(math.log(pair.cells / size)))
        there = [
            relative_improvement(getattr(published.network, what), getattr(published.graph, what))
            for what in ("size", "train", "test")
        ]
        here = [
            relative_improvement(pair.cells, pair.size),
            relative_improvement(pair.network_train, pair.train),
            relative_improvement(pair.network_test, pair.test),
        ]
        smaller[0] += there[0] > 0
        smaller[1] += here[0] > 0
        is_far = abs(math.log(pair.cells / size)) > math.log(2)
        cells = [signed(value, 3) for both in zip(there, here, strict=True) for value in both]
        rows.append(
            (
                whole(size),
                whole(pair.cells),
                whole(published.graph.size),
                whole(pair.size),
                *cells,
                "no network of this size" if is_far else hybrid_verdict(there, here),
            )
        )
    head = (
        *("network published", "here", "graph published", "here"),
        *("Δ size published", "here", "Δ training published", "here"),
        *("Δ test published", "here", "verdict"),
    )
    count = len(published_pairs)
    note = f"Smaller than its network: {smaller[0]} of {count} published, {smaller[1]} here."
    title = f"Table A.{number}: {_TITLES[name]}"
    return StudyTable(title, head, ">" * 10 + "<", tuple(rows), note)


def compiled_tables(pairs: Mapping[str, Iterable[Pair]]) -> list[StudyTable]:
    """Tables A.1 to A.13; `pairs` by the title of the data set."""
    return [
        compiled_table(name, number, pairs[_TITLES[name]])
        for number, name in enumerate(published_networks(), start=1)
    ]


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: PdgHybridParams = context.params
    names = selected_names(params.only, _TITLES)
    context.expect_models(2 * params.trials * len(names) * params.networks)
    for trial, name, rng in context.trials(_TITLES):
        rows, test = _drawn(name, context, params, rng)
        pairs: dict[int, Pair] = {}
        for lambda_ in _lambdas(params.networks, rows):
            message = f"{_TITLES[name]}, λ {lambda_:.3f}, trial {trial + 1}"
            compiled = yield from _pair(message, lambda_, rows, test, params, context, rng)
            if compiled is None or compiled[0].cells in pairs:
                continue
            pair, model = compiled
            pairs[pair.cells] = pair
            yield Measured(trial, pair.values(_TITLES[name]), model, rows, message)
        yield Measured(trial, _summary(name, list(pairs.values())))


def _pair(
    message: str,
    lambda_: float,
    rows: DataSet,
    test: DataSet,
    params: PdgHybridParams,
    context: RecipeContext,
    rng: np.random.Generator,
) -> Generator[RecipeEvent, None, tuple[Pair, DecisionGraph] | None]:
    """The network of a λ and its best graph; None when the clique tree is too large."""
    settings = {"score": "lambda", "lambda_": lambda_, "restarts": params.restarts}
    learned = yield from context.learn_model(
        BayesianNetwork, message, "bn.hill-climb", rows, rng, **settings
    )
    cells = learned.effective_size()
    if cells > params.most_cells:
        context.skip_model()
        yield Note(f"{message}: the clique tree has {count_text(cells)} cells and was left out.")
        return None
    # The folds by which pdg.hybrid tunes the tables of the network that it compares with.
    folds = np.random.default_rng(0)
    network = fit_tables(rows.merged(), learned.dag, "auto", rng=folds).network
    graph = yield from context.learn_model(
        DecisionGraph, message, "pdg.hybrid", rows, rng, start=network
    )
    pair = Pair(
        cells,
        bits(network, rows),
        bits(network, test),
        graph.effective_size(),
        bits(graph, rows),
        bits(graph, test),
    )
    return pair, graph


def _lambdas(count: int, rows: DataSet) -> tuple[float, ...]:
    """From the sparsest network to the densest."""
    return spaced_lambdas(2 * math.log2(max(2, rows.row_count)), 0.1, count)


def _summary(name: str, pairs: list[Pair]) -> dict[str, float]:
    if not pairs:
        return {}
    smaller = [pair for pair in pairs if pair.is_smaller]
    values = {
        f"{name}_networks": float(len(pairs)),
        f"{name}_share": len(smaller) / len(pairs),
    }
    if smaller:
        values[f"{name}_best"] = max(1 - pair.size / pair.cells for pair in smaller)
    return values


def _drawn(
    name: str, context: RecipeContext, params: PdgHybridParams, rng: np.random.Generator
) -> tuple[DataSet, DataSet]:
    if name in SETS:
        return both_parts(name, context.sources[name], rng)
    if name in _CLASSES:
        model: ProbabilisticModel = true_classes(_CLASSES[name], rng)
    elif name in RANDOM:
        variables, size = RANDOM[name]
        model = random_decision_graph(RandomPdgParams(variables=variables, size=size), rng)
    else:
        model = context.sources[name]
    return model.sample(params.rows, rng), model.sample(params.test_rows, rng)


PDG_HYBRID = load_recipe(
    "pdg-hybrid",
    PdgHybridParams,
    run,
    sources=(*(real.source for real in SETS.values()), ALARM_FILE, HAILFINDER_FILE),
    names=_TITLES,
)
