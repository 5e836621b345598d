"""Elvira's files of decision graphs: the public form is read, what is written comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.pdg.model import DecisionGraph
from tests.decision_graphs import graph_of, medical, random_graph, two_trees
from tests.strategies import all_cases, random_network

# In the form of the program's own files: lists per variable below, comments, titles.
WRITTEN = """// a comment
pdg "test" {
    node A(finite-states){
         title="first";
         states = ("a0" "a1" "a2");
         pnode{ id=1; values= table (0.3 0.5 0.2); }
    }
    node C(finite-states){ states=("c0" "c1");  /* no title */
         pnode{ id=6; values=table(0.1 0.9); }
         pnode{ id=7; values=table(0.4 0.6); } }
    node B(finite-states){
         states = ("b0" "b1");
         pnode{ id=2; values= table (0.7 0.3); }
         pnode{ id=3; values=table (0.0 1.0); }
    }
    structure{
        A ->(C B){
           1 ->(6 7 7) (2 2 3);
        }
    }
}
"""


def read(tmp_path: Path, text: str) -> ModelFile:
    path = tmp_path / "graph.pdg"
    path.write_text(text)
    return read_model(path)


def test_a_file_is_read_as_it_means(tmp_path: Path) -> None:
    file = read(tmp_path, WRITTEN)
    graph = file.model
    assert isinstance(graph, DecisionGraph)
    assert (file.title, file.titles) == ("test", {"A": "first"})
    assert graph.domain.names == ("A", "C", "B")
    assert graph.forest == (None, 0, 0)
    assert graph.parameters[1].tolist() == [[0.1, 0.9], [0.4, 0.6]]
    heads = [edges.tolist() for edges in graph.successors if edges is not None]
    assert heads == [[[0, 1, 1]], [[0, 0, 1]]]
    assert file.warnings == ()


@pytest.mark.parametrize("graph", [two_trees(), medical()], ids=["two trees", "medical"])
def test_known_graphs_come_back(tmp_path: Path, graph: DecisionGraph) -> None:
    path = tmp_path / "graph.pdg"
    assert write_model(path, ModelFile(graph, "a title")) == ()
    again = read_model(path)
    assert again.title == "a title"
    assert same_graph(graph, again.model)


def same_graph(graph: DecisionGraph, other: object) -> bool:
    """Whether both are the same, variable by variable, to the last digit."""
    assert isinstance(other, DecisionGraph)
    assert other.domain == graph.domain
    assert other.forest == graph.forest
    for i in range(len(graph.domain)):
        assert np.array_equal(graph.parameters[i], other.parameters[i])
        mine, its = graph.successors[i], other.successors[i]
        assert (mine is None) == (its is None)
        if mine is not None and its is not None:
            assert np.array_equal(mine, its)
    return True


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_come_back_to_the_last_digit(tmp_path: Path, seed: int) -> None:
    graph = random_graph(np.random.default_rng(seed), 7)
    path = tmp_path / "graph.pdg.gz"
    write_model(path, graph)
    assert same_graph(graph, read_model(path).model)


def test_names_that_are_no_words_come_back(tmp_path: Path) -> None:
    domain = Domain((Variable("Zahl 1", ("ja", "nein")), Variable("pnode", ("ü", "x y"))))
    half = [[0.5, 0.5]]
    graph = graph_of(
        domain,
        {"pnode": "Zahl 1"},
        {"Zahl 1": half, "pnode": [[1e-300, 1.0], *half]},
        {"pnode": [[0, 1]]},
    )
    path = tmp_path / "graph.pdg"
    write_model(path, graph)
    assert same_graph(graph, read_model(path).model)


def test_a_network_is_written_as_a_graph_of_the_same_distribution(tmp_path: Path) -> None:
    network = random_network(np.random.default_rng(2), 5)
    path = tmp_path / "network.pdg"
    lost = write_model(path, network)
    assert any("comes back as a decision graph" in warning for warning in lost)
    graph = read_model(path).model
    assert isinstance(graph, DecisionGraph)
    cases = all_cases(network.domain)
    wanted = np.exp2(network.log2_probabilities(cases))
    assert np.exp2(graph.log2_probabilities(cases)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(6 7 7)", "(6 7)", "expected the node of C after a2"),
        ("(6 7 7)", "(6 7 8)", "C has no node with the id 8"),
        ("1 ->(6 7 7) (2 2 3);", "", "no line gives the successors of node 1 of A"),
        ("1 ->(6", "9 ->(6", "A has no node with the id 9"),
        ("table(0.4 0.6)", "table(0.4)", "1 numbers for 2 states"),
        ("table(0.4 0.6)", "table(0.4 -0.6)", "no probability"),
        ("node B", "node C", "two variables called"),
        ("id=7", "id=6", "two nodes with the id 6"),
        ("A ->(C B)", "A ->(C C)", "stands below A and A"),
        ("A ->(C B)", "A ->(C D)", "there is no variable “D”"),
        ("(2 2 3)", "(2 2 2)", "No edge leads to node 2 of B"),
        ("structure", "struct", "expected “structure”"),
        ("/* no title */", "/* no title", "has no end"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in WRITTEN
    with pytest.raises(ModelFileError, match=message.replace("(", r"\(")):
        read(tmp_path, WRITTEN.replace(old, new, 1))


def test_a_wrong_sum_is_normalised_and_reported(tmp_path: Path) -> None:
    file = read(tmp_path, WRITTEN.replace("table(0.4 0.6)", "table(0.4 0.5)"))
    assert isinstance(file.model, DecisionGraph)
    assert file.model.parameters[1][1] == pytest.approx([4 / 9, 5 / 9])
    assert any("normalised" in warning for warning in file.warnings)
