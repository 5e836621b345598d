"""Settings that can be read and copied but not changed any more."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from pgmstudio.gui.panels.fact_rows import Fact
from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import label


class LockedFields(QWidget):
    """A name and a field with a lock in each row."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, QLineEdit, QAction]] = []
        self._facts: tuple[Fact, ...] = ()
        theme().changed.connect(self._restyle)

    @property
    def facts(self) -> dict[str, str]:
        return {fact[0]: fact[1] for fact in self._facts}

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """These settings, in their order."""
        self._facts = tuple(facts)
        while len(self._rows) < len(facts):
            self._rows.append(self._add_row(len(self._rows)))
        for place, (name, field, _) in enumerate(self._rows):
            name.setVisible(place < len(facts))
            field.setVisible(place < len(facts))
            if place < len(facts):
                fact = facts[place]
                name.setText(fact[0])
                field.setText(fact[1])
                field.setCursorPosition(0)
                field.setAccessibleName(f"{fact[0]}, locked")
                tip = fact[2] if len(fact) == 3 else fact[1]
                name.setToolTip(tip)
                field.setToolTip(tip)

    def _add_row(self, row: int) -> tuple[QLabel, QLineEdit, QAction]:
        name = label("", "secondary", size="dense")
        field = QLineEdit()
        field.setReadOnly(True)
        field.setProperty("role", "locked")
        lock = field.addAction(
            icon("lock-simple", "text_tertiary"), QLineEdit.ActionPosition.TrailingPosition
        )
        lock.setToolTip("Settings of a run that was started cannot be changed.")
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(field, row, 1)
        return name, field, lock

    def _restyle(self) -> None:
        for _, _, lock in self._rows:
            lock.setIcon(icon("lock-simple", "text_tertiary"))
