"""Tables that stay in their file, on the command line and in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import pgmstudio as pgm
from tests.cli.conftest import Call


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_streamed_file_gives_the_model_of_an_import(call: Call, asia_rows: Path) -> None:
    here = call("learn", "tree.chow-liu", asia_rows, "--json")
    there = call("learn", "tree.chow-liu", asia_rows, "--stream", "--json")
    assert there.code == 0
    assert "read in chunks" in there.err
    assert "will be read 3 times" in there.err
    assert "were read" in there.err
    before, after = here.json, there.json
    for name in ("edges", "measures", "rows", "effective_size"):
        assert after[name] == before[name]
    assert after["log2_likelihood_per_row"] == pytest.approx(before["log2_likelihood_per_row"])


def test_what_cannot_be_read_in_chunks_is_refused(call: Call, asia_rows: Path) -> None:
    refused = call("learn", "pdg.learn", asia_rows, "--stream")
    assert refused.code == 2
    assert "needs all rows in memory" in refused.err
    refused = call("learn", "tree.chow-liu", asia_rows, "--cluster", "nowhere")
    assert refused.code == 2
    assert "address of a scheduler" in refused.err


def test_a_streamed_table_in_python(asia_rows: Path) -> None:
    data = pgm.read_data(asia_rows, stream=True)
    assert "read in chunks" in repr(data)
    here, there = (pgm.learn("bn.k2", rows, smoothing=1.0) for rows in (asia_rows, data))
    assert there.edges == here.edges
    assert there.log_likelihood(asia_rows) == here.log_likelihood(asia_rows)
