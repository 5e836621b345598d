"""The states of a variable as chips in the inspector: rename, add, reorder and remove them."""

from __future__ import annotations

from functools import partial

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
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.number_format import counted
from pgmstudio.core.project import model_edits
from pgmstudio.core.project.model_edits import EditableStates, Renamable
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, row

Index = QModelIndex | QPersistentModelIndex
MAX_ROWS = 4
MAX_WIDTH = 150
GRIP = 12  # px at 100 %: the dots a chip is dragged by


class _ChipDelegate(QStyledItemDelegate):
    """Draws an outlined chip for each state, with a grip at its left."""

    has_grip = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = QFontMetrics(theme().font("dense"))
        wide = metrics.horizontalAdvance(str(index.data())) + 20 + self._grip()
        return QSize(min(wide, round(MAX_WIDTH * theme().scale)), theme().px("control_small") + 2)

    def _grip(self) -> int:
        return round(GRIP * theme().scale) if self.has_grip else 0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        flags = QStyle.StateFlag
        is_chosen = bool(option.state & flags.State_Selected)
        has_focus = bool(option.state & flags.State_HasFocus)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect).adjusted(1, 1, -1, -1)
        line = "focus" if has_focus else "border_control"
        painter.setPen(QPen(theme().color(line), 2 if has_focus else 1))
        painter.setBrush(theme().color("selection" if is_chosen else "surface"))
        painter.drawRoundedRect(area, theme().radius("control"), theme().radius("control"))
        if self.has_grip:
            self._paint_grip(painter, area)
        painter.setPen(theme().color("text"))
        font = theme().font("dense")
        painter.setFont(font)
        text_area = area.adjusted(self._grip(), 0, 0, 0)
        text = QFontMetrics(font).elidedText(
            str(index.data()), Qt.TextElideMode.ElideMiddle, int(text_area.width()) - 14
        )
        painter.drawText(text_area, int(Qt.AlignmentFlag.AlignCenter), text)
        painter.restore()

    def _paint_grip(self, painter: QPainter, position: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("text_tertiary"))
        left, gap = position.left() + 7 * theme().scale, 4 * theme().scale
        for down in (-1, 0, 1):
            for across in (0, 1):
                spot = QPointF(left + across * gap, position.center().y() + down * gap)
                painter.drawEllipse(spot, 1, 1)


class StateChips(QListWidget):
    """F2 or a double click renames, dragging or Ctrl+arrows orders, Del removes."""

    renamed = Signal(str, str)  # old, new
    moved = Signal(str, int)  # state, its new index
    removal_requested = Signal(str)
    menu_requested = Signal(str, QPoint)  # state, where on the screen

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

    def _on_menu(self, position: QPoint) -> None:
        item = self.itemAt(position) or self.currentItem()
        if item is not None and self._can_order:
            state = str(item.data(Qt.ItemDataRole.UserRole))
            self.menu_requested.emit(state, self.viewport().mapToGlobal(position))

    def dropEvent(self, event: QDropEvent) -> None:
        item = self.currentItem()
        super().dropEvent(event)
        if item is not None:
            state = str(item.data(Qt.ItemDataRole.UserRole))
            position = [self._state_at(row) for row in range(self.count())].index(state)
            if position != self.states.index(state):
                self.moved.emit(state, position)

    def _state_at(self, row: int) -> str:
        item = self.item(row)
        return "" if item is None else str(item.data(Qt.ItemDataRole.UserRole))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        state, row = self._state_at(self.currentRow()), self.currentRow()
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if self._can_order and state and event.key() == Qt.Key.Key_Delete:
            self.removal_requested.emit(state)
        elif self._can_order and state and held and event.key() in steps:
            position = row + steps[Qt.Key(event.key())]
            if 0 <= position < self.count():
                self.moved.emit(state, position)
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
            self.setFixedHeight(min(wanted, MAX_ROWS * row_height + 8))


