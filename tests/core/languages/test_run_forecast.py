"""The forecast of a run before it starts."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbParams,
)
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.learning.cost_estimates import (
    START_SECONDS,
    RunForecast,
    forecast_run,
    time_words,
)
from pgmstudio.core.params import specs_of


def data(rows: int, columns: int, *, gaps: bool = False) -> DataSet:
    domain = Domain.of({f"v{i}": ("0", "1", "2") for i in range(columns)})
    codes = np.zeros((columns, rows), dtype=np.uint8)
    made = DataSet(domain, codes)
    if gaps:
        codes[0, 0] = made.missing_code
    return DataSet(domain, codes)


def expected(key: str, rows: DataSet) -> RunForecast:
    reported = forecast_run(learner_of(key), learner_of(key).params_type(), rows)
    assert reported is not None
    return reported


@pytest.mark.parametrize("key", all_learners())
def test_every_learner_takes_longer_with_more_rows_and_more_columns(key: str) -> None:
    small, long, wide = data(100, 4), data(1000, 4), data(100, 12)
    assert 0 < expected(key, small).seconds < expected(key, long).seconds
    assert expected(key, small).seconds < expected(key, wide).seconds
    assert expected(key, small).bytes < expected(key, long).bytes
    assert expected(key, small).seconds <= expected(key, data(100, 4, gaps=True)).seconds


def test_the_parameter_that_repeats_a_search_is_one_of_its_learner() -> None:
    for key, learner in all_learners().items():
        names = [spec.name for spec in specs_of(learner.params_type)]
        repeats = learner.cost.repeats  # type: ignore[attr-defined]
        assert not repeats or repeats in names, key


def test_more_restarts_take_longer_in_proportion() -> None:
    rows = data(500, 6)
    few = forecast_run(learner_of("bn.hill-climb"), HillClimbParams(restarts=4), rows)
    many = forecast_run(learner_of("bn.hill-climb"), HillClimbParams(restarts=9), rows)
    assert few is not None
    assert many is not None
    assert many.seconds - START_SECONDS == pytest.approx(2 * (few.seconds - START_SECONDS))


def test_compiling_counts_the_first_time() -> None:
    rows = data(500, 6)
    for key, learner in all_learners().items():
        warm = forecast_run(learner, learner.params_type(), rows)
        cold = forecast_run(learner, learner.params_type(), rows, is_compiled=False)
        assert warm is not None, key
        assert cold is not None, key
        compiling = learner.cost.compiling  # type: ignore[attr-defined]
        assert cold.seconds == pytest.approx(warm.seconds + compiling), key


def test_a_learner_nobody_has_measured_gets_no_forecast() -> None:
    assert forecast_run(object(), HillClimbParams(), data(10, 2)) is None


def test_times_are_reported_no_finer_than_they_are_known() -> None:
    assert time_words(0.2) == "less than a second"
    assert time_words(2) == time_words(7) == "a few seconds"
    assert time_words(2 * 60) == time_words(9 * 60) == "some minutes"
    assert "stopped" in time_words(1e6)
