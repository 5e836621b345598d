"""Labelled graphs on the command line: pictures and questions in a context, and their text."""

from __future__ import annotations

import json

import pytest

from pgmstudio.cli.main import main
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.ldag.model import LabelledDag
from tests.labelled_dags import coronary


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "coronary.json"
    write_model(path, ModelFile(coronary()))
    return path


def output(capsys, *argv: object) -> dict:
    assert main([*map(str, argv), "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_question_is_answered_in_its_context_with_the_edges_that_vanish(model, capsys) -> None:
    asked = ("query", model, "--independent", "Pressure,Proteins")
    plain = output(capsys, *asked)
    assert not plain["independent"]
    assert "not implied" in plain["sentence"]
    result = output(capsys, *asked, "--context", "Smoking=no", "--check")
    assert result["independent"]
    assert result["vanished_edges"] == [["Proteins", "Pressure"]]
    assert result["information_bits"] == pytest.approx(0, abs=1e-12)


def test_a_context_needs_a_labelled_graph_and_a_question(model, tmp_path, capsys) -> None:
    plain = tmp_path / "plain.json"
    write_model(plain, ModelFile(coronary().as_bayesian_network))
    argv = ["--independent", "Pressure,Proteins", "--context", "Smoking=no"]
    assert main(["query", str(plain), *argv]) != 0
    assert main(["query", str(model), "--context", "Smoking=no"]) != 0


def test_a_drawing_has_tags_and_dashes_in_a_context(model, tmp_path, capsys) -> None:
    drawn = tmp_path / "c.svg"
    output(capsys, "draw", model, drawn)
    plain = drawn.read_text(encoding="utf-8")
    assert "Smoking = no" in plain
    assert "carries a label" in plain
    assert "plain edge" in plain
    assert "vanished here" not in plain
    output(capsys, "draw", model, drawn, "--context", "Smoking=no")
    assert "vanished here" in drawn.read_text(encoding="utf-8")


def test_a_multinet_has_a_panel_for_each_state_of_a_variable(model, tmp_path, capsys) -> None:
    drawn = tmp_path / "m.svg"
    output(capsys, "draw", model, drawn, "--picture", "multinet")
    itself = drawn.read_text(encoding="utf-8")
    output(capsys, "draw", model, drawn, "--by", "Smoking")
    asked = drawn.read_text(encoding="utf-8")
    for text in (itself, asked):
        assert text.count(">Smoking<") == 2  # a node in each panel; it decides most edges
        assert ">Smoking = no</" in text
        assert ">Smoking = yes</" in text
        assert "vanished here" in text
    assert main(["draw", str(model), str(drawn), "--picture", "dag", "--by", "Smoking"]) != 0
    assert "multinet" in capsys.readouterr().err
    assert main(["draw", str(model), str(drawn), "--by", "Smokin"]) != 0
    assert "Did you mean Smoking" in capsys.readouterr().err


def test_a_model_becomes_text_and_comes_back_with_its_labels(model, tmp_path, capsys) -> None:
    text = tmp_path / "c.ldag"
    assert main(["convert", str(model), str(text), "--quiet"]) == 0
    assert "Smoking -> Pressure : Proteins = >3" in text.read_text(encoding="utf-8").splitlines()
    again = read_model(text).model
    assert isinstance(again, LabelledDag)
    assert again.representation_size() == coronary().representation_size()
