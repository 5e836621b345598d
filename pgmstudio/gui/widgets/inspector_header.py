"""The head of the inspector: title with a chip, one line of facts, and what scrolls under it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QWidget

from pgmstudio.core.inference.findings import Chip
from pgmstudio.gui.widgets.basic import (
    IconLabel,
    hairline,
    hbox,
    label,
    named,
    scrolled,
    vbox,
)
from pgmstudio.gui.widgets.chip import ChipLabel
from pgmstudio.gui.widgets.elided_label import ElidedLabel


class InspectorHead(QWidget):
    """Header with the title of what is inspected."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.title = named(ElidedLabel("", "heading", size="title", is_snug=True), f"{name}Title")
        self.symbol = IconLabel()
        self.symbol.hide()
        self.chip = ChipLabel(f"{name}Chip", max_width=120)
        self.facts = label("", "tertiary", size="dense", wrap=True, name=f"{name}Facts")
        line = hbox(None, self.symbol, self.title, self.chip, None, spacing=8)
        vbox(self, line, self.facts, margins=(16, 10, 16, 10), spacing=2)

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


def lay_under(
    head: InspectorHead,
    sections: Iterable[QWidget],
    owner: QWidget,
    name: str,
    *,
    margins: tuple[int, int, int, int] = (0, 8, 0, 8),
    spacing: int = 4,
) -> None:
    """Fill an inspector: the head stays, the sections scroll under it."""
    inside = QWidget()
    vbox(inside, *sections, None, margins=margins, spacing=spacing)
    vbox(owner, head, hairline(), (scrolled(inside, name), 1), spacing=0)
