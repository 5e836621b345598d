"""The inspector of one variable: Belief, Table, Edges, Notes."""

from __future__ import annotations

from collections.abc import Callable
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
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.number_format import counted
from pgmstudio.core.project import model_edits
from pgmstudio.core.project.model_edits import EditableStates, Renamable
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.state_gestures import tip_in, use_in
from pgmstudio.gui.inspector.edge import EdgesTab
from pgmstudio.gui.inspector.language_sections import LanguageSections
from pgmstudio.gui.inspector.node_beliefs import BeliefTab, bars_of, show_waiting
from pgmstudio.gui.languages.registry import SubjectKind, language_view
from pgmstudio.gui.model_page.node_notes import NotesTab
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import popup
from pgmstudio.gui.widgets.basic import (
    Section,
    Segments,
    button,
    hairline,
    label,
    named,
    row,
    scrolled,
    vbox,
)
from pgmstudio.gui.widgets.belief_bars import BeliefBars
from pgmstudio.gui.widgets.fact_rows import FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead

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
        named(self, name, "States")
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
        vbox(self, self.chips, row(self._add, None), spacing=0)

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

    def _change(
        self, text: str, edit: Callable[..., Project], *, merge: str = "", **more: object
    ) -> bool:
        subject = self._subject
        if subject is None:
            return False
        # A name typed right after a state was added belongs to the same undo step.
        merge = merge and f"add-state:{subject.model_id}:{self._name}:{merge}"
        change = partial(edit, model_id=subject.model_id, variable=self._name, **more)
        return self._app.change(text, change, merge=merge)

    def _on_add(self) -> None:
        subject = self._subject
        if subject is None:
            return
        taken, number = subject.variable(self._name).states, 1
        while f"state {number}" in taken:
            number += 1
        fresh = f"state {number}"
        text = f"Add a state to {self._name}"
        if self._change(text, model_edits.add_state, merge=fresh, state=fresh):
            self._app.notify(
                f"{self._name} has a new state. Its probability is 0 until its table is edited"
                f"{self._children(subject, 'where it is the parent, columns are uniform')}.",
                undo=True,
            )
            self._follow()
            self.chips.edit_state(fresh)

    def _on_renamed(self, old: str, new: str) -> None:
        text = f"Rename {self._name} = {old} to {new}"
        if not new or not self._change(text, model_edits.rename_state, merge=old, old=old, new=new):
            self.chips.put_back()

    def _on_moved(self, state: str, position: int) -> None:
        text = f"Move {state} among the states of {self._name}"
        if self._change(text, model_edits.move_state, state=state, index=position):
            self._follow()
            self.chips.choose(state)
        else:
            self.chips.put_back()

    def _on_removal(self, state: str) -> None:
        subject, text = self._subject, f"Remove {self._name} = {state}"
        if subject is not None and self._change(text, model_edits.remove_state, state=state):
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
        menu = named(QMenu(self), "stateMenu")
        number = self.chips.states.index(state)
        menu.addAction("Rename", partial(self.chips.edit_state, state))
        if number:
            menu.addAction("Move left", partial(self._on_moved, state, number - 1))
        if number < len(self.chips.states) - 1:
            menu.addAction("Move right", partial(self._on_moved, state, number + 1))
        menu.addAction("Remove", partial(self._on_removal, state))
        popup(menu, position)


