"""Editor of the states of a column: rename, merge, reorder, declare; each edit can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHeaderView,
    QLineEdit,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data import transforms as editing
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.discretization import cuts_from_labels, labels_of
from pgmstudio.core.data.summary import ColumnSummary
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.edits import replace_data
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, button, label, row, tool_button
from pgmstudio.gui.widgets.column_table import LinedRows, dress_head, paint_row_line
from pgmstudio.gui.widgets.elided_label import ElidedLabel

_FREQUENCY = Qt.ItemDataRole.UserRole
_NAME, _COUNT, _BAR = range(3)
_LONGEST_NAME = 40
_MERGE_TIP = "Merge the selected states into one"


class _FrequencyBar(QStyledItemDelegate):
    """Delegate that draws a state's relative frequency as a bar."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        rect = QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme().color("selection"))
        track = QRectF(rect.left() + 6, rect.center().y() - 4.5, rect.width() - 14, 9)
        painter.fillRect(track, theme().color("belief_track"))
        track.setWidth(track.width() * float(index.data(_FREQUENCY) or 0.0))
        painter.fillRect(track, theme().color("belief"))
        paint_row_line(painter, option)


def merged_name(states: Sequence[str], chosen: Sequence[str]) -> str:
    """Name of merged states: `43–61` from `43–53` and `53–61`, else `red or blue`, or the first."""
    cuts = cuts_from_labels("", states)
    first, last = states.index(chosen[0]), states.index(chosen[-1])
    if cuts is not None and last - first + 1 == len(chosen):
        return labels_of((*cuts.points[:first], *cuts.points[last:]))[first]
    name = " or ".join(chosen)
    return name if len(name) <= _LONGEST_NAME else chosen[0]


