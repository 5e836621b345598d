"""`pgmstudio evaluate --target` in every language."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.io.models.files import write_model
from tests.cli.conftest import Call
from tests.strategies import random_classes, random_mixture, random_network, random_tree

MODELS: dict[str, Callable[[np.random.Generator], Any]] = {
    "network": lambda rng: random_network(rng, 4),
    "tree": lambda rng: random_tree(rng, 4),
    "mixture": lambda rng: random_mixture(rng, 4, 2),
    "classes": lambda rng: random_classes(rng, 4, 2),
}


def read(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("kind", MODELS)
def test_every_language_predicts_any_variable(call: Call, tmp_path: Path, kind: str) -> None:
    model, rows = tmp_path / "model.json", tmp_path / "rows.csv"
    write_model(model, MODELS[kind](np.random.default_rng(3)))
    assert call("sample", model, "-n", 80, "-o", rows, "--missing", 0.2).code == 0
    out, roc, bins = (tmp_path / name for name in ("out.csv", "roc.csv", "bins.csv"))
    files = ("--predictions", out, "--roc", roc, "--calibration", bins)
    done = call("evaluate", model, rows, "--target", "X1", *files, "--json")
    assert done.code == 0, done.err
    result = done.json["classification"]
    judged = [line for line in read(out) if line["X1"]]
    assert result["rows"] == len(judged) == 80 - result["unlabelled_rows"]
    right = [line for line in judged if line["X1"] == line["predicted_X1"]]
    assert result["accuracy"] == pytest.approx(len(right) / len(judged))
    given = [float(line[f"p_X1={line['X1']}"]) for line in judged]
    assert result["soft_score"] == pytest.approx(np.mean(given))
    assert result["log_loss_bits"] == pytest.approx(-np.log2(given).mean())
    total = sum(float(line["log2_probability"]) for line in read(out))
    assert total == pytest.approx(done.json["log2_likelihood"])
    assert sum(map(sum, result["confusion"])) == result["rows"]
    assert {line["state"] for line in read(roc)} == set(result["states"])
    top = [line for line in read(bins) if line["state"] == "most probable state"]
    assert sum(float(line["rows"]) for line in top) == result["rows"]
    assert {one["variable"] for one in result["features"]} == {"X0", "X2", "X3"}


def test_the_text_shows_the_measures_and_the_variables_used(
    call: Call, asia: Path, asia_rows: Path
) -> None:
    done = call("evaluate", asia, asia_rows, "--target", "lung")
    assert done.code == 0, done.err
    for argv in ("Accuracy", "Brier score", "Log loss", "Mean AUC", "Used for it: 3 variables"):
        assert argv in done.out
    assert "parent of a child" in done.out


def test_a_file_without_the_target_is_predicted_but_not_judged(
    call: Call, asia: Path, asia_rows: Path, tmp_path: Path
) -> None:
    lines = [line.split(",") for line in asia_rows.read_text().splitlines()[:40]]
    index = lines[0].index("lung")
    rest = tmp_path / "rest.csv"
    rest.write_text("\n".join(",".join(c for i, c in enumerate(w) if i != index) for w in lines))
    out = tmp_path / "out.csv"
    done = call("evaluate", asia, rest, "--target", "lung", "--predictions", out)
    assert done.code == 0, done.err
    assert "Missing in every row: lung." in done.err
    assert "cannot be judged" in done.out
    assert {line["predicted_lung"] for line in read(out)} <= {"yes", "no"}
    assert call("evaluate", asia, rest).code == 2  # without a target all columns are needed


@pytest.mark.parametrize(
    ("argv", "expected"),
    [(("--roc", "x.csv"), "needs --target"), (("--target", "nobody"), "nobody")],
)
def test_what_cannot_be_predicted_is_reported(
    call: Call, asia: Path, asia_rows: Path, argv: tuple[str, ...], expected: str
) -> None:
    done = call("evaluate", asia, asia_rows, *argv)
    assert done.code == 2
    assert expected in done.err
