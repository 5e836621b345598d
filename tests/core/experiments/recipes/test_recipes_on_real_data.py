"""The checks of recipes that need the shared data, with few trials."""

from __future__ import annotations

from pathlib import Path

import pytest

from pgmstudio.core.experiments.recipes.recipe import Measured, RecipeTask, table_csv, table_of
from pgmstudio.core.experiments.recipes.registry import recipe_of
from pgmstudio.core.io.recipe_data import read_sources
from pgmstudio.core.params import parse_params
from pgmstudio.core.running import NEVER, Note


def obtained(shared: Path, key: str, **given: object) -> tuple[dict[str, float], list[str], str]:
    """What a recipe finds, its notes, and its table as text."""
    recipe = recipe_of(key)
    sources = read_sources(recipe, shared / "data")
    events = list(RecipeTask(key, parse_params(recipe.params_type, given), 0, sources)(NEVER))
    rows = table_of(recipe, [event for event in events if isinstance(event, Measured)])
    notes = [event.message for event in events if isinstance(event, Note)]
    values = {row.quantity.key: row.obtained for row in rows if row.obtained is not None}
    return values, notes, table_csv(rows)


@pytest.mark.long
def test_splice_is_told_as_published_and_noise_is_left_alone(shared: Path) -> None:
    found, notes, text = obtained(shared, "splice", trials=2)
    assert notes[0].startswith("3175 rows")
    assert 94.5 <= found["tree"] <= 96.5
    assert found["near"] >= 0.95
    assert found["chain"] >= 0.8
    assert min(found[key] for key in ("EI31", "EI32", "IE29", "IE30")) > 0.9
    assert obtained(shared, "splice", trials=2)[2] == text  # the same seed, the same table
    noisy, _, _ = obtained(shared, "splice-noise", trials=2)
    assert abs(noisy["noisy"] - noisy["plain"]) < 1
    assert noisy["noise"] < 0.5
    assert noisy["same"] >= 0.95
    few, _, _ = obtained(shared, "splice-small", trials=3)
    assert 4.0 <= few["tree_400"] <= 7
    assert few["tree_400"] < few["tree_200"] < few["tree_100"] < few["tan_100"]


@pytest.mark.long
def test_densities_and_classes_of_real_rows_stand_in_the_published_order(shared: Path) -> None:
    for key in ("alarm", "alarm-small"):
        found, _, _ = obtained(shared, key, trials=1)
        order = [found[f"{name}_test"] for name in ("true", "trees", "classes", "base", "gzip")]
        assert order == sorted(order)
        assert found["trees_gap"] < 2.3
    assert found["classes_gap"] > 4  # with a tenth of the rows factorials lose much
    credit, _, _ = obtained(shared, "australian", trials=6)
    assert 83 <= credit["mixture"] <= 91
    food, _, _ = obtained(shared, "mushroom", trials=1, starts=2)
    assert min(food["marginal_right"], food["uniform_right"]) >= 0.99
    gaps = {kind: food[f"{kind}_test"] - food[f"{kind}_train"] for kind in ("none", "marginal")}
    assert gaps["marginal"] < gaps["none"] or food["none_impossible"] > 0
