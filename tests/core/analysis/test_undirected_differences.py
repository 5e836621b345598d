"""Differences of structures whose edges have no direction."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.__main__ import main
from pgmstudio.core.analysis.structure_comparison import ModelDifference, structure_difference
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.difference import difference_picture
from pgmstudio.core.graphs.comparison import EdgeChange, UndirectedDifference
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import converted
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.markov_network.edits import drop_contexts
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from tests.labelled_dags import three
from tests.markov_networks import figure_9, graph, random_markov_network


def network(edges: str) -> MarkovNetwork:
    return random_markov_network(np.random.default_rng(1), graph(edges, 5))


def edges_of(result: ModelDifference, change: EdgeChange) -> set[tuple[str, str]]:
    return {edge.edge for edge in result.graph.of(change)}


def test_the_hamming_distance_counts_missing_and_extra_edges() -> None:
    first = network("12 23 34")
    same = structure_difference(first, first)
    assert same.graph.is_empty
    assert same.graph.distance == 0
    result = structure_difference(first, network("12 23 45"))
    assert result.graph.distance == 2
    assert edges_of(result, EdgeChange.ADDED) == {("4", "5")}
    assert edges_of(result, EdgeChange.MISSING) == {("3", "4")}
    assert isinstance(result.graph, UndirectedDifference)
    assert result.graph.f1 == pytest.approx(2 / 3)
    assert result.as_dict() | {"f1": 0} == result.as_dict() | {
        "hamming_distance": 2,
        "true_positives": 2,
        "false_positives": 1,
        "false_negatives": 1,
        "dag_as": None,
        "f1": 0,
    }


def test_without_any_edge_f1_is_one() -> None:
    result = structure_difference(network(""), network("")).graph
    assert isinstance(result, UndirectedDifference)
    assert result.f1 == 1


def test_a_markov_network_is_compared_with_a_bayesian_network_by_its_edges() -> None:
    first = network("12 23 34")
    second = converted(first, "bayesian-network")
    rows = first.sample(50, np.random.default_rng(2))
    result = structure_difference(first, second, rows)
    assert result.graph.is_empty
    assert result.likelihood is not None
    assert result.likelihood.difference == pytest.approx(0, abs=1e-9)


def test_a_collider_is_compared_by_its_moral_graph_or_its_skeleton() -> None:
    domain = Domain.of(dict.fromkeys("ABC", "01"))
    collider = BayesianNetwork.uniform(domain, Dag.from_edges("ABC", [("A", "C"), ("B", "C")]))
    undirected = converted(collider, "markov-network")
    moral = structure_difference(undirected, collider)
    assert moral.dag_as == "moral graph"
    assert moral.graph.is_empty
    skeleton = structure_difference(undirected, collider, dag_as="skeleton")
    assert skeleton.dag_as == "skeleton"
    assert edges_of(skeleton, EdgeChange.MISSING) == {("A", "B")}
    assert structure_difference(undirected, undirected).dag_as is None


def test_edges_that_vanish_in_other_contexts_are_named() -> None:
    one, other = figure_9(), drop_contexts(figure_9())
    assert not structure_difference(one, one).contexts
    result = structure_difference(one, other)
    assert result.graph.is_empty
    assert result.contexts == {("2", "5"): (("3 = 1",), ())}
    picture = difference_picture(result.graph, result.contexts)
    assert [edge.label for edge in picture.edges if (edge.source, edge.target) == ("2", "5")] == [
        "≠"
    ]


def test_labels_of_labelled_graphs_are_compared_too() -> None:
    labelled = three()
    plain = LabelledDag.of_network(labelled.as_bayesian_network)
    assert structure_difference(labelled, plain).contexts == {("X2", "X3"): (("X1 = 1",), ())}


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
    printed = capsys.readouterr().out
    assert "- 2 – 5" in printed
    assert re.search(r"TP, FP, FN +5, 0, 1", printed)
    write_model(tmp_path / "dag.json", ModelFile(converted(figure_9(), "bayesian-network")))
    assert main(["diff", paths[0], str(tmp_path / "dag.json"), "--dag-as", "skeleton"]) == 0
    assert "compared by its skeleton" in capsys.readouterr().out
    assert main(["describe", paths[0]]) == 0
    assert "Neighbours" in capsys.readouterr().out
    assert main(["query", paths[0], "--independent", "2,5:1,4", "--context", "3=1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["independent"]
    assert answer["vanished_edges"] == [["2", "5"]]
