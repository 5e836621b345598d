"""Measures of all pairs of columns."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.__main__ import main
from pgmstudio.core.analysis.associations import associations, pair_detail
from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.scores.association_measures import MEASURES
from tests.core.learning.lecture_data import CORONARY, GEOMETRIC


def test_the_pairs_of_the_lecture_are_ordered_by_strength() -> None:
    for key, expected in {
        "hartley_gain": [1.0, 0.847997, 0.584963],
        "rel_relative": [6 / 12, 5 / 9, 8 / 12],
        "info_gain": [0.846439, 0.570951, 0.295462],
    }.items():
        pairs = associations(GEOMETRIC, key).pairs()
        assert [pair.value for pair in pairs] == pytest.approx(expected, abs=1e-6)
        ends = [(pair.parent, pair.child) for pair in pairs]
        assert ends == [("color", "shape"), ("shape", "size"), ("color", "size")]


def test_degrees_of_single_tuples_are_a_tenth() -> None:
    # π is 0.1 for each of the ten objects, so gains are a tenth of those of Hartley.
    by_degree = associations(GEOMETRIC, "spec_gain").matrix
    by_relation = associations(GEOMETRIC, "hartley_gain").matrix
    assert by_degree == pytest.approx(by_relation / 10, nan_ok=True)


def test_a_directed_measure_has_both_directions() -> None:
    result = associations(GEOMETRIC, "hartley_gain_ratio")
    assert len(result.pairs()) == 6
    assert result.matrix[0, 1] == pytest.approx(0.5)  # color as parent: gain / H(color)
    assert result.matrix[1, 0] == pytest.approx(0.630930, abs=1e-6)


def test_conditional_measures_of_the_lecture() -> None:
    gain = associations(GEOMETRIC, "hartley_cond", ["shape"])
    assert gain.matrix[0, 2] == pytest.approx(0, abs=1e-12)
    assert math.isnan(gain.matrix[0, 1])
    assert associations(GEOMETRIC, "hartley_cond", ["size"]).matrix[0, 1] == pytest.approx(1 / 3)
    # §10: I(B,E|C) and I(C,E|A,B).
    information = associations(CORONARY, "cond_info_gain", ["C"]).matrix
    assert information[1, 4] == pytest.approx(0.002519, abs=1e-6)
    both = associations(CORONARY, "cond_info_gain", ["A", "B"]).matrix
    assert both[2, 4] == pytest.approx(0.002945, abs=1e-6)
    with pytest.raises(ParameterError, match="needs a condition"):
        associations(GEOMETRIC, "hartley_cond")
    with pytest.raises(ParameterError, match="has no condition"):
        associations(GEOMETRIC, "info_gain", ["size"])
    with pytest.raises(UnknownNameError):
        associations(GEOMETRIC, "hartley")


@pytest.mark.parametrize("key", [m.key for m in MEASURES.values() if not m.is_conditional])
def test_every_measure_has_numbers_for_every_pair(key: str) -> None:
    matrix = associations(GEOMETRIC, key).matrix
    assert np.isfinite(matrix[~np.eye(3, dtype=bool)]).all()
    if MEASURES[key].symmetric:
        assert matrix == pytest.approx(matrix.T, abs=1e-12, nan_ok=True)


def test_the_command_prints_any_measure(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    objects = str(sample_data / "geometric_objects.arff")
    assert main(["associations", objects, "--measure", "hartley_gain", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["larger_is_stronger"] is True
    assert [pair["value"] for pair in document["pairs"]] == pytest.approx(
        [1.0, 0.847997, 0.584963], abs=1e-6
    )
    nine = str(sample_data / "geometric_objects_9.arff")
    assert main(["associations", nine, "--measure", "hartley_cond", "--given", "shape"]) == 0
    printed = capsys.readouterr().out
    assert "color – size  0.138346" in printed.replace("      ", "  ")
    assert main(["associations", nine, "--given", "shape"]) == 2


# §6.1: what is printed for the slices of each condition on the nine objects.
SLICES = {
    "color": """
color = blue           0  log2 1 + log2 2 - log2 2
color = red     0.584963  log2 2 + log2 3 - log2 4
color = yellow         0  log2 1 + log2 1 - log2 1
color = green          1  log2 2 + log2 2 - log2 2""",
    "shape": """
shape = circle           0  log2 2 + log2 2 - log2 4
shape = square           0  log2 2 + log2 1 - log2 2
shape = triangle  0.415037  log2 2 + log2 2 - log2 3""",
    "size": """
size = small         0  log2 2 + log2 1 - log2 2
size = medium  1.26303  log2 4 + log2 3 - log2 5
size = large         0  log2 2 + log2 1 - log2 2""",
}


@pytest.mark.parametrize("given", SLICES)
def test_the_command_prints_the_conditional_tables_of_the_lecture(
    sample_data: Path, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    nine = str(sample_data / "geometric_objects_9.arff")
    measure = ["--measure", "hartley_cond", "--given", given, "--details"]
    assert main(["associations", nine, *measure]) == 0
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    expected = SLICES[given].strip().splitlines()
    start = printed.index(expected[0])
    assert printed[start : start + len(expected)] == expected


def test_the_numbers_in_a_formula_give_its_value() -> None:
    def numbers(key: str) -> dict[str, float]:
        return pair_detail(GEOMETRIC, associations(GEOMETRIC, key), "color", "size").numbers

    def value(key: str) -> float:
        return float(associations(GEOMETRIC, key).matrix[0, 2])

    n = numbers("cramers_v")
    assert set(n) == {"χ²", "N", "min(r − 1, q − 1)"}
    assert value("cramers_v") == pytest.approx(
        math.sqrt(n["χ²"] / (n["N"] * n["min(r − 1, q − 1)"]))
    )
    n = numbers("bic")
    cost = math.log2(n["N"]) / 2 * (n["r"] - 1) * n["q"]
    assert value("bic") == pytest.approx(-n["N"] * n["H(C|A)"] - cost)
    n = numbers("gini")
    assert value("gini") == pytest.approx(n["Σ p(a) Σ p(c|a)²"] - n["Σ p(c)²"])
    n = numbers("relief")
    s = n["Σ p(c)²"]
    assert value("relief") == pytest.approx((n["Σ p(a,c)²"] - s * n["Σ p(a)²"]) / (s * (1 - s)))
    n = numbers("rel_relative")
    assert value("rel_relative") == n["|R(A,C)|"] / (n["|dom A|"] * n["|dom C|"])
    n = numbers("spec_sym1")
    gain = n["nonspec(A)"] + n["nonspec(C)"] - n["nonspec(A,C)"]
    assert value("spec_sym1") == pytest.approx(gain / n["nonspec(A,C)"])
