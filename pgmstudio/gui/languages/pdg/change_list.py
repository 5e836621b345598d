"""The list of possible changes with their effect: a button and three numbers each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from pgmstudio.core.number_format import change
from pgmstudio.gui.widgets.basic import button, empty, label

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class ChangeRow:
    """A row of the list; `refusal` is the reason why not, `what` is emitted on a click."""

    text: str
    icon: str
    bits: float | None
    size: int
    score: float | None
    what: object
    refusal: str = ""
    tip: str = ""


class ChangeRows(QWidget):
    """A grid of changes; `requested` emits the `what` of the row that was clicked."""

    requested = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._rows: tuple[ChangeRow, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(4)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._score = "Δscore"
        self._buttons: list[QPushButton] = []

    @property
    def rows(self) -> tuple[ChangeRow, ...]:
        return self._rows

    def press(self, position: int) -> None:
        """As a click on a row."""
        self._buttons[position].click()

    def show_rows(self, rows: Sequence[ChangeRow], score: str) -> None:
        if tuple(rows) == self._rows and score == self._score:
            return
        self._rows, self._score = tuple(rows), score
        focused = next((i for i, made in enumerate(self._buttons) if made.hasFocus()), None)
        if focused is not None:
            self.setFocus()  # or the focus would go on by itself, and what is scrolled with it
        empty(self._grid)
        self._buttons = []
        heads = (
            ("Command", "The change; a click makes it and can be undone."),
            ("ΔL, bits", "Log-likelihood of the training rows, with the likeliest parameters."),
            ("Δsize", "Effective size."),
            ("Δscore", score),
        )
        for column, (text, tip) in enumerate(heads):
            head = label(text, "tertiary", size="caption")
            head.setToolTip(tip)
            if column:
                head.setAlignment(_RIGHT)
            self._grid.addWidget(head, 0, column)
        for index, row in enumerate(rows, start=1):
            self._add_row(index, row)
        if focused is not None and self._buttons:
            self._buttons[min(focused, len(self._buttons) - 1)].setFocus()

    def _add_row(self, position: int, row: ChangeRow) -> None:
        made = button(row.text, lambda: None, role="link", icon_name=row.icon)
        made.setObjectName(f"{self.objectName()}.{position - 1}")
        tip = f"Not now: {row.refusal}" if row.refusal else row.tip or row.text
        made.setToolTip(tip)
        made.setAccessibleName(f"{row.text}: {tip}")
        made.setEnabled(not row.refusal)
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        made.setStyleSheet("text-align: left; padding-left: 0px;")
        made.clicked.connect(self._on_clicked)
        self._buttons.append(made)
        self._grid.addWidget(made, position, 0)
        changes = (change(row.bits), change(row.size, 0), change(row.score))
        parts = ("–",) * 3 if row.refusal else changes
        for column, text in enumerate(parts, start=1):
            pays = column == 3 and row.score is not None and row.score > 0
            role = "tertiary" if row.refusal else "heading" if pays else ""
            number = label(text, role, size="dense")
            number.setAlignment(_RIGHT)
            self._grid.addWidget(number, position, column)

    def _on_clicked(self) -> None:
        made = self.sender()
        if isinstance(made, QPushButton) and made in self._buttons:
            self.requested.emit(self._rows[self._buttons.index(made)].what)

    def cell(self, position: int, column: int) -> str:
        """The text of a cell, for tests."""
        item = self._grid.itemAtPosition(position + 1, column)
        widget = None if item is None else item.widget()
        return widget.text() if isinstance(widget, QLabel | QPushButton) else ""
