"""Figures of the sources that recipes rerun: their measures against counts and limits."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.generators.hidden_variable_models import TreeHParams, tree_h
from pgmstudio.core.params import parse_params
from pgmstudio.studies.hidden_blocks import confusion_of, tree_h_blocks
from pgmstudio.studies.kes_restarts import summary_of
from pgmstudio.studies.pdg_figures import slope_of
from pgmstudio.studies.recipe import (
    Measured,
    sweep_of,
    table_csv,
    table_of,
    without_curve_points,
)
from pgmstudio.studies.recipe_task import RecipeTask
from pgmstudio.studies.registry import RECIPES, recipe_of
from pgmstudio.studies.sparse_trees import kruskal_steps


def values_of(key: str, **given: object) -> dict[str, float]:
    recipe = recipe_of(key)
    params = parse_params(recipe.params_type, {**recipe.small, **given})
    events = RecipeTask(key, params, 0, {})(NEVER)
    return {
        k: v for event in events if isinstance(event, Measured) for k, v in event.values.items()
    }


def test_steps_of_kruskals_algorithm_are_distributed_as_counted_by_hand() -> None:
    rng = np.random.default_rng(0)
    assert {kruskal_steps(2, rng) for _ in range(20)} == {1}
    assert {kruskal_steps(3, rng) for _ in range(50)} == {2}
    # Of the 20 sets of three edges on four nodes 4 are triangles, which need a fourth edge.
    steps = np.array([kruskal_steps(4, rng) for _ in range(2000)])
    assert set(steps) == {3, 4}
    assert (steps == 4).mean() == pytest.approx(0.2, abs=0.04)
    # Connectivity of a random graph: n (ln n + γ) / 2 edges (Erdős and Rényi 1959).
    mean = np.mean([kruskal_steps(1000, rng) for _ in range(60)])
    assert mean == pytest.approx(500 * (np.log(1000) + 0.5772), rel=0.06)


def test_runs_are_compared_with_greedy_search() -> None:
    gains = {
        0.9: np.array([-2.0, 0.0]),
        0.3: np.array([-4.0, 6.0]),
        0.0: np.array([-9.0, -1.0]),
    }
    values = summary_of(gains)
    assert values["best"] == 6
    assert values["ges_best"] == 0
    assert summary_of({0.5: np.array([-3.0, 0.0])})["ges_best"] == 1
    assert (values["better_high"], values["better_middle"], values["better_low"]) == (0, 0.5, 0)
    # Means −1, 1 and −5: of three pairs of k two have the better mean at the larger.
    assert values["greedier"] == pytest.approx(2 / 3)


def test_a_heavier_penalty_leads_greedy_search_into_the_local_optimum() -> None:
    """Nielsen (2007), figure 4.6, comes out as printed with seven times the penalty of BIC."""
    settings = {"rows": 20_000, "restarts": 3, "greediness": (0.1,)}
    plain = values_of("kes-four-cycle", **settings)
    heavy = values_of("kes-four-cycle", penalty=7.0, **settings)
    assert plain["global"] == 1
    assert plain["better_low"] == 0
    assert heavy["local"] >= 0.8
    assert heavy["better_low"] == 1


def test_the_confusion_of_the_true_blocks_is_read_by_rows() -> None:
    kind = TreeHParams(keep_hidden=True)
    assert [len(block) for block in tree_h_blocks(kind)] == [4, 4, 4]
    rng = np.random.default_rng(1)
    data = tree_h(kind, rng, 600)
    recipe = recipe_of("tree-h")
    params = parse_params(recipe.params_type, {**recipe.small, "states": (3,)})
    models = [
        event.model
        for event in RecipeTask("tree-h", params, 0, {})(NEVER)
        if isinstance(event, Measured) and event.model is not None
    ]
    table = confusion_of(models[0], data)  # type: ignore[arg-type]
    assert table.shape == (3, 3)
    assert table.sum(axis=1) == pytest.approx(1)


def test_the_exponent_of_two_sizes_is_that_of_the_law_they_obey() -> None:
    assert slope_of([(size, 3 * size) for size in (10, 100, 1000)]) == pytest.approx(1)
    assert slope_of([(size * size, size) for size in (10, 30, 100)]) == pytest.approx(0.5)
    assert np.isnan(slope_of([(10, 3), (10, 3)]))


def test_parity_is_among_the_graphs_for_some_penalty() -> None:
    values = values_of("pdg-parity", rows=2000)
    assert values["near"] == 1
    assert values["size, λ 1"] >= 2


def test_published_values_on_a_curve_are_a_line_of_their_own() -> None:
    recipe = RECIPES["kes-seconds"]
    sweep = sweep_of(recipe, [Measured(0, {"exact, k = 0.5, seconds": 0.1})])
    assert sweep is not None
    lines = {line.name: [mark.mean for mark in line.marks] for line in sweep.lines}
    assert lines["exact"] == [0.1]
    assert lines["sampled, published"] == [2.2] * 10 + [4.9]


def test_points_of_curves_are_in_the_file_and_not_in_the_table_for_people() -> None:
    recipe = RECIPES["kes-alarm"]
    measured = [Measured(0, {"k = 0.5, 10 %": 1.0, "best": 2.0, "extra": 3.0})]
    rows = table_of(recipe, measured)
    keys = [row.quantity.key for row in without_curve_points(recipe, rows)]
    assert {"best", "extra"} <= set(keys)
    assert "k = 0.5, 10 %" not in keys
    assert "k = 0.5, 10 %" in table_csv(rows)
    sweep = RECIPES["bars-sweep"]  # its curves are its table
    rows = table_of(sweep, [Measured(0, {"2 trees, α = 1": 8.0})])
    assert without_curve_points(sweep, rows) == rows


def test_every_recipe_has_a_small_run_with_other_settings() -> None:
    for recipe in RECIPES.values():
        assert parse_params(recipe.params_type, recipe.small) != recipe.params_type(), recipe.key
