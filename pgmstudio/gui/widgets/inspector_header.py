"""The head of the inspector: title with a chip, one line of facts, and what scrolls under it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from pgmstudio.core.inference.findings import Chip
from pgmstudio.gui.widgets.basic import IconLabel, Section, hairline, label, scrolled
from pgmstudio.gui.widgets.chip import ChipLabel
from pgmstudio.gui.widgets.elided_label import ElidedLabel


class InspectorHead(QWidget):
    """Header with the title of what is inspected."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.title = ElidedLabel("", "heading", size="title", is_snug=True)
        self.title.setObjectName(f"{name}Title")
        self.symbol = IconLabel()
        self.symbol.hide()
        self.chip = ChipLabel(f"{name}Chip", most_width=120)
        self.facts = label("", "tertiary", size="dense", wrap=True)
        self.facts.setObjectName(f"{name}Facts")
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.symbol)
        line.addWidget(self.title)
        line.addWidget(self.chip)
        line.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 10)
        layout.setSpacing(2)
        layout.addLayout(line)
        layout.addWidget(self.facts)

    def show_text(
        self, title: str, facts: str, chip: Chip | None = None, symbol: QIcon | None = None
    ) -> None:
        self.title.setText(title)
        self.title.setToolTip(title)
        self.facts.setText(facts)
        self.chip.show_chip(chip)
        self.symbol.setVisible(symbol is not None)
        if symbol is not None:
            self.symbol.show_icon(symbol)


def lay_under(head: InspectorHead, sections: Iterable[Section], owner: QWidget, name: str) -> None:
    """Fill an inspector: the head stays, the sections scroll under it."""
    inside = QWidget()
    column = QVBoxLayout(inside)
    column.setContentsMargins(0, 10, 0, 0)
    column.setSpacing(0)
    for section in sections:
        column.addWidget(section)
    column.addStretch(1)
    layout = QVBoxLayout(owner)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(head)
    layout.addWidget(hairline())
    layout.addWidget(scrolled(inside, name), 1)