class StateEditor(QWidget):
    """State table of one column with its editing buttons; edits go through the document."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("stateManager")
        self._app, self._data_id = app, data_id
        self._column: str | None = None
        self._is_updating = False
        self.title = ElidedLabel("", "heading", size="title")
        self.facts = label("", "secondary", size="dense", wrap=True)
        self.problem = Note("", "danger", "stateProblem")
        self.table = self._make_table()
        self.ordinal = QCheckBox("The states are ordered (ordinal variable)")
        self.ordinal.setObjectName("ordinal")
        self.ordinal.setToolTip("For example age groups. Stored with the column.")
        self.ordinal.clicked.connect(self._on_ordinal)
        self.up = tool_button(
            "arrow-up", "Move the state up", partial(self._move, -1), name="stateUp"
        )
        self.down = tool_button(
            "arrow-down", "Move the state down", partial(self._move, 1), name="stateDown"
        )
        self.merge = button(
            "Merge",
            self._merge,
            icon_name="git-merge",
            tip=_MERGE_TIP,
            name="mergeStates",
        )
        self.new_state = QLineEdit()
        self.new_state.setObjectName("newState")
        self.new_state.setPlaceholderText("State that does not occur")
        self.new_state.setToolTip("A declared state gets a probability in every learned CPT.")
        self.new_state.setAccessibleName("Name of a state to declare")
        self.new_state.returnPressed.connect(self._declare)
        self.declare = button(
            "Declare",
            self._declare,
            tip="Declare a state that does not occur in the data",
            name="declareState",
        )
        self.fewer_than = QSpinBox()
        self.fewer_than.setObjectName("fewerThan")
        self.fewer_than.setRange(2, 1_000_000)
        self.fewer_than.setValue(5)
        self.fewer_than.setMaximumWidth(round(96 * theme().scale))
        self.fewer_than.setAccessibleName("States with fewer rows than this are rare")
        self.fewer_than.setToolTip("States with fewer rows than this are rare.")
        self.merge_rare = button(
            "Merge rare",
            self._merge_rare,
            icon_name="git-merge",
            tip="Merge all rare states into one state, “other”",
            name="mergeRare",
        )
        self._lay_out()
        theme().changed.connect(self._restyle)
        self._restyle()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        head = QVBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.title)
        head.addWidget(self.facts)
        layout.addLayout(head)
        layout.addWidget(self.problem)
        layout.addWidget(row(self.up, self.down, self.merge, None))
        layout.addWidget(self.table, 1)
        layout.addWidget(self.ordinal)
        layout.addWidget(row(self.new_state, self.declare))
        rare = label("Fewer than", "secondary")
        layout.addWidget(
            row(rare, self.fewer_than, label("rows", "secondary"), self.merge_rare, None)
        )

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, 3)
        table.setObjectName("states")
        table.setAccessibleName("States of the column")
        table.setHorizontalHeaderLabels(["State", "Rows", "Frequency"])
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        table.setItemDelegate(LinedRows(table))
        table.setItemDelegateForColumn(_BAR, _FrequencyBar(table))
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        head = table.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(_COUNT, QHeaderView.ResizeMode.ResizeToContents)
        table.itemChanged.connect(self._on_renamed)
        table.itemSelectionChanged.connect(self._refresh_buttons)
        return table

    # -- the shown column

    @property
    def data(self) -> DataSet:
        return self._app.project.data[self._data_id].data

    @property
    def column(self) -> str | None:
        return self._column

    def show_column(self, summary: ColumnSummary) -> None:
        """Show the states of a column with their counts."""
        variable = self.data.domain[summary.name]
        if summary.name != self._column:
            self.problem.show_text("")
        self._column = summary.name
        self.title.setText(summary.name)
        self.title.setToolTip(summary.name)
        missing = f" · {grouped(round(summary.missing))} missing" if summary.missing else ""
        self.facts.setText(
            f"{counted(variable.cardinality, 'state')} · "
            f"{summary.entropy_bits:.3f} bits of entropy{missing}"
        )
        self.ordinal.setChecked(variable.is_ordinal)
        self._is_updating = True
        self.table.setRowCount(variable.cardinality)
        total = float(summary.counts.sum()) or 1.0
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for position, (state, count) in enumerate(
            zip(variable.states, summary.counts, strict=True)
        ):
            name = QTableWidgetItem(state)
            name.setToolTip(f"{state}: double-click or press F2 to rename")
            number = QTableWidgetItem(grouped(round(float(count))))
            number.setFlags(number.flags() & ~Qt.ItemFlag.ItemIsEditable)
            number.setTextAlignment(right)
            bar = QTableWidgetItem()
            bar.setFlags(number.flags())
            bar.setData(_FREQUENCY, float(count) / total)
            bar.setToolTip(f"{100 * float(count) / total:.1f} % of the rows with a value")
            for column, item in enumerate((name, number, bar)):
                self.table.setItem(position, column, item)
        self._is_updating = False
        self._restyle()
        self._refresh_buttons()

    def selected_states(self) -> list[str]:
        states = self.data.domain[self._column].states if self._column else ()
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        return [states[position] for position in rows if position < len(states)]

    def select_states(self, states: list[str]) -> None:
        known = self.data.domain[self._column].states if self._column else ()
        self.table.clearSelection()
        mode = QAbstractItemView.SelectionMode
        self.table.setSelectionMode(mode.MultiSelection)
        for state in states:
            if state in known:
                self.table.selectRow(known.index(state))
        self.table.setSelectionMode(mode.ExtendedSelection)

    def _refresh_buttons(self) -> None:
        chosen = self.selected_states()
        several = len(chosen) >= 2
        self.merge.setEnabled(several)
        self.merge.setToolTip(_MERGE_TIP if several else "Not now: select two states or more.")
        states = self.data.domain[self._column].states if self._column else ()
        self.up.setEnabled(len(chosen) == 1 and chosen[0] != states[0])
        self.down.setEnabled(len(chosen) == 1 and chosen[0] != states[-1])

    # -- edits

    def _change(self, text: str, edit: Callable[[DataSet], DataSet]) -> bool:
        def on_project(project: Project) -> Project:
            data = edit(project.data[self._data_id].data)
            return replace_data(project, data_id=self._data_id, data=data)

        try:
            self._app.document.change(text, on_project)
        except PgmStudioError as refusal:
            self.problem.show_text(str(refusal))
            return False
        self.problem.show_text("")
        return True

    def _on_renamed(self, item: QTableWidgetItem) -> None:
        column = self._column
        if self._is_updating or column is None or item.column() != _NAME:
            return
        old, new = self.data.domain[column].states[item.row()], item.text().strip()
        renamed = bool(new) and new != old
        if renamed and self._change(
            f"Rename {old} of {column} to {new}",
            lambda data: editing.rename_states(data, column, {old: new}),
        ):
            return
        self._is_updating = True
        item.setText(old)
        self._is_updating = False

    def _move(self, by: int) -> None:
        column, chosen = self._column, self.selected_states()
        if column is None or len(chosen) != 1:
            return
        order = list(self.data.domain[column].states)
        position = order.index(chosen[0])
        to = position + by
        if not 0 <= to < len(order):
            return
        order[position], order[to] = order[to], order[position]
        if self._change(
            f"Move state {chosen[0]} of {column}",
            lambda data: editing.reorder_states(data, column, order),
        ):
            self.select_states(chosen)

    def _merge(self) -> None:
        column, chosen = self._column, self.selected_states()
        if column is None or len(chosen) < 2:
            return
        into = merged_name(self.data.domain[column].states, chosen)
        if self._change(
            f"Merge {counted(len(chosen), 'state')} of {column}",
            lambda data: editing.merge_states(data, column, chosen, into),
        ):
            self.select_states([into])
            self._app.notify(f"{counted(len(chosen), 'state')} of {column} merged.", undo=True)

    def _declare(self) -> None:
        column, name = self._column, self.new_state.text().strip()
        if column is None or not name:
            self.new_state.setFocus()
            return
        if self._change(
            f"Declare state {name} of {column}",
            lambda data: editing.declare_states(data, column, [name]),
        ):
            self.new_state.clear()

    def _merge_rare(self) -> None:
        column, limit = self._column, self.fewer_than.value()
        if column is None:
            return
        counts = editing.weighted_counts(self.data, column)
        rare = int((counts < limit).sum())
        if rare < 2:
            self.problem.show_text(
                f"Fewer than two states of {column} have fewer than {limit} rows, "
                "so there is nothing to merge.",
                "info",
            )
            return
        self._change(
            f"Merge rare states of {column}",
            lambda data: editing.merge_rare_states(data, column, limit),
        )

    def _on_ordinal(self, checked: bool) -> None:
        column = self._column
        if column is not None:
            order = "ordered" if checked else "not ordered"
            self._change(
                f"States of {column} are {order}",
                lambda data: editing.set_ordinal(data, column, checked),
            )

    def _restyle(self) -> None:
        self.table.setProperty("textSize", "dense")
        dress_head(self.table.horizontalHeader())
        self.table.verticalHeader().setDefaultSectionSize(theme().px("row"))
