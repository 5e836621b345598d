"""`pgmstudio sweep`: an experiment from a plan."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.experiments.plans.expansion import PINNED_VERSION

Call = Callable[..., Any]

PLAN = """
title = "Asia"
lambdas = [0.3, 0.9]
seeds = [0, 1]

[data]
file = "rows.csv"
test-share = 0.2

[queries]
count = 20
targets = 2
given = 2
timed = 2

[[learners]]
key = "tree.chow-liu"
name = "Trees"
smoothing = 1
"""


@pytest.fixture(autouse=True, scope="module")
def one_version() -> Iterator[None]:
    """The children of a test must not find another version because a file was saved meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PINNED_VERSION, "the version under test")
        yield


@pytest.fixture
def plan(tmp_path: Path, asia_rows: Path) -> Path:
    rows = asia_rows.read_text().splitlines(keepends=True)
    (tmp_path / "rows.csv").write_text("".join(rows[:400]))
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def test_a_plan_becomes_points_a_table_and_a_picture_and_goes_on_when_it_grows(
    call: Call, plan: Path, tmp_path: Path
) -> None:
    picture, table = tmp_path / "curves.svg", tmp_path / "points.csv"
    argv = ["sweep", plan, "--processes", "1", "--plot", picture, "--csv", table]
    first = call(*argv, "--lambda", "0.5", "--against-best")
    assert first.code == 0, first.err
    assert "Finished" in first.err
    assert "4 points, 4 of them new" in first.err
    assert "★" in first.out
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 4
    assert {row["name"] for row in rows} == {"Trees"}
    best = max(rows, key=lambda row: float(row["test_log2_likelihood_per_row"]))
    assert float(best["query_distance"]) == pytest.approx(0, abs=1e-9)
    assert "λ = 0.50" in picture.read_text()
    folder = tmp_path / "plan.points"
    assert len(list((folder / "models").iterdir())) == 4

    refused = call(*argv)
    assert refused.code == 2
    assert "--resume" in refused.err

    plan.write_text(PLAN.replace("[0.3, 0.9]", "[0.3, 0.6, 0.9]"))
    more = call(*argv, "--resume", "--json")
    assert more.code == 0
    output = more.json
    assert (output["outcome"], output["new_points"], len(output["points"])) == ("finished", 2, 6)
    assert [point["lambda"] for point in output["points"]] == [0.3, 0.3, 0.6, 0.6, 0.9, 0.9]
    before = {row["key"]: row["test_log2_likelihood_per_row"] for row in rows}
    for point in output["points"]:
        if point["key"] in before:
            assert str(point["test_log2_likelihood_per_row"]) == before[point["key"]]
        assert {"query_log2", "inference_seconds", "representation_size", "model"} <= set(point)
        evaluated = call("describe", folder / point["model"], "--json")
        assert evaluated.json["effective_size"] == point["effective_size"]


def test_mistakes_are_reported_before_anything_runs(call: Call, plan: Path, tmp_path: Path) -> None:
    assert "must end in .svg" in call("sweep", plan, "--plot", "curves.png").err
    nowhere = tmp_path / "nowhere.json"
    nowhere.write_text('{"learners": ["tree.chow-liu"]}')
    assert "names no data" in call("sweep", nowhere).err
    plan.write_text(PLAN.replace("tree.chow-liu", "tree.chow"))
    wrong = call("sweep", plan)
    assert wrong.code == 2
    assert "Did you mean tree.chow-liu" in wrong.err


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("edge-penalti = 1", "tree.chow-liu edge-penalti: is not a parameter here"),
        ("edge-penalty = ['much']", "tree.chow-liu edge-penalty: 'much' is not a number"),
        ("[queries]\ntargets = 99", "targets: with 3 given columns must not be more than"),
    ],
)
def test_what_is_wrong_with_the_values_of_a_plan_is_reported_with_its_file_and_leaves_no_folder(
    call: Call, plan: Path, tmp_path: Path, entry: str, expected: str
) -> None:
    plan.write_text(f'[data]\nfile = "rows.csv"\n[[learners]]\nkey = "tree.chow-liu"\n{entry}\n')
    wrong = call("sweep", str(plan), "--out", str(tmp_path / "points"))
    assert wrong.code == 2
    assert wrong.err.startswith(f"{plan.name}: {expected}")
    assert not (tmp_path / "points").exists()


def test_a_cluster_that_is_not_there_is_reported_in_one_message(call: Call, plan: Path) -> None:
    wrong = call("sweep", plan, "--cluster", "nonsense")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "Write it as tcp://HOST:8786" in wrong.err
    dead = call("sweep", plan, "--cluster", "tcp://127.0.0.1:1")
    assert dead.code == 2
    assert dead.err.startswith("No scheduler answers at tcp://127.0.0.1:1.")


def test_a_plan_that_gives_no_model_has_a_reason(call: Call, plan: Path) -> None:
    plan.write_text(PLAN.replace("seeds = [0, 1]", "time-limit = 1e-9"))
    done = call("sweep", plan, "--processes", 1, "--quiet")
    assert done.code == 2
    assert (
        "No run of the plan gave a model. Trees, λ = 0.300: stopped after its 1e-09 s" in done.err
    )


def test_ctrl_c_keeps_the_points_that_are_done(plan: Path, tmp_path: Path) -> None:
    """The second learner would climb for ever; the trees before it are kept."""
    endless = '[[learners]]\nkey = "bn.hill-climb"\nrestarts = 1000000000\n'
    plan.write_text(f"{PLAN}\n{endless}")
    folder = tmp_path / "points"
    argv = ["sweep", plan, "--out", folder, "--processes", "1", "--json"]
    started = subprocess.Popen(
        [sys.executable, "-m", "pgmstudio", *map(str, argv)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )
    assert started.stdout is not None
    assert started.stderr is not None
    while len(_lines(folder)) < 8:  # four points, each followed by the end of its run
        with contextlib.suppress(subprocess.TimeoutExpired):
            assert started.wait(0.1) is None, started.stderr.read()
    started.send_signal(signal.SIGINT)
    output = json.loads(started.stdout.read())
    expected = started.stderr.read()
    started.stdout.close()
    started.stderr.close()
    assert started.wait() == 130
    assert (output["outcome"], len(output["points"])) == ("stopped", 4)
    assert "Stopped" in expected
    assert len(_lines(folder)) == 8


def _lines(folder: Path) -> list[str]:
    path = folder / "points.jsonl"
    return path.read_text().splitlines() if path.is_file() else []
