"""convert, describe, query and draw on files of every format."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.io.models.files import MODEL_FORMATS, Holds

Call = Callable[..., Any]

FORMATS = pytest.mark.parametrize("known", MODEL_FORMATS, ids=lambda known: known.name)


@FORMATS
def test_a_model_is_converted_described_asked_and_drawn(
    call: Call, asia: Path, tmp_path: Path, known
) -> None:
    path = tmp_path / f"asia{known.endings[-1]}"
    done = call("convert", asia, path, "--json")
    assert done.code == 0
    assert all(message in done.err for message in done.json["lost"])
    assert bool(done.json["lost"]) == (known.holds is not Holds.EVERYTHING)

    output = call("describe", path, "--json").json
    assert {variable["name"] for variable in output["variables"]} >= {"smoke", "lung", "xray"}
    edges = {Holds.DECISION_GRAPH: 7, Holds.UNDIRECTED: 10}  # a forest; the moral graph
    assert len(output["edges"]) == edges.get(known.holds, 8)

    asked = call("query", path, "--of", "lung", "--json").json["beliefs"]["lung"]
    if known.holds in (Holds.STRUCTURE, Holds.UNDIRECTED):
        assert list(asked.values()) == [0.5, 0.5]
        assert "Fill the tables from data" in call("describe", path).err
    else:
        assert asked == pytest.approx({"yes": 0.055, "no": 0.945}, abs=1e-12)

    assert call("draw", path, tmp_path / "asia.svg").code == 0
    assert "smoke" in (tmp_path / "asia.svg").read_text()


@FORMATS
def test_a_broken_file_is_one_message_and_exit_code_2(call: Call, tmp_path: Path, known) -> None:
    path = tmp_path / f"broken{known.endings[0]}"
    path.write_text("this is\nno model at all {")
    done = call("describe", path)
    assert done.code == 2
    assert path.name in done.err
    assert "Traceback" not in done.err


def test_evidence_goes_through_a_file(call: Call, asia: Path, tmp_path: Path) -> None:
    path = tmp_path / "case.evid"
    typed = call(
        "query", asia, "--given", "smoke=yes", "xray=no", "--save-evidence", path, "--json"
    )
    assert path.read_text().split()[0] == "2"
    read = call("query", asia, "--evidence", path, "--json")
    assert read.json == typed.json
    path.write_text("2\n1 0 1\n1 0 0\n")
    assert "2 sets of evidence" in call("query", asia, "--evidence", path).err


def test_soft_evidence_that_a_file_cannot_hold_is_reported(
    call: Call, asia: Path, tmp_path: Path
) -> None:
    path = tmp_path / "case.evid"
    done = call("query", asia, "--soft", "smoke=yes:2,no:1", "--save-evidence", path)
    assert "smoke likelihood" in done.err
    assert path.read_text() == "0\n"


def test_the_limit_of_reading_is_an_option(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGMSTUDIO_READ_LIMIT", "4")
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"x,y\n" + b"a,b\nc,d\n" * 2000))
    refused = call("describe", path, "--read-limit", "1e-5")
    assert refused.code == 2
    assert "more than 10.5 KB when unpacked, the limit for reading" in refused.err
    assert call("describe", path, "--read-limit", "1").code == 0
    assert call("describe", path, "--read-limit", "0").code == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", ["rows.csv", "model.bif", "model.json"])
def test_a_named_pipe_is_one_message_and_exit_code_2(call: Call, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    done = call("describe", tmp_path / name)
    assert done.code == 2
    assert f"{name}: is a named pipe, not a file." in done.err
