"""Decision graphs out of learned networks (Nielsen 2007, §5.5, tables 5.10, 5.11 and A.1–A.13)."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import Note
from pgmstudio.core.experiments.generators.random_pdgs import (
    RandomPdgParams,
    random_decision_graph,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.params import param
from pgmstudio.core.scores.local import spaced_lambdas
from pgmstudio.studies.alarm import ALARM_FILE
from pgmstudio.studies.measures import bits
from pgmstudio.studies.nb_real import SETS, both_parts
from pgmstudio.studies.nb_synthetic import HAILFINDER_FILE, true_classes
from pgmstudio.studies.pdg_table import RANDOM
from pgmstudio.studies.recipe import (
    Measured,
    Quantity,
    Recipe,
    RecipeEvent,
    RecipeWork,
)
from pgmstudio.studies.trials import (
    Steps,
    only_param,
    trials_of,
    trials_param,
    wanted,
)

# Networks whose best graph is smaller than the clique tree, of how many (tables A.1–A.13).
PUBLISHED = {
    "page-blocks": (13, 15),
    "abalone": (5, 6),
    "adult": (10, 15),
    "krkopt": (12, 18),
    "landsat": (23, 25),
    "letter": (15, 16),
    "mushroom": (22, 23),
    "alarm": (0, 20),
    "hailfinder": (7, 16),
    "nb10": (3, 15),
    "nb20": (2, 15),
    "rnd15": (12, 18),
    "rnd20": (8, 12),
}
_TITLES = {
    "alarm": "Alarm",
    "hailfinder": "Hailfinder",
    "nb10": "NB10",
    "nb20": "NB20",
    "rnd15": "Rnd15",
    "rnd20": "Rnd20",
} | {name: real.title for name, real in SETS.items()}
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
        title="Most cells",
        low=1,
        help="Networks whose clique tree has more are left out.",
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
        told = {
            "graph": self.size,
            "smaller by": 1 - self.size / self.cells,
            "network, training bits": self.network_train,
            "graph, training bits": self.train,
            "training bits better by": 1 - self.train / self.network_train,
            "network, test bits": self.network_test,
            "graph, test bits": self.test,
            "test bits better by": 1 - self.test / self.network_test,
        }
        return {f"{title}, {self.cells} cells: {key}": float(v) for key, v in told.items()}


def run(work: RecipeWork) -> Iterator[RecipeEvent]:
    params: PdgHybridParams = work.params
    names = wanted(params.only, PUBLISHED)
    steps = Steps(2 * params.trials * len(names) * params.networks, work.cancel)
    for trial, name, rng in trials_of(work, PUBLISHED):
        rows, test = _drawn(name, work, params, rng)
        pairs: dict[int, Pair] = {}
        for lambda_ in _lambdas(params.networks, rows):
            words = f"{_TITLES[name]}, λ {lambda_:.3f}, trial {trial + 1}"
            found = yield from _pair(words, lambda_, rows, test, params, steps, rng)
            if found is None or found[0].cells in pairs:
                continue
            pair, model = found
            pairs[pair.cells] = pair
            yield Measured(trial, pair.values(_TITLES[name]), model, rows, words)
        yield Measured(trial, _summary(name, list(pairs.values())))


def _pair(
    words: str,
    lambda_: float,
    rows: DataSet,
    test: DataSet,
    params: PdgHybridParams,
    steps: Steps,
    rng: np.random.Generator,
) -> Generator[RecipeEvent, None, tuple[Pair, DecisionGraph] | None]:
    """The network of a λ and its best graph; None when the clique tree is too large."""
    settings = {"score": "lambda", "lambda_": lambda_, "restarts": params.restarts}
    learned = yield from steps.learned(words, "bn.hill-climb", rows, rng, **settings)
    assert isinstance(learned, BayesianNetwork)
    cells = learned.effective_size()
    if cells > params.most_cells:
        steps.skip()
        yield Note(f"{words}: the clique tree has {count_text(cells)} cells and was left out.")
        return None
    # The folds by which pdg.hybrid tunes the tables of the network that it compares with.
    folds = np.random.default_rng(0)
    network = fit_tables(rows.merged(), learned.dag, "auto", rng=folds).network
    graph = yield from steps.learned(words, "pdg.hybrid", rows, rng, start=network)
    assert isinstance(graph, DecisionGraph)
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
    name: str, work: RecipeWork, params: PdgHybridParams, rng: np.random.Generator
) -> tuple[DataSet, DataSet]:
    if name in SETS:
        return both_parts(name, work.sources[name], rng)
    if name in _CLASSES:
        model: ProbabilisticModel = true_classes(_CLASSES[name], rng)
    elif name in RANDOM:
        variables, size = RANDOM[name]
        model = random_decision_graph(RandomPdgParams(variables=variables, size=size), rng)
    else:
        model = work.sources[name]
    return model.sample(params.rows, rng), model.sample(params.test_rows, rng)


def _quantities() -> Iterator[Quantity]:
    for name, (smaller, of) in PUBLISHED.items():
        title = _TITLES[name]
        yield Quantity(f"{name}_networks", f"{title}, networks", of, digits=0)
        yield Quantity(
            f"{name}_share",
            f"{title}, share with a smaller graph",
            smaller / of,
            note=f"{smaller} of {of}",
        )
        yield Quantity(f"{name}_best", f"{title}, smaller by at most (share)")


PDG_HYBRID = Recipe(
    "pdg-hybrid",
    "Decision graphs from networks",
    "Nielsen 2007, tables 5.10, 5.11 and A.1–A.13",
    "Compiles networks of different sizes into decision graphs and merges nodes; of how many is "
    "the graph smaller than the clique tree, its training likelihood no lower?",
    PdgHybridParams,
    tuple(_quantities()),
    run,
    "about 30 minutes",
    (*(real.source for real in SETS.values()), ALARM_FILE, HAILFINDER_FILE),
    (
        "Networks come from hill climbing with other λ than the unknown ones of the source, so "
        "their sizes and number differ; networks of few edges are the ones that do not pay.",
        "The table of Alarm has training and test rows exchanged in the source, and its share "
        "counts graphs that are larger in every row.",
        "A clique hangs below the first variable that knows what it shares or, as there, the last "
        "one of the clique above, whichever ends smaller; nodes that no row reaches are not merged "
        "with others.",
    ),
)
