"""bootstrap, diff and why: what they print, write and refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Call = Callable[..., Any]
EDGE = {"from", "to", "from_to", "to_from", "undirected", "any"}


def test_bootstrap_reports_every_edge_and_writes_table_and_network(
    call: Call, asia_rows: Path, tmp_path: Path
) -> None:
    table, model = tmp_path / "edges.csv", tmp_path / "averaged.json"
    argv = ("bootstrap", "bn.hill-climb", asia_rows, "-n", "4", "--restarts", "0", "--json")
    done = call(*argv, "--edges", table, "--threshold", "0.5", "-o", model)
    assert done.code == 0
    assert set(done.json) == {
        "learner",
        "seed",
        "rows",
        "variables",
        "replicates",
        "outcome",
        "orientation",
        "seconds",
        "edges",
        "threshold",
        "averaged",
        "left_out",
        "model",
    }
    assert (done.json["replicates"], done.json["outcome"]) == (4, "finished")
    assert all(set(edge) == EDGE for edge in done.json["edges"])
    for edge in done.json["edges"]:
        parts = edge["from_to"] + edge["to_from"] + edge["undirected"]
        assert parts == pytest.approx(edge["any"])
        assert edge["from_to"] >= edge["to_from"]
    assert len(table.read_text().splitlines()) == len(done.json["edges"]) + 1
    described = call("describe", model, "--json").json
    assert sorted(described["edges"]) == sorted(done.json["averaged"])
    again = call(*argv, "--workers", "2")
    assert again.json["edges"] == done.json["edges"]


def test_bootstrap_names_the_nearest_learner_and_refuses_a_threshold_of_0(
    call: Call, asia_rows: Path
) -> None:
    wrong = call("bootstrap", "bn.hill-clim", asia_rows)
    assert wrong.code == 2
    assert "bn.hill-climb" in wrong.err
    wrong = call("bootstrap", "tree.chow-liu", asia_rows, "--threshold", "0")
    assert wrong.code == 2
    assert "more than 0" in wrong.err


def test_diff_of_a_model_with_itself_is_empty(call: Call, asia: Path) -> None:
    done = call("diff", asia, asia)
    assert done.code == 0
    assert "The structures are the same." in done.out
    output = call("diff", asia, asia, "--json").json
    assert (output["shd"], output["shd_cpdag"], output["equivalent"]) == (0, 0, True)
    assert len(output["common"]) == 8


def test_diff_shows_edges_distances_and_likelihood_and_draws_them(
    call: Call, asia: Path, asia_rows: Path, tmp_path: Path
) -> None:
    learned, picture = tmp_path / "tree.json", tmp_path / "diff.svg"
    call("learn", "tree.chow-liu", asia_rows, "-o", learned)
    done = call("diff", asia, learned, "--data", asia_rows, "-o", picture, "--json")
    output = done.json
    changed = len(output["added"]) + len(output["missing"]) + len(output["reversed"])
    assert output["shd"] == changed > 0
    assert output["shd_cpdag"] > 0
    assert output["rows"] == 5000
    before, after = output["log2_likelihoods"]
    assert output["log2_likelihood_difference"] == pytest.approx(after - before)
    argv = [node.text for node in ElementTree.parse(picture).iter() if node.text]
    assert any("missing" in word for word in argv)
    back = call("diff", learned, asia, "--json").json
    assert sorted(back["added"]) == sorted(output["missing"])
    assert back["shd_cpdag"] == output["shd_cpdag"]


def test_why_answers_for_edges_and_for_pairs_without_one(
    call: Call, asia: Path, asia_rows: Path, tmp_path: Path
) -> None:
    output = call("why", asia, asia_rows, "lung", "smoke", "--json").json
    assert (output["source"], output["target"], output["is_edge"]) == ("smoke", "lung", True)
    assert {move["action"] for move in output["moves"]} == {"remove", "reverse"}
    removal = next(move for move in output["moves"] if move["action"] == "remove")
    assert removal["gain"] < 0
    frequencies = tmp_path / "bootstrap.json"
    done = call("bootstrap", "tree.chow-liu", asia_rows, "-n", "3", "--json")
    frequencies.write_text(done.out)
    printed = call("why", asia, asia_rows, "dysp", "smoke", "--bootstrap", frequencies)
    assert printed.code == 0
    assert "close the cycle" in printed.out
    assert "bootstrap replicates" in printed.out
    assert json.loads(frequencies.read_text())["replicates"] == 3


def test_why_repeats_the_search_that_made_a_model(
    call: Call, asia_rows: Path, tmp_path: Path
) -> None:
    model = tmp_path / "pc.json"
    assert call("learn", "bn.pc", asia_rows, "-o", model).code == 0
    output = call("why", model, asia_rows, "asia", "xray", "--searches", "--json").json
    assert output["pc"]["why"]
    assert output["pc"]["tests"]


def test_why_refuses_what_is_no_pair_and_what_is_no_bootstrap(
    call: Call, asia: Path, asia_rows: Path, tmp_path: Path
) -> None:
    assert "different" in call("why", asia, asia_rows, "lung", "lung").err
    assert "lung" in call("why", asia, asia_rows, "lun", "smoke").err
    other = tmp_path / "other.json"
    other.write_text("{}")
    wrong = call("why", asia, asia_rows, "lung", "smoke", "--bootstrap", other)
    assert wrong.code == 2
    assert "bootstrap" in wrong.err
    wrong = call("why", asia, asia_rows, "lung", "smoke", "--searches")
    assert wrong.code == 2
    assert "bn.pc and bn.kes" in wrong.err
