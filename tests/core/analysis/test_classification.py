"""Classification in every language against brute force, and its measures by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.analysis import classification as classification_beliefs
from pgmstudio.core.analysis.classification import (
    Classification,
    TargetBeliefs,
    calibration,
    calibration_table,
    classify,
    classifying,
    confusion_table,
    prediction_table,
    roc_curve,
    roc_table,
    thinned,
)
from pgmstudio.core.analysis.feature_selection import features_of
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import Cancelled, DataError, UnknownNameError
from pgmstudio.core.execution.events import Progress, StopSwitch
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.likelihood import log2_probabilities
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.model import ProbabilisticModel
from tests.contracts.test_sessions import EXAMPLES
from tests.strategies import (
    all_cases,
    random_classes,
    random_mixture,
    random_network,
    random_tree,
    with_missing,
)

Make = Callable[[np.random.Generator], ProbabilisticModel]

FAMILIES: dict[str, Make] = {
    "bayesian-network": lambda rng: random_network(rng, 5, zeros=0.2),
    "tree": lambda rng: random_tree(rng, 5, zeros=0.1),
    "tree-mixture": lambda rng: random_mixture(rng, 4, 3),
    "tree-mixture, visible": lambda rng: random_mixture(rng, 4, 3, is_visible=True),
    "latent-class": lambda rng: random_classes(rng, 4, 3),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("fraction", [0.0, 0.3])
def test_posteriors_are_those_of_the_joint_table(family: str, fraction: float) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        model = FAMILIES[family](rng)
        cases = all_cases(model.domain)
        joint = np.exp2(log2_probabilities(model, cases))
        rows = with_missing(rng, cases.take_rows(rng.integers(0, cases.row_count, 60)), fraction)
        for target in model.domain.names:
            result = classify(model, rows, target)
            position = model.domain.index(target)
            for row in range(0, 60, 7):
                seen = rows.codes[:, row].copy()
                seen[position] = rows.missing_code
                fits = ((cases.codes == seen[:, None]) | (seen == rows.missing_code)[:, None]).all(
                    axis=0
                )
                mass = np.bincount(cases.codes[position][fits], joint[fits], len(result.states))
                if mass.sum() == 0:
                    assert np.isneginf(result.beliefs.log2_rest[row])
                    mass = np.bincount(cases.codes[position], joint, len(result.states))
                else:
                    assert 2 ** result.beliefs.log2_rest[row] == pytest.approx(mass.sum())
                assert result.beliefs.probabilities[row] == pytest.approx(
                    mass / mass.sum(), abs=1e-12
                )


@pytest.mark.parametrize("family", EXAMPLES, ids=lambda family: str(family.__name__))
def test_every_language_that_is_a_distribution_classifies_as_its_session_believes(
    family: type,
) -> None:
    model = EXAMPLES[family]()
    if not isinstance(model, ProbabilisticModel):
        pytest.skip("no distribution")
    rng = np.random.default_rng(9)
    rows = with_missing(rng, model.sample(12, rng), 0.3)
    result = classify(model, rows, model.domain.names[1]).beliefs
    session = open_session(model)
    for row in range(12):
        session.retract_all()
        for variable, code in zip(model.domain, rows.codes[:, row], strict=True):
            if variable.name != result.variable.name and code != rows.missing_code:
                session.set_evidence(variable.name, Observed(variable.states[code]))
        believed = session.belief(result.variable.name).values
        assert result.probabilities[row] == pytest.approx(believed)
        assert result.log2_rest[row] == pytest.approx(session.log2_evidence())


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), fraction=st.sampled_from([0.0, 0.2]))
def test_a_tree_classifies_as_naive_bayes_on_the_neighbours_of_the_class(
    seed: int, fraction: float
) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 6)
    target = tree.domain.names[int(rng.integers(6))]
    used = [one.name for one in features_of(tree, target) if one.is_used]
    assert set(used) == {b if a == target else a for a, b in tree.edges if target in (a, b)}
    rows = with_missing(rng, tree.sample(80, rng), fraction)
    column = {name: rows.column(name) for name in used}
    there = np.all([column[name] != rows.missing_code for name in used], axis=0) | (not used)
    joint = np.exp2(log2_probabilities(tree, all_cases(tree.domain)))
    table = joint.reshape(tree.domain.cardinalities)
    others = tuple(a for a in range(6) if a != tree.domain.index(target))
    prior = table.sum(axis=others)
    scores = np.tile(np.log(prior), (80, 1))
    for name in used:
        kept = {tree.domain.index(target), tree.domain.index(name)}
        pair = table.sum(axis=tuple(a for a in range(6) if a not in kept))
        given_class = pair if min(kept) == tree.domain.index(target) else pair.T
        given_class = given_class / prior[:, None]
        scores[there] += np.log(given_class[:, column[name][there]]).T
    expected = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    result = classify(tree, rows, target).beliefs.probabilities
    # A neighbour that is missing lets what lies behind it speak; naive Bayes has no such thing.
    assert result[there] == pytest.approx(expected[there], abs=1e-9)


def by_hand(truth: list[int], fractions: list[list[float]], weights: list[float]) -> Classification:
    variable = Variable("c", tuple(f"s{k}" for k in range(len(fractions[0]))))
    beliefs = TargetBeliefs(variable, np.array(fractions), np.zeros(len(truth)))
    return Classification(beliefs, np.array(truth, dtype=np.intp), np.array(weights))


def test_measures_of_four_rows_by_hand() -> None:
    fractions = [[0.8, 0.2], [0.4, 0.6], [0.5, 0.5], [0.1, 0.9], [0.3, 0.7]]
    result = by_hand([0, 0, 1, 1, -1], fractions, [1.0] * 5)
    assert result.confusion.tolist() == [[1, 1], [1, 1]]
    assert result.accuracy.value == 0.5
    assert result.soft_score.value == pytest.approx((0.8 + 0.4 + 0.5 + 0.9) / 4)
    assert result.brier.value == pytest.approx((0.08 + 0.72 + 0.5 + 0.02) / 4)
    expected = -(math.log2(0.8) + math.log2(0.4) + math.log2(0.5) + math.log2(0.9)) / 4
    assert result.log_loss.value == pytest.approx(expected)
    assert (result.unlabelled_rows, result.judged_weight, result.majority_share) == (1, 4, 0.5)
    # Of the pairs (0.2 | 0.6) against (0.5, 0.9), 3 of 4 are in order.
    assert result.roc[1].area == result.roc[0].area == 0.75
    # 0.8 right; 0.6 wrong, 0.5 wrong; 0.9 right: |1 − .8| + |0 − .6| + |0 − .5| + |1 − .9|.
    assert result.calibration.error == pytest.approx(1.4 / 4)
    assert result.rows_of_cell(0, 1).tolist() == [1]


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_weight_counts_as_that_many_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_network(rng, 4)
    rows = model.sample(30, rng)
    times = rng.integers(0, 4, 30)
    weighted = classify(model, DataSet(rows.domain, rows.codes, times.astype(float)), "X0")
    expanded = classify(model, rows.take_rows(np.repeat(np.arange(30), times)), "X0")
    one, other = weighted.as_dict(), expanded.as_dict()
    for name, value in one.items():
        assert value == pytest.approx(other[name]) if not isinstance(value, dict | list) else True
    assert weighted.confusion == pytest.approx(expanded.confusion)
    for a, b in zip(weighted.roc, expanded.roc, strict=True):
        assert (a.area is None) == (b.area is None)
        assert a.area == pytest.approx(b.area)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), grid=st.sampled_from([3, 100]))
def test_the_area_is_the_share_of_pairs_in_order(seed: int, grid: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, grid, 25) / grid
    is_state, weights = rng.random(25) < 0.4, rng.integers(1, 4, 25).astype(float)
    curve = roc_curve(values, is_state, weights)
    pairs = weights[is_state][:, None] * weights[~is_state]
    ahead = values[is_state][:, None] - values[~is_state]
    if pairs.size == 0:
        assert curve.area is None
        return
    expected = (pairs * ((ahead > 0) + (ahead == 0) / 2)).sum() / pairs.sum()
    assert curve.area == pytest.approx(expected)
    assert (curve.false_rates[0], curve.true_rates[0]) == (0, 0)
    assert (curve.false_rates[-1], curve.true_rates[-1]) == pytest.approx((1, 1))
    # What was left out lies on straight pieces: the area under the corners is the same.
    few = thinned(curve, 5)
    assert few.area == curve.area
    assert few.true_rates.size <= 5
    assert (few.false_rates[0], few.false_rates[-1]) == (0, pytest.approx(1))
    steps = np.diff(curve.false_rates) * (curve.true_rates[1:] + curve.true_rates[:-1]) / 2
    assert steps.sum() == pytest.approx(expected)


def test_a_target_that_depends_on_nothing_has_an_area_of_exactly_one_half() -> None:
    samples = Path(__file__).parents[3] / "sample_data"
    model = read_model(samples / "coronary_labels.json").model
    result = classify(model, read_data(samples / "coronary.csv"), "family")
    assert [curve.area for curve in result.roc] == [0.5, 0.5]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_area_counts_pairs_of_rows_with_equal_beliefs_as_halves(family: str) -> None:
    # The count of Mann and Whitney over exact posteriors, rounded far above rounding errors. Rows
    # occur several times and in several orders, so that there are ties to get wrong.
    for seed in range(6):
        rng = np.random.default_rng(seed)
        model = FAMILIES[family](rng)
        rows = model.sample(120, rng)
        target = model.domain.names[-1]
        result = classify(model, rows, target)
        posterior = np.round(result.beliefs.probabilities, 9)
        for state, curve in enumerate(result.roc):
            is_state = result.truth == state
            ahead = posterior[is_state, state][:, None] - posterior[~is_state, state]
            if ahead.size == 0:
                assert curve.area is None
                continue
            expected = ((ahead > 0) + (ahead == 0) / 2).mean()
            assert curve.area == pytest.approx(expected, abs=1e-12)


def test_noise_far_below_the_beliefs_decides_neither_order_nor_state_nor_bin() -> None:
    noise = np.array([[0, 1], [1, 0], [0, 2], [2, 0], [1, 1], [0, 0]]) * 2.0**-53
    even = by_hand([0, 1, 0, 1, 1, 0], (0.5 + noise).tolist(), [1.0] * 6)
    assert [curve.area for curve in even.roc] == [0.5, 0.5]
    assert even.beliefs.chosen.tolist() == [0] * 6
    edge = calibration(np.array([0.3, 0.1 + 0.2, 0.3 - 2.0**-53]), np.ones(3, bool), np.ones(3))
    assert len(edge.bins) == 1


def test_what_is_sure_and_right_is_calibrated() -> None:
    perfect = calibration(np.array([1.0, 0.0, 1.0]), np.array([True, False, True]), np.ones(3))
    assert perfect.error == 0
    assert [one.weight for one in perfect.bins] == [1, 2]
    assert perfect.bins[-1].interval[1] == 1.0
    assert calibration(np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0)).error is None


def test_a_model_is_calibrated_on_its_own_rows() -> None:
    rng = np.random.default_rng(5)
    model = random_network(rng, 6, density=0.6)
    result = classify(model, model.sample(20_000, rng), "X3")
    assert result.calibration.error is not None
    assert result.calibration.error < 0.02
    assert result.soft_score.value == pytest.approx(
        float((result.beliefs.probabilities**2).sum(axis=1).mean()), abs=0.02
    )


def test_rows_that_the_model_rules_out_get_the_prior_and_are_counted() -> None:
    domain = Domain.of({"a": ["x", "y"], "b": ["x", "y"], "c": ["x", "y"]})
    tables = (np.array([0.25, 0.75]), np.array([1.0, 0.0]), np.array([0.5, 0.5]))
    tree = Tree(domain, (None, None, None), tables)
    rows = DataSet.from_rows(domain, [["x", "y", "x"], ["y", "x", "x"]])
    result = classify(tree, rows, "a")
    assert result.impossible_rows == 1
    assert result.beliefs.probabilities[0] == pytest.approx([0.25, 0.75])
    sure = classify(tree, rows, "b")
    assert sure.zero_rows == 1
    assert math.isinf(sure.log_loss.value)
    assert sure.as_dict()["log_loss_bits"] is None


def test_the_target_may_be_absent_and_is_then_predicted_only() -> None:
    rng = np.random.default_rng(2)
    model = random_mixture(rng, 4, 3, is_visible=True)
    rows = model.sample(40, rng)
    rest = rows.select_columns(n for n in rows.domain.names if n != "choice")
    result = classify(model, rest, "choice")
    assert result.judged_weight == 0
    assert result.unlabelled_rows == 40
    assert math.isnan(result.accuracy.value)
    assert result.mean_area is None
    assert result.as_dict()["accuracy"] is None
    seen = classify(model, rows, "choice")
    assert result.beliefs.probabilities == pytest.approx(seen.beliefs.probabilities)
    assert result.beliefs.probabilities == pytest.approx(
        model.responsibilities(
            DataSet(
                model.domain,
                np.where(
                    np.arange(len(model.domain))[:, None] == model.domain.index("choice"),
                    rows.missing_code,
                    rows.codes,
                ),
            )
        )
    )


def test_tables_hold_what_is_shown() -> None:
    rng = np.random.default_rng(8)
    model = random_network(rng, 4)
    rows = with_missing(rng, model.sample(50, rng))
    result = classify(model, rows, "X1")
    lines = prediction_table(result)
    assert len(lines) == 51
    logs = log2_probabilities(model, rows)
    for row, line in enumerate(lines[1:]):
        assert line[0] == row + 1
        assert line[4] == pytest.approx(logs[row])
        assert sum(c for c in line[6:] if isinstance(c, float)) == pytest.approx(1)
        assert line[2] == result.states[int(result.beliefs.chosen[row])]
    counts = [c for line in confusion_table(result)[1:] for c in line if isinstance(c, float)]
    assert sum(counts) == result.judged_weight
    assert {line[0] for line in roc_table(result.states, result.roc)[1:]} == set(result.states)
    states = {line[0] for line in calibration_table(result)[1:]}
    assert states == {"most probable state", *result.states}


def test_features_say_how_they_stand_to_the_target() -> None:
    rng = np.random.default_rng(11)
    network = random_network(rng, 6, density=0.5)
    for target in network.domain.names:
        roles = {one.name: one.role for one in features_of(network, target) if one.is_used}
        dag = network.dag
        blanket = set(dag.parents(target)) | set(dag.children(target))
        blanket |= {p for child in dag.children(target) for p in dag.parents(child)} - {target}
        assert set(roles) == blanket
    mixture = random_mixture(rng, 5, 3, is_visible=True)
    result = features_of(mixture, mixture.domain.names[0])
    assert {one.name for one in result if one.role == "chooses the tree"} == {"choice"}
    assert all(one.bits is not None and one.bits >= 0 for one in result)
    assert [one.is_used for one in result] == sorted((one.is_used for one in result), reverse=True)


def test_a_long_classification_reports_how_far_it_is_and_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(classification_beliefs, "ROWS_AT_ONCE", 10)
    rng = np.random.default_rng(1)
    model = random_network(rng, 6)
    rows = all_cases(model.domain)
    events = list(classifying(model, rows, "X0"))
    received = [event.fraction for event in events if isinstance(event, Progress)]
    assert len(received) > 2
    assert received == sorted(received, key=lambda portion: portion or 0.0)
    whole = classify(model, rows, "X0").beliefs.probabilities
    switch = StopSwitch()
    run = classifying(model, rows, "X0", switch)
    next(run)
    switch.cancel()
    with pytest.raises(Cancelled):
        next(run)
    monkeypatch.setattr(classification_beliefs, "ROWS_AT_ONCE", 1_000_000)
    assert whole == pytest.approx(classify(model, rows, "X0").beliefs.probabilities)


def test_unknown_targets_and_models_without_probabilities_are_refused() -> None:
    model = random_network(np.random.default_rng(1), 3)
    rows = model.sample(5, np.random.default_rng(1))
    with pytest.raises(UnknownNameError):
        classify(model, rows, "nobody")

    class Bare:
        kind = "bare"
        domain = model.domain

        def representation_size(self) -> int:
            return 0

        def effective_size(self) -> int:
            return 0

    with pytest.raises(DataError, match="no probability"):
        classify(Bare(), rows, "X0")
