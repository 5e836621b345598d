"""Settings that can be read and copied but not changed any more."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QFocusEvent, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionFrame,
    QToolButton,
    QWidget,
)

from pgmstudio.gui.panels.fact_rows import Fact
from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import label

_AIR = 8  # on both sides of the words together


class LockedField(QLineEdit):
    """What does not fit ends with an ellipsis; with the focus it is whole, to be copied."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self.setReadOnly(True)
        self.setProperty("role", "locked")

    def tell(self, words: str) -> None:
        self._words = words
        self._show_words()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_words()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_words()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show_words()

    def _show_words(self) -> None:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        ends = [inside.right(), *(lock.x() for lock in self.findChildren(QToolButton))]
        room = min(ends) - inside.left() - _AIR
        right = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self._words, right, room)
        self.setText(self._words if self.hasFocus() else shown)
        self.setCursorPosition(0)


class LockedFields(QWidget):
    """A name and a field with a lock in each row."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 6)
        self._grid.setColumnStretch(1, 5)
        self._rows: list[tuple[QLabel, LockedField, QAction]] = []
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
                field.tell(fact[1])
                field.setAccessibleName(f"{fact[0]}, locked")
                tip = fact[2] if len(fact) == 3 else fact[1]
                name.setToolTip(tip)
                field.setToolTip(tip)

    def _add_row(self, row: int) -> tuple[QLabel, LockedField, QAction]:
        name = label("", "secondary", size="dense", wrap=True)
        name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        field = LockedField()
        field.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
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
