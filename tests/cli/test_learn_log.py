"""`learn --log` and `--choose`: what a run saw on the way, and deciding what it left open."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.cli.main import main
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learners import restored


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """b and c the same, and a a noisy look at them: a – b or a – c is needed."""
    rng = np.random.default_rng(5)
    b = rng.integers(0, 2, 300)
    a = np.where(rng.random(300) < 0.2, 1 - b, b)
    lines = ["a,b,c", *(f"s{x},s{y},s{y}" for x, y in zip(a, b, strict=True))]
    path = tmp_path / "copies.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_restart_is_a_row_and_every_optimum_in_the_whole(
    copies: Path, tmp_path: Path
) -> None:
    argv = [
        "learn",
        "bn.kes",
        str(copies),
        "--greediness",
        "1,0.5,0",
        "--restarts",
        "3",
        "--quiet",
    ]
    assert main([*argv, "--log", str(tmp_path / "runs.csv")]) == 0
    assert [row["greediness"] for row in read_rows(tmp_path / "runs.csv")] == [
        "1.0",
        *["0.5"] * 3,
        *["0.0"] * 3,
    ]
    assert main([*argv, "--log", str(tmp_path / "runs.json")]) == 0
    whole = restored("optima", json.loads((tmp_path / "runs.json").read_text())["optima"])
    assert isinstance(whole, KesOptima)
    assert len(whole.runs) == 7


def test_the_tests_of_pc_are_rows_with_their_numbers(copies: Path, tmp_path: Path) -> None:
    assert main(["learn", "bn.pc", str(copies), "--log", str(tmp_path / "t.csv"), "--quiet"]) == 0
    output = read_rows(tmp_path / "t.csv")
    assert {frozenset((row["a"], row["b"])) for row in output} == {
        frozenset(pair) for pair in ("ab", "ac", "bc")
    }
    assert all(0 <= float(row["p_value"]) <= 1 for row in output)
    assert all((float(row["p_value"]) > 0.05) is (row["independent"] == "yes") for row in output)


def test_the_steps_of_k2_are_rows(copies: Path, tmp_path: Path) -> None:
    assert main(["learn", "bn.k2", str(copies), "--log", str(tmp_path / "s.csv"), "--quiet"]) == 0
    output = read_rows(tmp_path / "s.csv")
    assert [row["tried"] for row in output if row["step"] == "1"] == ["a", "b"]


@pytest.mark.parametrize("kept", ["b", "c"])
def test_a_script_decides_an_ambiguous_region(copies: Path, tmp_path: Path, kept: str) -> None:
    target = tmp_path / "model.json"
    argv = ["learn", "bn.npc", str(copies), "--choose", f"a - {kept}", "-o", str(target)]
    assert main([*argv, "--quiet"]) == 0
    model = read_model(target).model
    assert isinstance(model, BayesianNetwork)
    assert {frozenset(edge) for edge in model.edges} == {frozenset("bc"), frozenset(("a", kept))}


def test_a_choice_that_is_none_is_refused_with_the_reason(
    copies: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "bn.npc", str(copies), "--choose", "b - c", "--quiet"]) != 0
    assert "b – c is certain" in capsys.readouterr().err


def test_a_log_of_another_ending_is_refused_before_the_run(
    copies: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "bn.pc", str(copies), "--log", "tests.xyz"]) != 0
    assert "a log ends in .csv or .json" in capsys.readouterr().err


def test_a_learner_that_keeps_nothing_reports_it_and_writes_nothing(
    copies: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "nothing.csv"
    assert main(["learn", "tree.chow-liu", str(copies), "--log", str(target)]) == 0
    assert "saves nothing but its model" in capsys.readouterr().err
    assert not target.exists()


def test_a_search_goes_on_from_a_model_of_a_file(copies: Path, tmp_path: Path) -> None:
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    argv = ["learn", "bn.kes", str(copies), "--greediness", "1", "--quiet", "-o"]
    assert main([*argv, str(first)]) == 0
    assert main([*argv, str(again), "--start", str(first)]) == 0
    output = [read_model(path).model for path in (first, again)]
    assert isinstance(output[0], BayesianNetwork)
    assert isinstance(output[1], BayesianNetwork)
    assert output[0].dag == output[1].dag
