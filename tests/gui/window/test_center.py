"""The centre: pages in tabs, tiled and closed; and the command field above it."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTabWidget
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.layout.fitted import CANVAS
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.layout_worker import LayoutMaker
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.window.command_palette import SYNONYMS
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from pgmstudio.gui.window.tab_area import TabArea
from tests.gui.samples import add_sprinkler

SIDE_BY_SIDE = Qt.Orientation.Horizontal


class Sheet(Page):
    """A page that may refuse to be closed."""

    def __init__(self, key: str, *, stays: bool = False) -> None:
        super().__init__(key)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.stays = stays
        self.was_closed = False
        self.named = key

    @property
    def title(self) -> str:
        return self.named

    def may_close(self) -> bool:
        return not self.stays

    def closed(self) -> None:
        self.was_closed = True


@pytest.fixture
def center(qtbot: QtBot) -> TabArea:
    made = TabArea()
    qtbot.addWidget(made)
    made.resize(800, 500)
    with qtbot.waitExposed(made):
        made.show()
    return made


def keys(center: TabArea) -> list[str]:
    return [page.key for page in center.pages]


def groups(center: TabArea) -> list[list[str]]:
    result = [g for g in center.findChildren(QTabWidget) if g.isVisible()]
    result.sort(key=lambda g: (g.x(), g.y()))
    return [[g.widget(i).objectName() for i in range(g.count())] for g in result]


def test_a_page_is_opened_once_and_then_brought_to_front(center: TabArea) -> None:
    first = center.open(Sheet("a"))
    center.open(Sheet("b"))
    assert center.open(Sheet("a")) is first
    assert center.current is first
    assert keys(center) == ["a", "b"]


def test_closing_reports_the_page_and_the_one_beside_it_comes_to_front(center: TabArea) -> None:
    a, b = Sheet("a"), Sheet("b")
    center.open(a)
    center.open(b)
    fronts: list[Page | None] = []
    center.page_changed.connect(fronts.append)
    assert center.close_page(b)
    assert b.was_closed
    assert fronts[-1] is a
    center.close_all()
    assert center.current is None
    assert fronts[-1] is None


def test_a_page_that_refuses_stays_open(center: TabArea) -> None:
    stubborn = Sheet("a", stays=True)
    center.open(stubborn)
    assert not center.close_page(stubborn)
    assert center.current is stubborn
    stubborn.stays = False


def test_tiling_moves_the_page_in_front_and_back_again(center: TabArea) -> None:
    for key in "abc":
        center.open(Sheet(key))
    center.tile(SIDE_BY_SIDE)
    assert center.is_tiled
    assert groups(center) == [["a", "b"], ["c"]]
    assert center.current is not None
    assert center.current.key == "c"
    center.tile(Qt.Orientation.Vertical)
    assert groups(center) == [["a", "b"], ["c"]]
    center.tile(None)
    assert groups(center) == [["a", "b", "c"]]
    assert center.current is not None


def test_one_page_alone_is_not_tiled(center: TabArea) -> None:
    center.open(Sheet("a"))
    center.tile(SIDE_BY_SIDE)
    assert not center.is_tiled


def test_closing_the_last_page_of_a_group_ends_the_tiling(center: TabArea) -> None:
    for key in "ab":
        center.open(Sheet(key))
    center.tile(SIDE_BY_SIDE)
    assert center.close_page(center.page("b"))  # type: ignore[arg-type]
    assert not center.is_tiled
    assert center.current is center.page("a")


def test_closing_the_only_page_of_the_first_group_keeps_the_second(center: TabArea) -> None:
    for key in "ab":
        center.open(Sheet(key))
    center.tile(SIDE_BY_SIDE)
    assert center.close_page(center.page("a"))  # type: ignore[arg-type]
    assert keys(center) == ["b"]
    assert center.current is center.page("b")
    center.open(Sheet("c"))
    assert keys(center) == ["b", "c"]


def test_beside_opens_in_the_other_group(center: TabArea) -> None:
    center.open(Sheet("a"))
    center.open(Sheet("b"), split=True)
    assert groups(center) == [["a"], ["b"]]


def test_the_group_with_the_focus_is_the_one_in_front(qtbot: QtBot, center: TabArea) -> None:
    for key in "ab":
        center.open(Sheet(key))
    center.tile(SIDE_BY_SIDE)
    left = center.page("a")
    assert left is not None
    with qtbot.waitSignal(center.page_changed):
        left.setFocus()
    assert center.current is left


def test_stepping_goes_round(center: TabArea) -> None:
    for key in "abc":
        center.open(Sheet(key))
    seen = []
    for _ in range(3):
        center.step(1)
        assert center.current is not None
        seen.append(center.current.key)
    assert seen == ["a", "b", "c"]
    center.step(-1)
    assert center.current is not None
    assert center.current.key == "b"


def test_a_new_title_is_on_the_tab(center: TabArea) -> None:
    page = Sheet("a")
    center.open(page)
    page.named = "Another name"
    page.title_changed.emit()
    tabs = center.findChild(QTabWidget)
    assert tabs.tabText(0) == "Another name"
    assert tabs.tabToolTip(0) == "Another name"


# -- the command field


def test_a_command_is_found_by_a_part_of_its_name(qtbot: QtBot, window: MainWindow) -> None:
    field = window.command_field
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    field.begin()
    assert QApplication.focusWidget() is field
    qtbot.keyClicks(field, "welcome pa")
    field.completer().popup().hide()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.app.center.page("welcome") is not None
    qtbot.waitUntil(lambda: field.text() == "")


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("page welcome", "File ▸ Welcome page"),  # words in any order
        ("mutual", "Data ▸ Associations"),  # only its tip has the word
        ("tornado", "Evidence ▸ Sensitivity to CPT entries"),  # another word for it
        ("VOI", "Evidence ▸ Value of information"),
        ("MPE", "Evidence ▸ Most probable explanation"),
        ("SHD", "Model ▸ Compare ▸ Structure difference"),
        ("intervention", "Evidence ▸ Intervene (do)"),
        ("clique tree", "View ▸ Diagram ▸ Junction tree"),
        ("glosary", "Nothing is called “glosary”. Did you mean Glossary?"),
    ],
)
def test_the_list_shows_what_has_all_the_words_or_says_that_nothing_has(
    qtbot: QtBot, window: MainWindow, typed: str, first: str
) -> None:
    field = window.command_field
    field.begin()
    qtbot.keyClicks(field, typed)
    lines = field.completer().model()
    assert lines.index(0, 0).data().startswith(first)
    field.completer().popup().hide()


def test_other_words_belong_to_actions_that_exist(window: MainWindow) -> None:
    assert set(SYNONYMS) <= set(window.app.actions.by_id)


def test_models_variables_and_pages_are_found_by_name(qtbot: QtBot, window: MainWindow) -> None:
    app, field = window.app, window.command_field
    model_id = add_sprinkler(app)
    app.actions["file.welcome"].trigger()

    def has_nodes(page: Page | None) -> bool:
        return isinstance(page, ModelPage) and bool(page.scene().nodes)

    for typed, is_done in (
        (app.project.models[model_id].title, lambda: has_nodes(app.center.current)),
        ("rain", lambda: app.workspace.selection.nodes == ("rain",)),
    ):
        field.begin()
        field.setText(typed)
        field.completer().popup().hide()
        qtbot.keyClick(field, Qt.Key.Key_Return)
        qtbot.waitUntil(is_done)
        qtbot.waitUntil(lambda: field.text() == "")


def test_synonyms_come_before_names_that_only_contain_their_letters(
    qtbot: QtBot, window: MainWindow
) -> None:
    app, field = window.app, window.command_field
    domain = Domain.of({"temperature": ["low", "high"]})
    model = BayesianNetwork.uniform(domain, Dag.from_edges(["temperature"], []))
    app.change("Open", partial(edits.add_model, entry=ModelEntry("Room", model)))
    open_model_page(app, next(iter(app.project.models)))
    field.begin()
    qtbot.keyClicks(field, "mpe")
    lines = field.completer().model()
    texts = [lines.index(row, 0).data() for row in range(lines.rowCount())]
    assert texts[0].startswith("Evidence ▸ Most probable explanation")
    assert "Variable ▸ temperature" in texts
    field.completer().popup().hide()


def test_a_model_is_laid_out_for_the_canvas_that_panels_leave(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, asked = window.app, []
    monkeypatch.setattr(LayoutMaker, "ask", lambda _self, question: asked.append(question.canvas))
    expected = app.center.page_size  # the welcome page stands alone
    assert expected is not None
    model_id = add_sprinkler(app)
    open_data_page(app, next(iter(app.project.data)))
    page = app.center.current
    assert isinstance(page, Page)
    qtbot.waitUntil(lambda: abs(page.width() - expected.width()) < 20)
    assert page.height() <= expected.height()  # the bottom panels may be there too
    app.reveal("runsPanel")
    qtbot.waitUntil(lambda: panel_widget(window, "runsPanel").isVisible())
    open_model_page(app, model_id)
    width, height = asked[0]
    assert height < CANVAS[1] - 100
    assert page.height() - 120 < height < page.height()
    assert page.width() - 60 < width < page.width()


def test_choosing_from_the_list_runs_it_once_and_leaves_the_field_empty(
    qtbot: QtBot, window: MainWindow
) -> None:
    field = window.command_field
    field.begin()
    before = len(window.app.project.models)
    line = next(text for text in field._entries if "Draw a new model" in text)
    field.completer().activated.emit(line)
    qtbot.waitUntil(lambda: field.text() == "")
    assert len(window.app.project.models) == before + 1


def test_what_was_typed_goes_when_something_else_is_clicked(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_sprinkler(window.app)
    field = window.command_field
    field.begin()
    qtbot.keyClicks(field, "evid")
    field.completer().popup().hide()
    window.app.center.setFocus(Qt.FocusReason.MouseFocusReason)
    assert field.text() == ""


def test_a_greyed_command_says_why(qtbot: QtBot, window: MainWindow) -> None:
    messages: list[str] = []
    window.app.toast.connect(lambda message, _: messages.append(message))
    field = window.command_field
    field.begin()
    field.setText("undo")
    field.completer().popup().hide()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert messages == ["Not now: nothing to undo."]


def test_a_mistyped_command_gets_a_suggestion(qtbot: QtBot, window: MainWindow) -> None:
    messages: list[str] = []
    window.app.toast.connect(lambda message, _: messages.append(message))
    field = window.command_field
    field.begin()
    field.setText("glosary")
    field.completer().popup().hide()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert messages == ["Nothing is called “glosary”. Did you mean Glossary?"]


def test_escape_leaves_the_field_for_the_page(qtbot: QtBot, window: MainWindow) -> None:
    add_sprinkler(window.app)
    window.app.actions["file.welcome"].trigger()
    field = window.command_field
    field.begin()
    field.setText("abc")
    field.completer().popup().hide()
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert not field.hasFocus()
