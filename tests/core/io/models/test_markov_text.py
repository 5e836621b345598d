"""Markov networks as text, `2 -- 5 : 3=1`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.io.models.markov_text import parse, render
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from tests.markov_networks import FIGURE_3, figure_9, random_markov_network, random_structure

PATH = Path("m.mn")


def read(text: str) -> MarkovNetwork:
    model = parse(text.encode(), PATH).model
    assert isinstance(model, MarkovNetwork)
    return model


def test_a_text_written_by_hand_is_a_network_with_contexts() -> None:
    file = parse(b"# Figure 11b\n1 -- 2\n2 -- 3\n3--5\n2 -- 5 : 3=1\n\n6\n", PATH)
    assert isinstance(file.model, MarkovNetwork)
    assert set(file.model.undirected_edges) == {("1", "2"), ("2", "3"), ("3", "5"), ("2", "5")}
    assert file.model.domain.names == ("1", "2", "3", "5", "6")
    assert file.model.domain["3"].states == ("0", "1")
    assert file.model.structure.contexts == {(1, 3): frozenset({(1,)})}
    assert file.model.representation_size() == 5 + 4 + 1 - 1
    assert "States no and yes were made up for 1, 2, 5, 6" in file.warnings[-1]
    assert file.warnings[-1].endswith("Fill the tables from data.")


def test_structures_come_back_with_states_positions_and_title() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        structure = random_structure(rng, [2, 3, 2, 4, 2], 0.9, 0.5)
        model = random_markov_network(rng, structure)
        content, lost = render(ModelFile(model, title="t", layout={"A": (1.5, -2.0)}), PATH)
        file = parse(content, PATH)
        assert isinstance(file.model, MarkovNetwork)
        assert file.model.structure == structure
        assert (file.title, dict(file.layout)) == ("t", {"A": (1.5, -2.0)})
        assert lost == (
            "Markov network text cannot hold the tables: only a model file with tables keeps them.",
        )
        assert render(file, PATH)[0] == content


def test_names_with_signs_are_quoted() -> None:
    domain = Domain.of({"a -- b": ["x=1", "*"], "c": ["0", "1"], "d #": ["0", "1"]})
    triangle = MarkovStructure(domain, frozenset({(0, 1), (0, 2), (1, 2)}))
    model = MarkovNetwork.uniform(triangle.with_context((1, 2), (1,)))
    text = render(ModelFile(model), PATH)[0].decode()
    assert 'c -- "d #" : "a -- b"="*"' in text
    assert read(text).structure == model.structure


def test_common_neighbours_that_are_not_named_may_have_any_state() -> None:
    text = "A -- B : C=1; D=0, C=*\nA -- C\nB -- C\nA -- D\nB -- D\n"
    structure = read(text).structure
    assert structure.contexts == {(0, 1): frozenset({(1, 0), (1, 1), (0, 0)})}
    assert read("A -- B : C=1; D=0\n" + text.split("\n", 1)[1]).structure == structure


def test_a_bayesian_network_is_written_as_its_moral_graph(tmp_path: Path) -> None:
    network = BayesianNetwork.uniform(
        Domain.of(dict.fromkeys("ABC", ("0", "1"))), Dag.from_edges("ABC", [("A", "C"), ("B", "C")])
    )
    lost = write_model(tmp_path / "net.mn", network)
    assert "it comes back as a Markov network" in " ".join(lost)
    model = read_model(tmp_path / "net.mn").model
    assert isinstance(model, MarkovNetwork)
    assert set(model.undirected_edges) == {("A", "B"), ("A", "C"), ("B", "C")}


def test_a_file_of_the_program_has_one_line_per_edge(tmp_path: Path) -> None:
    write_model(tmp_path / "fig.mn", figure_9())
    lines = (tmp_path / "fig.mn").read_text(encoding="utf-8").splitlines()
    assert lines[-6:] == ["1 -- 2", "1 -- 4", "2 -- 3", "2 -- 5 : 3=1", "3 -- 5", "4 -- 5"]
    assert lines[0] == "#states 1 : 0, 1"
    model = read_model(tmp_path / "fig.mn").model
    assert isinstance(model, MarkovNetwork)
    assert model.structure == figure_9().structure


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("1 -- 2\n1 2 3 -- ", 2, "expected a variable but found the end of the line"),
        ("A -> B", 1, "expected “--” after A -> B"),
        ("1 -- 2 : 3", 1, "expected “=” after 3"),
        ('1 -- "2', 1, "a quote may be missing"),
        ("1 -- 2 -- 3", 1, "expected “:” or the end of the line but found “--”"),
        ("1 -- 1", 1, "1 cannot be its own neighbour"),
        ("1 -- 2\n2 -- 3 : 1=0", 2, "1 is no common neighbour of the ends of 2 – 3"),
        ("1 -- 3\n2 -- 3\n1 -- 2 : 4=0", 3, "4 is no common neighbour"),
        ("1 -- 3\n2 -- 3\n4\n1 -- 2 : 4=0", 4, "4 is no common neighbour of the ends of 1 – 2"),
        ("#states 3 : a, b\n1 -- 3\n2 -- 3\n1 -- 2 : 3=c", 4, "3.*c"),
        ("1 -- 3\n2 -- 3\n1 -- 2 : 3=0; 3=1", 3, "so the edge has no effect"),
        ("#states A : a, a\nA -- B", 1, "A.*twice|A.*more than once"),
        ("", None, "holds no nodes; is it a Markov network text file?"),
    ],
)
def test_a_mistake_is_one_message_with_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelFileError, match=message.replace("?", r"\?")) as refused:
        parse(text.encode(), PATH)
    assert refused.value.line == line


def test_a_short_text_cannot_ask_for_tables_that_do_not_fit() -> None:
    names = [f"v{i}" for i in range(40)]
    pairs = [f"{a} -- {b}" for i, a in enumerate(names) for b in names[:i]]
    with pytest.raises(ModelFileError, match="40 variables are all joined"):
        parse("\n".join(pairs).encode(), PATH)
    with pytest.raises(ModelFileError, match="joint states") as refused:
        parse("\n".join([*pairs, "v0 -- v1 : v2=no"]).encode(), PATH)
    assert refused.value.line == len(pairs) + 1


def test_figure_3_is_written_with_its_lone_variable() -> None:
    text = render(ModelFile(MarkovNetwork.uniform(FIGURE_3)), PATH)[0].decode()
    assert read(text).structure == FIGURE_3
