"""Tables for a given graph from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.io.models.files import read_model

Call = Callable[..., Any]


def test_the_graph_of_the_start_is_kept_and_a_column_left_out_is_hidden(
    call: Call, sample_data: Path, tmp_path: Path
) -> None:
    start, out = sample_data / "asia.bif", tmp_path / "fitted.json"
    rows = sample_data / "asia_sample.csv"
    argv = ("learn", "bn.em", rows, "--start", start, "--leave-out", "either")
    done = call(*argv, "--restarts", 1, "--iterations", 5, "-o", out, "--json")
    assert done.code == 0
    assert "Hidden in every row: either." in done.err
    fitted: Any = read_model(out).model
    assert set(fitted.edges) == set(read_model(start).model.edges)  # type: ignore[attr-defined]
    output = done.json
    assert output["log2_likelihood_per_row"] == pytest.approx(
        output["measures"]["log2_likelihood_per_row"]
    )


def test_what_is_done_with_missing_cells_is_reported_with_its_cost(
    call: Call, sample_data: Path
) -> None:
    done = call("learn", "tree.chow-liu", sample_data / "survey.csv", "--missing", "em")
    assert done.code == 0
    assert "fitted by EM to the observed cells" in done.err
    assert "as long as complete rows" in done.err
    assert "EM fitted the parameters in" in done.err


def test_settings_that_need_a_model_say_so(call: Call, sample_data: Path) -> None:
    done = call("learn", "bn.em", sample_data / "asia_sample.csv", "--prior", "model")
    assert done.code == 2
    assert "prior: takes tables of a model; choose one to start from" in done.err
