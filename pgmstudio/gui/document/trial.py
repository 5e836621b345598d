"""Trying things in a document and leaving it as it was found, history included."""

from __future__ import annotations

from itertools import takewhile

from PySide6.QtGui import QUndoStack
from shiboken6 import isValid

from pgmstudio.gui.document.document import Document, UndoStep

UNSAVED = -1  # what Qt says when no step counts as saved


class Trial:
    """Begins when it is made; `end` takes back every change since, as if it had not been."""

    def __init__(self, document: Document) -> None:
        stack = document.undo_stack
        self._document = document
        self._opened = document.opened
        self._project = document.project
        self._place, self._clean = stack.index(), stack.cleanIndex()
        # A change forgets what could have been redone: of every step there is a second one.
        self._steps = _steps(stack, 0)
        self._spare = [step.again() for step in self._steps]

    @property
    def is_void(self) -> bool:
        """Another project was opened since: there is nothing to go back to."""
        return self._document.opened != self._opened

    def end(self) -> None:
        """The project, what can be undone and redone, and what counts as saved, as before."""
        if self.is_void:
            return
        stack = self._document.undo_stack
        kept = len(list(takewhile(isValid, self._steps)))
        clean = self._clean_after(stack, kept)
        with self._document.quietly():  # views must not follow every step there and back
            for step in _steps(stack, kept):
                step.setObsolete(True)  # an obsolete step goes when it is undone or redone
            while stack.index() < stack.count():
                stack.redo()
            while stack.index() > kept:
                stack.undo()
            for spare in self._spare[kept:]:
                stack.push(spare)
            if clean == UNSAVED:
                stack.resetClean()
            elif stack.cleanIndex() != clean:
                stack.setIndex(clean)
                stack.setClean()
            stack.setIndex(self._place)
            self._document.show(self._project)

    def _clean_after(self, stack: QUndoStack, kept: int) -> int:
        """The step that counts as saved; none when the file has something that goes now."""
        now = stack.cleanIndex()
        if now in (self._clean, UNSAVED):
            return self._clean
        return now if now <= kept else UNSAVED


def _steps(stack: QUndoStack, begin: int) -> list[UndoStep]:
    steps = [stack.command(place) for place in range(begin, stack.count())]
    return [step for step in steps if isinstance(step, UndoStep)]
