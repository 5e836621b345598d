"""The table editor: typed numbers wait for a sum of 1, then they are one undoable change."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSlider,
    QTableView,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.transforms import reorder_states
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.edits import rename_model, replace_data
from pgmstudio.gui.cpt_editor.grid import TableGrid, parse_probability
from pgmstudio.gui.cpt_editor.panel import TablePanel
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.widgets.chip import ChipLabel
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.gui.samples import add_sprinkler


@pytest.fixture
def panel(window: MainWindow) -> TablePanel:
    add_sprinkler(window.app)
    window.reveal("tablePanel")
    window.app.workspace.select(["wet"])
    result = panel_widget(window, "tablePanel")
    assert isinstance(result, TablePanel)
    return result


def grid(panel: TablePanel) -> TableGrid:
    model = panel.findChild(QTableView, "tableGrid").model()
    assert isinstance(model, TableGrid)
    return model


def network(window: MainWindow) -> BayesianNetwork:
    model = window.app.project.models["m1"].model
    assert isinstance(model, BayesianNetwork)
    return model


def type_number(panel: TablePanel, combination: int, state: int, text: str) -> None:
    model = grid(panel)
    assert model.setData(model.index(model.head_rows + state, combination + 1), text)


def test_the_selected_variable_is_shown_with_its_parents(panel: TablePanel) -> None:
    model = grid(panel)
    assert [parent.name for parent in model.parents] == ["rain", "sprinkler"]
    assert model.index(0, 0).data() == "rain"
    assert model.index(1, 4).data() == "on"
    assert model.index(3, 2).data() == "0.90"
    assert model.index(5, 0).data() == "Rows in data"


def test_numbers_wait_until_the_column_sums_to_one(window: MainWindow, panel: TablePanel) -> None:
    before = window.app.project
    type_number(panel, 3, 0, "0.04")
    assert panel.waits
    assert window.app.project is before
    assert panel.findChild(ChipLabel, "tableChip").chip.text == "sums to 1.03"
    type_number(panel, 3, 1, "96 %")
    assert not panel.waits
    assert network(window).table("wet")[1, 1].tolist() == [0.04, 0.96]
    window.app.document.undo_stack.undo()
    assert window.app.project is before


def test_undo_takes_back_numbers_that_wait_before_anything_else(
    window: MainWindow, panel: TablePanel
) -> None:
    app = window.app
    beliefs = app.workspace.beliefs("m1")
    beliefs.click_state("rain", "yes")
    before, values = app.project, grid(panel).values.copy()
    type_number(panel, 3, 0, "0.04")
    type_number(panel, 2, 0, "0.5")
    assert app.history.undo_text == "Undo the number typed into the table of wet"
    app.history.undo()
    assert grid(panel).wrong_columns() == [3]
    app.history.undo()
    assert grid(panel).values.tolist() == values.tolist()
    assert not panel.waits
    assert app.project is before
    assert dict(beliefs.evidence)  # what was done before the numbers still stands
    app.history.undo()
    assert not dict(beliefs.evidence)


def test_undo_takes_back_what_was_done_after_a_number_that_waits(
    window: MainWindow, panel: TablePanel
) -> None:
    app = window.app
    type_number(panel, 3, 0, "0.04")
    beliefs = app.workspace.beliefs("m1")
    beliefs.click_state("rain", "yes")
    app.history.undo()
    assert not dict(beliefs.evidence)
    assert panel.waits


def test_fix_it_completes_the_last_number(window: MainWindow, panel: TablePanel) -> None:
    type_number(panel, 1, 1, "0.5")
    panel.findChild(QPushButton, "tableFix").click()
    assert network(window).table("wet")[0, 1].tolist() == pytest.approx([0.1, 0.9])


def test_normalise_scales_what_does_not_sum_to_one(window: MainWindow, panel: TablePanel) -> None:
    type_number(panel, 1, 0, "0.6")
    panel.findChild(QPushButton, "tableNormalise").click()
    assert network(window).table("wet")[0, 1].tolist() == pytest.approx([0.4, 0.6])


def test_fill_from_data_gives_smoothed_frequencies(window: MainWindow, panel: TablePanel) -> None:
    data = window.app.project.data["d1"].data
    panel.findChild(QPushButton, "tableFill").click()
    rain, sprinkler, wet = (data.column(name) for name in ("rain", "sprinkler", "wet"))
    chosen = (rain == 0) & (sprinkler == 1)
    expected = (np.sum(chosen & (wet == 1)) + 1) / (np.sum(chosen) + 2)
    assert network(window).table("wet")[0, 1, 1] == pytest.approx(expected)


def test_rows_count_whatever_the_order_of_their_states(
    window: MainWindow, panel: TablePanel
) -> None:
    fill = panel.findChild(QPushButton, "tableFill")
    fill.click()
    expected = network(window).table("wet").copy()
    states = window.app.project.data["d1"].data.domain["wet"].states
    other = reorder_states(window.app.project.data["d1"].data, "wet", states[::-1])
    panel.findChild(QPushButton, "tableRandomise").click()
    assert window.app.change("Reorder", partial(replace_data, data_id="d1", data=other))
    window.app.workspace.select(["rain"])
    window.app.workspace.select(["wet"])
    assert fill.isEnabled()
    fill.click()
    assert np.array_equal(network(window).table("wet"), expected)


def test_a_copied_table_comes_back_bit_for_bit(window: MainWindow, panel: TablePanel) -> None:
    original = network(window).table("wet").copy()
    panel.copy()
    text = QApplication.clipboard().text()
    assert text.splitlines()[0].split("\t") == ["rain", "no", "no", "yes", "yes"]
    panel.findChild(QPushButton, "tableRandomise").click()
    assert not np.array_equal(network(window).table("wet"), original)
    QApplication.clipboard().setText(text)
    panel.paste()
    assert np.array_equal(network(window).table("wet"), original)


def test_text_that_is_no_number_is_refused_with_its_place(
    window: MainWindow, panel: TablePanel
) -> None:
    before = window.app.project
    QApplication.clipboard().setText("0.5\tmany")
    sentences: list[str] = []
    window.app.errors.message.connect(sentences.append)
    panel.paste()
    assert window.app.project is before
    assert "“many” in row 1, column 2" in sentences[0]


def test_complement_takes_what_is_missing(window: MainWindow, panel: TablePanel) -> None:
    type_number(panel, 0, 0, "0.7")
    view = panel.findChild(QTableView, "tableGrid")
    index = grid(panel).index(3, 1)
    view.selectionModel().select(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    panel.findChild(QPushButton, "tableComplement").click()
    assert network(window).table("wet")[0, 0].tolist() == pytest.approx([0.7, 0.3])


def test_typing_in_the_grid_edits_the_cell(
    qtbot: QtBot, window: MainWindow, panel: TablePanel
) -> None:
    window.app.workspace.select(["rain"])
    view = panel.findChild(QTableView, "tableGrid")
    for row, text in ((0, "0.25"), (1, "0.75")):
        index = grid(panel).index(row, 1)
        view.setCurrentIndex(index)
        view.edit(index)
        editor = view.viewport().findChild(QLineEdit)
        editor.selectAll()
        qtbot.keyClicks(editor, text)
        qtbot.keyClick(editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: view.viewport().findChild(QLineEdit) is None)
    assert network(window).table("rain").tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5),
        ("20 %", 0.2),
        ("0,25", 0.25),
        ("1", 1.0),
        ("2", None),
        ("x", None),
        ("-1", None),
    ],
)
def test_probabilities_are_read_as_people_write_them(text: str, number: float | None) -> None:
    assert parse_probability(text) == (None if number is None else pytest.approx(number))


def test_beliefs_wait_for_the_table_and_say_so(
    qtbot: QtBot, window: MainWindow, panel: TablePanel
) -> None:
    open_model_page(window.app, "m1")
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.scene().nodes))
    window.app.workspace.select(["sprinkler"])
    inspected = panel_widget(window, "inspectorPanel")
    assert isinstance(inspected, InspectorPanel)
    live = window.app.workspace.beliefs("m1")
    qtbot.waitUntil(lambda: not live.is_stale)
    qtbot.waitUntil(inspected.node.isVisible)
    before = live.beliefs
    type_number(panel, 0, 0, "0.5")
    faces = {name: item.face.is_stale for name, item in page.scene().nodes.items()}
    assert faces == {"rain": False, "sprinkler": True, "wet": True}  # itself and below
    fact = inspected.node.belief._belief.fact
    qtbot.waitUntil(lambda: fact.text() == "waits for the table")
    waits = window.findChild(QPushButton, "statusWaits")
    assert waits.isVisible()
    assert waits.text() == "beliefs not updated: a column of sprinkler does not sum to 1"
    assert live.beliefs == before
    live.click_state("wet", "yes")  # evidence below is heard everywhere
    qtbot.waitUntil(lambda: all(item.face.is_stale for item in page.scene().nodes.values()))
    qtbot.mouseClick(panel.findChild(QPushButton, "tableFix"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not any(i.face.is_stale for i in page.scene().nodes.values()))
    assert not waits.isVisible()
    qtbot.waitUntil(lambda: fact.text() == "")


def test_typed_numbers_stay_while_something_else_changes(
    window: MainWindow, panel: TablePanel
) -> None:
    type_number(panel, 3, 0, "0.04")
    edit = partial(rename_model, model_id="m1", title="Garden")
    assert window.app.change("Rename", edit)
    assert panel.waits
    assert grid(panel).values[3, 0] == 0.04


def test_columns_within_epsilon_get_the_same_letter(
    qtbot: QtBot, window: MainWindow, panel: TablePanel
) -> None:
    model = grid(panel)
    rows = model.rowCount()
    box = panel.findChild(QCheckBox, "tableSimilar")
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    assert model.rowCount() == rows + 1
    position = model.head_rows + model.state_count + 1

    def letters() -> list[object]:
        return [model.index(position, column).data() for column in range(5)]

    assert letters() == ["Similar", "A", "B", "C", "D"]
    cpt_edit_session(window.app).set_similarity(marks=True, epsilon=0.1)
    assert letters() == ["Similar", "A", "B", "C", "B"]  # 0.90 and 0.99
    tints = [model.index(position, c).data(Qt.ItemDataRole.BackgroundRole) for c in (2, 4, 3)]
    assert tints[0] == tints[1] != tints[2]
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    assert model.rowCount() == rows


def test_the_inspector_shows_which_columns_are_similar(
    qtbot: QtBot, window: MainWindow, panel: TablePanel
) -> None:
    inspected = panel_widget(window, "inspectorPanel")
    assert isinstance(inspected, InspectorPanel)
    inspected.node.show_tab("table")
    slider = inspected.findChild(QSlider, "similarSlider")
    words = inspected.findChild(QLabel, "similarNote")
    qtbot.waitUntil(slider.isVisible)
    assert words.text() == (
        "All 4 columns differ by more than ε. At 0.09, (no, on) and (yes, on) become one kind."
    )
    slider.setFocus()
    for _ in range(4):
        qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() == 9
    assert words.text().startswith("4 columns are 3 kinds. At 0.19,")
    field = inspected.findChild(QDoubleSpinBox, "similarEpsilon")
    assert field.value() == 0.09
    field.setValue(1.0)
    assert words.text() == "All 4 columns are similar: the parents make no difference beyond ε."
    assert panel.findChild(QCheckBox, "tableSimilar").isChecked()


def test_a_narrow_bar_drops_words_and_never_cuts_them(
    qtbot: QtBot, window: MainWindow, panel: TablePanel
) -> None:
    window.resize(960, 640)
    window.reveal("tablePanel")
    type_number(panel, 3, 0, "0.04")
    qtbot.wait(0)
    shown = [made for made in panel.findChildren(QPushButton) if made.isVisible()]
    assert shown
    for made in shown:
        assert made.width() >= made.sizeHint().width(), made.objectName()
