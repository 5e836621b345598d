"""Edges in the window: how strong they are, why they are there, how two structures differ."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QMenu, QPushButton, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.graphs.comparison import EdgeChange
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.conversions import converted
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.project import edits
from pgmstudio.core.project.model_edits import remove_edge
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.view import CanvasView
from pgmstudio.gui.comparison.structure_diff_page import DifferencePage
from pgmstudio.gui.export.canvas_image import CanvasDrawing
from pgmstudio.gui.inspector.edge_explanation import EdgeExplanationSection
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.model_page.context_menu import canvas_menu
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.widgets.image_file import FORMATS, PictureOptions, picture_bytes
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector
from tests.gui.samples import sprinkler_rows
from tests.gui.walking import open_sprinkler, trigger

LEFT = Qt.MouseButton.LeftButton
Edge = tuple[str, str]


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    return open_sprinkler(qtbot, window)


def middle_of(view: CanvasView, edge: Edge) -> QPoint:
    """Where an edge can be met with the pointer, away from signs and boxes."""
    from PySide6.QtCore import QPointF

    return view.mapFromScene(QPointF(*view.graph.edges[edge].route.at(0.4)))


def words(page: ModelPage | DifferencePage) -> str:
    return " ".join(entry.text for entry in page.canvas.legend_entries())


# -- strengths


@pytest.mark.parametrize("kind", ["mi", "removal", "score.bic", "score.aic", "score.bdeu"])
def test_edges_are_as_wide_as_what_is_measured(qtbot: QtBot, page: ModelPage, kind: str) -> None:
    combo = page.bar.findChild(QComboBox, "strengthCombo")
    assert combo is not None
    combo.setCurrentIndex(combo.findData(kind))
    combo.activated.emit(combo.currentIndex())
    qtbot.waitUntil(lambda: page.canvas.strengths is not None, timeout=20000)
    shown = page.canvas.strengths
    assert shown is not None
    assert set(shown.values) == {("rain", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")}
    widths = {edge: item.width for edge, item in page.scene().edges.items()}
    assert max(widths.values()) == 6
    assert min(widths.values()) >= 1
    assert max(shown.values, key=shown.values.__getitem__) == max(widths, key=widths.__getitem__)
    assert f"Edge width: {shown.title}" in words(page)
    assert shown.format_value(shown.range[1]) in words(page)
    assert shown.title in page.canvas.view.describe_edge("rain", "wet")  # type: ignore[misc]
    page.strengths.choose("none")
    assert page.canvas.strengths is None
    assert "Edge width" not in words(page)


def test_the_range_of_strengths_is_in_every_exported_picture(qtbot: QtBot, page: ModelPage) -> None:
    page.strengths.choose("removal")
    qtbot.waitUntil(lambda: page.canvas.strengths is not None)
    drawing = CanvasDrawing(page.canvas, "sprinkler")
    text = picture_bytes(drawing, ".svg", PictureOptions()).decode()
    assert "KL of removal" in text
    for ending in FORMATS:
        with_legend = picture_bytes(drawing, ending, PictureOptions())
        assert with_legend != picture_bytes(drawing, ending, PictureOptions(legend=False))


def test_without_a_bootstrap_its_width_is_refused_in_a_sentence(page: ModelPage) -> None:
    page.strengths.choose("bootstrap")
    assert page.strengths.kind == "none"
    assert "Learn ▸ Bootstrap…" in page.canvas.bubble.text


def test_strengths_follow_the_model_and_the_menu_knows_them(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    trigger(window, "view.strength.removal")
    qtbot.waitUntil(lambda: page.canvas.strengths is not None)
    window.app.actions.refresh()
    assert window.app.actions["view.strength.removal"].isChecked()
    page.editing.delete((), [("rain", "sprinkler")])
    qtbot.waitUntil(
        lambda: set(page.canvas.strengths.values) == {("rain", "wet"), ("sprinkler", "wet")}
    )  # type: ignore[union-attr]


# -- why


def note_text(page: DifferencePage) -> str:
    return page.facts.findChild(Note, "differenceOnly").text


def sentences(section: EdgeExplanationSection) -> str:
    return " ".join(section.messages)


def test_the_menu_of_an_edge_asks_why_it_is_there(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    view = page.canvas.view
    hit = view.hit(middle_of(view, ("rain", "wet")))
    assert hit.edge is not None
    page.selecting.select((), (hit.edge.ends,))
    menu = canvas_menu(page, hit, page)
    assert isinstance(menu, QMenu)
    next(a for a in menu.actions() if a.objectName() == "menu.why").trigger()
    why = inspector(window).edge.why
    qtbot.waitUntil(lambda: "changes BIC" in sentences(why), timeout=20000)
    assert why.title.text() == "Why this edge?"
    assert "Removing rain → wet" in sentences(why)
    assert "Given sprinkler, rain and wet" in sentences(why)


def test_two_nodes_without_an_edge_are_reported_why_there_is_none(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    page.editing.delete((), [("sprinkler", "wet")])
    window.app.workspace.select(["wet", "sprinkler"])
    trigger(window, "model.why")
    why = inspector(window).joint.why
    qtbot.waitUntil(lambda: "Adding sprinkler → wet" in sentences(why), timeout=20000)
    assert why.title.text() == "Why no edge?"
    assert "Adding wet → sprinkler" in sentences(why)
    assert "garden" in why.fact.text()


def test_a_rule_about_the_pair_is_reported(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.workspace.select((), [("rain", "wet")])
    trigger(window, "knowledge.require")
    why = inspector(window).edge.why
    qtbot.waitUntil(lambda: "rain → wet is required." in sentences(why), timeout=20000)


def test_without_rows_the_section_says_what_is_missing(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    window.app.change("Remove", partial(edits.remove_data, data_id="d1"))
    window.app.workspace.select((), [("rain", "wet")])
    why = inspector(window).edge.why
    qtbot.waitUntil(lambda: "import data first" in sentences(why))


# -- structure difference


@pytest.fixture
def difference(qtbot: QtBot, window: MainWindow, page: ModelPage) -> DifferencePage:
    """Sprinkler against a model with an edge less and one the other way round."""
    rows = sprinkler_rows()
    dag = Dag.from_edges(rows.domain.names, [("rain", "wet"), ("wet", "sprinkler")])
    entry = ModelEntry("Other", fit_tables(rows, dag, 1.0).network, data_id="d1")
    window.app.change("Open", partial(edits.add_model, entry=entry))
    trigger(window, "model.difference")
    result = window.app.center.current
    assert isinstance(result, DifferencePage)
    qtbot.waitUntil(lambda: result.difference is not None and len(result.canvas.scene.edges) == 3)
    return result


def test_two_structures_are_overlaid_with_signs_and_the_places_of_the_first(
    page: ModelPage, difference: DifferencePage
) -> None:
    assert difference.difference is not None
    counts = difference.difference.graph.counts
    assert counts == {
        EdgeChange.COMMON: 1,
        EdgeChange.ADDED: 0,
        EdgeChange.MISSING: 1,
        EdgeChange.REVERSED: 1,
    }
    signs = {edge: item.edge.label for edge, item in difference.canvas.scene.edges.items()}
    assert signs == {("rain", "wet"): "", ("rain", "sprinkler"): "−", ("wet", "sprinkler"): "⇄"}
    assert difference.canvas.scene.positions == page.scene().positions
    assert "− missing" in words(difference)
    assert "⇄ reversed" in words(difference)
    facts = difference.facts.rows.facts
    assert facts["SHD of the graphs"] == "2"
    assert facts["Parameters"] == "7 → 5 (−2)"
    assert "Δ log-likelihood" in facts


def test_the_list_and_the_picture_of_differences_know_each_other(
    qtbot: QtBot, difference: DifferencePage
) -> None:
    listed = difference.facts.list
    assert [listed.item(i).text() for i in range(listed.count())] == [
        "−  rain → sprinkler",
        "⇄  wet → sprinkler",
    ]
    position = listed.visualItemRect(listed.item(1)).center()
    qtbot.mouseClick(listed.viewport(), LEFT, pos=position)
    assert difference.canvas.scene.selected_edges == (("wet", "sprinkler"),)
    view = difference.canvas.view
    qtbot.mouseClick(view.viewport(), LEFT, pos=middle_of(view, ("rain", "sprinkler")))
    assert listed.currentRow() == 0


def test_changing_the_models_over_turns_missing_into_added(
    qtbot: QtBot, difference: DifferencePage
) -> None:
    swap = difference.findChild(QToolButton, "differenceSwap")
    qtbot.mouseClick(swap, LEFT)
    qtbot.waitUntil(
        lambda: (
            difference.difference is not None
            and difference.difference.graph.counts[EdgeChange.ADDED] == 1
        )
    )
    qtbot.waitUntil(lambda: "+ added" in words(difference))


def test_a_markov_network_is_compared_with_the_moral_graph_or_the_skeleton(
    qtbot: QtBot, window: MainWindow, page: ModelPage
) -> None:
    """Rain and sprinkler both lead to wet: the moral graph is the triangle."""
    gone = partial(remove_edge, model_id=page.model_id, source="rain", target="sprinkler")
    window.app.change("Remove", gone)
    network = window.app.project.models[page.model_id].model
    entry = ModelEntry("Markov", converted(network, "markov-network"), data_id="d1")
    window.app.change("Open", partial(edits.add_model, entry=entry))
    trigger(window, "model.difference")
    result = window.app.center.current
    assert isinstance(result, DifferencePage)
    qtbot.waitUntil(lambda: result.difference is not None and result.difference.graph.is_empty)
    assert result.dag_as.isVisible()
    assert "moral graph" in note_text(result)
    assert result.facts.rows.facts["F1"] == "1.000"
    qtbot.keyClick(result.dag_as, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: result.difference.graph.distance == 1)
    assert result.facts.rows.facts["+ added (FP)"] == "1"
    assert "skeleton" in note_text(result)
    assert [result.facts.list.item(0).text()] == ["+  rain – sprinkler"]


def test_a_double_click_on_a_difference_asks_why(
    qtbot: QtBot, window: MainWindow, difference: DifferencePage
) -> None:
    listed = difference.facts.list
    position = listed.visualItemRect(listed.item(0)).center()
    qtbot.mouseClick(listed.viewport(), LEFT, pos=position)
    qtbot.mouseDClick(listed.viewport(), LEFT, pos=position)
    assert window.app.workspace.selection.edges == (("rain", "sprinkler"),)
    why = inspector(window).edge.why
    qtbot.waitUntil(lambda: "Removing rain → sprinkler" in sentences(why), timeout=20000)


def test_the_difference_is_exported_with_its_legend(
    window: MainWindow, difference: DifferencePage
) -> None:
    window.app.actions.refresh()
    assert window.app.actions["file.export"].isEnabled()
    drawing = CanvasDrawing(difference.canvas, difference.title)
    text = picture_bytes(drawing, ".svg", PictureOptions()).decode()
    assert "− missing" in text
    assert "⇄ reversed" in text


def test_a_model_that_goes_leaves_the_page_standing(
    qtbot: QtBot, window: MainWindow, difference: DifferencePage
) -> None:
    window.app.change("Remove", partial(edits.remove_model, model_id="m2"))
    qtbot.waitUntil(
        lambda: difference.difference is not None and difference.difference.graph.is_empty
    )
    assert difference.first.count() == 1


# -- bootstrap


def test_a_bootstrap_runs_is_kept_shown_and_reproduced(
    qtbot: QtBot, window: MainWindow, page: ModelPage, tmp_path: Path
) -> None:
    app = window.app
    trigger(window, "learn.bootstrap")
    sheet = app.center.current
    assert isinstance(sheet, LearnPage)
    sheet.choose(learner="tree.chow-liu")
    replicates = sheet.findChild(QSpinBox, "learnReplicates")
    assert replicates is not None
    assert replicates.value() == 200
    replicates.setValue(5)
    qtbot.mouseClick(sheet.findChild(QPushButton, "learnStart"), LEFT)
    qtbot.waitUntil(lambda: bool(app.project.runs), timeout=60000)
    (run,) = app.project.runs.values()
    result = EdgeFrequencies.restored(run.artifacts[EdgeFrequencies.kind])
    assert result.graphs == 5
    assert run.title == "Bootstrap of Chow–Liu tree"
    averaged = app.project.models[run.model_id or ""].model
    assert isinstance(averaged, DirectedModel)
    assert set(averaged.edges) == set(result.averaged(0.5).dag.edges)

    trigger(window, "learn.frequencies")
    shown = app.center.current
    assert isinstance(shown, RunResultPage)
    qtbot.waitUntil(lambda: len(shown.canvas.scene.nodes) == 3)
    assert shown.table.model().rowCount() == len(result.edges)
    widths = [shown.table.columnWidth(i) for i in range(shown.table.model().columnCount())]
    assert widths[0] >= shown.table.sizeHintForColumn(0)  # no edge is cut
    shown.choose(threshold=1)
    every = {frozenset((e.source, e.target)) for e in result.edges}
    qtbot.waitUntil(lambda: {frozenset(e) for e in shown.canvas.scene.edges} == every)
    labels = [item.edge.label for item in shown.canvas.scene.edges.values()]
    assert all(label.endswith(" %") for label in labels)
    shown.export(tmp_path / "edges.csv")
    assert (tmp_path / "edges.csv").read_text() == result.as_csv()
    models = len(app.project.models)
    qtbot.mouseClick(shown.findChild(QPushButton, "bootstrapOpen"), LEFT)
    qtbot.waitUntil(lambda: len(app.project.models) == models + 1, timeout=20000)

    open_model_page(app, "m1")
    page.strengths.choose("bootstrap")
    assert page.canvas.strengths is not None
    edge = page.scene().edges["rain", "wet"]
    assert edge.look.label == f"{100 * result.of_pair('rain', 'wet').joined:.0f} %"
    assert edge.width == pytest.approx(1 + 5 * np.sqrt(result.of_pair("rain", "wet").joined))

    open_model_page(app, run.model_id or "")
    average = app.center.current
    assert isinstance(average, ModelPage)
    assert average.strengths.kind == "bootstrap"  # opens with widths
    trigger(window, "learn.reproduce")
    qtbot.waitUntil(lambda: len(app.project.runs) == 2, timeout=60000)
    again = list(app.project.runs.values())[-1]
    assert EdgeFrequencies.restored(again.artifacts[EdgeFrequencies.kind]) == result
