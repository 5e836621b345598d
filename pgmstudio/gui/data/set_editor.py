"""The editor of an imprecise cell: its text, and the states of the column with ticks."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QListWidget, QListWidgetItem, QWidget

from pgmstudio.core.data.imprecise import UNKNOWN, set_text, states_of_text
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, named, vbox

_MAX_ROWS = 8
_MIN_WIDTH = 200  # px at 100 %


class SetEditor(QFrame):
    """Text and ticks follow each other; a message below them states what is wrong with the text."""

    left = Signal()  # the focus went elsewhere

    def __init__(self, parent: QWidget, variable: Variable) -> None:
        super().__init__(parent)
        named(self, "setEditor", f"States of {variable.name} in this row")
        self.setProperty("role", "popup")
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._variable = variable
        tip = "A state, {red, green} for one of several, or * for any state."
        self.field = named(QLineEdit(), "setText", "State or set of states", tip)
        self.field.textEdited.connect(self._on_text)
        self.states = named(QListWidget(), "setStates", "States that are possible")
        for state in variable.states:
            item = QListWidgetItem(state, self.states)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
        self.states.itemChanged.connect(self._on_tick)
        self.states.itemClicked.connect(lambda _item: self.field.setFocus())
        self.problem = label("", "danger", wrap=True, name="setProblem")
        self.problem.hide()
        vbox(self, self.field, (self.states, 1), self.problem, margins=(3, 3, 3, 3), spacing=3)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.field.installEventFilter(self)
        self._cell = QRect()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)

    # -- text and ticks

    def show_text(self, text: str) -> None:
        """Show a cell; the text is selected, so that typing replaces it."""
        self.field.setText(text)
        self._on_text(text)
        self.field.selectAll()

    @property
    def text(self) -> str:
        return self.field.text()

    @property
    def is_valid(self) -> bool:
        return self.problem.isHidden()

    def _on_text(self, text: str) -> None:
        try:
            states = states_of_text(self._variable, text)
        except PgmStudioError as problem:
            self._show_problem(str(problem))
            return
        self._show_problem("")
        with QSignalBlocker(self.states):
            for code in range(self.states.count()):
                is_possible = not states or code in states
                check = Qt.CheckState.Checked if is_possible else Qt.CheckState.Unchecked
                self.states.item(code).setCheckState(check)

    def _on_tick(self, _item: QListWidgetItem) -> None:
        items = [self.states.item(code) for code in range(self.states.count())]
        ticked = [item.text() for item in items if item.checkState() is Qt.CheckState.Checked]
        if len(ticked) in (0, len(items)):
            text = UNKNOWN
        else:
            text = ticked[0] if len(ticked) == 1 else set_text(ticked, " ")
        self.field.setText(text)
        self._show_problem("")
        if not ticked:  # some state it has
            self._on_text(UNKNOWN)

    def _show_problem(self, text: str) -> None:
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
        if self._cell.isValid():
            self.place(self._cell)

    # -- Qt

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Not by a focus proxy, for which the delegate would filter events as for the editor.
        super().focusInEvent(event)
        self.field.setFocus()

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and now is not self and not self.isAncestorOf(now):
            # The view takes the focus too when it closes the editor itself.
            QTimer.singleShot(0, self, self._on_left)

    def _on_left(self) -> None:
        if self.isVisible():
            self.left.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Return with a wrong text leaves the editor open with its message."""
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and not self.is_valid
        ):
            return True
        return super().eventFilter(watched, event)

    def place(self, cell: QRect) -> None:
        """Over its cell, and above it where there is too little room below."""
        self._cell = QRect(cell)
        parent = self.parentWidget()
        assert parent is not None
        rows = min(self.states.count(), _MAX_ROWS)
        list_height = rows * max(20, self.states.sizeHintForRow(0)) + 6
        width = max(cell.width(), round(_MIN_WIDTH * theme().scale))
        area = QRect(cell.left(), cell.top(), width, 0)
        area.setHeight(self.field.sizeHint().height() + list_height + 14)
        if not self.is_valid:
            area.setHeight(area.height() + self.problem.heightForWidth(width - 12) + 3)
        if area.bottom() > parent.height():
            area.moveBottom(max(cell.bottom(), area.height()))
        if area.right() > parent.width():
            area.moveRight(parent.width())
        self.setGeometry(area)
