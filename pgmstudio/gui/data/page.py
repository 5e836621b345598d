"""The page of a data set: its rows, columns, missing cells, associations and split."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.project import DataEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.data.associations_tab import AssociationTab
from pgmstudio.gui.data.columns_tab import ColumnsTab
from pgmstudio.gui.data.missing_tab import MissingTab
from pgmstudio.gui.data.split_tab import SplitTab
from pgmstudio.gui.data.table_tab import TableTab
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, button, hairline, row, tool_button
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.step_bar import PlainLine

_TABS = (
    ("table", "Table", "Rows: sort, filter, edit, delete"),
    ("columns", "Columns", "Bars, entropy and states of each column"),
    ("missing", "Missing map", "Which cells are missing together"),
    ("associations", "Associations", "Mutual information of every pair of columns"),
    ("split", "Split", "Training, validation and test rows"),
)
Tab = TableTab | ColumnsTab | MissingTab | AssociationTab | SplitTab


class DataPage(Page):
    """Page of one data set, closed when it is deleted; tabs are created when first shown."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__(f"data:{data_id}")
        self._app, self.data_id = app, data_id
        self._tabs: dict[str, Tab] = {}
        self.tabs = Segments(_TABS, "dataTabs")
        self.tabs.chosen.connect(self.show_tab)
        self.facts = PlainLine("dataFacts")
        self.facts.elide = Qt.TextElideMode.ElideRight
        self._stack = QStackedWidget()
        self.stepwise = button(
            "Step by step",
            self._on_stepwise,
            icon_name="list-numbers",
            tip="Learn a model step by step, starting with the choice of columns.",
            name="dataStepwise",
        )
        self.compare = tool_button(
            "scales",
            "Compare languages: one model of each on these rows, within a time budget",
            self._on_compare,
            name="dataCompare",
        )
        self._stepwise_text = self.stepwise.text()
        self.stepwise.setAccessibleName(self._stepwise_text)
        head = row(self.tabs, self.facts, self.compare, self.stepwise)
        head.setContentsMargins(16, 6, 16, 6)
        frame = QFrame()
        frame.setProperty("role", "surface")
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        for part in (head, hairline()):
            inner.addWidget(part)
        inner.addWidget(self._stack, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(frame)
        app.document.changed.connect(self._on_document_changed)
        self._refresh_facts()
        self.show_tab("table")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show *Step by step* as an icon only where its text does not fit."""
        super().resizeEvent(event)
        text_width = self.stepwise.fontMetrics().horizontalAdvance(self._stepwise_text)
        icons_width = 2 * (theme().px("icon") + theme().space(7)) + theme().space(8)
        needed = self.tabs.sizeHint().width() + text_width + icons_width
        self.stepwise.setText(self._stepwise_text if needed <= self.width() else "")

    def about_data(self) -> str | None:
        return self.data_id

    @property
    def title(self) -> str:
        entry = self._app.project.data.get(self.data_id)
        return entry.name if entry is not None else "Data"

    def page_icon(self) -> QIcon:
        return icon("table")

    @property
    def entry(self) -> DataEntry:
        return self._app.project.data[self.data_id]

    def show_tab(self, key: str) -> QWidget:
        """Show a tab: table, columns, missing, associations or split."""
        if key not in self._tabs:
            tab = _MAKERS[key](self._app, self.data_id)
            self._tabs[key] = tab
            self._stack.addWidget(tab)
        self.tabs.choose(key)
        tab = self._tabs[key]
        self._stack.setCurrentWidget(tab)
        tab.show_data(self.entry.data)
        return tab

    @property
    def table(self) -> TableTab:
        tab = self._tabs["table"]
        assert isinstance(tab, TableTab)
        return tab

    def _on_stepwise(self) -> None:
        from pgmstudio.gui.navigation import open_wizard

        open_wizard(self._app, self.data_id)

    def _on_compare(self) -> None:
        from pgmstudio.gui.navigation import open_language_comparison

        open_language_comparison(self._app, self.data_id)

    def _on_document_changed(self, before: Project, after: Project) -> None:
        old, new = before.data.get(self.data_id), after.data.get(self.data_id)
        if new is None:
            self._app.center.close_page(self)
            return
        if old is new:
            return
        if old is None or old.name != new.name:
            self.title_changed.emit()
        self._refresh_facts()
        current = self._stack.currentWidget()
        for key, tab in self._tabs.items():
            # Hidden tabs are updated when they are shown.
            if tab is current or key in ("table", "columns"):
                tab.show_data(new.data)

    def _refresh_facts(self) -> None:
        data = self.entry.data
        facts = facts_of(data)
        self.facts.setText(facts)
        self.facts.brief = f"{grouped(data.row_count)} × {len(data.domain)}"
        split = self.entry.split
        parts = "" if split is None else _split_text(split.names, split.sizes)
        self.facts.setToolTip(f"{facts}. {parts or 'No split: learners use all rows.'}")

    def closed(self) -> None:
        for latest_task in self.findChildren(LatestTask):
            latest_task.forget()


def facts_of(data: DataSet) -> str:
    """`303 rows × 14 · 7 cells missing · 296 rows complete`."""
    missing = sum(data.missing_counts)
    shape = f"{counted(data.row_count, 'row')} × {len(data.domain)}"
    if not missing:
        return f"{shape} · all rows complete"
    complete = data.row_count - data.incomplete_row_count
    return f"{shape} · {counted(missing, 'cell')} missing · {grouped(complete)} rows complete"


def _split_text(names: tuple[str, ...], sizes: tuple[int, ...]) -> str:
    parts = zip(names, sizes, strict=True)
    return "Split: " + ", ".join(f"{name} {counted(size, 'row')}" for name, size in parts)


_MAKERS: dict[str, Callable[[AppContext, str], Tab]] = {
    "table": TableTab,
    "columns": ColumnsTab,
    "missing": MissingTab,
    "associations": AssociationTab,
    "split": SplitTab,
}


def open_data(app: AppContext, data_id: str, *, split: bool) -> Page:
    return app.open_page(f"data:{data_id}", lambda: DataPage(app, data_id), split=split)
