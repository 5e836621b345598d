"""Labelled graphs in the window: tags, contexts, ticked labels, classes, multinets, questions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QScrollArea

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.diagram import EdgeStyle
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.languages.ldag.contexts import context_graph
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.layers import TagLayer
from pgmstudio.gui.evidence.active_model import active_model
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.languages.ldag.csi_tree import LabelTree
from pgmstudio.gui.languages.ldag.inspector import LabelScoresSection, LabelSections
from pgmstudio.gui.languages.ldag.label_table import LabelTable, reduced_rows
from pgmstudio.gui.languages.ldag.model_view import DESCRIPTION, LdagExtension
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.runs.model_summary import model_facts
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.label_pages import EDGE, open_labelled
from tests.labelled_dags import four, labelled
from tests.strategies import domain_of


@pytest.fixture
def page(window: MainWindow, qtbot) -> ModelPage:
    """The coronary graph with rows drawn from it."""
    page = open_labelled(window.app)
    qtbot.waitUntil(lambda: bool(page.canvas.scene.nodes))
    return page


def model_of(page: ModelPage) -> LabelledDag:
    model = page.entry.model
    assert isinstance(model, LabelledDag)
    return model


def styles(page: ModelPage) -> dict[tuple[str, str], EdgeStyle]:
    return {ends: item.edge.style for ends, item in page.canvas.scene.edges.items()}


def pictures(page: ModelPage) -> LdagExtension:
    assert isinstance(page.extension, LdagExtension)
    return page.extension


def sections(window: MainWindow, qtbot, edge: tuple[str, str]) -> LabelSections:
    window.app.workspace.select((), (edge,))
    qtbot.waitUntil(lambda: window.findChild(LabelSections) is not None)
    result = window.findChild(LabelSections)
    assert isinstance(result, LabelSections)
    qtbot.waitUntil(lambda: "Without labels" in result.facts.facts)
    return result


def test_labels_stand_on_tags_and_a_click_on_a_tag_selects_its_edge(window, page, qtbot) -> None:
    item = page.canvas.scene.edges[EDGE]
    assert item.edge.label == "(no, no) (yes, ∗)"
    assert "∗ any state" in [entry.text for entry in page.legend_entries()]
    view = page.canvas.view
    position = view.mapFromScene(item.tag.center())
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert window.app.workspace.selection.edges == (EDGE,)
    assert "Smoking = no, Physical work = no" in page._describe_edge(*EDGE)


def test_a_context_takes_edges_away_and_shortens_the_labels_that_remain(page, window) -> None:
    views = context_views(window.app)
    bar = pictures(page).contexts.bar
    assert bar.text == "0 of 7 edges vanish"
    bar.chosen.emit("Smoking", "no")
    bar.chosen.emit("Mental work", "yes")
    gone = {ends for ends, style in styles(page).items() if style is EdgeStyle.VANISHED}
    left = context_graph(model_of(page), views.codes(page.model_id or ""))
    assert gone == set(model_of(page).edges) - set(left.edges)
    assert bar.text == "2 of 7 edges vanish"
    assert page.canvas.scene.edges[EDGE].edge.label == "Physical work = no"
    assert not window.app.workspace.beliefs(page.model_id or "").evidence
    subject = active_model(window.app)
    assert subject is not None
    assert subject.chip("Smoking") == Chip("no", "funnel", "label")
    assert subject.chip("Proteins") is None
    bar.dropped.emit("Smoking")
    assert views.context(page.model_id or "") == {"Mental work": "yes"}
    bar.copy_requested.emit()
    assert set(window.app.workspace.beliefs(page.model_id or "").evidence) == {"Mental work"}


def test_evidence_sets_the_context_live_until_somebody_chooses_another(page, window) -> None:
    views, model_id = context_views(window.app), page.model_id or ""
    pictures(page).contexts.bar.follow_requested.emit(True)
    live = window.app.workspace.beliefs(model_id)
    live.click_state("Smoking", "no")
    assert views.context(model_id) == {"Smoking": "no"}
    assert styles(page)["Proteins", "Pressure"] is EdgeStyle.VANISHED
    live.retract("Smoking")
    assert views.context(model_id) == {}
    live.click_state("Smoking", "yes")
    pictures(page).contexts.bar.chosen.emit("Proteins", "<3")
    assert not views.follows(model_id)
    assert views.context(model_id) == {"Smoking": "yes", "Proteins": "<3"}


def test_unticking_a_context_parts_rows_and_undo_brings_the_very_model_back(
    page, window, qtbot
) -> None:
    result = sections(window, qtbot, EDGE)
    before, facts = model_of(page), result.facts.facts
    assert facts["Free parameters"] == "11 of 18 unlabelled"
    box = result.rows.box((1, 1))
    assert isinstance(box, QCheckBox)
    assert box.isChecked()
    box.click()
    after = model_of(page)
    assert after.representation_size() > before.representation_size()
    np.testing.assert_allclose(after.table("Proteins"), before.table("Proteins"))
    score = "Score ↑"
    qtbot.waitUntil(lambda: result.facts.facts.get(score, "…") not in ("…", facts[score]))
    window.app.document.undo_stack.undo()
    assert model_of(page) is before


def test_a_ticked_context_merges_rows_by_the_counts_of_the_data(page, window, qtbot) -> None:
    result = sections(window, qtbot, ("Physical work", "Proteins"))
    free = [row for row in result.rows.rows if not row.is_in and not row.is_locked]
    size = model_of(page).representation_size()
    result.rows.box(free[0].context).click()
    assert model_of(page).representation_size() < size
    assert model_of(page).label("Physical work", "Proteins")[free[0].context]


def test_every_variable_has_a_bar_of_its_score_and_a_click_selects_it(page, window, qtbot) -> None:
    window.app.workspace.select()
    result = window.findChild(LabelScoresSection)
    qtbot.waitUntil(lambda: len(result.bars.ranks) == len(page.entry.model.domain))
    each = [value for _, _, value in result.bars.ranks]
    assert each == sorted(each, reverse=True)
    assert f"{sum(each):.3f} bits per row in all" == result.fact.text()
    key = result.bars.ranks[0][0]
    position = result.bars.row_rect(key).center().toPoint()
    message = result.bars.tip_at(position) or ""
    assert "Likelihood −" in message
    assert "Prior " in message
    assert "Without labels −" in message
    qtbot.mouseClick(result.bars, Qt.MouseButton.LeftButton, pos=position)
    assert window.app.workspace.selection.nodes == (key,)


def test_the_last_context_is_locked_and_the_sentence_deletes_the_edge(page, window, qtbot) -> None:
    result = sections(window, qtbot, EDGE)
    locked = [row.states for row in result.rows.rows if row.is_locked]
    assert locked == [("no", "yes")]
    assert "Delete the edge instead" in result.note.text
    result.note.link_activated.emit("delete")
    assert EDGE not in model_of(page).edges
    assert model_of(page).is_regular
    assert not model_of(page).label("Smoking", "Pressure").all()


def test_what_holds_in_the_context_is_listed(page, window, qtbot) -> None:
    result = sections(window, qtbot, EDGE)
    context_views(window.app).choose(page.model_id or "", {"Smoking": "no", "Mental work": "yes"})
    qtbot.waitUntil(lambda: "Proteins ⊥ Physical work" in result._statements.text())


def test_the_table_has_classes_reduces_them_and_says_when_it_is_no_tree(
    page, window, qtbot
) -> None:
    window.app.reveal("tablePanel")
    window.app.workspace.select(("Proteins",))
    table = window.findChild(LabelTable)
    qtbot.waitUntil(lambda: table.grid.has_counts)
    assert table.grid.rowCount() == 8
    letters = [table.grid.index(row, 0).data() for row in range(8)]
    assert letters == list("ABAACACA")
    table.views.button("reduced").click()
    assert table.grid.rowCount() < 8
    table.views.button("tree").click()
    assert "Not a CSI-tree" in table.note.text
    table.views.button("full").click()
    before = model_of(page).table("Proteins")
    cell = table.grid.index(0, table.grid.first_number)
    assert table.grid.setData(cell, "25 %")
    after = model_of(page).table("Proteins")
    assert after[0, 0, 0, 1] == pytest.approx(0.25)
    assert after[1, 1, 1, 1] == pytest.approx(0.25)  # the same class
    assert after[0, 0, 1, 1] == before[0, 0, 1, 1]


def test_a_default_table_is_reduced_to_its_own_rows_and_the_others() -> None:
    classes = np.zeros((2, 2, 2), dtype=np.int64)
    classes[0, 0, 1], classes[1, 1, 0] = 1, 2
    domain = domain_of((2, 2, 2, 2))
    dag = Dag(domain.names, ((), (), (), (0, 1, 2)))
    single = np.zeros((), dtype=np.int64)
    tables = [np.array([[0.5, 0.5]])] * 3 + [np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]])]
    model = LabelledDag(domain, dag, (single, single, single, classes), tuple(tables))
    counts = np.arange(16.0).reshape(2, 2, 2, 2)
    rows = reduced_rows(model, "X3", counts)
    own = [("s0", "s0", "s1"), ("s1", "s1", "s0")]
    assert [row.states for row in rows] == [*own, ("others",) * 3]
    assert rows[-1].count == counts.sum() - rows[0].counts.sum() - rows[1].counts.sum()
    # One block of a class is as easy to read: it keeps its ∗.
    label = np.array([[0, 0], [1, 2]], dtype=np.int64)
    table = (single, single, label)
    rows_of = (tables[0], tables[0], tables[-1])
    two = domain_of((2, 2, 2))
    three = LabelledDag(two, Dag(two.names, ((), (), (0, 1))), table, rows_of)
    assert reduced_rows(three, "X2", None)[0].states == ("s0", "∗")


def test_the_cost_of_an_update_is_reported_with_and_without_labels() -> None:
    model = four()
    plain = model.as_bayesian_network.effective_size()
    assert model.effective_size() < plain
    result = model_facts(model, None, DESCRIPTION.size_note)
    (cells,) = [
        fact for fact in DESCRIPTION.size_facts(model, result) if fact[0] == "Effective size"
    ]
    assert cells[1].startswith(f"{model.effective_size()} of {plain} unlabelled")


def test_why_an_edge_says_that_its_scores_know_no_labels(page, window, qtbot) -> None:
    sections(window, qtbot, EDGE)
    text = "Score of whole tables, without labels (above 0 is better)"
    qtbot.waitUntil(lambda: any(one.text() == text for one in window.findChildren(QLabel)))


def test_no_line_of_the_cube_of_four_parents_runs_through_a_corner(qtbot) -> None:
    tree = LabelTree()
    qtbot.addWidget(tree)
    every = list(itertools.product((0, 1), repeat=4))
    corners = {codes: tree._corner(codes) for codes in every}
    for codes in every:
        for axis in (a for a in range(4) if codes[a] == 0):
            start, end = corners[codes], corners[(*codes[:axis], 1, *codes[axis + 1 :])]
            line = QLineF(start, end)
            for at in corners.values():
                if at in (start, end):
                    continue
                away = QLineF(start, at)
                along = QPointF.dotProduct(end - start, at - start) / line.length()
                if 0 < along < line.length():
                    assert (away.length() ** 2 - along**2) ** 0.5 > 10  # the radius of a corner


def test_tags_stand_in_front_of_every_line_and_behind_the_nodes(page, window) -> None:
    scene = page.canvas.scene
    window.app.workspace.select((), (EDGE,))
    (layer,) = [item for item in scene.items() if isinstance(item, TagLayer)]
    assert layer.zValue() > max(item.zValue() for item in scene.edges.values())
    assert layer.zValue() < min(item.zValue() for item in scene.nodes.values())
    tags = [item.tag for item in scene.edges.values() if not item.tag.isEmpty()]
    assert len(tags) == 5
    assert all(layer.boundingRect().contains(tag) for tag in tags)


def test_the_table_under_the_graph_shows_eight_rows_its_head_stands_beside_the_tabs(
    page, window, qtbot
) -> None:
    window.app.workspace.select(("Proteins",))
    window.app.reveal("tablePanel")
    table = window.findChild(LabelTable)
    qtbot.waitUntil(lambda: table.grid.has_counts and table.head.is_in_tab_row)
    side = table.table.verticalHeader()
    qtbot.waitUntil(lambda: 8 * side.defaultSectionSize() <= table.table.viewport().height())
    assert table.views.isVisible()
    assert window.rect().contains(table.views.mapTo(window, table.views.rect().bottomRight()))
    window.app.reveal("runsPanel")  # another panel in front: its tabs stand alone
    qtbot.waitUntil(lambda: not table.head.is_in_tab_row)
    window.app.reveal("tablePanel")
    qtbot.waitUntil(lambda: table.head.is_in_tab_row)
    window.resize(1024, 700)  # folded, where there are no tabs
    window.app.reveal("tablePanel")
    qtbot.waitUntil(lambda: table.isVisible() and not table.head.is_in_tab_row)
    assert table.views.isVisible()


def test_what_was_observed_stands_beside_the_probability(page, window, qtbot) -> None:
    window.app.workspace.select(("Proteins",))
    window.app.reveal("tablePanel")
    table = window.findChild(LabelTable)
    qtbot.waitUntil(lambda: table.grid.has_counts)
    grid = table.grid
    head = [grid.headerData(c, Qt.Orientation.Horizontal) for c in range(grid.columnCount())]
    assert head[-3:] == ["Rows", "Observed", "P(Proteins = >3)"]
    for row, shown in enumerate(grid.rows):
        seen = shown.observed(1)
        message = grid.index(row, grid.observed_column).data()
        assert message == ("–" if seen is None else f"{seen:.3f}")


def test_a_tree_wider_than_its_panel_can_be_scrolled(window, qtbot) -> None:
    names = Domain.of(dict.fromkeys(("A", "B", "C", "D", "Y"), ("no", "yes")))
    plain = labelled(names, [(parent, "Y") for parent in "ABCD"], {})
    open_labelled(window.app, plain)
    window.app.workspace.select(("Y",))
    window.app.reveal("tablePanel")
    table = window.findChild(LabelTable)
    table.views.button("tree").click()
    area = window.findChild(QScrollArea, "labelTreeScroll")
    assert table.tree.is_tree
    qtbot.waitUntil(lambda: area.horizontalScrollBar().maximum() > 0)
    reached = area.horizontalScrollBar().maximum() + area.viewport().width()
    assert reached >= table.tree.sizeHint().width()


def test_a_multinet_has_a_graph_per_state_on_the_same_places(page, window, qtbot) -> None:
    page.show_picture("multinet")
    controller = pictures(page).side
    controller.choose("Smoking")
    assert [panel.graph.title for panel in controller.view.panels] == [
        "Smoking = no",
        "Smoking = yes",
    ]
    for panel in controller.view.panels:
        assert panel.canvas.scene.positions == page.canvas.scene.positions
    controller.view.isolated.emit(0)
    assert page.picture_name == "labels"
    assert context_views(window.app).context(page.model_id or "") == {"Smoking": "no"}


def test_questions_of_separation_are_asked_in_the_context(page, window, qtbot) -> None:
    controller = page.separation
    controller.open()
    controller.pick("Pressure", "A")
    controller.pick("Proteins", "B")
    qtbot.waitUntil(lambda: controller.in_context is not None and controller.answer is not None)
    qtbot.waitUntil(lambda: "not implied" in controller.bar.heading)
    assert "sound, not complete" in controller.bar.detail
    context_views(window.app).choose(page.model_id or "", {"Smoking": "no"})
    qtbot.waitUntil(lambda: controller.bar.heading == "Pressure ⟂ Proteins, where Smoking = no")
    assert "Proteins → Pressure" in controller.bar.detail
    controller.check()
    qtbot.waitUntil(lambda: "= 0 bits" in controller.bar.detail)


def test_edges_are_drawn_and_deleted_and_labels_of_other_tables_stay(page, window) -> None:
    page.editing.add_edge("Family", "Pressure")
    model = model_of(page)
    assert ("Family", "Pressure") in model.edges
    assert not model.label("Proteins", "Pressure").any()
    assert model.label(*EDGE).sum() == 3
    page.editing.delete(edges=[("Family", "Pressure")])
    assert ("Family", "Pressure") not in model_of(page).edges


def test_labels_are_made_from_equal_rows_of_a_network_in_place_and_undone(page, window) -> None:
    app = window.app
    network = model_of(page).as_bayesian_network
    model_id = add_and_show_model(app, ModelEntry("Plain", network), "Add") or ""
    app.actions["model.labels-in-place"].trigger()
    made = app.project.models[model_id].model
    assert isinstance(made, LabelledDag)
    assert made.representation_size() <= 11
    app.document.undo_stack.undo()
    assert app.project.models[model_id].model is network
