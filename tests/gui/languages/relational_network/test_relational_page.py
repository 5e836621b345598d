"""A relational network in the general model page: learned, drawn, asked, edited and saved."""

from __future__ import annotations

from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.io.project.project_file import project_bytes, project_from_bytes
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.params import parse_params
from pgmstudio.core.project import edits
from pgmstudio.core.project.model_edits import remove_edge
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.learning.lecture_data import GEOMETRIC
from tests.gui.asia import inspector

LEARNER = "relational.spanning-tree"
LONG_MS = 60_000
# Actions of the window that need probabilities.
NOT_OFFERED = ("evidence.ask-next", "evidence.sensitivity", "data.sample", "evaluate.classify")


@pytest.mark.slow
def test_a_relation_is_learned_asked_edited_and_saved(qtbot: QtBot, window: MainWindow) -> None:
    app = window.app
    app.change("Import", partial(edits.add_data, entry=DataEntry("objects", GEOMETRIC)))
    (data_id,) = app.project.data
    params = parse_params(learner_of(LEARNER).params_type, {})
    run = run_recorder(app).start(RunRequest("Objects", LEARNER, params, 1, data_id))
    qtbot.waitUntil(lambda: run.state.is_end, timeout=LONG_MS)
    qtbot.waitUntil(lambda: bool(app.project.runs))
    (model_id,) = (record.model_id for record in app.project.runs.values())
    assert model_id is not None
    open_model_page(app, model_id)
    page = WindowDriver(window).model_page()
    scene = page.scene()
    qtbot.waitUntil(lambda: set(scene.edges) == {("color", "shape"), ("shape", "size")})
    assert not any(item.edge.style.has_arrow for item in scene.edges.values())

    # Evidence: what is possible, and what is not.
    page.canvas.signals.click_state.emit("shape", "triangle")
    nodes = scene.nodes
    qtbot.waitUntil(lambda: nodes["color"].face.beliefs == pytest.approx((0, 1, 0, 1)))
    assert nodes["size"].face.beliefs == pytest.approx((0, 1, 1))
    described = nodes["size"].face.description
    assert described == "size, small impossible, medium possible, large possible"
    for action in NOT_OFFERED:
        assert not app.actions[action].isEnabled()

    assert app.change(
        "Remove", partial(remove_edge, model_id=model_id, source="shape", target="size")
    )
    edited = app.project.models[model_id].model
    assert isinstance(edited, RelationalNetwork)
    assert edited.tuple_count == 18
    # The inspector compares the graph with the rows.
    app.workspace.select((), ())
    facts = inspector(window).model.facts
    qtbot.waitUntil(lambda: facts.facts.get("Additional tuples") == "8")
    assert facts.facts["Tuples of the data"] == "10"
    again = project_from_bytes(project_bytes(app.project)).models[model_id].model
    assert isinstance(again, RelationalNetwork)
    assert again.tuple_count == 18
