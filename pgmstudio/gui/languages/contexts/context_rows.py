"""The contexts of an edge as rows to tick: the states in which it vanishes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLayout, QWidget

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, empty, label
from pgmstudio.gui.widgets.elided_label import ElidedLabel

MAX_CONTEXTS = 64  # more are not ticked one by one
SHORT_NAME = 64  # px of the name of a variable

Context = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One context: whether the edge vanishes in it, by implication, or would then go altogether."""

    context: Context
    states: tuple[str, ...]
    is_in: bool
    is_implied: bool = False
    is_locked: bool = False


def locked_note(rows: Iterable[ContextRow]) -> str:
    """What ticking a locked context would mean, with a link; empty if none is locked."""
    locked = [row for row in rows if row.is_locked]
    if not locked:
        return ""
    return (
        f"With <b>({escape(', '.join(locked[0].states))})</b> as well, no context would need this "
        'edge. <a href="delete">Delete the edge instead</a>'
    )


class ContextRows(QWidget):
    """A grid: a box to tick, a state of each variable, and a text about its rows."""

    ticked = Signal(object, bool)  # context, on

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("labelContexts")
        self._built: tuple[object, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._boxes: list[QCheckBox] = []
        self._locks: list[QLabel] = []
        self._texts: list[list[QLabel]] = []
        self._rows: list[ContextRow] = []

    @property
    def rows(self) -> tuple[ContextRow, ...]:
        return tuple(self._rows)

    def box(self, context: Context) -> QCheckBox:
        """The box of a context."""
        return self._boxes[[row.context for row in self._rows].index(context)]

    def show_rows(
        self,
        heads: Sequence[str],
        rows: Sequence[ContextRow],
        columns: Sequence[tuple[str, Sequence[str]]] = (),
    ) -> None:
        """Show the rows, and columns of texts about the data of each: a heading, and a text a row.

        The same rows keep their widgets, so that the keyboard stays where it is.
        """
        last = tuple(head for head, _ in columns)
        built = (tuple(heads), tuple(row.states for row in rows), last)
        if built != self._built:
            self._built = built
            self._build(heads, rows, last)
        self._rows = list(rows)
        for index, row in enumerate(rows):
            self._show_row(index, row, [texts[index] for _, texts in columns])

    def _build(self, heads: Sequence[str], rows: Sequence[ContextRow], last: Sequence[str]) -> None:
        empty(self._grid)
        for column in range(self._grid.columnCount()):  # what the label before asked for
            self._grid.setColumnStretch(column, 0)
            self._grid.setColumnMinimumWidth(column, 0)
        self._boxes, self._locks, self._texts = [], [], []
        for column, head in enumerate([*heads, *last], start=1):
            if column > len(heads):
                rows_head = label(head, "tertiary", size="dense")
                self._grid.addWidget(rows_head, 0, column, Qt.AlignmentFlag.AlignRight)
                continue
            made = ElidedLabel(head, "tertiary", size="dense")
            made.setToolTip(head)
            self._grid.addWidget(made, 0, column)
        for position, row in enumerate(rows, start=1):
            box = QCheckBox()
            box.setObjectName(f"labelContext.{position}")
            box.clicked.connect(lambda on, position=position: self._on_clicked(position - 1, on))
            lock = IconLabel(icon("lock-simple", "text_tertiary"), "icon_small")
            lock.setObjectName(f"labelLock.{position}")
            self._boxes.append(box)
            self._locks.append(lock)
            self._grid.addWidget(box, position, 0)
            self._grid.addWidget(lock, position, 0, Qt.AlignmentFlag.AlignCenter)
            for column, state in enumerate(row.states, start=1):
                word = label(state, size="dense")
                word.setToolTip(f"{heads[column - 1]} = {state}")
                self._grid.addWidget(word, position, column)
            self._texts.append([label("", "secondary", size="dense") for _ in last])
            for column, text in enumerate(self._texts[-1], start=len(heads) + 1):
                self._grid.addWidget(text, position, column, Qt.AlignmentFlag.AlignRight)
        metrics = QFontMetrics(theme().font("body"))
        for column, head in enumerate(heads, start=1):
            # Long names get more of the width; of two, a short one is never cut.
            width = metrics.horizontalAdvance(head)
            self._grid.setColumnStretch(column, width)
            least = min(width + 2, round(SHORT_NAME * theme().scale)) if len(heads) <= 2 else 0
            self._grid.setColumnMinimumWidth(column, least)
        for position in range(1, len(rows) + 1):
            self._grid.setRowMinimumHeight(position, theme().px("row") + 4)
        self._grid.setRowStretch(len(rows) + 1, 1)

    def _show_row(self, position: int, row: ContextRow, texts: Sequence[str]) -> None:
        box, lock = self._boxes[position], self._locks[position]
        box.setVisible(not row.is_locked)
        lock.setVisible(row.is_locked)
        box.setChecked(row.is_in)
        box.setEnabled(not row.is_implied)
        text = ", ".join(row.states) or "always"
        tip = f"The edge vanishes in ({text}); untick to keep it there."
        if row.is_implied:
            tip = f"Other contexts imply ({text}), so it cannot be taken out alone."
        elif not row.is_in:
            tip = f"Let the edge vanish in ({text})."
        box.setToolTip(tip)
        box.setAccessibleName(tip)
        lock.setToolTip(f"With ({text}) as well, no context would need this edge.")
        lock.setAccessibleName(lock.toolTip())
        for made, text in zip(self._texts[position], texts, strict=True):
            made.setText(text)

    def _on_clicked(self, position: int, on: bool) -> None:
        self.ticked.emit(self._rows[position].context, on)
