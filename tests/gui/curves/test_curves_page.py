"""The live plot of SL-curves: pointing, opening, pinning, λ, what is shown, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.curve_chart import overfitting
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, points_csv
from pgmstudio.core.experiments.sl_curves.selection import best_at, pareto_front
from pgmstudio.core.io.experiments import PointFolder, SavedPlanTask
from pgmstudio.core.reports.belief_distances import DistanceTask
from pgmstudio.gui.comparison.detail_tabs import DetailTabs
from pgmstudio.gui.curves.page import CurvesPage, open_curves
from pgmstudio.gui.plots.log_axis import log_tick_labels, log_ticks
from pgmstudio.gui.plots.model_scatter.hover_card import card_of
from pgmstudio.gui.plots.model_scatter.sl_plot import SlPlot
from pgmstudio.gui.project.preferences import load_preferences
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions, picture_bytes
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.curve_pages import SlowPlace, add_rows, is_drawn, made_up_points, open_points
from tests.gui.walking import called, controls_in, misfits, point_at, settle, spoken_name
from tests.strategies import random_network


def mark_of(page: CurvesPage, key: str) -> QPoint:
    point = next(point for point in page.points if point.key == key)
    result = page.plot.position_on_screen(point)
    assert result is not None
    return result


def viewport(plot: SlPlot) -> QWidget:
    assert plot.canvas is not None
    return plot.canvas.viewport()


def drag_to(widget: QWidget, position: QPoint) -> None:
    """Move with the left button held."""
    held, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    at = QPointF(position), QPointF(widget.mapToGlobal(position))
    no_key = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(QEvent.Type.MouseMove, *at, none, held, no_key)
    QApplication.sendEvent(widget, event)


def test_all_languages_share_the_axes_with_front_letters_and_legend(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    assert [curve.title for curve in page.chart.curves] == [
        *("LDAG", "Bayesian network", "Mixture of trees", "PDG", "Chow–Liu")
    ]
    labels = [entry.text for entry in page.plot.legend.entries]
    assert labels[:5] == [curve.title for curve in page.chart.curves]
    assert "Pareto front" in labels
    assert {p.key for p in page.chart.front} == {p.key for p in pareto_front(page.points)}
    assert "BIC" in " ".join(page.plot._labels.shown)
    assert page.side.front.model().rowCount() == len(page.chart.front)
    settings = {curve.title: overfitting(curve) for curve in page.chart.curves}
    assert settings["Chow–Liu"] is None
    assert str(settings["PDG"]).startswith("PDG overfits: from size")
    assert str(settings["PDG"]) in page.side.note.text


def test_pointing_at_a_mark_reports_its_model_and_the_right_button_pins_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    point_at(viewport(page.plot), mark_of(page, "PDG0-003"))
    qtbot.waitUntil(lambda: not page.plot.card.isHidden())
    point = next(p for p in page.points if p.key == "PDG0-003")
    assert page.plot.looked_at is point
    assert page.plot.card.title.startswith("PDG, λ =")
    lines = page.plot.card.shown_lines
    assert lines["Effective size"].replace("\u202f", "") == str(point.effective_size)
    assert lines["Test"].startswith("−")
    position = mark_of(page, "LDAG0-002")
    qtbot.mouseClick(viewport(page.plot), Qt.MouseButton.RightButton, pos=position)
    assert page.pinned == {"LDAG0-002"}
    assert not page.side._pins.isHidden()
    window.app.document.undo_stack.undo()
    assert page.pinned == frozenset()


def test_keys_walk_along_a_curve_and_between_curves(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    canvas = page.plot.canvas
    assert canvas is not None
    keys = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Down):
        qtbot.keyClick(canvas, key)
        assert page.plot.looked_at is not None
        keys.append(page.plot.looked_at.key)
    assert keys[0] == keys[2] == "LDAG0-000"
    assert keys[1] == "LDAG0-001"
    assert not keys[3].startswith("LDAG")
    qtbot.keyClick(canvas, Qt.Key.Key_P)
    assert page.pinned == {keys[3]}


def test_a_dragged_line_names_the_model_its_λ_selects(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    page.set_lambda(0.36)
    before = page.plot.selected()
    pill = page.plot.pill
    start = page.plot._canvas.mapFromScene(pill.scenePos())
    view = viewport(page.plot)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for step in (20, 60, 110):
        drag_to(view, start + QPoint(0, step))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start + QPoint(0, 110))
    lambda_ = page.plot.lambda_
    assert lambda_ is not None
    assert lambda_ < 0.36
    taken = best_at(page.points, lambda_)
    assert taken is not None
    assert taken is page.plot.selected()
    assert taken is not before
    assert page.side.selected.text().startswith(taken.series)
    page.side.slider.setValue(990)
    assert page.plot.selected() is best_at(page.points, 0.99)


def test_marks_far_below_are_left_out_of_sight_until_all_is_asked_for(
    window: MainWindow, qtbot: QtBot
) -> None:
    points = made_up_points()
    low = replace(points[0], key="low-000", effective_size=20, test_log2_likelihood_per_row=-60.0)
    page = open_points(window.app, [*points, low], qtbot)
    plot = page.plot

    def lowest() -> float:
        assert plot.canvas is not None
        return float(plot.canvas.getViewBox().viewRect().top())  # type: ignore[attr-defined]

    assert -19 < lowest() < -16
    text = "1 mark far below; 0 shows all"
    axis = plot.canvas.getAxis("bottom")  # type: ignore[union-attr]
    assert text in axis.labelText
    qtbot.keyClick(plot.canvas, Qt.Key.Key_0)
    assert lowest() < -60
    assert text not in axis.labelText
    page.take_points([replace(points[1], seconds=9.0)])  # it stays so while points come
    qtbot.waitUntil(lambda: is_drawn(page))
    assert lowest() < -60
    qtbot.keyClick(plot.canvas, Qt.Key.Key_0)
    assert -19 < lowest() < -16


def test_the_handle_of_λ_never_lies_under_the_legend(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    plot = page.plot
    for is_log in (True, False):
        plot.set_view(is_log=is_log)
        for lambda_ in (0.01, 0.3, 0.8, 0.9, 0.95, 0.99):
            page.set_lambda(lambda_)
            legend = plot.legend.sceneBoundingRect()
            assert not legend.intersects(plot.pill.sceneBoundingRect().adjusted(3, 3, -3, -3))


def test_what_is_shown_can_be_chosen(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    both = len(page.plot._xs)
    page.bar.parts.button("test").click()
    assert len(page.plot._xs) == both // 2
    page.bar.log.click()
    assert page.plot._xs.max() == 62_000 - 1 or page.plot._xs.max() > 60_000
    page.bar.parts.button("side").click()
    qtbot.waitUntil(lambda: page.test_plot.canvas is not None)
    assert (page.plot.mode, page.test_plot.mode) == ("training", "test")
    page.bar.measure.setCurrentIndex(page.bar.measure.findText("Free parameters"))
    qtbot.waitUntil(lambda: page.chart.size == "representation_size")
    page.hide_curves({"PDG"})
    qtbot.waitUntil(lambda: len(page.chart.curves) == 4)
    assert all(point.series != "PDG" for point in page.chart.front)
    page.take_points(made_up_points(seeds=3))  # seeds become bars, and all stand behind a mark
    qtbot.waitUntil(lambda: len(page.chart.points) > 60)
    for curve in page.chart.curves:
        assert np.isfinite(curve.spread).all()
        assert all(len(group) == 3 for group in curve.behind)


def test_the_size_of_latent_classes_is_chosen_for_all_plots_and_remembered(
    window: MainWindow, qtbot: QtBot
) -> None:
    points = made_up_points()
    classes = [
        replace(p, printed_size=p.effective_size - 1, definition_size=p.effective_size - 2)
        for p in points
        if p.family == "tree-mixture"
    ]
    others = [p for p in points if p.family != "tree-mixture"]
    assert classes
    page = open_points(window.app, others + classes, qtbot)
    lower = DetailTabs(window.app)
    qtbot.addWidget(lower)
    lower.show_comparison(None, classes, (), "")
    for size, less in (("size_by_definition", 2), ("size_as_printed", 1), ("effective_size", 0)):
        page.bar.measure.setCurrentIndex(page.bar.measure.findData(size))
        qtbot.waitUntil(lambda size=size: page.chart.size == size)  # type: ignore[misc]
        shown = {curve.series: curve.sizes.min() for curve in page.chart.curves}
        for series, smallest in shown.items():
            own = [p for p in points if p.series == series]
            part = less if own[0].family == "tree-mixture" else 0
            assert smallest == min(p.effective_size for p in own) - part
        assert window.app.preferences.size_measure == load_preferences().size_measure == size
        assert lower.size_choice.size_name == size
    lower.left.button("sizes").click()
    assert lower.plot.chart.size == "effective_size"
    assert not lower.size_choice.combo.isHidden()


def test_queries_are_plotted_beside_the_curves(window: MainWindow, qtbot: QtBot) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    for view in ("accuracy", "sizes", "times"):
        page.bar.choose_view(view)
        qtbot.waitUntil(lambda view=view: page.queries.view.key == view)  # type: ignore[misc]
        qtbot.waitUntil(lambda: len(page.queries._xs) == len(page.points))
    assert page.queries.fits["ldag"].slope == pytest.approx(1e-6, rel=1e-3)


def test_plot_and_points_are_written_to_files(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_points(window.app, made_up_points(), qtbot)
    assert window.app.actions.specs["file.export"].disabled_reason() is None  # type: ignore[misc]
    drawing = page.drawing()
    assert drawing is not None
    options = PictureOptions(shade="dark")
    begins = {".svg": b"<?xm", ".pdf": b"%PDF", ".png": b"\x89PNG"}
    written = {ending: picture_bytes(drawing, ending, options) for ending in begins}
    assert {ending: content[:4] for ending, content in written.items()} == begins
    assert "Bayesian network" in written[".svg"].decode()
    assert "<image" not in written[".svg"].decode()  # marks are shapes, also when they are large
    assert page.commands.export_table(tmp_path / "points.csv")
    assert (tmp_path / "points.csv").read_text() == points_csv(page.points)
    page.bar.table.click()
    qtbot.waitUntil(lambda: page.foot.points.model().rowCount() == len(page.points))


def test_points_that_others_add_to_a_folder_appear_and_a_click_opens_their_model_once(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    app = window.app
    data_id = add_rows(app)
    data = app.project.data[data_id].data
    folder = tmp_path / "sweep"
    plan = Plan.of(["tree.chow-liu"], lambdas=(0.3, 0.9), title="Elsewhere")
    rows = PlanRows(data, data)
    task = SavedPlanTask(folder, plan, rows, SlowPlace())
    events = task(NEVER)
    while not PointFolder(folder).points:
        next(events)
    page = open_curves(app, folder)
    qtbot.waitUntil(lambda: is_drawn(page))
    assert page.title == "Elsewhere"
    assert len(page.points) == 1
    list(events)
    qtbot.waitUntil(lambda: is_drawn(page) and len(page.points) == 2)
    assert not page.foot.resume.isEnabled()
    assert "Not now:" in page.foot.resume.toolTip()
    for _ in range(2):
        app.center.bring_to_front(page)
        position = mark_of(page, page.points[0].key)
        qtbot.mouseClick(viewport(page.plot), Qt.MouseButton.LeftButton, pos=position)
        qtbot.waitUntil(lambda: app.center.current is not page)
    assert len(app.project.models) == 1
    entry = app.project.models["m1"]
    assert entry.title == "Chow–Liu tree, λ = 0.3"
    near = list(DistanceTask(folder, tuple(page.points), data)(NEVER))
    measured = [event for event in near if isinstance(event, CurvePoint)]
    assert min(point.query_distance or 0.0 for point in measured) == 0.0
    assert len(measured) == 2
    page.take_points([replace(page.points[0], query_distance=0.5)])
    assert page.points[0].query_distance == 0.5


def test_a_model_of_a_run_that_goes_on_is_called_so_and_is_opened_once(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    page = open_points(app, made_up_points(), qtbot)
    models = [random_network(np.random.default_rng(seed), 3) for seed in (0, 1)]
    first, later = (replace(page.points[0], key="run~0", model=model) for model in models)
    assert card_of((first,), page.chart, page.pinned).chip == "so far"
    page.commands.toggle_pin(first)
    assert page.pinned == frozenset()
    for point in (first, first, later):  # of a run that is made again, with the same key
        page.commands.open_model(point)
        qtbot.waitUntil(
            lambda point=point: any(e.model is point.model for e in app.project.models.values())  # type: ignore[misc]
        )
        settle(window)
    assert len(app.project.models) == 2


def test_everything_is_named_and_fits_a_small_window_with_large_letters(
    window: MainWindow, qtbot: QtBot
) -> None:
    theme().set_look(scale=1.5)
    window.resize(1024, 700)
    page = open_points(window.app, made_up_points(), qtbot)
    page.commands.toggle_pin(page.points[0])
    settle(window)
    wrong = misfits(page)
    for control in (*controls_in(page), *controls_in(page.side)):
        wrong += [] if spoken_name(control) else [f"{called(control)} has no name"]
        wrong += [] if control.toolTip() else [f"{called(control)} has no tooltip"]
    theme().set_look(scale=1.0)
    assert wrong == []


def test_ticks_of_logarithms_are_round_numbers() -> None:
    (_, named), (_, between) = log_ticks(1.9, 5.1, 400)
    assert log_tick_labels(named, 1.0, 1.0) == ["100", "1\u202f000", "10\u202f000", "100\u202f000"]
    assert set(log_tick_labels(between, 1.0, 0.5)) == {""}
    (_, few), _ = log_ticks(2.0, 3.0, 400)
    assert log_tick_labels(few, 1.0, 1.0) == ["100", "200", "500", "1\u202f000"]
