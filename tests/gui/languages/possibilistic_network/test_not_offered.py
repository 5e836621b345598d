"""What needs probabilities is not offered for degrees and relations, and the tooltip states why."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.node_view import NodeMode
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.learning.lecture_data import GEOMETRIC
from tests.gui.asia import inspector, variables
from tests.gui.languages.possibilistic_network.test_degrees_in_the_window import weather_and_grass

NOT_OFFERED = (
    "data.sample",
    "evaluate.classify",
    "evidence.ask-next",
    "evidence.findings",
    "evidence.map",
    "evidence.next-row",
    "evidence.sensitivity",
    "evidence.surprise",
    "model.learn-parameters",
    "model.show-all.entropy",
    "view.strength.bootstrap",
    "view.strength.mi",
    "view.strength.removal",
    "view.strength.score.bic",
)


def relational() -> RelationalNetwork:
    structure = MarkovStructure(GEOMETRIC.domain, frozenset({(0, 1), (1, 2)}))
    return RelationalNetwork.of_relation(structure, Relation.of(GEOMETRIC))


@pytest.mark.parametrize("make", [weather_and_grass, relational])
def test_probabilities_are_not_offered_for_degrees(
    qtbot: QtBot, window: MainWindow, make: Callable[[], Model]
) -> None:
    app = window.app
    model = make()
    add_and_show_model(app, ModelEntry("degrees", model), "Open")
    page = WindowDriver(window).model_page()
    first = model.domain.names[0]
    face = page.scene().nodes[first].face
    qtbot.waitUntil(lambda: bool(page.scene().nodes[first].face.beliefs))
    app.actions.refresh()
    for action in NOT_OFFERED:
        assert not app.actions[action].isEnabled(), action
        assert "probabili" in app.actions[action].toolTip(), app.actions[action].toolTip()
    assert not app.actions["learn.continue"].isEnabled()
    assert "starts from a graph" in app.actions["learn.continue"].toolTip()
    assert app.actions["evidence.explain"].text().replace("&", "") == "Most possible tuple"
    # A likelihood is refused on the canvas and by the inspector.
    page.asking.begin_likelihood(first)
    page.canvas.signals.likelihood.emit(first, dict.fromkeys(face.states, 0.5))
    assert not page.asking.live.evidence
    app.workspace.select((first,), ())
    belief = inspector(window).node.belief
    qtbot.waitUntil(lambda: not belief._likelihood.isEnabled())
    belief.bars.likelihood_requested.emit()
    assert belief.sliders.isHidden()
    # The order by entropy.
    panel = variables(window)
    entropy = panel.findChild(QAction, "variablesSort.entropy")
    assert entropy is not None
    panel._allow_entropy(entropy, "")
    assert not entropy.isEnabled()
    assert page.scene().nodes[first].face.mode is not NodeMode.ENTROPY
