"""Cuts on a histogram: where they may go, what they count, and how labels find room."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.discretization import Cuts
from pgmstudio.core.data.summary import BARS, ColumnValues, bar_edges
from pgmstudio.gui.importing.bin_histogram import (
    BinEdgeHistogram,
    round_step,
    snapped,
    spread,
    with_one_less_edge,
    with_one_more_edge,
)
from pgmstudio.gui.importing.discretise_step import describe_change
from pgmstudio.gui.plots.matrix_plot import HeatMap, step_of

numbers = st.lists(
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3)), min_size=2, max_size=60
)


@given(numbers, st.sets(st.floats(-1e6, 1e6), max_size=5))
def test_the_counts_under_the_axis_are_those_of_the_states_that_are_imported(
    values: list[float], points: set[float]
) -> None:
    column = ColumnValues.of("x", np.array(values))
    cuts = Cuts("x", tuple(sorted({point + 0.0 for point in points})))
    counts = np.bincount(cuts.codes(np.array(values)), minlength=len(cuts.labels))
    np.testing.assert_array_equal(column.counts(cuts.points), counts)


@given(numbers)
def test_every_value_stands_in_one_of_at_most_46_bars(values: list[float]) -> None:
    column = ColumnValues.of("x", np.array(values))
    assert column.bars.sum() == len(values)
    assert 1 <= column.bars.size <= BARS + 1


def test_whole_numbers_get_bars_of_whole_width() -> None:
    edges = bar_edges(np.arange(126.0, 565.0))
    assert edges[0] == 120
    assert set(np.diff(edges)) == {10.0}


def test_missing_numbers_do_not_count() -> None:
    column = ColumnValues.of("x", np.array([1.0, np.nan, 3.0]), np.array([2.0, 5.0, 1.0]))
    np.testing.assert_array_equal(column.counts([2.0]), [2.0, 1.0])


@given(st.floats(1e-6, 1e6), st.integers(1, 200))
def test_a_round_step_is_the_smallest_that_is_coarse_enough(span: float, pieces: int) -> None:
    step = round_step(span, pieces)
    assert span / step <= pieces * (1 + 1e-6)
    assert any(
        step / base == pytest.approx(10 ** round(np.log10(step / base))) for base in (1, 2, 5)
    )


@given(st.lists(st.tuples(st.floats(0, 500), st.floats(5, 60)), max_size=8))
def test_labels_that_fit_never_touch(texts: list[tuple[float, float]]) -> None:
    centers, widths = sorted(center for center, _ in texts), [width for _, width in texts]
    lefts = spread(centers, widths, 0, 500, 4)
    assert (lefts is None) == (sum(widths) + 4 * max(0, len(widths) - 1) > 500)
    if lefts is None:
        return
    for index, (left, width) in enumerate(zip(lefts, widths, strict=True)):
        assert -1e-9 <= left <= 500 - width + 1e-9
        if index:
            assert left >= lefts[index - 1] + widths[index - 1] + 4 - 1e-6


def test_one_cut_more_splits_the_fullest_bin_and_one_less_joins_the_emptiest() -> None:
    assert with_one_more_edge((10.0,), (3, 9), 0, 20) == (10.0, 15.0)
    assert with_one_less_edge((5.0, 10.0, 15.0), (8, 1, 2, 9)) == (5.0, 15.0)


def test_snapping_leaves_no_dust() -> None:
    assert snapped(0.30000000000000004, 0.1) == 0.3
    assert snapped(243.7, 5) == 245


def test_a_cut_cannot_pass_its_neighbour(qtbot: QtBot) -> None:
    histogram = BinEdgeHistogram("histogram")
    qtbot.addWidget(histogram)
    histogram.resize(600, 300)
    histogram.show_column(ColumnValues.of("x", np.arange(100.0)), (20.0, 60.0))
    middle = histogram.height() // 2
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(histogram, left, pos=QPoint(histogram.x_of(20), middle))
    qtbot.mouseMove(histogram, QPoint(histogram.x_of(90), middle))
    assert histogram.points[0] < histogram.points[1] == 60
    qtbot.keyClick(histogram, Qt.Key.Key_Escape)
    assert histogram.points == (20.0, 60.0)


def test_alt_moves_a_cut_between_the_round_places(qtbot: QtBot) -> None:
    histogram = BinEdgeHistogram("histogram")
    qtbot.addWidget(histogram)
    histogram.show_column(ColumnValues.of("x", np.arange(1000.0)), (500.0,))
    histogram.setFocus()
    assert histogram.step == 10
    qtbot.keyClick(histogram, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert histogram.points == (501.0,)


@given(st.floats(0, 10), st.floats(0.1, 10))
def test_the_ramp_of_the_heat_map_has_eight_steps_from_light_to_dark(
    value: float, largest: float
) -> None:
    step = step_of(value, largest)
    assert 0 <= step <= 7
    assert step_of(largest, largest) == 7
    assert step_of(0, largest) == 0


def test_the_diagonal_is_no_part_of_the_ramp(qtbot: QtBot) -> None:
    heat = HeatMap("heat")
    qtbot.addWidget(heat)
    values = np.array([[3.0, 0.5], [0.5, 2.0]])
    heat.show_values(["a", "b"], values, [1, 0])
    assert heat.ramp == (0.0, 0.5)
    assert heat.order == ("b", "a")


def test_a_cell_of_the_heat_map_is_chosen_by_keys(qtbot: QtBot) -> None:
    heat = HeatMap("heat")
    qtbot.addWidget(heat)
    heat.resize(400, 400)
    heat.show_values(["a", "b", "c"], np.eye(3), [0, 1, 2])
    heat.setFocus()
    qtbot.keyClick(heat, Qt.Key.Key_Right)
    with qtbot.waitSignal(heat.chosen) as emitted:
        qtbot.keyClick(heat, Qt.Key.Key_Return)
    assert emitted.args == ["a", "b"]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ((1.0, 2.0), (1.0, 2.5), "Edge 2: 2 → <b>2.5</b>"),
        ((1.0,), (1.0, 3.0), "Edge at <b>3</b> added"),
        ((1.0, 3.0), (1.0,), "Edge at 3 removed"),
        ((1.0, 2.0), (1.5, 2.5), ""),
    ],
)
def test_the_last_change_of_a_cut_is_reported(
    before: tuple[float, ...], after: tuple[float, ...], words: str
) -> None:
    assert describe_change(before, after) == words
