"""Decision graphs on the command line: drawn, described, refused, and learned until Ctrl+C."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.pdg.learning import hybrid as pdg_hybrid
from pgmstudio.core.languages.pdg.model import DecisionGraph
from tests.decision_graphs import medical

Call = Callable[..., Any]


def test_a_decision_graph_is_drawn_with_the_flow_through_its_nodes(
    call: Call, tmp_path: Path
) -> None:
    model, picture = tmp_path / "medical.pdg", tmp_path / "medical.svg"
    write_model(model, ModelFile(medical(), "medical"))
    assert call("draw", model, picture, "--picture", "nodes").code == 0
    assert "not reached" not in picture.read_text()
    assert call("draw", model, picture, "--given", "H=p").code == 0
    assert picture.read_text().count("not reached") == 5
    assert call("draw", model, picture, "--picture", "forest").code == 0
    assert "ν1" not in picture.read_text()


@pytest.mark.parametrize("ending", ["pdg", "json"])
def test_describe_shows_how_many_nodes_a_decision_graph_has(
    call: Call, tmp_path: Path, ending: str
) -> None:
    graph, model = medical(), tmp_path / f"medical.{ending}"
    write_model(model, ModelFile(graph, "medical"))
    output = call("describe", model).out
    assert ["Nodes", str(sum(graph.node_counts))] in [line.split() for line in output.splitlines()]
    nodes = call("describe", model, "--json").json["nodes"]
    assert nodes == dict(zip(graph.domain.names, graph.node_counts, strict=True))


def test_what_a_decision_graph_cannot_become_is_a_message(call: Call, tmp_path: Path) -> None:
    model = tmp_path / "medical.json"
    write_model(model, ModelFile(medical(), "medical"))
    called = call("convert", model, tmp_path / "never.json", "--to", "tree")
    assert called.code == 2
    argv = "A probabilistic decision graph cannot become a tree; what it can become: "
    assert called.err.startswith(argv)


def test_a_graph_from_a_network_interrupted_after_its_first_model_is_kept(
    call: Call, asia_rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = pdg_hybrid.ImprovedModel

    def interrupted(*of: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return result(*of)

    monkeypatch.setattr(pdg_hybrid, "ImprovedModel", interrupted)
    target = tmp_path / "kept.json"
    called = call("learn", "pdg.hybrid", asia_rows, "--network", "tree.chow-liu", "-o", target)
    assert called.code == 130
    assert "The best model so far was kept" in called.err
    assert isinstance(read_model(target).model, DecisionGraph)
