"""AUSTRALIAN credit: mixtures of trees as classifiers (Meilă 1999, §7.3.2, table 7.5, fig. 7-7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.params import param
from pgmstudio.studies.measures import drawn_parts, percent_correct
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    Source,
    load_recipe,
    trials_param,
)

CLASS = "class"
CREDIT_FILE = Source(
    "australian",
    "seeds/australian.csv",
    bins={"A2": 5, "A3": 5, "A7": 5, "A10": 4, "A13": 5, "A14": 5},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    rows: int = param(620, title="Rows", low=10, help="Rows to learn from.")
    test_rows: int = param(70, title="Test rows", low=10, help="Rows to classify.")
    trees: int = param(20, title="Trees", low=1, high=200, help="Trees of the mixture.")
    edge_penalty: float = param(
        4.0, title="Edge penalty β", low=0, help="Minimum gain of an edge in nats."
    )
    smoothing: float = param(
        300.0, title="Smoothing", low=0, help="Fictitious rows of the whole mixture."
    )
    steps: int = param(10, title="EM steps", low=1, high=10_000, help="A fixed number, as there.")


def run_credit(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: CreditRecipe = context.params
    data = context.sources[CREDIT_FILE.name]
    context.expect_models(3 * params.trials)
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        rows, test = drawn_parts(data, (params.rows, params.test_rows), rng)
        message = f"split {trial + 1} of {params.trials}"
        mixture = yield from context.learn(
            f"{message}, {params.trees} trees",
            "mixture.trees",
            rows,
            rng,
            components=(params.trees,),
            criterion="aic-thesis",
            penalty="constant",
            edge_penalty=params.edge_penalty,
            smoothing=params.smoothing,
            max_iterations=params.steps,
            tolerance=1e-12,
        )
        tree = yield from context.learn(f"{message}, one tree", "tree.chow-liu", rows, rng)
        naive = yield from context.learn(f"{message}, naive Bayes", "bn.naive-bayes", rows, rng)
        models = {"mixture": mixture, "tree": tree, "naive": naive}
        values = {name: percent_correct(model, test, CLASS) for name, model in models.items()}
        yield Measured(trial, values, mixture, rows)


CREDIT = load_recipe("australian", CreditRecipe, run_credit, sources=(CREDIT_FILE,))


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditTreesRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    trees: tuple[int, ...] = param(
        (1, 2, 5, 10, 15, 20, 30),
        title="Trees",
        low=1,
        high=200,
        help="Numbers of trees, the x values of the curves.",
    )
    rows: int = param(620, title="Rows", low=10, help="Rows to learn from.")
    test_rows: int = param(70, title="Test rows", low=10, help="Rows to classify.")
    edge_penalty: float = param(
        4.0,
        title="Edge penalty β",
        low=0,
        help="Minimum gain of an edge in nats in the first series.",
    )
    shared_penalty: float = param(
        80.0, title="Trees times β", low=0, help="What stays the same in the second series."
    )
    smoothing: float = param(
        15.0, title="Smoothing of a tree", low=0, help="Fictitious rows for each tree."
    )
    steps: int = param(10, title="EM steps", low=1, high=10_000, help="A fixed number, as there.")


def run_credit_trees(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: CreditTreesRecipe = context.params
    data = context.sources[CREDIT_FILE.name]
    series = (
        (f"β = {params.edge_penalty:g}", params.edge_penalty, False),
        (f"m β = {params.shared_penalty:g}", params.shared_penalty, True),
    )
    context.expect_models(params.trials * len(params.trees) * len(series))
    for trial in context.trial_numbers:
        rows, test = drawn_parts(data, (params.rows, params.test_rows), context.rng(0, trial))
        for count in params.trees:
            for name, penalty, is_shared in series:
                learned = yield from context.learn(
                    f"split {trial + 1} of {params.trials}, {count} trees, {name}",
                    "mixture.trees",
                    rows,
                    context.rng(1, trial, count),  # the same start for both series
                    components=(count,),
                    criterion="aic-thesis",
                    penalty="constant",
                    edge_penalty=penalty,
                    share_penalty=is_shared,
                    smoothing=params.smoothing * count,
                    max_iterations=params.steps,
                    tolerance=1e-12,
                )
                correct = percent_correct(learned, test, CLASS)
                label = f"{name}, {count} trees" if count > 1 else f"{name}, 1 tree"
                yield Measured(trial, {label: correct}, learned, rows, label)


CREDIT_TREES = load_recipe(
    "australian-trees",
    CreditTreesRecipe,
    run_credit_trees,
    sources=(CREDIT_FILE,),
    curves=Curves("Trees", "% correct ↑", r"(?P<line>m? ?β = [\d.]+), (?P<x>\d+) trees?"),
)
