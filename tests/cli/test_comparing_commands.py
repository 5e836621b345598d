"""`pgmstudio compare-languages` and `pgmstudio disagree`."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.analysis.model_comparison import compare
from pgmstudio.core.experiments.language_comparison.candidates import train_valid_test_split
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

Call = Callable[..., Any]


def test_languages_are_compared_on_the_same_rows_and_their_models_kept(
    call: Call, sample_data: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    lines = (sample_data / "coronary.csv").read_text().splitlines(keepends=True)
    rows.write_text("".join(lines[:200]))
    output = call(
        *("compare-languages", rows, "--languages", "tree,latent", "--budget", 600),
        *("--processes", 1, "--smoothing", "0.5", "--splits", 1),
        *("--models", tmp_path / "models", "-o", tmp_path / "table.csv", "--json", "--quiet"),
    ).json
    assert output["outcome"] == "finished"
    assert (output["smoothing"], output["splits"]) == (0.5, 1)
    assert {one["parameters"]["smoothing"] for one in output["languages"]} == {0.5}
    titles = {"tree": "Chow–Liu tree", "latent": "Latent class model"}
    parts = train_valid_test_split(import_data(rows, ImportOptions()).data)
    models = {
        title: read_model(tmp_path / f"models/{key}.json").model for key, title in titles.items()
    }
    # The rows are parted as the window parts them, and the numbers are those of `compare`.
    expected = compare(models, parts.test)
    assert output["rows"] == parts.test.row_count
    assert output["best"] == expected.best
    result = {one["title"]: one for one in output["languages"]}
    for title in models:
        assert result[title]["state"] == "learned"
        bits = expected[title].log2_likelihood_per_row
        assert result[title]["log2_likelihood_per_row"] == pytest.approx(bits, abs=1e-9)
        assert result[title]["inference_seconds"] > 0
    assert len(output["pairs"]) == 2
    assert expected.best in output["verdict"]
    with (tmp_path / "table.csv").open() as stream:
        table = list(csv.DictReader(stream))
    assert table[0]["title"] == expected.best


def test_an_unknown_language_or_a_strange_ending_is_refused_before_anything_runs(
    call: Call, sample_data: Path
) -> None:
    rows = sample_data / "coronary.csv"
    assert "latent" in call("compare-languages", rows, "--languages", "latnet").err
    assert ".csv or .json" in call("compare-languages", rows, "-o", "table.txt").err
    assert "more than 0" in call("compare-languages", rows, "--budget", "0").err
    assert "not a number" in call("compare-languages", rows, "--smoothing", "much").err
    assert "fewer splits" in call("compare-languages", rows, "--splits", "6").err


def test_models_disagree_where_one_was_changed(call: Call, asia: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    network = read_model(asia).model
    assert isinstance(network, BayesianNetwork)
    assert network.table("smoke").tolist() == [0.5, 0.5]
    write_model(other, ModelFile(network.with_table("smoke", np.array([0.9, 0.1]))))
    output = call("disagree", asia, other, "--json", "--quiet").json
    first = output["variables"][0]
    assert first["variable"] == "smoke"
    assert first["total_variation"]["value"] == pytest.approx(0.4)
    # Given that he smokes, the two are the same but for P(e).
    output = call(
        *("disagree", asia, other, "--given", "smoke=yes", "--json"),
        *("--csv", tmp_path / "all.csv"),
    ).json
    assert [2 ** one["log2_evidence"] for one in output["models"]] == pytest.approx([0.5, 0.9])
    values = [one["total_variation"]["value"] for one in output["variables"]]
    assert values == pytest.approx([0.0] * 8, abs=1e-9)
    assert (tmp_path / "all.csv").read_text().startswith("variable,total_variation")
    shown = call("disagree", asia, other, "--by", "kl", "--most", 1).out
    assert "smoke" in shown
    assert "bits" in shown


def test_a_model_without_the_variable_of_the_evidence_is_reported(
    call: Call, asia: Path, sample_data: Path
) -> None:
    shown = call("disagree", asia, sample_data / "greenhouse.json", "--given", "smoke=yes").out
    (line,) = [line for line in shown.splitlines() if line.startswith("greenhouse ")]
    assert line.split("  ")[-1].strip() == "it has no variable smoke"
    assert "−0.000" not in shown


def test_one_model_cannot_disagree(call: Call, asia: Path) -> None:
    assert "Two models" in call("disagree", asia).err


def test_generated_rows_can_be_measured_by_the_model_they_come_from(
    call: Call, tmp_path: Path
) -> None:
    rows, truth = tmp_path / "rows.csv", tmp_path / "truth.json"
    call("generate", "random-bn", "-n", 200, "-o", rows, "--model", truth, "--variables", 4)
    output = call("evaluate", truth, rows, "--json").json
    assert output["rows"] == 200


def test_learners_are_cross_validated_on_the_same_folds(
    call: Call, sample_data: Path, tmp_path: Path
) -> None:
    rows, out = sample_data / "coronary.csv", tmp_path / "table.csv"
    words = ["--learners", "chow-liu", "nb", "-k", "2", "--jobs", "1", "-o", out]
    done = call("cross-validate", rows, *words, "--json")
    assert done.code == 0, done.err
    assert (done.json["folds"], done.json["complete_folds"]) == (2, 2)
    assert done.json["rows"] == 1841
    assert [one["learner"] for one in done.json["learners"]] == ["tree.chow-liu", "bn.naive-bayes"]
    assert done.json["best"] == "tree.chow-liu"
    for one in done.json["learners"]:
        assert len(one["fold_log2_likelihood_per_row"]) == 2
    assert len(out.read_text().splitlines()) == 3


def test_a_learner_without_likelihood_cannot_be_cross_validated(
    call: Call, sample_data: Path
) -> None:
    done = call("cross-validate", sample_data / "coronary.csv", "--learners", "relational.tests")
    assert done.code == 2
    assert "cannot be cross-validated" in done.err
