"""Small things one sees at the window, second part: names from afar, axes, tabs, the manual."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QTabWidget, QTreeWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, PictureNode
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_item import LABEL_SHRINKS_TO
from pgmstudio.gui.canvas.fonts import canvas_metrics, largest_size, metrics_of_height
from pgmstudio.gui.canvas.legend import LegendEntry, in_lines
from pgmstudio.gui.canvas.node_geometry import (
    MIN_PART,
    face_size,
    name_pixels,
    name_rect,
    named_box,
    small_face,
)
from pgmstudio.gui.canvas.node_view import NAME_FROM, Heat, NodeMode, NodeView
from pgmstudio.gui.knowledge.page import TierLanes
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.runs.score_plot import ScorePlot, step_ticks, tick_labels
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.belief_bars import Bars, BeliefBars
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler

NAMES = ("x1", "node_0042", "thermometer", "moisture_sensor", "inside_temperature")


def show_grid(canvas: Canvas, across: int, down: int) -> None:
    names = [f"n{number}" for number in range(across * down)]
    nodes = tuple(PictureNode(name, name) for name in names)
    positions = {name: (n % across * 90.0, n // across * 90.0) for n, name in enumerate(names)}
    faces = {name: NodeView(name) for name in names}
    canvas.scene.show_picture(GraphPicture(nodes, ()), faces, positions)
    canvas.view.fit()


@pytest.fixture
def canvas(qtbot: QtBot) -> Canvas:
    made = Canvas()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    return made


# -- names and words on a canvas that is small


@pytest.mark.parametrize("mode", list(NodeMode))
def test_a_box_keeps_its_width_while_its_beliefs_are_computed(qapp: object, mode: NodeMode) -> None:
    node, face = PictureNode("a", "R_MED_RDLDCV_EW"), NodeView("R_MED_RDLDCV_EW", ("no", "yes"))
    waiting = replace(face, mode=mode, is_stale=True)
    assert face_size(node, waiting) == face_size(node, replace(face, mode=mode))


@pytest.mark.parametrize("zoom", [0.4, 0.55, 0.69])
def test_names_alone_are_whole_and_nearly_of_one_size(qtbot: QtBot, zoom: float) -> None:
    sizes = []
    for name in NAMES:
        face = NodeView(name, NodeMode.NAME)
        box = QRectF(0, 0, *face_size(PictureNode(name, name), face))
        pixels = name_pixels(face, box, zoom)
        available = name_rect(named_box(face, box, pixels)).width()
        assert metrics_of_height(pixels).horizontalAdvance(name) <= available
        sizes.append(pixels)
    assert min(sizes) >= int(MIN_PART * max(sizes))


def test_words_of_an_edge_have_room_to_keep_their_size(canvas: Canvas) -> None:
    nodes = (PictureNode("a", "a"), PictureNode("b", "b"))
    edge = PictureEdge("a", "b", "", EdgeStyle.DIRECTED)
    faces = {node.id: NodeView(node.label) for node in nodes}
    positions = {"a": (0.0, 0.0), "b": (0.0, 120.0)}
    canvas.scene.show_picture(GraphPicture(nodes, (edge,)), faces, positions)
    item = canvas.scene.edges["a", "b"]
    item.change_look(label="100 %")
    rect, larger = item.label_rect, LABEL_SHRINKS_TO / NAME_FROM
    painted = QRectF(0, 0, rect.width() * larger, rect.height() * larger)
    painted.moveCenter(rect.center())
    assert item.boundingRect().contains(painted)
    canvas.stop()


def test_dots_are_coloured_by_entropy_and_with_evidence_by_the_change(canvas: Canvas) -> None:
    show_grid(canvas, 3, 1)
    shown = {"beliefs": (0.5, 0.5), "priors": (0.5, 0.5), "states": ("no", "yes")}
    faces = {name: NodeView(name, **shown) for name in ("n0", "n1", "n2")}
    faces["n1"] = replace(faces["n1"], beliefs=(0.01, 0.99))
    canvas.scene.show_faces(faces)
    heat = canvas.scene.zoomed.heat
    assert heat is Heat.ENTROPY
    assert (heat.step(faces["n0"]), heat.step(faces["n1"])) == (7, 0)
    faces["n2"] = replace(faces["n2"], beliefs=(0.0, 1.0), weights=(0.0, 1.0))
    canvas.scene.show_faces(faces)
    heat = canvas.scene.zoomed.heat
    assert heat is Heat.CHANGE
    assert (heat.step(faces["n0"]), heat.step(faces["n1"])) == (0, 7)
    canvas.view.set_zoom(0.2)
    assert heat.value in [entry.text for entry in canvas.legend_entries()]
    canvas.view.set_zoom(1.0)
    assert heat.value not in [entry.text for entry in canvas.legend_entries()]
    canvas.stop()


def test_what_is_moved_lies_over_what_it_is_moved_across(canvas: Canvas) -> None:
    show_grid(canvas, 2, 1)
    first, second = canvas.scene.nodes.values()
    first.change_look(is_selected=True)
    assert first.zValue() > second.zValue()
    first.change_look(is_selected=False)
    assert first.zValue() == second.zValue()
    canvas.stop()


def hidden_nodes(canvas: Canvas) -> list[str]:
    minimap, view = canvas.minimap.geometry(), canvas.view
    boxes = {n: view.mapFromScene(i.box).boundingRect() for n, i in canvas.scene.nodes.items()}
    return [name for name, box in boxes.items() if minimap.intersects(box)]


def test_a_wide_graph_stands_above_its_minimap(canvas: Canvas) -> None:
    show_grid(canvas, 20, 11)
    canvas._refresh_overlays()
    assert canvas.minimap.isVisible()
    assert not hidden_nodes(canvas)
    canvas.stop()


def test_a_minimap_that_would_hide_nodes_comes_when_not_all_is_in_sight(
    canvas: Canvas, qtbot: QtBot
) -> None:
    show_grid(canvas, 20, 14)
    canvas._refresh_overlays()
    assert canvas.minimap.isHidden()
    assert canvas.shows_minimap  # as before; it only waits
    canvas.view.begin_pan(QPoint(100, 100))
    canvas.view.pan_to(QPoint(160, 100))
    canvas.view.end_pan()
    qtbot.waitUntil(canvas.minimap.isVisible)
    canvas.stop()


def test_a_refusal_is_not_shown_under_a_panel(canvas: Canvas) -> None:
    show_grid(canvas, 2, 1)
    corner = canvas.view.mapToGlobal(QPoint(500, 0))
    canvas.keep_clear([QRect(corner.x(), corner.y(), 300, 600)])
    canvas.refuse("a → b would close a cycle: b → c → a.", QPoint(480, 100))
    assert canvas.bubble.geometry().right() < 500
    canvas.stop()


# -- the plot of a run


@pytest.mark.parametrize("most", [9, 400, 118_000, 640_000, 12_000_000])
@pytest.mark.parametrize("length", [120, 250, 900])
def test_numbers_of_steps_are_whole_and_never_touch(qtbot: QtBot, most: int, length: int) -> None:
    ((distance, positions),) = step_ticks(-0.03 * most, 1.03 * most, length)
    labels = tick_labels(positions, 1.0, distance)
    assert len(positions) >= 1
    assert not any("e" in text or "." in text for text in labels)
    metrics = QFontMetricsF(theme().font("caption"))
    apart = distance * length / (1.06 * most)
    assert len(positions) == 1 or max(map(metrics.horizontalAdvance, labels)) < apart


def test_large_scores_are_written_out() -> None:
    assert tick_labels([-1_250_000.0, 0.0], 1.0, 250_000.0) == ["−1\u202f250\u202f000", "0"]
    assert tick_labels([-9.75, -0.0], 1.0, 0.25) == ["−9.8", "0.0"]


def test_the_hint_of_the_plot_grows_with_the_letters(qtbot: QtBot) -> None:
    plot = ScorePlot()
    qtbot.addWidget(plot)
    plot.show()
    hint = plot.findChild(ElidedLabel, "scorePlotHint")
    theme().set_look(scale=2.0)
    assert hint.font().pixelSize() == theme().font("dense").pixelSize()
    theme().set_look(scale=1.0)
    assert hint.font().pixelSize() == theme().font("dense").pixelSize()


# -- tabs, the tree, panels


class TitledPage(Page):
    """A page with a title of its own."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._title = title

    @property
    def title(self) -> str:
        return self._title


