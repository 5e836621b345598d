"""The Columns tab of a data page: summaries of all columns, and the states of the selected one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QLineEdit,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.discretization import cuts_from_labels, labels_of
from pgmstudio.core.data.summary import ColumnSummary, summarise
from pgmstudio.core.data.transforms import weighted_counts
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.edits import edit_data
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import Note, button, label, named, row, scrolled, tool_button, vbox
from pgmstudio.gui.widgets.column_table import ColumnList, ColumnRow
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.search_field import SearchField
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table

_LIST_WIDTH, _STATES_WIDTH = 350, 380  # rows and states fit side by side in a window 1280 px wide
CELLS_AT_ONCE = 1_000_000  # rows that are summarised within a frame or two


_BAR = 2
_LONGEST_NAME = 40
_MERGE_TIP = "Merge the selected states into one"


@dataclass(frozen=True, slots=True)
class StateRow:
    """A state, its rows, and their fraction of the rows with a value."""

    state: str
    count: int
    frequency: float


_COLUMNS = (
    Column(
        "State",
        stretches=True,
        value=lambda row: row.state,
        cell_tip=lambda row: f"{row.state}: double-click or press F2 to rename",
        is_editable=True,
    ),
    Column("Rows", grouped, True, value=lambda row: row.count),
    Column(
        "Frequency",
        marks=lambda row: CellMarks(bar=Bar(row.frequency)),
        cell_tip=lambda row: f"{100 * row.frequency:.1f} % of the rows with a value",
    ),
)


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
        self.title = ElidedLabel("", "heading", size="title")
        self.facts = label("", "secondary", size="dense", wrap=True)
        self.problem = Note("", "danger", "stateProblem")
        self.table = Table(
            "states",
            "States of the column",
            _COLUMNS,
            key=lambda row: row.state,
            is_sortable=False,
            selection=SelectionMode.ExtendedSelection,
            tip="",
        )
        self.table.horizontalHeader().setSectionResizeMode(_BAR, QHeaderView.ResizeMode.Interactive)
        self.table.edited.connect(self._on_renamed)
        self.table.selectionModel().selectionChanged.connect(self._refresh_buttons)
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
            "Merge", self._merge, icon_name="git-merge", tip=_MERGE_TIP, name="mergeStates"
        )
        self.new_state = named(QLineEdit(), "newState")
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
        self.fewer_than = named(QSpinBox(), "fewerThan")
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

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        head = vbox(None, self.title, self.facts, spacing=2)
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
        total = float(summary.counts.sum()) or 1.0
        self.table.show_rows(
            [
                StateRow(state, round(float(count)), float(count) / total)
                for state, count in zip(variable.states, summary.counts, strict=True)
            ]
        )
        self._refresh_buttons()

    def selected_states(self) -> list[str]:
        return [row.state for row in self.table.selected_rows]

    def select_states(self, states: list[str]) -> None:
        mode = SelectionMode
        self.table.clearSelection()
        self.table.setSelectionMode(mode.MultiSelection)
        for state in states:
            self.table.select_key(state)
        self.table.setSelectionMode(mode.ExtendedSelection)

    def _refresh_buttons(self, *_: object) -> None:
        chosen = self.selected_states()
        several = len(chosen) >= 2
        self.merge.setEnabled(several)
        self.merge.setToolTip(_MERGE_TIP if several else "Not now: select two states or more.")
        states = self.data.domain[self._column].states if self._column else ()
        self.up.setEnabled(len(chosen) == 1 and chosen[0] != states[0])
        self.down.setEnabled(len(chosen) == 1 and chosen[0] != states[-1])

    # -- edits

    def _change(self, text: str, edit: str, **arguments: Any) -> bool:
        """Make an edit of `DATA_EDITS`, undoably; a refusal is shown here."""
        change = partial(edit_data, data_id=self._data_id, edit=edit, **arguments)
        try:
            self._app.document.change(text, change)
        except PgmStudioError as refusal:
            self.problem.show_text(str(refusal))
            return False
        self.problem.show_text("")
        return True

    def _on_renamed(self, number: int, _column: int, text: str) -> None:
        column, old, new = self._column, self.table.rows[number].state, text.strip()
        if column is not None and new and new != old:
            self._change(
                f"Rename {old} of {column} to {new}",
                "rename_states",
                column=column,
                names={old: new},
            )

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
            "reorder_states",
            column=column,
            states=order,
        ):
            self.select_states(chosen)

    def _merge(self) -> None:
        column, chosen = self._column, self.selected_states()
        if column is None or len(chosen) < 2:
            return
        into = merged_name(self.data.domain[column].states, chosen)
        if self._change(
            f"Merge {counted(len(chosen), 'state')} of {column}",
            "merge_states",
            column=column,
            states=chosen,
            into=into,
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
            "declare_states",
            column=column,
            states=[name],
        ):
            self.new_state.clear()

    def _merge_rare(self) -> None:
        column, limit = self._column, self.fewer_than.value()
        if column is None:
            return
        counts = weighted_counts(self.data, column)
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
            "merge_rare_states",
            column=column,
            fewer_than=limit,
        )

    def _on_ordinal(self, checked: bool) -> None:
        column = self._column
        if column is not None:
            order = "ordered" if checked else "not ordered"
            self._change(
                f"States of {column} are {order}",
                "set_ordinal",
                column=column,
                is_ordinal=checked,
            )


class ColumnsTab(QWidget):
    """Column list on the left, state editor on the right."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("dataColumns")
        self._app, self._data_id = app, data_id
        self._summaries: dict[str, ColumnSummary] = {}
        self._latest_task = LatestTask(self, self._show, app.errors.report)
        self.count = label("", "heading", size="dense")
        self.search = SearchField("findColumn", "Find a column")
        self.list = ColumnList(
            "columnCards", with_ticks=False, facts_head="States · bits", chip_head="Missing"
        )
        self.search.textChanged.connect(self.list.show_filtered)
        self.list.selected.connect(self._on_selected)
        self.states = StateEditor(app, data_id)
        left = QWidget()
        head = row(self.count, None, self.search)
        head.setContentsMargins(12, 0, 12, 0)
        vbox(left, head, (self.list, 1), margins=(0, 8, 0, 0), spacing=6)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(scrolled(self.states, "stateScroll"))
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([_LIST_WIDTH, _STATES_WIDTH])
        vbox(self, splitter)
        self.show_data(app.project.data[data_id].data)

    def show_data(self, data: DataSet) -> None:
        """Update the summaries for the rows of `data`."""
        if data.row_count * len(data.domain) <= CELLS_AT_ONCE:
            self._latest_task.forget()
            self._show((data, summarise(data)))
            return

        def look(_cancel: CancelToken) -> tuple[DataSet, tuple[ColumnSummary, ...]]:
            return data, summarise(data)

        self._latest_task.ask(look)

    def pick(self, column: str) -> None:
        self.list.select_key(column)

    def _show(self, answer: tuple[DataSet, tuple[ColumnSummary, ...]]) -> None:
        data, summaries = answer
        self._summaries = {summary.name: summary for summary in summaries}
        self.count.setText(counted(len(summaries), "column"))
        self.list.show_rows([_row_of(data, summary) for summary in summaries])
        if self.list.current is not None:
            self._on_selected(self.list.current)

    def _on_selected(self, number: int) -> None:
        column = self.list.rows[number].name
        live = self._app.project.data.get(self._data_id)
        if live is not None and column in self._summaries and column in live.data.domain:
            summary = self._summaries[column]
            if len(summary.counts) == live.data.domain[column].cardinality:
                self.states.show_column(summary)


def _row_of(data: DataSet, summary: ColumnSummary) -> ColumnRow:
    variable = data.domain[summary.name]
    rate = 100 * summary.missing_rate
    return ColumnRow(
        name=summary.name,
        is_number=variable.is_ordinal,
        bars=tuple(summary.counts.tolist()),
        facts=f"{variable.cardinality} · {summary.entropy_bits:.2f} bits",
        missing=round(summary.missing),
        chip=f"{rate:.1f} %" if summary.missing else "",
        chip_is_warning=True,
        tip=f"{summary.name}, {counted(variable.cardinality, 'state')}: "
        + ", ".join(variable.states[:12])
        + (" …" if variable.cardinality > 12 else ""),
    )
