"""The numbers of the look: contrast holds in both themes, and the whole look follows a switch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from pgmstudio.core.drawing.theme import tokens
from pgmstudio.core.resources import folder_of
from pgmstudio.gui.theme.theme import Mode, theme
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.widgets.grid_view import SortHead

TEXT = 4.5
LINE = 3.0


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("shade", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "background", "least"),
    [
        ("text", "surface", TEXT),
        ("text", "window", TEXT),
        ("text", "selection", TEXT),
        ("text_secondary", "surface", TEXT),
        ("text_secondary", "window", TEXT),
        ("text_tertiary", "surface", TEXT),
        ("accent", "surface", TEXT),
        ("accent", "accent_soft", TEXT),
        ("on_accent", "accent", TEXT),
        ("evidence_ink", "surface", TEXT),
        ("evidence_ink", "evidence_soft", TEXT),
        ("virtual_ink", "virtual_soft", TEXT),
        ("do_ink", "do_soft", TEXT),
        ("target_ink", "target_soft", TEXT),
        ("label_ink", "label_soft", TEXT),
        ("warning_ink", "warning_soft", TEXT),
        ("danger_ink", "danger_soft", TEXT),
        ("danger_ink", "surface", TEXT),
        ("success_ink", "surface", TEXT),
        ("border_control", "surface", LINE),
        ("belief", "surface", LINE),
        ("evidence", "surface", LINE),
        ("edge", "canvas", LINE),
        ("edge_dim", "canvas", LINE),
        ("focus", "surface", LINE),
    ],
)
def test_contrast_is_high_enough(shade: str, ink: str, background: str, least: float) -> None:
    named = tokens()["color"][shade]
    assert contrast(named[ink], named[background]) >= least


@pytest.mark.parametrize("shade", ["light", "dark"])
def test_category_inks_and_lines_can_be_read(shade: str) -> None:
    surface = tokens()["color"][shade]["surface"]
    for entry in tokens()["category"][shade]:
        assert contrast(entry["ink"], surface) >= TEXT, entry["name"]
        assert contrast(entry["line"], surface) >= LINE, entry["name"]


def test_no_colour_is_written_in_the_code_of_the_window() -> None:
    package = Path(__file__).resolve().parents[3] / "pgmstudio" / "gui"
    written = [
        f"{path.name}: {line.strip()}"
        for path in package.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"#[0-9A-Fa-f]{6}\b|QColor\(\d", line)
    ]
    assert written == []


def test_every_name_in_the_style_sheet_is_a_token() -> None:
    from pgmstudio.gui.theme.style_sheet import style_sheet

    for shade in ("light", "dark"):
        assert "$" not in style_sheet(shade, lambda name: tokens()["size_px"][name])
    icons = re.findall(r"\$icon\(([\w-]+)\)", (folder_of("resources") / "style.qss").read_text())
    for name in icons:
        for shade in ("light", "dark"):
            assert (folder_of("resources") / "icons" / f"{name}-{shade}.svg").is_file()


def test_links_have_the_colour_of_the_theme_after_a_switch(qtbot: QtBot) -> None:
    note = Note('A sentence with <a href="there">a link of some length</a>.', rich=True)
    holder = QWidget()
    QVBoxLayout(holder).addWidget(note)
    qtbot.addWidget(holder)
    theme().set_look(mode="light", scale=1.0)
    holder.resize(400, 60)
    holder.show()
    for mode in ("dark", "light"):
        theme().set_look(mode=mode)
        image = holder.grab().toImage()
        positions = ((x, y) for x in range(image.width()) for y in range(image.height()))
        assert any(image.pixelColor(x, y) == theme().color("accent") for x, y in positions)


def test_the_sign_of_the_order_stands_behind_a_name_that_is_shortened_for_it(qtbot: QtBot) -> None:
    table = QTableWidget(1, 2)
    qtbot.addWidget(table)
    head = SortHead(table)
    table.setSortingEnabled(True)
    head.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
    for section in (0, 1):
        head.resizeSection(section, 90)
    assert head.heading(0, "MI") == "MI ▾"
    assert head.heading(1, "MI") == "MI"
    shortened = head.heading(0, "a name that is much too long")
    assert shortened.endswith("… ▾")
    assert len(shortened) < len(head.heading(1, "a name that is much too long")) + 2
    head.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    assert head.heading(0, "MI") == "MI ▴"


def _sample_page() -> QWidget:
    """Widgets with palettes, fonts, paddings and pictures from the style sheet."""
    page = QWidget()
    heading, primary, field = QLabel("Heading"), QPushButton("Learn"), QLineEdit("text")
    heading.setProperty("textSize", "heading")
    primary.setProperty("role", "primary")
    field.setEnabled(False)
    ticked = QCheckBox("ticked")
    ticked.setChecked(True)
    combo = QComboBox()
    combo.addItems(["one", "two"])
    column = QVBoxLayout(page)
    for widget in (heading, primary, field, ticked, combo, QSpinBox(), QTableWidget(2, 2)):
        column.addWidget(widget)
    return page


@pytest.mark.parametrize("at_once", [False, True])
def test_a_hidden_page_has_the_new_look_when_it_is_shown(qtbot: QtBot, at_once: bool) -> None:
    pages = QStackedWidget()
    for _ in range(2):
        pages.addWidget(_sample_page())
    qtbot.addWidget(pages)
    theme().set_look(mode="light", scale=1.0)
    pages.resize(420, 480)
    pages.show()
    pages.setCurrentIndex(1)
    pages.setCurrentIndex(0)
    looks: tuple[tuple[Mode, float], ...] = (("dark", 1.5), ("light", 1.0), ("dark", 1.25))
    for mode, scale in looks:
        theme().set_look(mode=mode, scale=scale)
        if at_once:
            theme().finish()
    theme().finish()
    QApplication.processEvents()
    seen = pages.grab().toImage()
    pages.setCurrentIndex(1)
    QApplication.processEvents()
    assert pages.grab().toImage() == seen
    theme().set_look(mode="light", scale=1.0)
    theme().finish()


class _Follower(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.looks: list[str] = []
        theme().follow(self.note)

    def note(self) -> None:
        self.looks.append(theme().mode)


def test_a_hidden_follower_of_the_look_is_called_once_after_the_change(qtbot: QtBot) -> None:
    seen, hidden, dying = _Follower(), _Follower(), _Follower()
    qtbot.addWidget(seen)
    qtbot.addWidget(hidden)
    seen.show()
    theme().set_look(mode="dark")
    theme().set_look(mode="light")
    assert (seen.looks, hidden.looks) == (["dark", "light"], [])
    delete(dying)
    theme().finish()
    assert (seen.looks, hidden.looks) == (["dark", "light"], ["light"])
