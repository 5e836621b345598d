"""Random mixtures of trees: recovery of the trees (Meilă 1999, §7.1.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pgmstudio.core.experiments.generators.random_models import RandomTreesParams, random_mixture
from pgmstudio.core.languages.tree_mixture.learning.params import STARTS
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.params import param
from pgmstudio.studies.measures import bits, undirected
from pgmstudio.studies.recipe import Measured, RecipeContext, RecipeEvent, load_recipe, trials_param


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomTreesRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(10)
    trees: int = param(5, title="Trees", low=1, high=50, help="Trees of the mixture.")
    variables: int = param(30, title="Variables", low=2, high=200, help="Columns.")
    states: int = param(4, title="States", low=2, high=20, help="States of every variable.")
    rows: int = param(30_000, title="Rows", low=10, help="Rows to learn from.")
    test_rows: int = param(1000, title="Test rows", low=10, help="Rows for the likelihoods.")
    starts: int = param(
        5, title="Starts", low=1, high=100, help="EM runs of a trial; the most likely one is used."
    )
    start: str = param(
        "shares",
        title="Start from",
        choices=STARTS,
        help="Random responsibilities (shares), classes or trees.",
    )
    light: float = param(
        0.05, title="Low weight", low=0, high=1, help="Trees below this weight may be missed."
    )


def count_recovered(true: TreeMixture, learned: TreeMixture, least: float = 0.0) -> tuple[int, int]:
    """Numbers of trees of at least this weight: those learned exactly, and all."""
    there = Counter(undirected(tree.edges) for tree in learned.trees)
    recovered = total = 0
    for weight, tree in zip(true.weights, true.trees, strict=True):
        edges = undirected(tree.edges)
        if weight >= least:
            total += 1
            if there[edges]:
                there[edges] -= 1
                recovered += 1
    return recovered, total


def run(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: RandomTreesRecipe = context.params
    context.expect_models(params.trials)
    kind = RandomTreesParams(
        components=params.trees, variables=params.variables, states=params.states
    )
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        true = random_mixture(kind, rng)
        rows, test = true.sample(params.rows, rng), true.sample(params.test_rows, rng)
        learned = yield from context.learn_model(
            TreeMixture,
            f"trial {trial + 1} of {params.trials}",
            "mixture.trees",
            rows,
            rng,
            components=(params.trees,),
            restarts=params.starts,
            criterion="aic-thesis",  # all mixtures of one run have the same size: the likeliest
            smoothing=0.0,
            start=params.start,
        )
        recovered, _ = count_recovered(true, learned)
        heavy, of = count_recovered(true, learned, params.light)
        true_bits, learned_bits = bits(true, test), bits(learned, test)
        yield Measured(
            trial,
            {
                "recovered": recovered / params.trees,
                "all": float(recovered == params.trees),
                "heavy": float(heavy == of),
                "train_gap": bits(learned, rows) - bits(true, rows),
                "gap": learned_bits - true_bits,
                "true": true_bits,
                "learned": learned_bits,
            },
            learned,
            rows,
        )


RANDOM_TREES = load_recipe("random-trees", RandomTreesRecipe, run)
