"""Mixtures on the command line: rows assigned, other languages, pictures."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.io.models.files import read_model, write_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from tests.cli.conftest import Call
from tests.core.languages.test_conversions import divergence_bits
from tests.strategies import random_classes, random_mixture


@pytest.fixture
def classes(tmp_path: Path) -> Path:
    path = tmp_path / "classes.json"
    write_model(path, random_classes(np.random.default_rng(1), 5, 3))
    return path


@pytest.fixture
def mixture(tmp_path: Path) -> Path:
    path = tmp_path / "mixture.json"
    write_model(path, random_mixture(np.random.default_rng(2), 5, 3))
    return path


def test_every_row_gets_its_class_also_with_missing_cells(
    call: Call, classes: Path, tmp_path: Path
) -> None:
    rows, out = tmp_path / "rows.csv", tmp_path / "assigned.csv"
    assert call("sample", classes, "-n", 60, "-o", rows, "--missing", 0.3).code == 0
    called = call("evaluate", classes, rows, "--assign", out)
    assert called.code == 0, called.err
    with out.open() as stream:
        lines = list(csv.DictReader(stream))
    assert [int(line["row"]) for line in lines] == list(range(1, 61))
    for line in lines:
        shares = [float(line[f"p_class_{k}"]) for k in (1, 2, 3)]
        assert sum(shares) == pytest.approx(1)
        assert float(line["responsibility"]) == max(shares)
        assert line["class"] == f"class {shares.index(max(shares)) + 1}"
        assert 0 <= float(line["entropy_bits"]) <= np.log2(3) + 1e-9


def test_a_network_has_no_classes_to_assign(call: Call, asia: Path, asia_rows: Path) -> None:
    called = call("evaluate", asia, asia_rows, "--assign", "never.csv")
    assert called.code == 2
    assert "no classes" in called.err


def test_a_mixture_becomes_a_network_by_name_or_by_ending(
    call: Call, mixture: Path, tmp_path: Path
) -> None:
    model = read_model(mixture).model
    for target, argv in (("one.json", ("--to", "bayesian-network")), ("two.bif", ())):
        called = call("convert", mixture, tmp_path / target, *argv)
        assert called.code == 0, called.err
        network = read_model(tmp_path / target).model
        assert isinstance(network, BayesianNetwork)
        assert divergence_bits(model, network) == pytest.approx(0, abs=1e-9)  # type: ignore[arg-type]
        assert ("KL = 0 bits" in called.err) == bool(argv)


def test_what_a_mixture_cannot_become_is_refused(call: Call, mixture: Path, tmp_path: Path) -> None:
    called = call("convert", mixture, tmp_path / "never.json", "--to", "tree")
    assert called.code == 2
    assert "bayesian-network" in called.err
    assert not (tmp_path / "never.json").exists()


@pytest.mark.parametrize("picture", ["overlay", "tree-2", "tree-1+3"])
def test_trees_are_drawn_each_in_its_own_dashes(
    call: Call, mixture: Path, tmp_path: Path, picture: str
) -> None:
    out = tmp_path / "trees.svg"
    assert call("draw", mixture, out, "--picture", picture).code == 0
    drawn = out.read_text()
    assert ("tree 1" in drawn) == (picture != "tree-2")
    assert ("tree 2" in drawn) == (picture != "tree-1+3")
    assert "width = mutual information in the tree" in drawn


def test_a_picture_of_a_tree_that_is_not_there_names_those_that_are(
    call: Call, mixture: Path, tmp_path: Path
) -> None:
    called = call("draw", mixture, tmp_path / "never.svg", "--picture", "tree-9")
    assert called.code == 2
    assert "tree-3" in called.err


def test_the_hidden_class_shows_its_bars(call: Call, classes: Path, tmp_path: Path) -> None:
    out = tmp_path / "star.svg"
    given = read_model(classes).model.domain.variables[0]
    called = call("draw", classes, out, "--given", f"{given.name}={given.states[0]}")
    assert called.code == 0, called.err
    assert "class 3" in out.read_text()


def test_the_edges_of_restarts_are_counted_in_a_file(
    call: Call, mixture: Path, tmp_path: Path
) -> None:
    rows, out = tmp_path / "rows.csv", tmp_path / "edges.csv"
    assert call("sample", mixture, "-n", 200, "-o", rows).code == 0
    argv = ("--components", 2, "--restarts", 3, "--max-iterations", 4, "--edge-counts", out)
    called = call("learn", "mixture.trees", rows, *argv)
    assert called.code == 0, called.err
    with out.open() as stream:
        lines = list(csv.DictReader(stream))
    assert {line["of_trees"] for line in lines} == {"6"}
    assert sum(int(line["trees"]) for line in lines) == 6 * 4  # spanning trees of five variables
    assert all(1 <= int(line["restarts"]) <= 3 for line in lines)
    called = call("learn", "bn.kes", rows, "--restarts", 2, "--edge-counts", out)
    assert called.code == 0, called.err
    with out.open() as stream:
        assert {"restarts", "of_restarts"} <= set(next(iter(csv.DictReader(stream)), {}))
    called = call("learn", "tree.chow-liu", rows, "--edge-counts", tmp_path / "none.csv")
    assert called.code == 0
    assert not (tmp_path / "none.csv").exists()
    assert call("learn", "bn.kes", rows, "--edge-counts", "counts.json").code == 2


@pytest.mark.parametrize("picture", ["side-by-side", "latent"])
def test_the_other_pictures_of_a_mixture_are_drawn(
    call: Call, mixture: Path, tmp_path: Path, picture: str
) -> None:
    out = tmp_path / "out.svg"
    for argv in ((), ("--beliefs",)):
        called = call("draw", mixture, out, "--picture", picture, *argv)
        assert called.code == 0, called.err
        text = out.read_text()
        assert ("component" if picture == "latent" else "tree 3") in text


def test_classes_of_pixels_are_drawn_as_images_and_others_say_why_not(
    call: Call, classes: Path, tmp_path: Path
) -> None:
    out, rows, model = tmp_path / "images.svg", tmp_path / "bars.csv", tmp_path / "bars.json"
    assert call("generate", "bars", "--side", 3, "-n", 60, "-o", rows).code == 0
    assert call("learn", "nb.latent", rows, "-o", model, "--components", 2).code == 0
    assert call("draw", model, out, "--picture", "images").code == 0
    assert out.read_text().count("<rect") == 1 + 2 * 9
    refused = call("draw", classes, out, "--picture", "images")
    assert refused.code == 2
    assert "named like r1c1" in refused.err


def test_models_are_averaged_by_their_posterior_or_by_given_weights(
    call: Call, mixture: Path, tmp_path: Path
) -> None:
    model = read_model(mixture).model
    assert isinstance(model, TreeMixture)
    turned, rows, out = tmp_path / "turned.json", tmp_path / "rows.csv", tmp_path / "average.json"
    write_model(turned, TreeMixture(model.domain, model.weights[::-1], model.trees))
    assert call("sample", mixture, "-n", 60, "-o", rows).code == 0
    done = call(
        "average", mixture, turned, "--data", rows, "--weights", "likelihood", "--json"
    ).json
    bits = [one["log2_likelihood_per_row"] for one in done["models"]]
    odds = done["models"][0]["weight"] / done["models"][1]["weight"]
    assert np.log2(odds) == pytest.approx(60 * (bits[0] - bits[1]))
    done = call("average", mixture, turned, "--weights", "3,1", "-o", out).out
    assert "0.75" in done
    made = read_model(out).model
    assert isinstance(made, TreeMixture)
    assert made.weights == pytest.approx([*(0.75 * model.weights), *(0.25 * model.weights[::-1])])
    assert "needs rows" in call("average", mixture, turned, "--weights", "posterior").err
    assert "not one of" in call("average", mixture, turned, "--weights", "half").err


def test_the_consensus_of_every_class_is_shown_and_written(
    call: Call, classes: Path, asia: Path, tmp_path: Path
) -> None:
    out = tmp_path / "consensus.csv"
    shown = call("consensus", asia, "--target", "bronc", "-o", out).out
    assert "yes (45.0 %)" in shown
    with out.open() as stream:
        lines = {(line["class"], line["variable"]): line for line in csv.DictReader(stream)}
    assert len(lines) == 2 * 7
    assert lines["yes", "dysp"]["consensus"] == "yes"
    beliefs = call("query", asia, "--given", "bronc=yes", "--of", "dysp", "--json").json["beliefs"]
    assert float(lines["yes", "dysp"]["probability"]) == pytest.approx(beliefs["dysp"]["yes"])
    records = call("consensus", classes, "--json").json["consensus"]
    assert {one["class"] for one in records} == {"class 1", "class 2", "class 3"}
    assert "has no components" in call("consensus", asia).err
