"""MUSHROOM: classification under three kinds of smoothing (Meilă 1999, §7.3.3, table 7.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.analysis.classification import classify
from pgmstudio.core.params import param
from pgmstudio.studies.measures import bits, drawn_parts
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    Source,
    load_recipe,
    trials_param,
)

CLASS = "class"
MUSHROOM_FILE = Source("mushroom", "seeds/mushroom.csv", missing_as_state=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MushroomRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(5)
    rows: int = param(6000, title="Rows", low=10, help="Rows to learn from; the others are tested.")
    trees: int = param(10, title="Trees", low=1, high=200, help="Trees of the mixture.")
    starts: int = param(
        10, title="Starts", low=1, high=100, help="EM runs of a model; the most likely one is used."
    )
    smoothing: float = param(
        0.3, title="Smoothing α", low=0, help="Divided among the trees, more for low weights."
    )
    marginal_weight: float = param(
        20.0,
        title="Even weights, marginal",
        low=0,
        help="Fictitious rows that pull the weights towards equality.",
    )
    uniform_weight: float = param(
        200.0, title="Even weights, uniform", low=0, help="The same for even tables."
    )


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: MushroomRecipe = context.params
    data = context.sources[MUSHROOM_FILE.name]
    context.expect_models(3 * params.trials)
    kinds: dict[str, dict[str, object]] = {
        "none": {"smoothing": 0.0},
        "marginal": {"toward": "marginal", "weight_rows": params.marginal_weight},
        "uniform": {"toward": "uniform", "weight_rows": params.uniform_weight},
    }
    for trial in context.trial_numbers:
        rows, test = drawn_parts(
            data, (params.rows, data.row_count - params.rows), context.rng(trial, 0)
        )
        for name, given in kinds.items():
            model = yield from context.learn(
                f"split {trial + 1} of {params.trials}, smoothing {name}",
                "mixture.trees",
                rows,
                context.rng(trial, 1),  # the same start for all three
                components=(params.trees,),
                criterion="aic-thesis",
                start="shares",
                restarts=params.starts,
                **({"policy": "share", "smoothing": params.smoothing} | given),
            )
            result = classify(model, test, CLASS)
            possible = np.isfinite(model.log2_probabilities(test))
            yield Measured(
                trial,
                {
                    f"{name}_right": result.accuracy.value,
                    f"{name}_soft": result.soft_score.value,
                    f"{name}_test": bits(model, test.take_rows(possible)),
                    f"{name}_train": bits(model, rows),
                    f"{name}_impossible": float((~possible).mean()),
                },
                model,
                rows,
                f"smoothing {name}",
            )


MUSHROOM = load_recipe("mushroom", MushroomRecipe, run, sources=(MUSHROOM_FILE,))
