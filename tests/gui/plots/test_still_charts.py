"""Charts that fill their widget: what is drawn is where the chart says, also in a file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.summary import ColumnValues
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import EdgeTally
from pgmstudio.gui.importing.bin_histogram import BinEdgeHistogram
from pgmstudio.gui.plots.chart import StillChart
from pgmstudio.gui.plots.classification_plots import ConfusionMap
from pgmstudio.gui.plots.function_plot import Curve, FunctionCurve
from pgmstudio.gui.plots.matrix_plot import AdjacencyMatrix, HeatMap, PatternMap
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.plots.profile_plots import ProfileMap, ProfilePlot, Profiles
from pgmstudio.gui.plots.tornado_plot import Tornado, TornadoChart, TornadoRow
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import scrolled
from pgmstudio.gui.widgets.image_file import PictureOptions, picture_bytes

NAMES = ("rain", "sprinkler", "wet grass")


def heat_map() -> HeatMap:
    chart = HeatMap("heat")
    chart.show_values(
        NAMES, np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]]), range(3)
    )
    return chart


def confusion_map() -> ConfusionMap:
    chart = ConfusionMap("confusion")
    chart.show_counts(NAMES, np.array([[8.0, 1.0, 0.0], [2.0, 9.0, 4.0], [0.0, 0.0, 7.0]]))
    return chart


def adjacency_matrix() -> AdjacencyMatrix:
    chart = AdjacencyMatrix("adjacency")
    chart.show_tally(EdgeTally(NAMES, {("rain", "wet grass"): 3}, 4, "trees"))
    return chart


def pattern_map() -> PatternMap:
    chart = PatternMap("patterns")
    chart.show_patterns(NAMES, np.array([[False] * 3, [True, False, True]]), np.array([9.0, 2.0]))
    return chart


def profiles_on(chart: ProfilePlot | ProfileMap) -> ProfilePlot | ProfileMap:
    table = np.array([[0.9, 0.1], [0.3, 0.7]])
    domain = Domain.of(dict.fromkeys(NAMES, ("no", "yes")))
    chart.show_profiles(Profiles(domain, dict.fromkeys(NAMES, table), ("a", "b"), (0.6, 0.4)))
    return chart


def tornado() -> TornadoChart:
    chart = TornadoChart("tornado")
    rows = (TornadoRow("a", "smoke", "0.1", 0.1, 0.4), TornadoRow("b", "asia", "0.2", 0.3, 0.2))
    chart.show_tornado(Tornado(0.25, rows, "slope", "smaller", "larger", "now"))
    return chart


def function_curve() -> FunctionCurve:
    chart = FunctionCurve("curve")
    chart.show_curve(Curve(lambda theta: theta**2, 0.5, 0.4, 0.6, "The belief grows."))
    return chart


def histogram() -> BinEdgeHistogram:
    chart = BinEdgeHistogram("histogram")
    chart.show_column(ColumnValues.of("age", np.arange(90.0)), (20.0, 60.0))
    return chart


CHARTS: dict[str, Callable[[], StillChart]] = {
    "heat map": heat_map,
    "confusion": confusion_map,
    "adjacency": adjacency_matrix,
    "patterns": pattern_map,
    "profile lines": lambda: profiles_on(ProfilePlot("profiles")),
    "tornado": tornado,
    "function": function_curve,
    "histogram": histogram,
    "profile map": lambda: profiles_on(ProfileMap("profiles")),
}


@pytest.fixture(params=CHARTS.values(), ids=list(CHARTS))
def chart(request: pytest.FixtureRequest, qtbot: QtBot) -> StillChart:
    made: StillChart = request.param()
    qtbot.addWidget(made)
    made.resize(640, 420)
    made.show()
    qtbot.waitUntil(lambda: made.canvas is not None)
    return made


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_range_that_is_drawn_is_the_one_that_the_chart_computes(
    qtbot: QtBot, chart: StillChart, scale: float
) -> None:
    theme().set_look(scale=scale)
    view = chart.canvas.getViewBox()  # type: ignore[union-attr]
    try:
        chart.resize(900, 700)
        qtbot.waitUntil(lambda: chart.canvas.width() == chart.width())  # type: ignore[union-attr]
        frame = chart.frame
        for fraction in (0.1, 0.5, 0.9):
            x = frame.seen.left() + fraction * frame.seen.width()
            y = frame.seen.top() + fraction * frame.seen.height()
            drawn, computed = view.mapViewToScene(QPointF(x, y)), frame.point(x, y)
            assert (drawn - computed).manhattanLength() < 1
            assert frame.value(computed) == pytest.approx((x, y))
    finally:
        theme().set_look(scale=1.0)


def test_a_chart_that_comes_late_has_its_whole_height_at_once(qtbot: QtBot) -> None:
    chart = BinEdgeHistogram("histogram")
    chart.can_wait = False
    qtbot.addWidget(chart)
    chart.resize(640, 420)
    chart.show()
    chart.show_column(ColumnValues.of("age", np.arange(90.0)), (20.0, 60.0))
    assert chart.canvas is not None
    assert chart.canvas.size() == chart.size()


def test_every_chart_has_a_description_for_those_who_cannot_see_it(chart: StillChart) -> None:
    assert len(chart.accessibleName()) > 10


def painted(image: QImage) -> set[int]:
    return {image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(image.height())}


@pytest.mark.parametrize("shade", ["light", "dark"])
def test_a_chart_in_a_file_has_the_colours_of_the_file_and_the_screen_keeps_its_own(
    qtbot: QtBot, chart: StillChart, shade: str
) -> None:
    before = chart.grab().toImage()
    options = PictureOptions(shade=shade, dpi=96)  # type: ignore[arg-type]
    file = QImage.fromData(picture_bytes(PlotDrawing(chart, "Chart"), ".png", options))
    assert len(painted(file)) > 5
    assert (file.pixelColor(1, 1).lightness() > 128) == (shade == "light")
    qtbot.waitUntil(lambda: chart.grab().toImage() == before)


def test_an_svg_file_has_shapes_and_no_enlarged_images(chart: StillChart) -> None:
    svg = picture_bytes(PlotDrawing(chart, "Chart"), ".svg", PictureOptions()).decode()
    assert "<image" not in svg
    assert "<text" in svg or "<path" in svg


def test_only_the_lower_triangle_of_an_adjacency_matrix_can_be_chosen(qtbot: QtBot) -> None:
    chart = adjacency_matrix()
    qtbot.addWidget(chart)
    chart.resize(400, 300)
    square = chart.square_rect("wet grass", "rain")
    assert square == chart.square_rect("rain", "wet grass")
    assert "in 3 of 4 trees" in chart.text_at(square.center())
    mirrored = chart.cell_rect("rain", "wet grass").center()
    assert "trees" not in chart.text_at(mirrored)


def test_names_that_are_too_long_are_cut_and_very_many_cells_have_none(qtbot: QtBot) -> None:
    names = [f"a variable with a very long name {number}" for number in range(40)]
    chart = HeatMap("heat")
    qtbot.addWidget(chart)
    chart.resize(800, 800)
    chart.show_values(names, np.eye(40), range(40))
    chart.show()
    qtbot.waitUntil(lambda: chart.canvas is not None)
    assert all(text.endswith("…") for text in chart.items.shown_texts("rows"))
    assert len(chart.items.shown_texts("rows")) == 40
    chart.resize(420, 420)  # scrolled: names stay readable
    assert len(chart.items.shown_texts("rows")) == 40
    many = [f"a variable with a very long name {number}" for number in range(65)]
    chart.show_values(many, np.eye(65), range(65))
    assert chart.items.shown_texts("rows") == []
    assert QRectF(chart.rect()).contains(chart.cell_rect(many[-1], many[-1]))


def test_a_confusion_matrix_of_many_states_has_its_numbers(qtbot: QtBot) -> None:
    chart = ConfusionMap("confusion")
    qtbot.addWidget(chart)
    states = [f"state {number}" for number in range(24)]
    chart.show_counts(states, np.diag(np.arange(100.0, 124.0)))
    chart.resize(chart.minimumSizeHint())
    texts = [text.shown for text in chart._value_texts(chart._cell())]
    assert len(texts) == 24 * 24
    assert "123" in texts


def test_names_of_profiles_are_turned_where_they_have_no_room_side_by_side(qtbot: QtBot) -> None:
    names = [f"question {number} of the survey" for number in range(10)]
    plot = ProfilePlot("profiles")
    table = np.array([[0.9, 0.1], [0.3, 0.7]])
    domain = Domain.of(dict.fromkeys(names, ("no", "yes")))
    plot.show_profiles(Profiles(domain, dict.fromkeys(names, table), ("a", "b"), (0.6, 0.4)))
    holder = scrolled(plot, "holder", is_wide=True)
    qtbot.addWidget(holder)
    holder.resize(700, 400)
    holder.show()
    qtbot.waitUntil(lambda: plot.canvas is not None)
    assert plot.minimumSizeHint().width() < 700
    assert set(names) <= set(plot.items.shown_texts("columns' names"))  # whole
    narrow = plot.frame.area.height()
    holder.resize(2000, 400)
    qtbot.waitUntil(lambda: plot.frame.area.height() > narrow)  # upright names are lower
