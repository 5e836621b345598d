"""Evaluate ▸ Classify a target: numbers, pictures, rows of a cell, features on the canvas."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.analysis.classification import classify
from pgmstudio.core.analysis.consensus import consensus_of
from pgmstudio.core.data.resampling import split
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry, Outcome, Run
from pgmstudio.gui.evaluation.actions import open_classification
from pgmstudio.gui.evaluation.classification_page import ClassificationPage, Numbers
from pgmstudio.gui.evaluation.classification_task import Answer
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler, add_votes
from tests.strategies import random_mixture

LEFT = Qt.MouseButton.LeftButton


def answered(qtbot: QtBot, page: ClassificationPage) -> Answer:
    """What the page shows once it is up to date."""
    qtbot.waitUntil(lambda: page.answer is not None and not page.is_stale, timeout=30_000)
    assert page.answer is not None
    return page.answer


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> ClassificationPage:
    """Sprinkler, predicting whether the grass is wet."""
    app = window.app
    open_model_page(app, add_sprinkler(app))
    app.workspace.select(["wet"])
    app.actions.refresh()
    app.actions["evaluate.classify"].trigger()
    result = app.center.current
    assert isinstance(result, ClassificationPage)
    answered(qtbot, result)
    return result


def test_the_page_shows_what_the_core_finds_and_the_canvas_what_is_used(
    window: MainWindow, qtbot: QtBot, page: ClassificationPage
) -> None:
    project = window.app.project
    result = classify(project.models["m1"].model, project.data["d1"].data, "wet")
    assert page.title == "Classify wet"
    assert page.numbers.text("accuracy").startswith(f"{100 * result.accuracy.value:.1f} %")
    assert page.numbers.text("brier") == f"{result.brier.value:.3f}"
    assert page.facts.text() == "400 rows evaluated"
    qtbot.waitUntil(
        lambda: bool(page.pictures.roc.curves) and bool(page.pictures.calibration.curves)
    )
    (name,) = page.pictures.roc.curves  # of two states one tells all
    assert name == f"no, AUC {result.roc[0].area:.3f}"
    assert page.pictures.roc.curves[name][1] == result.roc[0].true_rates.tolist()
    bins = next(
        v for k, v in page.pictures.calibration.curves.items() if k.startswith("most probable")
    )
    assert bins[0] == [one.probability for one in result.calibration.bins]
    used = [one.name for one in answered(qtbot, page).features if one.is_used]
    assert set(used) == {"rain", "sprinkler"}
    page.lists.views.button("consensus").click()
    consensus = consensus_of(project.models["m1"].model, "wet")
    shown = page.lists.consensus.model()
    names = list(consensus.variables)
    assert page.lists.consensus.columnWidth(0) >= page.lists.consensus.sizeHintForColumn(0)
    for state, column in zip(consensus.states, (1, 3), strict=True):
        assert shown.headerData(column, Qt.Orientation.Horizontal).strip() == state
        texts = [shown.index(row, column).data().strip() for row in range(len(names))]
        assert texts == [consensus.cells[state, name].text for name in names]
    assert "≥ 80 %" in page.lists.note.text()
    qtbot.mouseClick(page.lists.select, LEFT)
    assert window.app.workspace.model_id == "m1"
    assert window.app.workspace.target == "wet"
    assert set(window.app.workspace.selection.nodes) == {"wet", "rain", "sprinkler"}


def test_a_cell_lists_its_rows_and_a_row_becomes_evidence(
    window: MainWindow, qtbot: QtBot, page: ClassificationPage
) -> None:
    result = answered(qtbot, page).result
    page.pictures.confusion.setFocus()
    qtbot.keyClick(page.pictures.confusion, Qt.Key.Key_Right)
    qtbot.keyClick(page.pictures.confusion, Qt.Key.Key_Return)
    assert page.lists.row_numbers == tuple(result.rows_of_cell(0, 1).tolist())
    true, chosen = np.unravel_index(int(result.confusion.argmax()), result.confusion.shape)
    position = page.pictures.confusion.cell_rect(
        result.states[true], result.states[chosen]
    ).center()
    qtbot.mouseClick(page.pictures.confusion, LEFT, pos=position.toPoint())
    assert page.lists.views.current == "rows"
    assert page.lists.row_numbers == tuple(result.rows_of_cell(int(true), int(chosen)).tolist())
    page.lists.rows.setFocus()
    page.lists.rows.selectRow(0)
    number = page.lists.row_numbers[0]
    page.lists.rows.activated.emit(page.lists.rows.currentIndex())
    assert isinstance(window.app.center.current, ModelPage)
    evidence = window.app.workspace.beliefs("m1").evidence
    data = window.app.project.data["d1"].data
    assert evidence == {
        name: Observed(data.domain[name].states[data.column(name)[number]])
        for name in ("rain", "sprinkler")
    }


def test_another_target_other_rows_another_model(
    window: MainWindow, qtbot: QtBot, page: ClassificationPage
) -> None:
    app = window.app
    data = app.project.data["d1"].data
    app.change("Split", partial(edits.set_split, data_id="d1", split=split(data, (0.75, 0.25), 1)))
    answered(qtbot, page)
    words = [page.row_sets.itemText(k) for k in range(page.row_sets.count())]
    assert words[0] == "garden"
    assert len(words) == 3
    page.row_sets.setCurrentIndex(2)
    page.row_sets.activated.emit(2)
    assert answered(qtbot, page).result.row_count == 100
    position = page.targets.findData("rain")
    page.targets.setCurrentIndex(position)
    page.targets.activated.emit(position)
    assert answered(qtbot, page).result.target == "rain"
    # The rows of a cell are identified by their numbers in the whole data set.
    page.pictures.confusion.chosen.emit("no", "no")
    inside = app.project.data["d1"].split
    assert inside is not None
    assert set(page.lists.row_numbers) <= set(inside.indices[1].tolist())


def test_an_edit_makes_it_stale_and_live_again_stopping_leaves_it_stale(
    window: MainWindow, qtbot: QtBot, page: ClassificationPage
) -> None:
    before = answered(qtbot, page).result.brier.value
    model = window.app.project.models["m1"].model
    assert isinstance(model, BayesianNetwork)
    other = model.with_table("rain", np.array([0.2, 0.8]))
    window.app.change("Edit", partial(edits.replace_model, model_id="m1", model=other))
    assert page.is_stale
    after = answered(qtbot, page).result
    expected = classify(other, window.app.project.data["d1"].data, "wet")
    assert after.brier.value == pytest.approx(expected.brier.value)
    assert window.app.document.undo_stack.canUndo()
    window.app.document.undo_stack.undo()
    assert answered(qtbot, page).result.brier.value == pytest.approx(before)
    # Stopped, the numbers known before stay and are called stale.
    page.targets.activated.emit(page.targets.findData("rain"))
    page.stop()
    assert page.is_stale
    assert "Outdated" in page.note.text
    again = page.findChild(QPushButton, "classifyAgain")
    assert again is not None
    qtbot.mouseClick(again, LEFT)
    assert answered(qtbot, page).result.target == "rain"
    assert page.note.text == ""
    window.app.change("Delete", partial(edits.remove_model, model_id="m1"))
    assert page.model_id is None
    assert "no probabilistic model" in page.note.text


def test_every_plot_is_a_table_and_a_file(
    qtbot: QtBot, page: ClassificationPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, card in page.pictures.cards.items():
        qtbot.mouseClick(card.as_table, LEFT)
        assert card.list is not None
        assert card.list.isVisible()
        path = tmp_path / f"{name}.csv"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path: (str(path), ""))
        qtbot.mouseClick(card.exporter, LEFT)
        qtbot.waitUntil(path.exists)
        with path.open() as stream:
            assert len(list(csv.reader(stream))) - 1 == card.list.model().rowCount()
        qtbot.mouseClick(card.as_table, LEFT)
        assert card.picture.isVisible()
    path = tmp_path / "predictions.csv"
    page.export_predictions(path)
    qtbot.waitUntil(path.exists)
    with path.open() as stream:
        lines = list(csv.DictReader(stream))
    assert len(lines) == 400
    assert {line["predicted_wet"] for line in lines} <= {"no", "yes"}


def test_mixtures_and_classes_predict_too_the_choice_variable_first(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    model = random_mixture(np.random.default_rng(4), 4, 3, is_visible=True)
    rows = model.sample(200, np.random.default_rng(5))
    app.change("Import", partial(edits.add_data, entry=DataEntry("rows", rows)))
    app.change("Open", partial(edits.add_model, entry=ModelEntry("Trees", model, data_id="d1")))
    open_model_page(app, "m1")
    page = open_classification(app)
    assert isinstance(page, ClassificationPage)
    answer = answered(qtbot, page)
    assert answer.result.target == "choice"
    qtbot.waitUntil(lambda: len(page.pictures.roc.curves) == 3)
    assert [name.split(",")[0] for name in page.pictures.roc.curves] == ["k0", "k1", "k2"]
    for kind in ("mixture", "classes"):
        open_model_page(app, add_votes(app, kind))
        open_classification(app, "ban")
        answer = answered(qtbot, page)
        assert answer.result.target == "ban"
        assert answer.features[0].is_used


def test_rows_the_model_was_learned_from_are_pointed_out_and_a_split_is_offered(
    window: MainWindow, qtbot: QtBot, page: ClassificationPage
) -> None:
    app = window.app
    offer = page.findChild(QPushButton, "classifySplit")
    assert not page.has_learning_rows
    assert offer.isHidden(), "nothing is known of the rows of a model without a run"
    data = app.project.data["d1"].data
    run = Run("bn.hc", {}, 0, data.fingerprint, "0", Outcome.FINISHED, data_id="d1")
    entry = replace(app.project.models["m1"], run_id="r1")
    app.change("Learn", lambda project: replace(project, runs={"r1": run}, models={"m1": entry}))
    page._ask()
    qtbot.waitUntil(lambda: not offer.isHidden())
    qtbot.mouseClick(offer, LEFT)
    assert app.center.current is app.center.page("data:d1")


def test_measures_take_two_lines_where_one_is_too_narrow(qtbot: QtBot) -> None:
    page = QWidget()
    numbers = Numbers()
    numbers.setParent(page)
    qtbot.addWidget(page)
    page.show()

    def lines() -> int:
        return len({cell.y() for cell in numbers.findChildren(QWidget) if cell.parent() is numbers})

    numbers.resize(round(1000 * theme().scale), 60)
    qtbot.waitUntil(lambda: lines() == 1)
    numbers.resize(round(400 * theme().scale), 120)
    qtbot.waitUntil(lambda: lines() == 2)
