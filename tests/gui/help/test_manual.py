"""The manual page of the window says what the window does."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QListWidget, QMenu, QTextBrowser

from pgmstudio.gui.help.page import open_help
from pgmstudio.gui.window.main_window import MainWindow

PAGE = Path(__file__).resolve().parents[3] / "docs/window.md"


def test_every_key_of_the_manual_is_a_key_of_the_window(window: MainWindow) -> None:
    keys = {key for spec in window.shell.book.specs.values() for key in spec.keys}
    keys |= {shortcut.key().toString() for shortcut in window.findChildren(QShortcut)}
    known = {QKeySequence(key).toString() for key in keys}
    tables = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    told = {key for line in tables for key in re.findall(r"`([^`]+)`", line)}
    assert len(told) > 30
    assert {key for key in told if QKeySequence(key).toString() not in known} == set()


def test_every_menu_entry_the_manual_names_exists(window: MainWindow) -> None:
    entries = {
        f"{spec.menu.replace('/', ' ▸ ')} ▸ {spec.text}".rstrip("…")
        for spec in window.shell.book.specs.values()
    }
    menus = window.menuBar().findChildren(QMenu)
    entries |= {menu.objectName().removeprefix("menu").replace("/", " ▸ ") for menu in menus}
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    named = [name.rstrip("…") for name in re.findall(r"\*([A-Z]\w+ ▸ [^*]+)\*", text)]
    assert named
    assert [name for name in named if name not in entries] == []


def test_the_page_is_in_the_help(window: MainWindow) -> None:
    open_help(window.shell, "window.md")
    text = window.findChild(QTextBrowser, "helpText").toPlainText()
    assert text.startswith("The window")
    assert "this state was observed" in text


def test_the_contents_stand_in_the_order_of_the_first_page(window: MainWindow) -> None:
    open_help(window.shell)
    page = window.shell.center.current
    contents = page.findChild(QListWidget) if page is not None else None
    assert contents is not None
    shown = [contents.item(place).text() for place in range(contents.count())]
    first = (PAGE.parent / "index.md").read_text(encoding="utf-8")
    linked = re.findall(r"^- \[([^\]]+)\]\([\w-]+\.md\)", first, re.MULTILINE)
    assert shown[1:] == linked
