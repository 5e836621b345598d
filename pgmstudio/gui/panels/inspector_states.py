"""The states of a variable in the inspector: rename, add, order and remove them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from pgmstudio.core.project import model_edits
from pgmstudio.core.project.model_edits import EditableStates, Renamable
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.panels.state_chips import StateChips
from pgmstudio.gui.panels.subject import Subject
from pgmstudio.gui.style.numbers import counted
from pgmstudio.gui.style.widgets import button, row


class StateManager(QWidget):
    """Chips with what can be done to them; every change is one undoable step."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._subject: Subject | None = None
        self._name = ""
        self.chips = StateChips("inspectorStates")
        self.chips.renamed.connect(self._on_renamed)
        self.chips.moved.connect(self._on_moved)
        self.chips.removal_wished.connect(self._on_removal)
        self.chips.menu_wished.connect(self._on_menu)
        self._add = button(
            "Add",
            self._on_add,
            role="link",
            icon_name="plus",
            name="inspectorAddState",
            tip="One more state, with probability 0 until the table says otherwise.",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.chips)
        layout.addWidget(row(self._add, None))

    def show_node(self, subject: Subject, name: str) -> None:
        self._subject, self._name = subject, name
        can_rename = isinstance(subject.model, Renamable)
        can_order = isinstance(subject.model, EditableStates)
        why = f"Not now: the states of a {subject.language} cannot be edited; convert it first."
        tip = "Double-click or F2 renames, drag or Ctrl+arrows orders, Del removes."
        self.chips.setToolTip(tip if can_order else why)
        self.chips.show_states(subject.variable(name).states, can_rename, can_order)
        self._add.setEnabled(can_order)
        self._add.setToolTip(self._add.accessibleName() if can_order else why)

    # -- wishes

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
        # A name typed at once belongs to the same step.
        if self._shell.change(f"Add a state to {self._name}", edit, merge=self._adding(fresh)):
            self._shell.tell(
                f"{self._name} has a new state. Its probability is 0 until its table says "
                f"otherwise{self._children(subject, 'where it is the parent, columns are even')}.",
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
        if not new or not self._shell.change(text, edit, merge=self._adding(old)):
            self.chips.put_back()

    def _on_moved(self, state: str, place: int) -> None:
        subject = self._subject
        if subject is None:
            return
        edit = partial(
            model_edits.move_state,
            model_id=subject.model_id,
            variable=self._name,
            state=state,
            place=place,
        )
        if self._shell.change(f"Move {state} among the states of {self._name}", edit):
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
        if self._shell.change(f"Remove {self._name} = {state}", edit):
            self._follow()
            self._shell.tell(
                f"{self._name} = {state} was removed. The other states of its table were scaled "
                f"to 1{self._children(subject, 'its columns went')}.",
                undo=True,
            )

    def _children(self, subject: Subject, words: str) -> str:
        count = len(subject.children(self._name))
        return f"; in {counted(count, 'table')} of children {words}" if count else ""

    def _follow(self) -> None:
        """The inspector follows in its own time; the chips are needed now."""
        subject = self._subject
        if subject is not None:
            states = self._shell.project.models[subject.model_id].model.domain[self._name].states
            self.chips.show_states(states, True, True)

    def _on_menu(self, state: str, place: QPoint) -> None:
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
        menu.popup(place)
