"""Panels of a folded side over the edge of the centre, until Esc."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDockWidget, QFrame, QSplitter, QVBoxLayout, QWidget

from pgmstudio.gui.widgets.basic import label, row, tool_button


class Overlay(QFrame):
    """Borrows the panels of docks while it is open and gives them back when it closes."""

    changed = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("role", "overlay")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._borrowed: list[tuple[QDockWidget, QWidget]] = []
        self._title = label("", "heading", size="dense")
        self._close = tool_button("x", "Close this panel (Esc)", self.close_it, name=f"{name}Close")
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        head = row(self._title, None, self._close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        head_layout = head.layout()
        assert head_layout is not None
        head_layout.setContentsMargins(12, 2, 4, 2)
        layout.addWidget(head)
        layout.addWidget(self._splitter, 1)
        self.hide()

    @property
    def names(self) -> list[str]:
        """The panels it shows now."""
        return [dock.objectName() for dock, _ in self._borrowed]

    @property
    def is_open(self) -> bool:
        return bool(self._borrowed)

    def open_with(self, docks: Sequence[QDockWidget]) -> None:
        """Show the panels of these docks instead of others."""
        if [dock for dock, _ in self._borrowed] == list(docks):
            return
        self._give_back()
        for dock in docks:
            panel = dock.widget()
            dock.setWidget(QWidget())  # so that the dock lets go of the panel
            self._borrowed.append((dock, panel))
            self._splitter.addWidget(panel)
            panel.show()
        self._title.setText(" · ".join(dock.windowTitle() for dock in docks))
        self.setAccessibleName(self._title.text())
        self.setVisible(bool(docks))
        self.raise_()
        self.changed.emit()

    def close_it(self) -> None:
        """Hide, and give the panels back."""
        if not self._borrowed:
            return
        self._give_back()
        self.hide()
        self.changed.emit()

    def panel(self, name: str) -> QWidget | None:
        """The panel of that dock, when it is here."""
        return next((p for dock, p in self._borrowed if dock.objectName() == name), None)

    def _give_back(self) -> None:
        for dock, panel in self._borrowed:
            stand_in = dock.widget()
            dock.setWidget(panel)
            stand_in.deleteLater()
        self._borrowed.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_it()
        else:
            super().keyPressEvent(event)
