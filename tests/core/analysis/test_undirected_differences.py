"""Differences of structures whose edges have no direction."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.__main__ import main
from pgmstudio.core.analysis.structure_comparison import undirected_model_difference
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.languages.conversions import converted
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from tests.markov_networks import figure_9, graph, random_markov_network


def network(edges: str) -> MarkovNetwork:
    return random_markov_network(np.random.default_rng(1), graph(edges, 5))


def test_the_hamming_distance_counts_missing_and_extra_edges() -> None:
    first = network("12 23 34")
    assert undirected_model_difference(first, first).graph.is_empty
    assert undirected_model_difference(first, first).graph.hamming_distance == 0
    result = undirected_model_difference(first, network("12 23 45")).graph
    assert result.hamming_distance == 2
    assert result.added == (("4", "5"),)
    assert result.missing == (("3", "4"),)
    assert result.f1 == pytest.approx(2 / 3)


def test_a_markov_network_is_compared_with_a_bayesian_network_by_its_edges() -> None:
    first = network("12 23 34")
    second = converted(first, "bayesian-network")
    rows = first.sample(50, np.random.default_rng(2))
    result = undirected_model_difference(first, second, rows)
    assert result.graph.is_empty
    assert result.likelihood is not None
    assert result.likelihood.difference == pytest.approx(0, abs=1e-9)


def test_the_commands_diff_and_describe_take_markov_networks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, model in (("one", figure_9()), ("two", figure_9().without_edge("2", "5"))):
        write_model(tmp_path / f"{name}.json", ModelFile(model))
    paths = [str(tmp_path / "one.json"), str(tmp_path / "two.json")]
    assert main(["diff", *paths, "-o", str(tmp_path / "diff.svg"), "--quiet", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["hamming_distance"] == 1
    assert answer["missing"] == [["2", "5"]]
    assert (tmp_path / "diff.svg").read_text().rstrip().endswith("</svg>")
    assert main(["diff", *paths]) == 0
    assert "- 2 – 5" in capsys.readouterr().out
    assert main(["describe", paths[0]]) == 0
    assert "Neighbours" in capsys.readouterr().out
    assert main(["query", paths[0], "--independent", "2,5:1,4", "--context", "3=1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["independent"]
    assert answer["vanished_edges"] == [["2", "5"]]
