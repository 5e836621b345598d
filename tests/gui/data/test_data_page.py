"""The page of a data set: looking at rows, changing them, and acting on models from there."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QProgressBar,
    QPushButton,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.counting import ReportFraction
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import Associations, associations, summarise
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.edits import add_data, add_model
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.data import associations_tab as association_page
from pgmstudio.gui.data.associations_tab import AssociationTab, clustered_order
from pgmstudio.gui.data.columns_tab import ColumnsTab, StateEditor, merged_name
from pgmstudio.gui.data.page import DataPage, MissingTab, SplitTab, facts_of
from pgmstudio.gui.data.sample_page import SamplePage
from pgmstudio.gui.data.table_tab import RowChoice, rows_shown
from pgmstudio.gui.evidence.row_evidence import findings_of_row
from pgmstudio.gui.navigation import open_data_page, open_model_page

if TYPE_CHECKING:
    from pgmstudio.gui.window.main_window import MainWindow

WEATHER = Domain.of(
    {"rain": ("no", "yes"), "wind": ("calm", "breeze", "storm"), "grass": ("dry", "wet")}
)
ROWS: list[tuple[str | None, str | None, str | None]] = [
    ("yes", "storm", "wet"),
    ("no", "calm", "dry"),
    ("yes", None, "wet"),
    ("no", "breeze", "dry"),
    ("yes", "calm", "wet"),
    ("no", "calm", None),
]


@pytest.fixture
def page(window: MainWindow) -> DataPage:
    entry = DataEntry("weather", DataSet.from_rows(WEATHER, ROWS))
    window.app.change("Add weather", partial(add_data, entry=entry))
    open_data_page(window.app, "d1")
    opened = window.app.center.current
    assert isinstance(opened, DataPage)
    return opened


def add_weather_model(window: MainWindow) -> str:
    model = BayesianNetwork.uniform(WEATHER)
    entry = ModelEntry("weather model", model, data_id="d1")
    window.app.change("Add model", partial(add_model, entry=entry))
    open_model_page(window.app, "m1")
    return "m1"


def column_of(page: DataPage, name: str) -> list[str]:
    model = page.table.model
    index = model.dataset.domain.index(name)
    return [str(model.index(row, index).data()) for row in range(model.rowCount())]


def test_the_page_says_how_many_rows_are_complete(page: DataPage) -> None:
    assert page.facts.text() == "6 rows × 3 · 2 cells missing · 4 rows complete"
    assert facts_of(page.entry.data.complete_rows()) == "4 rows × 3 · all rows complete"


def test_a_missing_cell_is_marked_and_says_so(page: DataPage) -> None:
    index = page.table.model.index(2, 1)
    assert index.data() == "·"
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "wind is missing in row 3."
    assert index.data(Qt.ItemDataRole.BackgroundRole) is not None
    assert page.table.model.index(0, 1).data(Qt.ItemDataRole.BackgroundRole) is None


def test_clicking_a_head_sorts_with_missing_cells_last_in_both_directions(
    page: DataPage, qtbot: QtBot
) -> None:
    head = page.table.view.horizontalHeader()
    x = head.sectionViewportPosition(1) + head.sectionSize(1) // 2
    position = QPoint(x, head.height() // 2)
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=position)
    ascending = column_of(page, "wind")
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=position)
    descending = column_of(page, "wind")
    assert ascending == ["calm", "calm", "calm", "breeze", "storm", "·"]
    assert descending == ["storm", "breeze", "calm", "calm", "calm", "·"]
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert column_of(page, "wind") == ["storm", "calm", "·", "breeze", "calm", "calm"]


def test_a_filter_shows_only_its_states_and_its_chip_takes_it_away(
    page: DataPage, qtbot: QtBot
) -> None:
    page.table.filters.toggle("rain", "yes")
    page.table.filters.toggle("wind", None)
    assert page.table.shown.text() == "1 of 6 rows"
    assert page.table.model.headerData(0, Qt.Orientation.Vertical) == "3"
    chip = page.findChild(QPushButton, "filter:wind")
    assert chip is not None
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert page.table.shown.text() == "3 of 6 rows"


def test_a_cell_is_changed_by_choosing_a_state_and_that_can_be_undone(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    view, model = page.table.view, page.table.model
    before = page.entry.data
    view.edit(model.index(2, 1))
    editor = view.viewport().findChild(QComboBox, "cellEditor")
    assert isinstance(editor, QComboBox)
    assert editor.currentData() is None
    editor.setCurrentIndex(editor.findData("breeze"))
    editor.activated.emit(editor.currentIndex())
    assert page.entry.data.column("wind")[2] == 1
    assert model.index(2, 1).data() == "breeze"
    assert window.app.document.undo_stack.undoText() == "Set wind of row 3 to breeze"
    window.app.document.undo_stack.undo()
    assert page.entry.data is before
    assert model.index(2, 1).data() == "·"


def test_deleting_rows_works_on_the_rows_seen_and_can_be_undone(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    before = page.entry.data
    page.table.filters.toggle("rain", "yes")
    page.table.view.selectRow(1)  # the third row of the data set
    qtbot.keyClick(page.table.view, Qt.Key.Key_Delete)
    assert page.entry.data.row_count == 5
    assert page.entry.data.missing_counts == (0, 0, 1)
    window.app.document.undo_stack.undo()
    assert page.entry.data is before


def test_rows_are_found_by_state_and_sorted_stably() -> None:
    data = DataSet.from_rows(WEATHER, ROWS)
    assert rows_shown(data, RowChoice()) is None
    rows = rows_shown(data, RowChoice({"rain": frozenset({"no"})}, "wind"))
    assert rows is not None
    assert rows.tolist() == [1, 5, 3]


def rename(editor: StateEditor, row: int, name: str) -> None:
    """As an editor in the cell does."""
    model = editor.table.model()
    model.setData(model.index(row, 0), name)


def test_states_are_renamed_merged_and_declared_and_each_step_can_be_undone(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    tab = page.show_tab("columns")
    assert isinstance(tab, ColumnsTab)
    tab.pick("wind")
    manager, stack = tab.states, window.app.document.undo_stack

    def states() -> tuple[str, ...]:
        return page.entry.data.domain["wind"].states

    rename(manager, 0, "still")
    assert states() == ("still", "breeze", "storm")
    rename(manager, 1, "still")  # refused: it exists
    assert states() == ("still", "breeze", "storm")
    assert manager.problem.isVisible()
    manager.select_states(["breeze", "storm"])
    qtbot.mouseClick(manager.merge, Qt.MouseButton.LeftButton)
    assert states() == ("still", "breeze or storm")
    assert np.bincount(page.entry.data.column("wind"))[:2].tolist() == [3, 2]
    qtbot.keyClicks(manager.new_state, "hurricane")
    qtbot.keyClick(manager.new_state, Qt.Key.Key_Return)
    assert states() == ("still", "breeze or storm", "hurricane")
    manager.select_states(["hurricane"])
    qtbot.mouseClick(manager.up, Qt.MouseButton.LeftButton)
    assert states() == ("still", "hurricane", "breeze or storm")
    for _ in range(4):
        stack.undo()
    assert states() == ("calm", "breeze", "storm")
    assert tab.states.table.model().rowCount() == 3


def test_intervals_side_by_side_merge_into_one_interval() -> None:
    states = ("<43", "43–53", "53–61", "≥61")
    assert merged_name(states, ("43–53", "53–61")) == "43–61"
    assert merged_name(states, ("<43", "43–53")) == "<53"
    assert merged_name(states, ("53–61", "≥61")) == "≥53"
    assert merged_name(states, ("<43", "≥61")) == "<43 or ≥61"
    assert merged_name(("red", "blue", "green"), ("red", "green")) == "red or green"


def test_rare_states_become_one(window: MainWindow, page: DataPage, qtbot: QtBot) -> None:
    tab = page.show_tab("columns")
    assert isinstance(tab, ColumnsTab)
    tab.pick("wind")
    tab.states.fewer_than.setValue(2)
    qtbot.mouseClick(tab.states.merge_rare, Qt.MouseButton.LeftButton)
    assert page.entry.data.domain["wind"].states == ("calm", "other")


def test_the_missing_map_has_a_band_per_pattern_and_its_remedies_can_be_undone(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    tab = page.show_tab("missing")
    assert isinstance(tab, MissingTab)
    qtbot.waitUntil(lambda: tab.map.pattern_count == 3)
    assert "2 of 18 cells are missing in wind and grass" in tab.summary.text
    before = page.entry.data
    button = tab.findChild(QPushButton, "fillMode")
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not page.entry.data.has_missing
    assert not button.isEnabled()
    window.app.document.undo_stack.undo()
    assert page.entry.data is before
    assert button.isEnabled()
    qtbot.waitUntil(lambda: tab.map.pattern_count == 3)


def counted(window: MainWindow, page: DataPage, qtbot: QtBot) -> AssociationTab:
    tab = page.show_tab("associations")
    assert isinstance(tab, AssociationTab)
    qtbot.waitUntil(lambda: bool(tab.map.order), timeout=60_000)
    return tab


def test_clicking_a_cell_of_the_heat_map_selects_its_two_nodes(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    model_id = add_weather_model(window)
    window.app.center.bring_to_front(page)
    tab = counted(window, page, qtbot)
    QApplication.processEvents()
    position = tab.map.cell_rect("rain", "grass").center().toPoint()
    qtbot.mouseClick(tab.map, Qt.MouseButton.LeftButton, pos=position)
    assert window.app.workspace.model_id == model_id
    assert window.app.workspace.selection.nodes == ("rain", "grass")
    assert tab.pair.title.text() == "rain × grass"
    qtbot.waitUntil(lambda: tab.pair.table.model().rowCount() == 2, timeout=60_000)
    open_model_page(window.app, model_id)
    assert window.app.workspace.selection.nodes == ("rain", "grass")


def test_edges_of_a_model_of_other_columns_are_not_outlined(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    dag = Dag.from_edges(WEATHER.names, [("rain", "grass")])
    own = ModelEntry("weather model", BayesianNetwork.uniform(WEATHER, dag), data_id="d1")
    window.app.change("Add model", partial(add_model, entry=own))
    open_model_page(window.app, "m1")
    window.app.center.bring_to_front(page)
    tab = counted(window, page, qtbot)
    assert "edge of weather model" in tab.legend.text()
    other = Domain.of({"a": ("no", "yes"), "b": ("no", "yes")})
    model = BayesianNetwork.uniform(other, Dag.from_edges(other.names, [("a", "b")]))
    window.app.change("Add model", partial(add_model, entry=ModelEntry("other", model)))
    open_model_page(window.app, "m2")
    window.app.center.bring_to_front(page)
    assert "edge of" not in tab.legend.text()


def test_a_cell_says_both_names_the_bits_and_the_p_value(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    tab = counted(window, page, qtbot)
    # Five rows have both, and rain tells grass for certain: H(2/5) = 0.971 bits.
    assert tab.describe(0, 2).startswith("rain and grass: 0.971 bits, p = ")
    assert tab.describe(0, 0) == "rain: entropy 1.000 bits"


def test_counting_the_pairs_reports_how_far_it_is_and_can_be_stopped(
    qtbot: QtBot, page: DataPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()

    def counting(data: DataSet, cancel: CancelToken, message: ReportFraction) -> Associations:
        message(0.25)
        goes_on.wait(60)
        cancel.raise_if_cancelled()
        return associations(data, cancel, message)

    monkeypatch.setattr(association_page, "associations", counting)
    tab = page.show_tab("associations")
    assert isinstance(tab, AssociationTab)
    bar, stop = tab.findChild(QProgressBar), tab.findChild(QPushButton, "countingStop")
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() // 4)
    assert not tab.export.isEnabled()
    stop.click()
    goes_on.set()
    assert tab.findChild(QLabel, "countingText").text().startswith("Stopped.")
    assert bar.isHidden()
    assert stop.text() == "Count the pairs"
    stop.click()
    qtbot.waitUntil(tab.export.isEnabled)
    assert tab.map.isVisible()


def test_associations_are_exported_with_the_strongest_pair_first(
    window: MainWindow, page: DataPage, qtbot: QtBot, tmp_path: Path
) -> None:
    tab = counted(window, page, qtbot)
    path = tmp_path / "pairs.csv"
    tab.export_to(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    bits = [float(line.split(",")[2]) for line in lines[1:]]
    assert bits == sorted(bits, reverse=True)


def test_variables_that_tell_about_each_other_stand_side_by_side() -> None:
    bits = np.eye(4)
    bits[0, 2] = bits[2, 0] = 0.9
    bits[1, 3] = bits[3, 1] = 0.8
    order = clustered_order(bits)
    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1


def test_a_row_becomes_the_evidence_of_the_last_model_in_view(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    model_id = add_weather_model(window)
    window.app.center.bring_to_front(page)
    page.table.view.verticalHeader().sectionDoubleClicked.emit(2)
    evidence = window.app.workspace.beliefs(model_id).evidence
    assert evidence == {"rain": Observed("yes"), "grass": Observed("wet")}
    assert window.app.center.current is not page


def test_the_target_is_no_evidence_when_a_row_is_used() -> None:
    data = DataSet.from_rows(WEATHER, ROWS)
    result = findings_of_row(data, 0, BayesianNetwork.uniform(WEATHER), target="rain")
    assert result == {"wind": Observed("storm"), "grass": Observed("wet")}


def test_a_split_is_made_and_taken_back(window: MainWindow, page: DataPage, qtbot: QtBot) -> None:
    tab = page.show_tab("split")
    assert isinstance(tab, SplitTab)
    tab.form.train.setValue(50)
    tab.form.valid.setValue(0)
    qtbot.mouseClick(tab.apply, Qt.MouseButton.LeftButton)
    split = page.entry.split
    assert split is not None
    assert [rows.size for rows in split.indices] == [3, 3]
    assert tab.now.text().startswith("Current split: train 3 rows, test 3 rows")
    window.app.document.undo_stack.undo()
    assert page.entry.split is None


@pytest.mark.parametrize("given", [False, True])
def test_rows_drawn_from_a_model_open_as_a_data_set_that_says_where_it_came_from(
    window: MainWindow, page: DataPage, qtbot: QtBot, given: bool
) -> None:
    model_id = add_weather_model(window)
    window.app.workspace.beliefs(model_id).set_finding("wind", Observed("storm"))
    window.app.actions.refresh("data.sample")
    window.app.actions["data.sample"].trigger()
    sample = window.app.center.current
    assert isinstance(sample, SamplePage)
    sample.rows.setValue(40)
    sample.given.setChecked(given)
    qtbot.mouseClick(sample.draw, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "d2" in window.app.project.data, timeout=60_000)
    entry = window.app.project.data["d2"]
    assert entry.data.row_count == 40
    assert entry.provenance["made by"] == "sampled from model weather model"
    assert (entry.provenance["evidence"] == {"wind": "= storm"}) is given
    storms = int((entry.data.column("wind") == 2).sum())
    assert (storms == 40) is given


def test_long_names_and_large_counts_do_not_widen_the_states_of_a_column(
    window: MainWindow, page: DataPage
) -> None:
    page.show_tab("columns")
    manager = page.findChild(StateEditor)
    assert manager is not None
    summary = summarise(page.entry.data)[1]
    room = manager.minimumSizeHint().width()
    manager.show_column(replace(summary, counts=summary.counts * 1_000_000, missing=1e9))
    manager.title.setText("how often the patient came back within a year of the operation")
    assert manager.minimumSizeHint().width() <= room <= 380


@pytest.mark.parametrize("tab", ["table", "columns", "missing", "associations", "split"])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_every_tab_fits_the_smallest_window(
    window: MainWindow, page: DataPage, qtbot: QtBot, tab: str, scale: float
) -> None:
    from pgmstudio.gui.theme.theme import theme

    theme().set_look(scale=scale)
    window.resize(1024, 700)
    page.show_tab(tab)
    QApplication.processEvents()
    assert page.minimumSizeHint().width() <= 760 * scale
    assert window.width() <= 1024 * scale


def test_the_button_has_its_text_where_the_bar_is_wide_enough(
    window: MainWindow, page: DataPage, qtbot: QtBot
) -> None:
    least = page.minimumSizeHint().width()
    for width in (900, least, 900):
        page.resize(width, 500)
        assert page.stepwise.text() == ("Step by step" if width > least else "")
        assert page.minimumSizeHint().width() == least
    assert page.stepwise.accessibleName() == "Step by step"
