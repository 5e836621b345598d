"""Trees beside each other, with their root, drawn in by hand; counts of edges; curves of a run."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.gui.canvas.tools import EdgeTool
from pgmstudio.gui.cpt_editor.panel import TablePanel
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.export.canvas_image import SmallMultiplesDrawing
from pgmstudio.gui.jobs.learning_run import Trace
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.languages.tree_mixture.page_extension import MixtureExtension
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.runs.score_plot import views_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions, picture_bytes
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.gui.samples import VOTES, add_votes, votes_mixture
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import called, controls_in, misfits, point_at, spoken_name

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def driver(window: MainWindow) -> WindowDriver:
    return WindowDriver(window)


@pytest.fixture
def page(driver: WindowDriver) -> ModelPage:
    open_model_page(driver.app, add_votes(driver.app, "mixture"))
    return driver.model_page()


def mixture_of(page: ModelPage) -> TreeMixture:
    model = page.entry.model
    assert isinstance(model, TreeMixture)
    return model


def own(page: ModelPage) -> MixtureExtension:
    assert isinstance(page.extension, MixtureExtension)
    return page.extension


# -- beside each other


def test_every_tree_has_a_canvas_of_its_own_with_the_same_places(
    qtbot: QtBot, driver: WindowDriver, page: ModelPage
) -> None:
    driver.press("picture.side-by-side")
    side = own(page).side
    assert side is not None
    qtbot.waitUntil(lambda: len(side.view.panels) == 3)
    assert not page.canvas.isVisible()
    for panel, tree in zip(side.view.panels, mixture_of(page).trees, strict=True):
        drawn = {frozenset(edge) for edge in panel.canvas.scene.edges}
        assert drawn == {frozenset(edge) for edge in tree.edges}
        assert panel.canvas.scene.positions == page.scene().positions
    driver.app.workspace.select(["aid"])
    assert all(p.canvas.scene.selected_nodes == ("aid",) for p in side.view.panels)
    page.asking.live.set_finding("tax", Observed("yes"))
    qtbot.waitUntil(lambda: all("→" in p.caption.text() for p in side.view.panels))
    assert side.view.panels[1].canvas.scene.nodes["tax"].face.weights == (0.0, 1.0)
    small = side.view.panels[1].canvas.scene.nodes["aid"].face.beliefs
    assert small == page.scene().nodes["aid"].face.beliefs


def test_cards_choose_who_stands_beside_each_other_and_a_head_shows_one_large(
    qtbot: QtBot, driver: WindowDriver, page: ModelPage
) -> None:
    driver.press("picture.side-by-side")
    side = own(page).side
    assert side is not None
    component_views(driver.app).choose(page.model_id or "", (0, 2))
    qtbot.waitUntil(lambda: [p.graph.number for p in side.view.panels] == [0, 2])
    assert side.is_open
    qtbot.mouseClick(side.view.panels[1].head, LEFT)
    assert not side.is_open
    assert page.canvas.isVisible()
    assert page.picture_name == "tree-3"


def test_a_node_moved_in_a_small_canvas_moves_in_all(
    qtbot: QtBot, driver: WindowDriver, page: ModelPage
) -> None:
    driver.press("picture.side-by-side")
    side = own(page).side
    assert side is not None
    qtbot.waitUntil(lambda: len(side.view.panels) == 3)
    side.view.panels[0].canvas.signals.move.emit({"ban": (500.0, 400.0)})
    assert page.scene().positions["ban"] == (500.0, 400.0)
    assert side.view.panels[2].canvas.scene.positions["ban"] == (500.0, 400.0)
    driver.app.document.undo_stack.undo()
    assert side.view.panels[2].canvas.scene.positions["ban"] != (500.0, 400.0)


@pytest.mark.parametrize("ending", [".svg", ".png"])
def test_trees_side_by_side_are_one_picture_in_a_file(
    qtbot: QtBot, driver: WindowDriver, page: ModelPage, ending: str
) -> None:
    driver.press("picture.side-by-side")
    side = own(page).side
    assert side is not None
    qtbot.waitUntil(lambda: len(side.view.panels) == 3)
    content = picture_bytes(SmallMultiplesDrawing(side.view, "Votes"), ending, PictureOptions())
    assert len(content) > 1000
    if ending == ".svg":
        assert all(f"Tree {number}".encode() in content for number in (1, 2, 3))


def test_the_root_shows_the_weights_and_cards_lead_back(
    qtbot: QtBot, driver: WindowDriver, page: ModelPage
) -> None:
    driver.press("picture.latent")
    qtbot.waitUntil(lambda: "component" in page.scene().nodes)
    root = page.scene().nodes["component"]
    assert root.face.priors == pytest.approx((0.6, 0.35, 0.05))
    page.asking.live.set_finding("tax", Observed("yes"))
    qtbot.waitUntil(lambda: root.face.beliefs != root.face.priors)
    assert sum(root.face.beliefs) == pytest.approx(1)
    page.canvas.signals.click_state.emit("component", "tree 1")
    assert "is hidden" in page.canvas.bubble.text
    driver.press("card.overlay")
    qtbot.waitUntil(lambda: "component" not in page.scene().nodes)
    assert page.picture_name == "overlay"


# -- drawing an edge in a tree


def position_of(page: ModelPage, node: str) -> QPoint:
    return page.canvas.view.mapFromScene(page.scene().nodes[node].pos())


def test_an_edge_drawn_in_a_tree_says_what_it_gains_and_takes_the_weakest_place(
    qtbot: QtBot, driver: WindowDriver, page: ModelPage
) -> None:
    before = mixture_of(page)
    driver.press("card.tree-1")
    qtbot.waitUntil(lambda: ("ban", "crime") in page.scene().edges)
    driver.press("tool.edge")
    tool = page.canvas.view.tool
    assert isinstance(tool, EdgeTool)
    viewport = page.canvas.view.viewport()
    QTest.mousePress(viewport, LEFT, pos=position_of(page, "tax"))
    point_at(viewport, position_of(page, "ban"))
    qtbot.waitUntil(lambda: "bits per row" in tool.advice.forecast)
    assert tool.advice.text.startswith("replaces ")
    result = own(page).joining.evaluated
    assert result is not None
    assert result.gain is not None
    rows = driver.app.project.data["d1"].data
    logs = [m.log2_probabilities(rows).mean() for m in (before, result.after)]
    assert result.gain == pytest.approx(logs[1] - logs[0])
    QTest.mouseRelease(viewport, LEFT, pos=position_of(page, "ban"))
    after = mixture_of(page)
    assert ("tax", "ban") in {tuple(sorted(e, key=VOTES.index)) for e in after.trees[0].edges}
    assert len(after.trees[0].edges) == 4
    assert after.trees[1:] == before.trees[1:]
    driver.app.document.undo_stack.undo()
    assert mixture_of(page) is before


def test_an_edge_that_is_there_is_refused_and_without_one_tree_there_is_no_tool(
    qtbot: QtBot, driver: WindowDriver, page: ModelPage
) -> None:
    tool = driver.widget("tool.edge")
    assert not tool.isEnabled()
    assert tool.toolTip() == "Not now: show one tree alone: click its card."
    assert "Show one tree alone" in own(page).joining.advise("tax", "ban").refusal
    driver.press("card.tree-1")
    assert tool.isEnabled()
    assert "are joined in tree 1 already" in own(page).joining.advise("tax", "aid").refusal
    own(page).joining.stop()
    driver.press("tool.edge")
    driver.press("picture.latent")
    assert not tool.isEnabled()
    assert page.canvas.view.tool.name == "select"


def test_a_selected_edge_has_its_table_in_the_tree_in_view(
    driver: WindowDriver, page: ModelPage
) -> None:
    panel = panel_widget(driver.window, "tablePanel")
    assert isinstance(panel, TablePanel)
    driver.app.reveal("tablePanel")
    driver.press("card.tree-2")
    driver.app.workspace.select((), [("tax", "school")])
    assert "school" in panel._title.text()
    assert "in tree 2" in panel._title.text()
    panel._grid.set_values(np.array([[0.25, 0.75], [0.5, 0.5]]))
    panel._commit("Edit")
    table = mixture_of(page).trees[1].tables[VOTES.index("school")]
    assert table.tolist() == [[0.25, 0.75], [0.5, 0.5]]


# -- counts of edges


@pytest.fixture
def counts(driver: WindowDriver) -> RunResultPage:
    rows = votes_mixture().sample(300, np.random.default_rng(3))
    model_id = add_ended_run(
        driver.app, rows, "mixture.trees", components=(1, 2), restarts=2, max_iterations=5
    )
    open_model_page(driver.app, model_id)
    driver.do("evaluate.adjacency")
    page = driver.app.center.current
    assert isinstance(page, RunResultPage)
    return page


def test_squares_have_areas_in_proportion_to_the_counts(
    qtbot: QtBot, counts: RunResultPage, tmp_path: Path
) -> None:
    tally = counts.artifact.tally()
    assert tally.total == 1 + 2 * 2
    matrix = counts.view
    full = (0.92 * matrix.cell) ** 2
    for (one, other), count in tally.counts.items():
        square = matrix.square_rect(one, other)
        assert square.width() * square.height() == pytest.approx(full * count / 5)
    (one, other), count = next(iter(tally.counts.items()))
    middle = matrix.square_rect(one, other).center().toPoint()
    assert matrix.pair_text(one, other) == f"{one} – {other}: in {count} of 5 trees"
    qtbot.mouseClick(matrix, LEFT, pos=middle)
    assert counts.table.current is not None
    counts.choose(numbers=2)
    driver = WindowDriver(counts.window())  # type: ignore[arg-type]
    driver.press("adjacencyPer.restarts")
    assert counts.facts.text().startswith("2 restarts · ")
    counts.export(tmp_path / "edges.csv")
    with (tmp_path / "edges.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    assert sum(int(line["trees"]) for line in lines) == sum(tally.counts.values())


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_pictures_of_trees_fit_a_small_window_and_name_their_controls(
    qtbot: QtBot, driver: WindowDriver, counts: RunResultPage, scale: float
) -> None:
    theme().set_look(scale=scale)
    driver.window.resize(1024, 700)
    shown: list[QWidget] = [counts]
    open_model_page(driver.app, next(iter(driver.app.project.models)))
    page = driver.model_page()
    page.show_picture("side-by-side")
    qtbot.waitUntil(lambda: bool(own(page).side.view.panels))
    shown.insert(0, page)
    problems = []
    for each in shown:
        driver.app.center.bring_to_front(each)  # type: ignore[arg-type]
        driver.settle()
        problems += misfits(each)
        problems += [called(c) for c in controls_in(each) if not spoken_name(c) or not c.toolTip()]
    theme().set_look(scale=1.0)
    assert problems == []


# -- curves


def test_a_trace_keeps_every_curve_of_equal_length() -> None:
    trace = Trace()
    trace.add(0, -3.0, 0, {"score": -3.0})
    assert views_of(trace) == ["score"]
    trace.add(1, -2.0, 0, {"held-out": -2.5, "weight 1": 0.4, "EM step": 2})
    trace.add(2, -1.0, 0, {})
    assert set(trace.more) == {"held-out", "weight 1"}
    assert all(len(values) == 3 for values in trace.more.values())
    assert math.isnan(trace.more["held-out"][0])
    assert trace.more["held-out"][1] == -2.5
    assert views_of(trace) == ["score", "weights"]


@pytest.mark.slow
def test_a_run_of_a_mixture_is_plotted_by_score_weights_and_edges(
    qtbot: QtBot, driver: WindowDriver, page: ModelPage
) -> None:
    from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
    from pgmstudio.gui.project.run_request import RunRequest
    from pgmstudio.gui.runs.run_recorder import run_recorder
    from pgmstudio.gui.runs.runs_panel import RunsPanel

    params = MixtureParams(components=(3,), restarts=2, start="shares", tolerance=1e-12)
    request = RunRequest("Three trees", "mixture.trees", params, 1, "d1")
    run = run_recorder(driver.app).start(request)
    driver.app.reveal("runsPanel")
    qtbot.waitUntil(lambda: run.state.is_end, timeout=60_000)
    panel = panel_widget(driver.window, "runsPanel")
    assert isinstance(panel, RunsPanel)
    plot = panel._plot
    qtbot.waitUntil(lambda: plot.canvas is not None, timeout=20_000)
    assert "held-out" in plot.hint
    driver.press("scorePlotView.weights")
    assert "of 3 trees" in plot.hint
    heights = [plot.items.positions(f"weight {number}")[-1][1] for number in (1, 2, 3)]
    assert sum(heights) == pytest.approx(100)
    driver.press("scorePlotView.edges")
    shown = [y for _, y in plot.items.positions("dim") if not math.isnan(y)]
    assert shown == [y for y in run.trace.more["edges changed"] if not math.isnan(y)]
