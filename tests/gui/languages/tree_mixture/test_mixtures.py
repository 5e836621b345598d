"""Mixtures of trees in the window: strip, overlay, editing, conversions, files and pictures."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.cpt_editor.panel import TablePanel
from pgmstudio.gui.export.canvas_image import CanvasDrawing
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.languages.tree_mixture.component_controller import ComponentController
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.languages.tree_mixture.component_strip import ComponentCard, ComponentStrip
from pgmstudio.gui.languages.tree_mixture.page_extension import MixtureExtension
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions, picture_bytes
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.core.languages.test_conversions import divergence_bits
from tests.gui.asia import inspector
from tests.gui.mixture_pages import page_of
from tests.gui.mixture_scenes import votes
from tests.gui.samples import VOTES
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import called, controls_in, misfits, spoken_name, trigger
from tests.strategies import random_mixture

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def trees(qtbot: QtBot, window: MainWindow) -> ModelPage:
    return page_of(qtbot, window, "mixture")


def controller_of(page: ModelPage) -> ComponentController:
    assert isinstance(page.extension, MixtureExtension)
    return page.extension.components


def card(page: ModelPage, name: str) -> ComponentCard:
    result = page.findChild(ComponentCard, f"card.{name}")
    assert isinstance(result, ComponentCard)
    return result


def mixture_of(window: MainWindow, model_id: str | None) -> TreeMixture:
    model = window.app.project.models[model_id or ""].model
    assert isinstance(model, TreeMixture)
    return model


# -- the strip and the overlay


def test_a_shared_edge_has_a_line_for_each_of_its_trees(trees: ModelPage) -> None:
    strands = trees.scene().edges["tax", "aid"].edge.strands
    assert [strand.component for strand in strands] == [0, 1, 2]
    assert {strand.alpha for strand in strands} == {1.0}
    single = trees.scene().edges["ban", "crime"].edge.strands
    assert [(s.component, s.alpha) for s in single] == [(0, 0.78)]
    legend = [entry.text for entry in trees.legend_entries()]
    assert legend[:4] == ["tree 1", "tree 2", "tree 3", "width = mutual information in the tree"]


def test_a_click_shows_one_tree_and_control_adds_another(qtbot: QtBot, trees: ModelPage) -> None:
    positions = dict(trees.scene().positions)
    qtbot.mouseClick(card(trees, "tree-2"), LEFT)
    qtbot.waitUntil(lambda: ("tax", "school") in trees.scene().edges)
    assert trees.picture_name == "tree-2"
    qtbot.waitUntil(lambda: ("ban", "crime") not in trees.scene().edges)
    assert card(trees, "tree-2").isChecked()
    qtbot.mouseClick(card(trees, "tree-3"), LEFT, CTRL)
    qtbot.waitUntil(lambda: trees.picture_name == "tree-2+3")
    qtbot.waitUntil(lambda: len(trees.scene().edges["tax", "aid"].edge.strands) == 2)
    assert trees.scene().positions == positions  # all trees stand on the same places
    qtbot.mouseClick(card(trees, "overlay"), LEFT)
    qtbot.waitUntil(lambda: trees.picture_name == "overlay")


def test_evidence_moves_the_weights_and_the_slider_leads_back(
    qtbot: QtBot, window: MainWindow, trees: ModelPage
) -> None:
    model = mixture_of(window, trees.model_id)
    assert card(trees, "tree-1").weight_text == "60.0 %"
    assert "nearly empty" in card(trees, "tree-3").accessibleName()
    trees.asking.live.set_finding("tax", Observed("yes"))
    session = open_session(model)
    session.set_evidence("tax", Observed("yes"))
    shares = session.component_posterior()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: card(trees, "tree-1").shown_weight == pytest.approx(shares[0]))
    assert "→" in card(trees, "tree-1").weight_text
    slider = window.findChild(QSlider, "inspectorBlend")
    assert slider is not None
    qtbot.waitUntil(slider.isEnabled)
    slider.setValue(0)
    assert card(trees, "tree-1").shown_weight == pytest.approx(0.6)
    prior = trees.asking.live.priors["aid"]
    assert trees.scene().nodes["aid"].face.beliefs == pytest.approx(tuple(prior))
    slider.setValue(50)
    assert card(trees, "tree-1").shown_weight == pytest.approx((0.6 + shares[0]) / 2)


def test_more_than_five_trees_are_sorted_by_weight_and_counted_by_one_line(
    qtbot: QtBot, window: MainWindow
) -> None:
    mixture = random_mixture(np.random.default_rng(3), 6, 7)
    app = window.app
    app.change("Open", partial(edits.add_model, entry=ModelEntry("Many", mixture)))
    open_model_page(app, "m1")
    page = app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.scene().nodes))
    strip = page.findChild(ComponentStrip, "componentStrip")
    assert strip is not None
    weights = [mixture.weights[c.number] for c in strip.cards]
    assert weights == sorted(weights, reverse=True)
    for edge in page.scene().edges.values():
        [strand] = edge.edge.strands
        assert strand.component is None
        assert strand.tooltip == f"in {mixture.edge_counts[edge.ends]} of 7 trees"


def test_trees_have_no_separation_and_say_why(window: MainWindow, trees: ModelPage) -> None:
    window.app.actions.refresh()
    assert not window.app.actions["model.separation"].isEnabled()
    assert window.app.actions["model.separation"].toolTip().startswith("Not now: ")


# -- editing a tree


def test_joining_two_reports_what_it_gains_and_can_be_undone(
    qtbot: QtBot, window: MainWindow, trees: ModelPage
) -> None:
    controller, before = controller_of(trees), mixture_of(window, trees.model_id)
    assert controller.edit() == "show one tree alone first: click its card."
    qtbot.mouseClick(card(trees, "tree-1"), LEFT)
    window.app.workspace.select(["tax", "ban"])  # joined by tax – aid – ban
    qtbot.waitUntil(lambda: controller.offered is not None)
    assert controller.edit_bar.isVisible()
    offered = controller.offered
    assert offered is not None
    assert offered.gain is not None
    assert offered.edit.removed is not None
    rows = window.app.project.data["d1"].data
    logs = [m.log2_probabilities(rows).mean() for m in (before, offered.after)]
    assert offered.gain == pytest.approx(logs[1] - logs[0])
    accept = trees.findChild(QPushButton, "treeEditAccept")
    assert accept is not None
    qtbot.mouseClick(accept, LEFT)
    after = mixture_of(window, trees.model_id)
    assert ("tax", "ban") in {tuple(sorted(e, key=VOTES.index)) for e in after.trees[0].edges}
    assert len(after.trees[0].edges) == 4
    window.app.document.undo_stack.undo()
    assert mixture_of(window, trees.model_id) is before


def test_the_delete_key_takes_an_edge_out_of_the_tree_in_view(
    qtbot: QtBot, window: MainWindow, trees: ModelPage
) -> None:
    qtbot.mouseClick(card(trees, "tree-1"), LEFT)
    window.app.workspace.select((), [("ban", "crime")])
    qtbot.waitUntil(lambda: controller_of(trees).offered is not None)
    qtbot.keyClick(trees.canvas.view, Qt.Key.Key_Delete)
    edges = [tree.edges for tree in mixture_of(window, trees.model_id).trees]
    assert [len(some) for some in edges] == [3, 4, 3]
    qtbot.waitUntil(lambda: ("ban", "crime") not in trees.scene().edges)


def test_the_table_panel_edits_the_tree_in_view(
    qtbot: QtBot, window: MainWindow, trees: ModelPage
) -> None:
    panel = panel_widget(window, "tablePanel")
    assert isinstance(panel, TablePanel)
    window.app.reveal("tablePanel")
    window.app.workspace.select(["aid"])
    assert panel._grid.values.size == 0 or not panel._view.isVisible()
    component_views(window.app).choose(trees.model_id or "", (1,))
    assert "in tree 2" in panel._title.text()
    panel._grid.set_values(np.array([[0.25, 0.75], [0.5, 0.5]]))
    panel._commit("Edit")
    model = mixture_of(window, trees.model_id)
    assert model.trees[1].tables[1].tolist() == [[0.25, 0.75], [0.5, 0.5]]
    window.app.document.undo_stack.undo()
    assert model is not mixture_of(window, trees.model_id)


# -- conversions, files, pictures


def test_a_mixture_becomes_a_network_with_the_same_distribution(
    qtbot: QtBot, window: MainWindow, trees: ModelPage
) -> None:
    trigger(window, "model.convert.bayesian-network")
    qtbot.waitUntil(lambda: len(window.app.project.models) == 2)
    network = window.app.project.models["m2"].model
    assert isinstance(network, BayesianNetwork)
    mixture = mixture_of(window, "m1")
    assert divergence_bits(mixture, network) == pytest.approx(0, abs=1e-9)
    assert "KL = 0 bits" in window.app.project.models["m2"].provenance["checked"]
    assert not window.app.actions["model.convert.bayesian-network"].isEnabled()


@pytest.mark.parametrize("kind", ["mixture", "classes"])
def test_a_project_brings_the_model_and_its_places_back(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, kind: str
) -> None:
    page = page_of(qtbot, window, kind)
    name = page.scene().picture.ids[0]
    page.editing.move_nodes({name: (400.0, 300.0)})
    write_project(tmp_path / "votes.pgmz", window.app.project)
    back = read_project(tmp_path / "votes.pgmz")
    show_project(window.app, back, None)
    again = window.app.center.current
    assert isinstance(again, ModelPage)
    assert again.scene().positions[name] == (400.0, 300.0)


@pytest.mark.parametrize("kind", ["mixture", "classes"])
@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_the_picture_can_be_exported(
    qtbot: QtBot, window: MainWindow, kind: str, ending: str
) -> None:
    page = page_of(qtbot, window, kind)
    content = picture_bytes(CanvasDrawing(page.canvas, "Votes"), ending, PictureOptions())
    assert len(content) > 1000
    if ending == ".svg":
        assert b"width = mutual information" in content


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("kind", ["mixture", "classes"])
def test_every_page_of_a_mixture_fits_a_small_window_and_names_its_controls(
    qtbot: QtBot, window: MainWindow, kind: str, scale: float
) -> None:
    theme().set_look(scale=scale)
    window.resize(1024, 700)
    page = page_of(qtbot, window, kind)
    pages: list[QWidget] = [page]
    for action in ("model.profiles", "model.assignments"):
        open_model_page(window.app, page.model_id or "")
        trigger(window, action)
        made = window.app.center.current
        assert made is not None
        pages.append(made)
    problems = []
    for shown in pages:
        window.app.center.bring_to_front(shown)  # type: ignore[arg-type]
        qtbot.wait(30)
        problems += misfits(shown)
        problems += [called(c) for c in controls_in(shown) if not spoken_name(c) or not c.toolTip()]
    theme().set_look(scale=1.0)
    assert (window.width(), window.height()) == (1024, 700)
    assert problems == []


def test_the_numbers_of_trees_tried_have_a_mark_for_each_number_and_a_row_for_each_start(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    app = window.app
    assert "learn a mixture of trees first" in (app.actions["learn.tree-scan"].toolTip())
    rows = random_mixture(np.random.default_rng(5), 4, 2).sample(200, np.random.default_rng(6))
    model_id = add_ended_run(
        app, rows, "mixture.trees", components=(1, 2), restarts=2, max_iterations=4
    )
    open_model_page(app, model_id)
    trigger(window, "learn.tree-scan")
    page = app.center.current
    assert isinstance(page, RunResultPage)
    assert {name: len(xs) for name, (xs, _) in page.view.curves.items()} == dict.fromkeys(
        ("training", "BIC", "AIC", "held-out"), 2
    )
    assert page.table.model().rowCount() == 3  # one tree needs one start
    assert page.facts.text().startswith("3 starts · best by held-out")
    assert page.findChild(QWidget, "treeScanAlong") is None
    page.export(tmp_path / "trees.csv")
    assert len((tmp_path / "trees.csv").read_text().splitlines()) == 4
    assert misfits(page) == []


def test_smoothings_that_were_compared_are_an_axis_of_their_own(
    qtbot: QtBot, window: MainWindow
) -> None:
    app = window.app
    rows = random_mixture(np.random.default_rng(5), 4, 2).sample(200, np.random.default_rng(6))
    asked = {"components": (1, 2), "smoothings": (1.0, 20.0), "max_iterations": 3}
    open_model_page(app, add_ended_run(app, rows, "mixture.trees", **asked))
    trigger(window, "learn.tree-scan")
    page = app.center.current
    assert isinstance(page, RunResultPage)
    assert "held-out" in page.view.curves
    qtbot.mouseClick(page.findChild(QToolButton, "treeScanAlong.smoothing"), LEFT)
    assert {name: len(xs) for name, (xs, _) in page.view.curves.items()} == {
        "1 tree": 2,
        "2 trees": 2,
    }
    assert misfits(page) == []


class _LowRows(QObject):
    """The labels of a panel that were lower than half of what they need when it was painted."""

    def __init__(self, panel: QWidget) -> None:
        super().__init__()
        self.panel, self.paints, self.found = panel, 0, set[str]()
        panel.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.paints += 1
            shown = [each for each in self.panel.findChildren(QLabel) if each.isVisible()]
            self.found |= {
                each.text() for each in shown if each.height() < each.fontMetrics().height() / 2
            }
        return False


def test_rows_of_the_inspector_are_never_painted_squashed(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1280, 800)
    panel, rows = inspector(window), votes()
    open_model_page(window.app, add_ended_run(window.app, rows, "tree.chow-liu"))
    qtbot.waitUntil(panel.model.isVisible)
    low = _LowRows(panel)
    open_model_page(
        window.app, add_ended_run(window.app, rows, "mixture.trees", components=(3,), restarts=1)
    )

    def is_complete() -> bool:
        titles = (one.text() for one in panel.findChildren(QLabel) if one.isVisible())
        return "Edges in more than one tree" in titles

    qtbot.waitUntil(is_complete)
    panel.grab()
    assert low.paints > 1
    assert low.found == set()
