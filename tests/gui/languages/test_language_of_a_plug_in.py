"""A language of a plug-in appears in the window through its registry rows alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel, QPlainTextEdit
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.languages import registry as views
from pgmstudio.gui.model_page.extension import PageExtension
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.theme.icons import language_icon
from pgmstudio.gui.theme.language_symbols import mark_colors, mark_icon
from pgmstudio.gui.window.log_panel import LogPanel
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from pgmstudio.gui.window.status_bar import StatusBar
from tests.contracts.stub_language.installation import LANGUAGE_POINT, installed
from tests.contracts.stub_language.model import IndependentVariables

KIND = "independent"
VIEW = "tests.contracts.stub_language.view:VIEW"
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    """Installs the stub language, with these entry points of views."""
    folder = tmp_path / "packages"
    folder.mkdir()
    with ExitStack() as stack:

        def add(**view_points: str) -> None:
            points = {**LANGUAGE_POINT, views.PLUGINS.group: view_points}
            stack.enter_context(installed(folder, points))
            views.PLUGINS.reload()

        yield add
    views.PLUGINS.reload()


def weather() -> IndependentVariables:
    domain = Domain.of({"season": ["dry", "wet"], "rain": ["no", "yes"], "mud": ["no", "yes"]})
    marginals = (np.array([0.5, 0.5]), np.array([0.7, 0.3]), np.array([0.45, 0.55]))
    return IndependentVariables(domain, marginals)


def opened(window: MainWindow) -> ModelPage:
    app = window.app
    model_id = app.project.next_model_id()
    assert app.change("Open", partial(add_model, entry=ModelEntry("Weather", weather())))
    open_model_page(app, model_id)
    page = app.center.current
    assert isinstance(page, ModelPage)
    return page


def inspector(window: MainWindow) -> InspectorPanel:
    panel = panel_widget(window, "inspectorPanel")
    assert isinstance(panel, InspectorPanel)
    return panel


def test_a_language_without_a_view_has_a_page_with_its_diagram(
    window: MainWindow, qtbot: QtBot, install: Install
) -> None:
    install()
    page = opened(window)
    assert type(page.extension) is PageExtension
    qtbot.waitUntil(lambda: set(page.scene().nodes) == {"season", "rain", "mud"})
    assert not page.scene().edges
    assert not page.is_editable
    assert window.app.actions["view.picture.dag"].isEnabled() is False


def test_its_beliefs_follow_the_evidence_on_the_canvas(
    window: MainWindow, qtbot: QtBot, install: Install
) -> None:
    install()
    page = opened(window)
    qtbot.waitUntil(lambda: "mud" in page.scene().nodes)
    nodes = page.scene().nodes
    qtbot.waitUntil(lambda: nodes["rain"].face.beliefs == pytest.approx((0.7, 0.3)))
    page.canvas.signals.click_state.emit("rain", "yes")
    qtbot.waitUntil(lambda: nodes["rain"].face.beliefs == pytest.approx((0, 1)))
    assert nodes["mud"].face.beliefs == pytest.approx((0.45, 0.55))


def test_the_inspector_and_the_status_bar_describe_it(
    window: MainWindow, qtbot: QtBot, install: Install
) -> None:
    install()
    opened(window)
    panel = inspector(window)
    qtbot.waitUntil(lambda: panel.model.facts.facts.get("Free parameters") == "3")
    header = panel.model.findChild(QLabel, "inspectorModelFacts")
    assert isinstance(header, QLabel)
    assert header.text() == "Independent variables · 3 variables"
    window.app.workspace.select(("rain",))
    qtbot.waitUntil(lambda: bool(panel.node.belief.bars.bars.beliefs))
    status = window.findChild(StatusBar)
    assert isinstance(status, StatusBar)
    assert status.graph.text() == "3 nodes : 0 edges"


def test_it_is_saved_in_the_project_and_read_again(
    window: MainWindow, tmp_path: Path, install: Install
) -> None:
    install()
    opened(window)
    path = tmp_path / "weather.pgmz"
    write_project(path, window.app.project)
    (entry,) = read_project(path).models.values()
    assert entry.model.kind == KIND
    assert isinstance(entry.model, IndependentVariables)
    for marginal, expected in zip(entry.model.marginals, weather().marginals, strict=True):
        assert marginal == pytest.approx(expected)


def test_a_view_of_its_own_adds_to_the_page_and_the_inspector(
    window: MainWindow, qtbot: QtBot, install: Install
) -> None:
    install(independent=VIEW)
    page = opened(window)
    banner = page.findChild(QLabel, "stubBanner")
    assert isinstance(banner, QLabel)
    assert banner.text() == "season, rain, mud are independent."
    panel = inspector(window)
    qtbot.waitUntil(lambda: panel.model.findChild(QLabel, "stubSection") is not None)
    section = panel.model.findChild(QLabel, "stubSection")
    assert isinstance(section, QLabel)
    assert section.text() == "First: season"


def test_a_view_that_cannot_be_loaded_becomes_a_message(
    install: Install,
) -> None:
    install(broken="no.such.module:VIEW")
    assert ["broken" in message for message in views.PLUGINS.problems] == [True]
    assert views.language_view("broken").extend_page is None


def test_the_log_lists_plug_ins_that_failed(window: MainWindow, install: Install) -> None:
    install(broken="no.such.module:VIEW")
    panel = LogPanel(window.app)
    text = panel.findChild(QPlainTextEdit, "logText")
    assert isinstance(text, QPlainTextEdit)
    assert "Caution: The plug-in broken did not load" in text.toPlainText()
    window.app.document.replaced.emit()
    assert text.toPlainText().count("The plug-in broken did not load") == 1


def test_its_row_gives_its_marker_on_plots_and_in_lists(
    install: Install,
) -> None:
    install()
    assert mark_colors(KIND) != mark_colors("bayesian-network")
    images = [mark_icon(kind).pixmap(32, 32).toImage() for kind in (KIND, "bayesian-network")]
    assert images[0] != images[1]
    plain = language_icon("not-installed").pixmap(32, 32).toImage()
    assert language_icon(KIND).pixmap(32, 32).toImage() != plain


def test_its_icon_is_not_that_of_a_bayesian_network(window: MainWindow, install: Install) -> None:
    install()
    own, other = (language_icon(k).pixmap(32, 32).toImage() for k in (KIND, "bayesian-network"))
    assert own != other
