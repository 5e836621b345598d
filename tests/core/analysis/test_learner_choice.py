"""Learners that suit a data set, and the definition of their scores."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.analysis.learner_choice import recommended_learners
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.learning.cost_estimates import forecast_run
from pgmstudio.core.learning.score_definition import ScoreUnit, score_definition
from pgmstudio.core.params import parse_params


def rows(count: int, columns: int, *, missing: float = 0.0, ones: float = 0.5) -> DataSet:
    rng = np.random.default_rng(0)
    domain = Domain.of({f"c{i}": ["no", "yes"] for i in range(columns)})
    codes = (rng.random((columns, count)) < ones).astype(np.uint8)
    codes[rng.random(codes.shape) < missing] = 255
    return DataSet(domain, codes)


@pytest.mark.parametrize(
    ("data", "target", "key", "why"),
    [
        (rows(2000, 8), None, "bn.kes", "8 columns"),
        (rows(2000, 8, missing=0.1), None, "bn.structural-em", "of the cells are missing"),
        (rows(60, 12), None, "tree.chow-liu", "60 rows"),
        (rows(500, 120, ones=0.02), None, "tree.chow-liu-sparse", "120 sparse columns"),
        (rows(2000, 8), "c3", "bn.tan", "c3"),
    ],
)
def test_learners_are_recommended_for_the_rows_with_the_reason(
    data: DataSet, target: str | None, key: str, why: str
) -> None:
    reasons = recommended_learners(data, target)
    assert why in reasons[key]
    assert all(all_learners()[other].refuses(data) is None for other in reasons)


def test_a_forecast_counts_restarts_replicates_and_states() -> None:
    learner, data = learner_of("bn.hill-climb"), rows(5000, 20)

    def seconds(restarts: int, replicates: int = 0, processes: int = 1) -> float:
        params = parse_params(learner.params_type, {"restarts": restarts})
        forecast = forecast_run(learner, params, data, replicates=replicates, processes=processes)
        assert forecast is not None
        return forecast.seconds

    assert seconds(0) < seconds(100) < seconds(100, replicates=50)
    assert seconds(100, replicates=50, processes=2) < seconds(100, replicates=50)


@pytest.mark.parametrize("key", list(all_learners()))
def test_every_score_has_a_title_and_a_unit(key: str) -> None:
    learner = learner_of(key)
    definition = score_definition(learner, learner.params_type())
    assert definition.title
    assert definition.text.endswith(".")
    per_row = definition.unit is ScoreUnit.BITS_PER_ROW
    assert per_row == (key.split(".")[0] in ("nb", "mixture") or key == "pdg.learn")
