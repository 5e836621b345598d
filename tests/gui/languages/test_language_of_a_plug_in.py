"""A language of a plug-in appears in the window through its registry rows alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel, QPlainTextEdit
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages import registry
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
from tests.gui.languages.fan_language import HERE, KIND, Fan

LANGUAGE_POINT = metadata.EntryPoint("fan", f"{HERE}:LANGUAGE", registry.PLUGIN_GROUP)
VIEW_POINT = metadata.EntryPoint("fan", f"{HERE}:VIEW", views.PLUGIN_GROUP)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[metadata.EntryPoint]]:
    """The entry points of the plug-in; a test may add that of its view before it opens a model."""
    points = [LANGUAGE_POINT]
    before = metadata.entry_points

    def entry_points(*, group: str) -> list[metadata.EntryPoint]:
        return [*before(group=group), *(point for point in points if point.group == group)]

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    registry.reload_plugins()
    views.reload_plugins()
    yield points
    monkeypatch.undo()
    registry.reload_plugins()
    views.reload_plugins()


def weather() -> Fan:
    domain = Domain.of({"season": ["dry", "wet"], "rain": ["no", "yes"], "mud": ["no", "yes"]})
    tables = (
        np.array([[0.5, 0.5]]),
        np.array([[0.9, 0.1], [0.3, 0.7]]),
        np.array([[0.8, 0.2], [0.1, 0.9]]),
    )
    return Fan(domain, tables)


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
    window: MainWindow, qtbot: QtBot, installed: list[metadata.EntryPoint]
) -> None:
    page = opened(window)
    assert type(page.extension) is PageExtension
    qtbot.waitUntil(lambda: set(page.scene().nodes) == {"season", "rain", "mud"})
    assert set(page.scene().edges) == {("season", "rain"), ("season", "mud")}
    assert not page.is_editable
    assert window.app.actions["view.picture.dag"].isEnabled() is False


def test_its_beliefs_follow_the_evidence_on_the_canvas(
    window: MainWindow, qtbot: QtBot, installed: list[metadata.EntryPoint]
) -> None:
    page = opened(window)
    qtbot.waitUntil(lambda: "mud" in page.scene().nodes)
    nodes = page.scene().nodes
    qtbot.waitUntil(lambda: nodes["mud"].face.beliefs == pytest.approx((0.45, 0.55)))
    page.canvas.signals.click_state.emit("rain", "yes")
    # P(season = wet | rain = yes) = 0.35 / 0.4
    mud = 0.125 * 0.2 + 0.875 * 0.9
    qtbot.waitUntil(lambda: nodes["mud"].face.beliefs == pytest.approx((1 - mud, mud)))


def test_the_inspector_and_the_status_bar_describe_it(
    window: MainWindow, qtbot: QtBot, installed: list[metadata.EntryPoint]
) -> None:
    opened(window)
    panel = inspector(window)
    qtbot.waitUntil(lambda: panel.model.facts.facts.get("Free parameters") == "5")
    header = panel.model.findChild(QLabel, "inspectorModelFacts")
    assert isinstance(header, QLabel)
    assert header.text() == "Fan · 3 variables"
    window.app.workspace.select(("rain",))
    qtbot.waitUntil(lambda: bool(panel.node.belief.bars.bars.beliefs))
    status = window.findChild(StatusBar)
    assert isinstance(status, StatusBar)
    assert status.graph.text() == "3 nodes : 0 edges"


def test_it_is_saved_in_the_project_and_read_again(
    window: MainWindow, tmp_path: Path, installed: list[metadata.EntryPoint]
) -> None:
    opened(window)
    path = tmp_path / "weather.pgmz"
    write_project(path, window.app.project)
    (entry,) = read_project(path).models.values()
    assert entry.model.kind == KIND
    assert isinstance(entry.model, Fan)
    for table, expected in zip(entry.model.tables, weather().tables, strict=True):
        assert table == pytest.approx(expected)


def test_a_view_of_its_own_adds_to_the_page_and_the_inspector(
    window: MainWindow, qtbot: QtBot, installed: list[metadata.EntryPoint]
) -> None:
    installed.append(VIEW_POINT)
    views.reload_plugins()
    page = opened(window)
    banner = page.findChild(QLabel, "fanBanner")
    assert isinstance(banner, QLabel)
    assert banner.text() == "Everything depends on season."
    panel = inspector(window)
    qtbot.waitUntil(lambda: panel.model.findChild(QLabel, "fanSection") is not None)
    section = panel.model.findChild(QLabel, "fanSection")
    assert isinstance(section, QLabel)
    assert section.text() == "First: season"


def test_a_view_that_cannot_be_loaded_becomes_a_message(
    installed: list[metadata.EntryPoint],
) -> None:
    installed.append(metadata.EntryPoint("broken", "no.such.module:VIEW", views.PLUGIN_GROUP))
    views.reload_plugins()
    assert ["broken" in message for message in views.plugin_problems()] == [True]
    assert views.language_view("broken").extend_page is None


def test_the_log_lists_plug_ins_that_failed(
    window: MainWindow, installed: list[metadata.EntryPoint]
) -> None:
    installed.append(metadata.EntryPoint("broken", "no.such.module:VIEW", views.PLUGIN_GROUP))
    views.reload_plugins()
    panel = LogPanel(window.app)
    text = panel.findChild(QPlainTextEdit, "logText")
    assert isinstance(text, QPlainTextEdit)
    assert "Caution: The plug-in broken did not load" in text.toPlainText()
    window.app.document.replaced.emit()
    assert text.toPlainText().count("The plug-in broken did not load") == 1


def test_its_row_gives_its_marker_on_plots_and_in_lists(
    installed: list[metadata.EntryPoint],
) -> None:
    assert mark_colors(KIND) != mark_colors("bayesian-network")
    images = [mark_icon(kind).pixmap(32, 32).toImage() for kind in (KIND, "bayesian-network")]
    assert images[0] != images[1]
    plain = language_icon("not-installed").pixmap(32, 32).toImage()
    assert language_icon(KIND).pixmap(32, 32).toImage() != plain


def test_its_icon_is_not_that_of_a_bayesian_network(window: MainWindow) -> None:
    own, other = (language_icon(k).pixmap(32, 32).toImage() for k in (KIND, "bayesian-network"))
    assert own != other
