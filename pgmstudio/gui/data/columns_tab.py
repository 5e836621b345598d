"""The Columns tab of a data page: summaries of all columns, and the states of the selected one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import ColumnSummary, summarise
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.data.state_editor import StateEditor
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.widgets.basic import label, row, scrolled
from pgmstudio.gui.widgets.column_table import ColumnList, ColumnRow
from pgmstudio.gui.widgets.search_field import SearchField

_LIST_WIDTH, _STATES_WIDTH = 350, 380  # rows and states fit side by side in a window 1280 px wide
CELLS_AT_ONCE = 1_000_000  # rows that are summarised within a frame or two


class ColumnsTab(QWidget):
    """Column list on the left, state editor on the right."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("dataColumns")
        self._app, self._data_id = app, data_id
        self._summaries: dict[str, ColumnSummary] = {}
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._show)
        self._latest_task.failed.connect(app.errors.report)
        self.count = label("", "heading", size="dense")
        self.search = SearchField("findColumn", "Find a column")
        self.list = ColumnList(
            "columnCards", with_ticks=False, facts_head="States · bits", chip_head="Missing"
        )
        self.search.textChanged.connect(self.list.show_filtered)
        self.list.selected.connect(self._on_selected)
        self.states = StateEditor(app, data_id)
        left = QWidget()
        layout = QVBoxLayout(left)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.setSpacing(6)
        head = row(self.count, None, self.search)
        head.setContentsMargins(12, 0, 12, 0)
        layout.addWidget(head)
        layout.addWidget(self.list, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(scrolled(self.states, "stateScroll"))
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([_LIST_WIDTH, _STATES_WIDTH])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(splitter)
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
