"""Comparing in the window: languages on the same rows, the same evidence in all models."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QTreeWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.analysis.disagreement import total_variation
from pgmstudio.core.analysis.model_comparison import compare
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.experiments.comparison_rows import DIFFERENCE, NAME, TEST
from pgmstudio.core.experiments.language_comparison.candidates import train_valid_test_split
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Excluded, Likelihood, Observed
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.comparison.languages_page import ComparePage
from pgmstudio.gui.evaluation.score_table_page import ScoreTablePage
from pgmstudio.gui.evidence.shared_evidence_page import SharedEvidencePage
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.image_file import PictureOptions, picture_bytes
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler, sprinkler, sprinkler_rows
from tests.oracles.brute_force import BruteForceSession

LEFT = Qt.MouseButton.LeftButton
LONG = 60_000


def opened(window: MainWindow, action: str) -> object:
    window.app.actions.refresh(action)
    window.app.actions[action].trigger()
    return window.app.center.current


def test_without_rows_or_models_the_actions_say_what_is_needed(window: MainWindow) -> None:
    registry = window.app.actions
    registry.refresh()
    assert "import data first" in registry["evaluate.compare-languages"].toolTip()
    assert "no model is open" in registry["evidence.same"].toolTip()
    add_sprinkler(window.app)
    registry.refresh()
    assert "two models are needed" in registry["evidence.same"].toolTip()


def test_rules_that_a_comparison_does_not_use_are_named_before_it_starts(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    entry = DataEntry("garden", sprinkler_rows())
    app.change("Import", partial(edits.add_data, entry=entry))
    page = opened(window, "evaluate.compare-languages")
    assert isinstance(page, ComparePage)
    one, other = entry.data.domain.names[:2]
    app.change("Rule", partial(edits.forbid_edge, source=one, target=other))
    text = "1 rule about edges is not used in a comparison."
    qtbot.waitUntil(lambda: page.setup.rows.text().endswith(text))


@pytest.mark.parametrize(("width", "height", "scale"), [(1024, 700, 1.0), (1280, 800, 2.0)])
def test_rows_of_a_comparison_are_whole_and_all_within_reach(
    window: MainWindow, qtbot: QtBot, width: int, height: int, scale: float
) -> None:
    theme().set_look(scale=scale)
    window.resize(width, height)
    entry = DataEntry("garden", sprinkler_rows())
    window.app.change("Import", partial(edits.add_data, entry=entry))
    page = opened(window, "evaluate.compare-languages")
    assert isinstance(page, ComparePage)
    page.setup.results_requested.emit()  # a narrow page shows its settings first
    table = page.table
    qtbot.waitUntil(lambda: table.geometry().bottom() <= table.parentWidget().height())
    row, area = table.verticalHeader().defaultSectionSize(), table.viewport().height()
    assert len(table.rows) == 8
    assert area % row <= 2
    if scale == 1.0:
        assert area >= 8 * row
    else:
        assert table.verticalScrollBar().maximum() > 0
    theme().set_look(scale=1.0)


def test_languages_are_compared_by_mouse_from_the_ticks_to_the_models(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    app = window.app
    rows = sprinkler_rows()
    app.change("Import", partial(edits.add_data, entry=DataEntry("garden", rows)))
    page = opened(window, "evaluate.compare-languages")
    assert isinstance(page, ComparePage)
    cell_text = "280 training, 40 validation and 80 test rows"
    qtbot.waitUntil(lambda: page.setup.rows.text() == f"{cell_text}, in each of 5 splits")
    page.setup.splits.setValue(1)
    qtbot.waitUntil(lambda: page.setup.rows.text() == cell_text)
    assert [line.cell_text(TEST) for line in page.table.rows] == ["not learned yet"] * 8
    for key in ("bn", "pdg", "ldag", "mn", "mixture", "hybrid", "latent"):
        page.setup.ticks[key].setChecked(False)
    assert "at least two languages" in page.setup.start.toolTip()
    assert not page.setup.start.isEnabled()
    page.setup.ticks["latent"].setChecked(True)
    page.setup.seconds.setValue(600)
    assert page.setup.smoothing.text() == "auto"
    page.setup.smoothing.setValue(0.5)
    QTest.mouseClick(page.setup.start, LEFT)
    assert page.setup.stop.isVisible()
    assert not page.setup.data.isEnabled()
    assert not page.setup.smoothing.isEnabled()
    qtbot.waitUntil(lambda: page.is_settled, timeout=LONG)
    # The numbers are those of the models on the same test rows.
    table = page.exports.table
    assert table is not None
    result = {row.language.title: row for row in table.rows}
    models = {t: row.point.model for t, row in result.items() if row.point and row.point.model}
    expected = compare(models, train_valid_test_split(rows).test)
    assert set(models) == {"Chow–Liu tree", "Latent class model"}
    for title, row in result.items():
        assert row.compared is not None
        bits = expected[title].log2_likelihood_per_row
        assert row.compared.log2_likelihood_per_row == pytest.approx(bits)
        assert row.compared.interval == pytest.approx(expected[title].interval)
        assert row.point is not None
        assert row.point.parameters["smoothing"] == 0.5
    first, second = page.table.rows
    assert first.title == expected.best
    assert first.cell_text(DIFFERENCE) == "reference"
    assert expected.best in page.note.text
    assert "Finished after" in page.progress_label.text()
    # Held against the other one, the difference turns round.
    box = page.findChild(QComboBox, "compareAgainst")
    assert box is not None
    box.setCurrentIndex(box.findData(second.title))
    box.activated.emit(box.currentIndex())
    turned = page.table.rows[0].pair
    assert turned is not None
    assert second.pair is not None
    assert turned.value == pytest.approx(-(second.pair.value or 0.0))
    # By variable the differences add up to the whole.
    grid = page.panes.by_variable.values
    assert sum(value or 0.0 for value in grid.values()) == pytest.approx(turned.value)
    for key in ("pairs", "rows"):
        QTest.mouseClick(page.panes.right.button(key), LEFT)
    assert page.panes.by_row.model().rowCount() == 80
    # Files, and a second run that is the same.
    page.exports.export(tmp_path / "languages.csv")
    with (tmp_path / "languages.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    assert [line["title"] for line in lines] == [first.title, second.title]
    page.exports.export(tmp_path / "languages.json")
    report = json.loads((tmp_path / "languages.json").read_text())
    assert report["budget"] == 600
    assert report["best"] == expected.best
    with qtbot.waitSignal(app.errors.message) as refused:  # no table is called a page
        page.exports.export(tmp_path / "languages.html")
    assert "Use .csv or .json." in refused.args[0]
    assert not (tmp_path / "languages.html").exists()
    for key, cell_text in (("sizes", b"Effective size"), ("differences", b"(left is worse)")):
        QTest.mouseClick(page.panes.left.button(key), LEFT)
        qtbot.waitUntil(lambda: page.drawing() is not None)
        drawing = page.drawing()
        assert drawing is not None
        assert cell_text in picture_bytes(drawing, ".svg", PictureOptions())
    # A double-click opens the model; a second one brings it to front.
    index = page.table.visualRect(page.table.model().index(1, NAME)).center()
    for _ in range(2):
        app.center.bring_to_front(page)
        QTest.mouseClick(page.table.viewport(), LEFT, pos=index)
        QTest.mouseDClick(page.table.viewport(), LEFT, pos=index)
        assert app.workspace.model_id == "m1"
    assert app.project.models["m1"].model is models[second.title]
    assert len(app.project.models) == 1
    app.center.bring_to_front(page)
    QTest.mouseClick(page.head.keeper, LEFT)
    assert len(app.project.models) == 2
    (kept,) = app.project.comparisons.values()
    assert kept.model_ids == ("m2", "m1")
    # The comparison stands in the tree of the project and opens as a table of its models.
    app.change("Another", partial(edits.add_model, entry=ModelEntry("Other", sprinkler())))
    tree = window.findChild(QTreeWidget, "projectTree")
    assert tree is not None
    (item,) = tree.findItems("Languages", Qt.MatchFlag.MatchRecursive)
    assert item.text(1) == "2 models"
    tree.itemDoubleClicked.emit(item, 0)
    scores = app.center.current
    assert isinstance(scores, ScoreTablePage)
    assert scores.title == "Languages"
    qtbot.waitUntil(lambda: set(scores.scores()) == {"m1", "m2"}, timeout=LONG)
    item.setText(0, "On garden")
    assert scores.title == "On garden"
    for _ in range(3):
        app.document.undo_stack.undo()
    assert not app.project.comparisons
    assert app.center.current is not scores
    assert len(app.project.models) == 1


def two_gardens(window: MainWindow) -> tuple[BayesianNetwork, BayesianNetwork]:
    """The sprinkler, and one of a wet country that has no sprinkler but snow."""
    app = window.app
    add_sprinkler(app)
    wet = sprinkler().with_table("rain", np.array([0.3, 0.7]))
    app.change("Open", partial(edits.add_model, entry=ModelEntry("Wet country", wet)))
    return sprinkler(), wet


def test_evidence_clicked_once_goes_to_all_models_and_the_largest_disagreement_comes_first(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    app = window.app
    dry, wet = two_gardens(window)
    app.workspace.activate_model("m1")
    page = opened(window, "evidence.same")
    assert isinstance(page, SharedEvidencePage)
    qtbot.waitUntil(lambda: len(page.cards.cards) == 3)
    assert page.cards.cards[0].name == "rain"
    assert page.ranking[0].distances["total variation"].value == pytest.approx(0.5)
    # By mouse on a card.
    at = page.cards.state_point("wet", "yes").toPoint()
    QTest.mouseClick(page.cards.viewport(), LEFT, pos=at)
    qtbot.waitUntil(lambda: "wet = yes" in page.facts.text())
    listed = []
    for model_id, model in (("m1", dry), ("m2", wet)):
        session = BruteForceSession(model)
        session.set_evidence("wet", Observed("yes"))
        listed.append(session)
        live = app.workspace.beliefs(model_id)
        assert dict(live.evidence) == {"wet": Observed("yes")}
        for name in model.domain.names:
            assert live.beliefs[name] == pytest.approx(session.belief(name).values)
    shown = [str(page.models.model().index(position, 1).data()) for position in (0, 1)]
    assert [float(one) for one in shown] == pytest.approx(
        [2 ** session.log2_evidence() for session in listed], rel=1e-3
    )
    assert len({len(one.lstrip("0.")) for one in shown}) == 1  # as many digits for all
    answers = {one.name: one for one in page.answers}
    for name, session in zip(("Sprinkler", "Wet country"), listed, strict=True):
        assert answers[name].log2_evidence == pytest.approx(session.log2_evidence())
    result = {one.variable: one.distances["total variation"].value for one in page.ranking}
    for name in dry.domain.names:
        p, q = (session.belief(name).values for session in listed)
        assert result[name] == pytest.approx(total_variation(p, q), abs=1e-9)
    assert list(result.values()) == sorted(result.values(), reverse=True)
    # Entered in one model, it goes to the others; so does taking it back.
    finding = Likelihood((("off", 1.0), ("on", 0.25)))
    app.workspace.beliefs("m2").set_finding("sprinkler", finding)
    assert app.workspace.beliefs("m1").evidence["sprinkler"] == finding
    app.workspace.beliefs("m1").retract("wet")
    assert dict(app.workspace.beliefs("m2").evidence) == {"sprinkler": finding}
    page.export(tmp_path / "beliefs.csv")
    head = (tmp_path / "beliefs.csv").read_text().splitlines()[0]
    assert head.endswith("Sprinkler,Wet country")
    QTest.mouseClick(page.clear_button, LEFT)
    assert not app.workspace.beliefs("m1").evidence
    assert not app.workspace.beliefs("m2").evidence
    # When the page is closed every model has its own evidence again.
    app.center.close_page(page)
    app.workspace.beliefs("m1").set_finding("rain", Observed("yes"))
    assert not app.workspace.beliefs("m2").evidence


def test_a_hybrid_and_a_decision_graph_have_different_signs(
    window: MainWindow, qtbot: QtBot
) -> None:
    file = Path(__file__).resolve().parents[3] / "sample_data" / "coronary_flow.json"
    graph = read_model(file).model
    for title, learner in (("PDG", "pdg.learn"), ("Hybrid PDG", "pdg.hybrid")):
        entry = ModelEntry(title, graph, provenance={"learner": learner})
        window.app.change("Open", partial(edits.add_model, entry=entry))
    window.app.workspace.activate_model("m1")
    page = opened(window, "evidence.same")
    assert isinstance(page, SharedEvidencePage)
    qtbot.waitUntil(lambda: bool(page.cards.cards))
    icons = [
        page.models.model().index(row, 0).data(Qt.ItemDataRole.DecorationRole) for row in (0, 1)
    ]
    images = [icon.pixmap(32, 32).toImage() for icon in icons]
    assert images[0] != images[1]


def test_a_model_that_lacks_a_variable_or_rules_evidence_out_says_so_and_others_keep_theirs(
    window: MainWindow, qtbot: QtBot
) -> None:
    app = window.app
    add_sprinkler(app)
    domain = Domain.of({"rain": ["no", "yes"], "snow": ["no", "yes"]})
    never = BayesianNetwork(
        domain,
        Dag.from_edges(domain.names, [("rain", "snow")]),
        (np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.5, 0.5]])),
    )
    app.change("Open", partial(edits.add_model, entry=ModelEntry("Desert", never)))
    app.workspace.activate_model("m1")
    page = opened(window, "evidence.same")
    assert isinstance(page, SharedEvidencePage)
    first, other = app.workspace.beliefs("m1"), app.workspace.beliefs("m2")
    page.link.click_state("wet", "yes")
    assert not other.evidence
    qtbot.waitUntil(lambda: "B: it has no variable wet." in page.note.text)
    other.set_finding("snow", Observed("yes"))
    assert "snow" not in first.evidence
    # It cannot snow without rain: the desert refuses, the garden keeps its evidence.
    first.set_finding("rain", Excluded(frozenset({"yes"})))
    assert "rain" in first.evidence
    qtbot.waitUntil(lambda: "rain" in page.note.text)
    assert dict(other.evidence) == {"snow": Observed("yes")}
    other.retract("snow")
    assert set(first.evidence) == {"wet", "rain"}
    card = next(card for card in page.cards.cards if card.name == "wet")
    assert card.groups[1].missing == "no variable wet"
    qtbot.waitUntil(lambda: bool(page.cards.cards))
