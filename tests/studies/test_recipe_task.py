"""Recipes run in parts: one after the other, in processes, on a cluster, and continued."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.errors import Cancelled, FileError
from pgmstudio.core.execution.events import NEVER, Note, Progress, StopSwitch
from pgmstudio.core.params import parse_params
from pgmstudio.studies.recipe import (
    Measured,
    Part,
    Recipe,
    RecipeContext,
    RecipeEvent,
    TableRow,
    table_of,
)
from pgmstudio.studies.recipe_task import RecipeTask
from pgmstudio.studies.registry import RECIPES
from tests.dask_cluster import running_cluster

SMALL = {
    "kruskal-steps": {"nodes": (5, 20), "trials": 3},
    "bars": {"trials": 2, "rows": 100, "test_rows": 50},
    "tree-h": {"trials": 2, "starts": 1, "rows": 200, "states": (2, 3)},
    "nb-synthetic": {"trials": 2, "only": "parity,nb10", "rows": 200, "test_rows": 60},
    "ldag-recovery": {"trials": 2, "variables": (4,), "labels": (0.5,), "rows": (100,)},
    "markov-recovery": {"trials": 2, "variables": (6,), "only": "loop", "rows": (100,)},
}
SPLITS = SMALL["bars"] | {"trials": 4}


def params_of(recipe: Recipe, given: dict[str, Any]) -> Any:
    return parse_params(recipe.params_type, given)


def task_of(key: str, given: dict[str, Any], **where: Any) -> RecipeTask:
    return RecipeTask(key, params_of(RECIPES[key], given), where.pop("seed", 3), {}, **where)


def rows_of(recipe: Recipe, events: list[RecipeEvent]) -> tuple[TableRow, ...]:
    return table_of(recipe, [event for event in events if isinstance(event, Measured)])


def table(task: RecipeTask) -> tuple[TableRow, ...]:
    return rows_of(RECIPES[task.key], list(task(NEVER)))


@pytest.mark.parametrize("key", SMALL)
def test_the_parts_of_a_recipe_make_the_table_of_the_whole(key: str) -> None:
    recipe = RECIPES[key]
    params = params_of(recipe, SMALL[key])
    whole = rows_of(recipe, list(recipe.run(RecipeContext(params, 3, {}, NEVER))))
    events = list(RecipeTask(key, params, 3, {})(NEVER))
    assert rows_of(recipe, events) == whole
    assert any(row.obtained is not None for row in whole)
    fractions = [e.fraction for e in events if isinstance(e, Progress) and e.fraction is not None]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)


def test_the_parts_are_trials_of_data_sets() -> None:
    synthetic = RECIPES["nb-synthetic"]
    assert synthetic.parts(params_of(synthetic, SMALL["nb-synthetic"])) == tuple(
        Part(trial, name) for trial in (0, 1) for name in ("parity", "nb10")
    )
    assert RECIPES["bars"].parts(params_of(RECIPES["bars"], SPLITS)) == tuple(
        Part(trial) for trial in range(4)
    )
    steps = RECIPES["kruskal-steps"]
    assert steps.parts(params_of(steps, SMALL["kruskal-steps"])) == (Part(),)


@pytest.mark.slow
def test_processes_make_the_same_table() -> None:
    assert table(task_of("bars", SPLITS, processes=2)) == table(task_of("bars", SPLITS))


# -- saved and continued --------------------------------------------------------------------------


def stopped_after(task: RecipeTask, trials: int) -> list[RecipeEvent]:
    """The events of a run that is stopped when so many trials are measured."""
    switch, events = StopSwitch(), list[RecipeEvent]()

    def follow() -> Iterator[RecipeEvent]:
        for event in task(switch):
            events.append(event)
            if sum(isinstance(e, Measured) and e.trial >= 0 for e in events) >= trials:
                switch.cancel()
            yield event

    with pytest.raises(Cancelled):
        list(follow())
    return events


def test_a_stopped_recipe_continues_after_its_finished_trials(tmp_path: Path) -> None:
    task = task_of("bars", SPLITS, saved=tmp_path / "new" / "bars.jsonl")
    stopped_after(task, 2)
    events = list(task(NEVER))
    assert events[0] == Note("Continues after 2 of 4 parts that are finished.")
    assert rows_of(RECIPES["bars"], events) == table(task_of("bars", SPLITS))
    learned = {event.message for event in events if isinstance(event, Progress)}
    assert learned == {"start 3 of 4", "start 4 of 4"}
    afresh = list(task(NEVER))  # all are finished
    assert not any(isinstance(event, Note) for event in afresh)
    assert rows_of(RECIPES["bars"], afresh) == rows_of(RECIPES["bars"], events)


def test_trials_of_other_settings_and_damaged_lines_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "bars.jsonl"
    task = task_of("bars", SPLITS, saved=file)
    stopped_after(task, 2)
    for other in (
        replace(task, seed=4),
        task_of("bars", SPLITS | {"rows": 90}, saved=file),
    ):
        assert not any(isinstance(event, Note) for event in stopped_after(other, 1))
    first, second, *others = file.read_bytes().splitlines(keepends=True)
    assert len(others) == 2  # a run with other settings loses nothing
    file.write_bytes(first + b"no record\n[]\n" + second[:40])
    events = list(task(NEVER))
    assert events[0] == Note("Continues after 1 of 4 parts that are finished.")
    assert rows_of(RECIPES["bars"], events) == table(task_of("bars", SPLITS))


def test_a_line_that_was_not_written_to_its_end_takes_no_other_with_it(tmp_path: Path) -> None:
    file = tmp_path / "bars.jsonl"
    task = task_of("bars", SPLITS, saved=file)
    stopped_after(task, 2)
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + second[:40])
    stopped_after(task, 2)  # the first, and one more
    assert next(iter(task(NEVER))) == Note("Continues after 2 of 4 parts that are finished.")


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n0,1\n")
    with pytest.raises(FileError, match="is no file of finished trials"):
        list(task_of("bars", SPLITS, saved=file)(NEVER))
    assert file.read_text() == "a,b\n0,1\n"


def test_notes_of_finished_trials_come_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(context: RecipeContext) -> Iterator[RecipeEvent]:
        if context.has_first_trial:
            yield Note("For all.")
        for trial in context.trial_numbers:
            yield Note(f"Trial {trial}.")
            yield Measured(trial, {"test": math.inf})

    monkeypatch.setitem(RECIPES, "bars", replace(RECIPES["bars"], run=run))
    task = task_of("bars", SPLITS, saved=tmp_path / "bars.jsonl")
    whole = list(task_of("bars", SPLITS)(NEVER))
    assert [e.message for e in whole if isinstance(e, Note)] == [
        "For all.",
        *(f"Trial {trial}." for trial in range(4)),
    ]
    stopped_after(task, 2)
    continued = list(task(NEVER))
    assert [*map(repr, continued[1:])] == [*map(repr, whole)]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"bars\.jsonl: finished trials cannot be saved"):
        list(task_of("bars", SPLITS, saved=tmp_path / "file" / "bars.jsonl")(NEVER))


@pytest.mark.long
def test_workers_of_a_cluster_make_the_same_table(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask is not installed")
    with running_cluster(tmp_path) as cluster:
        events = list(task_of("bars", SPLITS, cluster=cluster.address)(NEVER))
    fractions = [event.fraction for event in events if isinstance(event, Progress)]
    assert fractions == [0.0, 0.25, 0.5, 0.75, 1.0]
    there = rows_of(RECIPES["bars"], events)
    assert there == table(task_of("bars", SPLITS))


def test_a_recipe_that_measures_seconds_runs_its_parts_one_after_the_other() -> None:
    few = {"trials": 1, "rows": 60, "columns": (20,), "on": (3,)}
    nobody = "tcp://127.0.0.1:1"  # would be an error
    events = list(task_of("acl-seconds", few, cluster=nobody, processes=2)(NEVER))
    assert events[0] == Note("It measures seconds, so its parts run here, one after the other.")
    assert any(isinstance(event, Measured) for event in events)
