"""Lines along a setting: means, their spread, and the picture of them."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.sl_curves.sweep import (
    Sweep,
    has_smoothings,
    lines_of,
    smoothing_sweep,
    sweep_svg,
    trees_sweep,
)
from pgmstudio.core.languages.tree_mixture.learning.params import MixturePoint, MixtureScan
from pgmstudio.core.params import parse_params
from pgmstudio.studies.recipe import Measured, sweep_of
from pgmstudio.studies.recipe_data import read_sources
from pgmstudio.studies.recipe_task import RecipeTask
from pgmstudio.studies.registry import recipe_of

SVG = "{http://www.w3.org/2000/svg}"


def test_repeats_are_averaged_and_places_come_in_order() -> None:
    result = lines_of(
        [("b", 3, 1.0), ("a", 2, 4.0), ("b", 1, 5.0), ("b", 3, 3.0), ("b", 2, math.inf)]
    )
    assert [line.name for line in result] == ["b", "a"]
    assert [(m.x, m.mean, m.count) for m in result[0].marks] == [(1, 5.0, 1), (3, 2.0, 2)]
    assert result[0].marks[0].spread is None
    assert result[0].marks[1].spread == pytest.approx(math.sqrt(2))


def point(trees: int, start: int, held: float | None) -> MixturePoint:
    return MixturePoint(trees, start, 3.0, -5.0, held, -6.0, -5.5, 10, 9, 4, 1.9, 0, 7, 0.1)


def test_the_starts_of_a_run_make_a_mark_for_each_number_of_trees() -> None:
    scan = MixtureScan("held-out", (point(1, 0, -5.5), point(2, 0, -5.0), point(2, 1, -5.2)))
    sweep = trees_sweep(scan)
    lines = {line.name: line for line in sweep.lines}
    assert list(lines) == ["training", "BIC", "AIC", "held-out"]
    assert [m.x for m in lines["held-out"].marks] == [1, 2]
    assert lines["held-out"].marks[1].mean == pytest.approx(-5.1)
    without = trees_sweep(MixtureScan("bic", (point(1, 0, None),)))
    assert "held-out" not in {line.name for line in without.lines}


def test_the_picture_has_a_sign_for_every_mark_and_a_bar_for_every_spread() -> None:
    sweep = Sweep("T", "x", "y", lines_of([("a", 1, 1.0), ("a", 10, 2.0), ("a", 10, 3.0)]), True)
    drawn = ElementTree.fromstring(sweep_svg(sweep))
    assert len(drawn.findall(f".//{SVG}circle")) == 2 + 1  # and one in the legend
    assert "x, logarithmic" in {node.text for node in drawn.iter(f"{SVG}text")}
    assert sweep_svg(sweep) == sweep_svg(sweep)


def test_a_recipe_along_the_smoothing_reports_its_lines() -> None:
    recipe = recipe_of("bars-sweep")
    given = {"trials": 2, "trees": (2,), "smoothings": (1.0, 20.0), "rows": 60, "side": 3}
    task = RecipeTask(recipe.key, parse_params(recipe.params_type, given), 0, {})
    measured = [event for event in task(NEVER) if isinstance(event, Measured)]
    sweep = sweep_of(recipe, measured)
    assert sweep is not None
    (line,) = sweep.lines
    assert line.name == "2 trees"
    assert [(mark.x, mark.count) for mark in line.marks] == [(1, 2), (20, 2)]
    assert sweep_of(recipe_of("bars"), measured) is None


def test_smoothings_that_were_compared_make_a_line_for_each_number_of_trees() -> None:
    def at(trees: int, start: int, alpha: float, held: float) -> MixturePoint:
        return replace(point(trees, start, held), smoothing=alpha)

    points = (
        at(1, 0, 1.0, -5.5),
        at(1, 0, 9.0, -5.4),
        at(2, 0, 1.0, -5.0),
        at(2, 1, 1.0, -5.2),
        at(2, 0, 9.0, -5.3),
        at(2, 1, 9.0, -5.3),
    )
    scan = MixtureScan("held-out", points)
    sweep = smoothing_sweep(scan)
    assert sweep.is_log
    assert {line.name: [(m.x, m.count) for m in line.marks] for line in sweep.lines} == {
        "1 tree": [(1, 1), (9, 1)],
        "2 trees": [(1, 2), (9, 2)],
    }
    held = {line.name: line for line in trees_sweep(scan).lines}["held-out"]
    assert [mark.mean for mark in held.marks] == pytest.approx([-5.4, -5.1])  # each at its best α
    assert has_smoothings(scan)
    assert not has_smoothings(MixtureScan("held-out", points[2:4]))


def test_accuracy_along_the_number_of_trees_has_a_line_for_each_series(shared: Path) -> None:
    recipe = recipe_of("australian-trees")
    given = {"trials": 2, "trees": (1, 3), "steps": 2}
    sources = read_sources(recipe, shared / "data")
    task = RecipeTask(recipe.key, parse_params(recipe.params_type, given), 0, sources)
    measured = [event for event in task(NEVER) if isinstance(event, Measured)]
    sweep = sweep_of(recipe, measured)
    assert sweep is not None
    assert [line.name for line in sweep.lines] == ["β = 4", "m β = 80"]
    assert all([mark.x for mark in line.marks] == [1, 3] for line in sweep.lines)
    assert all(50 < mark.mean <= 100 for line in sweep.lines for mark in line.marks)
