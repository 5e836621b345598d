"""Lines of equal score over arrays say what the plain functions of points say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.experiments.sl_curves.points import CurveArrays, CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import best_at, equi_score_line


def point(size: int, bits: float, rows: float = 1000.0) -> CurvePoint:
    return CurvePoint("l", "tree", None, 0, size, size, bits, bits, None, rows, 0.0, {})


POINTS = st.lists(
    st.builds(point, st.integers(1, 10_000), st.floats(-30, -1)), min_size=1, max_size=12
)


@settings(max_examples=40)
@given(POINTS, st.floats(0.001, 0.999))
def test_the_same_model_is_selected_and_the_same_line_drawn(
    points: list[CurvePoint], lambda_: float
) -> None:
    arrays = CurveArrays.of(points)
    result, message = arrays.best_at(lambda_), best_at(points, lambda_)
    assert result is not None
    assert message is not None
    assert points[result].score(lambda_) == pytest.approx(message.score(lambda_), rel=1e-12)
    line, slope_and_height = equi_score_line(points, lambda_), arrays.line_at(lambda_)
    assert line is not None
    assert slope_and_height is not None
    assert slope_and_height[0] == pytest.approx(line.slope)
    assert slope_and_height[1] == pytest.approx(line.intercept, abs=1e-6)


@settings(max_examples=25)
@given(POINTS, st.floats(0.05, 0.95))
def test_a_place_on_a_line_right_of_all_models_gives_its_λ_back(
    points: list[CurvePoint], lambda_: float
) -> None:
    arrays = CurveArrays.of(points)
    line = arrays.line_at(lambda_)
    assert line is not None
    beyond = max(point.effective_size for point in points) * 3.0
    result = arrays.lambda_through(beyond, line[1] + line[0] * beyond)
    again = arrays.line_at(result)
    assert again is not None
    assert again[1] + again[0] * beyond == pytest.approx(line[1] + line[0] * beyond, abs=2e-3)


def test_models_that_rule_out_rows_are_never_selected() -> None:
    points = [point(5, float("-inf")), point(50, -9.0)]
    assert CurveArrays.of(points).best_at(0.9) == 1
    assert CurveArrays.of(points[:1]).best_at(0.9) is None
    assert CurveArrays.of(points[:1]).line_at(0.9) is None


def test_a_place_below_every_line_takes_the_lowest_one() -> None:
    arrays = CurveArrays.of([point(10, -9.0), point(100, -8.0)])
    low = arrays.lambda_through(1000.0, -50.0)
    assert low < 0.01