class StateManager(QWidget):
    """Chips with what can be done to them; every change is one undoable step."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self._subject: ActiveModel | None = None
        self._name = ""
        self.chips = StateChips("inspectorStates")
        self.chips.renamed.connect(self._on_renamed)
        self.chips.moved.connect(self._on_moved)
        self.chips.removal_requested.connect(self._on_removal)
        self.chips.menu_requested.connect(self._on_menu)
        self._add = button(
            "Add",
            self._on_add,
            role="link",
            icon_name="plus",
            name="inspectorAddState",
            tip="Add a state; its probability is 0 until the table is edited.",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.chips)
        layout.addWidget(row(self._add, None))

    def show_node(self, subject: ActiveModel, name: str) -> None:
        self._subject, self._name = subject, name
        can_rename = isinstance(subject.model, Renamable)
        can_order = isinstance(subject.model, EditableStates)
        why = f"Not now: the states of a {subject.language} cannot be edited; convert it first."
        tip = "Double-click or F2 renames, drag or Ctrl+arrows orders, Del removes."
        self.chips.setToolTip(tip if can_order else why)
        self.chips.show_states(subject.variable(name).states, can_rename, can_order)
        self._add.setEnabled(can_order)
        self._add.setToolTip(self._add.accessibleName() if can_order else why)

    # -- requests

    def _on_add(self) -> None:
        subject = self._subject
        if subject is None:
            return
        taken, number = subject.variable(self._name).states, 1
        while f"state {number}" in taken:
            number += 1
        fresh = f"state {number}"
        edit = partial(
            model_edits.add_state, model_id=subject.model_id, variable=self._name, state=fresh
        )
        # A name typed right away belongs to the same undo step.
        if self._app.change(f"Add a state to {self._name}", edit, merge=self._adding(fresh)):
            self._app.notify(
                f"{self._name} has a new state. Its probability is 0 until its table is edited"
                f"{self._children(subject, 'where it is the parent, columns are uniform')}.",
                undo=True,
            )
            self._follow()
            self.chips.edit_state(fresh)

    def _adding(self, state: str) -> str:
        subject = self._subject
        return f"add-state:{subject.model_id if subject else ''}:{self._name}:{state}"

    def _on_renamed(self, old: str, new: str) -> None:
        subject = self._subject
        if subject is None:
            return
        edit = partial(
            model_edits.rename_state,
            model_id=subject.model_id,
            variable=self._name,
            old=old,
            new=new,
        )
        text = f"Rename {self._name} = {old} to {new}"
        if not new or not self._app.change(text, edit, merge=self._adding(old)):
            self.chips.put_back()

    def _on_moved(self, state: str, position: int) -> None:
        subject = self._subject
        if subject is None:
            return
        edit = partial(
            model_edits.move_state,
            model_id=subject.model_id,
            variable=self._name,
            state=state,
            index=position,
        )
        if self._app.change(f"Move {state} among the states of {self._name}", edit):
            self._follow()
            self.chips.choose(state)
        else:
            self.chips.put_back()

    def _on_removal(self, state: str) -> None:
        subject = self._subject
        if subject is None:
            return
        edit = partial(
            model_edits.remove_state, model_id=subject.model_id, variable=self._name, state=state
        )
        if self._app.change(f"Remove {self._name} = {state}", edit):
            self._follow()
            self._app.notify(
                f"{self._name} = {state} was removed. The other states of its table were scaled "
                f"to 1{self._children(subject, 'its columns went')}.",
                undo=True,
            )

    def _children(self, subject: ActiveModel, effect: str) -> str:
        count = len(subject.children(self._name))
        return f"; in {counted(count, 'table')} of children {effect}" if count else ""

    def _follow(self) -> None:
        """The inspector follows in its own time; the chips are needed now."""
        subject = self._subject
        if subject is not None:
            states = self._app.project.models[subject.model_id].model.domain[self._name].states
            self.chips.show_states(states, True, True)

    def _on_menu(self, state: str, position: QPoint) -> None:
        menu = QMenu(self)
        menu.setObjectName("stateMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        number = self.chips.states.index(state)
        menu.addAction("Rename", partial(self.chips.edit_state, state))
        if number:
            menu.addAction("Move left", partial(self._on_moved, state, number - 1))
        if number < len(self.chips.states) - 1:
            menu.addAction("Move right", partial(self._on_moved, state, number + 1))
        menu.addAction("Remove", partial(self._on_removal, state))
        menu.popup(position)
