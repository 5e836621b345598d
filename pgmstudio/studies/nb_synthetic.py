"""Latent classes on synthetic data (Nielsen 2007, §5.2.2, tables 5.2 and 5.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.experiments.generators.random_models import (
    CLASS,
    RandomNbParams,
    random_classes,
)
from pgmstudio.core.experiments.generators.textbook import LogicParams, logic2
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.params import param
from pgmstudio.studies.alarm import ALARM_FILE
from pgmstudio.studies.measures import bits
from pgmstudio.studies.nb_sequence import ClassesParams, class_sequence
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    Source,
    load_recipe,
    selected_names,
    trials_param,
)

HAILFINDER_FILE = Source("hailfinder", "networks/hailfinder.bif")

TITLES = {
    "nb10": "NB10",
    "nb20": "NB20",
    "parity": "Parity of 5",
    "alarm": "Alarm",
    "hailfinder": "Hailfinder",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticRecipe(ClassesParams):
    """The settings of the experiment."""

    trials: int = trials_param(1)
    rows: int = param(10_000, title="Rows", low=10, help="Rows to learn from.")
    test_rows: int = param(5000, title="Test rows", low=10, help="Rows that choose, as there.")


def true_classes(count: int, rng: np.random.Generator) -> LatentClasses:
    """A random model of 15 variables with 2 to 4 states and so many classes."""
    network = random_classes(RandomNbParams(components=count), rng)
    seen = Domain(tuple(variable for variable in network.domain if variable.name != CLASS))
    return LatentClasses(seen, network.tables[-1], network.tables[:-1])


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: SyntheticRecipe = context.params
    names = selected_names(params.only, TITLES)
    context.expect_models(params.trials * len(names))
    for trial, name, rng in context.trials(TITLES):
        rows, test, true_bits = _drawn(name, context, params, rng)
        message = f"{TITLES[name]}, trial {trial + 1} of {params.trials}"
        # Rows that violate parity stay impossible, as in the publication.
        settings = replace(params, smoothing=0.0) if name == "parity" else params
        measured, model = yield from class_sequence(message, rows, test, settings, context, rng)
        values = {f"{name}_{key}": value for key, value in measured.items()}
        values |= {f"{name}_true": true_bits, f"{name}_gap": measured["test"] - true_bits}
        yield Measured(trial, values, model, rows, TITLES[name])


def _drawn(
    name: str, context: RecipeContext, params: SyntheticRecipe, rng: np.random.Generator
) -> tuple[DataSet, DataSet, float]:
    """Training rows, test rows, and the bits of the test rows under the true model."""
    if name == "parity":
        none = LogicParams()
        return logic2(none, rng, params.rows), logic2(none, rng, params.test_rows), 4.0
    if name in ("nb10", "nb20"):
        model: LatentClasses = true_classes(10 if name == "nb10" else 20, rng)
    else:
        model = context.sources[name]
    rows, test = model.sample(params.rows, rng), model.sample(params.test_rows, rng)
    return rows, test, bits(model, test)


NB_SYNTHETIC = load_recipe(
    "nb-synthetic", SyntheticRecipe, run, sources=(ALARM_FILE, HAILFINDER_FILE), names=TITLES
)