def test_a_model_that_follows_a_run_has_a_short_title(window: MainWindow) -> None:
    window.resize(1024, 700)
    center = window.app.center
    center.open(TitledPage("Hill climbing, best so far"))
    tabs = center.findChild(QTabWidget)
    assert tabs.tabText(0) == "Hill climbing, best so far"
    for number in range(6):
        center.open(TitledPage(f"Mixture of trees {number}"))
    assert tabs.tabText(0) == "Best so far"
    assert tabs.tabText(1) == "Mixture of trees 0"
    center.close_all()


def test_the_tree_marks_the_page_in_front_and_not_the_one_beside_it(window: MainWindow) -> None:
    model_id = add_sprinkler(window.app)
    (data_id,) = window.app.project.data
    tree = window.findChild(QTreeWidget, "projectTree")

    def marked() -> str:
        item = tree.currentItem()
        return "" if item is None else item.text(0)

    open_data_page(window.app, data_id)
    open_model_page(window.app, model_id, split=True)
    assert marked() == "Sprinkler"
    window.app.center.bring_to_front(window.app.center.pages[0])
    assert marked() == "garden"
    window.app.actions["file.welcome"].trigger()
    assert marked() == ""


def test_frames_of_a_state_leave_its_name_and_number_alone(qtbot: QtBot) -> None:
    bars = BeliefBars("bars")
    qtbot.addWidget(bars)
    bars.resize(260, 60)
    plain = Bars(states=("summer", "winter"), beliefs=(0.5, 0.5))
    framed = Bars(states=("summer", "winter"), beliefs=(0.5, 0.5), most_probable="summer")
    pictures = []
    for shown in (plain, framed):
        bars.show_bars(shown)
        pictures.append(bars.grab().toImage())
    left, right = bars._columns()
    for part in (QRect(0, 0, int(left) - 6, 60), QRect(int(right) + 6, 0, 260, 60)):
        part &= pictures[0].rect()
        assert pictures[0].copy(part) == pictures[1].copy(part)
    assert pictures[0] != pictures[1]


