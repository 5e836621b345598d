"""Digits and pairs of digits: mixtures of trees as densities (Meilă 1999, §7.2.1, table 7.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.experiments.generators.generator import without_columns
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.params import param
from pgmstudio.studies.measures import base_rate, bits
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    Source,
    load_recipe,
    trials_param,
)

FILES = tuple(Source(part, f"seeds/usps8_{part}.csv") for part in ("train", "valid", "test"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DigitsRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(3)
    trees: tuple[int, ...] = param(
        (16, 32, 64, 128), title="Trees", low=1, high=500, help="Numbers of trees to try."
    )
    classes: int = param(
        64, title="Factorials", low=1, high=500, help="Components of the mixture of factorials."
    )
    smoothing: float = param(1.0, title="Smoothing", low=0, help="Fictitious rows of each tree.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsRecipe(DigitsRecipe):
    """The same with two digits side by side in a row."""


def paired(data: DataSet, rng: np.random.Generator) -> DataSet:
    """Every row with another one, drawn at random, beside it."""
    other = data.take_rows(rng.permutation(data.row_count))
    variables = [
        Variable(f"{side}_{variable.name}", variable.states)
        for side in ("left", "right")
        for variable in data.domain
    ]
    return DataSet(Domain(tuple(variables)), np.concatenate([data.codes, other.codes]))


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: DigitsRecipe = context.params
    parts = [without_columns(context.sources[source.name], "digit") for source in FILES]
    context.expect_models(params.trials * (len(params.trees) + 1))
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        rows, valid, test = parts
        if isinstance(params, PairsRecipe):
            rows, valid, test = (paired(part, rng) for part in parts)
        message = f"run {trial + 1} of {params.trials}"
        yield Measured(trial, {"base": bits(base_rate(rows), test)})
        for count in params.trees:
            model = yield from context.learn_mixture(
                f"{message}, {count} trees",
                rows,
                valid,
                rng,
                MixtureParams(components=(count,), smoothing=count * params.smoothing),
            )
            yield Measured(
                trial, {f"trees_{count}": bits(model, test)}, model, rows, f"{count} trees"
            )
        classes = yield from context.learn(
            f"{message}, {params.classes} factorials",
            "nb.latent",
            rows,
            rng,
            components=(params.classes,),
            criterion="aic-thesis",
            restarts=1,
        )
        yield Measured(trial, {"classes": bits(classes, test)}, classes, rows, "factorials")


_CURVES = Curves("Trees", "Test bits ↓", r"(?P<line>trees)_(?P<x>\d+)", is_log=True)

DIGITS = load_recipe("digits", DigitsRecipe, run, sources=FILES, curves=_CURVES)

PAIRS = load_recipe("digit-pairs", PairsRecipe, run, sources=FILES, curves=_CURVES)
