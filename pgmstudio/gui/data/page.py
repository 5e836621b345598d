"""The page of a data set: its rows, columns, missing cells, associations and split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.data.chunked import ROWS_STAY, ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.data.resampling import SplitPlan, case_total
from pgmstudio.core.data.summary import MissingPatterns, missing_patterns
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.learning.missing_data.imputation import (
    impute_by_model,
)
from pgmstudio.core.number_format import counted, grouped, join_names
from pgmstudio.core.project.edits import Edit, split_data
from pgmstudio.core.project.model_edits import impute_from_model
from pgmstudio.core.project.project import DataEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.data.associations_tab import AssociationTab
from pgmstudio.gui.data.columns_tab import ColumnsTab
from pgmstudio.gui.data.file_tab import FileTab
from pgmstudio.gui.data.possibility_tab import PossibilityTab
from pgmstudio.gui.data.table_tab import TableTab
from pgmstudio.gui.evidence.last_model import last_model
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import open_language_comparison, open_wizard
from pgmstudio.gui.plots.matrix_plot import MAX_PATTERNS, PatternMap
from pgmstudio.gui.runs.imputation import REMEDIES, apply_remedy, replace_filled
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    allow,
    button,
    hairline,
    label,
    row,
    scrolled,
    tool_button,
    vbox,
)
from pgmstudio.gui.widgets.number_box import whole_box
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.split_form import SplitForm
from pgmstudio.gui.widgets.step_bar import PlainLine

_TABS = (
    ("table", "Table", "Rows: sort, filter, edit, delete"),
    ("columns", "Columns", "Bars, entropy and states of each column"),
    ("missing", "Missing", "Map of the cells that are missing together"),
    (
        "associations",
        "Associations",
        "Mutual information or another measure of every pair of columns",
    ),
    ("possibility", "Possibility", "Degrees of possibility of the rows, and their α-cuts"),
    ("split", "Split", "Training, validation and test rows"),
)


_FILE_TABS = (("file", "File", "What is known of the rows, which stay in their file"),)

BY_MODEL_TIP = (
    "Each missing cell is drawn from the active model, given the rest of its row, with the seed."
)


class MissingTab(QWidget):
    """Missing-cell patterns, computed in the background when the tab is shown with new data."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("missingTab")
        self._app, self._data_id = app, data_id
        self._shown: DataSet | None = None
        self._latest_task = LatestTask(self, self._show_patterns, app.errors.report)
        self.summary = Note("", "info", "missingSummary")
        tip = "The same seed gives the same values."
        self.seed = whole_box("imputeSeed", "Seed of the random fill", tip, 0, 2_000_000_000)
        self._buttons = {
            name: button(remedy.label, partial(self._on_remedy, name), tip=remedy.tip, name=name)
            for name, remedy in REMEDIES.items()
        }
        self._by_model = button(
            "Impute from model", self._fill_by_model, tip=BY_MODEL_TIP, name="fillByModel"
        )
        self._filler = LatestTask(self, self._on_filled, app.errors.report)
        self.map = PatternMap("missingMap")
        area: QScrollArea = scrolled(self.map, "missingScroll")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._legend = PlainLine("missingLegend")
        self._pattern_count = 0
        theme().follow(self._refresh_legend)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(self.summary)
        buttons = self._buttons
        layout.addWidget(row(buttons["fillMode"], buttons["missingState"], None))
        layout.addWidget(row(buttons["dropIncomplete"], self._by_model, None))
        seed = label("Seed", "secondary")
        layout.addWidget(row(buttons["fillRandom"], seed, self.seed, self._legend))
        layout.addWidget(area, 1)

    def _on_remedy(self, name: str) -> None:
        apply_remedy(self._app, self._data_id, REMEDIES[name], self.seed.value())

    def _fill_by_model(self) -> None:
        """Draw each missing cell from the active model in the background."""
        last = last_model(self._app)
        network = as_network(last.entry.model) if last.entry is not None else None
        if network is None:
            self._app.notify("Open or learn a Bayesian network of these columns first.")
            return
        data, seed = self._app.project.data[self._data_id].data, self.seed.value()
        how = partial(impute_from_model, data_id=self._data_id, model_id=last.id or "", seed=seed)

        def fill(cancel: CancelToken) -> tuple[DataSet, DataSet, Edit]:
            rng = np.random.default_rng(seed)
            return data, impute_by_model(network, data, rng, cancel), how

        self._filler.ask(fill)

    def _on_filled(self, result: tuple[DataSet, DataSet, Edit]) -> None:
        before, filled, how = result
        if before is self._app.project.data[self._data_id].data:
            text = "Impute missing cells from the model"
            replace_filled(self._app, self._data_id, filled, text, how)

    def show_data(self, data: DataSet) -> None:
        """Compute the patterns of `data` unless they are shown already."""
        if data is self._shown:
            return
        self._shown = data
        tips = {name: remedy.tip for name, remedy in REMEDIES.items()}
        for widget in (*self._buttons.values(), self._by_model):
            tip = tips.get(widget.objectName(), BY_MODEL_TIP)
            widget.setEnabled(data.has_missing)
            widget.setToolTip(tip if data.has_missing else "Not now: no cells are missing.")
        self.summary.show_text(missing_message(data), "warning" if data.has_missing else "success")

        def find_patterns(_cancel: CancelToken) -> MissingPatterns:
            return missing_patterns(data)

        self._latest_task.ask(find_patterns)

    def _show_patterns(self, patterns: MissingPatterns) -> None:
        self.map.show_patterns(patterns.names, patterns.patterns, patterns.weights)
        self._pattern_count = len(patterns.weights)
        self._refresh_legend()

    def _refresh_legend(self) -> None:
        count = self._pattern_count
        more = f", the first {MAX_PATTERNS} shown" if count > MAX_PATTERNS else ""
        strong = "dark" if theme().shade == "light" else "light"
        self._legend.setText(f"{counted(count, 'pattern')}{more} · {strong} = missing")


