"""sensitivity, query --map and evaluate --rows, as a person or a program calls them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def test_sensitivity_shows_value_of_information_evidence_impact_and_cpt_entries(
    call: Call, asia: Path
) -> None:
    done = call("sensitivity", asia, "--target", "lung=yes", "--given", "xray=yes", "--json")
    assert done.code == 0
    assert set(done.json) == {
        "kind",
        "target",
        "state",
        "evidence",
        "belief",
        "entropy",
        "ask_next",
        "findings",
        "table_entries",
    }
    asked = done.json["ask_next"]
    assert asked[0]["variable"] == "either"
    assert [one["bits"] for one in asked] == sorted((o["bits"] for o in asked), reverse=True)
    assert "xray" not in {one["variable"] for one in asked}
    (finding,) = done.json["findings"]
    assert finding["belief_without"] == pytest.approx(0.055)
    assert finding["normalised_likelihood"] == pytest.approx(1)
    output = call("sensitivity", asia, "--target", "lung=yes", "--given", "xray=yes").out
    assert "Value of information" in output
    assert "P(lung = no | smoke = yes)" in output


def test_all_table_entries_go_to_a_file(call: Call, asia: Path, tmp_path: Path) -> None:
    file = tmp_path / "entries.csv"
    done = call("sensitivity", asia, "--target", "lung=yes", "--span", "whole", "-o", file)
    assert done.code == 0
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    # Without evidence, lung depends on smoke and its own table alone: 2 + 4 numbers.
    assert len(rows) == 6
    for row in rows:
        a, b, c, d, theta = (float(row[k]) for k in ("a", "b", "c", "d", "value"))
        assert (a * theta + b) / (c * theta + d) == pytest.approx(0.055)


@pytest.mark.parametrize("target", ["lug=yes", "lug", "lung=maybe"])
def test_an_unknown_target_is_answered_with_a_name(call: Call, asia: Path, target: str) -> None:
    done = call("sensitivity", asia, "--target", target)
    assert done.code == 2
    assert "is called" in done.err


def test_map_is_the_most_probable_combination_and_is_marked_as_exact(
    call: Call, asia: Path
) -> None:
    argv = ("query", asia, "--given", "dysp=yes", "--of", "lung")
    done = call(*argv, "--map", "lung,bronc", "either", "--best", 2, "--json")
    result = done.json["map"]
    assert result["is_exact"]
    assert result["best"][0]["states"] == {"lung": "no", "bronc": "yes", "either": "no"}
    assert result["log2_bound"] == pytest.approx(result["best"][0]["log2_probability"])
    assert len(result["best"]) == 2
    assert "map" not in call(*argv, "--json").json
    assert "(exact)" in call(*argv, "--map", "lung", "bronc").out
    assert call(*argv, "--map", "lug").code == 2


def test_rows_are_written_the_most_surprising_first(
    call: Call, asia: Path, asia_rows: Path, tmp_path: Path
) -> None:
    file = tmp_path / "rows.csv"
    done = call("evaluate", asia, asia_rows, "--rows", file, "--json")
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    logs = [float(row["log2_probability"]) for row in rows]
    assert logs == sorted(logs)
    assert sum(logs) == pytest.approx(done.json["log2_likelihood"])
    assert sorted(int(row["row"]) for row in rows) == list(range(1, 5001))
    assert all(row["most_surprising"] for row in rows)
