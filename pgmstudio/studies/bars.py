"""Bars: recovery of a hidden orientation by mixtures of trees (Meilă 1999, §7.1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.generators.bars import (
    MAX_SIDE,
    ORIENTATION,
    BarsParams,
    bars,
    bars_truth,
)
from pgmstudio.core.experiments.generators.generator import without_columns
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.tree.learning.priors import TOWARDS
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.params import param
from pgmstudio.studies.measures import bits
from pgmstudio.studies.recipe import Measured, RecipeContext, RecipeEvent, load_recipe, trials_param


@dataclass(frozen=True, slots=True, kw_only=True)
class BarsRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    side: int = param(5, title="Side", low=2, high=12, help="Pixels in a row and in a column.")
    bar_probability: float = param(
        0.2, title="Bar probability", low=0, high=1, low_open=True, high_open=True, help="Of each."
    )
    noise: float = param(0.02, title="Noise", low=0, high=0.5, help="Chance of a flipped pixel.")
    rows: int = param(400, title="Rows", low=10, help="Rows to learn from, the same in all trials.")
    test_rows: int = param(200, title="Test rows", low=10, help="Of each of the two kinds.")
    trees: int = param(2, title="Trees", low=1, high=50, help="Trees of the mixture.")
    edge_penalty: float = param(
        5.0, title="Edge penalty β", low=0, help="Minimum gain of an edge in nats."
    )
    smoothing: float = param(
        1.0, title="Smoothing", low=0, help="Fictitious rows of the whole mixture."
    )
    toward: str = param(
        "uniform", title="Smooth towards", choices=TOWARDS, help="Even tables or those of all rows."
    )


def bars_of(tree: Tree, side: int) -> str | None:
    """“rows” or “columns” when the connected parts of a tree are exactly these; else None."""
    part = list(range(side * side))
    for child, parent in enumerate(tree.parents):
        if parent is not None:
            first, second = sorted((part[parent], part[child]))
            part = [first if at == second else at for at in part]
    grid = np.array(part).reshape(side, side)
    if len(set(part)) != side:
        return None
    if (grid == grid[:, :1]).all():
        return "rows"
    return "columns" if (grid == grid[:1, :]).all() else None


def is_perfect(mixture: TreeMixture, side: int) -> bool:
    """One tree has the rows of the image as its parts, the other the columns."""
    return sorted(str(bars_of(tree, side)) for tree in mixture.trees) == ["columns", "rows"]


def orientation_accuracy(mixture: TreeMixture, pixels: DataSet, labelled: DataSet) -> float:
    """Fraction of rows whose most likely tree has their orientation; trees are matched best."""
    chosen = mixture.responsibilities(pixels).argmax(axis=1)
    vertical = labelled.column(ORIENTATION)
    hits = np.zeros((len(mixture.trees), 2))
    np.add.at(hits, (chosen, vertical), 1)
    if len(mixture.trees) == 2:
        return float(max(np.trace(hits), np.trace(hits[::-1])) / vertical.size)
    return float(hits.max(axis=1).sum() / vertical.size)


def run_bars(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: BarsRecipe = context.params
    context.expect_models(params.trials)
    kind = BarsParams(
        side=params.side,
        bar_probability=params.bar_probability,
        noise=params.noise,
        keep_hidden=True,
    )
    clear = replace(kind, unambiguous=True)
    rng = context.rng(0)
    rows = without_columns(bars(kind, rng, params.rows), ORIENTATION)
    labelled, labelled_clear = bars(kind, rng, params.test_rows), bars(clear, rng, params.test_rows)
    test, test_clear = (without_columns(part, ORIENTATION) for part in (labelled, labelled_clear))
    if params.side <= MAX_SIDE and context.has_first_trial:
        truth = bars_truth(kind)
        yield Measured(-1, {"entropy": float(truth.entropy), "best": float(truth.accuracy)})
    for trial in context.trial_numbers:
        learned = yield from context.learn_model(
            TreeMixture,
            f"start {trial + 1} of {params.trials}",
            "mixture.trees",
            rows,
            context.rng(1, trial),
            components=(params.trees,),
            criterion="aic-thesis",
            penalty="constant",
            edge_penalty=params.edge_penalty,
            smoothing=params.smoothing,
            toward=params.toward,
            start="shares",
        )
        yield Measured(
            trial,
            {
                "perfect": float(is_perfect(learned, params.side)),
                "test": bits(learned, test),
                "clear": bits(learned, test_clear),
                "right": orientation_accuracy(learned, test, labelled),
                "right_clear": orientation_accuracy(learned, test_clear, labelled_clear),
            },
            learned,
            rows,
        )


BARS = load_recipe("bars", BarsRecipe, run_bars)


@dataclass(frozen=True, slots=True, kw_only=True)
class BarsSweepRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    trees: tuple[int, ...] = param(
        (2, 3), title="Trees", low=1, high=50, help="Numbers of trees, a line for each."
    )
    smoothings: tuple[float, ...] = param(
        (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 200.0),
        title="Smoothings α",
        low=0,
        low_open=True,
        help="Fictitious rows of the whole mixture, the x values of the curves.",
    )
    toward: str = param(
        "marginal",
        title="Smooth towards",
        choices=TOWARDS,
        help="Even tables or those of all rows.",
    )
    edge_penalty: float = param(
        5.0, title="Edge penalty β", low=0, help="Minimum gain of an edge in nats."
    )
    side: int = param(5, title="Side", low=2, high=12, help="Pixels in a row and in a column.")
    rows: int = param(400, title="Rows", low=10, help="Rows to learn from, the same in all trials.")
    test_rows: int = param(200, title="Test rows", low=10, help="Rows the bits are measured on.")


def run_bars_sweep(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: BarsSweepRecipe = context.params
    context.expect_models(params.trials * len(params.trees) * len(params.smoothings))
    kind, rng = BarsParams(side=params.side), context.rng(0)
    rows, test = bars(kind, rng, params.rows), bars(kind, rng, params.test_rows)
    for trial in context.trial_numbers:
        for number, trees in enumerate(params.trees):
            for index, alpha in enumerate(params.smoothings):
                name = f"{trees} trees, α = {alpha:g}"
                learned = yield from context.learn_model(
                    TreeMixture,
                    f"start {trial + 1} of {params.trials}, {name}",
                    "mixture.trees",
                    rows,
                    context.rng(1, trial, number, index),
                    components=(trees,),
                    criterion="aic-thesis",
                    penalty="constant",
                    edge_penalty=params.edge_penalty,
                    smoothing=alpha,
                    toward=params.toward,
                    start="shares",
                )
                values = {name: bits(learned, test)}
                if trees == 2:
                    values[f"perfect structures, α = {alpha:g}"] = is_perfect(learned, params.side)
                yield Measured(trial, values, learned, rows, name)


BARS_SWEEP = load_recipe(
    "bars-sweep",
    BarsSweepRecipe,
    run_bars_sweep,
    curves=Curves(
        "Smoothing α", "Test bits ↓", r"(?P<line>\d+ trees), α = (?P<x>[\d.e+-]+)", is_log=True
    ),
)
