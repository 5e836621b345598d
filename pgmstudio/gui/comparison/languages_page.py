"""The comparison page: learn one model of each language and compare them on the same rows."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.experiments.comparison_rows import Line, lines_of, planned_lines
from pgmstudio.core.experiments.language_comparison.results import (
    METHOD,
    LanguageTable,
    reproduction_message,
    table_csv,
    table_json,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.json_documents import exported_json
from pgmstudio.core.languages.run_checks import unused_rules
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.edits import Edit, InOrder, add_comparison, add_model
from pgmstudio.core.project.project import (
    ComparisonEntry,
    ModelEntry,
    Project,
    plain,
    rows_in_memory,
)
from pgmstudio.gui.comparison.comparison_run import (
    ComparisonRun,
    ComparisonSettings,
    VariablesRun,
    part_counts,
    progress_text,
    provenance_of,
)
from pgmstudio.gui.comparison.detail_tabs import DetailTabs
from pgmstudio.gui.comparison.setup_form import CompareSetup
from pgmstudio.gui.comparison.table import CompareTable, legend_text
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import add_and_show_model, close_welcome, open_model_page
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    allow,
    button,
    hairline,
    hbox,
    label,
    named,
    progress_bar,
    row,
    scrolled,
    tool_button,
    vbox,
    widening,
)
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.image_file import Drawing
from pgmstudio.gui.widgets.page import Page
from pgmstudio.version import __version__

KEY = "compare-languages"
NO_DATA = "import data first (Ctrl+I)."
FEWEST = 2
_ROOMY_HEIGHT, _ROOMY_WIDTH = 640, 960  # px


class ComparisonExports(QObject):
    """Exports of the comparison shown last."""

    def __init__(self, app: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._app, self._parent = app, parent
        self._run: ComparisonRun | None = None
        self._data_id: str | None = None
        self._data_name = ""
        self._opened: dict[str, str] = {}  # model ids by the key of their point

    def show(self, run: ComparisonRun, data_id: str | None, data_name: str) -> None:
        self._run, self._data_id, self._data_name = run, data_id, data_name

    @property
    def table(self) -> LanguageTable | None:
        snapshot = None if self._run is None else self._run.snapshot
        return None if snapshot is None else snapshot.table

    @property
    def _known_data(self) -> str | None:
        return self._data_id if self._data_id in self._app.project.data else None

    # -- models

    def open_language(self, title: str) -> None:
        """Open the model of a language as a model of the project."""
        if self.table is not None:
            self.open_point(self.table.row(title).point)

    def open_point(self, point: CurvePoint | None) -> None:
        """Open the model of a point, or show it if it is open."""
        if point is None or point.model is None:
            return
        known = self._opened.get(point.key)
        if known is not None and known in self._app.project.models:
            open_model_page(self._app, known)
            return
        entry = self._entry(point)
        model_id = add_and_show_model(self._app, entry, f"Open {entry.title}")
        if model_id is not None:
            self._opened[point.key] = model_id

    def _entry(self, point: CurvePoint) -> ModelEntry:
        assert point.model is not None
        rows = None if self._run is None else self._run.rows
        provenance: dict[str, Any] = {
            "made by": "Compare languages",
            "learner": point.learner,
            "parameters": plain(dict(point.parameters)),
            "seed": point.seed,
            "data": "" if rows is None else rows.fingerprint,
            "version": __version__,
            "seconds": round(point.seconds, 3),
        }
        return ModelEntry(
            point.series, point.model, data_id=self._known_data, provenance=provenance
        )

    def keep(self) -> None:
        """Add all models of the table and the comparison to the project in one step."""
        if self.table is None:
            return
        points = [row.point for row in self.table.ranked if row.point is not None]
        entries = {p.key: self._entry(p) for p in points if p.model is not None}
        project = self._app.project
        model_ids = {k: self._opened[k] for k in entries if self._opened.get(k) in project.models}
        steps: list[Edit] = []
        for key, entry in entries.items():
            if key not in model_ids:
                model_ids[key] = project.next_model_id()
                steps.append(partial(add_model, entry=entry))
                project = steps[-1](project)
        members = tuple(model_ids[key] for key in entries)
        comparison = ComparisonEntry("Languages", members, self._known_data)
        steps.append(partial(add_comparison, entry=comparison))
        if self._app.change("Add the models of all languages", InOrder(tuple(steps))):
            self._opened.update(model_ids)
            self._app.notify(f"{counted(len(entries), 'model')} added to the project.", undo=True)

    # -- tables

    def copy(self) -> None:
        """Copy the table as text."""
        if self.table is not None:
            QApplication.clipboard().setText(table_csv(self.table))

    def ask_for_file(self) -> None:
        kinds = "Table (*.csv);;All results (*.json)"
        title, offered = "Export comparison", "languages.csv"
        ask_where(self._parent, title, offered, kinds, self.export)

    def export(self, path: Path) -> None:
        """Write the table as CSV, or with all pairs and the settings as JSON."""
        table, run = self.table, self._run
        if table is None or run is None or run.rows is None:
            return
        if path.suffix.lower() not in (".csv", ".json"):
            text = f"“{path.suffix}” is not a supported format. Use .csv or .json."
            self._app.errors.report(FileError(path, f"{text} For a page use File ▸ Report."))
            return
        if path.suffix.lower() == ".json":
            about = {
                "data": self._data_name,
                "fingerprint": run.rows.fingerprint,
                "seeds": list(run.settings.all_seeds),
                "smoothing": run.settings.smoothing,
                "budget": run.settings.budget.seconds,
                "budget_per": run.settings.budget.per,
            }
            text = exported_json(table_json(table, about))
        else:
            text = table_csv(table)
        self._app.export_file(path, text.encode())


class CompareBar(QWidget):
    """Toolbar that sends requests as signals; the page enables its buttons."""

    open_requested = Signal()
    stop_requested = Signal()
    keep_requested = Signal()
    copy_requested = Signal()
    export_requested = Signal()
    settings_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.settings = tool_button(
            "sliders-horizontal",
            "Rows, languages and time of the comparison",
            self.settings_requested.emit,
            name="compareSettings",
        )
        self.facts = named(ElidedLabel(), "compareFacts")
        self.against = ChoiceBox("compareAgainst", "Reference language of the differences")
        self.ender = button(
            "Stop language",
            self.stop_requested.emit,
            icon_name="stop",
            name="compareStopOne",
            tip="Stop the selected language and keep its best model so far.",
        )
        self.opener = button(
            "Open model",
            self.open_requested.emit,
            icon_name="arrow-square-out",
            name="compareOpen",
            tip="Open the model of the selected language in the project.",
        )
        self.keeper = button(
            "Add all to project",
            self.keep_requested.emit,
            icon_name="push-pin",
            name="compareKeep",
            tip="Add the models of all languages and this comparison to the project.",
        )
        self.exporter = button(
            "Export…",
            self.export_requested.emit,
            icon_name="export",
            name="compareExport",
            tip="Export the table as CSV, or with all pairs as JSON, with all digits.",
        )
        copy_tip = "Copy the table as comma-separated text"
        self.copier = tool_button("copy", copy_tip, self.copy_requested.emit, name="compareCopy")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 6, 12, 6)
        layout.setSpacing(8)
        layout.addWidget(self.settings)
        layout.addWidget(self.facts, 1)
        for tool in (self.against, self.ender, self.opener, self.keeper):
            layout.addWidget(tool)
        layout.addWidget(self.copier)
        layout.addWidget(self.exporter)

    def show_lines(self, lines: list[Line], line: Line | None, is_running: bool) -> None:
        """Enable the buttons for these lines and the selected one."""
        known = any(one.row.compared is not None for one in lines)
        self.ender.setVisible(is_running)
        self.keeper.setVisible(not is_running)
        has_model = line is not None and line.row.point is not None
        is_learning = line is not None and line.row.state == "learning"
        allow(self.opener, None if has_model else "select a language that has a model.")
        allow(self.ender, None if is_learning else "select a language that is being learned.")
        for tool in (self.keeper, self.exporter, self.copier):
            allow(tool, None if known else "compare languages first.")

    def show_against(self, lines: list[Line], reference: str | None) -> None:
        """Offer the languages that have a model, and the best one."""
        known = [line.title for line in lines if line.row.compared is not None]
        texts = {"": "against the best", **{title: f"against {title}" for title in known}}
        self.against.show_choices(texts, reference or "")
        self.against.setEnabled(bool(known))


class ComparePage(Page):
    """Page of one comparison at a time; its table is shown until the tab is closed."""

    fixed_title = "Compare languages"
    icon_name = "scales"
    stands_alone = True

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app = app
        self.run: ComparisonRun | None = None
        self._variables: VariablesRun | None = None
        self._before: LanguageTable | None = None  # the table to reproduce
        self._reference: str | None = None  # None: the best
        self._selected = ""
        self._made = ""
        self._shows_settings = True  # shown in a narrow page instead of both panes
        self.setup = CompareSetup()
        self.table = CompareTable()
        self.panes = DetailTabs(app)
        self.head = CompareBar()
        self.exports = ComparisonExports(app, self)
        self.note = Note(name="compareVerdict")
        self.progress_label = named(ElidedLabel("", "secondary"), "compareProgressText")
        self.bar = progress_bar("compareBar", "Progress of the comparison", 160)
        self._splits = LatestTask(self, self._on_split, self._on_split_failed)
        self._clock = QTimer(self)  # updates the elapsed time between messages
        self._clock.setInterval(500)
        # A layout that is being applied does not take up another height.
        self._fit_soon = one_shot(self, self._fit_table)
        self._clock.timeout.connect(self._refresh_progress)
        self._lay_out()
        self._connect()
        self._fill_data()
        self._refresh()

    def _lay_out(self) -> None:
        self._progress = widening(row(self.bar, self.progress_label), 1)
        self._progress.setContentsMargins(16, 2, 16, 4)
        self._legend = label("", "tertiary", size="dense", wrap=True)
        self._legend.setContentsMargins(16, 2, 16, 4)
        self._verdict = verdict = QWidget()
        vbox(verdict, self.note, margins=(16, 0, 16, 6))
        self._results = right = QFrame()
        right.setProperty("role", "surface")
        self._upper = upper = QVBoxLayout(right)
        upper.setContentsMargins(0, 0, 0, 0)
        upper.setSpacing(0)
        lines = QWidget()
        vbox(lines, self.table, margins=(8, 0, 8, 0))
        for part in (self.head, hairline(), self._progress, lines, self._legend, verdict):
            upper.addWidget(part)
        upper.addWidget(hairline())
        upper.addWidget(self.panes, 1)
        self._side = scrolled(self.setup, "compareSide")
        hbox(self, self._side, (right, 1), spacing=0)
        theme().changed.connect(self._fold)
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In a low window the plots need the space; the headers' tooltips have the same text.
        self._legend.setVisible(self.height() >= _ROOMY_HEIGHT * theme().scale)
        self._fold()
        self._fit_soon.start()

    def _fit_table(self) -> None:
        """The table has what the parts around it, and its details, leave of the height."""
        width = self._results.width()
        others = (self.head, self._progress, self._legend, self._verdict)
        taken = sum(
            part.heightForWidth(width) if part.hasHeightForWidth() else part.sizeHint().height()
            for part in others
            if part.isVisibleTo(self._results)
        )
        hairlines = 2
        details = self.panes.minimumSizeHint().height()
        self.table.fit_into(self.height() - taken - details - hairlines)

    def _fold(self) -> None:
        """Show settings and results side by side, or one of them in a narrow page."""
        is_narrow = self.width() < _ROOMY_WIDTH * theme().scale
        self._side.setVisible(not is_narrow or self._shows_settings)
        self._results.setVisible(not is_narrow or not self._shows_settings)
        self.head.settings.setVisible(is_narrow)
        self.setup.results.setVisible(is_narrow)
        # The longest title of a language decides where it needs more than the usual width.
        wide = max(theme().px("left"), self.setup.minimumSizeHint().width())
        self._side.setMinimumWidth(0 if is_narrow else wide)
        self._side.setMaximumWidth(self.width() if is_narrow else wide)

    def _show_settings(self) -> None:
        self._shows_settings = True
        self._fold()

    def _show_results(self) -> None:
        self._shows_settings = False
        self._fold()

    def _connect(self) -> None:
        self.setup.changed.connect(self._on_setup)
        self.setup.start_requested.connect(self.start)
        self.setup.stop_requested.connect(self.stop)
        self.setup.again_requested.connect(self.reproduce)
        self.setup.results_requested.connect(self._show_results)
        self.head.settings_requested.connect(self._show_settings)
        self.table.selected.connect(self._on_selected)
        self.table.chosen.connect(self._on_open)
        self.panes.language_selected.connect(self.table.select_key)
        self.panes.chosen.connect(self.exports.open_language)
        self.panes.point_chosen.connect(self.exports.open_point)
        self.head.against.picked.connect(self._on_against)
        self.head.open_requested.connect(self._on_open)
        self.head.stop_requested.connect(self._on_stop_one)
        self.head.keep_requested.connect(self.exports.keep)
        self.head.copy_requested.connect(self.exports.copy)
        self.head.export_requested.connect(self.exports.ask_for_file)
        self._app.document.changed.connect(self._on_document)

    # -- the page

    def drawing(self) -> Drawing | None:
        return self.panes.drawing(self.title)

    def about_data(self) -> str | None:
        return self.setup.data_id

    def data_facts(self) -> str | None:
        rows = None if self.run is None else self.run.rows
        if rows is None:
            return None
        parts = " / ".join(grouped(count) for count in (rows.train, rows.valid, rows.test))
        return f"split {parts}"

    def closed(self) -> None:
        self._clock.stop()
        self._splits.forget()
        if self.run is not None:
            self.run.stop()
        if self._variables is not None:
            self._variables.stop()

    # -- data

    def choose_data(self, data_id: str) -> None:
        """Select a data set unless a comparison is running."""
        if not self._is_running and data_id in self._app.project.data:
            self._fill_data(data_id)
            self._refresh()

    def _fill_data(self, data_id: str | None = None) -> None:
        names = {key: entry.name for key, entry in rows_in_memory(self._app.project).items()}
        chosen = data_id or self.setup.data_id
        self.setup.data.show_choices(names, chosen if chosen in names else next(iter(names), None))
        self._ask_split()

    def _on_document(self, before: Project, after: Project) -> None:
        if before.data is not after.data:
            self._fill_data()
            self._refresh()
        elif before.knowledge is not after.knowledge:
            self._ask_split()

    def _on_setup(self) -> None:
        self._ask_split()
        self._refresh()

    def _ask_split(self) -> None:
        entry = self._app.project.data.get(self.setup.data_id or "")
        if entry is None:
            self.setup.rows.setText("There is no data set. Import one first (Ctrl+I).")
            return
        chosen = self.setup.settings()
        ask = partial(part_counts, entry.data, entry.split, chosen.seed, chosen.splits)
        self._splits.ask(ask)

    def _on_split(self, counts: tuple[int, int, int, int]) -> None:
        train, valid, test = (grouped(count) for count in counts[:3])
        often = f", in each of {counts[3]} splits" if counts[3] > 1 else ""
        text = f"{train} training, {valid} validation and {test} test rows{often}"
        rules = unused_rules(self._app.project.knowledge, "a comparison")
        self.setup.rows.setText(f"{text}. {rules}" if rules else text)

    def _on_split_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.setup.rows.setText(str(error))
        else:
            self._app.errors.report(error)

    # -- the run

    @property
    def _is_running(self) -> bool:
        return self.run is not None and not self.run.state.is_end

    def disabled_reason(self) -> str | None:
        """Why a comparison cannot be started, or None."""
        if self._is_running:
            return "a comparison is running."
        if self.setup.data_id not in self._app.project.data:
            return NO_DATA
        if len(self.setup.settings().languages) < FEWEST:
            return "select at least two languages."
        return None

    def start(self) -> None:
        """Start the comparison with the current settings."""
        if self.disabled_reason() is None:
            self._before = None
            self._begin(self.setup.settings())

    def reproduce(self) -> None:
        """Run the same comparison again and report whether the results are equal."""
        table = self._table
        if self.run is not None and not self._is_running and table is not None:
            self._before = table
            self._begin(self.run.settings)

    def _begin(self, settings: ComparisonSettings) -> None:
        entry = self._app.project.data[self.setup.data_id or ""]
        for old in (self.run, self._variables):
            if old is not None:
                old.stop()
                old.deleteLater()
        self._variables = None
        self.panes.show_variables({}, False)
        self.setup.outcome.show_text("")
        self._made = f"today, {datetime.now():%H:%M}"
        self.run = ComparisonRun(entry.data, entry.split, settings, self)
        self.run.changed.connect(self._refresh)
        self.run.rows_known.connect(self.facts_changed)
        self.run.ended.connect(self._on_ended)
        self.run.failed.connect(self._app.errors.report)
        self.exports.show(self.run, self.setup.data_id, entry.name)
        self._app.workspace.background_runs.add(self.run)
        self.run.start()
        self._clock.start()
        self._show_results()
        self._refresh()

    def stop(self) -> None:
        """Stop the comparison; languages keep their models so far."""
        if self.run is not None:
            self.run.stop()

    def _on_stop_one(self) -> None:
        line = self.table.current_row
        if self.run is not None and line is not None:
            self.run.stop_language(line.title)
            self.head.ender.setEnabled(False)

    def _on_ended(self) -> None:
        self._clock.stop()
        table = self._table
        if self.run is None or table is None or self.run.rows is None:
            return
        if self._before is not None:
            self.setup.outcome.show_text(*reproduction_message(self._before, table))
            self._before = None
        splits = table.models_by_split()
        if len(splits[0]) >= FEWEST:
            tested = list(zip(splits, self.run.rows.tests, strict=False))
            self._variables = VariablesRun(tested, self)
            self._variables.changed.connect(self._on_variables)
            self._variables.failed.connect(self._app.errors.report)
            self._variables.start()

    @property
    def is_settled(self) -> bool:
        """Whether no part of the comparison is running."""
        return not self._is_running and (self._variables is None or self._variables.state.is_end)

    def _on_variables(self) -> None:
        if self._variables is not None:
            is_busy = not self._variables.state.is_end
            self.panes.show_variables(self._variables.bits_by_model, is_busy)

    # -- showing

    @property
    def _table(self) -> LanguageTable | None:
        snapshot = None if self.run is None else self.run.snapshot
        return None if snapshot is None else snapshot.table

    def _on_against(self, key: object) -> None:
        self._reference = str(key) or None
        self._refresh()

    def _on_selected(self, number: int) -> None:
        self._selected = self.table.rows[number].title
        self._refresh()

    def _on_open(self, *_: object) -> None:
        if self.table.current_row is not None:
            self.exports.open_language(self.table.current_row.title)

    def _refresh(self) -> None:
        run, table = self.run, self._table
        lines: list[Line] = []
        verdict_text = ""
        if table is not None and run is not None and run.snapshot is not None:
            known = {} if table.comparison is None else table.comparison.row_log2
            if self._reference not in known:
                self._reference = None
            lines = lines_of(table, self._reference)
            verdict_text = run.snapshot.verdict
        self.table.show_rows(lines or planned_lines(self.setup.settings().languages))
        points = () if run is None or run.snapshot is None else run.snapshot.points
        self.panes.show_comparison(table, points, lines, self._selected)
        is_whole = bool(lines) and all(line.row.is_over for line in lines)
        is_whole = is_whole and not self._is_running  # further splits may follow
        text = verdict_text if is_whole or not verdict_text else f"So far: {verdict_text}"
        level = "info"
        if is_whole and table is not None:
            level = "warning" if table.left_out else "success"
        self.note.show_text(text, level)
        self.head.show_against(lines, self._reference)
        self.head.show_lines(lines, self.table.current_row, self._is_running)
        self._legend.setText(legend_text(lines, METHOD if table is None else table.method))
        self._refresh_facts(lines)
        self._refresh_progress()
        self._show_setup(lines)
        self._fit_soon.start()

    def _refresh_facts(self, lines: list[Line]) -> None:
        run = self.run
        if run is None or run.rows is None or not lines:
            self.head.facts.setText("Which language is best?")
            self.setup.show_facts({})
            return
        rows = counted(run.rows.test, "test row")
        self.head.facts.setText(f"{counted(len(lines), 'language')} on the same {rows}")
        self.head.facts.brief = counted(len(lines), "language")
        self.setup.show_facts(provenance_of(run, self.setup.data.currentText(), self._made))

    def _refresh_progress(self) -> None:
        run = self.run
        self._progress.setVisible(run is not None)
        if run is None:
            return
        self.bar.setVisible(self._is_running)
        self.bar.setValue(round(1000 * (run.progress.fraction or 0.0)))
        self.progress_label.setText(progress_text(run))

    def _show_setup(self, lines: list[Line]) -> None:
        can_stop = self.run is not None and self.run.state is JobState.RUNNING
        known = any(line.row.compared is not None for line in lines)
        self.setup.show_state(self._is_running, self.disabled_reason(), can_stop, known)


def open_comparison(app: AppContext, data_id: str | None = None) -> ComparePage:
    """Open the comparison page for a data set, by default that of the current page."""
    page = app.center.current
    data_id_to_show = data_id or (None if page is None else page.about_data())
    close_welcome(app)
    page = app.open_page(KEY, partial(ComparePage, app))
    assert isinstance(page, ComparePage)
    if data_id_to_show is not None:
        page.choose_data(data_id_to_show)
    return page
