"""The bar of unresolved edges: one question after another that the data cannot decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QWidget,
)

from pgmstudio.gui.canvas.two_line_bar import TwoLineBar
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, button, label, literal, tool_button
from pgmstudio.gui.widgets.elided_label import ElidedLabel

Edge = tuple[str, str]
MAX_BUTTONS = 2
NARROW = 640  # pixels at 100 %


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a question: an edge to keep, or a direction."""

    text: str
    edge: Edge
    is_direction: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its possible answers."""

    text: str
    answers: tuple[Answer, ...]


class UnresolvedBar(TwoLineBar):
    """A bar with one question at a time and a button for each answer."""

    answered = Signal(object)  # Answer
    moved = Signal(int)  # to the question before or after
    all_requested = Signal()
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("ambiguousBar", "Unresolved edges", parent)
        self._icon = IconLabel(icon("question", "virtual_ink"))
        self._heading = ElidedLabel()
        self._heading.setObjectName("ambiguous.heading")
        self._count = label("", "secondary", size="dense")
        self._count.setObjectName("ambiguous.count")
        self._back = tool_button(
            "caret-left", "Previous question", self._on_back, name="ambiguous.back"
        )
        self._forth = tool_button(
            "caret-right", "Next question", self._on_forth, name="ambiguous.forth"
        )
        self._buttons: list[QPushButton] = []
        self._shown: tuple[Answer, ...] = ()
        self._rest: tuple[Answer, ...] = ()
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self._icon)
        top.addWidget(self._heading, 1)
        top.addWidget(self._back)
        top.addWidget(self._count)
        top.addWidget(self._forth)
        top.addWidget(
            tool_button(
                "x",
                "Close; the edges stay unresolved and their marks disappear",
                self.close_requested.emit,
                name="ambiguous.x",
            )
        )
        self._hint = ElidedLabel("Or click an edge of the graph.", "tertiary")
        self._hint.brief = "Or click an edge."
        self._answers = QHBoxLayout()
        self._answers.setSpacing(6)
        below = QHBoxLayout()
        below.setSpacing(6)
        below.addLayout(self._answers)
        below.addWidget(self._hint, 1)
        self._all = button(
            "Resolve all by strength",
            self.all_requested.emit,
            role="link",
            name="ambiguous.all",
            tip="Keep the strongest edge of each ambiguous region and the directions as drawn.",
        )
        below.addWidget(self._all)
        self._lay_out(top, below)

    def show_question(self, question: Question, number: int, count: int) -> None:
        """Show a question; `number` is from 0."""
        self._heading.setText(question.text)
        self._heading.setToolTip(question.text)
        self._count.setText(f"{number + 1} of {count}")
        for step in (self._back, self._forth):
            step.setEnabled(count > 1)
        self._show_answers(question.answers)
        self.show()

    def set_busy(self, busy: bool) -> None:
        """Disable the answers while one is being applied."""
        for made in (*self._buttons, self._all):
            made.setEnabled(not busy)

    def _show_answers(self, answers: Sequence[Answer]) -> None:
        for made in self._buttons:
            self._answers.removeWidget(made)
            made.deleteLater()
        self._buttons = []
        for number, answer in enumerate(answers[:MAX_BUTTONS]):
            made = button(
                answer.text,
                partial(self.answered.emit, answer),
                tip=answer.text,
                name=f"ambiguous.answer{number}",
            )
            self._answers.addWidget(made)
            self._buttons.append(made)
        if len(answers) > MAX_BUTTONS:
            tip = "Other edges of this region"
            more = button("More…", self._on_more, tip=tip, name="ambiguous.more")
            self._answers.addWidget(more)
            self._buttons.append(more)
        self._shown, self._rest = tuple(answers[:MAX_BUTTONS]), tuple(answers[MAX_BUTTONS:])
        self._fit()

    def _fit(self) -> None:
        """Shorten long names; the tooltips have the full text."""
        scale = theme().scale
        narrow = self.width() < NARROW * scale
        self._all.setText("Resolve all" if narrow else "Resolve all by strength")
        taken = self._all.sizeHint().width() + (100 if self._rest else 20) * scale
        available = round(max(60.0, (self.width() - taken) / max(1, len(self._shown)) - 48 * scale))
        for made, answer in zip(self._buttons, self._shown, strict=False):
            text = made.fontMetrics().elidedText(
                answer.text, Qt.TextElideMode.ElideMiddle, available
            )
            made.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_more(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("ambiguous.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for answer in self._rest:
            menu.addAction(literal(answer.text), partial(self.answered.emit, answer))
        position = self._buttons[-1]
        menu.popup(position.mapToGlobal(position.rect().bottomLeft()))

    def _on_back(self) -> None:
        self.moved.emit(-1)

    def _on_forth(self) -> None:
        self.moved.emit(1)
