"""States as chips side by side, to be renamed in place, dragged to another place and removed."""

from __future__ import annotations

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QDropEvent, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from pgmstudio.gui.style.theme import theme

Index = QModelIndex | QPersistentModelIndex
MOST_ROWS = 4
MOST_WIDTH = 150
GRIP = 12  # px at 100 %: the dots a chip is dragged by


class _ChipDelegate(QStyledItemDelegate):
    """An outlined chip for each state; dots at its left say that it can be dragged."""

    has_grip = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = QFontMetrics(theme().font("dense"))
        wide = metrics.horizontalAdvance(str(index.data())) + 20 + self._grip()
        return QSize(min(wide, round(MOST_WIDTH * theme().scale)), theme().px("control_small") + 2)

    def _grip(self) -> int:
        return round(GRIP * theme().scale) if self.has_grip else 0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        flags = QStyle.StateFlag
        is_chosen = bool(option.state & flags.State_Selected)
        has_focus = bool(option.state & flags.State_HasFocus)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place = QRectF(option.rect).adjusted(1, 1, -1, -1)
        line = "focus" if has_focus else "border_control"
        painter.setPen(QPen(theme().color(line), 2 if has_focus else 1))
        painter.setBrush(theme().color("selection" if is_chosen else "surface"))
        painter.drawRoundedRect(place, theme().radius("control"), theme().radius("control"))
        if self.has_grip:
            self._paint_grip(painter, place)
        painter.setPen(theme().color("text"))
        font = theme().font("dense")
        painter.setFont(font)
        room = place.adjusted(self._grip(), 0, 0, 0)
        words = QFontMetrics(font).elidedText(
            str(index.data()), Qt.TextElideMode.ElideMiddle, int(room.width()) - 14
        )
        painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), words)
        painter.restore()

    def _paint_grip(self, painter: QPainter, place: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("text_tertiary"))
        left, gap = place.left() + 7 * theme().scale, 4 * theme().scale
        for down in (-1, 0, 1):
            for across in (0, 1):
                spot = QPointF(left + across * gap, place.center().y() + down * gap)
                painter.drawEllipse(spot, 1, 1)


class StateChips(QListWidget):
    """F2 or a double click renames, dragging or Ctrl+arrows orders, Del removes."""

    renamed = Signal(str, str)  # old, new
    moved = Signal(str, int)  # state, its new place
    removal_wished = Signal(str)
    menu_wished = Signal(str, QPoint)  # state, where on the screen

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName("States")
        self.setFlow(QListWidget.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setSpacing(2)
        self._delegate = _ChipDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setStyleSheet("QListView { background: transparent; }")
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)
        self.itemChanged.connect(self._on_edited)
        self.states: tuple[str, ...] = ()
        self._can_rename = self._can_order = False

    def show_states(self, states: tuple[str, ...], can_rename: bool, can_order: bool) -> None:
        if (states, can_rename, can_order) == (self.states, self._can_rename, self._can_order):
            return
        self.states, self._can_rename, self._can_order = states, can_rename, can_order
        triggers, modes = QAbstractItemView.EditTrigger, QAbstractItemView.DragDropMode
        can = triggers.DoubleClicked | triggers.EditKeyPressed
        self.setEditTriggers(can if can_rename else triggers.NoEditTriggers)
        self.setDragDropMode(modes.InternalMove if can_order else modes.NoDragDrop)
        self._delegate.has_grip = can_order
        self.put_back()

    def put_back(self) -> None:
        """Every chip as the model has it."""
        self.blockSignals(True)
        self.clear()
        for state in self.states:
            item = QListWidgetItem(state)
            item.setData(Qt.ItemDataRole.UserRole, state)
            item.setToolTip(state)
            flags = item.flags() & ~Qt.ItemFlag.ItemIsDropEnabled
            if self._can_rename:
                flags |= Qt.ItemFlag.ItemIsEditable
            item.setFlags(flags)
            self.addItem(item)
        self.blockSignals(False)
        self._fit()

    def choose(self, state: str) -> None:
        """Select the chip of a state."""
        if state in self.states:
            self.setCurrentRow(self.states.index(state))

    def edit_state(self, state: str) -> None:
        """Open the editor in the chip of a state."""
        self.choose(state)
        item = self.currentItem()
        if item is not None and self._can_rename:
            self.setFocus()
            self.editItem(item)

    # -- what the person does

    def _on_edited(self, item: QListWidgetItem) -> None:
        old, new = str(item.data(Qt.ItemDataRole.UserRole)), item.text().strip()
        if new != old:
            self.renamed.emit(old, new)

    def _on_menu(self, place: QPoint) -> None:
        item = self.itemAt(place) or self.currentItem()
        if item is not None and self._can_order:
            state = str(item.data(Qt.ItemDataRole.UserRole))
            self.menu_wished.emit(state, self.viewport().mapToGlobal(place))

    def dropEvent(self, event: QDropEvent) -> None:
        item = self.currentItem()
        super().dropEvent(event)
        if item is not None:
            state = str(item.data(Qt.ItemDataRole.UserRole))
            place = [self._state_at(row) for row in range(self.count())].index(state)
            if place != self.states.index(state):
                self.moved.emit(state, place)

    def _state_at(self, row: int) -> str:
        item = self.item(row)
        return "" if item is None else str(item.data(Qt.ItemDataRole.UserRole))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        state, row = self._state_at(self.currentRow()), self.currentRow()
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if self._can_order and state and event.key() == Qt.Key.Key_Delete:
            self.removal_wished.emit(state)
        elif self._can_order and state and held and event.key() in steps:
            place = row + steps[Qt.Key(event.key())]
            if 0 <= place < self.count():
                self.moved.emit(state, place)
        else:
            super().keyPressEvent(event)

    # -- size

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the chips need, up to a few rows."""
        last = self.item(self.count() - 1)
        if last is not None:
            row_height = theme().px("control_small") + 6
            wanted = self.visualItemRect(last).bottom() + self.verticalOffset() + 8
            self.setFixedHeight(min(wanted, MOST_ROWS * row_height + 8))
