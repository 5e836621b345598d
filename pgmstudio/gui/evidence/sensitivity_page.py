"""The sensitivity page: value of information, evidence impact and sensitivity to CPT entries."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.analysis.sensitivity import Span
from pgmstudio.core.analysis.tables import table_text
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.sensitivity_views import (
    VIEWS,
    Detail,
    SensitivityAnswer,
    SensitivityQuery,
)
from pgmstudio.gui.plots.function_plot import FunctionCurve
from pgmstudio.gui.plots.tornado_plot import Tornado, TornadoChart
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, Segments, button, hairline, label, row
from pgmstudio.gui.widgets.combo_box import Combo, offer
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import SelectionMode, Table

REST_MS = 80
MAX_LINES = 5  # lines of details under the chart
_SPANS = (
    (Span.TENTH.name, Span.TENTH.value, "Vary each CPT entry by 10 % of its value"),
    (Span.WHOLE.name, Span.WHOLE.value, "Vary each CPT entry from 0 to 1"),
)


class SensitivityPage(Page):
    """The sensitivity of the target of one model, computed in the background."""

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(f"sensitivity:{model_id}")
        self._app, self._model_id = app, model_id
        self._live = app.workspace.beliefs(model_id)
        self._topic = f"sensitivity-{id(self)}"
        self._answer: SensitivityAnswer | None = None
        self.target = self._choice("sensitivityTarget", "Target", "The target variable.")
        self.state = self._choice("sensitivityState", "State", "The state of the target.")
        self.target.activated.connect(self._on_target_chosen)
        self.state.activated.connect(self._ask)
        tabs = [(key, title, tip) for key, (title, tip, _) in VIEWS.items()]
        self.tabs = Segments(tabs, "sensitivityTabs")
        self.tabs.chosen.connect(self._on_tab)
        self.spans = Segments(_SPANS, "sensitivitySpans")
        self.spans.chosen.connect(self._ask)
        self.as_table = button(
            "Show as table",
            self._on_as_table,
            icon_name="table",
            name="sensitivityAsTable",
            tip="Show this view as a table that can be sorted and copied.",
        )
        export = button(
            "Export CSV…",
            self._on_export,
            icon_name="export",
            name="sensitivityExport",
            tip="Export this view with full precision.",
        )
        self.note = Note(name="sensitivityNote")
        self.summary = label("", "secondary", size="dense", wrap=True)
        self.summary.setObjectName("sensitivitySummary")
        self.chart = TornadoChart("sensitivityChart")
        self.chart.looked_at.connect(self._on_looked_at)
        self.chart.chosen.connect(self._on_chosen)
        self.table = Table(
            "sensitivityTable",
            "All numbers of this view",
            selection=SelectionMode.ExtendedSelection,
            tip="",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self.chart)
        self._stack.addWidget(self.table)
        self.card = DetailCard()
        head = row(label("Target", "secondary"), self.target, label("="), self.state, None, export)
        second = row(self.tabs, None, self.spans, self.as_table)
        header = QWidget()
        inner = QVBoxLayout(header)
        inner.setContentsMargins(16, 10, 16, 8)
        inner.setSpacing(8)
        for part in (head, second, self.note, self.summary):
            inner.addWidget(part)
        frame = QFrame()
        frame.setProperty("role", "surface")
        layout = QVBoxLayout(frame)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(header)
        layout.addWidget(hairline())
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.card)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        self._rest = one_shot(self, self._ask, REST_MS)
        app.document.changed.connect(self._on_document_changed)
        app.workspace.target_changed.connect(self._on_target_changed)
        self._live.changed.connect(self._rest.start)
        self._live.evidence_changed.connect(self._rest.start)
        self._fill_targets()
        self._on_tab(self.tabs.current)

    def _choice(self, name: str, text: str, tip: str) -> QComboBox:
        made = Combo()
        made.setObjectName(name)
        made.setAccessibleName(text)
        made.setToolTip(tip)
        made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        made.setMinimumContentsLength(12)
        return made

    # -- the page

    @property
    def _entry(self) -> ModelEntry | None:
        return self._app.project.models.get(self._model_id)

    @property
    def title(self) -> str:
        entry = self._entry
        return f"Sensitivity of {entry.title}" if entry is not None else "Sensitivity"

    def page_icon(self) -> QIcon:
        return icon("crosshair")

    @property
    def model_id(self) -> str | None:
        return self._model_id

    @property
    def answer(self) -> SensitivityAnswer | None:
        """The shown result; None until it is computed."""
        return self._answer

    def show_tab(self, key: str) -> None:
        """Show a view: ask, findings or numbers."""
        self.tabs.choose(key)
        self._on_tab(key)

    def closed(self) -> None:
        self._rest.stop()
        if self._model_id in self._app.project.models:
            self._live.side.forget(self._topic)

    def _on_document_changed(self, before: object, after: object) -> None:
        entry = self._entry
        if entry is None:
            QTimer.singleShot(0, self, self._leave)
            return
        self.title_changed.emit()
        self._fill_targets()
        self._rest.start()

    def _leave(self) -> None:
        self._app.center.close_page(self)

    # -- target

    def _fill_targets(self) -> None:
        entry = self._entry
        if entry is None:
            return
        wanted, state = self.target.currentData(), self.state.currentText()
        names = entry.model.domain.names
        if wanted not in names:
            wanted = self._app.workspace.target
        if wanted not in names:
            open_ones = [name for name in names if name not in self._live.evidence]
            chosen = [name for name in self._app.workspace.selection.nodes if name in open_ones]
            wanted = next(iter([*chosen, *open_ones, *names]), None)
        offer(self.target, {name: entry.node_titles.get(name, name) for name in names}, wanted)
        self._fill_states(state)

    def _fill_states(self, wanted: str) -> None:
        entry, name = self._entry, self.target.currentData()
        self.state.clear()
        if entry is not None and name in entry.model.domain:
            self.state.addItems(entry.model.domain[name].states)
            self.state.setCurrentIndex(max(0, self.state.findText(wanted)))

    def _on_target_chosen(self) -> None:
        self._fill_states(self.state.currentText())
        self._app.workspace.set_target(self.target.currentData())
        self._ask()

    def _on_target_changed(self, name: str | None) -> None:
        position = self.target.findData(name)
        if name is not None and position >= 0 and position != self.target.currentIndex():
            self.target.setCurrentIndex(position)
            self._fill_states(self.state.currentText())
            self._rest.start()

    def _on_tab(self, key: str) -> None:
        self.spans.setVisible(key == "numbers")
        self.card.has_curve(key == "numbers")
        self._ask()

    def _ask(self, *_: object) -> None:
        entry = self._entry
        if entry is None or self._live.model is not entry.model:
            return
        if self._live.error is not None or not self.state.count():
            self._show_problem(str(self._live.error or "This model has no variable."))
            return
        name, state = str(self.target.currentData()), self.state.currentText()
        span = Span[self.spans.current]
        query = SensitivityQuery(
            entry.model, entry.node_titles, self._live.evidence, name, state, span
        )
        view = VIEWS[self.tabs.current][2]
        self._live.side.ask(self._topic, partial(view, query), self._on_answer, self._on_error)

    def _on_error(self, error: PgmStudioError) -> None:
        self._show_problem(str(error))

    def _show_problem(self, message: str) -> None:
        self.note.show_text(message, "warning")
        self._answer = None
        self.summary.setText("")
        self.chart.show_tornado(Tornado())
        self.table.show_columns([])
        self.card.show_detail(None)

    # -- showing

    def _on_answer(self, result: SensitivityAnswer) -> None:
        self._answer = result
        self.note.show_text("")
        self.summary.setText(result.summary)
        self.chart.show_tornado(result.tornado)
        self.table.show_cells(result.cells)
        self._on_looked_at(self.chart.current or "")

    def _on_looked_at(self, key: str) -> None:
        self.card.show_detail(None if self._answer is None else self._answer.details.get(key))

    def _on_chosen(self, key: str) -> None:
        result = self._answer
        if result is not None and key in result.details:
            self._on_looked_at(key)
            self._app.workspace.select((result.details[key].variable,))

    def _on_as_table(self) -> None:
        to_table = self._stack.currentWidget() is self.chart
        self._stack.setCurrentWidget(self.table if to_table else self.chart)
        self.as_table.setText("Show as chart" if to_table else "Show as table")
        self.card.setVisible(not to_table)

    # -- export

    def _on_export(self) -> None:
        if self._answer is None:
            return
        name = f"{self.target.currentData()}-{self.tabs.current}.csv"
        path, _ = QFileDialog.getSaveFileName(
            self, "Export sensitivity", name, "CSV (*.csv);;TSV (*.tsv)"
        )
        if path:
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write all numbers of the view; tabs for .tsv, commas otherwise."""
        if self._answer is None:
            return
        text = table_text(self._answer.cells, "\t" if path.suffix == ".tsv" else ",")
        try:
            self._app.write_csv(path, text)
        except (OSError, PgmStudioError) as error:
            self._app.errors.report(PgmStudioError(f"{path.name} cannot be written: {error}."))
            return
        self._app.notify(
            f"{path.name} was written with {counted(len(self._answer.cells) - 1, 'row')}."
        )


class DetailCard(QFrame):
    """The details of the chosen row: text and curve."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("sensitivityCard")
        self.heading = label("", "heading", size="dense", wrap=True)
        self.heading.setObjectName("sensitivityHeading")
        self.lines = label("", "secondary", size="dense", wrap=True)
        self.lines.setObjectName("sensitivityLines")
        self.curve = FunctionCurve("sensitivityCurve")
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(self.heading)
        column.addWidget(self.lines)
        column.addStretch(1)
        inside = QHBoxLayout()
        inside.setContentsMargins(16, 10, 16, 10)
        inside.setSpacing(16)
        inside.addLayout(column, 3)
        inside.addWidget(self.curve, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(hairline())
        layout.addLayout(inside)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self.setFixedHeight(round(152 * theme().scale))

    def has_curve(self, has: bool) -> None:
        self.curve.setVisible(has)

    def show_detail(self, result: Detail | None) -> None:
        self.heading.setText("" if result is None else result.heading)
        lines = [] if result is None else list(result.lines)
        if len(lines) > MAX_LINES:
            lines[MAX_LINES - 1 :] = [f"and {len(lines) - MAX_LINES + 1} more states"]
        self.lines.setText("\n".join(lines))
        self.curve.show_curve(None if result is None else result.curve)
