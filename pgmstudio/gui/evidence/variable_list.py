"""The list of variables: selection, and evidence by clicks on mini bars and by keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QToolTip

from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.state_gestures import show_tooltip_at, state_tip, use_state
from pgmstudio.gui.evidence.variable_delegate import VariableDelegate
from pgmstudio.gui.evidence.variable_model import VariableRow, VariableRows, mini_rect, state_at
from pgmstudio.gui.widgets.digit_keys import digit_of

Modifiers = Qt.KeyboardModifier
Key = Qt.Key


class VariableList(QListView):
    """Keys: ↑↓ variables, ←→ states, Enter or 1…9 sets, Shift not, Ctrl several, C clears, T."""

    cursor_moved = Signal()

    def __init__(self, app: AppContext, rows: VariableRows) -> None:
        super().__init__()
        self.setObjectName("variablesList")
        self.setAccessibleName("Variables")
        self.setToolTip("Click a bar to set evidence, a name to select; T makes the target.")
        self._app, self._rows = app, rows
        self.live: BeliefService | None = None
        self.titles: Mapping[str, str] = {}
        self.state_cursor: tuple[str, int] | None = None  # the variable and the focused state
        self._pressed: tuple[str, int] | None = None
        self._is_following = False
        self.setModel(rows)
        self._delegate = VariableDelegate(rows, self)
        self.setItemDelegate(self._delegate)
        rows.bars_changed.connect(self._paint_bars)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self.doubleClicked.connect(self._on_double_clicked)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        self._delegate.exposed = event.region()
        super().paintEvent(event)
        self._delegate.exposed = None

    def _paint_bars(self, changed: Mapping[int, VariableRow]) -> None:
        """Repaint the visible mini bars that changed."""
        first, sight, ratio = self.visualRect(self._rows.index(0)), self.height(), 0.0
        top, step = first.top(), first.height()
        for position, before in changed.items():
            if not -step < top + position * step < sight:
                continue
            mini = mini_rect(first.translated(0, position * step))
            ratio = ratio or self.devicePixelRatio()
            columns = self._rows.rows[position].columns(mini.height(), ratio)
            if columns != before.columns(mini.height(), ratio):
                self.viewport().update(mini)

    # -- selection

    def show_selection(self, names: Sequence[str]) -> None:
        """Select these rows without emitting a signal."""
        indexes = [i for i in map(self._rows.index_of, names) if i.isValid()]
        chosen = {i.row() for i in self.selectionModel().selectedIndexes()}
        if {i.row() for i in indexes} == chosen:
            return
        selection = QItemSelection()
        for index in indexes:
            selection.select(index, index)
        self._is_following = True
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(selection, flags.ClearAndSelect)
        if indexes:
            self.selectionModel().setCurrentIndex(indexes[-1], flags.NoUpdate)
            self.scrollTo(indexes[-1])
        self._is_following = False

    def _on_selected(self, *_: object) -> None:
        if self._is_following or self.live is None:
            return
        before = self._app.workspace.selection.nodes
        rows = sorted(i.row() for i in self.selectionModel().selectedIndexes())
        names = [self._rows.rows[r].name for r in rows]
        selected = [name for name in before if name in names]
        self._app.workspace.select([*selected, *(name for name in names if name not in selected)])

    def _on_double_clicked(self, _index: QModelIndex) -> None:
        if self.live is not None:
            self._app.reveal("tablePanel")

    # -- pointer

    def _hit(self, event: QMouseEvent | QHelpEvent) -> tuple[VariableRow, int] | None:
        point = event.pos() if isinstance(event, QHelpEvent) else event.position().toPoint()
        index = self.indexAt(point)
        if not index.isValid():
            return None
        row = self._rows.rows[index.row()]
        state = state_at(row, self.visualRect(index), point)
        return None if state is None else (row, state)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event)
        if (
            hit is not None
            and self.live is not None
            and event.button() == Qt.MouseButton.LeftButton
        ):
            self._pressed = (hit[0].name, hit[1])
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            super().mouseReleaseEvent(event)
            return
        hit = self._hit(event)
        if hit is not None and (hit[0].name, hit[1]) == pressed:
            self._use(hit[0], hit[1], event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        on_bar = self.live is not None and self._hit(event) is not None
        shape = Qt.CursorShape.PointingHandCursor if on_bar else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        if self._pressed is None:
            super().mouseMoveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # Two quick clicks on a bar set and retract; they do not open the CPT.
        if self._hit(event) is not None and self.live is not None:
            self.mousePressEvent(event)
        else:
            super().mouseDoubleClickEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event), self)
            return True
        return super().viewportEvent(event)

    def _tip(self, event: QHelpEvent) -> str:
        index = self.indexAt(event.pos())
        if not index.isValid():
            return ""
        row, hit = self._rows.rows[index.row()], self._hit(event)
        if hit is not None and self.live is not None:
            return state_tip(self.live, row.name, row.states[hit[1]], self.titles)
        named = row.title if row.title == row.name else f"{row.title} ({row.name})"
        return f"{named}\n{row.description}"

    def _use(self, row: VariableRow, state: int, held: Modifiers) -> None:
        if self.live is not None and state < len(row.states):
            refusal = use_state(self.live, row.name, row.states[state], held, self.titles)
            position = mini_rect(self.visualRect(self._rows.index_of(row.name))).center()
            show_tooltip_at(self.viewport(), refusal, position)

    # -- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if self.live is None or not index.isValid():
            super().keyPressEvent(event)
            return
        row = self._rows.rows[index.row()]
        number, key, held = digit_of(event), event.key(), event.modifiers()
        if number is not None:
            self._use(row, number, held)
        elif key in (Key.Key_Left, Key.Key_Right) and row.states:
            self._move_cursor(row, 1 if key == Key.Key_Right else -1)
        elif key in (Key.Key_Return, Key.Key_Enter, Key.Key_Space):
            if self._cursor_in(row) is None:
                self._move_cursor(row, 1)
            self._use(row, self._cursor_in(row) or 0, held)
        elif key == Key.Key_C and held == Modifiers.NoModifier:
            self.live.retract(row.name)
        elif key == Key.Key_T and held == Modifiers.NoModifier:
            workspace = self._app.workspace
            workspace.set_target(None if workspace.target == row.name else row.name)
        else:
            super().keyPressEvent(event)

    def _cursor_in(self, row: VariableRow) -> int | None:
        return (
            self.state_cursor[1]
            if self.state_cursor is not None and self.state_cursor[0] == row.name
            else None
        )

    def _move_cursor(self, row: VariableRow, by: int) -> None:
        shown, at = row.shown(), self._cursor_in(row)
        position = shown.index(at) + by if at in shown else 0
        self.state_cursor = (row.name, shown[min(len(shown) - 1, max(0, position))])
        self.cursor_moved.emit()
