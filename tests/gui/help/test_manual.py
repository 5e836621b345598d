"""The manual describes the window as it is: keys, menu entries, contents and links."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QTextBrowser, QTreeWidget

from pgmstudio.gui.help.page import HelpPage, open_help
from pgmstudio.gui.window.main_window import MainWindow

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
