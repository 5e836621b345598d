"""associations and strengths: what scripts get of learning step by step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def test_associations_names_the_columns_that_are_informative(call: Call, sample_data: Path) -> None:
    rows = sample_data / "asia_sample.csv"
    output = call("associations", rows, "--target", "dysp", "--json").json
    assert (output["target"], output["rows"], output["test"]) == ("dysp", 5000, "g2")
    kept = {column["name"]: column["kept"] for column in output["columns"]}
    assert kept["bronc"]
    assert not kept["asia"]
    p_values = [column["p_value"] for column in output["columns"]]
    assert p_values == sorted(p_values)
    printed = call("associations", rows, "--target", "dysp")
    assert printed.code == 0
    assert "no association found" in next(x for x in printed.out.splitlines() if "asia" in x)
    assert "6 of 7 columns with p < 0.05 against dysp." in printed.out


def test_a_correction_never_makes_a_p_value_smaller(call: Call, sample_data: Path) -> None:
    rows = sample_data / "asia_sample.csv"
    argv = ("associations", rows, "--target", "asia", "--test", "chi2", "--json")
    for how in ("holm", "bonferroni"):
        for column in call(*argv, "--correct", how).json["columns"]:
            assert column["corrected_p_value"] >= column["p_value"]
    strict = call(*argv, "--alpha", "0.0000001").json["columns"]
    assert not any(column["kept"] for column in strict)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ((), "--target"),
        (("--target", "dispnoea"), "dispnoea"),
        (("--target", "dysp", "--correct", "fdr"), "holm"),
        (("--target", "dysp", "--alpha", "0"), "more than 0"),
    ],
)
def test_associations_reports_what_is_wrong(
    call: Call, sample_data: Path, argv: tuple[str, ...], expected: str
) -> None:
    wrong = call("associations", sample_data / "asia_sample.csv", *argv)
    assert wrong.code == 2
    assert expected in wrong.err


def test_strengths_ranks_the_edges_of_a_model_by_its_rows(call: Call, sample_data: Path) -> None:
    asia, rows = sample_data / "asia.json", sample_data / "asia_sample.csv"
    output = call("strengths", asia, rows, "--json").json
    gains = [edge["bic_gain"] for edge in output["edges"]]
    assert gains == sorted(gains)
    assert len(gains) == 8
    asia_tub = next(edge for edge in output["edges"] if edge["from"] == "asia")
    why = call("why", asia, rows, "asia", "tub", "--json").json
    removal = next(move for move in why["moves"] if move["action"] == "remove")
    assert asia_tub["bic_gain"] == pytest.approx(-removal["gain"])
    printed = call("strengths", asia, rows)
    assert printed.code == 0
    assert "bronc → dysp" in printed.out


def test_the_graph_of_stated_independences(call: Call, tmp_path: Path) -> None:
    # Specification, check 14.
    model = tmp_path / "stated.json"
    done = call("independences", "A _||_ B; A _||_ D | C; B _||_ D | C", "-o", model, "--json")
    assert done.code == 0
    result = done.json
    assert result["directed"] == [["A", "C"], ["B", "C"], ["C", "D"]]
    assert result["undirected"] == []
    removed = [one["edge"] for one in result["steps"] if one["result"] == "removed"]
    assert removed == ["A – B", "A – D", "B – D"]
    assert json.loads(model.read_text())["language"] == "bayesian-network"
    wrong = call("independences", "A _||_ B; A _||_")
    assert wrong.code == 2
    assert "is not a statement" in wrong.err


def test_the_log_of_pc_has_its_steps(call: Call, sample_data: Path, tmp_path: Path) -> None:
    log = tmp_path / "pc.json"
    data = sample_data / "k2_demo_counts.csv"
    options = ("--frequency", "count", "--smoothing", "1", "--log", log, "--quiet")
    assert call("learn", "bn.pc", data, *options).code == 0
    steps = json.loads(log.read_text())["pc"]
    assert steps["directions"] == []
    assert len(steps["undirected"]) == 4
