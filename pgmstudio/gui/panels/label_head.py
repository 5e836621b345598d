"""The head of a docked panel in the row of the panels' tabs: the rows below have its room."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QVBoxLayout, QWidget

from pgmstudio.gui.style.theme import theme

_MOVES = (
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.Resize,
    QEvent.Type.Move,
    QEvent.Type.ParentChange,
)


class TabRowHead(QObject):
    """Keeps the head beside the tabs while there is room for it, else on top of the panel.

    The window owns the tabs of its docks and has no place for anything beside them: the head
    stands over the empty end of that row. In a floating or folded panel there are no tabs.
    """

    def __init__(
        self, panel: QWidget, head: QWidget, layout: QVBoxLayout, least: Callable[[], int]
    ) -> None:
        """`layout` is the panel's, with the head in it; `least` is how narrow the head may be."""
        super().__init__(panel)
        self._panel, self._head, self._layout, self._least = panel, head, layout, least
        self._watched: list[QObject] = []
        self._watch(panel)

    @property
    def is_beside_tabs(self) -> bool:
        return self._layout.indexOf(self._head) < 0

    def place(self) -> None:
        """Put the head where it belongs now."""
        free = self._free_place() if self._panel.isVisible() else None
        if free is not None:
            window = self._panel.window()
            if self._head.parentWidget() is not window:
                self._layout.removeWidget(self._head)
                self._head.setParent(window)
                self._keep_order()
            self._head.setGeometry(free)
            self._head.show()
            self._head.raise_()
        elif not self._panel.isVisible() and self.is_beside_tabs:
            self._head.hide()
        elif self.is_beside_tabs:
            self._layout.insertWidget(0, self._head)
            self._head.show()

    def _keep_order(self) -> None:
        """The keyboard still comes to the head first, then to what is below it."""
        before = self._panel
        for one in self._head.findChildren(QWidget):
            if one.focusPolicy() & Qt.FocusPolicy.TabFocus:
                QWidget.setTabOrder(before, one)
                before = one

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES:
            self.place()
        return False

    def _free_place(self) -> QRect | None:
        """What the tabs leave of their row, up to the edge of the panel; None if that is little."""
        window, dock = self._panel.window(), self._dock()
        if dock is None or not isinstance(window, QMainWindow):
            return None
        self._watch(dock)
        for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if bar.isVisible() and bar.tabText(bar.currentIndex()) == dock.windowTitle():
                self._watch(bar)
                start = bar.x() + bar.tabRect(bar.count() - 1).right() + theme().space(5)
                end = self._panel.mapTo(window, QPoint(self._panel.width(), 0)).x()
                is_above = bar.geometry().bottom() <= dock.y()
                if is_above and end - start >= self._least():
                    return QRect(start, bar.y(), end - start, bar.height())
        return None

    def _dock(self) -> QDockWidget | None:
        parent = self._panel.parentWidget()
        while parent is not None and not isinstance(parent, QDockWidget):
            parent = parent.parentWidget()
        return parent

    def _watch(self, what: QObject) -> None:
        if what not in self._watched:
            self._watched.append(what)
            what.installEventFilter(self)
