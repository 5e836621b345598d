"""`pgmstudio replay`: a project from a session that was exported as Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from pgmstudio.core.io.project.project_file import read_project
from tests.cli.conftest import Call


@pytest.fixture
def script(sample_data: Path, tmp_path: Path) -> Path:
    path = tmp_path / "session.py"
    path.write_text(
        "# Import coronary.csv\n"
        f"project.import_file({str(sample_data / 'coronary.csv')!r})\n"
        "# Learn a tree\n"
        "project.learn('tree.chow-liu', data_id='d1', title='Tree')\n"
    )
    return path


def test_a_session_is_replayed_into_a_project(call: Call, script: Path, tmp_path: Path) -> None:
    output = tmp_path / "new.pgmz"
    replayed = call("replay", script, "-o", output, "--json")
    assert replayed.code == 0, replayed.err
    assert replayed.json["steps"] == 2
    assert replayed.json["data"] == ["coronary"]
    assert replayed.json["models"] == [{"title": "Tree", "kind": "tree"}]
    assert [entry.title for entry in read_project(output).models.values()] == ["Tree"]


def test_a_session_is_replayed_on_another_table(
    call: Call, script: Path, sample_data: Path, tmp_path: Path
) -> None:
    output = tmp_path / "new.pgmz"
    replayed = call("replay", script, sample_data / "asia_sample.csv", "-o", output, "--json")
    assert replayed.json["data"] == ["asia_sample"]
    assert "asia" in read_project(output).models["m1"].model.domain


def test_tables_without_a_data_set_to_replace_are_refused(
    call: Call, script: Path, sample_data: Path, tmp_path: Path
) -> None:
    output, table = tmp_path / "new.pgmz", sample_data / "asia_sample.csv"
    refused = call("replay", script, table, table, "-o", output)
    assert refused.code == 2
    assert "No step imports asia_sample.csv" in refused.err
    assert not output.exists()


def test_a_step_that_fails_is_named(call: Call, script: Path, tmp_path: Path) -> None:
    script.write_text("# Delete the model\nproject.remove_model(model_id='m7')\n")
    refused = call("replay", script, "-o", tmp_path / "new.pgmz")
    assert refused.code == 2
    assert "Delete the model: " in refused.err


def test_the_result_is_a_project(call: Call, script: Path) -> None:
    refused = call("replay", script, "-o", "-")
    assert refused.code == 2
    assert "must end in .pgmz" in refused.err


def test_a_project_without_a_model_that_a_script_removed_can_be_read(
    call: Call, script: Path, tmp_path: Path
) -> None:
    output = tmp_path / "new.pgmz"
    script.write_text(script.read_text() + "project.remove(part='models', key='m1')\n")
    assert call("replay", script, "-o", output).code == 0
    project = read_project(output)
    assert project.models == {}
    assert project.runs["r1"].model_id is None
