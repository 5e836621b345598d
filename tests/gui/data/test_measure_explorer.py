"""Every measure of association in the Associations tab, on the ten geometric objects."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.analysis import associations as analysis
from pgmstudio.core.analysis.associations import Associations, associations
from pgmstudio.core.project.edits import add_data
from pgmstudio.core.project.project import DataEntry
from pgmstudio.core.scores.association_measures import MEASURES
from pgmstudio.gui.data.associations_tab import AssociationTab
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.navigation import open_data_page
from pgmstudio.gui.plots.matrix_plot import NAMES_FROM, HeatMap, longest_name, value_text
from tests.core.learning.lecture_data import GEOMETRIC as OBJECTS

if TYPE_CHECKING:
    from pgmstudio.gui.window.main_window import MainWindow


@pytest.fixture
def tab(window: MainWindow, qtbot: QtBot) -> AssociationTab:
    window.app.change("Import", partial(add_data, entry=DataEntry("objects", OBJECTS)))
    open_data_page(window.app, next(iter(window.app.project.data)))
    page = window.app.center.current
    assert isinstance(page, DataPage)
    shown = page.show_tab("associations")
    assert isinstance(shown, AssociationTab)
    qtbot.waitUntil(shown.export.isEnabled, timeout=60_000)
    return shown


def choose(tab: AssociationTab, key: str, qtbot: QtBot) -> None:
    """Choose a measure as with the mouse, and wait for its values."""
    index = tab.measure.findData(key)
    tab.measure.setCurrentIndex(index)
    tab.measure.activated.emit(index)
    formula = MEASURES[key].formula
    qtbot.waitUntil(lambda: tab.about.text().startswith(formula), timeout=60_000)


def click(tab: AssociationTab, first: str, second: str, qtbot: QtBot) -> None:
    position = tab.map.cell_rect(first, second).center().toPoint()
    qtbot.mouseClick(tab.map, Qt.MouseButton.LeftButton, pos=position)
    qtbot.waitUntil(lambda: tab.pair.table.model().rowCount() > 0, timeout=60_000)


def numbers_text(tab: AssociationTab) -> str:
    return tab.pair.numbers.text().replace("\u00a0", " ")


def column_texts(tab: AssociationTab, column: int) -> list[str]:
    model = tab.list.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def test_the_box_has_every_measure_under_the_heading_of_its_setting(tab: AssociationTab) -> None:
    box = tab.measure
    keys = [box.itemData(index) for index in range(box.count())]
    assert {key for key in keys if key is not None} == set(MEASURES)
    assert tab.measure.measure.key == "info_gain"
    setting = ""
    for index, key in enumerate(keys):
        if key is None:
            setting = box.itemText(index).lower()
            assert not box.model().flags(box.model().index(index, 0)) & Qt.ItemFlag.ItemIsEnabled
        else:
            assert MEASURES[key].setting.value == setting


@pytest.mark.parametrize("key", [key for key, m in MEASURES.items() if not m.is_conditional])
def test_every_measure_shows_its_values_strongest_first(
    tab: AssociationTab, qtbot: QtBot, key: str, tmp_path: Path
) -> None:
    choose(tab, key, qtbot)
    expected = associations(OBJECTS, key).pairs()
    path = tmp_path / "pairs.csv"
    tab.export_to(path)
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    values = {(first, second): float(value) for first, second, value, *_ in lines}
    assert values == pytest.approx({(p.parent, p.child): p.value for p in expected})
    assert list(values.values()) == pytest.approx([p.value for p in expected])
    assert len(column_texts(tab, 0)) == len(expected)


def test_the_line_of_a_measure_has_direction_symmetry_and_reference(
    tab: AssociationTab, qtbot: QtBot
) -> None:
    choose(tab, "rel_relative", qtbot)
    assert "relational  ·  smaller is stronger  ·  symmetric" in tab.about.text()
    assert column_texts(tab, 2) == ["0.5000", "0.5556", "0.6667"]
    choose(tab, "relief", qtbot)
    assert "larger is stronger  ·  directed: the row is parent A" in tab.about.text()
    assert tab.about.text().endswith("Kira and Rendell 1992; Kononenko 1994")


def test_a_click_shows_the_pairs_that_occur_and_the_numbers_in_the_formula(
    tab: AssociationTab, qtbot: QtBot
) -> None:
    choose(tab, "hartley_gain", qtbot)
    click(tab, "color", "shape", qtbot)
    assert tab.pair.note.text() == "color and shape: Hartley information gain = 1.0000"
    numbers = "A = color, C = shape: |R(A)| = 4, |R(C)| = 3, |R(A,C)| = 6"
    qtbot.waitUntil(lambda: numbers_text(tab) == numbers)
    grid = tab.pair.table.model()
    cells = [grid.index(i, j).data() for i in range(4) for j in range(3)]
    assert sorted(cells) == ["0"] * 6 + ["1"] * 6


def test_the_pair_stays_when_another_measure_is_chosen(tab: AssociationTab, qtbot: QtBot) -> None:
    click(tab, "shape", "color", qtbot)
    qtbot.waitUntil(lambda: numbers_text(tab).endswith("H(A,C) = 2.522"))
    choose(tab, "gain_ratio", qtbot)
    assert tab.pair.title.text() == "shape → color"
    assert tab.pair.note.text() == "shape → color: Information gain ratio = 0.5562"
    qtbot.waitUntil(lambda: numbers_text(tab).endswith("H(A) = 1.522, I(A;C) = 0.8464"))


def test_a_conditional_measure_asks_for_its_condition(tab: AssociationTab, qtbot: QtBot) -> None:
    assert tab.given.isHidden()
    choose(tab, "hartley_cond", qtbot)
    assert tab.given.isVisible()
    index = tab.given.findData("shape")
    tab.given.setCurrentIndex(index)
    tab.given.activated.emit(index)
    qtbot.waitUntil(lambda: column_texts(tab, 0) == ["color"], timeout=60_000)
    value = associations(OBJECTS, "hartley_cond", ["shape"]).pairs()[0].value
    assert column_texts(tab, 2) == [f"{value:.4f}"]
    click(tab, "color", "size", qtbot)
    qtbot.waitUntil(lambda: numbers_text(tab).startswith("Gain in each slice: shape = "))
    choose(tab, "info_gain", qtbot)
    assert tab.given.isHidden()


def test_stopping_a_measure_goes_back_to_the_one_shown_before(
    tab: AssociationTab, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(tab, "hartley_gain", qtbot)
    goes_on = threading.Event()

    def slow(*args: Any) -> Associations:
        goes_on.wait(60)
        return associations(*args)

    monkeypatch.setattr(analysis, "associations", slow)
    index = tab.measure.findData("chi2")
    tab.measure.setCurrentIndex(index)
    tab.measure.activated.emit(index)
    stop = tab.findChild(QPushButton, "countingStop")
    qtbot.waitUntil(stop.isVisible, timeout=60_000)
    stop.click()
    goes_on.set()
    assert tab.measure.measure.key == "hartley_gain"
    assert tab.map.isVisible()
    assert tab.about.text().startswith(MEASURES["hartley_gain"].formula)
    choose(tab, "chi2", qtbot)
    assert column_texts(tab, 2)[0] == "10.0000"


def test_the_ramp_is_dark_where_the_association_is_strong(qtbot: QtBot) -> None:
    heat = HeatMap("heat")
    qtbot.addWidget(heat)
    values = np.array([[np.nan, -900.0], [-30.0, np.nan]])
    heat.show_values(["a", "b"], values, [0, 1])
    assert heat.ramp == (-900.0, -30.0)
    heat.show_values(["a", "b"], -values, [0, 1], larger_is_stronger=False)
    assert heat.ramp == (900.0, 30.0)
    texts = [value_text(value) for value in (float("nan"), -12.34, -912.3, -12_340.0)]
    assert texts == ["", "−12.3", "−912", "−12k"]


def test_another_pair_may_have_fewer_states_than_the_one_that_is_drawn(
    tab: AssociationTab, qtbot: QtBot
) -> None:
    click(tab, "color", "shape", qtbot)
    table = tab.pair.table.model()
    qtbot.waitUntil(lambda: table.rowCount() == 4)
    tab.map.chosen.emit("shape", "size")  # counted in the background, painted before
    heads = [table.headerData(n, Qt.Orientation.Vertical) for n in range(table.rowCount())]
    assert heads == list(OBJECTS.domain["color"].states)
    qtbot.waitUntil(lambda: table.rowCount() == 3)


@pytest.mark.parametrize("count", [6, 40])
def test_names_stand_on_both_axes(qtbot: QtBot, count: int) -> None:
    chart = HeatMap("map")
    qtbot.addWidget(chart)
    names = [f"column {n}" for n in range(count)]
    chart.show_values(names, np.random.default_rng(0).random((count, count)), range(count))
    chart.resize(chart.minimumSizeHint().expandedTo(QSize(460, 460)))
    chart.show()
    qtbot.waitExposed(chart)
    assert chart.cell >= NAMES_FROM
    last = chart.cell_rect(names[-1], names[-1])
    assert last.right() <= chart.width()
    assert chart.cell_rect(names[0], names[0]).left() > longest_name(names)
