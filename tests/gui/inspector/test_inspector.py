"""The inspector follows the selection: bars, likelihoods, evidence, joint beliefs, the model."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QSlider,
    QToolButton,
    QToolTip,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.inference.base import Likelihood, Observed
from pgmstudio.core.inference.information_measures import mutual_information_bits, shift_bits
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbParams,
)
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry, plain_params
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.inspector.joint import shortened
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.runs.model_summary import provenance_facts
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import bring_up_to_date, click_bar, find, inspect, inspector, network_of
from tests.strategies import random_network

Key = Qt.Key


def test_a_selected_variable_shows_its_title_chip_and_facts(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    inspect(window, qtbot, "lung")
    head = inspector(window).node._head
    assert head.title.text() == "lung"
    # The title says the name already.
    assert head.facts.text() == "2 states · 1 parent · 1 child"
    assert head.chip.chip is None
    window.app.workspace.set_target("lung")
    qtbot.waitUntil(lambda: head.chip.chip is not None and head.chip.chip.text == "target")
    live.click_state("lung", "yes")
    qtbot.waitUntil(lambda: head.chip.chip is not None and head.chip.chip.text == "yes")


def test_the_bars_are_the_beliefs_and_clicking_one_sets_evidence(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    inspect(window, qtbot, "smoke")
    bars = inspector(window).node.belief.bars
    click_bar(qtbot, bars, "yes")
    assert live.evidence == {"smoke": Observed("yes")}
    inspect(window, qtbot, "lung")
    session = JunctionTreeSession(network_of(live))
    session.set_evidence("smoke", Observed("yes"))
    qtbot.waitUntil(lambda: bars.bars.beliefs == tuple(session.belief("lung").values.tolist()))
    assert bars.bars.priors == tuple(live.priors["lung"].tolist())
    shift = shift_bits(live.beliefs["lung"], live.priors["lung"])
    summary = find(window, QLabel, "inspectorSummary")
    assert summary.text() == f"Prior 94.50 % no. Shift {shift:.2f} bits."  # type: ignore[attr-defined]


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # tooltips
def test_an_impossible_bar_is_struck_cannot_be_clicked_and_says_why(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("tub", "yes")
    inspect(window, qtbot, "either")
    bars = inspector(window).node.belief.bars
    qtbot.waitUntil(lambda: bars.bars.impossible == {"no"})
    click_bar(qtbot, bars, "no")
    assert live.evidence == {"tub": Observed("yes")}
    position = bars.row_rect("no").center().toPoint()
    QApplication.sendEvent(
        bars, QHelpEvent(QEvent.Type.ToolTip, position, bars.mapToGlobal(position))
    )
    assert "Not now: tub = yes rules out either = no." in QToolTip.text()


def test_keys_walk_the_states_set_clear_and_open_likelihoods(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    inspect(window, qtbot, "bronc")
    tab = inspector(window).node.belief
    tab.bars.setFocus()
    qtbot.keyClick(tab.bars, Key.Key_Down)
    qtbot.keyClick(tab.bars, Key.Key_Return)
    assert live.evidence == {"bronc": Observed("no")}
    qtbot.keyClick(tab.bars, Key.Key_1)
    assert live.evidence == {"bronc": Observed("yes")}
    qtbot.keyClick(tab.bars, Key.Key_C)
    assert not live.evidence
    assert not tab.sliders.isVisible()
    qtbot.keyClick(tab.bars, Key.Key_L)
    assert tab.sliders.isVisible()
    qtbot.keyClick(tab.bars, Key.Key_T)
    assert window.app.workspace.target == "bronc"


def test_a_likelihood_slider_moves_the_posterior_and_not_the_model(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    model = live.model
    inspect(window, qtbot, "dysp")
    button = find(window, QPushButton, "inspectorLikelihood")
    button.click()  # type: ignore[attr-defined]
    slider = find(window, QSlider, "likelihood.no")
    assert isinstance(slider, QSlider)
    slider.setFocus()
    for _ in range(14):
        qtbot.keyClick(slider, Key.Key_PageDown)
    assert slider.value() == 30
    finding = Likelihood((("yes", 1.0), ("no", 0.3)))
    assert live.evidence == {"dysp": finding}
    bring_up_to_date(qtbot, live)
    session = JunctionTreeSession(network_of(live))
    session.set_evidence("dysp", finding)
    assert live.beliefs["lung"].tolist() == session.belief("lung").values.tolist()
    assert live.model is model
    button.click()  # type: ignore[attr-defined]
    assert not live.evidence, "putting the sliders away retracts the likelihood"


def test_unticking_switches_a_finding_off_and_ticking_brings_it_back(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("smoke", "yes")
    live.click_state("xray", "yes")
    bring_up_to_date(qtbot, live)
    both = live.beliefs["lung"].tolist()
    inspect(window, qtbot, "lung")
    tick = find(window, QCheckBox, "evidenceTick.xray")
    assert isinstance(tick, QCheckBox)
    qtbot.mouseClick(tick, Qt.MouseButton.LeftButton, pos=QPoint(8, tick.height() // 2))
    assert not tick.isChecked()
    assert live.evidence == {"smoke": Observed("yes")}
    assert live.switched_off == {"xray": Observed("yes")}
    bring_up_to_date(qtbot, live)
    assert live.beliefs["lung"].tolist() != both
    qtbot.mouseClick(tick, Qt.MouseButton.LeftButton, pos=QPoint(8, tick.height() // 2))
    bring_up_to_date(qtbot, live)
    assert live.beliefs["lung"].tolist() == both
    gone = find(window, QToolButton, "evidenceGone.smoke")
    qtbot.mouseClick(gone, Qt.MouseButton.LeftButton)
    assert list(live.evidence) == ["xray"]


def test_a_conflict_names_the_smallest_set_and_offers_to_retract(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("smoke", "yes")
    live.click_state("tub", "yes")
    live.click_state("either", "no")
    inspect(window, qtbot, "either")
    note = inspector(window).node.belief.evidence.conflict
    qtbot.waitUntil(note.isVisible)
    assert note.text == "tub = yes and either = no cannot hold together. Retract one of them."
    assert live.evidence == {"smoke": Observed("yes"), "tub": Observed("yes")}
    way_out = find(window, QPushButton, "retract.tub")
    assert way_out.text() == "Retract tub = yes"  # type: ignore[attr-defined]
    qtbot.mouseClick(way_out, Qt.MouseButton.LeftButton)
    assert live.evidence == {"smoke": Observed("yes"), "either": Observed("no")}
    qtbot.waitUntil(lambda: not note.isVisible())


def test_what_changed_most_is_ranked_and_a_click_selects(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("xray", "yes")
    bring_up_to_date(qtbot, live)
    inspect(window, qtbot, "lung")
    ranks = inspector(window).node.belief.shifts
    qtbot.waitUntil(lambda: len(ranks.ranks) > 1)
    bits = {n: shift_bits(live.beliefs[n], live.priors[n]) for n in live.beliefs if n != "xray"}
    best = max(bits, key=lambda name: bits[name])
    assert ranks.ranks[0][0] == best == "either"
    assert ranks.ranks[0][2] == pytest.approx(bits[best])
    qtbot.mouseClick(
        ranks, Qt.MouseButton.LeftButton, pos=ranks.row_rect("either").center().toPoint()
    )
    assert window.app.workspace.selection.nodes == ("either",)


def test_ask_next_names_the_variable_with_most_information_about_the_target(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("smoke", "yes")
    live.click_state("xray", "yes")
    window.app.workspace.set_target("lung")
    inspect(window, qtbot, "lung")
    text = find(window, QLabel, "inspectorAskNext")
    qtbot.waitUntil(lambda: "bits" in text.text())  # type: ignore[attr-defined]
    session = JunctionTreeSession(network_of(live))
    session.set_all(live.evidence)
    bits = {
        n: mutual_information_bits(session.joint(["lung", n]))
        for n in live.beliefs
        if n not in ("lung", "smoke", "xray")
    }
    best = max(bits, key=lambda name: bits[name])
    message = text.text()  # type: ignore[attr-defined]
    assert message.index(f">{best}<") < message.index(f"{bits[best]:.2f} bits")


def test_several_selected_variables_show_their_joint_belief(
    window: MainWindow, live: BeliefService, qtbot: QtBot, tmp_path: Path
) -> None:
    live.click_state("dysp", "yes")
    inspect(window, qtbot, "lung", "bronc")
    page = inspector(window).joint
    session = JunctionTreeSession(network_of(live))
    session.set_all(live.evidence)
    table = session.joint(["lung", "bronc"])
    qtbot.waitUntil(
        lambda: page.joint is not None and np.allclose(page.joint.table, table, atol=1e-15)
    )
    bits = mutual_information_bits(table)
    assert page.facts.facts["Mutual information"] == f"{bits:.4f} bits"
    assert page.grid.rowCount() == page.grid.columnCount() == 2
    page.export(tmp_path / "joint.csv")
    lines = (tmp_path / "joint.csv").read_text().splitlines()
    assert lines[0] == "lung,bronc,probability"
    assert math.fsum(float(line.split(",")[2]) for line in lines[1:]) == pytest.approx(1)


def test_long_names_in_a_joint_table_give_way_to_short_ones(window: MainWindow) -> None:
    metrics = QFontMetrics(theme().font("dense"))
    names = ["no", "all the way to work and back by train", "yes"]
    whole = ", ".join(names)
    assert shortened(names, metrics.horizontalAdvance(whole) + 1, metrics) == whole
    room = metrics.horizontalAdvance(whole) // 2
    message = shortened(names, room, metrics)
    assert message.startswith("no, ")
    assert message.endswith(", yes")
    assert "…" in message
    assert metrics.horizontalAdvance(message) <= room


def test_a_joint_belief_beyond_a_million_cells_is_refused_in_words(
    window: MainWindow, qtbot: QtBot
) -> None:
    network = random_network(np.random.default_rng(4), cardinalities=[4] * 11, density=0.1)
    add_and_show_model(window.app, ModelEntry("eleven", network), "Open eleven")
    inspect(window, qtbot, *network.domain.names)
    page = inspector(window).joint
    qtbot.waitUntil(lambda: "Select fewer variables." in page._note.text)
    assert page.joint is None


def test_with_nothing_selected_the_model_reports_its_sizes_and_fit(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    network = network_of(live)
    data = network.sample(200, np.random.default_rng(6))
    window.app.change("Import", partial(edits.add_data, entry=DataEntry("rows", data)))
    entry = ModelEntry("measured", network, data_id="d1", provenance={"learner": "x", "seed": 7})
    add_and_show_model(window.app, entry, "Open measured")
    page = inspector(window).model
    bits = float(network.log2_probabilities(data).mean())
    wanted = f"{bits:.3f} bits per row".replace("-", "−")
    qtbot.waitUntil(lambda: page.facts.facts.get("Log-likelihood ↑") == wanted)
    facts = page.facts.facts
    assert facts["Free parameters"] == str(network.representation_size())
    assert facts["Junction-tree cells"].startswith(str(network.effective_size()))
    assert page.card.facts["Seed"] == "7"


def test_the_card_reports_knowledge_and_first_models_in_words() -> None:
    rules = Knowledge(required=frozenset({("a", "b")}), tiers=(("a",), ("b",)))
    params = plain_params(HillClimbParams(knowledge=rules), {})
    recorded = {**params, "start": {"model": "m1"}}
    card = provenance_facts({"learner": "bn.hill-climb", "parameters": recorded})
    settings = {title: words for title, words, _ in card}
    assert (settings["Knowledge"], settings["Start"]) == ("3 rules", "m1")


def test_the_most_probable_explanation_is_shown_with_its_probability(
    window: MainWindow, live: BeliefService, qtbot: QtBot
) -> None:
    live.click_state("dysp", "yes")
    inspect(window, qtbot)
    page = inspector(window).model
    page.explain.click()
    session = JunctionTreeSession(network_of(live))
    session.set_all(live.evidence)
    qtbot.waitUntil(lambda: dict(live.most_probable) == dict(session.most_probable()))
    probability = 2 ** session.log2_most_probable()
    qtbot.waitUntil(lambda: page.explained.facts.get("With the evidence") == f"{probability:.4g}")
    canvas = window.app.center.current
    assert isinstance(canvas, ModelPage)
    labels = canvas.canvas.most_probable
    assert not labels.legend_entries()  # bars outline the state
    qtbot.waitUntil(lambda: bool(canvas.scene().nodes))
    for item in canvas.scene().nodes.values():
        item.set_face(item.node, replace(item.face, mode=NodeMode.NAME))
    labels.follow()
    assert labels.has_bounds
    assert [entry.text for entry in labels.legend_entries()] == ["most probable state"]
    page.explain.click()
    qtbot.waitUntil(lambda: not live.most_probable)


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_everything_fits_into_the_width_of_the_panel(
    window: MainWindow, live: BeliefService, qtbot: QtBot, scale: float
) -> None:
    theme().set_look(scale=scale)
    window.resize(round(1280 * scale), round(800 * scale))
    live.click_state("smoke", "yes")
    live.set_likelihood("dysp", {"yes": 0.9, "no": 0.3})
    live.click_state("tub", "yes")
    live.click_state("either", "no")  # refused, so the note stands there too
    window.app.workspace.set_target("lung")
    choices: list[tuple[tuple[str, ...], tuple[tuple[str, str], ...], str]] = [
        (("dysp",), (), "belief"),
        (("dysp",), (), "table"),
        (("either",), (), "edges"),
        (("lung",), (), "notes"),
        (("lung", "bronc", "dysp"), (), ""),
        ((), (("smoke", "lung"),), ""),
        ((), (), ""),
    ]
    try:
        for nodes, edges, tab in choices:
            window.app.workspace.select(nodes, edges)
            if tab:
                inspector(window).node.show_tab(tab)
            QApplication.processEvents()  # for the layouts
            for area in inspector(window).findChildren(QScrollArea):
                if area.isVisible() and area.objectName().startswith("inspector"):
                    needed = area.widget().minimumSizeHint().width()
                    assert needed <= theme().px("right") - 12, (area.objectName(), tab)
    finally:
        theme().set_look(scale=1.0)
