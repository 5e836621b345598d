"""A page with choices of its own, which undo and redo take back before those of the project."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence

from pgmstudio.gui.pages.page import Page

Deed = Callable[[], None]


class UndoingPage(Page):
    """A child says what there is to take back."""

    def _undoing(self) -> tuple[Deed | None, Deed | None]:
        """What undo and redo do here; None leaves the key to the window."""
        return None, None

    def _deed(self, event: QEvent) -> Deed | None:
        if isinstance(event, QKeyEvent):
            keys = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
            for key, deed in zip(keys, self._undoing(), strict=True):
                if deed is not None and event.matches(key):
                    return deed
        return None

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self._deed(event) is not None:
            event.accept()
            return True
        return super().event(event)
