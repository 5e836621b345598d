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
    RecipeContext,
    RecipeEvent,
    load_recipe,
    only_param,
    selected_names,
    trials_param,
)

NAMES = ("page-blocks", "abalone", "mushroom", "krkopt", "adult", "letter", "landsat")


@dataclass(frozen=True, slots=True, kw_only=True)
class PdgRealParams:
    """The settings of the experiment."""

    only: str | None = only_param()
    trials: int = trials_param(1)
    population: int = param(
        30, title="Forests", low=1, high=500, help="Number of variable forests."
    )
    patience: int = param(
        15, title="Patience", low=1, help="Sweeps without improvement before a search ends."
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
        title="Minimum λ/(1−λ)",
        low=0,
        low_open=True,
        help="Minimum bits that a parameter of the largest graph must save.",
    )


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: PdgRealParams = context.params
    names = selected_names(params.only, NAMES)
    context.expect_models(params.trials * len(names))
    for trial, name, rng in context.trials(NAMES):
        rows, test = both_parts(name, context.sources[name], rng)
        message = f"{SETS[name].title}, trial {trial + 1} of {params.trials}"
        settings = {
            "population": params.population,
            "patience": params.patience,
            "lambdas": _lambdas(params, rows),
        }
        yield from context.learn(message, "pdg.learn", rows, rng, **settings)
        scan = context.artifacts[PdgScan.kind]
        assert isinstance(scan, PdgScan)
        values, model = _chosen(scan, rows, test)
        named = {f"{name}_{key}": value for key, value in values.items()}
        yield Measured(trial, named, model, rows, SETS[name].title)


def _lambdas(params: PdgRealParams, rows: DataSet) -> tuple[float, ...]:
    return spaced_lambdas(params.least, 5 * math.log2(max(2, rows.row_count)), params.models)


def _chosen(scan: PdgScan, rows: DataSet, test: DataSet) -> tuple[dict[str, float], DecisionGraph]:
    """The graphs with the best test and the best held-out likelihood, fitted to all rows."""
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


PDG_REAL = load_recipe(
    "pdg-real",
    PdgRealParams,
    run,
    sources=tuple(SETS[name].source for name in NAMES),
    names=NAMES,
)
