"""The walk with a Markov network: learned with contexts, viewed in one, edited, asked and saved."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from pgmstudio.core.drawing.diagram import EdgeStyle
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import render
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.model import Model
from pgmstudio.core.params import parse_params
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.languages.markov_network.inspector import EdgeSections
from pgmstudio.gui.languages.markov_network.page_extension import MarkovExtension
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.walking import trigger

ROWS = Path(__file__).resolve().parents[3] / "sample_data" / "coronary.csv"
LEARNER = "mn.contextual"
LONG_MS = 60_000


def model_bytes(model: Model) -> bytes:
    return render(ModelFile(model), Path("m.json"))[0]


def learned_model(qtbot: QtBot, app: AppContext) -> str:
    rows = import_data(ROWS, ImportOptions()).data
    app.change("Import", partial(edits.add_data, entry=DataEntry("coronary", rows)))
    (data_id,) = app.project.data
    params = parse_params(learner_of(LEARNER).params_type, {"kappa": "0.01"})
    run = run_recorder(app).start(RunRequest("Contexts", LEARNER, params, 1, data_id))
    qtbot.waitUntil(lambda: run.state.is_end, timeout=LONG_MS)
    qtbot.waitUntil(lambda: bool(app.project.runs))
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
    model_id = learned_model(qtbot, app)
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
    assert page.extension.describe_edge(*edge).startswith("vanishes when\n")

    # The inspector has no parents and children.
    app.workspace.select((), (edge,))
    qtbot.waitUntil(lambda: inspector_text(window, "inspectorEdgeTitle") == " – ".join(edge))
    assert "vanishes in 1 context" in inspector_text(window, "inspectorEdgeFacts")
    app.workspace.select((edge[0],))
    near = len(learned.structure.neighbours[i])
    qtbot.waitUntil(lambda: f"{near} neighbours" in inspector_text(window, "inspectorNodeFacts"))

    # In its context the edge is drawn as vanished, and the bar counts it.
    (row,) = learned.structure.contexts[i, j]
    common = learned.structure.common_neighbours(i, j)
    context = {
        names[v]: learned.domain.variables[v].states[s] for v, s in zip(common, row, strict=True)
    }
    context_views(app).choose(model_id, context)
    qtbot.waitUntil(lambda: page.scene().edges[edge].edge.style is EdgeStyle.CONTEXTUAL_VANISHED)
    extension = page.extension
    assert isinstance(extension, MarkovExtension)
    assert extension.contexts.bar.text == f"1 of {len(learned.structure.edges)} edges vanishes"
    context_views(app).choose(model_id, {})

    # The context is unticked in the inspector, and undone.
    app.workspace.select((), (edge,))
    section = window.findChild(EdgeSections)
    assert isinstance(section, EdgeSections)
    section.rows.box(row).click()
    fewer = app.project.models[model_id].model
    assert isinstance(fewer, MarkovNetwork)
    assert (i, j) not in fewer.structure.contexts
    app.document.undo_stack.undo()
    assert app.project.models[model_id].model is learned

    # An edge less and one more; undo restores the same bytes.
    before = model_bytes(learned)
    page.editing.delete((), [edge])
    smaller = app.project.models[model_id].model
    assert isinstance(smaller, MarkovNetwork)
    assert edge not in smaller.undirected_edges
    page.editing.add_edge(*edge)
    stack = app.document.undo_stack
    assert [stack.text(stack.count() - n) for n in (2, 1)] == [
        f"Delete {' – '.join(edge)}",
        f"Add {' – '.join(edge)}",
    ]
    stack.undo()
    stack.undo()
    assert model_bytes(app.project.models[model_id].model) == before
    assert not app.actions["model.reverse"].isEnabled()

    # Evidence by a click on a bar.
    name, state = names[0], learned.domain.variables[0].states[0]
    page = driver.model_page()
    page.canvas.signals.click_state.emit(name, state)
    live = app.workspace.beliefs(model_id)
    qtbot.waitUntil(lambda: not live.is_stale, timeout=LONG_MS)
    session = language_of(learned).open_session(learned)
    session.set_evidence(name, Observed(state))
    for other in names:
        assert live.beliefs[other] == pytest.approx(session.belief(other).values, abs=1e-12)

    # Saved and opened again.
    path = tmp_path / "coronary.pgmz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    trigger(window, "file.save")
    qtbot.waitUntil(lambda: app.document.is_saved, timeout=LONG_MS)
    project = app.project
    open_file(app, path)
    qtbot.waitUntil(lambda: app.project is not project, timeout=LONG_MS)
    assert model_bytes(app.project.models[model_id].model) == before
