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
    Quantity,
    Recipe,
    RecipeEvent,
    RecipeWork,
    Source,
)
from pgmstudio.studies.trials import Steps, trials_param

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


def run(work: RecipeWork) -> Iterator[RecipeEvent]:
    params: DigitsRecipe = work.params
    parts = [without_columns(work.sources[source.name], "digit") for source in FILES]
    steps = Steps(params.trials * (len(params.trees) + 1), work.cancel)
    for trial in range(params.trials):
        rng = work.rng(trial)
        rows, valid, test = parts
        if isinstance(params, PairsRecipe):
            rows, valid, test = (paired(part, rng) for part in parts)
        words = f"run {trial + 1} of {params.trials}"
        yield Measured(trial, {"base": bits(base_rate(rows), test)})
        for count in params.trees:
            model = yield from steps.held(
                f"{words}, {count} trees",
                rows,
                valid,
                rng,
                MixtureParams(components=(count,), smoothing=count * params.smoothing),
            )
            yield Measured(
                trial, {f"trees_{count}": bits(model, test)}, model, rows, f"{count} trees"
            )
        classes = yield from steps.learned(
            f"{words}, {params.classes} factorials",
            "nb.latent",
            rows,
            rng,
            components=(params.classes,),
            criterion="aic-thesis",
            restarts=1,
        )
        yield Measured(trial, {"classes": bits(classes, test)}, classes, rows, "factorials")


def _quantities(published: dict[int, float]) -> tuple[Quantity, ...]:
    note = "other images, see below"
    return (
        *(
            Quantity(f"trees_{m}", f"Mixture of {m} trees, test bits", value, None, 2, note)
            for m, value in published.items()
        ),
        Quantity("classes", "Mixture of factorials, test bits", note="in a figure only"),
        Quantity("base", "Base rate, test bits", note="in a figure only"),
    )


_WHY = (
    "The source's images (8 × 8 from the US Postal Service, 6 000, 2 000 and 5 000) are not to be "
    "had; these are made from public 16 × 16 images of the same kind, 6 000, 1 291 and 2 007, so "
    "the bits are not comparable. Compare the order: trees, factorials, base rate.",
    "As published, 32 trees are best for digits and for pairs, and a pair costs more than twice a "
    "digit: that its halves are independent is not found.",
    "Each tree is smoothed with one fictitious row, chosen after 16 rows for the whole mixture "
    "had cost up to 4 bits more with 128 trees; the source smooths nothing and stops early.",
)

_CURVES = Curves("Trees", "Test bits ↓", r"(?P<line>trees)_(?P<x>\d+)", is_log=True)

DIGITS = Recipe(
    "digits",
    "Digits",
    "Meilă 1999, §7.2.1, table 7.2",
    "Mixtures of trees as densities of 8 × 8 images of digits, beside factorials and base rate.",
    DigitsRecipe,
    _quantities({16: 34.72, 32: 34.48, 64: 34.84, 128: 34.88}),
    run,
    "about 15 seconds",
    FILES,
    _WHY,
    _CURVES,
)

PAIRS = Recipe(
    "digit-pairs",
    "Pairs of digits",
    "Meilă 1999, §7.2.1, table 7.2",
    "The same for two digits side by side: does a mixture see that they are independent?",
    PairsRecipe,
    _quantities({16: 79.25, 32: 78.99, 64: 79.70, 128: 81.26}),
    run,
    "about half a minute",
    FILES,
    _WHY,
    _CURVES,
)
