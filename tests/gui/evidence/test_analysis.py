"""What a belief depends on, MAP, conflict and surprising rows, with real clicks."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.analysis.sensitivity import Span, sensitivity_of
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.inference.map_search import Combination, MapAnswer
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.evidence.map_query import MapQuery
from pgmstudio.gui.evidence.row_evidence import bits_given_parents, row_surprise_of
from pgmstudio.gui.evidence.sensitivity_page import SensitivityPage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_data_page
from pgmstudio.gui.plots.tornado_plot import Tornado, TornadoChart, TornadoRow
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import inspector, network_of
from tests.gui.walking import controls_in, misfits, point_at, settle, spoken_name

ODD = {"smoke": Observed("no"), "xray": Observed("yes"), "bronc": Observed("no")}


def run(window: MainWindow, action: str) -> None:
    window.app.actions.refresh()
    assert window.app.actions[action].isEnabled(), window.app.actions[action].toolTip()
    window.app.actions[action].trigger()


def open_page(window: MainWindow, action: str, qtbot: QtBot) -> SensitivityPage:
    run(window, action)
    page = window.app.center.page(f"sensitivity:{window.app.workspace.model_id}")
    assert isinstance(page, SensitivityPage)
    qtbot.waitUntil(lambda: page.answer is not None)
    return page


def click_row(qtbot: QtBot, chart: TornadoChart, key: str) -> None:
    position = chart.row_rect(key).center()
    point_at(chart, position)
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=position)


# -- what to ask, what findings do, which numbers matter


def test_asking_next_ranks_by_bits_and_a_click_selects_the_variable(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    window.app.workspace.set_target("lung")
    page = open_page(window, "evidence.ask-next", qtbot)
    assert page.answer is not None
    assert page.answer.tornado.rows[0].key == "either"
    assert "lung" in page.summary.text()
    click_row(qtbot, page.chart, "smoke")
    assert window.app.workspace.selection.nodes == ("smoke",)
    assert page.card.heading.text().startswith("Observing smoke")
    assert "smoke = yes (50.0 %) makes lung = yes 10.0 %." in page.card.lines.text()


def test_the_page_follows_evidence_and_target(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    page = open_page(window, "evidence.ask-next", qtbot)
    live.click_state("either", "yes")
    window.app.workspace.set_target("lung")
    qtbot.waitUntil(
        lambda: (
            page.answer is not None
            and page.answer.query.target == "lung"
            and page.answer.query.evidence == {"either": Observed("yes")}
        )
    )
    assert page.answer is not None
    assert "either" not in {row.key for row in page.answer.tornado.rows}
    choice = page.findChild(QComboBox, "sensitivityTarget")
    position = choice.findData("tub")
    choice.setCurrentIndex(position)
    choice.activated.emit(position)
    assert window.app.workspace.target == "tub"
    qtbot.waitUntil(lambda: page.answer is not None and page.answer.query.target == "tub")


def test_what_each_finding_does_is_the_belief_without_it(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.set_all(ODD)
    window.app.workspace.set_target("lung")
    page = open_page(window, "evidence.findings", qtbot)
    assert page.answer is not None
    session = JunctionTreeSession(network_of(live))
    session.set_all({n: f for n, f in ODD.items() if n != "smoke"})
    without = float(session.belief("lung").values[0])
    row = next(row for row in page.answer.tornado.rows if row.key == "smoke")
    assert max(row.hatched, row.solid) == pytest.approx(without)
    click_row(qtbot, page.chart, "smoke")
    assert "speak" not in page.card.lines.text()
    assert "conflict" in page.card.lines.text()


def test_the_tornado_shows_the_exact_functions_and_exports_all(
    window: MainWindow, live: BeliefService, qtbot: QtBot, tmp_path: Path
) -> None:
    live.set_all({"xray": Observed("yes")})
    window.app.workspace.set_target("lung")
    page = open_page(window, "evidence.sensitivity", qtbot)
    true = sensitivity_of(network_of(live), live.evidence, "lung", "yes")
    result = page.answer
    assert result is not None
    assert result.tornado.belief == pytest.approx(true.probability)
    first = true.swings(Span.TENTH)[0]
    bar = result.tornado.rows[0]
    assert (bar.hatched, bar.solid) == pytest.approx((first.belief_at_low, first.belief_at_high))
    # The legend stands on the chart, in words.
    assert (result.tornado.hatched, result.tornado.solid) == (
        "smaller entry",
        "larger entry",
    )
    point_at(page.chart, page.chart.row_rect(result.tornado.rows[1].key).center())
    assert page.card.lines.text().startswith("f(θ) = ")
    curve = page.card.curve.curve
    assert curve is not None
    assert curve.function(curve.now) == pytest.approx(true.probability)
    page.chart.setFocus()
    qtbot.keyClick(page.chart, Qt.Key.Key_Down)
    assert page.card.heading.text() == f"θ = {result.tornado.rows[2].title}"
    page.export(tmp_path / "numbers.csv")
    with (tmp_path / "numbers.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == len(true.swings(Span.TENTH))
    whole = page.spans.button(Span.WHOLE.name)
    qtbot.mouseClick(whole, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.answer is not None and page.answer.query.span is Span.WHOLE)
    qtbot.mouseClick(page.as_table, Qt.MouseButton.LeftButton)
    assert page.table.isVisible()
    assert page.table.model().rowCount() == len(true.swings(Span.WHOLE))
    page.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    names = [page.table.model().index(row, 0).data() for row in range(4)]
    assert names == sorted(names)
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().startswith("variable\tstate\tparents")


def test_an_observed_target_is_explained_on_the_page(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    window.app.workspace.set_target("lung")
    page = open_page(window, "evidence.sensitivity", qtbot)
    live.click_state("lung", "yes")
    qtbot.waitUntil(lambda: "observed" in page.note.text)
    assert page.chart.tornado.rows == ()
    live.clear()
    qtbot.waitUntil(lambda: page.answer is not None)
    assert page.note.text == ""


def test_the_line_of_the_chart_is_at_the_belief(qtbot: QtBot) -> None:
    chart = TornadoChart("chart")
    qtbot.addWidget(chart)
    chart.resize(700, 300)
    rows = (TornadoRow("a", "a", "", 0.1, 0.6), TornadoRow("b", "b", "", 0.5, 0.2))
    chart.show_tornado(Tornado(0.3, rows))
    assert chart.x_of(0.1) < chart.x_of(0.3) < chart.x_of(0.6)
    _, _, left, right = chart.columns()
    assert chart.x_of(0.1) == pytest.approx(left)
    assert chart.x_of(0.6) == pytest.approx(right)
    assert chart.row_at(QPoint(10, chart.row_rect("b").center().y())) == 1
    assert "a, , from 10.0 to 60.0 percent" in chart.accessibleName()


def test_a_long_chart_scrolls_under_its_axis_and_follows_the_keys(qtbot: QtBot) -> None:
    chart = TornadoChart("chart")
    qtbot.addWidget(chart)
    chart.resize(700, 240)
    rows = tuple(TornadoRow(f"k{i}", f"cause {i}", "", 0.3 - i / 100, 0.4) for i in range(20))
    chart.show_tornado(Tornado(0.3, rows))
    chart.show()
    qtbot.waitUntil(lambda: chart.canvas is not None)
    top = chart.row_rect("k0").top()
    assert chart.row_at(QPoint(10, top - 1)) is None  # the head
    for _ in range(19):
        qtbot.keyClick(chart, Qt.Key.Key_Down)
    assert chart.current == "k19"
    assert chart.rect().contains(chart.row_rect("k19"))
    assert chart.row_at(chart.row_rect("k19").center()) == 19
    qtbot.waitUntil(lambda: "cause 19" in chart.items.shown_texts("rows"))
    assert "cause 0" not in chart.items.shown_texts("rows")
    with qtbot.waitSignal(chart.chosen) as chosen:
        qtbot.keyClick(chart, Qt.Key.Key_Return)
    assert chosen.args == ["k19"]


# -- conflict and the cautious view


def test_the_evidence_list_reports_how_findings_go_together_and_which_do_not(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    window.app.workspace.select(())
    live.set_all({**ODD, "asia": Observed("yes"), "tub": Observed("no")})
    panel = inspector(window)
    qtbot.waitUntil(lambda: len(live.diagnostics.traced.traces) == 5)
    factor = panel.model.evidence.findChild(QLabel, "evidenceFactor.xray")
    trace = live.diagnostics.traced.traces["xray"]
    qtbot.waitUntil(lambda: factor.text() == f"×{trace.normalised_likelihood:.2g}")
    note = panel.model.evidence.clash.text
    assert "smoke = no" in note
    assert "xray = yes" in note
    assert "Conflicting evidence" in note
    live.set_all({"smoke": Observed("yes"), "lung": Observed("yes")})
    qtbot.waitUntil(lambda: panel.model.evidence.clash.text == "")


def test_an_observed_node_says_what_it_would_be_without_its_own_evidence(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.set_all({"smoke": Observed("no"), "xray": Observed("yes")})
    window.app.workspace.select(("smoke",))
    section = inspector(window).node.belief.cautious
    qtbot.waitUntil(lambda: bool(section.bars.beliefs))
    session = JunctionTreeSession(network_of(live))
    session.set_evidence("xray", Observed("yes"))
    qtbot.waitUntil(section.isVisible)
    assert list(section.bars.beliefs.values()) == pytest.approx(session.belief("smoke").values)
    window.app.workspace.select(("dysp",))
    qtbot.waitUntil(lambda: not section.isVisible())


# -- MAP


def test_map_of_the_selection_is_found_proved_and_set_as_evidence(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("dysp", "yes")
    window.app.actions.refresh()
    assert "select two or more" in window.app.actions["evidence.map"].toolTip()
    window.app.workspace.select(("lung", "bronc", "either"))
    run(window, "evidence.map")
    section = inspector(window).joint.most_probable
    qtbot.waitUntil(lambda: "Exact" in section.findChild(QLabel, "inspectorMapText").text())
    facts = section.states.facts
    assert facts["Given the evidence"] == "76.0 %"
    assert (facts["lung"], facts["bronc"], facts["either"]) == ("no", "yes", "no")
    assert section.others.facts["2. 12.0 %"] == "bronc = no"
    use = section.findChild(QPushButton, "inspectorMapUse")
    qtbot.mouseClick(use, Qt.MouseButton.LeftButton)
    assert live.evidence["bronc"] == Observed("yes")
    assert live.evidence["dysp"] == Observed("yes")
    # The answer was about other evidence, so it goes; a click finds the new one.
    find = section.findChild(QPushButton, "inspectorMapFind")
    qtbot.waitUntil(find.isVisible)
    qtbot.mouseClick(find, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: section.states.facts.get("Given the evidence") == "100 %")


def test_a_search_that_was_stopped_says_how_good_it_is_at_least(window: MainWindow) -> None:
    best = Combination({"a": "yes"}, -2.0)
    text = MapQuery(window.app).answer_text(MapAnswer((best,), -1.0, False, 10))
    assert text == "Best found in 2 s; at least 50 % as probable as the best possible."


# -- rows


def add_rows(window: MainWindow, rows: DataSet) -> str:
    entry = DataEntry("patients", rows)
    window.app.change("Import", partial(edits.add_data, entry=entry))
    return list(window.app.project.data)[-1]


def test_a_double_click_on_a_row_explains_it_and_f7_goes_to_the_next_most_surprising(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    app, network = window.app, network_of(live)
    rows = network.sample(50, np.random.default_rng(4))
    model_id = app.workspace.model_id
    assert model_id is not None
    data_id = add_rows(window, rows)
    open_data_page(app, data_id)
    page = app.center.page(f"data:{data_id}")
    assert isinstance(page, DataPage)
    head = page.table.view.verticalHeader()
    position = QPoint(8, head.sectionViewportPosition(2) + head.sectionSize(2) // 2)
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=position)
    qtbot.mouseDClick(head.viewport(), Qt.MouseButton.LeftButton, pos=position)
    controller = row_surprise_of(app)
    result = controller.row_of(model_id)
    assert result is not None
    assert result.row == 2
    assert controller.marks_surprise
    model_page = app.center.page(f"model:{model_id}")
    assert isinstance(model_page, ModelPage)
    layer = model_page.canvas.surprise
    app.workspace.select(())
    section = inspector(window).model.surprise
    shown = section.findChild(QLabel, "inspectorSurpriseRow")
    qtbot.waitUntil(lambda: "of 50 rows by surprise" in shown.text())
    qtbot.waitUntil(lambda: len(section.ranks.ranks) > 0)
    by_parents = section.how.button("parents")
    qtbot.mouseClick(by_parents, Qt.MouseButton.LeftButton)
    bits = bits_given_parents(network, live.evidence)
    total = float(-network.log2_probabilities(rows)[2])
    assert sum(bits.values()) == pytest.approx(total)
    assert layer.bits == {n: b for n, b in bits.items() if b >= 0.05}
    assert any("given the parents" in e.text for e in model_page.canvas.legend_entries())
    order = np.argsort(network.log2_probabilities(rows), kind="stable")
    begin = int(np.flatnonzero(order == 2)[0])
    run(window, "evidence.next-row")
    later = controller.row_of(model_id)
    assert later is not None
    assert later.row == order[begin + 1]
    mark = section.findChild(QCheckBox, "inspectorSurpriseMark")
    qtbot.waitUntil(mark.isVisible)
    qtbot.mouseClick(mark, Qt.MouseButton.LeftButton)
    assert layer.bits == {}
    live.retract("smoke")
    assert controller.row_of(model_id) is None, "a part of the row is not the row"


def test_the_first_of_the_surprising_rows_comes_when_the_rows_are_ranked(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    network = network_of(live)
    rows = network.sample(50, np.random.default_rng(4))
    add_rows(window, rows)
    run(window, "evidence.next-row")
    worst = int(np.argmin(network.log2_probabilities(rows)))
    model_id = window.app.workspace.model_id or ""

    def is_there() -> bool:
        result = row_surprise_of(window.app).row_of(model_id)
        return result is not None and result.row == worst

    qtbot.waitUntil(is_there)


def test_marks_follow_the_evidence_without_a_row(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.set_all(ODD)
    page = window.app.center.page(f"model:{window.app.workspace.model_id}")
    assert isinstance(page, ModelPage)
    run(window, "evidence.surprise")
    qtbot.waitUntil(lambda: "xray" in page.canvas.surprise.bits)
    trace = live.diagnostics.traced.traces["xray"]
    assert page.canvas.surprise.bits["xray"] == pytest.approx(trace.surprise_bits)
    live.clear()
    qtbot.waitUntil(lambda: not page.canvas.surprise.bits)


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_every_view_fits_a_small_screen_and_every_control_says_what_it_is(
    window: MainWindow, live: BeliefService, qtbot: QtBot, scale: float
) -> None:
    live.set_all(ODD)
    window.app.workspace.set_target("lung")
    window.resize(1024, 700)
    try:
        theme().set_look(scale=scale)
        problems: list[str] = []
        for action in ("evidence.ask-next", "evidence.findings", "evidence.sensitivity"):
            page = open_page(window, action, qtbot)
            settle(window)
            problems += [f"{action}: {text}" for text in misfits(page)]
            assert all(spoken_name(control) for control in controls_in(page))
            assert all(control.toolTip() for control in page.findChildren(QComboBox))
        assert problems == []
    finally:
        theme().set_look(scale=1.0)
