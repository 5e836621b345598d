"""The recipe command: listing, settings, files, and stopping."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pgmstudio.studies.recipe import Measured, RecipeContext, RecipeEvent
from pgmstudio.studies.registry import RECIPES
from tests.cli.conftest import Call

FEW = ("--set", "trials=2", "--rows", "80", "--quiet")


def test_without_a_name_every_recipe_is_listed_with_its_data(call: Call, tmp_path: Path) -> None:
    listed = call("recipe").out
    for recipe in RECIPES.values():
        assert recipe.key in listed
        assert recipe.title in listed
    output = call("recipe", "--data", tmp_path, "--json").json["recipes"]
    assert [entry["key"] for entry in output] == list(RECIPES)
    needs = {entry["key"]: entry for entry in output}
    assert needs["bars"]["needs"] == needs["bars"]["absent"] == []
    assert needs["splice"]["absent"] == ["seeds/splice.csv"]


def test_a_recipe_prints_and_writes_published_beside_obtained(call: Call, tmp_path: Path) -> None:
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for file in files:
        called = call("recipe", "bars", *FEW, "--out", file)
        assert called.code == 0, called.err
    assert "Published" in called.out
    assert "9.82 ± 0.95" in called.out
    assert "8.143" in called.out  # why the entropy differs
    assert files[0].read_bytes() == files[1].read_bytes()
    assert b"Perfect structures (share),0.95" in files[0].read_bytes()


def test_settings_can_be_given_in_both_ways_and_wrong_ones_are_named(call: Call) -> None:
    one = call("recipe", "bars", "--set", "trials=1", "--set=rows=80", "--json", "--quiet").json
    other = call("recipe", "bars", "--trials", 1, "--rows", 80, "--json", "--quiet").json
    assert one["rows"] == other["rows"]
    assert one["parameters"]["trials"] == 1
    assert one["outcome"] == "finished"
    assert one["rows"][3]["difference"] == one["rows"][3]["obtained"] - 9.82
    wrong = call("recipe", "bars", "--set", "trials=0", "--set", "noise=2")
    assert wrong.code == 2
    assert "--trials" in wrong.err
    assert "--noise" in wrong.err
    assert "NAME=VALUE" in call("recipe", "bars", "--set", "trials").err
    assert "Did you mean" in call("recipe", "bars", "--set", "trails=2").err
    assert "Did you mean bars?" in call("recipe", "barz").err


def test_missing_data_files_are_named_in_one_message(call: Call, tmp_path: Path) -> None:
    called = call("recipe", "mushroom", "--data", tmp_path)
    assert called.code == 2
    assert called.err.startswith("MUSHROOM needs seeds/mushroom.csv, but ")


def test_an_interrupt_keeps_the_trials_so_far(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(work: RecipeContext) -> Iterator[RecipeEvent]:
        yield Measured(0, {"test": 9.0})
        signal.raise_signal(signal.SIGINT)
        yield Measured(1, {"test": 1.0})

    monkeypatch.setitem(RECIPES, "bars", replace(RECIPES["bars"], run=run))
    out = tmp_path / "table.csv"
    called = call("recipe", "bars", "--out", out, "-j", 1)
    assert called.code == 130
    assert "Stopped after" in called.err
    assert "with 1 trial." in called.err
    assert "Test bits,9.82,0.95,9.0,," in out.read_text()


def test_the_curves_of_a_recipe_are_drawn_where_it_has_some(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "curves.svg"
    few = ("--trials", 1, "--trees", 2, "--smoothings", "1,10", "--side", 2, "--rows", 40)
    called = call("recipe", "bars-sweep", *few, "--plot", out)
    assert called.code == 0, called.err
    assert "Smoothing α, logarithmic" in out.read_text()
    refused = call("recipe", "bars", "--plot", out)
    assert refused.code == 2
    assert "bars has a table and no curves" in refused.err
    assert call("recipe", "bars-sweep", "--plot", tmp_path / "curves.png").code == 2


def test_what_was_not_asked_for_is_counted_and_not_listed(call: Call) -> None:
    few = ("--only", "logic2", "--rows", 200, "--test-rows", 100, "--population", 1)
    called = call("recipe", "pdg-table", *few)
    assert called.code == 0, called.err
    assert "Logic2, true forest, size" in called.out
    assert "Logic3" not in called.out
    assert "Not requested or not reached: " in called.out


def test_finished_trials_are_saved_and_continued_in_the_processes_asked_for(
    call: Call, tmp_path: Path
) -> None:
    saved, few = tmp_path / "bars.jsonl", ("--rows", 80, "--test-rows", 50, "--json", "--quiet")
    whole = call("recipe", "bars", "--trials", 3, *few, "-j", 1).json
    done = call("recipe", "bars", "--trials", 3, *few, "-j", 2, "--resume", saved).json
    assert done["rows"] == whole["rows"]
    lines = saved.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    saved.write_bytes(lines[0])  # as if it had been stopped then
    again = call("recipe", "bars", "--trials", 3, *few, "-j", 1, "--resume", saved).json
    assert again["rows"] == whole["rows"]
    assert "Continues after 1 of 3 parts that are finished." in again["notes"]
    wrong = call("recipe", "bars", "--cluster", "here")
    assert wrong.code == 2
    assert "is no address" in wrong.err
