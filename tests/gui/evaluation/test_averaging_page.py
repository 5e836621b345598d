"""Evaluate ▸ Average models: ticked models, weights by their posterior, and the mixture."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.analysis.model_averaging import average_models
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.evaluation.averaging_page import AveragingPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.strategies import random_mixture


def test_ticked_models_are_averaged_by_their_posterior_or_by_typed_weights(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    assert not app.actions["evaluate.average"].isEnabled()
    mixture = random_mixture(np.random.default_rng(4), 4, 2)
    rows = mixture.sample(40, np.random.default_rng(0))
    app.change("Import", partial(edits.add_data, entry=DataEntry("rows", rows)))
    models = {"m1": mixture, "m2": mixture.trees[0], "m3": mixture.trees[1]}
    for key, model in models.items():
        entry = ModelEntry(key, model, data_id="d1")
        app.change("Open", partial(edits.add_model, entry=entry))
    app.actions.refresh()
    app.actions["evaluate.average"].trigger()
    page = app.center.current
    assert isinstance(page, AveragingPage)
    page.table.ticked.emit(2, False)
    two = {key: models[key] for key in ("m1", "m2")}
    expected = average_models(two, rows)

    def weights() -> list[float | None]:
        return [line.weight for line in page.table.rows]

    qtbot.waitUntil(lambda: weights() == [*expected.weights.values(), None])
    page.table.edited.emit(0, 4, "a lot")
    assert "not a number" in page.note.text
    page.table.edited.emit(0, 4, "3")
    page.table.edited.emit(1, 4, "1")
    qtbot.waitUntil(lambda: weights() == [0.75, 0.25, None])
    page.make.click()
    made = app.project.models["m4"].model
    assert isinstance(made, TreeMixture)
    assert made.weights == pytest.approx([*(0.75 * mixture.weights), 0.25])
    assert app.workspace.model_id == "m4"
    assert app.project.models["m4"].provenance["average"] == {"m1": 0.75, "m2": 0.25}


def test_a_model_without_weight_can_be_deleted_while_its_average_is_shown(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    mixture = random_mixture(np.random.default_rng(4), 4, 2)
    for tree in (mixture, *mixture.trees):
        app.change("Open", partial(edits.add_model, entry=ModelEntry("tree", tree)))
    app.actions.refresh()
    app.actions["evaluate.average"].trigger()
    page = app.center.current
    assert isinstance(page, AveragingPage)
    for number, weight in enumerate(("1", "1", "0")):
        page.table.edited.emit(number, 4, weight)
    qtbot.waitUntil(lambda: "without weight" in page.facts.text())
    app.change("Delete", partial(edits.remove_model, model_id="m3"))
    qtbot.waitUntil(lambda: [line.weight for line in page.table.rows] == [0.5, 0.5])
    page.table.edited.emit(0, 4, "-1")
    qtbot.waitUntil(lambda: "at least 0" in page.note.text)
    assert [line.weight for line in page.table.rows] == [None, None]  # not those of before
    assert not page.make.isEnabled()
