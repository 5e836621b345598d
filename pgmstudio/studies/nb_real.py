"""Latent classes on real data (Nielsen 2007, §5.3, tables 5.5 and 5.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.studies.measures import drawn_parts
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

_LETTER = (
    *("x-box", "y-box", "width", "high", "onpix", "x-bar", "y-bar", "x2bar"),
    *("y2bar", "xybar", "x2ybr", "xy2br", "x-ege", "xegvy", "y-ege", "yegvx"),
)
_ADULT = ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")


@dataclass(frozen=True, slots=True)
class RealSet:
    """A data set of table 5.5; `rows` to learn from are drawn unless there is a second file."""

    source: Source
    title: str
    rows: int


def _quantiles(name: str, path: str, test_path: str | None = None) -> Source:
    return Source(name, path, test_path, all_bins=5, cut_by="quantile")


# The cuts are those that give the entropies and numbers of states of table 5.5.
SETS = {
    real.source.name: real
    for real in (
        RealSet(_quantiles("abalone", "seeds/abalone.csv"), "Abalone", 3758),
        RealSet(_quantiles("page-blocks", "seeds/page_blocks.csv"), "Page-blocks", 4926),
        RealSet(Source("mushroom", "seeds/mushroom.csv", missing_as_state=True), "Mushroom", 7337),
        RealSet(
            _quantiles("landsat", "seeds/landsat_train.csv", "seeds/landsat_test.csv"),
            "Landsat",
            4435,
        ),
        RealSet(Source("krkopt", "seeds/krkopt.csv"), "King, rook and king", 25_188),
        RealSet(
            Source("letter", "seeds/letter.csv", bins=dict.fromkeys(_LETTER, 5), cut_by="quantile"),
            "Letter",
            18_012,
        ),
        RealSet(
            Source(
                "adult",
                "seeds/adult_train.csv",
                "seeds/adult_test.csv",
                bins=dict.fromkeys(_ADULT, 5),
                cut_by="width",
            ),
            "Adult",
            30_162,
        ),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RealRecipe(ClassesParams):
    """The settings of the experiment."""

    trials: int = trials_param(1)


def both_parts(
    name: str, given: DataSet | tuple[DataSet, DataSet], rng: np.random.Generator
) -> tuple[DataSet, DataSet]:
    """Training and test rows: those of the two files, or drawn from the one."""
    if isinstance(given, DataSet):
        rows = min(SETS[name].rows, given.row_count - 1)
        learn, test = drawn_parts(given, (rows, given.row_count - rows), rng)
    else:
        learn, test = (part.complete_rows() for part in given)
    return learn, test


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: RealRecipe = context.params
    names = selected_names(params.only, SETS)
    context.expect_models(params.trials * len(names))
    for trial, name, rng in context.trials(SETS):
        real = SETS[name]
        rows, test = both_parts(name, context.sources[name], rng)
        message = f"{real.title}, trial {trial + 1} of {params.trials}"
        measured, model = yield from class_sequence(message, rows, test, params, context, rng)
        values = {f"{name}_{key}": value for key, value in measured.items()}
        yield Measured(trial, values, model, rows, real.title)


NB_REAL = load_recipe(
    "nb-real",
    RealRecipe,
    run,
    sources=tuple(real.source for real in SETS.values()),
    names=SETS,
)