def missing_message(data: DataSet) -> str:
    """Message on the number of missing cells, their columns and the complete rows."""
    total = sum(data.missing_counts)
    if not total:
        return f"No cell is missing; all {counted(data.row_count, 'row')} are complete."
    names = [
        name for name, count in zip(data.domain.names, data.missing_counts, strict=True) if count
    ]
    cells = data.row_count * len(data.domain)
    complete = data.row_count - data.incomplete_row_count
    sets = len(data.sets) if isinstance(data, ImpreciseData) else 0
    kept = f"{grouped(sets)} of them have a set of states. " if sets else ""
    return (
        f"{grouped(total)} of {counted(cells, 'cell')} are missing in {join_names(names)}. "
        f"{kept}{grouped(complete)} of {counted(data.row_count, 'row')} are complete. "
        "They stay missing; each learner states how it treats them."
    )


class SplitTab(QWidget):
    """Split form; the split changes when the button is pressed, as one undoable step."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("splitTab")
        self._app, self._data_id = app, data_id
        self._plan = SplitPlan(kind="random")
        self.now = label("", wrap=True, name="splitNow")
        self.problem = Note("", "danger", "splitProblem")
        self.form = SplitForm()
        self.form.plan_requested.connect(self._on_plan_requested)
        self.apply = button("Split rows", self._on_apply, role="primary", name="applySplit")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self.now)
        layout.addWidget(self.problem)
        layout.addWidget(scrolled(self.form, "splitTabScroll"), 1)
        layout.addWidget(row(self.apply, None))

    def show_data(self, data: DataSet) -> None:
        split = self._app.project.data[self._data_id].split
        if split is None:
            self.now.setText("The rows are not split: learners use all rows.")
        else:
            sizes = zip(split.names, split.sizes, strict=True)
            parts = ", ".join(f"{name} {counted(size, 'row')}" for name, size in sizes)
            seed = "" if split.seed is None else f" (seed {split.seed})"
            self.now.setText(f"Current split: {parts}{seed}.")
        self.form.show_plan(self._plan, case_total(data), data.domain.names, has_files=False)
        text = "Split rows" if self._plan.kind != "none" else "Remove split"
        self.apply.setText(text)
        self.apply.setToolTip(f"{text}; can be undone")

    def _on_plan_requested(self, plan: SplitPlan) -> None:
        self._plan = replace(plan)
        self.show_data(self._app.project.data[self._data_id].data)

    def _on_apply(self) -> None:
        plan, data_id = self._plan, self._data_id
        edit = partial(split_data, data_id=data_id, **asdict(plan))
        name = self._app.project.data[data_id].name
        text = f"Split {name}" if plan.kind != "none" else f"Remove the split of {name}"
        try:
            self._app.document.change(text, edit)
        except PgmStudioError as refusal:
            self.problem.show_text(str(refusal))
            return
        self.problem.show_text("")


Tab = FileTab | TableTab | ColumnsTab | MissingTab | AssociationTab | PossibilityTab | SplitTab


class DataPage(Page):
    """Page of one data set, closed when it is deleted; tabs are created when first shown."""

    icon_name = "table"

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__(f"data:{data_id}")
        self._app, self.data_id = app, data_id
        self._tabs: dict[str, Tab] = {}
        self._is_in_file = isinstance(self.entry.data, ChunkedData)
        self.tabs = Segments(_FILE_TABS if self._is_in_file else _TABS, "dataTabs")
        self.tabs.chosen.connect(self.show_tab)
        self.facts = PlainLine("dataFacts")
        self.facts.elide = Qt.TextElideMode.ElideRight
        self.facts.setMinimumWidth(1)  # buttons first; the inspector has the facts too
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
        self._head = head = row(self.tabs, self.facts, self.compare, self.stepwise)
        head.setContentsMargins(16, 6, 16, 6)
        frame = QFrame()
        frame.setProperty("role", "surface")
        vbox(frame, head, hairline(), (self._stack, 1), spacing=0)
        vbox(self, frame)
        app.document.changed.connect(self._on_document_changed)
        self._refresh_facts()
        if self._is_in_file:
            allow(self.stepwise, ROWS_STAY)
            allow(self.compare, ROWS_STAY)
        self.show_tab("file" if self._is_in_file else "table")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show *Step by step* as an icon only where its text does not fit."""
        super().resizeEvent(event)
        if not self.stepwise.text():
            self.stepwise.setText(self._stepwise_text)
        if self._head.minimumSizeHint().width() > self.width():
            self.stepwise.setText("")

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        text = self.stepwise.fontMetrics().horizontalAdvance(self.stepwise.text())
        head = self._head.minimumSizeHint().width() - text
        return QSize(max(head, self._stack.minimumSizeHint().width()), least.height())

    def about_data(self) -> str | None:
        return self.data_id

    @property
    def title(self) -> str:
        entry = self._app.project.data.get(self.data_id)
        return entry.name if entry is not None else "Data"

    @property
    def entry(self) -> DataEntry:
        return self._app.project.data[self.data_id]

    def show_tab(self, key: str) -> QWidget:
        """Show a tab: table, columns, missing, associations, possibility or split; of a table that
        stays in its file there is one."""
        key = "file" if self._is_in_file else key
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
    def table(self) -> TableTab | None:
        """The rows; None where they stay in a file."""
        tab = self._tabs.get("table")
        assert tab is None or isinstance(tab, TableTab)
        return tab

    def _on_stepwise(self) -> None:
        open_wizard(self._app, self.data_id)

    def _on_compare(self) -> None:
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
    """`303 rows × 14 · 7 cells missing · 296 rows complete`; sets of states are counted apart."""
    missing = sum(data.missing_counts)
    shape = f"{counted(data.row_count, 'row')} × {len(data.domain)}"
    if isinstance(data, ImpreciseData):
        sets = counted(len(data.sets), "set", "sets")
        return f"{shape} · {sets} of states · {counted(missing - len(data.sets), 'cell')} unknown"
    if not missing:
        return f"{shape} · all rows complete"
    complete = data.row_count - data.incomplete_row_count
    return f"{shape} · {counted(missing, 'cell')} missing · {grouped(complete)} rows complete"


def _split_text(names: tuple[str, ...], sizes: tuple[int, ...]) -> str:
    parts = zip(names, sizes, strict=True)
    return "Split: " + ", ".join(f"{name} {counted(size, 'row')}" for name, size in parts)


_MAKERS: dict[str, Callable[[AppContext, str], Tab]] = {
    "file": FileTab,
    "table": TableTab,
    "columns": ColumnsTab,
    "missing": MissingTab,
    "associations": AssociationTab,
    "possibility": PossibilityTab,
    "split": SplitTab,
}


def open_data(app: AppContext, data_id: str, *, split: bool) -> Page:
    return app.open_page(f"data:{data_id}", lambda: DataPage(app, data_id), split=split)


def open_associations(app: AppContext, data_id: str, measure: str, given: str) -> Page:
    """Show the associations of a data set by a measure, within the states of `given`."""
    page = open_data(app, data_id, split=False)
    assert isinstance(page, DataPage)
    tab = page.show_tab("associations")
    assert isinstance(tab, AssociationTab)
    tab.choose(measure, given)
    return page