def test_variables_of_all_lanes_begin_at_one_height(qtbot: QtBot) -> None:
    lanes = TierLanes()
    qtbot.addWidget(lanes)
    lanes.resize(700, 400)
    lanes.show_tiers(["a", "b", "c"], [["a"], ["b"]], frozenset())
    lanes.show()
    tops = {lane.list.mapTo(lanes, QPoint(0, 0)).y() for lane in lanes._lanes}
    assert len(lanes._lanes) == 3
    assert len(tops) == 1


def test_evidence_moves_no_name_of_a_graph_seen_as_dots(canvas: Canvas) -> None:
    show_grid(canvas, 8, 8)
    names = canvas.view.central_names
    before = {label.item.id: label.rect(0.2).topLeft() for label in names.at(0.2)}
    assert before
    first = next(iter(before))
    face = NodeView(first, states=("no", "yes"), beliefs=(0.0, 1.0), weights=(0.0, 1.0))
    canvas.scene.show_faces({first: face})
    canvas.scene.contents_changed.emit()
    after = {label.item.id: label.rect(0.2).topLeft() for label in names.at(0.2)}
    assert after == before
    canvas.scene.move_nodes({first: (5000.0, 5000.0)})
    canvas.scene.contents_changed.emit()
    assert {label.item.id: label.rect(0.2).topLeft() for label in names.at(0.2)} != before
    canvas.stop()


def test_a_name_beside_a_dot_loses_its_evidence_when_that_is_retracted(canvas: Canvas) -> None:
    show_grid(canvas, 8, 8)
    first = next(iter(canvas.scene.nodes))
    observed = NodeView(first, states=("no", "yes"), beliefs=(0.0, 1.0), weights=(0.0, 1.0))

    def texts() -> dict[str, str]:
        return {label.item.id: label.text for label in canvas.view.central_names.at(0.2)}

    assert texts()[first] == first
    canvas.scene.show_faces({first: observed})
    assert texts()[first] == f"{first} = yes"
    canvas.scene.show_faces({first: NodeView(first, states=("no", "yes"), beliefs=(0.5, 0.5))})
    assert texts()[first] == first
    canvas.stop()


def test_evidence_that_widens_a_box_does_not_move_the_view(canvas: Canvas) -> None:
    show_grid(canvas, 8, 8)
    first = next(iter(canvas.scene.nodes))
    item = canvas.scene.nodes[first]
    before, wide = canvas.view.sight(), item.size[0]
    states = ("no", "yes")
    face = NodeView("thermometer", states=states, beliefs=(0.0, 1.0), weights=(0.0, 1.0))
    assert canvas.scene.show_faces({first: face})
    assert item.size[0] > wide
    assert canvas.view.sight() == before
    assert canvas.view.is_fitted
    canvas.stop()


def test_a_word_is_cut_only_where_even_the_smallest_letters_are_too_wide() -> None:
    smallest = metrics_of_height(14)  # 7 pixels at a zoom of one half
    width = smallest.horizontalAdvance("Superfund") + 8
    assert small_face("Superfund", (width, 60.0), 0, 0.5).lines == ("Superfund",)
    assert small_face("Superfund", (0.7 * width, 60.0), 0, 0.5).lines == ("Supe", "rfund")


def test_a_title_is_made_smaller_before_it_is_cut() -> None:
    title = "Husbands_education"
    sizes = {size: canvas_metrics(size, "semibold") for size in ("dense", "caption", "micro")}
    for size, metrics in sizes.items():
        width = metrics.horizontalAdvance(title)
        assert largest_size(title, "semibold", width) == size
    assert largest_size(title, "semibold", 20.0) == "micro"


def test_a_legend_of_many_entries_leaves_the_canvas_to_the_graph(canvas: Canvas) -> None:
    entries = [LegendEntry(f"component {number}") for number in range(60)]
    canvas.legend.show_entries(entries, 400, canvas.height())
    assert canvas.legend.height() <= 0.25 * canvas.height() + 12
    assert canvas.legend.entries == tuple(entries)
    shown = in_lines(entries, 400, 2)
    hidden = len(entries) - len(shown) + 1
    assert shown[-1].text == f"+ {hidden} more"
    assert list(shown[:-1]) == entries[: len(shown) - 1]
    assert in_lines(entries[:3], 400, 2) == entries[:3]
    canvas.stop()
