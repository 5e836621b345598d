"""Hidden variables between blocks of trees (Meilă 1999, §6.5, figures 6-4 to 6-6).

The edges of the source's models are in figures only; the generators `tree-h` and `general-h` are
stand-ins of the same size.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.generators.generator import without_columns
from pgmstudio.core.experiments.generators.hidden_variable_models import (
    HIDDEN,
    GeneralHParams,
    TreeHParams,
    general_blocks,
    general_h,
    tree_h,
    tree_h_model,
)
from pgmstudio.core.experiments.sl_curves.sweep import Curves
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import (
    Candidate,
    HiddenScan,
)
from pgmstudio.core.languages.tree_mixture.model import Blocks, TreeMixture, blocks_of
from pgmstudio.core.params import param
from pgmstudio.studies.recipe import Measured, RecipeContext, RecipeEvent, load_recipe, trials_param


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeHRecipe:
    """The settings of the experiment."""

    trials: int = param(2, title="Data sets", low=1, high=1000, help="Random parameters.")
    rows: int = param(3000, title="Rows", low=50, help="Rows to learn from.")
    starts: int = param(20, title="Starts", low=1, high=1000, help="EM runs of each model.")
    states: tuple[int, ...] = param(
        (2, 3, 4), title="Hidden states m", low=2, high=50, help="The x values of the curves."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralHRecipe(TreeHRecipe):
    """The settings of the experiment."""

    trials: int = trials_param(10)
    rows: int = param(2000, title="Rows", low=50, help="Rows to learn from.")
    states: tuple[int, ...] = param(
        (2, 3, 4, 5, 6), title="Hidden states m", low=2, high=50, help="The x values of the curves."
    )


def _as_set(blocks: Blocks) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(block) for block in blocks)


def summary_of(candidates: list[Candidate], truth: Blocks, states: int) -> dict[str, float]:
    """Correct partitions, description length and accuracy among the models of one m."""
    good = [_as_set(one.blocks) == _as_set(truth) for one in candidates]
    ranked = sorted(zip(candidates, good, strict=True), key=lambda pair: pair[0].length_bits)
    best, is_good = ranked[0]
    values = {
        f"correct, m = {states}": float(np.mean(good)),
        f"shortest correct, m = {states}": float(is_good),
        f"one of the five shortest correct, m = {states}": float(any(g for _, g in ranked[:5])),
        f"description length, m = {states}": best.length_bits,
    }
    if best.accuracy is not None:
        values[f"accuracy, m = {states}"] = best.accuracy
    return values


def _candidates(
    context: RecipeContext,
    message: str,
    data: DataSet,
    rng: np.random.Generator,
    **settings: object,
) -> Generator[RecipeEvent, None, tuple[TreeMixture, list[Candidate]]]:
    """The result of a search, and the model of every start."""
    params: TreeHRecipe = context.params
    model = yield from context.learn_model(
        TreeMixture,
        message,
        "mixture.hidden",
        data,
        rng,
        restarts=params.starts,
        smoothing=0.0,
        validate=False,
        label=HIDDEN,
        **settings,
    )
    scan = context.artifacts[HiddenScan.kind]
    assert isinstance(scan, HiddenScan)
    return model, list(scan.candidates)


def run_tree_h(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: TreeHRecipe = context.params
    context.expect_models(params.trials * (len(params.states) + 1))
    kind = TreeHParams(keep_hidden=True)
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        truth = tree_h_blocks(kind)
        data = tree_h(kind, rng, params.rows)
        message = f"data set {trial + 1} of {params.trials}"
        values: dict[str, float] = {}
        lengths: dict[int, float] = {}
        for states in params.states:
            model, candidates = yield from _candidates(
                context, f"{message}, m = {states}", data, rng, components=(states,), penalty="bic"
            )
            values |= summary_of(candidates, truth, states)
            lengths[states] = values[f"description length, m = {states}"]
            yield Measured(-1, {}, model, data, f"{message}, m = {states}")
        _, candidates = yield from _candidates(
            context,
            f"{message}, four blocks",
            data,
            rng,
            components=(3,),
            blocks=(4,),
            penalty="none",
        )
        values["four"] = min(one.length_bits for one in candidates)
        values["three_best"] = float(min(lengths, key=lambda m: lengths[m]) == 3)
        if 3 in lengths:
            values["four_longer"] = float(values["four"] > lengths[3])
        yield Measured(trial, values)


def tree_h_blocks(kind: TreeHParams) -> Blocks:
    """The true partition of `tree-h`."""
    model = tree_h_model(kind, np.random.default_rng(0))
    return blocks_of(model.domain.names, model.trees[0].edges)


TREE_H = load_recipe(
    "tree-h",
    TreeHRecipe,
    run_tree_h,
    curves=Curves(
        "Hidden states m",
        "Description length, bits per row ↓",
        r"(?P<line>description length), m = (?P<x>\d+)",
    ),
)


def run_general_h(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: GeneralHRecipe = context.params
    context.expect_models(params.trials * (len(params.states) + 1))
    kind = GeneralHParams(keep_hidden=True)
    truth = general_blocks(kind)
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        data = general_h(kind, rng, params.rows)
        message = f"data set {trial + 1} of {params.trials}"
        values: dict[str, float] = {}
        for states in params.states:
            model, candidates = yield from _candidates(
                context,
                f"{message}, m = {states}",
                data,
                rng,
                components=(states,),
                blocks=(len(truth),),
                penalty="none",
            )
            values |= summary_of(candidates, truth, states)
            yield Measured(-1, {}, model, data, f"{message}, m = {states}")
            if trial == 0 and states == 5:
                table = confusion_of(model, data)
                values |= {
                    f"true state {i}, tree {k}": float(cell)
                    for i, row in enumerate(table)
                    for k, cell in enumerate(row)
                }
        _, candidates = yield from _candidates(
            context, f"{message}, MDL", data, rng, components=(3,), penalty="bic"
        )
        shortest = min(candidates, key=lambda one: one.length_bits)
        values["mdl_blocks"] = float(len(shortest.blocks))
        yield Measured(trial, values)


def confusion_of(model: TreeMixture, data: DataSet) -> Floats:
    """The fraction of the rows of each true state that each tree gets, by the likeliest tree."""
    chosen = model.responsibilities(without_columns(data, HIDDEN)).argmax(axis=1)
    true = data.column(HIDDEN).astype(np.intp)
    counts = np.zeros((int(true.max()) + 1, len(model.trees)))
    np.add.at(counts, (true, chosen), 1)
    table: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return table


GENERAL_H = load_recipe(
    "general-h",
    GeneralHRecipe,
    run_general_h,
    curves=Curves(
        "Hidden states m",
        "Share of starts with the true blocks",
        r"(?P<line>correct), m = (?P<x>\d+)",
    ),
)
