"""Hidden variables in the window: learned, drawn as blocks, tested, and their candidates listed."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.generators.hidden_variable_models import (
    TreeHParams,
    tree_h,
    tree_h_model,
)
from pgmstudio.core.languages.tree_mixture.diagrams import PARTITION
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.params import HiddenParams
from pgmstudio.core.languages.tree_mixture.model import partition_of
from pgmstudio.core.project.edits import add_data, add_model
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.languages.tree_mixture.inspector import PartitionSection
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.saved_runs import add_ended_run
from tests.hidden_levels import pair_model, two_level_rows

LONG_MS = 60_000


def section_of(window: MainWindow) -> PartitionSection:
    result = window.findChild(PartitionSection, "inspectorPartition")
    assert isinstance(result, PartitionSection)
    return result


def test_blocks_are_drawn_on_grounds_around_the_hidden_variable(
    qtbot: QtBot, window: MainWindow
) -> None:
    app, driver = window.app, WindowDriver(window)
    model = tree_h_model(TreeHParams(states=2), np.random.default_rng(0))
    app.change("Add", lambda p: add_model(p, entry=ModelEntry("Blocks", model)))
    open_model_page(app, next(iter(app.project.models)))
    page = driver.model_page()
    layer = page.canvas.partition
    assert layer.areas == {}
    driver.press(f"picture.{PARTITION}")
    qtbot.waitUntil(lambda: len(layer.areas) == 3)
    assert page.picture_name == PARTITION
    nodes = page.canvas.scene.nodes
    for number, block in enumerate(partition_of(model) or (), start=1):
        area = layer.areas[f"Block {number}"]
        assert all(area.contains(nodes[name].box) for name in block)
        assert not any(area.intersects(o) for o in layer.areas.values() if o is not area)
    assert any("block" in entry.text for entry in page.legend_entries())
    # An area follows its nodes; a head is no variable and selecting it harms nothing.
    before = layer.areas["Block 1"]
    nodes["V1"].setPos(nodes["V1"].x() - 300, nodes["V1"].y())
    page.canvas.scene.contents_changed.emit()
    assert layer.areas["Block 1"].left() < before.left()
    page.canvas.signals.select.emit(("Block 1:",), ())
    page.canvas.signals.select.emit((), ())
    driver.press("picture.overlay")
    qtbot.waitUntil(lambda: layer.areas == {})
    # What is known of the blocks without a run: their rule (for two hidden states only), no test.
    section = section_of(window)
    assert "Identifiability is unknown" in section.identifiable.text
    assert section.tested.text == ""


@pytest.mark.slow
def test_a_search_shows_its_test_and_its_candidates(qtbot: QtBot, window: MainWindow) -> None:
    app, driver = window.app, WindowDriver(window)
    data = tree_h(TreeHParams(), np.random.default_rng(2), 1500)
    app.change("Add", lambda p: add_data(p, entry=DataEntry("Rows", data)))
    (data_id,) = app.project.data
    reason = app.actions.specs["learn.hidden-scan"].disabled_reason
    assert reason is not None
    assert reason() == "learn with Hidden variables first."
    params = HiddenParams(components=(2, 3), restarts=1)
    form = open_learn_page(app)
    form.fill(RunRequest("Search", "mixture.hidden", params, 1, data_id, "all"))
    driver.press("learnStart")
    (run,) = app.workspace.runs.runs
    qtbot.waitUntil(lambda: run.state.is_end, timeout=LONG_MS)
    driver.press("runOpenBest")
    page = driver.model_page()
    assert page.model_id is not None
    section = section_of(window)
    qtbot.waitUntil(lambda: "held-out rows" in section.tested.text)
    assert "Identifiability is unknown" in section.identifiable.text
    assert section.blocks.facts["Block 1"].startswith("V1")
    driver.press("inspectorCandidates")
    candidates = app.center.current
    assert isinstance(candidates, RunResultPage)
    assert candidates.table.current is not None
    assert "2 models" in candidates.facts.text()
    assert candidates.details.text().splitlines()[-1] == section.tested.text


def test_blocks_with_separators_of_their_own_are_listed(qtbot: QtBot, window: MainWindow) -> None:
    app, driver = window.app, WindowDriver(window)
    settings = {"components": (2,), "restarts": 2, "levels": 2, "fine_bits": 3, "range_bits": 3}
    open_model_page(app, add_ended_run(app, two_level_rows(2400), "mixture.hidden", **settings))
    driver.model_page()
    qtbot.waitUntil(lambda: window.findChild(PartitionSection) is not None)
    section = section_of(window)
    qtbot.waitUntil(lambda: "divided." in section.tested.text)
    assert "2 hidden states of its own" in section.tested.text
    assert section.fact.text().endswith(" given the hidden variable")
    driver.press("inspectorCandidates")
    page = app.center.current
    assert isinstance(page, RunResultPage)
    assert " divided" in page.facts.text()
    assert "divisions" in page.tables


def test_a_pair_of_columns_is_the_root_of_the_partition(qtbot: QtBot, window: MainWindow) -> None:
    app, driver = window.app, WindowDriver(window)
    rows = pair_model(np.random.default_rng(3)).sample(2400, np.random.default_rng(4))
    settings = {"separator": "visible", "separator_columns": 2, "fine_bits": 2, "range_bits": 2}
    open_model_page(app, add_ended_run(app, rows, "mixture.hidden", **settings))
    driver.model_page()
    qtbot.waitUntil(lambda: window.findChild(PartitionSection) is not None)
    section = section_of(window)
    qtbot.waitUntil(lambda: "held-out rows" in section.tested.text)
    assert section.fact.text() == "2 given u and v"
    assert section.identifiable.text == "Identifiable: u and v are columns."
    driver.press(f"picture.{PARTITION}")
    page = driver.model_page()
    qtbot.waitUntil(lambda: len(page.canvas.partition.areas) == 2)
    roots = {node for node in page.canvas.scene.nodes if node in ("u", "v")}
    assert roots == {"u", "v"}
    (legend,) = [entry.text for entry in page.canvas.partition.legend_entries()]
    assert legend.endswith("given u and v")
    driver.press("inspectorCandidates")
    candidates = app.center.current
    assert isinstance(candidates, RunResultPage)
    pairs = candidates.tables["pairs"]
    last = len(pairs.columns) - 1
    assert pairs.columnWidth(last) >= pairs.sizeHintForColumn(last)  # thresholds are whole
