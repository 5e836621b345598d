"""ALARM: the distance of a mixture of trees to the true network (Meilă 1999, §7.2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.params import param
from pgmstudio.studies.measures import base_rate, bits, packed_bits
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    Source,
    load_recipe,
    trials_param,
)

ALARM_FILE = Source("alarm", "networks/alarm.bif")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    rows: int = param(9000, title="Rows", low=10, help="Rows to learn from.")
    valid_rows: int = param(
        1000, title="Rows that choose", low=0, help="Choose among several numbers of trees."
    )
    test_rows: int = param(2000, title="Test rows", low=10, help="Rows for the likelihoods.")
    trees: tuple[int, ...] = param(
        (18,), title="Trees", low=1, high=200, help="Numbers of trees; validation rows choose."
    )
    classes: tuple[int, ...] = param(
        (28,),
        title="Factorials",
        low=1,
        high=500,
        help="Numbers of factorial components; validation rows choose.",
    )
    smoothing: float = param(
        50.0, title="Smoothing", low=0, help="Fictitious rows of a mixture of trees."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallAlarmRecipe(AlarmRecipe):
    """The same with a tenth of the rows."""

    rows: int = param(900, title="Rows", low=10, help="Rows to learn from.")
    valid_rows: int = param(
        100, title="Rows that choose", low=0, help="Choose among several numbers of trees."
    )
    trees: tuple[int, ...] = param(
        (2,), title="Trees", low=1, high=200, help="Numbers of trees; validation rows choose."
    )
    classes: tuple[int, ...] = param(
        (12,),
        title="Factorials",
        low=1,
        high=500,
        help="Numbers of factorial components; validation rows choose.",
    )


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: AlarmRecipe = context.params
    network = context.sources[ALARM_FILE.name]
    context.expect_models(params.trials * (len(params.trees) + len(params.classes)))
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        sizes = (params.rows, params.valid_rows, params.test_rows)
        rows, valid, test = (network.sample(size, rng) for size in sizes)
        message = f"trial {trial + 1} of {params.trials}"
        models: dict[str, ProbabilisticModel] = {"true": network, "base": base_rate(rows)}
        for name, counts, key, given in (
            ("trees", params.trees, "mixture.trees", {"smoothing": params.smoothing}),
            ("classes", params.classes, "nb.latent", {"restarts": 1}),
        ):
            tried = []
            for count in counts:
                model = yield from context.learn(
                    f"{message}, {count} {'trees' if name == 'trees' else 'factorials'}",
                    key,
                    rows,
                    rng,
                    components=(count,),
                    criterion="aic-thesis",
                    **given,
                )
                tried.append((bits(model, valid) if valid.row_count else 0.0, count, model))
            _, _, models[name] = min(tried, key=lambda one: one[:2])
        values = {
            f"{name}_{part}": bits(model, of)
            for name, model in models.items()
            for part, of in (("train", rows), ("test", test))
        }
        values |= {"gzip_train": packed_bits(rows), "gzip_test": packed_bits(test)}
        for name in ("trees", "classes", "base"):
            values[f"{name}_gap"] = values[f"{name}_test"] - values["true_test"]
        yield Measured(trial, values, models["trees"], rows)


ALARM_LARGE = load_recipe("alarm", AlarmRecipe, run, sources=(ALARM_FILE,))

ALARM_SMALL = load_recipe("alarm-small", SmallAlarmRecipe, run, sources=(ALARM_FILE,))
