"""Tables from counts, and the smoothing that cross-validation finds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import deal_folds
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, DataError
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.learning.smoothing import (
    FOLDS,
    LARGEST_SMOOTHING,
    smoothed,
    tune_smoothing,
)

DOMAIN = Domain.of({"a": ("0", "1"), "b": ("0", "1", "2")})


def random_rows(seed: int, rows: int = 50) -> DataSet:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.5, a, rng.integers(0, 3, rows))
    return DataSet(DOMAIN, np.array([a, b], dtype=np.uint8))


def test_smoothing_has_the_worked_values() -> None:
    # bayesian-networks.md, acceptance check 15
    assert smoothed(np.array([0.0, 4, 3, 3]), 1.0)[0] == pytest.approx(1 / 14)
    assert smoothed(np.array([10.0, 0, 0, 0]), 0.5)[0] == pytest.approx(0.875)


def test_without_smoothing_tables_are_relative_frequencies_and_unseen_rows_uniform() -> None:
    data = DataSet.from_rows(DOMAIN, ["00", "00", "02"])
    dag = Dag.from_edges(DOMAIN.names, [("a", "b")])
    fitted = fit_tables(data, dag, 0.0)
    assert fitted.network.tables[0].tolist() == [1.0, 0.0]
    assert fitted.network.tables[1][0] == pytest.approx([2 / 3, 0, 1 / 3])
    assert fitted.network.tables[1][1] == pytest.approx([1 / 3] * 3)


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.3, 2.0]))
def test_the_likelihood_reported_is_the_networks(seed: int, smoothing: float) -> None:
    data = random_rows(seed)
    fitted = fit_tables(data, Dag.from_edges(DOMAIN.names, [("b", "a")]), smoothing)
    expected = fitted.network.log2_probabilities(data).sum()
    assert fitted.log2_likelihood == pytest.approx(expected)


def test_no_table_is_more_likely_than_relative_frequencies() -> None:
    data = random_rows(1)
    dag = Dag.from_edges(DOMAIN.names, [("a", "b")])
    best = fit_tables(data, dag, 0.0).log2_likelihood
    for smoothing in (0.01, 0.5, 3.0):
        assert fit_tables(data, dag, smoothing).log2_likelihood < best


def test_missing_cells_leave_their_row_out_of_the_tables_that_need_them() -> None:
    data = DataSet.from_rows(DOMAIN, [("0", "0"), ("0", None), ("1", "2")])
    fitted = fit_tables(data, Dag.from_edges(DOMAIN.names, [("a", "b")]), 0.0)
    assert fitted.network.tables[0] == pytest.approx([2 / 3, 1 / 3])
    assert fitted.network.tables[1][0].tolist() == [1, 0, 0]


def test_a_graph_over_other_columns_is_refused() -> None:
    with pytest.raises(DataError, match="different columns"):
        fit_tables(random_rows(1), Dag.empty(("a", "c")), 0.0)


def cv_score_by_hand(data: DataSet, folds: np.ndarray, smoothing: float) -> float:
    """Algorithm 4.1 for the graph a → b, fold by fold."""
    total = 0.0
    dag = Dag.from_edges(DOMAIN.names, [("a", "b")])
    for fold in range(FOLDS):
        kept = fit_tables(data.take_rows(folds != fold), dag, smoothing).network
        total += float(kept.log2_probabilities(data.take_rows(folds == fold)).sum())
    return total / FOLDS


def test_the_smoothing_found_is_best_on_the_held_out_folds() -> None:
    data = random_rows(3, rows=40)
    tuned = tune_smoothing(data, [(0,), (0, 1)], np.random.default_rng(5))
    folds = deal_folds(data, FOLDS, np.random.default_rng(5)).labels
    assert folds is not None
    assert tuned.cv_score == pytest.approx(cv_score_by_hand(data, folds, tuned.smoothing))
    assert 0 < tuned.smoothing < LARGEST_SMOOTHING
    best = tuned.cv_score + unseen_by_hand(data, tuned.smoothing) / FOLDS
    for other in (1e-6, 0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0):
        score = cv_score_by_hand(data, folds, other) + unseen_by_hand(data, other) / FOLDS
        assert score <= best + 1e-9


def unseen_by_hand(data: DataSet, smoothing: float) -> float:
    """The mean log2 P of the cells that no row has, over table rows that some row has."""
    network = fit_tables(data, Dag.from_edges(DOMAIN.names, [("a", "b")]), smoothing).network
    counts = [joint_counts(data, (0,)), joint_counts(data, (0, 1))]
    logs = [
        np.log2(network.tables[v][u][state])
        for v, table in enumerate(counts)
        for u in np.ndindex(table.shape[:-1])
        for state in np.flatnonzero(table[u] == 0)
        if table[u].any()
    ]
    return float(np.mean(logs)) if logs else 0.0


def test_cells_that_no_row_has_are_possible_and_rare() -> None:
    # b is a, and both have a state that no row has: held-out rows alone ask for no smoothing.
    domain = Domain.of({"a": "01x", "b": "01x"})
    data = DataSet.from_rows(domain, [("0", "0"), ("1", "1")] * 500)
    tuned = tune_smoothing(data, [(0,), (0, 1)], np.random.default_rng(0))
    assert tuned.smoothing > 0
    fitted = fit_tables(
        data, Dag.from_edges("ab", [("a", "b")]), "auto", rng=np.random.default_rng(0)
    )
    new = DataSet.from_rows(domain, [(a, b) for a in "01x" for b in "01x"])
    logs = fitted.network.log2_probabilities(new)
    assert np.isfinite(logs).all()
    # Five cells were never seen; together they are worth about one row of a thousand.
    unseen = tuned.smoothing * 5
    assert 0.5 < unseen < 2
    assert np.exp2(logs[[0, 4]]).sum() > 0.995


def test_rows_without_any_dependence_are_smoothed_to_the_end_of_the_range() -> None:
    # Every state once: any table but the uniform one predicts the held-out row worse.
    data = DataSet.from_rows(DOMAIN, ["00", "01", "02", "10", "11", "12"])
    tuned = tune_smoothing(data, [(0,), (0, 1)], np.random.default_rng(0))
    assert tuned.smoothing == LARGEST_SMOOTHING
    assert "end of that range" in str(tuned)


def test_a_weighted_row_is_tuned_as_the_rows_it_stands_for() -> None:
    data = random_rows(6, rows=20)
    weights = np.random.default_rng(7).integers(1, 4, 20)
    weighted = DataSet(DOMAIN, data.codes, weights.astype(np.float64))
    expanded = data.take_rows(np.repeat(np.arange(20), weights))
    families = [(0,), (0, 1)]
    one = tune_smoothing(weighted, families, np.random.default_rng(8))
    other = tune_smoothing(expanded, families, np.random.default_rng(8))
    assert one.smoothing == pytest.approx(other.smoothing)
    assert one.cv_score == pytest.approx(other.cv_score)


def test_tuning_stops_when_asked() -> None:
    pressed = StopSwitch()
    pressed.cancel()
    with pytest.raises(Cancelled):
        tune_smoothing(random_rows(1), [(0,)], np.random.default_rng(0), pressed)


def test_auto_needs_a_generator() -> None:
    with pytest.raises(ValueError, match="rng"):
        fit_tables(random_rows(1), Dag.empty(DOMAIN.names), "auto")


def test_fractional_weights_count_as_they_are() -> None:
    data = DataSet(DOMAIN, np.array([[0, 1], [0, 0]], dtype=np.uint8), np.array([0.5, 1.5]))
    fitted = fit_tables(data, Dag.empty(DOMAIN.names), "auto", rng=np.random.default_rng(0))
    alpha = fitted.smoothing
    assert fitted.network.tables[0][0] == pytest.approx((0.5 + alpha) / (2 + 2 * alpha))
    assert math.isfinite(fitted.log2_likelihood)
