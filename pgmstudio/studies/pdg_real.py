"""Decision graphs on real data (Nielsen 2007, §5.3, tables 5.5 and 5.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.pdg.learning.trace import PdgScan
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.params import param
from pgmstudio.core.scores.local import spaced_lambdas
from pgmstudio.studies.measures import bits
from pgmstudio.studies.nb_real import SETS, both_parts
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

# Size, training and test bits of the graph that test rows like best, table 5.7.
PUBLISHED = {
    "page-blocks": (11_925, 11.806, 11.998),
    "abalone": (694, 10.467, 10.883),
    "mushroom": (6560, 13.768, 13.950),
    "krkopt": (18_930, 15.691, 16.783),
    "adult": (4208, 16.179, 16.695),
    "letter": (14_138, 24.607, 28.046),
    "landsat": (7418, 44.524, 50.465),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PdgRealParams:
    """The settings of the experiment."""

    only: str | None = only_param()
    trials: int = trials_param(1)
    population: int = param(
        30, title="Forests", low=1, high=500, help="How many forests of variables are tried."
    )
    patience: int = param(
        15, title="Patience", low=1, help="Sweeps without a better graph before a search ends."
    )
    models: int = param(
        20,
        title="Models",
        low=2,
        high=100,
        help="λ of the sweep: λ/(1−λ) from the least to 5·log2 of the rows.",
    )
    least: float = param(
        0.05,
        title="Least λ/(1−λ)",
        low=0,
        low_open=True,
        help="Bits that a number of the largest graph must save at least.",
    )


def run(work: RecipeWork) -> Iterator[RecipeEvent]:
    params: PdgRealParams = work.params
    names = wanted(params.only, PUBLISHED)
    steps = Steps(params.trials * len(names), work.cancel)
    for trial, name, rng in trials_of(work, PUBLISHED):
        rows, test = both_parts(name, work.sources[name], rng)
        words = f"{SETS[name].title}, trial {trial + 1} of {params.trials}"
        settings = {
            "population": params.population,
            "patience": params.patience,
            "lambdas": _lambdas(params, rows),
        }
        yield from steps.learned(words, "pdg.learn", rows, rng, **settings)
        scan = steps.kept[PdgScan.kind]
        assert isinstance(scan, PdgScan)
        values, model = _chosen(scan, rows, test)
        named = {f"{name}_{key}": value for key, value in values.items()}
        yield Measured(trial, named, model, rows, SETS[name].title)


def _lambdas(params: PdgRealParams, rows: DataSet) -> tuple[float, ...]:
    return spaced_lambdas(params.least, 5 * math.log2(max(2, rows.row_count)), params.models)


def _chosen(scan: PdgScan, rows: DataSet, test: DataSet) -> tuple[dict[str, float], DecisionGraph]:
    """The graph that test rows like best and the one that held-out rows do, fitted to all rows."""
    held = scan.best()
    fitted = [
        (point, refitted(point.model, rows, point.smoothing))
        for point in scan.points
        if point.model is not None
    ]
    best = min((model for _, model in fitted), key=lambda model: bits(model, test))
    honest = next(model for point, model in fitted if point is held)
    values = {
        "size": float(best.effective_size()),
        "train": bits(best, rows),
        "test": bits(best, test),
        "held_size": float(honest.effective_size()),
        "held_test": bits(honest, test),
    }
    return values, honest


def _quantities() -> Iterator[Quantity]:
    for name, (size, train, test) in PUBLISHED.items():
        title = SETS[name].title
        yield Quantity(f"{name}_size", f"{title}, size", size, digits=0)
        yield Quantity(f"{name}_train", f"{title}, training bits", train, digits=3)
        yield Quantity(f"{name}_test", f"{title}, test bits", test, digits=3)
        honest = f"{title}, chosen by held-out rows"
        yield Quantity(f"{name}_held_size", f"{honest}, size", digits=0)
        yield Quantity(f"{name}_held_test", f"{honest}, test bits", test, digits=3)


PDG_REAL = Recipe(
    "pdg-real",
    "Decision graphs, real rows",
    "Nielsen 2007, tables 5.5 and 5.7",
    "Learns decision graphs for a list of λ on seven data sets; test rows choose, as there, and "
    "beside them rows held out of those for learning.",
    PdgRealParams,
    tuple(_quantities()),
    run,
    "about 30 minutes",
    tuple(SETS[name].source for name in PUBLISHED),
    (
        "As in the source the test rows choose among the models, so their test bits are a little "
        "too good in both; those of the model that held-out rows choose are not.",
        "Structures are learned from nine tenths of the rows for learning, the others choose; "
        "parameters are then fitted to all of them.",
        "Numbers are cut into 5 intervals of about equally many rows, Adult's into ones of equal "
        "width; where the cuts lie is not printed, and bits of cut columns depend on it.",
        "A search goes on for 15 sweeps without gain; with 5, the usual number, Mushroom stays "
        "behind the source.",
    ),
)
