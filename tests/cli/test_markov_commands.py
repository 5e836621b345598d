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


@pytest.fixture
def same(call: Call, model: Path, tmp_path: Path) -> Path:
    """The same distribution as a Bayesian network."""
    path = tmp_path / "network.json"
    assert call("convert", model, path, "--to", "bayesian-network").code == 0
    return path


@pytest.mark.parametrize(
    "argv",
    [
        ("--given", "smoking=yes", "pressure=under 140"),
        ("--not", "pressure=under 140", "--of", "lipoproteins"),
        ("--soft", "smoking=yes:0.8,no:0.2", "--given", "family=positive"),
        ("--given", "smoking=yes", "--mpe"),
        ("--map", "smoking,pressure", "--best", "3", "--given", "lipoproteins=under 3"),
    ],
    ids=["observed", "excluded", "likelihoods", "mpe", "map"],
)
def test_evidence_has_the_same_effect_as_in_the_bayesian_network(
    call: Call, model: Path, same: Path, argv: tuple[str, ...]
) -> None:
    one, other = (call("query", path, *argv, "--json").json for path in (model, same))
    assert one["log2_evidence"] == pytest.approx(other["log2_evidence"], abs=1e-9)
    for name, beliefs in other["beliefs"].items():
        assert one["beliefs"][name] == pytest.approx(beliefs, abs=1e-9)
    assert one.get("most_probable") == other.get("most_probable")
    result = [answer.get("map", {"best": []})["best"] for answer in (one, other)]
    assert [best["states"] for best in result[0]] == [best["states"] for best in result[1]]


def test_information_impact_and_classification_are_those_of_the_bayesian_network(
    call: Call, model: Path, same: Path, rows: Path
) -> None:
    argv = ("--target", "lipoproteins=under 3", "--given", "smoking=yes", "family=positive")
    one, other = (call("sensitivity", path, *argv, "--json").json for path in (model, same))
    assert one["belief"] == pytest.approx(other["belief"])
    bits = [{worth["variable"]: worth["bits"] for worth in r["ask_next"]} for r in (one, other)]
    assert bits[0] == pytest.approx(bits[1], abs=1e-9)
    assert "no conditional probability tables" in call("sensitivity", model, *argv).out
    judged = [
        call("evaluate", path, rows, "--target", "smoking", "--json").json for path in (model, same)
    ]
    assert judged[0]["classification"]["accuracy"] == judged[1]["classification"]["accuracy"]
