"""Picking variables for a question about separation, by click or by key."""

from __future__ import annotations

from PySide6.QtCore import Qt

from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.canvas.tools import Modifiers, Tool


class SeparationTool(Tool):
    """A tool whose clicks pick nodes for the role that is chosen in the separation bar."""

    name = "separation"
    cursor = Qt.CursorShape.PointingHandCursor

    def release(self, hit: Hit, modifiers: Modifiers) -> None:
        if hit.node is not None:
            self.pick(hit.node.id)

    def pick(self, node: str, role: str = "") -> None:
        """`role` is A, B or Z; empty: whichever is next."""
        self._view.signals.pick.emit(node, role)
