"""What is read at a glance: whole titles, tabs, lists with room, nothing dimmed or in the way."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QTabBar
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.number_format import decimal
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.comparison.actions import open_difference
from pgmstudio.gui.comparison.structure_diff_page import DifferencePage
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.learning_run import LearningRun, Trace
from pgmstudio.gui.model_page.node_views import usual_mode
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from pgmstudio.gui.plots.matrix_plot import end_text, value_text
from pgmstudio.gui.plots.plot_widget import _tick_labels
from pgmstudio.gui.runs.score_plot import ScorePlot
from pgmstudio.gui.widgets.actions import unmarked
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.command_palette import CommandPalette
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.learning.lecture_data import K2_DEMO
from tests.gui.asia import open_asia
from tests.gui.samples import add_sprinkler, sprinkler, sprinkler_rows
from tests.gui.saved_runs import add_ended_run
from tests.gui.walking import point_at, settle

LEFT = Qt.MouseButton.LeftButton


def chain(length: int) -> ModelEntry:
    names = [f"v{index}" for index in range(length)]
    domain = Domain.of({name: ["a", "b", "c"] for name in names})
    dag = Dag.from_edges(names, list(pairwise(names)))
    return ModelEntry("chain", BayesianNetwork.uniform(domain, dag))


def test_a_graph_too_high_for_bars_opens_with_names() -> None:
    assert usual_mode(chain(4)) is NodeMode.PRIOR
    assert usual_mode(chain(12)) is NodeMode.NAME


def test_the_panels_at_the_bottom_say_each_other_s_names(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    window.app.reveal("runsPanel")
    settle(window)
    own = Qt.FindChildOption.FindDirectChildrenOnly
    (bar,) = [b for b in window.findChildren(QTabBar, options=own) if b.isVisible()]
    assert [bar.tabText(i) for i in range(bar.count())] == [
        "Table",
        "Runs",
        "Next moves",
        "Log",
    ]
    assert window.folding.is_shown("runsPanel")
    assert not window.folding.is_shown("logPanel")
    qtbot.mouseClick(bar, LEFT, pos=bar.tabRect(3).center())
    qtbot.waitUntil(lambda: window.folding.is_shown("logPanel"))
    for tab in range(bar.count()):  # no title is cut
        assert bar.tabRect(tab).width() > bar.fontMetrics().horizontalAdvance(bar.tabText(tab))


def test_what_lies_over_a_narrow_window_goes_with_the_page_it_was_about(
    window: MainWindow, sample_data: Path, qtbot: QtBot
) -> None:
    window.resize(1024, 700)
    open_asia(window, sample_data)
    window.app.workspace.select(("lung",))
    settle(window)
    assert window.folding.is_shown("inspectorPanel")
    window.app.actions.refresh()
    window.app.actions["help.contents"].trigger()
    settle(window)
    assert not window.folding.is_shown("inspectorPanel")


def test_a_click_for_evidence_dims_nothing_until_the_pointer_leaves(
    window: MainWindow, sample_data: Path, qtbot: QtBot
) -> None:
    open_asia(window, sample_data)
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page.scene().nodes) == 8 and not page.asking.live.is_waiting)
    view, item = page.canvas.view, page.scene().nodes["smoke"]
    bar = item.geometry.bar(0).center()
    position: QPoint = view.mapFromScene(item.pos() + item.corner + bar)
    point_at(view.viewport(), position)
    assert page.scene()._bright is not None
    qtbot.mouseClick(view.viewport(), LEFT, pos=position)
    assert "smoke" in page.asking.live.evidence
    assert page.scene()._bright is None
    point_at(view.viewport(), position + QPoint(1, 0))
    assert page.scene()._bright is None
    point_at(view.viewport(), view.mapFromScene(page.scene().nodes["asia"].pos()))
    assert page.scene()._bright is not None


def test_the_list_of_commands_is_wide_and_stays_in_the_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    field = window.findChild(CommandPalette)
    assert field is not None
    field.begin()
    listed = field.completer().popup()
    qtbot.waitUntil(listed.isVisible)
    assert listed.width() > 2 * field.width()
    assert listed.x() + listed.width() - 1 == field.mapToGlobal(field.rect().topRight()).x()
    listed.hide()


def test_two_models_are_compared_on_rows_that_have_their_variables(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    app.change("Import", partial(edits.add_data, entry=DataEntry("other", K2_DEMO)))
    add_sprinkler(app)
    own = list(app.project.data)[-1]
    app.change("Open", partial(edits.add_model, entry=ModelEntry("Second", sprinkler())))
    page = DifferencePage(app)
    qtbot.addWidget(page)
    assert page.rows.currentData() == own
    qtbot.waitUntil(lambda: page.difference is not None)
    assert page.note.text == ""
    # What a person chose stays.
    page.rows.setCurrentIndex(0)
    page.rows.activated.emit(0)
    page.swap()
    assert page.rows.currentData() is None
    page.closed()


def test_a_model_is_compared_with_the_one_that_shares_most_variables(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    add_sprinkler(app)
    app.change("Open", partial(edits.add_model, entry=ModelEntry("Same", sprinkler())))
    app.change("Open", partial(edits.add_model, entry=chain(20)))
    first, same, other = app.project.models
    open_model_page(app, first)
    page = open_difference(app)
    assert isinstance(page, DifferencePage)
    assert (page.first.currentData(), page.second.currentData()) == (first, same)
    page.choose(same, other)
    note = page.facts.findChild(Note, "differenceOnly")
    qtbot.waitUntil(lambda: "more variables" in note.text)


def test_a_page_about_a_run_keeps_its_model_in_view(window: MainWindow, qtbot: QtBot) -> None:
    app = window.app
    app.change("Import", partial(edits.add_data, entry=DataEntry("other", sprinkler_rows())))
    model_id = add_ended_run(app, K2_DEMO, "bn.k2", order="L, KA, M, KV", measure="k2")
    open_model_page(app, model_id)
    app.actions.refresh()
    app.actions["learn.trace"].trigger()
    page = app.center.current
    assert page is not None
    assert page.key.startswith("trace:")
    assert app.workspace.model_id == model_id
    assert "K2" in page.findChild(QLabel, "traceFacts").text()


def test_choices_read_as_people_write_them_and_run_as_scripts_do(window: MainWindow) -> None:
    add_sprinkler(window.app)
    sheet = open_learn_page(window.app, "bn.hill-climb")
    (score,) = [w for w in sheet.findChildren(QComboBox, "param.score") if w.isVisible()]
    assert score.currentText() == "BIC"
    score.setCurrentText("BDeu")
    params = sheet._forms.params()
    assert params is not None
    assert params.score == "bdeu"


@pytest.mark.parametrize(
    ("value", "words"),
    [(-6935.97, "−6\u202f936.0"), (-6935.94, "−6\u202f935.9"), (0.06, "0.1"), (12.0, "12.0")],
)
def test_scores_are_rounded_as_a_whole(value: float, words: str) -> None:
    assert decimal(value, 1) == words


def test_the_numbers_at_an_axis_have_a_true_minus_and_grouped_thousands() -> None:
    plain = ["-22600", "1000000", "0.12345678", "-9703.8", "12"]
    message = _tick_labels(lambda *_: plain)
    assert message == ["−22\u202f600", "1\u202f000\u202f000", "0.12345678", "−9\u202f703.8", "12"]


@pytest.mark.parametrize(
    ("state", "text"), [(JobState.RUNNING, "is drawn here"), (JobState.FINISHED, "no score")]
)
def test_a_run_without_scores_says_so_at_its_end(qtbot: QtBot, state: JobState, text: str) -> None:
    plot = ScorePlot()
    qtbot.addWidget(plot)
    plot.show_run(cast(LearningRun, SimpleNamespace(trace=Trace(), state=state)))
    assert text in plot.findChild(QLabel, "scorePlotEmpty").text()


def test_a_weak_association_is_told_from_none() -> None:
    assert [value_text(value) for value in (0.0, 0.0035, 0.25, 1.58)] == [".00", "0+", ".25", "1.6"]
    assert [end_text(value) for value in (0.0035, 0.36)] == ["0.0035", "0.36"]


def test_the_evidence_menu_begins_with_what_is_done_most(window: MainWindow) -> None:
    menu = window.findChild(QMenu, "menuEvidence")
    assert menu is not None
    first = menu.actions()[0]
    assert not first.isSeparator()
    assert unmarked(first.text()) == "Clear all evidence"
