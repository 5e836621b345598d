"""Points of SL-curves and what is read off them, with the published numbers."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.analysis.query_benchmark import relative_entropy
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.sl_curves.curve import likelihood_ceiling
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, curves_of, point_of, points_csv
from pgmstudio.core.experiments.sl_curves.selection import (
    best_at,
    chosen_of,
    consistently_dominates,
    dominance_matrix,
    equi_score_line,
    overfits,
    relative_improvement,
    seed_bars,
    summaries_of,
    timing_fits,
)
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.latent_class.learning.learner import LatentParams
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.base import Finished
from tests.decision_graphs import parity
from tests.strategies import random_network


def dominates(one: CurvePoint, other: CurvePoint) -> bool:
    """Whether it is left of and above the other: smaller and more likely, both strictly."""
    return (
        one.effective_size < other.effective_size
        and one.test_log2_likelihood_per_row > other.test_log2_likelihood_per_row
    )


def point(
    size: int, train: float, test: float = -1.0, *, free: int | None = None, seed: int = 0
) -> CurvePoint:
    parameters = size if free is None else free
    return CurvePoint(
        "learner", "family", None, seed, size, parameters, train, test, None, 100.0, 0.5, {}
    )


clouds = st.lists(
    st.builds(point, st.integers(1, 60), st.floats(-6, -1), st.floats(-6, -1)),
    min_size=1,
    max_size=12,
)

# Nielsen (2007), Table 5.7: effective size and L_B of the model with the best L_B.
PUBLISHED = {
    "Page-blocks": {"BN": (13875, -13.362), "PDG": (11925, -11.998), "NB": (6490, -12.916)},
    "Letter": {"BN": (141675, -23.872), "PDG": (14138, -28.046), "NB": (20640, -24.655)},
    "Landsat": {"BN": (5451000, -36.000), "PDG": (7418, -50.465), "NB": (5850, -42.417)},
    "Adult": {"BN": (62270, -16.182), "PDG": (4208, -16.695), "NB": (19205, -17.677)},
    "K.R.v.K": {"BN": (6912, -16.880), "PDG": (18930, -16.783), "NB": (32032, -17.279)},
    "Abalone": {"BN": (4575, -10.439), "PDG": (694, -10.883), "NB": (1365, -10.463)},
    "Mushroom": {"BN": (208333, -13.883), "PDG": (6560, -13.95), "NB": (28518, -14.421)},
}


def test_dominance_on_the_published_points_is_as_the_specification_lists() -> None:
    result = {
        (name, one, other)
        for name, sets in PUBLISHED.items()
        for one, (size, bits) in sets.items()
        for other, (other_size, other_bits) in sets.items()
        if dominates(point(size, -1, bits), point(other_size, -1, other_bits))
    }
    assert result == {
        ("Page-blocks", "PDG", "BN"),
        ("Page-blocks", "NB", "BN"),
        ("Landsat", "NB", "PDG"),
        ("Adult", "PDG", "NB"),
        ("K.R.v.K", "BN", "NB"),
        ("K.R.v.K", "PDG", "NB"),
        ("Mushroom", "PDG", "NB"),
    }


@given(st.builds(point, st.integers(1, 4), st.floats(-3, -1), st.sampled_from([-3.0, -2.0, -1.0])))
def test_nothing_dominates_itself(one: CurvePoint) -> None:
    assert not dominates(one, one)


@given(clouds)
def test_dominance_is_transitive(points: list[CurvePoint]) -> None:
    for a in points:
        for b in points:
            for c in points:
                if dominates(a, b) and dominates(b, c):
                    assert dominates(a, c)


def test_a_whole_curve_dominates_when_every_point_of_the_other_has_a_better_one() -> None:
    upper = [point(1, -3, -3), point(5, -1, -1)]
    lower = [point(1, -4, -4), point(3, -3.5, -3.5), point(9, -2, -2)]
    assert consistently_dominates(upper, lower)
    assert not consistently_dominates(lower, upper)
    assert not consistently_dominates(upper, [])
    assert not consistently_dominates(upper, [*lower, point(1, -1, -1)])


@given(clouds, st.floats(0.01, 0.99))
def test_the_line_of_a_lambda_touches_the_chosen_point_and_lies_above_the_others(
    points: list[CurvePoint], lambda_: float
) -> None:
    line = equi_score_line(points, lambda_)
    assert line is not None
    assert line.touches is best_at(points, lambda_)
    assert line.slope == pytest.approx(lambda_ / ((1 - lambda_) * 100))
    for one in points:
        assert line.bits_at(one.effective_size) >= one.train_log2_likelihood_per_row - 1e-9


@given(clouds, st.lists(st.floats(0.01, 0.99), min_size=2, max_size=6))
def test_a_smaller_lambda_never_selects_a_smaller_model(
    points: list[CurvePoint], lambdas: list[float]
) -> None:
    sizes = [
        chosen.effective_size
        for value in sorted(lambdas)
        if (chosen := best_at(sorted(points, key=lambda p: p.effective_size), value)) is not None
    ]
    assert sizes == sorted(sizes, reverse=True)


@given(
    st.lists(
        st.builds(
            lambda free, bits: point(10, bits, free=free), st.integers(1, 60), st.floats(-6, -1)
        ),
        min_size=1,
        max_size=12,
    )
)
def test_bic_never_takes_a_larger_model_than_aic(points: list[CurvePoint]) -> None:
    chosen = chosen_of(sorted(points, key=lambda p: p.representation_size))
    assert chosen is not None
    assert chosen.bic.representation_size <= chosen.aic.representation_size


def test_a_model_overfits_when_a_less_likely_one_of_its_language_does_better_on_test_rows() -> None:
    modest, eager = point(1, -3, -3.1), point(9, -2, -3.5)
    assert overfits(eager, [modest, eager])
    assert not overfits(modest, [modest, eager])
    assert not overfits(eager, [replace(modest, family="another"), eager])


def test_the_improvement_formula_gives_all_published_rows(shared: Path) -> None:
    """The 214 rows of section 9: Δ = (BN − PDG)/BN of sizes and likelihoods."""
    page = (shared / "spec/sl-curves.md").read_text(encoding="utf-8")
    section = page.split("\n## 9.")[1].split("\n## 10.")[0]
    rows = [
        [float(cell.replace("−", "-")) for cell in line.strip("| ").split("|")]
        for line in section.splitlines()
        if re.match(r"\| \d", line) and line.count("|") == 11
    ]
    assert len(rows) == 214
    for bn, bn_train, bn_test, pdg, pdg_train, pdg_test, *message in rows:
        pairs = ((bn, pdg), (bn_train, pdg_train), (bn_test, pdg_test))
        for (before, after), published in zip(pairs, message, strict=False):
            assert relative_improvement(before, after) == pytest.approx(published, abs=0.006)


# -- what likelihoods can be -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "bits"),
    [
        (5056, 12.304),
        (20000, 14.288),
        (6435, 12.652),
        (45222, 15.465),
        (28056, 14.776),
        (4177, 12.028),
        (8124, 12.988),
    ],
)
def test_the_entropy_of_rows_that_all_differ_is_the_logarithm_of_their_number(
    rows: int, bits: float
) -> None:
    codes = np.array([(np.arange(rows) >> bit) & 1 for bit in range(16)], dtype=np.uint8)
    domain = Domain.of({f"x{bit}": ("0", "1") for bit in range(16)})
    assert -likelihood_ceiling(DataSet(domain, codes)) == pytest.approx(bits, abs=0.0005)


def test_no_model_is_above_the_ceiling_and_the_distance_is_the_relative_entropy() -> None:
    rng = np.random.default_rng(3)
    data = random_network(rng, 4, density=0.8, max_parents=2).sample(300, rng)
    ceiling, names = likelihood_ceiling(data), data.domain.names
    full = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    saturated = fit_tables(data, Dag.from_edges(names, full), 0.0).network
    merged = data.merged()
    assert merged.weights is not None
    empirical = merged.weights / merged.total_weight
    for model in (saturated, fit_tables(data, Dag.from_edges(names, full[:2]), 0.0).network):
        bits = row_log2(model, data).mean()
        assert bits <= ceiling + 1e-9
        distance = relative_entropy(empirical, 2 ** row_log2(model, merged))
        assert distance == pytest.approx(ceiling - bits, abs=1e-9)
    assert row_log2(saturated, data).mean() == pytest.approx(ceiling, abs=1e-9)


def test_recognising_a_copied_bit_is_worth_one_bit_a_row() -> None:
    domain = Domain.of({"x": ("0", "1"), "y": ("0", "1")})
    data = DataSet.from_rows(domain, [["0", "0"], ["1", "1"]] * 20)
    apart, joined = (
        row_log2(fit_tables(data, Dag.from_edges(("x", "y"), edges), 0.0).network, data).mean()
        for edges in ((), (("x", "y"),))
    )
    assert joined - apart == pytest.approx(1.0, abs=1e-12)


def test_independence_is_equally_likely_in_all_languages_and_its_sizes_are_known() -> None:
    rng = np.random.default_rng(5)
    data = random_network(rng, 5, density=0.5, max_parents=2).sample(200, rng)
    network = fit_tables(data, Dag.from_edges(data.domain.names, ()), 0.0).network
    tables = tuple(np.asarray(table).reshape(1, -1) for table in network.tables)
    graph = DecisionGraph(data.domain, (None,) * 5, tables, (None,) * 5)
    classes = LatentClasses(data.domain, np.ones(1), tables)
    likelihoods = [row_log2(model, data) for model in (network, graph, classes)]
    # acceptance checks 9 of the curves and 10 of latent classes
    np.testing.assert_allclose(likelihoods[0], likelihoods[1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(likelihoods[0], likelihoods[2], rtol=0, atol=1e-10)
    cards = data.domain.cardinalities
    independent = sum(card - 1 for card in cards)
    assert classes.definition_size() == classes.representation_size() == independent
    tree = Tree(data.domain, (None,) * 5, network.tables)
    trees = TreeMixture(data.domain, np.ones(1), (tree,))
    models = (network, graph, classes, tree, trees, LabelledDag.of_network(network))
    assert [model.effective_size() for model in models] == [sum(cards)] * len(models)


def test_parity_of_five_is_small_for_a_decision_graph_and_large_for_a_network() -> None:
    graph = parity(5)
    codes = np.array([(np.arange(32) >> bit) & 1 for bit in range(5)], dtype=np.uint8)
    data = DataSet(graph.domain, codes[:, codes.sum(axis=0) % 2 == 0])
    if not np.isfinite(row_log2(graph, data)).all():
        data = DataSet(graph.domain, codes[:, codes.sum(axis=0) % 2 == 1])
    names = data.domain.names
    full = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    network = fit_tables(data, Dag.from_edges(names, full), 0.0).network
    assert (graph.effective_size(), row_log2(graph, data).mean()) == (18, pytest.approx(-4))
    assert (network.effective_size(), row_log2(network, data).mean()) == (32, pytest.approx(-4))


def test_parity_of_five_needs_sixteen_classes() -> None:
    # Acceptance check 8. A class that allows even rows only is a single row. One class short, the
    # best is a class with two rows that differ in two bits; it gives these two a bit less each.
    codes = np.array([(np.arange(32) >> bit) & 1 for bit in range(5)], dtype=np.uint8)
    even = codes[:, codes.sum(axis=0) % 2 == 0]
    data = DataSet(parity(5).domain, even)
    points = tuple(np.stack([1.0 - bits, bits], axis=1).astype(float) for bits in even)
    sixteen = LatentClasses(data.domain, np.full(16, 1 / 16), points)
    assert row_log2(sixteen, data).mean() == pytest.approx(-4)
    # Rows 0 and 1 in one class: where they differ, each state has half of it.
    halves = tuple(np.vstack([one[:2].mean(axis=0), one[2:]]) for one in points)
    fifteen = LatentClasses(data.domain, np.array([2 / 16, *[1 / 16] * 14]), halves)
    differ = int((even[:, 0] != even[:, 1]).sum())
    assert row_log2(fifteen, data).mean() == pytest.approx(-4 - 2 * (differ - 1) / 16)
    task = LearnTask(
        "nb.latent",
        data,
        LatentParams(components=(15,), restarts=20, smoothing=0.0, criterion="aic"),
        0,
    )
    learned = next(event.model for event in task(NEVER) if isinstance(event, Finished))
    assert row_log2(learned, data).mean() <= -4 - 2 / 16 + 1e-9


# -- as tables and bars ----------------------------------------------------------------------------


def test_a_point_comes_back_from_what_it_reports() -> None:
    one = replace(
        point(7, -2.5, -math.inf),
        key="abc-002",
        name="curve",
        parameter_size=5,
        printed_size=6,
        definition_size=4,
        valid_log2_likelihood_per_row=-3.25,
        query_log2=-1.5,
        query_distance=0.125,
        inference_seconds=0.001,
        lambda_=0.3,
    )
    report = json.loads(json.dumps(one.as_dict(), allow_nan=False))
    again = point_of(report)
    assert again.as_dict() == one.as_dict()
    assert again.test_log2_likelihood_per_row == -math.inf


def test_the_table_has_a_line_for_each_point_and_all_columns() -> None:
    points = [point(3, -2), replace(point(4, -1.5), parameter_size=2, parameters={"a": 1})]
    rows = list(csv.DictReader(points_csv(points).splitlines()))
    assert [row["effective_size"] for row in rows] == ["3", "4"]
    assert [row["parameter_size"] for row in rows] == ["", "2"]
    assert rows[1]["parameters"] == "a=1"
    assert points_csv([]).strip() == ""


def test_seeds_of_one_setting_are_one_bar_with_their_spread() -> None:
    seeds = [point(size, -2.0, -3.0 - size, seed=seed) for seed, size in enumerate((4, 6, 8))]
    other = replace(point(5, -1), lambda_=0.5)
    (bar,) = seed_bars([*seeds, other])
    assert (bar.size, bar.size_spread) == (6, pytest.approx(2))
    assert (bar.test_bits, bar.test_spread) == (-9, pytest.approx(2))
    assert (bar.train_bits, bar.train_spread) == (-2, 0)
    assert set(bar.points) == set(seeds)


def test_curves_go_by_their_names_and_from_small_to_large() -> None:
    named = replace(point(2, -1), name="mine")
    curves = curves_of([point(5, -1), point(3, -1), named])
    assert {name: [p.effective_size for p in own] for name, own in curves.items()} == {
        "learner": [3, 5],
        "mine": [2],
    }


def test_a_curve_is_summed_up_by_its_chosen_models_and_its_time() -> None:
    small, large = point(2, -3, -3.2, free=1), point(50, -2.9, -3.1, free=40)
    (message,) = summaries_of([large, small])
    assert (message.series, message.models, message.seconds) == ("learner", 2, 1.0)
    assert message.chosen.best_test is large
    assert message.chosen.bic is small
    assert message.chosen.labels(small) == ("BIC", "AIC")


def test_the_matrix_of_curves_shows_which_is_above_which() -> None:
    curves = {"low": [point(3, -4, -4)], "high": [point(2, -3, -3)], "far": [point(1, -9, -9)]}
    matrix = dominance_matrix(curves)
    assert [pair for pair, holds in matrix.items() if holds] == [("high", "low")]
    assert len(matrix) == 6


def test_times_of_each_language_lie_on_a_line_of_their_own() -> None:
    timed = [replace(point(n, -1), inference_seconds=0.5 + 0.25 * n) for n in (1, 2, 4)]
    fits = timing_fits([*timed, replace(point(3, -1), family="alone", inference_seconds=1.0)])
    assert list(fits) == ["family"]
    assert (fits["family"].slope, fits["family"].r_squared) == (pytest.approx(0.25), 1)
