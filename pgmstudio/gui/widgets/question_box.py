"""A question in a box over the window; what follows is called with the answer.

The box has no event loop of its own, so nothing waits inside something else for an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from pgmstudio.gui.widgets.basic import named

Answer = QMessageBox.StandardButton
Then = Callable[[], object]


def nothing() -> None:
    """For a question whose answer changes nothing."""


def ask(
    parent: QWidget,
    name: str,
    text: str,
    answers: Mapping[Answer, tuple[str, Then]],
    otherwise: Then = nothing,
    *,
    more: str = "",
    default: Answer = Answer.NoButton,
) -> None:
    """Open the box; each answer has the text of its button, empty for the usual one, and what it
    calls. Cancel and Escape call `otherwise`."""
    box = named(QMessageBox(parent), name)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle("PGM Studio")
    box.setText(text)
    box.setInformativeText(more)
    box.setStandardButtons(reduce(or_, answers, Answer.Cancel))
    for answer, (title, _) in answers.items():
        if title:
            box.button(answer).setText(title)
    box.setDefaultButton(default)
    follows = {answer.value: then for answer, (_, then) in answers.items()}
    box.finished.connect(lambda result: follows.get(result, otherwise)())
    box.open()