class TableTab(QWidget):
    """Edits names and states; the table itself is edited in the table panel."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self._subject: ActiveModel | None = None
        self._name = ""
        names = Section("Name and states", line=False)
        self._title = named(QLineEdit(), "inspectorNodeTitle", "Title", "Label shown on the node.")
        self._title.editingFinished.connect(self._on_title)
        self._identifier = named(
            QLineEdit(), "inspectorIdentifier", "Identifier", "The name in files and formulas."
        )
        self._identifier.editingFinished.connect(self._on_identifier)
        self._states = StateManager(app)
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(12)
        for text, field in (
            ("Title", self._title),
            ("Identifier", self._identifier),
            ("States", self._states),
        ):
            form.addRow(label(text, "secondary", size="dense"), field)
        names.add(form)
        table = Section("Table")
        self.facts = FactRows("inspectorTableFacts")
        self._show = button(
            "Show table",
            lambda: app.reveal("tablePanel"),
            icon_name="table",
            name="inspectorShowTable",
            tip="Show the table of this variable.",
        )
        table.add(self.facts, row(self._show, None))
        layout = vbox(self, names, table, margins=(0, 8, 0, 8), spacing=4)
        self._of_language = LanguageSections(app, SubjectKind.TABLE)
        layout.addWidget(self._of_language)
        self._belief = Section("Belief")
        self.bars = BeliefBars("inspectorTableBars")
        self.bars.state_used.connect(self._on_state_used)
        self.bars.tip_of = self._tip
        self._belief.add(self.bars)
        layout.addWidget(self._belief)
        layout.addStretch(1)

    def show_node(self, subject: ActiveModel, name: str) -> None:
        self._subject, self._name = subject, name
        can = isinstance(subject.model, model_edits.Renamable)
        why = f"Not now: names in {a_kind(subject.model.kind)} cannot be edited; convert it first."
        for field, text in ((self._title, subject.title(name)), (self._identifier, name)):
            if not field.hasFocus() or not field.isModified():
                field.setText(text)
        self._identifier.setReadOnly(not can)
        self._identifier.setToolTip("The name in files and formulas." if can else why)
        self._states.show_node(subject, name)
        description = language_view(subject.model.kind).description.load()
        self.facts.show_facts(
            [
                *description.table_facts(subject.model, name),
                ("Source", _source(subject), "Where the numbers come from."),
            ]
        )
        self._of_language.show_subject(subject, (name,))
        show_waiting(self._belief.fact, subject, name)
        self.bars.show_bars(bars_of(subject, name))

    def _tip(self, state: str) -> str:
        return tip_in(self._subject, self._name, state)

    def _on_state_used(self, state: str, held: Qt.KeyboardModifier, position: QPoint) -> None:
        use_in(self._subject, self._name, state, held, self.bars, position)

    def _on_title(self) -> None:
        subject, text = self._subject, self._title.text().strip()
        if subject is None or not self._title.isModified():
            return
        self._title.setModified(False)
        wanted = "" if text == self._name else text
        if wanted != subject.entry.node_titles.get(self._name, ""):
            edit = partial(
                model_edits.set_node_title, model_id=subject.model_id, node=self._name, title=wanted
            )
            self._app.change(f"Rename {self._name} to {text or self._name}", edit)
        else:
            self._title.setText(subject.title(self._name))

    def _on_identifier(self) -> None:
        subject, old, new = self._subject, self._name, self._identifier.text().strip()
        if subject is None or not self._identifier.isModified():
            return
        self._identifier.setModified(False)
        edit = partial(model_edits.rename_variable, model_id=subject.model_id, old=old, new=new)
        if not new or new == old:
            self._identifier.setText(old)
        elif self._app.change(f"Rename {old} to {new}", edit):
            if self._app.workspace.target == old:
                self._app.workspace.set_target(new)
            self._app.workspace.select((new,))
        else:
            self._identifier.setText(old)


def _source(subject: ActiveModel) -> str:
    entry = subject.entry
    text = "learned" if entry.run_id or "learner" in entry.provenance else "as opened"
    return f"{text}, then edited" if entry.is_edited else text


TABS = (
    ("belief", "Belief", "Beliefs and evidence of this variable"),
    ("table", "Table", "Names, states and the size of its table"),
    ("edges", "Edges", "Parents and children, or neighbours"),
    ("notes", "Notes", "Notes on this variable"),
)


class NodeInspector(QWidget):
    """The inspector of one variable; its tab stays when another is selected."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("nodeInspector")
        self._app = app
        self._subject: ActiveModel | None = None
        self._name = ""
        self._head = InspectorHead("inspectorNode")
        self.segments = Segments(TABS, "inspectorTabs")
        self.segments.chosen.connect(self._on_tab)
        tabs = row(self.segments, None)
        tabs.setContentsMargins(16, 0, 16, 10)
        self.belief = BeliefTab(app)
        self.table = TableTab(app)
        self.edges = EdgesTab(app)
        self.notes = NotesTab(app)
        self._pages = QStackedWidget()
        for key, content in zip(
            ("belief", "table", "edges", "notes"),
            (self.belief, self.table, self.edges, self.notes),
            strict=True,
        ):
            self._pages.addWidget(scrolled(content, f"inspectorScroll.{key}"))
        vbox(self, self._head, tabs, hairline(), self._pages, spacing=0)

    def show_tab(self, key: str) -> None:
        self.segments.choose(key)
        self._on_tab(key)

    def _on_tab(self, key: str) -> None:
        self._pages.setCurrentIndex([tab[0] for tab in TABS].index(key))
        if self._subject is not None:
            self.show_node(self._subject, self._name)

    def show_node(self, subject: ActiveModel, name: str) -> None:
        self._subject, self._name = subject, name
        variable = subject.variable(name)
        facts = [counted(variable.cardinality, "state")]
        if subject.title(name) != name:
            facts.insert(0, name)
        description = language_view(subject.model.kind).description.load()
        facts += description.variable_facts(subject.model, name)
        self._head.show_text(subject.title(name), " · ".join(facts), subject.chip(name))
        match self.segments.current:
            case "belief":
                self.belief.show_node(subject, name)
            case "table":
                self.table.show_node(subject, name)
            case "edges":
                self.edges.show_node(subject, name)
        self.notes.show_node(subject, name)

    def commit(self) -> None:
        """Save the typed notes before something else is inspected."""
        self.notes.editor.commit()
