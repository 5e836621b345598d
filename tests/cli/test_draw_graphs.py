"""`pgmstudio draw` of a decision graph: nodes with the flow given the evidence, or its forest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pgmstudio.core.io.model_files import ModelFile, write_model
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
