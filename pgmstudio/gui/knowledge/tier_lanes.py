"""Tiers as lanes of variables, earlier to later, edited by dragging."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, Qt, Signal
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

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, label, row, scrolled, tool_button

FREE = -1  # the lane of variables without a tier


class TierLanes(QWidget):
    """Lanes of all tiers; `changed` sends the tiers and the closed ones after an edit."""

    changed = Signal(object, object)  # list of lists of names, set of numbers

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("tierLanes")
        self._lanes: list[Lane] = []
        self._holder = QWidget()
        self._row = QHBoxLayout(self._holder)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme().space(4))
        self._row.addStretch(0)  # after the lanes, which have a maximum width
        self._add = button(
            "Add tier",
            self._on_add,
            role="link",
            icon_name="plus-circle",
            name="addTier",
            tip="Add a tier after the others.",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        hint = label(
            "Drag variables into tiers, earlier → later; no edge may lead to an earlier tier.",
            "secondary",
            wrap=True,
        )
        head = QHBoxLayout()
        head.addWidget(hint, 1)
        head.addWidget(self._add)
        layout.addLayout(head)
        area = scrolled(self._holder, "tierScroll")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        layout.addWidget(area, 1)
        self._followed: str | None = None  # variables moved by key keep the focus

    def show_tiers(
        self, names: Sequence[str], tiers: Sequence[Sequence[str]], closed: frozenset[int]
    ) -> None:
        """Show lanes for these tiers; variables without a tier are on the left."""
        for lane in self._lanes:
            self._row.removeWidget(lane)
            lane.hide()
            lane.deleteLater()
        assigned = {name for tier in tiers for name in tier}
        free = [name for name in names if name not in assigned]
        self._lanes = [Lane(FREE, "No tier", free, False)]
        self._lanes += [
            Lane(number, f"Tier {number + 1}", tier, number in closed)
            for number, tier in enumerate(tiers)
        ]
        for lane in self._lanes:
            lane.list.dragged.connect(self.move_variables)
            lane.stepped.connect(self._on_stepped)
            lane.closed_changed.connect(self._emit_changed)
            lane.removed.connect(self.remove)
            self._row.insertWidget(self._row.count() - 1, lane, 1)
            lane.show()
            if self._followed in lane.names:
                lane.list.setCurrentRow(lane.names.index(self._followed))
                lane.list.setFocus()
        self._followed = None

    def move_variables(self, names: Sequence[str], to: int) -> None:
        """Move variables to a tier, or to none with FREE."""
        tiers = [[n for n in lane.names if n not in names] for lane in self._lanes[1:]]
        if to != FREE:
            tiers[to] += names
        self._emit_changed(tiers)

    def _on_stepped(self, names: Sequence[str], by: int) -> None:
        present = next(i for i, lane in enumerate(self._lanes) if names[0] in lane.names)
        if 0 <= present + by < len(self._lanes):
            self._followed = names[0]
            self.move_variables(names, present + by - 1)

    def _on_add(self) -> None:
        self._emit_changed([*(lane.names for lane in self._lanes[1:]), []])

    def remove(self, number: int) -> None:
        """Remove a tier; its variables then have none."""
        closed = {n - (n > number) for n in self._closed() if n != number}
        tiers = [lane.names for lane in self._lanes[1:]]
        del tiers[number]
        self.changed.emit(tiers, closed)

    def _closed(self) -> set[int]:
        return {number for number, lane in enumerate(self._lanes[1:]) if lane.is_closed}

    def _emit_changed(self, tiers: list[list[str]] | None = None) -> None:
        if not isinstance(tiers, list):  # called by the check box with its state
            tiers = [lane.names for lane in self._lanes[1:]]
        self.changed.emit(tiers, self._closed())


class Lane(QFrame):
    """Lane of one tier: title, check box, and its variables as draggable chips."""

    stepped = Signal(list, int)  # names, lanes to the right
    closed_changed = Signal()
    removed = Signal(int)

    def __init__(self, number: int, title: str, names: Sequence[str], closed: bool) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.number = number
        self.setObjectName(f"lane{number}")
        self.setMinimumWidth(theme().px("left_min") - 40)
        self.setMaximumWidth(theme().px("right"))
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
        remove = tool_button("x", f"Remove {title.lower()}", lambda: self.removed.emit(number))
        if number == FREE:
            below: QWidget = label("no constraint", "tertiary", size="dense")
            # As high as the header of a tier, so that the chips of all lanes are aligned.
            head.setMinimumHeight(remove.sizeHint().height())
            below.setMinimumHeight(self._closed.sizeHint().height())
            remove.deleteLater()
            layout.addWidget(head)
        else:
            below = self._closed
            layout.addWidget(row(head, None, remove))
        layout.addWidget(below)
        layout.addWidget(self.list, 1)

    @property
    def names(self) -> list[str]:
        items = (self.list.item(i) for i in range(self.list.count()))
        return [item.text() for item in items if item is not None]

    @property
    def is_closed(self) -> bool:
        return self._closed.isChecked()


class LaneList(QListWidget):
    """List of variable chips that can be dragged to another lane.

    The lanes are rebuilt after a change, so the move is requested when the drag has ended;
    the list itself never moves a row.
    """

    dragged = Signal(list, int)  # names, number of the target tier

    def __init__(self, lane: Lane) -> None:
        super().__init__()
        self._lane = lane
        self._dropped_on: int | None = None
        self._source: LaneList | None = None
        self.setProperty("role", "chips")
        self.ensurePolished()  # rows laid out before polishing keep their unstyled height
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    @property
    def chosen(self) -> list[str]:
        """The selected names in order, or the current one."""
        rows = sorted(index.row() for index in self.selectedIndexes())
        current = self.currentItem()
        names = [self._lane.names[row] for row in rows]
        return names or ([current.text()] if current is not None else [])

    def startDrag(self, actions: Qt.DropAction) -> None:
        names = self.chosen
        self._dropped_on = None
        super().startDrag(actions)
        if self._dropped_on is not None and names:
            self.dragged.emit(names, self._dropped_on)

    def dropEvent(self, event: QDropEvent) -> None:
        source = event.source()
        self._source = source if isinstance(source, LaneList) and source is not self else None
        super().dropEvent(event)

    def dropMimeData(self, index: int, data: QMimeData, action: Qt.DropAction) -> bool:
        if self._source is not None:
            self._source._dropped_on = self._lane.number
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in steps and self.chosen:
            self._lane.stepped.emit(self.chosen, steps[Qt.Key(event.key())])
            return
        super().keyPressEvent(event)
