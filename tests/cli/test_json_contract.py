"""The JSON of every command has exactly the entries that programs rely on."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.inference.junction_tree import cost

Call = Callable[..., Any]

LEARN = {
    "learner",
    "kind",
    "seed",
    "seconds",
    "rows",
    "variables",
    "outcome",
    "measures",
    "representation_size",
    "effective_size",
    "log2_likelihood_per_row",
    "edges",
}
POINT = {
    "learner",
    "family",
    "lambda",
    "seed",
    "effective_size",
    "representation_size",
    "train_log2_likelihood_per_row",
    "test_log2_likelihood_per_row",
    "seconds",
}


def test_learn_reports_the_run(call: Call, asia_rows: Path, tmp_path: Path) -> None:
    done = call("learn", "tree.chow-liu", asia_rows, "--json")
    assert done.code == 0
    assert set(done.json) == LEARN
    assert done.json["learner"] == "tree.chow-liu"
    assert done.json["kind"] == "tree"
    assert (done.json["rows"], done.json["variables"], done.json["seed"]) == (5000, 8, 0)
    assert done.json["outcome"] == "finished"
    target = tmp_path / "tree.json"
    done = call("learn", "tree.chow-liu", asia_rows, "--valid", asia_rows, "-o", target, "--json")
    assert set(done.json) == LEARN | {"valid_log2_likelihood_per_row", "model"}
    assert done.json["model"] == str(target)
    same = done.json["log2_likelihood_per_row"]
    assert done.json["valid_log2_likelihood_per_row"] == pytest.approx(same)


def test_evaluate_reports_the_likelihood(call: Call, asia: Path, asia_rows: Path) -> None:
    done = call("evaluate", asia, asia_rows, "--json")
    assert set(done.json) == {
        "kind",
        "rows",
        "log2_likelihood",
        "log2_likelihood_per_row",
        "zero_probability_rows",
        "representation_size",
        "effective_size",
    }
    assert done.json["log2_likelihood"] == pytest.approx(
        5000 * done.json["log2_likelihood_per_row"]
    )
    assert done.json["zero_probability_rows"] == 0
    assert (done.json["representation_size"], done.json["effective_size"]) == (18, 40)


def test_an_impossible_row_makes_the_likelihood_null(
    call: Call, asia: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(
        "asia,tub,smoke,lung,bronc,either,xray,dysp\n"
        "no,no,no,no,no,no,no,no\n"
        "no,no,yes,yes,no,no,no,no\n"  # lung cancer but neither lung cancer nor tuberculosis
    )
    done = call("evaluate", asia, rows, "--json")
    assert done.code == 0
    assert done.json["log2_likelihood"] is None
    assert done.json["log2_likelihood_per_row"] is None
    assert done.json["zero_probability_rows"] == 1


def test_query_reports_beliefs_and_evidence(call: Call, asia: Path) -> None:
    plain = call("query", asia, "--json")
    assert set(plain.json) == {"kind", "evidence", "log2_evidence", "beliefs"}
    assert plain.json["log2_evidence"] == pytest.approx(0)
    # Lauritzen and Spiegelhalter 1988: the priors of the example.
    assert plain.json["beliefs"]["tub"]["yes"] == pytest.approx(0.0104)
    assert plain.json["beliefs"]["lung"]["yes"] == pytest.approx(0.055)
    assert plain.json["beliefs"]["bronc"]["yes"] == pytest.approx(0.45)
    assert plain.json["beliefs"]["dysp"]["yes"] == pytest.approx(0.4359706)
    given = call("query", asia, "--given", "smoke=yes", "--of", "lung", "--mpe", "--json")
    assert set(given.json) == {
        *plain.json,
        "most_probable",
        "log2_most_probable",
        "log2_most_probable_given_evidence",
    }
    assert given.json["evidence"] == {"smoke": "yes"}
    assert given.json["log2_evidence"] == pytest.approx(-1)
    assert given.json["beliefs"] == {"lung": pytest.approx({"yes": 0.1, "no": 0.9})}
    assert given.json["most_probable"]["smoke"] == "yes"
    assert set(given.json["most_probable"]) == set(plain.json["beliefs"])


def test_describe_shows_data_and_models(call: Call, asia: Path, sample_data: Path) -> None:
    data = call("describe", sample_data / "survey.csv", "--json").json
    assert set(data) == {"rows", "variables"}
    assert {frozenset(entry) for entry in data["variables"]} == {
        frozenset({"name", "states", "missing"})
    }
    model = call("describe", asia, "--json").json
    contract = {"kind", "variables", "edges", "representation_size", "effective_size"}
    assert set(model) == contract | {"families", "cliques", "triangulator"}
    assert ["smoke", "lung"] in model["edges"]
    assert len(model["variables"]) == 8


def test_learners_list_every_parameter(call: Call) -> None:
    output = call("learners", "--json").json
    assert set(output) == {"learners"}
    for learner in output["learners"]:
        assert set(learner) == {"key", "title", "kind", "parameters", "presets"}
        for parameter in learner["parameters"]:
            assert set(parameter) == {"name", "default", "low", "high", "choices", "help"}
            assert "_" not in parameter["name"]


def test_curve_reports_points(call: Call, asia_rows: Path, tmp_path: Path) -> None:
    target, models = tmp_path / "curve.json", tmp_path / "models"
    argv = ["--learners", "tree.chow-liu", "--lambdas", "0.5,0.9", "--jobs", 1, "--models", models]
    done = call("curve", asia_rows, *argv, "-o", target, "--json")
    assert done.code == 0
    assert set(done.json) == {"data", "points"}
    assert json.loads(target.read_text()) == done.json
    assert [point["lambda"] for point in done.json["points"]] == [0.5, 0.9]
    for point in done.json["points"]:
        assert set(point) >= POINT | {"model"}
        assert Path(point["model"]).is_file()
        assert math.isfinite(point["test_log2_likelihood_per_row"])


def test_curve_counts_latent_classes_as_asked(call: Call, asia_rows: Path, tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    argv = ["--learners", "nb.latent", "--jobs", 1, "--size", "printed", "-o", picture]
    done = call("curve", asia_rows, *argv)
    assert "Effective size, classes as printed" in done.out
    assert "classes as printed" in picture.read_text()


def test_compare_reports_every_model(call: Call, asia: Path, asia_rows: Path) -> None:
    other = asia.with_suffix(".bif")
    done = call("compare", asia_rows, asia, other, "--json")
    assert done.code == 0
    assert done.json["rows"] == 5000
    assert [model["name"] for model in done.json["models"]] == [str(asia), str(other)]
    one, two = (model["log2_likelihood_per_row"] for model in done.json["models"])
    assert one == pytest.approx(two)


@pytest.mark.parametrize(
    "argv",
    [
        ["sample", "{asia}", "-n", "10", "-o", "{tmp}/rows.csv"],
        ["convert", "{asia}", "{tmp}/asia.bif"],
        ["draw", "{asia}", "{tmp}/asia.svg"],
        ["generate", "parity", "-n", "10", "-o", "{tmp}/rows.csv"],
    ],
    ids=lambda argv: argv[0],
)
def test_commands_that_write_a_file_say_one_object(
    call: Call, asia: Path, tmp_path: Path, argv: list[str]
) -> None:
    done = call(*(word.format(asia=asia, tmp=tmp_path) for word in argv), "--json")
    assert done.code == 0
    assert isinstance(done.json, dict)


def test_approximate_beliefs_come_with_errors(call: Call, asia: Path) -> None:
    given = ("query", asia, "--given", "smoke=yes", "--of", "lung")
    shown = call(*given, "--approximate", "--mpe", "--json").json
    assert shown["beliefs"]["lung"] == pytest.approx(call(*given, "--json").json["beliefs"]["lung"])
    assert set(shown["approximate"]) == {"sweeps", "log2_evidence_error", "errors"}
    assert shown["approximate"]["errors"]["lung"] == {"yes": 0, "no": 0}  # one block holds it all
    assert "10.0 % ± 0.0 %" in call(*given, "--approximate").out
    refused = call(*given, "--error", "0.1")
    assert refused.code == 2
    assert "--approximate" in refused.err


def test_a_network_too_large_for_exact_inference_names_the_option_that_estimates(
    call: Call, asia: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "available_bytes", lambda: 10)
    refused = call("query", asia)
    assert refused.code == 2
    assert refused.err.rstrip().endswith("Option: --approximate.")
