"""The tab Table of a node: its names and states, the size of its table and where it came from."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.project import model_edits
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.panels.belief_bars import BeliefBars
from pgmstudio.gui.panels.evidence_gestures import say_at, state_tip, use_state
from pgmstudio.gui.panels.fact_rows import FactRows
from pgmstudio.gui.panels.inspector_belief import bars_of
from pgmstudio.gui.panels.subject import Subject
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import Section, button, label, row

Index = QModelIndex | QPersistentModelIndex
MOST_STATE_ROWS = 4


class TableTab(QWidget):
    """Edits names; the table itself is edited in its own panel."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._subject: Subject | None = None
        self._name = ""
        names = Section("Name and states", line=False)
        self._title = _field("inspectorNodeTitle", "Title", "What is written on the node.")
        self._title.editingFinished.connect(self._on_title)
        self._identifier = _field(
            "inspectorIdentifier", "Identifier", "The name in files and formulas."
        )
        self._identifier.editingFinished.connect(self._on_identifier)
        self._states = _StateChips()
        self._states.itemChanged.connect(self._on_state)
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
            lambda: shell.reveal("tablePanel"),
            icon_name="table",
            name="inspectorShowTable",
            tip="Bring the table of this variable to front.",
        )
        table.add(self.facts)
        table.add(row(self._show, None))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 8)
        layout.setSpacing(4)
        layout.addWidget(names)
        layout.addWidget(table)
        self._belief = Section("Belief")
        self.bars = BeliefBars("inspectorTableBars")
        self.bars.state_used.connect(self._on_state_used)
        self.bars.tip_of = self._tip
        self._belief.add(self.bars)
        layout.addWidget(self._belief)
        layout.addStretch(1)

    def show_node(self, subject: Subject, name: str) -> None:
        self._subject, self._name = subject, name
        variable = subject.variable(name)
        can = isinstance(subject.model, model_edits.Renamable)
        why = f"Not now: names in a {subject.language} cannot be edited; convert it first."
        for field, text in ((self._title, subject.title(name)), (self._identifier, name)):
            if not field.hasFocus() or not field.isModified():
                field.setText(text)
        self._identifier.setReadOnly(not can)
        self._identifier.setToolTip("The name in files and formulas." if can else why)
        self._states.show_states(variable.states, can, why)
        sizes = [subject.variable(p).cardinality for p in subject.parents(name)]
        columns = math.prod(sizes)
        product = " × ".join(map(str, sizes))
        self.facts.show_facts(
            [
                (
                    "Columns",
                    f"{grouped(columns)} = {product}" if len(sizes) > 1 else grouped(columns),
                    "One for each combination of the parents' states.",
                ),
                (
                    "Free parameters",
                    grouped(columns * (variable.cardinality - 1)),
                    "(states − 1) in every column.",
                ),
                ("Source", _source(subject), "Where the numbers come from."),
            ]
        )

        self._belief.fact.setText("stale" if subject.live.is_stale else "")
        self.bars.show_bars(bars_of(subject, name))

    def _tip(self, state: str) -> str:
        if self._subject is None:
            return state
        titles = self._subject.entry.node_titles
        return state_tip(self._subject.live, self._name, state, titles)

    def _on_state_used(self, state: str, held: Qt.KeyboardModifier, place: QPoint) -> None:
        if self._subject is not None:
            titles = self._subject.entry.node_titles
            refusal = use_state(self._subject.live, self._name, state, held, titles)
            say_at(self.bars, refusal, place)

    def _on_title(self) -> None:
        subject, text = self._subject, self._title.text().strip()
        if subject is None or not self._title.isModified():
            return
        self._title.setModified(False)
        wanted = "" if text == self._name else text
        if wanted != subject.entry.node_titles.get(self._name, ""):
            edit = partial(
                model_edits.set_node_title,
                model_id=subject.model_id,
                node=self._name,
                title=wanted,
            )
            self._shell.change(f"Rename {self._name} to {text or self._name}", edit)
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
        elif self._shell.change(f"Rename {old} to {new}", edit):
            if self._shell.bench.target == old:
                self._shell.bench.set_target(new)
            self._shell.bench.select((new,))
        else:
            self._identifier.setText(old)

    def _on_state(self, item: QListWidgetItem) -> None:
        subject, new = self._subject, item.text().strip()
        old = item.data(Qt.ItemDataRole.UserRole)
        if subject is None or new == old:
            return
        edit = partial(
            model_edits.rename_state,
            model_id=subject.model_id,
            variable=self._name,
            old=old,
            new=new,
        )
        if not new or not self._shell.change(f"Rename {self._name} = {old} to {new}", edit):
            self._states.blockSignals(True)
            item.setText(old)
            self._states.blockSignals(False)


def _field(name: str, what: str, tip: str) -> QLineEdit:
    made = QLineEdit()
    made.setObjectName(name)
    made.setAccessibleName(what)
    made.setToolTip(tip)
    return made


def _source(subject: Subject) -> str:
    entry = subject.entry
    words = "learned" if entry.run_id or "learner" in entry.provenance else "as opened"
    return f"{words}, then edited" if entry.is_edited else words


class _ChipDelegate(QStyledItemDelegate):
    """An outlined chip for each state."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = QFontMetrics(theme().font("dense"))
        width = metrics.horizontalAdvance(str(index.data())) + 20
        return QSize(min(width, 150), theme().px("control_small") + 2)

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
        painter.setPen(theme().color("text"))
        font = theme().font("dense")
        painter.setFont(font)
        words = QFontMetrics(font).elidedText(
            str(index.data()), Qt.TextElideMode.ElideMiddle, int(place.width()) - 14
        )
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), words)
        painter.restore()


class _StateChips(QListWidget):
    """States side by side; F2, Enter or a double click renames one."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("inspectorStates")
        self.setAccessibleName("States")
        self.setFlow(QListWidget.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setSpacing(2)
        self.setItemDelegate(_ChipDelegate(self))
        self.setStyleSheet("QListView { background: transparent; }")
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._shown: tuple[tuple[str, ...], bool] | None = None

    def show_states(self, states: tuple[str, ...], editable: bool, why_not: str) -> None:
        if (states, editable) == self._shown:
            return
        self._shown = (states, editable)
        triggers = QAbstractItemView.EditTrigger
        can = triggers.DoubleClicked | triggers.EditKeyPressed
        self.setEditTriggers(can if editable else triggers.NoEditTriggers)
        self.setToolTip("Double-click or F2 renames a state." if editable else why_not)
        self.blockSignals(True)
        self.clear()
        for state in states:
            item = QListWidgetItem(state)
            item.setData(Qt.ItemDataRole.UserRole, state)
            item.setToolTip(state)
            if editable:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            self.addItem(item)
        self.blockSignals(False)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the chips need, up to a few rows."""
        last = self.item(self.count() - 1)
        if last is not None:
            row_height = theme().px("control_small") + 6
            wanted = self.visualItemRect(last).bottom() + self.verticalOffset() + 8
            self.setFixedHeight(min(wanted, MOST_STATE_ROWS * row_height + 8))
