"""The walk with a Markov network: learned with contexts, viewed in one, edited, asked and saved."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.diagram import EdgeStyle
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.io.models.native_json import render
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.model import Model
from pgmstudio.core.params import parse_params
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.comparison.structure_diff_page import DifferencePage
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.export.dialog import ExportDialog
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.languages.markov_network.inspector import EdgeSections
from pgmstudio.gui.languages.markov_network.page_extension import MarkovExtension
from pgmstudio.gui.languages.markov_network.potential_editor import PotentialEditor
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import point_at, trigger

ROWS = Path(__file__).resolve().parents[3] / "sample_data" / "coronary.csv"
LEARNER = "mn.contextual"
LONG_MS = 60_000
LEFT = Qt.MouseButton.LeftButton


def model_bytes(model: Model) -> bytes:
    return render(ModelFile(model), Path("m.json"))[0]


def learned_model(qtbot: QtBot, driver: WindowDriver) -> str:
    """Learned with the form."""
    app = driver.app
    rows = import_data(ROWS, ImportOptions()).data
    app.change("Import", partial(edits.add_data, entry=DataEntry("coronary", rows)))
    (data_id,) = app.project.data
    params = parse_params(learner_of(LEARNER).params_type, {"kappas": "1, 0.01, 0"})
    open_learn_page(app).fill(RunRequest("Contexts", LEARNER, params, 1, data_id))
    driver.press("learnStart")
    qtbot.waitUntil(lambda: bool(app.project.runs), timeout=LONG_MS)
    (model_id,) = (record.model_id for record in app.project.runs.values())
    assert model_id is not None
    return model_id


def inspector_text(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert isinstance(label, QLabel)
    return label.text()


@pytest.mark.slow
def test_a_learned_markov_network_is_viewed_in_a_context_edited_asked_and_saved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, driver = window.app, WindowDriver(window)
    model_id = learned_model(qtbot, driver)
    open_model_page(app, model_id)
    page = driver.model_page()
    page.canvas.view.fit()
    learned = app.project.models[model_id].model
    assert isinstance(learned, MarkovNetwork)
    assert learned.structure.contexts

    # No edge has an arrow head; an edge with a context names it.
    scene = page.scene()
    assert set(scene.edges) == set(learned.undirected_edges)
    assert not any(item.edge.style.has_arrow for item in scene.edges.values())
    names = learned.domain.names
    i, j = next(iter(learned.structure.contexts))
    edge = (names[i], names[j])
    common = learned.structure.common_neighbours(i, j)
    assert page.extension.describe_edge(*edge).startswith("vanishes when\n")

    # Its triangle lights up under the pointer; a click on its tag shows it in the inspector, which
    # has no parents and children.
    view = page.canvas.view
    tag = view.mapFromScene(scene.edges[edge].tag.center())
    point_at(view.viewport(), tag)
    bright = {name for name, item in scene.nodes.items() if item.opacity() == 1}
    assert bright == {*edge, *(names[v] for v in common)}
    qtbot.mouseClick(view.viewport(), LEFT, pos=tag)
    assert app.workspace.selection.edges == (edge,)
    qtbot.waitUntil(lambda: inspector_text(window, "inspectorEdgeTitle") == " – ".join(edge))
    assert "vanishes in 1 context" in inspector_text(window, "inspectorEdgeFacts")
    driver.click_canvas(page, driver.head(page, edge[0]))
    near = len(learned.structure.neighbours[i])
    qtbot.waitUntil(lambda: f"{near} neighbours" in inspector_text(window, "inspectorNodeFacts"))

    # In its context the edge is drawn as vanished, and the bar counts it.
    (row,) = learned.structure.contexts[i, j]
    context = {
        names[v]: learned.domain.variables[v].states[s] for v, s in zip(common, row, strict=True)
    }
    context_views(app).choose(model_id, context)
    qtbot.waitUntil(lambda: page.scene().edges[edge].edge.style is EdgeStyle.CONTEXTUAL_VANISHED)
    extension = page.extension
    assert isinstance(extension, MarkovExtension)
    assert extension.contexts.bar.text == f"1 of {len(learned.structure.edges)} edges vanishes"
    assert f"{' ⊥ '.join(edge)}" in inspector_text(window, "contextStatement")
    for name in context:
        driver.press(f"contextDrop.{name}")
    assert not context_views(app).context(model_id)

    # The context is unticked in the inspector, and undone; the scores follow.
    tag = view.mapFromScene(page.scene().edges[edge].tag.center())
    qtbot.mouseClick(view.viewport(), LEFT, pos=tag)
    section = window.findChild(EdgeSections)
    assert isinstance(section, EdgeSections)
    qtbot.waitUntil(lambda: section.cost.facts.get("Log MPL") == "−6\u202f371.69", timeout=LONG_MS)

    def is_placed() -> bool:
        box = section.rows.box(row)
        return box.hitButton(box.rect().center())

    qtbot.waitUntil(is_placed)
    qtbot.mouseClick(section.rows.box(row), LEFT)
    fewer = app.project.models[model_id].model
    assert isinstance(fewer, MarkovNetwork)
    assert (i, j) not in fewer.structure.contexts
    qtbot.waitUntil(lambda: section.cost.facts["Free parameters"].startswith("10 "))
    qtbot.waitUntil(lambda: "Log MPL" in section.cost.facts, timeout=LONG_MS)
    driver.do("edit.undo")
    assert app.project.models[model_id].model is learned

    # A potential is typed in the table, and undone.
    driver.click_canvas(page, driver.head(page, "physical_work"))
    driver.do("model.set-potential")
    editor = window.findChild(PotentialEditor)
    assert isinstance(editor, PotentialEditor)
    cell = editor.table.model().index(0, len(editor.clique or ()))
    editor.table.setCurrentIndex(cell)
    editor.table.edit(cell)
    field = editor.table.findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    field.selectAll()
    QTest.keyClicks(field, "2.5")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.project.models[model_id].model is not learned)
    typed = app.project.models[model_id].model
    assert isinstance(typed, MarkovNetwork)
    assert any(2.5 in table for table in typed.potentials)
    driver.do("edit.undo")
    assert app.project.models[model_id].model is learned

    # An edge less and one more; undo restores the same bytes.
    before = model_bytes(learned)
    view.fit()
    tag = view.mapFromScene(page.scene().edges[edge].tag.center())
    qtbot.mouseClick(view.viewport(), LEFT, pos=tag)
    driver.do("model.delete")
    smaller = app.project.models[model_id].model
    assert isinstance(smaller, MarkovNetwork)
    assert edge not in smaller.undirected_edges
    driver.do("model.draw-edges")
    driver.drag(view.viewport(), driver.head(page, edge[0]), driver.head(page, edge[1]))
    page.choose_tool("select")
    stack = app.document.undo_stack
    assert [stack.text(stack.count() - n) for n in (2, 1)] == [
        f"Delete {' – '.join(edge)}",
        f"Add {' – '.join(edge)}",
    ]
    driver.do("edit.undo")
    driver.do("edit.undo")
    assert model_bytes(app.project.models[model_id].model) == before
    assert not app.actions["model.reverse"].isEnabled()

    # Evidence by a click on a bar.
    name, state = names[0], learned.domain.variables[0].states[0]
    page = driver.model_page()
    driver.do("view.actual-size")
    view.centerOn(page.scene().nodes[name])
    driver.click_canvas(page, driver.bar(page, name, state))
    live = app.workspace.beliefs(model_id)
    qtbot.waitUntil(lambda: not live.is_stale, timeout=LONG_MS)
    session = language_of(learned).open_session(learned)
    session.set_evidence(name, Observed(state))
    for other in names:
        assert live.beliefs[other] == pytest.approx(session.belief(other).values, abs=1e-12)

    # The picture and the structure are exported.
    driver.do("file.export")
    dialog = window.findChild(ExportDialog, "exportDialog")
    assert isinstance(dialog, ExportDialog)
    assert dialog.export_to(tmp_path / "coronary.svg")
    assert (tmp_path / "coronary.svg").stat().st_size
    write_model(tmp_path / "coronary.mn", learned)
    text = read_model(tmp_path / "coronary.mn").model
    assert isinstance(text, MarkovNetwork)
    assert text.structure == learned.structure

    # The κ path: the model without contexts is opened and compared.
    driver.do("learn.markov-kappa-path")
    path = app.center.current
    assert isinstance(path, RunResultPage)
    path.table.select(0)
    driver.press("markovKappaOpen")
    plain_id = app.workspace.model_id
    assert plain_id not in (None, model_id)
    driver.do("model.difference")
    difference = app.center.current
    assert isinstance(difference, DifferencePage)
    difference.choose(model_id, str(plain_id))
    qtbot.waitUntil(lambda: bool(difference.canvas.scene.edges), timeout=LONG_MS)
    drawn = {frozenset(ends) for ends in difference.canvas.scene.edges}
    assert drawn == {frozenset(ends) for ends in learned.undirected_edges}

    # Saved and opened again.
    path = tmp_path / "coronary.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    trigger(window, "file.save")
    qtbot.waitUntil(lambda: app.document.is_saved, timeout=LONG_MS)
    project = app.project
    open_file(app, path)
    qtbot.waitUntil(lambda: app.project is not project, timeout=LONG_MS)
    assert model_bytes(app.project.models[model_id].model) == before
