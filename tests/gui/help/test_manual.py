"""The manual describes the window as it is: keys, menu entries, contents and links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl, QUrlQuery
from PySide6.QtGui import QImage, QKeySequence, QShortcut, QTextDocument
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMenu,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItemIterator,
)
from pytestqt.qtbot import QtBot

import pgmstudio
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.params import parse_params
from pgmstudio.core.resources import folder_of
from pgmstudio.core.scores.association_measures import MEASURES
from pgmstudio.gui.data.associations_tab import MeasureBox
from pgmstudio.gui.experiments.page import EXPERIMENTS, RecipePage
from pgmstudio.gui.help import show_me
from pgmstudio.gui.help.page import HelpPage, open_help
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.welcome.samples import SAMPLES
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.registry import PANELS
from pgmstudio.studies.registry import RECIPES
from tests.gui.walking import opened_windows

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = [page for page in DOCS.rglob("*.md") if page.parent.name != "results"]


def test_every_key_of_the_manual_is_a_key_of_the_window(window: MainWindow) -> None:
    keys = {key for spec in window.app.actions.specs.values() for key in spec.keys}
    keys |= {shortcut.key().toString() for shortcut in window.findChildren(QShortcut)}
    known = {QKeySequence(key).toString() for key in keys}
    tables = [
        line
        for line in (DOCS / "reference/keyboard.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    listed = {key for line in tables for key in re.findall(r"`([^`]+)`", line)}
    assert len(listed) > 30
    assert {key for key in listed if QKeySequence(key).toString() not in known} == set()


def test_keys_are_the_same_in_menus_tooltips_and_the_manual(window: MainWindow) -> None:
    """A missing row is printed as it has to be written in the manual."""
    page = (DOCS / "reference/keyboard.md").read_text(encoding="utf-8").splitlines()
    registry = window.app.actions
    rows = set()
    for spec in registry.specs.values():
        if spec.keys:
            path = f"{spec.menu}/{spec.text}".replace("/", " ▸ ")
            rows.add(f"| `{spec.keys[0]}` | *{path}*: {spec.tip} |")
            action = registry[spec.id]
            assert action.shortcut() == QKeySequence(spec.keys[0])
            text = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            assert not action.isEnabled() or action.toolTip().endswith(f"({text})")
    assert {row for row in page if row.startswith("| `")} == rows
    # Texts of the window that name a key in parentheses, as in "Import data first (Ctrl+I)."
    own = {"Ctrl+Return", "Shift+Enter", "Alt+Left", "Ctrl+K"}  # of one page or field
    known = {key for spec in registry.specs.values() for key in spec.keys} | own
    source = Path(pgmstudio.__file__).parent / "gui"
    named = {
        key
        for path in source.rglob("*.py")
        for key in re.findall(r"\(((?:[A-Z][a-z]+\+)+\w+|F\d+|Del)\)", path.read_text("utf-8"))
    }
    assert len(named) > 5
    assert named <= known
    assert QKeySequence("Ctrl+F") in QKeySequence.keyBindings(QKeySequence.StandardKey.Find)
    assert registry["model.find"].shortcut() == QKeySequence("Ctrl+F")


def test_every_menu_entry_the_manual_names_exists(window: MainWindow) -> None:
    entries = {
        f"{spec.menu.replace('/', ' ▸ ')} ▸ {spec.text}".rstrip("…")
        for spec in window.app.actions.specs.values()
    }
    menus = window.menuBar().findChildren(QMenu)
    entries |= {menu.objectName().removeprefix("menu").replace("/", " ▸ ") for menu in menus}
    text = " ".join(" ".join(page.read_text(encoding="utf-8").split()) for page in PAGES)
    named = [name.rstrip("…") for name in re.findall(r"\*([A-Z]\w+ ▸ [^*]+)\*", text)]
    assert named
    assert [name for name in named if name not in entries] == []


def test_the_page_is_in_the_help(window: MainWindow) -> None:
    open_help(window.app, "how-to/work-with-evidence.md")
    text = window.findChild(QTextBrowser, "helpText").toPlainText()
    assert text.startswith("Work with evidence")
    assert "this state was observed" in text


def test_the_contents_follow_the_sections_of_the_first_page(window: MainWindow) -> None:
    open_help(window.app)
    contents = window.findChild(QTreeWidget, "helpContents")
    shown = {}
    for row in range(contents.topLevelItemCount()):
        section = contents.topLevelItem(row)
        shown[section.text(0)] = [
            section.child(place).text(0) for place in range(section.childCount())
        ]
    first = (DOCS / "index.md").read_text(encoding="utf-8")
    expected: dict[str, list[str]] = {"PGM Studio": []}
    for line in first.splitlines():
        if line.startswith("## "):
            section_pages = expected.setdefault(line[3:], [])
        elif match := re.match(r"- \[([^\]]+)\]\([\w/-]+\.md\)", line):
            section_pages.append(match[1])
    assert shown == expected


def test_links_lead_from_one_folder_to_another_and_to_a_heading(window: MainWindow) -> None:
    open_help(window.app, "explanation/comparing.md")
    page = window.app.center.current
    assert isinstance(page, HelpPage)
    browser = page.findChild(QTextBrowser, "helpText")
    browser.anchorClicked.emit(QUrl("../reference/command-line.md#exit-codes"))
    assert page.shown_path == "reference/command-line.md"
    assert browser.verticalScrollBar().value() > 0
    page.back.click()
    assert page.shown_path == "explanation/comparing.md"


def test_a_linked_page_outside_the_contents_opens_and_back_returns(window: MainWindow) -> None:
    open_help(window.app, "contributing/add-a-learner.md")
    page = window.app.center.current
    assert isinstance(page, HelpPage)
    browser = page.findChild(QTextBrowser, "helpText")
    browser.anchorClicked.emit(QUrl("../examples/best-parent/README.md"))
    assert browser.toPlainText().startswith("A learner as a plug-in")
    page.back.click()
    assert page.shown_path == "contributing/add-a-learner.md"


@pytest.fixture
def manual(window: MainWindow) -> HelpPage:
    open_help(window.app)
    page = window.app.center.current
    assert isinstance(page, HelpPage)
    return page


def shown(page: HelpPage) -> str:
    text: str = page.findChild(QTextBrowser, "helpText").toPlainText()
    return text.splitlines()[0]


def test_one_can_go_back_to_where_one_was_in_the_manual(manual: HelpPage, qtbot: QtBot) -> None:
    assert not manual.back.isEnabled()
    bar = manual.findChild(QTextBrowser, "helpText").verticalScrollBar()
    manual.show_file("reference/learners.md")
    qtbot.waitUntil(lambda: bar.maximum() > 200)
    bar.setValue(200)
    manual.show_file("reference/glossary.md")
    assert shown(manual) == "Glossary"
    qtbot.mouseClick(manual.back, Qt.MouseButton.LeftButton)
    assert shown(manual) == "Learners"
    assert bar.value() == 200
    qtbot.mouseClick(manual.back, Qt.MouseButton.LeftButton)
    assert shown(manual) == "PGM Studio"
    assert not manual.back.isEnabled()


def test_the_manual_is_searched(manual: HelpPage, qtbot: QtBot) -> None:
    contents = manual.findChild(QTreeWidget, "helpContents")
    browser = manual.findChild(QTextBrowser, "helpText")
    everything = len(manual.paths)

    def listed() -> int:
        count, items = 0, QTreeWidgetItemIterator(contents)
        while items.value() is not None:
            is_page = bool(items.value().flags() & Qt.ItemFlag.ItemIsSelectable)
            count += is_page and not items.value().isHidden()
            items += 1
        return count

    qtbot.keyClicks(manual.search, "smoothing")
    assert 0 < listed() < everything
    assert browser.textCursor().selectedText().casefold() == "smoothing"
    before = shown(manual), browser.textCursor().position()
    qtbot.keyClick(manual.search, Qt.Key.Key_Return)
    assert (shown(manual), browser.textCursor().position()) != before
    manual.search.setText("no such words")
    assert listed() == 0
    assert manual._none.text() == "No page contains “no such words”."
    manual.search.clear()
    assert listed() == everything


def test_another_look_leaves_the_reader_where_he_is(manual: HelpPage, qtbot: QtBot) -> None:
    bar = manual.findChild(QTextBrowser, "helpText").verticalScrollBar()
    manual.show_file("reference/learners.md")
    qtbot.waitUntil(lambda: bar.maximum() > 200)
    bar.setValue(200)
    theme().set_look(mode="dark")
    assert bar.value() == 200
    theme().set_look(mode="light")


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_text_of_the_manual_has_more_room_than_its_contents(
    window: MainWindow, scale: float
) -> None:
    theme().set_look(scale=scale)
    window.resize(1280, 800)
    open_help(window.app)
    QApplication.processEvents()
    page = window.app.center.current
    assert page is not None
    contents, text = page.findChild(QTreeWidget, "helpContents"), page.findChild(QTextBrowser)
    assert text.width() > 1.5 * contents.width()


def test_every_page_of_the_manual_opens_and_has_no_dead_link(window: MainWindow) -> None:
    open_help(window.app)
    page = window.app.center.current
    assert isinstance(page, HelpPage)
    text = page.findChild(QTextBrowser, "helpText")
    docs = folder_of("docs")
    assert len(page.paths) >= 5
    places = set()
    for path in page.paths:
        page.show_file(path)
        assert text.toPlainText().strip()
        for target in _links(text):
            file = target.partition("#")[0]
            if target.startswith("pgmstudio:"):
                _check_place(window, QUrl(target))
                places.add(target)
            else:
                is_there = not file or ((docs / path).parent / file).is_file()
                assert target.startswith("http") or is_there, target
    assert len(places) > 30  # one for each menu entry that a page names


def _check_place(window: MainWindow, link: QUrl) -> None:
    """The link of the manual names something of this window."""
    place = link.path()
    kind, _, name = place.partition("/")
    settings = dict(QUrlQuery(link).queryItems(QUrl.ComponentFormattingOption.FullyDecoded))
    samples = {key for sample in SAMPLES for key in (sample.file, sample.title)}
    assert settings.pop("sample", "asia.json") in samples, link
    match kind:
        case "action":
            assert name in window.app.actions.specs, place
        case "menu":
            assert window.findChild(QMenu, f"menu{name}") is not None, place
        case "sample":
            assert name in samples, place
        case "associations":
            assert name in MEASURES, place
            assert set(settings) <= {"given"}, link
        case "learn":
            assert settings.pop("show", "learn.learn") in window.app.actions.specs, link
            parse_params(learner_of(name).params_type, settings)
        case "panel":
            assert name in {panel.name for panel in PANELS}, place
        case "page":
            assert name.replace("-", " ") in show_me.PAGES, place
        case "study":
            assert name in EXPERIMENTS, place
        case _:
            pytest.fail(place)


def test_a_link_shows_the_place_in_the_window(
    qtbot: QtBot, window: MainWindow, manual: HelpPage
) -> None:
    app, browser = window.app, manual.findChild(QTextBrowser, "helpText")

    def follow(link: str) -> None:
        app.center.bring_to_front(manual)
        browser.anchorClicked.emit(QUrl(link))

    follow("pgmstudio:sample/asia.json")
    qtbot.waitUntil(lambda: app.center.current is not manual)
    assert app.workspace.model_id is not None
    for name in show_me.PAGES:
        follow(f"pgmstudio:page/{name.replace(' ', '-')}")
        assert app.center.current not in (None, manual)
    # Other entries are shown in their menu, not run.
    assert app.project.models
    follow("pgmstudio:action/edit.undo")
    menu = window.findChild(QMenu, "menuEdit")
    assert menu.isVisible()
    assert menu.activeAction() is app.actions["edit.undo"]
    assert app.project.models
    menu.close()
    follow("pgmstudio:study/splice")
    recipes = app.center.current
    assert isinstance(recipes, RecipePage)
    assert recipes.view.findChild(QLabel, "recipeTitle").text() == RECIPES["splice"].title
    follow("pgmstudio:menu/Learn/With")
    assert window.findChild(QMenu, "menuLearn/With").isVisible()
    window.findChild(QMenu, "menuLearn/With").close()


def test_a_link_to_an_action_opens_a_sample_where_nothing_is_open(
    qtbot: QtBot, window: MainWindow, manual: HelpPage
) -> None:
    app = window.app
    action = next(
        spec.id
        for spec in app.actions.specs.values()
        if spec.menu.startswith("Evidence") and spec.text.endswith("…") and spec.disabled_reason()
    )
    manual.findChild(QTextBrowser, "helpText").anchorClicked.emit(
        QUrl(f"pgmstudio:action/{action}?sample=Asia")
    )
    qtbot.waitUntil(lambda: bool(app.project.models))
    qtbot.waitUntil(lambda: len(opened_windows(window)) > 0 or len(app.center.pages) > 2)
    for dialog in opened_windows(window):
        dialog.close()


def test_links_learn_from_a_sample_and_show_its_steps_or_a_measure(
    qtbot: QtBot, window: MainWindow, manual: HelpPage
) -> None:
    app, browser = window.app, manual.findChild(QTextBrowser, "helpText")

    def follow(link: str) -> None:
        app.center.bring_to_front(manual)
        browser.anchorClicked.emit(QUrl(link))

    order = "order=L%2CKA%2CM%2CKV"
    walk = f"pgmstudio:learn/bn.k2?sample=k2_demo_counts.csv&{order}&show=learn.trace"
    follow(walk)
    qtbot.waitUntil(lambda: isinstance(app.center.current, RunResultPage), timeout=60_000)
    page = app.center.current
    assert isinstance(page, RunResultPage)
    assert len(page.table.rows) == 20
    assert app.project.data["d1"].data.total_weight == 1000
    follow(walk)  # the same model, at once
    assert app.center.current is page
    assert len(app.project.models) == len(app.project.data) == 1
    follow(f"pgmstudio:learn/bn.k2?sample=k2_demo_counts.csv&{order}&max-parents=1")
    sheet = app.center.current
    assert isinstance(sheet, LearnPage)
    plan = sheet.about_run()
    assert plan is not None
    assert plan.params.max_parents == 1
    follow("pgmstudio:associations/g2?sample=k2_demo_counts.csv")
    box = window.findChild(MeasureBox, "measureBox")
    assert box.measure is MEASURES["g2"]
    assert len(app.project.data) == 1


def test_a_link_to_what_does_not_exist_says_so(window: MainWindow, manual: HelpPage) -> None:
    lines: list[str] = []
    window.app.workspace.message.connect(lambda _level, text: lines.append(text))
    for link in (
        "action/learn.lern",
        "sample/azia.json",
        "page/no",
        "menu/Fil",
        "thing/x",
        "study/y",
    ):
        manual.findChild(QTextBrowser, "helpText").anchorClicked.emit(QUrl(f"pgmstudio:{link}"))
    assert len(lines) == 6
    assert "learn.learn" in lines[0]


def _links(text: QTextBrowser) -> set[str]:
    found = set()
    block = text.document().begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            target = at.fragment().charFormat().anchorHref()
            if target:
                found.add(target)
            at += 1
        block = block.next()
    return found


def test_images_are_no_wider_than_the_text(qtbot: QtBot, window: MainWindow) -> None:
    open_help(window.app, "studies/trees-and-mixtures.md")
    page = window.app.center.current
    assert isinstance(page, HelpPage)
    browser = page.findChild(QTextBrowser, "helpText")

    def widths() -> list[float]:
        found = []
        block = browser.document().begin()
        while block.isValid():
            parts = block.begin()
            while not parts.atEnd():
                image = parts.fragment().charFormat().toImageFormat()
                found += [image.width()] if image.isValid() else []
                parts += 1
            block = block.next()
        return found

    for size in ((1400, 900), (1000, 700)):
        window.resize(*size)
        qtbot.waitUntil(lambda: 0 < max(widths()) <= browser.viewport().width())
    assert len(widths()) == 2


def test_a_picture_wider_than_the_text_is_scaled_smoothly(manual: HelpPage) -> None:
    """Its pixels are those shown, so that no painter leaves out rows and columns of them."""
    browser = manual.findChild(QTextBrowser, "helpText")
    manual.show_file("tutorials/ask-a-network.md")
    kind, url = QTextDocument.ResourceType.ImageResource.value, QUrl("../pictures/evidence.png")
    picture = browser.document().resource(kind, url)
    assert isinstance(picture, QImage)
    whole = QImage(str(DOCS / "pictures/evidence.png"))
    available = browser.viewport().width() - 4 * browser.document().documentMargin()
    assert available < whole.width()
    assert abs(picture.deviceIndependentSize().width() - available) < 1
    assert picture.width() == round(available * manual.devicePixelRatioF())
    assert picture.height() / picture.width() == pytest.approx(
        whole.height() / whole.width(), abs=0.01
    )
