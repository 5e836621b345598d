"""The synthetic data sets have the distributions their specifications state."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.experiments.generators.bars import (
    BarsParams,
    bars,
    draw_bars,
    is_ambiguous,
)
from pgmstudio.core.experiments.generators.random_models import (
    RandomBnParams,
    RandomNbParams,
    RandomTreesParams,
    random_network,
    random_tree,
    random_trees,
)
from pgmstudio.core.experiments.generators.registry import GENERATORS, generator_of
from pgmstudio.core.experiments.generators.textbook import (
    KINDS,
    PAIR_TABLES,
    QUESTIONS,
    FourCycleParams,
    LogicParams,
    ParityParams,
    SurveyParams,
    four_cycle,
    four_cycle_joint,
    parity,
    survey,
    survey_model,
)
from pgmstudio.core.languages.tree_mixture.learning.initialization import random_spanning_tree
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.params import parse_params, specs_of


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def entropy_bits(joint: np.ndarray[Any, Any]) -> float:
    seen = joint[joint > 0]
    return float(-(seen * np.log2(seen)).sum())


def distinct_rows(data: DataSet) -> set[tuple[int, ...]]:
    return {tuple(row) for row in data.codes.T.tolist()}


@pytest.mark.parametrize("name", GENERATORS)
def test_the_same_seed_gives_the_same_rows_and_another_seed_others(name: str) -> None:
    generator = generator_of(name)
    params = generator.params_type()
    first = generator.generate(params, rng(7), 50)
    again = generator.generate(params, rng(7), 50)
    other = generator.generate(params, rng(8), 50)
    assert first.row_count == 50
    assert first.fingerprint == again.fingerprint != other.fingerprint


@pytest.mark.parametrize("name", GENERATORS)
def test_no_rows_can_be_asked_for(name: str) -> None:
    generator = generator_of(name)
    assert generator.generate(generator.params_type(), rng(), 0).row_count == 0


@pytest.mark.parametrize("name", GENERATORS)
def test_every_parameter_of_a_generator_can_be_read_from_a_text(name: str) -> None:
    params_type = generator_of(name).params_type
    texts = {
        spec.option: "yes"
        if spec.default is True
        else "no"
        if spec.default is False
        else str(spec.default)
        for spec in specs_of(params_type)
    }
    assert parse_params(params_type, texts) == params_type()


TRUE = [name for name, generator in GENERATORS.items() if generator.truth is not None]


@pytest.mark.parametrize("name", TRUE)
def test_rows_are_as_likely_as_those_that_their_true_model_draws(name: str) -> None:
    generator = generator_of(name)
    assert generator.truth is not None
    params = generator.params_type()
    rows, truth = generator.generate(params, rng(3), 3000), generator.truth(params, rng(3))
    assert isinstance(truth, ProbabilisticModel)
    assert truth.domain == rows.domain
    drawn, own = (row_log2(truth, part) for part in (rows, truth.sample(3000, rng(4))))
    error = np.hypot(drawn.std(), own.std()) / np.sqrt(3000)
    assert abs(drawn.mean() - own.mean()) < 4 * error


def test_a_hidden_column_that_is_kept_is_a_variable_of_the_true_model() -> None:
    kept = RandomNbParams(variables=3, keep_hidden=True)
    generator = generator_of("random-nb")
    assert generator.truth is not None
    truth = generator.truth(kept, rng())
    assert truth is not None
    assert truth.domain == generator.generate(kept, rng(), 5).domain
    trees = generator_of("random-trees").truth
    assert trees is not None
    assert trees(RandomTreesParams(keep_hidden=True), rng()) is None


def test_an_unknown_generator_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean parity"):
        generator_of("paritty")


@pytest.mark.parametrize("variables", [2, 3, 5, 8])
def test_parity_rows_are_all_even_rows_and_equally_frequent(variables: int) -> None:
    data = parity(ParityParams(variables=variables), rng(), 40_000)
    even = {row for row in itertools.product((0, 1), repeat=variables) if sum(row) % 2 == 0}
    assert distinct_rows(data) == even
    counts = Counter(tuple(row) for row in data.codes.T.tolist())
    assert chisquare(list(counts.values())).pvalue > 1e-3
    assert np.log2(len(even)) == variables - 1


def test_logic1_rows_satisfy_its_ten_definitions() -> None:
    data = generator_of("logic1").generate(LogicParams(), rng(), 2_000)
    value = {name: data.column(name).astype(bool) for name in data.domain.names}
    a, b, e, h = (value[name] for name in "ABEH")
    assert (value["C"] == (a | b)).all()
    assert (value["D"] == (a & b)).all()
    assert (value["F"] == ((a & b) != e)).all()
    assert (value["G"] != value["C"]).all()
    assert (value["I"] == ~(value["F"] | h)).all()
    assert (value["J"] == ~(value["F"] & h)).all()
    assert len(distinct_rows(data)) == 2**4


@pytest.mark.parametrize(("name", "bits", "columns"), [("logic2", 4, 5), ("logic3", 7, 8)])
def test_logic_rows_have_as_many_bits_as_free_inputs(name: str, bits: int, columns: int) -> None:
    data = generator_of(name).generate(LogicParams(), rng(), 5_000)
    assert len(data.domain) == columns
    assert len(distinct_rows(data)) == 2**bits


def test_logic3_shows_whether_two_neighbours_are_one() -> None:
    data = generator_of("logic3").generate(LogicParams(), rng(), 3_000)
    for *bits, result in data.codes.T.tolist():
        assert result == any(a and b for a, b in itertools.pairwise(bits))


def test_the_four_cycle_joint_has_the_worked_values() -> None:
    joint = four_cycle_joint()
    assert joint[0, 0, 0, 0] == pytest.approx(0.174017807, abs=5e-10)
    assert joint[0, 0, 0, 1] == pytest.approx(0.022716702, abs=5e-10)
    assert joint[0, 0, 1, 0] == pytest.approx(0.011632745, abs=5e-10)
    assert joint[0, 1, 1, 0] == pytest.approx(0.000777626, abs=5e-10)
    assert joint[1, 1, 0, 0] == pytest.approx(0.095853021, abs=5e-10)
    assert entropy_bits(joint) == pytest.approx(3.800571171, abs=1e-9)


def test_the_four_cycle_joint_keeps_its_four_pair_tables() -> None:
    joint = four_cycle_joint()
    for axes, table in PAIR_TABLES:
        others = tuple(axis for axis in range(4) if axis not in axes)
        assert np.abs(joint.sum(axis=others) - np.array(table)).max() < 1e-12


def test_the_four_cycle_has_its_two_conditional_independences() -> None:
    joint = four_cycle_joint()  # X, Y, U, Z
    given_yu = joint / joint.sum(axis=(0, 3), keepdims=True)
    product = given_yu.sum(axis=3, keepdims=True) * given_yu.sum(axis=0, keepdims=True)
    assert np.abs(given_yu - product).max() < 1e-12
    given_xz = joint / joint.sum(axis=(1, 2), keepdims=True)
    product = given_xz.sum(axis=2, keepdims=True) * given_xz.sum(axis=1, keepdims=True)
    assert np.abs(given_xz - product).max() < 1e-12


def test_four_cycle_rows_follow_the_joint_and_copies_stand_side_by_side() -> None:
    data = four_cycle(FourCycleParams(copies=3), rng(), 20_000)
    assert data.domain.names[4:8] == ("X2", "Y2", "U2", "Z2")
    for copy in range(3):
        cells = np.ravel_multi_index(tuple(data.codes[4 * copy : 4 * copy + 4]), (4, 2, 2, 2))
        expected = four_cycle_joint().ravel() * 20_000
        assert chisquare(np.bincount(cells, minlength=32), expected).pvalue > 1e-3


def test_bars_have_the_rates_of_the_specification() -> None:
    vertical, on, pixels = draw_bars(BarsParams(), rng(), 200_000)
    assert vertical.mean() == pytest.approx(0.5, abs=0.004)
    assert pixels.mean() == pytest.approx(0.212, abs=0.002)
    assert is_ambiguous(on).mean() == pytest.approx(0.328, abs=0.004)


def test_unambiguous_bars_hold_no_ambiguous_image() -> None:
    _, on, _ = draw_bars(BarsParams(unambiguous=True), rng(), 20_000)
    assert not is_ambiguous(on).any()


def test_bars_without_noise_fill_whole_rows_or_columns() -> None:
    data = bars(BarsParams(side=4, noise=0, unambiguous=True, keep_hidden=True), rng(), 500)
    for *pixels, vertical in data.codes.T:
        image = np.array(pixels).reshape(4, 4)
        lines = image.T if vertical else image
        assert all(len(set(line.tolist())) == 1 for line in lines)


def test_unambiguous_bars_need_a_chance_between_0_and_1() -> None:
    with pytest.raises(ParameterError, match="bar-probability"):
        BarsParams(unambiguous=True, bar_probability=0)


def test_random_trees_are_uniform_over_the_16_labelled_trees_of_four_nodes() -> None:
    source = rng()
    counts = Counter(
        frozenset(
            frozenset(edge)
            for edge in enumerate(random_spanning_tree(4, source))
            if None not in edge
        )
        for _ in range(16_000)
    )
    assert len(counts) == 16
    assert chisquare(list(counts.values())).pvalue > 1e-3


@pytest.mark.parametrize("size", [1, 2, 3, 7, 30])
def test_a_random_tree_spans_its_variables_and_its_tables_sum_to_one(size: int) -> None:
    domain = Domain(tuple(Variable(f"V{i}", ("a", "b", "c")) for i in range(size)))
    tree = random_tree(domain, 1.0, rng(size))
    assert sum(parent is None for parent in tree.parents) == 1
    assert len(tree.edges) == size - 1
    for table in tree.tables:
        assert table.sum(axis=-1) == pytest.approx(1)


def test_the_component_of_a_random_mixture_is_kept_when_asked() -> None:
    params = RandomTreesParams(components=3, variables=6, states=2, keep_hidden=True)
    data = random_trees(params, rng(), 400)
    assert data.domain.names[-1] == "component"
    assert "component" not in random_trees(RandomTreesParams(), rng(), 5).domain


def test_a_random_network_keeps_its_limits() -> None:
    for seed in range(20):
        params = RandomBnParams(variables=12, max_parents=2, least_states=3, most_states=5)
        network = random_network(params, rng(seed))
        assert all(len(parents) <= 2 for parents in network.dag.parent_indices)
        assert all(3 <= size <= 5 for size in network.domain.cardinalities)


def test_fewest_states_may_not_exceed_most_states() -> None:
    for params_type in (RandomBnParams, RandomNbParams):
        with pytest.raises(ParameterError, match="least-states"):
            params_type(least_states=4, most_states=3)


def test_the_survey_misses_cells_at_the_stated_rate_in_every_column() -> None:
    data = survey(SurveyParams(keep_hidden=True), rng(), 20_000)
    assert data.missing_counts[-1] == 0
    for count in data.missing_counts[:-1]:
        assert count / data.row_count == pytest.approx(0.15, abs=0.012)


def test_survey_answers_follow_the_profiles_of_the_hidden_households() -> None:
    data = survey(SurveyParams(missing=0, keep_hidden=True), rng(), 30_000)
    hidden = data.column("household")
    assert np.bincount(hidden) / data.row_count == pytest.approx(list(KINDS.values()), abs=0.012)
    for name, (states, rows) in QUESTIONS.items():
        for kind, row in enumerate(rows):
            seen = np.bincount(data.column(name)[hidden == kind], minlength=len(states))
            assert seen / seen.sum() == pytest.approx(row, abs=0.03)


def test_the_survey_model_makes_the_answers_independent_given_the_household() -> None:
    assert set(survey_model().edges) == {("household", name) for name in QUESTIONS}
