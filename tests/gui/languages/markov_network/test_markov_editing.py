"""A Markov network looked at and edited by hand: contexts, potentials, parameters, cycles."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.project.edits import add_data, add_model
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.languages.markov_network.inspector import (
    BlanketSection,
    EdgeSections,
    ModelSections,
)
from pgmstudio.gui.languages.markov_network.log_linear import ERRORS
from pgmstudio.gui.languages.markov_network.potential_editor import PotentialEditor
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import trigger
from tests.markov_networks import figure_8, figure_9, random_markov_network

EDGE = ("X2", "X3")
W = TypeVar("W", bound=QWidget)


def opened(app: AppContext, model: MarkovNetwork, rows: DataSet | None = None) -> ModelPage:
    data_id = None
    if rows is not None:
        data_id = app.project.next_data_id()
        app.change("Add rows", partial(add_data, entry=DataEntry("rows", rows)))
    model_id = app.project.next_model_id()
    app.change("Add", partial(add_model, entry=ModelEntry("Net", model, data_id=data_id)))
    open_model_page(app, model_id)
    page = app.center.current
    assert isinstance(page, ModelPage)
    return page


def shown(qtbot: QtBot, window: MainWindow, kind: type[W]) -> W:
    """A widget that the inspector or the table panel makes when it is first needed."""
    qtbot.waitUntil(lambda: window.findChild(kind) is not None)
    result = window.findChild(kind)
    assert isinstance(result, kind)
    return result


def model_of(page: ModelPage) -> MarkovNetwork:
    model = page.entry.model
    assert isinstance(model, MarkovNetwork)
    return model


@pytest.fixture
def triangle(window: MainWindow) -> ModelPage:
    model = figure_8()
    return opened(window.app, model, model.sample(2000, np.random.default_rng(1)))


def test_a_context_is_ticked_with_its_rows_and_score_and_undone(
    qtbot: QtBot, window: MainWindow, triangle: ModelPage
) -> None:
    app = window.app
    before = model_of(triangle)
    app.workspace.select((), (EDGE,))
    section = shown(qtbot, window, EdgeSections)
    assert section.restrictions.facts == {
        "X2 – X3 when X1 = 1": "φ₂₃ + φ₁₂₃ = 0".replace(" ", "\u00a0")
    }
    assert [row.symbol for row in section.parameters.rows] == ["φ₂", "φ₃", "φ₂₃", "φ₁₂₃"]
    qtbot.waitUntil(lambda: "Log MPL" in section.cost.facts)
    assert section.cost.facts["Free parameters"] == "6 (7 without contexts)"
    with_context = section.cost.facts["Log MPL"]
    # X1 = 0 as well would leave nothing of the edge.
    assert "Delete the edge instead" in section.note.text
    section.rows.box((1,)).click()
    assert not model_of(triangle).structure.contexts
    qtbot.waitUntil(lambda: section.cost.facts.get("Free parameters") == "7")
    qtbot.waitUntil(lambda: section.cost.facts.get("Log MPL", with_context) != with_context)
    app.document.undo_stack.undo()
    assert model_of(triangle) is before
    qtbot.waitUntil(lambda: section.cost.facts.get("Log MPL") == with_context)


def test_the_edge_is_deleted_instead_of_vanishing_in_all_contexts(
    qtbot: QtBot, window: MainWindow, triangle: ModelPage
) -> None:
    window.app.workspace.select((), (EDGE,))
    section = shown(qtbot, window, EdgeSections)
    section.note.link_activated.emit("delete")
    assert set(model_of(triangle).undirected_edges) == {("X1", "X2"), ("X1", "X3")}


def test_the_bar_states_the_independence_in_a_context(
    window: MainWindow, triangle: ModelPage
) -> None:
    context_views(window.app).choose(triangle.model_id or "", {"X1": "1"})
    statement = triangle.findChild(QLabel, "contextStatement")
    assert isinstance(statement, QLabel)
    assert statement.text() == "<b>X2 ⊥ X3</b> given X1 = 1"
    nine = opened(window.app, figure_9())
    context_views(window.app).choose(nine.model_id or "", {"3": "1"})
    statement = nine.findChild(QLabel, "contextStatement")
    assert isinstance(statement, QLabel)
    assert statement.text() == "<b>2 ⊥ 5</b> given 3 = 1 and all other variables"


def test_an_edge_with_contexts_explains_itself_and_lights_up_its_triangle(
    window: MainWindow, triangle: ModelPage
) -> None:
    text = triangle.extension.describe_edge(*EDGE)
    assert text == "vanishes when\nX1 = 1\nthen X2 ⊥ X3\nφ₂₃ + φ₁₂₃ = 0"
    lights = triangle.canvas.view.nodes_of_edge
    assert lights is not None
    assert lights(*EDGE) == {"X1"}
    assert lights("X1", "X2") == frozenset()


def test_a_blanket_is_shown_with_its_classes_and_score(
    qtbot: QtBot, window: MainWindow, triangle: ModelPage
) -> None:
    window.app.workspace.select(("X2",))
    panel = shown(qtbot, window, InspectorPanel)
    panel.node.show_tab("table")
    section = shown(qtbot, window, BlanketSection)
    qtbot.waitUntil(lambda: "Log score" in section.facts.facts)
    assert section.facts.facts["Markov blanket"] == "X1, X3"
    assert section.facts.facts["Classes"] == "3 of 4 joint states"
    assert [row[:3] for row in section.table.rows] == [
        (0, "0", "0"),
        (1, "0", "1"),
        (2, "1", "∗"),
    ]


def test_the_log_linear_form_and_the_strata_of_a_model(
    qtbot: QtBot, window: MainWindow, triangle: ModelPage
) -> None:
    section = shown(qtbot, window, ModelSections)
    qtbot.waitUntil(lambda: "Convergence" in section.facts.facts)
    facts = section.facts.facts
    assert (facts["Parameters φ"], facts["Rank of restrictions"]) == ("7", "1")
    assert facts["Maximum likelihood"] == "exact"
    assert "Newton step" in facts["Convergence"]
    assert len(section.parameters.rows) == 7
    errors = {row.symbol: row.error for row in section.parameters.rows}
    assert all(0 < error < 1 for error in errors.values())
    assert errors["φ₂₃"] == pytest.approx(errors["φ₁₂₃"])  # φ₂₃ + φ₁₂₃ = 0
    assert not section.parameters.isColumnHidden(ERRORS)
    assert section.checks.text().count("✓") == 3
    assert "Log marginal likelihood" in section.likelihood.facts


def test_a_cycle_without_a_chord_is_named_and_selected(qtbot: QtBot, window: MainWindow) -> None:
    square = MarkovStructure(
        Domain.of(dict.fromkeys("ABCD", "01")), frozenset({(0, 1), (1, 2), (2, 3), (0, 3)})
    )
    page = opened(window.app, random_markov_network(np.random.default_rng(1), square))
    section = shown(qtbot, window, ModelSections)
    assert section.parameters.isColumnHidden(ERRORS)  # no data
    assert section.checks.text().startswith("✗ The graph is chordal\n")
    window.findChild(QPushButton, "strataCycle").click()
    assert set(window.app.workspace.selection.nodes) == set("ABCD")
    assert set(page.scene().selected_edges) == set(page.scene().edges)


def test_potentials_are_typed_scaled_and_undone(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    structure = MarkovStructure(Domain.of({"A": "01", "B": "01", "C": "01"}), frozenset({(0, 1)}))
    page = opened(app, MarkovNetwork.uniform(structure))
    app.workspace.select(("A",))
    trigger(window, "model.set-potential")
    editor = shown(qtbot, window, PotentialEditor)
    assert editor.clique == (0, 1)
    assert [row[-1] for row in editor.table.rows] == pytest.approx([0.25] * 4)
    editor.table.edited.emit(3, 2, "3")
    assert model_of(page).potentials[0].ravel().tolist() == [1, 1, 1, 3]
    assert [row[-1] for row in editor.table.rows] == pytest.approx([1 / 6, 1 / 6, 1 / 6, 0.5])
    editor.findChild(QPushButton, "potentialNormalise").click()
    assert model_of(page).potentials[0].sum() == pytest.approx(1)
    app.document.undo_stack.undo()
    editor.table.edited.emit(0, 2, "much")
    assert model_of(page).potentials[0].ravel().tolist() == [1, 1, 1, 3]
    app.document.undo_stack.undo()
    assert model_of(page).potentials[0].ravel().tolist() == [1, 1, 1, 1]


def test_a_potential_that_breaks_a_context_is_refused(
    qtbot: QtBot, window: MainWindow, triangle: ModelPage
) -> None:
    window.app.workspace.select((), (EDGE,))
    editor = shown(qtbot, window, PotentialEditor)
    before = model_of(triangle)
    editor.table.edited.emit(7, 3, "100")
    assert model_of(triangle) is before
    assert float(editor.table.rows[7][3]) == pytest.approx(float(before.potentials[0].flat[7]))


def test_contexts_are_dropped_and_parameters_fitted_by_actions(
    qtbot: QtBot, window: MainWindow, triangle: ModelPage
) -> None:
    app = window.app
    before = model_of(triangle)
    trigger(window, "model.drop-contexts")
    assert not model_of(triangle).structure.contexts
    qtbot.waitUntil(lambda: not app.actions["model.drop-contexts"].isEnabled())
    dropped = model_of(triangle)
    trigger(window, "model.fit-parameters")
    qtbot.waitUntil(lambda: model_of(triangle) is not dropped)
    app.document.undo_stack.undo()
    app.document.undo_stack.undo()
    assert model_of(triangle) is before


def test_an_edge_that_is_drawn_reports_its_parameters_and_score(window: MainWindow) -> None:
    structure = MarkovStructure(Domain.of(dict.fromkeys("ABC", "01")), frozenset({(0, 1)}))
    model = random_markov_network(np.random.default_rng(1), structure)
    page = opened(window.app, model, model.sample(500, np.random.default_rng(1)))
    advice = page.editing.advise("B", "C")
    assert advice.text.startswith("4 → 5 parameters · log MPL −")
    assert page.editing.advise("A", "B").refusal == "A – B exists already."
