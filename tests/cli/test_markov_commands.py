"""Every command that looks at edges takes a Markov network, or states why not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.fixture
def model(sample_data: Path) -> Path:
    return sample_data / "coronary_markov.json"


@pytest.fixture
def rows(sample_data: Path) -> Path:
    return sample_data / "coronary.csv"


def test_an_edge_is_explained(call: Call, model: Path, rows: Path) -> None:
    done = call("why", model, rows, "pressure", "smoking", "--json").json
    assert done["is_edge"]
    assert {(move["score"], move["action"]) for move in done["moves"]} == {
        ("PIC", "remove"),
        ("log2 MPL", "remove"),
    }
    assert {entry["context"] for entry in done["contexts"]} == {"lipoproteins = 3 or over"}
    printed = call("why", model, rows, "pressure", "smoking").out
    assert printed.startswith("smoking – pressure is an edge of this model.")


def test_edges_have_strengths(call: Call, model: Path, rows: Path) -> None:
    done = call("strengths", model, rows, "--json").json
    assert len(done["edges"]) == 5
    assert all(edge["pic_gain"] > 0 for edge in done["edges"])
    printed = call("strengths", model, rows).out
    assert "mental_work – physical_work" in printed
    assert "Δ PIC, bits" in printed


def test_moves_are_listed_taken_and_written(
    call: Call, model: Path, rows: Path, tmp_path: Path
) -> None:
    done = call("moves", model, rows, "--score", "bdeu", "--json").json
    assert done["is_optimum"]
    assert done["score"] == "mpl"
    assert any(move["context"] for move in done["moves"])
    empty, target = tmp_path / "empty.mn", tmp_path / "climbed.json"
    text = call("convert", model, tmp_path / "full.mn")
    assert text.code == 0
    lines = (tmp_path / "full.mn").read_text().splitlines()
    empty.write_text("\n".join(line for line in lines if line.startswith("#states")))
    climbed = call(
        "moves", empty, rows, "--score", "bdeu", "--steps", "all", "-o", target, "--json"
    )
    assert climbed.json["is_optimum"]
    assert climbed.json["taken"][0]["gain"] > 0
    described = call("describe", target, "--json").json
    assert len(described["edges"]) >= 4
    refused = call("moves", model, rows, "--score", "k2")
    assert refused.code == 2
    assert "bic, bdeu, lambda" in refused.err


def test_a_bootstrap_has_edge_frequencies_without_directions(
    call: Call, rows: Path, tmp_path: Path
) -> None:
    target, table = tmp_path / "averaged.json", tmp_path / "edges.csv"
    argv = ("bootstrap", "mn.mpl", rows, "-n", "3", "--workers", "1")
    done = call(*argv, "-o", target, "--edges", table, "--json").json
    assert done["orientation"] is None
    assert done["left_out"] == []
    assert call("describe", target, "--json").json["kind"] == "markov-network"
    assert table.read_text().splitlines()[0] == "one,other,any"
    printed = call(*argv).out
    assert "mental_work – physical_work" in printed
    assert "→" not in printed
    why = call("why", target, rows, "smoking", "family", "--bootstrap", target)
    assert "bootstrap replicates" in why.out
