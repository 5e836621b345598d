"""Small things one sees at the window: words that are whole, signs that are true, even sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPointF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTabWidget,
    QToolButton,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, PictureEdge, PictureNode
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.fonts import canvas_metrics
from pgmstudio.gui.canvas.node_painter import fit_mark_text
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.canvas.view import Hit, tooltip_of
from pgmstudio.gui.cpt_editor.grid import TableGrid, table_text
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.files.opening import open_files
from pgmstudio.gui.inspector.joint import shortened
from pgmstudio.gui.languages.tree_mixture.assignments_page import ComponentRowsPage
from pgmstudio.gui.navigation import open_data_page, open_learn_page
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, set_role
from pgmstudio.gui.widgets.grid_view import SortHead
from pgmstudio.gui.widgets.search_field import SearchField
from pgmstudio.gui.widgets.step_bar import StepBar
from pgmstudio.gui.widgets.table import Table
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.label_pages import open_labelled
from tests.gui.samples import add_sprinkler, sprinkler

SAMPLES = Path(__file__).resolve().parents[3] / "sample_data"


# -- the letters


def test_a_page_keeps_its_letters_when_it_moves_beside_another(
    window: MainWindow, qtbot: QtBot
) -> None:
    add_sprinkler(window.app)
    for data_id in window.app.project.data:
        open_data_page(window.app, data_id)
    page = window.app.center.current
    assert isinstance(page, DataPage)
    window.app.actions["file.welcome"].trigger()
    window.app.center.bring_to_front(page)
    theme().set_look(scale=1.5)
    large = theme().font("dense").pixelSize()
    window.app.center.tile(Qt.Orientation.Horizontal)
    qtbot.waitUntil(page.isVisible)
    assert page.table.view.font().pixelSize() == large
    theme().set_look(scale=1.0)
    assert page.table.view.font().pixelSize() == theme().font("dense").pixelSize() < large


def test_what_has_no_size_of_its_own_follows_the_size_of_the_application(
    window: MainWindow,
) -> None:
    for scale in (0.8, 2.0, 1.0):
        theme().set_look(scale=scale)
        body = theme().font("body").pixelSize()
        assert window.menuBar().font().pixelSize() == body
        assert window.command_field.font().pixelSize() == body


def test_the_lens_of_a_search_field_grows_with_the_letters(qtbot: QtBot) -> None:
    field = SearchField("find", "Find a column")
    qtbot.addWidget(field)
    field.resize(300, 60)
    sizes, margins = [], []
    for scale in (1.0, 2.0):
        theme().set_look(scale=scale)
        sizes.append(field.lens.width())
        margins.append(field.textMargins().left())
        assert field.rect().contains(field.lens)
    theme().set_look(scale=1.0)
    assert sizes[1] == 2 * sizes[0]
    assert margins[1] - margins[0] == sizes[1] - sizes[0]  # the words begin behind it


def test_menus_that_have_no_room_leave_a_sign_beside_the_command_field(
    window: MainWindow, qtbot: QtBot
) -> None:
    theme().set_look(scale=2.0)
    window.resize(1024, 700)
    bar = window.menuBar()
    sign = bar.findChild(QToolButton, "qt_menubar_ext_button")
    qtbot.waitUntil(sign.isVisible)
    left = window.command_field.mapTo(bar, window.command_field.rect().topLeft()).x()
    assert sign.geometry().right() < left
    assert window.command_field.placeholderText() == ""  # rather than three dots
    theme().set_look(scale=1.0)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: window.command_field.placeholderText() != "")


# -- heads, tabs and steps


def test_heads_that_sort_have_a_sign_behind_their_words(qtbot: QtBot) -> None:
    made = Table("cells", "Cells")
    qtbot.addWidget(made)
    made.show_cells([["A heading", "Another"], [1, 2]])
    made.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    head = made.horizontalHeader()
    assert isinstance(head, SortHead)
    head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    head.resizeSection(0, 60)
    assert head.heading(0, "A heading").endswith("… ▾")


def test_rows_of_classes_have_such_a_head_too(window: MainWindow) -> None:
    page = ComponentRowsPage(window.app, "none")
    head = page.table.horizontalHeader()
    assert isinstance(head, SortHead)
    page.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert head.heading(0, "Row").endswith(" ▾")
    assert not head.heading(1, "Row").endswith(" ▾")
    page.closed()
    page.deleteLater()


def test_tabs_of_imports_say_the_file_where_there_is_no_room_for_more(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(960, 700)
    first, *others = ("asia_sample.csv", "check-up.csv", "survey.csv", "coronary.csv", "votes.csv")
    tabs = window.app.center.findChild(QTabWidget)
    open_files(window.app, [SAMPLES / first])
    assert tabs.tabText(0) == f"Import {first}"
    files = [SAMPLES / name for name in others if (SAMPLES / name).exists()]
    open_files(window.app, files)
    open_files(window.app, sorted(SAMPLES.glob("*.csv"))[:8])
    assert tabs.count() > 5
    titles = [tabs.tabText(number) for number in range(tabs.count())]
    assert titles[0] == first
    assert not any(title.startswith("Import") for title in titles)
    assert tabs.tabToolTip(0) == f"Import {first}"
    while tabs.count() > 1:
        window.app.center.close_page(window.app.center.pages[-1])
    assert tabs.tabText(0) == f"Import {first}"


def test_steps_stand_at_even_distances(qtbot: QtBot) -> None:
    bar = StepBar()
    qtbot.addWidget(bar)
    bar.resize(1200, 40)
    bar.show()
    for now in (0, 1):
        bar.show_step(now)
        for number, step in enumerate(bar._steps):
            weight = "semibold" if number == now else "regular"
            words = QFontMetrics(theme().font("body", weight)).horizontalAdvance(step.text())
            circle = bar._steps[0].minimumSizeHint().width()
            assert step.sizeHint().width() == circle + words + 10


def test_there_is_no_box_in_the_corner_of_a_table_with_two_scroll_bars(
    window: MainWindow, qtbot: QtBot
) -> None:
    table = QTableWidget(60, 20)
    qtbot.addWidget(table)
    table.resize(300, 200)
    table.show()
    image = table.grab().toImage()
    edge, bars = 2, table.verticalScrollBar().width()
    background = image.pixelColor(table.width() - edge - 1, table.height() - edge - 1)
    for step in range(bars):
        across = image.pixelColor(table.width() - edge - 1 - step, table.height() - edge - 1)
        down = image.pixelColor(table.width() - edge - 1, table.height() - edge - 1 - step)
        assert across == down == background


# -- the command field


def test_an_arrow_and_enter_run_a_command_once(window: MainWindow, qtbot: QtBot) -> None:
    field = window.command_field
    before = len(window.app.project.models)
    field.begin()
    qtbot.keyClicks(field, "draw a new model")
    popup = field.completer().popup()
    qtbot.waitUntil(popup.isVisible)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: field.text() == "")
    assert len(window.app.project.models) == before + 1


# -- runs


def test_learning_begins_with_the_rows_one_looks_at(window: MainWindow) -> None:
    for _ in range(2):
        add_sprinkler(window.app)
    first, second = window.app.project.data
    for looked_at in (second, first):
        open_data_page(window.app, looked_at)
        assert open_learn_page(window.app).data_id == looked_at
    window.app.actions["file.welcome"].trigger()  # about no rows: what was chosen stays
    assert open_learn_page(window.app).data_id == first


def test_a_pause_shows_what_the_button_does_next_and_does_not_count(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_sprinkler(window.app)
    page = open_learn_page(window.app, "bn.hill-climb")
    (restarts,) = [w for w in page.findChildren(QLineEdit, "param.restarts") if w.isVisible()]
    restarts.setText("1000000")
    window.app.reveal("runsPanel")
    page.findChild(QPushButton, "learnStart").click()
    (run,) = window.app.workspace.runs.runs
    qtbot.waitUntil(lambda: run.best is not None, timeout=60_000)
    pause = window.findChild(QPushButton, "runPause")
    going = pause.icon().pixmap(16, 16).toImage()
    signal = window.findChild(QPushButton, "statusRuns")
    pause.click()
    assert signal.text() == "1 run paused · click to stop"
    assert pause.text() == "Go on"
    assert pause.icon().pixmap(16, 16).toImage() != going
    message, since = run.seconds, run._held_since
    assert since is not None
    monkeypatch.setattr("time.monotonic", lambda: since + 1000.0)
    assert run.seconds == message
    pause.click()
    assert signal.text() == "1 run · click to stop"
    assert pause.icon().pixmap(16, 16).toImage() == going
    assert run.seconds == pytest.approx(message)
    monkeypatch.undo()
    with qtbot.waitSignal(window.app.workspace.runs.run_ended, timeout=10_000):
        run.stop()


# -- words on the canvas and beside it


def test_labels_of_edges_that_cross_do_not_lie_on_one_another(qtbot: QtBot) -> None:
    canvas = Canvas()
    qtbot.addWidget(canvas)
    nodes = tuple(PictureNode(name, name) for name in "abcd")
    edges = (
        PictureEdge("a", "b", "100 %", EdgeStyle.DIRECTED),
        PictureEdge("c", "d", "75 %", EdgeStyle.DIRECTED),
    )
    positions = {"a": (0.0, 0.0), "b": (300.0, 300.0), "c": (300.0, 0.0), "d": (100.0, 300.0)}
    routes = [EdgeRoute(positions[edge.source], positions[edge.target]) for edge in edges]
    assert routes[0].at(0.6) == pytest.approx(routes[1].at(0.6))  # where they would meet
    faces = {node.id: NodeView(node.label) for node in nodes}
    canvas.scene.show_picture(GraphPicture(nodes, edges), faces, positions, routes=routes)
    one, other = (canvas.scene.edges[edge.source, edge.target] for edge in edges)
    assert not one.label_rect.intersects(other.label_rect)
    for item in (one, other):
        assert item.boundingRect().contains(item.label_rect)
    canvas.stop()


def test_the_tip_of_a_tag_says_its_contexts_and_not_the_tag(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_labelled(window.app)
    qtbot.waitUntil(lambda: bool(page.canvas.scene.edges))
    item = next(e for e in page.canvas.scene.edges.values() if e.edge.style.has_tag)
    source, target = item.ends
    describe = page.canvas.view.describe_edge
    assert describe is not None
    lines = tooltip_of(Hit(QPointF(), edge=item), describe(source, target)).splitlines()
    assert lines[:2] == [f"{source} → {target}", "vanishes when"]
    assert len(lines) == len(set(lines))
    assert tooltip_of(Hit(QPointF(), edge=item)).splitlines()[1] == item.edge.label


def test_a_mark_says_a_whole_word_or_leaves_it_to_its_sign(qtbot: QtBot) -> None:
    metrics = canvas_metrics("caption", "semibold")
    whole = metrics.horizontalAdvance("likelihood")
    assert fit_mark_text("likelihood", whole + 1, metrics) == "likelihood"
    assert fit_mark_text("likelihood", whole - 10, metrics) == ""
    state = "= somewhere else"
    shown = fit_mark_text(state, metrics.horizontalAdvance(state) - 10, metrics)
    assert shown.startswith("= ")
    assert "…" in shown


def test_states_of_many_variables_in_a_joint_table_are_never_commas_alone(qtbot: QtBot) -> None:
    metrics = QFontMetrics(theme().font("dense"))
    states = ["yes", "no"] * 6
    room = metrics.horizontalAdvance("yes, no, yes, no")
    message = shortened(states, room, metrics)
    assert message.endswith("no, yes, no")  # the last differ from row to row
    assert metrics.horizontalAdvance(message) <= room


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # menus
def test_choosing_a_row_says_of_which_rows(window: MainWindow, qtbot: QtBot) -> None:
    add_sprinkler(window.app)
    window.app.actions.refresh()
    window.app.actions["evidence.row"].trigger()
    message = window.findChild(QLabel, "rowChooserData")
    qtbot.waitUntil(message.isVisible)
    assert message.text() == "of 400 in garden"
    message.window().close()


def test_words_that_become_a_chip_get_its_padding(window: MainWindow, qtbot: QtBot) -> None:
    words = label("stale", "tertiary", size="dense")
    qtbot.addWidget(words)
    words.show()
    plain = words.sizeHint().width() - words.fontMetrics().horizontalAdvance(words.text())
    set_role(words, "chip-warning")
    around = words.sizeHint().width() - words.fontMetrics().horizontalAdvance(words.text())
    assert around >= plain + 14


def test_numbers_of_a_table_are_copied_with_the_digits_they_need(qtbot: QtBot) -> None:
    network, holder = sprinkler(), QObject()
    rain, hose, _ = network.domain
    grid = TableGrid(holder)
    grid.show(hose, [rain], network.tables[1], None)
    assert table_text(grid, [(0, 0), (1, 0)]) == "0.6\t0.99"
    assert float(table_text(grid, [(0, 1), (1, 1)]).split("\t")[1]) == network.tables[1][1, 1]


def test_a_fitted_graph_stands_beside_its_minimap(qtbot: QtBot) -> None:
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.resize(420, 600)
    canvas.show()
    count = range(100)
    nodes = tuple(PictureNode(f"n{number}", f"n{number}") for number in count)
    faces = {node.id: NodeView(node.label) for node in nodes}
    positions = {f"n{number}": (number % 5 * 90.0, number // 5 * 90.0) for number in count}
    canvas.shows_minimap = True
    canvas.scene.show_picture(GraphPicture(nodes, ()), faces, positions)
    canvas.view.fit()

    def covered() -> list[str]:
        minimap, view = canvas.minimap.geometry(), canvas.view
        items = canvas.scene.nodes.items()
        return [n for n, i in items if minimap.intersects(view.mapFromScene(i.box).boundingRect())]

    qtbot.waitUntil(lambda: canvas.minimap.isVisible() and not covered())
    zoom = canvas.view.zoom
    canvas.toggle_minimap()
    canvas.view.fit()
    assert canvas.view.zoom == zoom  # it only moved, and is as large as without
    canvas.stop()
