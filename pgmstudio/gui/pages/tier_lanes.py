"""Swim lanes of variables, earlier to later: drag a variable into another lane."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import button, label, row, scrolled, tool_button

FREE = -1  # the lane of variables in no tier


class TierLanes(QWidget):
    """`changed` tells the tiers and the numbers of the closed ones after a gesture."""

    changed = Signal(object, object)  # list of lists of names, set of numbers

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("tierLanes")
        self._lanes: list[Lane] = []
        self._holder = QWidget()
        self._row = QHBoxLayout(self._holder)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme().space(4))
        self._add = button(
            "Add tier",
            self._on_add,
            role="link",
            icon_name="plus-circle",
            name="addTier",
            tip="One more tier, later than the others.",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        hint = label("earlier → later; no edge may lead to an earlier tier", "secondary")
        layout.addWidget(row(hint, None, self._add))
        area = scrolled(self._holder, "tierScroll")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        layout.addWidget(area, 1)
        # A drop moves an item after the event; the lanes are read when it is done.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._tell)

    def show_tiers(
        self, names: Sequence[str], tiers: Sequence[Sequence[str]], closed: frozenset[int]
    ) -> None:
        """Lanes for these tiers; variables in none stand at the left."""
        for lane in self._lanes:
            self._row.removeWidget(lane)
            lane.hide()
            lane.deleteLater()
        placed = {name for tier in tiers for name in tier}
        free = [name for name in names if name not in placed]
        self._lanes = [Lane(FREE, "In no tier", free, False)]
        self._lanes += [
            Lane(number, f"Tier {number + 1}", tier, number in closed)
            for number, tier in enumerate(tiers)
        ]
        for lane in self._lanes:
            lane.list.dropped.connect(self._soon.start)
            lane.moved.connect(self._on_moved)
            lane.closed_changed.connect(self._soon.start)
            lane.removed.connect(self._on_removed)
            self._row.addWidget(lane)

    def move_variable(self, name: str, to: int) -> None:
        """The keyboard's and the tests' way: put a variable into a lane."""
        for lane in self._lanes:
            lane.take(name)
        self._lanes[to + 1].list.addItem(name)
        self._soon.start()

    def _on_moved(self, name: str, by: int) -> None:
        present = next(i for i, lane in enumerate(self._lanes) if name in lane.names)
        target = present + by
        if 0 <= target < len(self._lanes):
            self.move_variable(name, target - 1)
            self._lanes[target].list.setFocus()

    def _on_add(self) -> None:
        self._tell(extra=True)

    def _on_removed(self, number: int) -> None:
        lane = self._lanes[number + 1]
        for name in lane.names:
            self._lanes[0].list.addItem(name)
        self._lanes.remove(lane)
        self._tell()

    def _tell(self, *, extra: bool = False) -> None:
        tiers = [lane.names for lane in self._lanes[1:]] + ([[]] if extra else [])
        closed = {number for number, lane in enumerate(self._lanes[1:]) if lane.is_closed}
        self.changed.emit(tiers, closed)


class Lane(QFrame):
    """A head with the tier's name and tick, and its variables as draggable rows."""

    moved = Signal(str, int)  # name, lanes to the right
    closed_changed = Signal()
    removed = Signal(int)

    def __init__(self, number: int, title: str, names: Sequence[str], closed: bool) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setObjectName(f"lane{number}")
        self.setMinimumWidth(theme().px("left_min") - 40)
        self.list = LaneList(self)
        self.list.setObjectName(f"laneList{number}")
        self.list.setAccessibleName(title)
        self.list.setToolTip("Drag a variable to another tier; Ctrl+← and Ctrl+→ move it too.")
        self.list.addItems(list(names))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        head = label(title, "heading", size="dense")
        self._closed = QCheckBox("No edges within")
        self._closed.setObjectName(f"laneClosed{number}")
        self._closed.setToolTip("Forbid every edge between two variables of this tier.")
        self._closed.setChecked(closed)
        self._closed.toggled.connect(self.closed_changed)
        if number == FREE:
            layout.addWidget(head)
            layout.addWidget(label("free to stand anywhere", "tertiary", size="dense"))
        else:
            remove = tool_button("x", f"Remove {title.lower()}", lambda: self.removed.emit(number))
            layout.addWidget(row(head, None, remove))
            layout.addWidget(self._closed)
        layout.addWidget(self.list, 1)

    @property
    def names(self) -> list[str]:
        found = (self.list.item(i) for i in range(self.list.count()))
        return [item.text() for item in found if item is not None]

    @property
    def is_closed(self) -> bool:
        return self._closed.isChecked()

    def take(self, name: str) -> None:
        if name in self.names:
            self.list.takeItem(self.names.index(name))


class LaneList(QListWidget):
    """Rows that can be dragged into another lane."""

    dropped = Signal()

    def __init__(self, lane: Lane) -> None:
        super().__init__()
        self._lane = lane
        self.ensurePolished()  # rows laid out before that keep their unstyled height
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    def dropEvent(self, event: QDropEvent) -> None:
        super().dropEvent(event)
        self.dropped.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        item = self.currentItem()
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in steps and item is not None:
            self._lane.moved.emit(item.text(), steps[Qt.Key(event.key())])
            return
        super().keyPressEvent(event)
