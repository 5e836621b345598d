"""The history: every undoable step, newest on top; a click goes back or forth to it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget
from shiboken6 import isValid

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, row, tool_button, vbox
from pgmstudio.gui.widgets.debounce import one_shot


class HistoryPanel(QWidget):
    """Newest step on top; the present one is selected, undone ones are greyed."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("history")
        self._stack = app.document.undo_stack
        self._undo = tool_button(
            "arrow-counter-clockwise", "Undo the last step", app.history.undo, name="historyUndo"
        )
        self._redo = tool_button(
            "arrow-clockwise", "Redo the step undone last", app.history.redo, name="historyRedo"
        )
        self._list = QListWidget()
        self._list.setObjectName("historyList")
        self._list.setAccessibleName("History of changes")
        self._list.setToolTip("Click a step to go back or forth to it.")
        self._list.clicked.connect(self._on_clicked)
        head = row(
            label("Steps", "tertiary", size="dense"), None, self._undo, self._redo, spacing=2
        )
        head.setContentsMargins(8, 0, 4, 0)
        vbox(self, head, (self._list, 1), margins=(4, 0, 4, 0), spacing=0)
        # One step emits several signals, and listing a long history takes time.
        self._soon = one_shot(self, self._refresh)
        for signal in (
            self._stack.indexChanged,
            self._stack.canUndoChanged,
            self._stack.canRedoChanged,
        ):
            signal.connect(self._on_stack_changed)

    def _on_stack_changed(self, *_: object) -> None:
        if isValid(self._soon):  # a stack that is being destroyed reports that it is empty
            self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        if not isValid(self._stack) or not self.isVisible():
            return
        self._undo.setEnabled(self._stack.canUndo())
        self._redo.setEnabled(self._stack.canRedo())
        self._list.clear()
        for index in range(self._stack.count(), -1, -1):
            text = self._stack.text(index - 1) if index else "Beginning"
            item = QListWidgetItem(icon("pencil-simple" if index else "folder-open"), text)
            item.setToolTip(text)
            item.setData(Qt.ItemDataRole.UserRole, index)
            if index > self._stack.index():
                item.setForeground(theme().color("text_disabled"))
            self._list.addItem(item)
            if index == self._stack.index():
                self._list.setCurrentItem(item)

    def _on_clicked(self, index: QModelIndex) -> None:
        self._stack.setIndex(int(index.data(Qt.ItemDataRole.UserRole)))
