"""How plots of SL-curves are laid out: axes, titles, legend, words, the handle of λ, two plots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.svg.sl_plot import even_digits
from pgmstudio.core.experiments.curve_chart import chart_of, extent_of
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.languages.markers import language_marker
from pgmstudio.core.number_format import duration
from pgmstudio.gui.curves.page import CurvesPage
from pgmstudio.gui.plots.model_scatter.hover_card import CardFacts, MarkCard, card_of
from pgmstudio.gui.plots.model_scatter.sl_plot import SlPlot
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions, picture_bytes
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.curve_pages import made_up_points, open_points


def drawn(qtbot: QtBot, points: list[CurvePoint], width: int = 700, mode: str = "both") -> SlPlot:
    plot = SlPlot()
    qtbot.addWidget(plot)
    plot.resize(width, 420)
    plot.show()
    plot.mode = mode
    plot.show_chart(chart_of(points))
    qtbot.waitUntil(lambda: plot.canvas is not None)
    plot.set_lambda(0.36)
    qtbot.waitUntil(lambda: bool(plot._labels.label_rects))
    return plot


def with_one_far_below() -> list[CurvePoint]:
    points = made_up_points()
    far = replace(
        points[0],
        key="far",
        effective_size=60,
        test_log2_likelihood_per_row=-60.0,
        train_log2_likelihood_per_row=-59.0,
    )
    return [*points, far]


def titles(plot: SlPlot) -> tuple[str, str]:
    return tuple(plot._canvas.getAxis(side).labelText for side in ("bottom", "left"))  # type: ignore[return-value]


def seen(plot: SlPlot) -> tuple[float, ...]:
    rect = plot._view.viewRect()
    return rect.left(), rect.top(), rect.width(), rect.height()


def turn_wheel(plot: SlPlot, steps: int) -> None:
    assert plot.canvas is not None
    view = plot.canvas.viewport()
    at = QPointF(view.rect().center())
    event = QWheelEvent(
        at,
        QPointF(view.mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def test_ticks_of_an_axis_have_as_many_digits_each(qtbot: QtBot) -> None:
    assert even_digits(["−16", "−15.5", "0"]) == ["−16.0", "−15.5", "0.0"]
    assert even_digits(["100", "1\u2009000"]) == ["100", "1\u2009000"]
    assert even_digits(["1e-05", "0.5"]) == ["1e-05", "0.5"]
    plot = drawn(qtbot, made_up_points())
    axis = plot._canvas.getAxis("left")
    qtbot.waitUntil(lambda: bool(axis.picture))
    words = [text for _, _, text in axis.picture[2]]
    assert len(words) > 3
    assert len({len(text.partition(".")[2]) for text in words}) == 1


def test_titles_are_worded_so_that_the_axes_have_room_for_them(qtbot: QtBot) -> None:
    plot = drawn(qtbot, with_one_far_below())
    whole = (
        "Effective size (log scale) · 1 mark far below; 0 shows all",
        "Log-likelihood, bits per row",
    )
    qtbot.waitUntil(lambda: titles(plot) == whole)
    plot.resize(340, 170)
    across = "Effective size · 1 mark far below; 0 shows all"

    def are_short() -> None:
        assert titles(plot) == (across, "Bits per row"), plot._view.sceneBoundingRect()

    qtbot.waitUntil(are_short)
    wide = QFontMetricsF(theme().font("caption")).horizontalAdvance(across)
    assert wide <= plot._view.sceneBoundingRect().width()


def test_in_a_file_no_key_is_offered_for_what_is_left_out(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, with_one_far_below(), qtbot)
    drawing = page.drawing()
    assert drawing is not None
    picture = picture_bytes(drawing, ".svg", PictureOptions()).decode()
    assert "1 mark far below left out" in picture
    assert "shows all" not in picture
    qtbot.waitUntil(lambda: "0 shows all" in titles(page.plot)[0])


def test_only_marks_of_the_shown_rows_are_counted_as_far_below() -> None:
    points = with_one_far_below()
    points[-1] = replace(points[-1], train_log2_likelihood_per_row=-17.0)
    chart = chart_of(points)
    assert extent_of(chart, "test", np.log10, is_log=True).below == 1
    assert extent_of(chart, "training", np.log10, is_log=True).below == 0


def test_the_ceiling_takes_no_more_than_a_third_of_the_plot() -> None:
    chart = chart_of(made_up_points())

    def plain(sizes: Floats) -> Floats:
        return sizes

    without = extent_of(chart, "training", plain, is_log=False).bounds
    near = extent_of(chart, "training", plain, is_log=False, ceiling=-15.3)
    far = extent_of(chart, "training", plain, is_log=False, ceiling=-14.0)
    assert without is not None
    assert near.ceiling == -15.3
    assert near.bounds is not None
    assert without.height > near.bounds.height * 2 / 3
    assert far.ceiling is None
    assert far.bounds == without


@pytest.mark.parametrize("steps", [0, 6, -6])
def test_the_handle_of_λ_stays_inside_the_plot_and_off_the_words(qtbot: QtBot, steps: int) -> None:
    plot = drawn(qtbot, made_up_points())
    if steps:
        turn_wheel(plot, steps)
    for lambda_ in (0.0007, 0.36, 0.9):
        plot.set_lambda(lambda_)
        area = plot._view.sceneBoundingRect().adjusted(-1, -1, 1, 1)
        pill = plot.pill.sceneBoundingRect()
        assert area.contains(pill)
        assert not pill.intersects(plot.legend.sceneBoundingRect())
    plot.set_lambda(0.36)
    if not steps:
        pill, positions = plot.pill.sceneBoundingRect(), zip(*plot._on_scene(), strict=True)
        assert not any(pill.intersects(word) for word in plot._labels.label_rects)
        assert not any(pill.contains(QPointF(x, y)) for x, y in positions)


def test_no_word_lies_under_the_legend(qtbot: QtBot) -> None:
    plot = drawn(qtbot, made_up_points(), width=380)
    legend = plot.legend.sceneBoundingRect()
    qtbot.waitUntil(lambda: plot._labels._clear == [legend])
    assert plot._labels.shown
    assert not any(word.intersects(legend) for word in plot._labels.label_rects)


def test_the_legend_leaves_the_corners_when_there_are_marks_in_all_of_them(qtbot: QtBot) -> None:
    positions = [(s, h) for s in (100, 60_000) for h in (-18.0, -17.9, -12.1, -12.0)]
    one = made_up_points()[0]
    points = [
        replace(
            one,
            key=f"k{number}",
            effective_size=size,
            test_log2_likelihood_per_row=height,
            train_log2_likelihood_per_row=height,
        )
        for number, (size, height) in enumerate(positions)
    ]
    plot = drawn(qtbot, points, width=420)
    plot.set_lambda(None)
    xs, ys = plot._on_scene()
    legend = plot.legend.sceneBoundingRect()
    assert not any(legend.contains(QPointF(x, y)) for x, y in zip(xs, ys, strict=True))


def test_a_point_more_leaves_the_axes_as_they_are(qtbot: QtBot) -> None:
    points = made_up_points()
    plot = drawn(qtbot, points)
    axes = [plot._canvas.getAxis(side) for side in ("left", "bottom")]
    qtbot.waitUntil(lambda: all(axis.picture is not None for axis in axes))
    before = [axis.picture for axis in axes]
    inside = replace(points[3], key="new", effective_size=2000)
    plot.show_chart(chart_of([*points, inside]))
    assert plot.chart.marks == len(points) + 1
    assert [axis.picture for axis in axes] == before


def test_apart_both_plots_show_the_same_part(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, with_one_far_below(), qtbot)
    page.plots.set_truth(-15.6, None)
    page.bar.parts.button("side").click()
    qtbot.waitUntil(lambda: page.test_plot.canvas is not None)
    both = page.plot, page.test_plot
    assert seen(page.plot) == pytest.approx(seen(page.test_plot))
    whole = seen(page.plot)
    for moved, other in (both, both[::-1]):
        turn_wheel(moved, 3)
        assert seen(moved)[2] != pytest.approx(whole[2])
        assert seen(other) == pytest.approx(seen(moved))
        moved.fit()
        assert seen(other) == pytest.approx(seen(moved))
        assert other._shows_all == moved._shows_all
        whole = seen(page.plot)
    page.take_points(made_up_points(more=2))
    qtbot.waitUntil(lambda: page.is_settled)
    assert seen(page.plot) == pytest.approx(seen(page.test_plot))


def test_lines_and_rings_grow_with_the_picture(qtbot: QtBot) -> None:
    plot = drawn(qtbot, made_up_points())
    plot.legend.hide()
    drawing = PlotDrawing(plot, "curves")

    def share_of_ink(scale: int) -> float:
        """How blue the picture is: the front, the best ring, the marks and lines of networks."""
        image = QImage(700 * scale, 420 * scale, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.scale(scale, scale)
        drawing.paint(painter, PictureOptions())
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
        blue, green = pixels[..., 0].astype(int), pixels[..., 1].astype(int)
        return float(np.maximum(blue - green - 10, 0).mean())

    assert share_of_ink(4) == pytest.approx(share_of_ink(1), rel=0.2)


def test_apart_both_plots_are_in_the_file(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, made_up_points(), qtbot)

    def picture() -> str:
        drawing = page.drawing()
        assert drawing is not None
        return picture_bytes(drawing, ".svg", PictureOptions()).decode()

    assert picture().count("Effective size") == 1
    page.bar.parts.button("side").click()
    qtbot.waitUntil(lambda: page.test_plot.canvas is not None)
    assert picture().count("Effective size") == 2
    drawing = page.drawing()
    assert drawing is not None
    wide = page.plot.canvas.width() + page.test_plot.canvas.width()  # type: ignore[union-attr]
    assert drawing.size(PictureOptions()).width() == wide


def test_0_shows_all_wherever_on_the_page_it_is_pressed(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, with_one_far_below(), qtbot)
    assert seen(page.plot)[1] > -20
    qtbot.keyClick(page.bar.parts.button("both"), Qt.Key.Key_0)
    assert seen(page.plot)[1] < -60


def test_words_and_handle_are_in_place_before_a_file_is_painted(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    placed: list[bool] = []
    page.plot._labels.arranged.connect(lambda: placed.append(True))
    page.plot.draw_on("canvas")
    assert placed
    placed.clear()
    page.plot.canvas.grab()  # type: ignore[union-attr]
    assert not placed  # items that move while their scene is painted crash it
    page.plot.refresh()


def card(page: CurvesPage, point: CurvePoint) -> None:
    position = page.plot._index_of(point.key)
    assert position is not None
    page.plot._look_at(position)


def test_the_card_has_room_for_its_title_and_says_what_the_right_button_does(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    best = page.chart.best
    assert best is not None
    card(page, best)
    shown = page.plot.card
    assert shown.title == "Bayesian network, λ = 0.278"
    assert shown._chip.text() == "best test"
    words = QFontMetricsF(shown._title.font()).horizontalAdvance(shown.title)
    assert words <= shown._title.width()
    assert shown.hint == "Click opens · right-click pins"
    page.commands.toggle_pin(best)
    assert shown.hint == "Click opens · right-click unpins"
    going_on = replace(best, model=object())  # type: ignore[arg-type]
    facts = card_of((going_on,), page.chart, frozenset())
    assert facts.hint == "Click opens · pins when its run is done"
    card(page, page.points[0])
    assert QRectF(page.plot.rect()).contains(QRectF(shown.geometry()))


def test_times_are_reported_in_units_that_can_be_read() -> None:
    args = [duration(seconds) for seconds in (0.0107, 41.8, 198, 7199, 8567)]
    assert args == ["10.7 ms", "41.8 s", "3:18 min", "119:59 min", "2:22 h"]


def test_a_line_is_broken_at_a_model_that_rules_out_rows_and_the_axis_says_so(
    qtbot: QtBot,
) -> None:
    points = made_up_points()
    own = [index for index, point in enumerate(points) if point.family == "pdg"]
    plot = drawn(qtbot, points, 900, "test")
    assert "−∞" not in titles(plot)[0]
    points[own[2]] = replace(points[own[2]], test_log2_likelihood_per_row=-np.inf)
    plot.show_chart(chart_of(points))
    assert "1 model at −∞ rules out rows" in titles(plot)[0]
    curve = next(curve for curve in plot.chart.curves if curve.family == "pdg")
    assert np.flatnonzero(np.isnan(curve.test)).tolist() == [2]
    plot.set_view(mode="training")
    assert "−∞" not in titles(plot)[0]


def test_a_hybrid_has_a_sign_of_its_own_and_needs_no_name_beside_it(qtbot: QtBot) -> None:
    points = made_up_points()
    hybrids = [
        replace(point, learner="pdg.hybrid", name="Hybrid PDG", key=f"h{point.key}")
        for point in points
        if point.family == "pdg"
    ]
    plot = drawn(qtbot, [*points, *hybrids])
    symbols = {curve.title: language_marker(curve.family).symbol for curve in plot.chart.curves}
    assert symbols["Hybrid PDG"] != symbols["PDG"]
    assert "Hybrid PDG" not in plot._labels.shown


CEILING = "−H of the training rows"


def rect_of_ceiling(plot: SlPlot) -> QRectF | None:
    shown = dict(zip(plot._labels.shown, plot._labels.label_rects, strict=True))
    return shown.get(CEILING)


def test_the_name_of_the_ceiling_is_drawn_over_the_lines_that_cross_it(qtbot: QtBot) -> None:
    from pyqtgraph import PlotCurveItem

    plot = drawn(qtbot, made_up_points())
    plot.set_truth(-15.3, None)
    assert CEILING in plot._labels.shown
    from_the_top = plot._canvas.scene().items()
    lines = [each for each in from_the_top if isinstance(each, PlotCurveItem)]
    assert len(lines) > 2
    assert all(from_the_top.index(plot._labels) < from_the_top.index(line) for line in lines)


def test_the_name_of_the_ceiling_stands_where_the_legend_is_not(qtbot: QtBot) -> None:
    plot = drawn(qtbot, made_up_points())
    plot.set_truth(-15.3, None)
    area = plot._labels.frame.area
    ends = {}
    for side, covered in (
        ("nothing", []),
        ("right", [area.adjusted(area.width() / 2, 0, 0, 0)]),
        ("all", [area]),
    ):
        plot._labels.keep_clear(covered)
        position = rect_of_ceiling(plot)
        ends[side] = None if position is None else position.center().x() > area.center().x()
    assert ends == {"nothing": True, "right": False, "all": None}
    plot._arrange_overlays()
    position = rect_of_ceiling(plot)
    assert position is not None
    assert not position.intersects(plot.legend.sceneBoundingRect())


def test_another_title_of_the_same_axis_is_in_the_middle_of_it(qtbot: QtBot) -> None:
    plot = drawn(qtbot, made_up_points())
    for words in ("Bits", "Log-likelihood of all the rows, bits", "Bits per row"):
        plot._name_axes(words, words, words)
        for side in ("bottom", "left"):
            axis = plot._canvas.getAxis(side)
            off = axis.label.sceneBoundingRect().center() - axis.sceneBoundingRect().center()
            assert abs(off.x() if side == "bottom" else off.y()) < 3


def test_a_card_that_is_higher_than_its_plot_shows_its_title(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(600, 120)
    shown = MarkCard(parent)
    lines = tuple((f"Line {number}", str(number)) for number in range(9))
    area = QRect(0, 20, 600, 90)
    for mark in (QPoint(20, 60), QPoint(300, 100), QPoint(590, 25)):
        shown.show_facts(CardFacts("tree", "Chow–Liu", "", lines), mark, area, QRect.top)
        assert shown.height() > area.height()
        assert shown.y() >= area.top()
