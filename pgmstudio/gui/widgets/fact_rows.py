"""Facts as pairs: the name at the left, the value at the right, “?” beside explained numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from pgmstudio.gui.widgets.basic import label
from pgmstudio.gui.widgets.number_help import number_help

Fact = tuple[str, str] | tuple[str, str, str]  # name, value, what it means

LONG_NAME = 18  # characters; a longer name may take two lines, so that nothing is cut


class FactRows(QWidget):
    """Values can be marked with the mouse and copied."""

    _HELP_COLUMN = 2

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._facts: tuple[Fact, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(5)
        self._grid.setHorizontalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._labels: list[tuple[QLabel, QWidget]] = []
        self._helps: dict[int, tuple[str, QWidget]] = {}  # by row: what is explained, the button

    @property
    def facts(self) -> dict[str, str]:
        return {fact[0]: fact[1] for fact in self._facts}

    def show_facts(self, facts: Sequence[Fact]) -> None:
        if tuple(facts) == self._facts:
            return
        self._facts = tuple(facts)
        while len(self._labels) < len(facts):
            self._labels.append(self._add_row(len(self._labels)))
        for index, (name, value) in enumerate(self._labels):
            is_used = index < len(facts)
            name.setVisible(is_used)
            value.setVisible(is_used)
            if is_used:
                self._show_row(name, value, facts[index])
            self._show_help(index, facts[index][0] if is_used else "")

    def _show_row(self, name: QLabel, value: Any, fact: Fact) -> None:
        name.setText(fact[0])
        name.setWordWrap(len(fact[0]) > LONG_NAME)
        value.setText(fact[1])
        tip = fact[2] if len(fact) == 3 else ""
        name.setToolTip(tip)
        value.setToolTip(tip)
        value.setAccessibleName(f"{fact[0]}: {fact[1]}")

    def _show_help(self, row: int, title: str) -> None:
        """Put a “?” beside a number that can be explained."""
        before = self._helps.get(row)
        if before is not None and before[0] == title:
            return
        if before is not None:
            before[1].hide()
            before[1].deleteLater()
            del self._helps[row]
        made = number_help(title)
        if made is not None:
            self._helps[row] = title, made
            at = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight
            self._grid.addWidget(made, row, self._HELP_COLUMN, at)

    def _add_row(self, row: int) -> tuple[QLabel, QWidget]:
        name = label("", "secondary", size="dense")
        value = label("", size="dense", wrap=True)
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, row, 1)
        return name, value
