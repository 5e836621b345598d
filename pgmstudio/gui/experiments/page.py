"""The page of published experiments: run one again and compare with the published values."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QListWidgetItem,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.errors import named as named_in
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.execution.events import Note as RunNote
from pgmstudio.core.experiments.sl_curves.sweep import Sweep
from pgmstudio.core.number_format import counted, decimal, signed
from pgmstudio.core.params import params_to_dict, parse_params
from pgmstudio.core.project.edits import add_data
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.experiments.study_view import StudyView
from pgmstudio.gui.experiments.where_to_run import WhereToRun
from pgmstudio.gui.jobs.background_run import BackgroundRun
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.navigation import add_and_show_model, close_welcome, open_data_page
from pgmstudio.gui.plots.scan_plots import SweepLinesPlot
from pgmstudio.gui.project import preferences
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    allow,
    button,
    hbox,
    label,
    named,
    progress_bar,
    row,
    scrolled,
    vbox,
    widening,
)
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import ask_where, choose_folder
from pgmstudio.gui.widgets.keyed_list import KEY, KeyedList
from pgmstudio.gui.widgets.number_box import whole_box
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.param_form import ParamForm
from pgmstudio.gui.widgets.table import Column, Table
from pgmstudio.gui.widgets.two_lines import FACTS, TwoLines
from pgmstudio.studies.published_index import PUBLICATIONS, publication_of
from pgmstudio.studies.recipe import (
    Measured,
    Recipe,
    TableRow,
    in_order,
    sweep_of,
    table_csv,
    table_of,
    without_curve_points,
)
from pgmstudio.studies.recipe_data import (
    absent_files,
    changed_files_note,
    data_folder,
    no_data_reason,
    read_sources,
)
from pgmstudio.studies.recipe_task import RecipeTask
from pgmstudio.studies.registry import RECIPES
from pgmstudio.studies.sl_study import STUDIES, Study

EXPERIMENTS: Mapping[str, Recipe | Study] = {**RECIPES, **STUDIES}

_LIST_FRACTION = 0.28  # of the page, that the list may have
_COLUMNS = (
    Column("Measured", str, tip="What is measured."),
    Column("Published", str, True, tip="Published value, with its ± if it has one."),
    Column("Obtained", str, True, tip="Mean ± standard deviation over the trials so far."),
    Column(
        "Difference",
        str,
        True,
        tip="Obtained minus published.",
        explains="Difference (published)",
    ),
    Column("Trials", str, True, tip="Number of trials."),
    Column("Note", str, stretches=True, tip="Note on the published value."),
)
_VIEWS = (
    ("table", "Table", "Published and obtained values."),
    ("curves", "Curves", "Measured values against a parameter, with their spread over the trials."),
)


def _number_text(value: float | None, digits: int, *, is_difference: bool = False) -> str:
    if value is None or math.isnan(value):
        return ""
    return signed(value, digits) if is_difference else decimal(value, digits)


def cells_of(row: TableRow) -> tuple[str, ...]:
    """Texts of a row of the table."""
    quantity, digits = row.quantity, row.quantity.digits
    return (
        quantity.title,
        _with_spread(quantity.published, quantity.spread, digits),
        "\u2002" + _with_spread(row.obtained, row.spread, digits),  # space between two numbers
        _number_text(row.difference, digits, is_difference=True),
        str(row.trials or ""),
        quantity.note,
    )


def _with_spread(value: float | None, spread: float | None, digits: int) -> str:
    return _number_text(value, digits) + (
        "" if spread is None else f" ± {_number_text(spread, digits)}"
    )


class RecipeView(QWidget):
    """View of the selected experiment; the page adds the buttons."""

    def __init__(self, commands: Sequence[QWidget], exports: Sequence[QWidget]) -> None:
        """`commands`: run, stop and settings buttons; `exports`: those of the results."""
        super().__init__()
        self._title = label("", "heading", size="title", name="recipeTitle")
        self._source = label("", "tertiary", size="dense")
        self._help = label("", "secondary", wrap=True)
        self.note = Note(level="warning", name="recipeNote")
        self.bar = progress_bar("recipeBar", "Progress of the experiment", 160)
        self.progress_label = named(ElidedLabel("", "secondary"), "recipeProgress")
        self.trials = named(
            QComboBox(), "recipeTrials", "Trial", "Trial whose model or rows are opened."
        )
        self.trials.setMinimumContentsLength(10)
        self.trials.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._forms: dict[str, ParamForm] = {}
        self._shown: ParamForm | None = None
        self._reasons: tuple[str, ...] = ()
        tip = "The same seed gives the same table."
        self.seed = whole_box("recipeSeed", "Seed", tip, 0, 999_999_999)
        self.where = WhereToRun("recipe")
        self.settings = self._settings()
        self.table = Table("recipeTable", "Published and obtained values", _COLUMNS)
        self.views = Segments(_VIEWS, "recipeViews")
        self.views.chosen.connect(self._on_view)
        self.plot = SweepLinesPlot("recipePlot")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.plot)
        self._why = label("", "secondary", size="dense", wrap=True, name="recipeWhy")
        self._why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._why.setAlignment(Qt.AlignmentFlag.AlignTop)
        going = widening(row(*commands, self.bar, self.progress_label), len(commands) + 1)
        inner = QVBoxLayout(self)
        inner.setContentsMargins(16, 12, 16, 10)
        inner.setSpacing(8)
        inner.addWidget(row(self._title, self._source, None))
        for part in (self._help, self.note, going, self.settings):
            inner.addWidget(part)
        inner.addWidget(self.views, 0, Qt.AlignmentFlag.AlignRight)
        inner.addWidget(self._stack, 1)
        inner.addWidget(self._why)
        inner.addWidget(row(self.trials, *exports[:-1], None, exports[-1]))
        self.show_progress("", None)

    def _settings(self) -> QWidget:
        content = QWidget()
        self._holder = QVBoxLayout()
        vbox(
            content,
            row(label("Seed", "secondary"), self.seed, self.where, None),
            self._holder,
            None,
            spacing=6,
        )
        area = scrolled(content, "recipeSettings")
        area.setMaximumHeight(theme().px("row") * 8)
        area.hide()
        return area

    def show_recipe(self, recipe: Recipe) -> None:
        """Show another experiment with the parameters entered last."""
        self._title.setText(recipe.title)
        self._source.setText(recipe.place)
        self._help.setText(f"{recipe.help} Takes {recipe.takes}.")
        self._reasons = recipe.why
        self.views.setVisible(recipe.curves is not None)
        self.show_view("curves" if recipe.curves is not None and not recipe.quantities else "table")
        self.show_notes(())
        if self._shown is not None:
            self._shown.hide()
        if recipe.key not in self._forms:
            self._forms[recipe.key] = form = ParamForm(recipe.params_type)
            self._holder.addWidget(form)
        self._shown = self._forms[recipe.key]
        self._shown.show()

    def show_notes(self, notes: Sequence[str]) -> None:
        """Show why values differ, and the notes of the run."""
        notes_shown = (*self._reasons, *notes)
        self._why.setText("\n".join(f"· {note}" for note in notes_shown))

    def toggle_settings(self) -> None:
        """Show or hide the parameters, which replace the notes below."""
        shown = not self.settings.isVisibleTo(self)
        self.settings.setVisible(shown)
        self._why.setVisible(not shown)

    def params(self) -> Any | None:
        """The current parameters; None if a value is invalid, which is then shown."""
        params = None if self._shown is None else self._shown.params()
        if params is None and not self.settings.isVisibleTo(self):
            self.toggle_settings()
        return params

    def set_locked(self, locked: bool) -> None:
        """Disable the parameters while the experiment runs."""
        if self._shown is not None:
            self._shown.set_locked(locked)
        self.seed.setEnabled(not locked)
        self.where.setEnabled(not locked)

    def show_view(self, key: str) -> None:
        """Show the table, or the curves if the experiment has some."""
        self.views.choose(key)
        self._on_view(key)

    def _on_view(self, key: str) -> None:
        self._stack.setCurrentIndex([view[0] for view in _VIEWS].index(key))

    def show_curves(self, sweep: Sweep | None) -> None:
        if sweep is not None:
            self.plot.show_sweep(sweep)

    def show_table(self, rows: tuple[TableRow, ...]) -> None:
        self.table.show_rows([cells_of(row) for row in rows])

    def show_trials(self, opened: list[Measured]) -> None:
        """Set the trials that can be opened; select the newest unless the user chose one."""
        names = [
            f"Trial {event.trial + 1}" + (f", {event.name}" if event.name else "")
            for event in opened
        ]
        there = [self.trials.itemText(index) for index in range(self.trials.count())]
        if names == there:
            return
        follows = self.trials.currentIndex() == self.trials.count() - 1
        chosen = self.trials.currentText()
        self.trials.clear()
        self.trials.addItems(names)
        if follows or chosen not in names:
            self.trials.setCurrentIndex(len(names) - 1)
        else:
            self.trials.setCurrentText(chosen)

    def show_progress(self, progress_label: str, fraction: float | None) -> None:
        """Show the progress; None hides the bar."""
        self.progress_label.setText(progress_label)
        self.progress_label.setToolTip(progress_label)
        self.bar.setVisible(fraction is not None)
        self.bar.setValue(round(1000 * (fraction or 0.0)))


class RecipeRun(BackgroundRun):
    """Experiment in separate processes; when stopped, the trials so far are preserved.

    Those that are finished are also saved in a file, with which the next run continues.
    """

    def __init__(
        self,
        recipe: Recipe,
        params: Any,
        seed: int,
        folder: Path | None,
        where: WhereToRun,
        parent: QObject,
    ) -> None:
        super().__init__(self._events, Progress(0.0, "starting"), parent)
        self.recipe, self.params, self.seed = recipe, params, seed
        self._processes, self._cluster = where.processes.value(), where.address
        self._saved = _file_of_trials(recipe.key)
        self.measured: list[Measured] = []
        self.notes: list[str] = []
        self._folder = folder

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        sources = read_sources(self.recipe, self._folder)
        if note := changed_files_note(self.recipe, self._folder):
            yield RunNote(note)
        task = RecipeTask(
            self.recipe.key,
            self.params,
            self.seed,
            sources,
            processes=self._processes,
            cluster=self._cluster,
            saved=self._saved,
        )
        yield from in_process(task, cancel)

    @property
    def table(self) -> tuple[TableRow, ...]:
        """Published and obtained values over the trials so far."""
        return table_of(self.recipe, self.measured)

    @property
    def opened(self) -> list[Measured]:
        """The trials whose model can be opened, in the order of the trials."""
        return [event for event in in_order(self.measured) if event.model is not None]

    def _take(self, events: Sequence[object]) -> None:
        for event in events:
            match event:
                case RunNote(message):
                    self.notes.append(message)
                case Measured():
                    self.measured.append(event)


def _file_of_trials(key: str) -> Path | None:
    """Where finished trials are saved; None if nothing can be written there."""
    folder = preferences.preferences_folder() / "experiments"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{key}.jsonl" if os.access(folder, os.W_OK) else None


class RecipeList(KeyedList):
    """List of experiments by source: title, duration, and whether the data are available."""

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__("recipeList", "Experiments", "Choose an experiment.")
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setItemDelegate(TwoLines(self))
        self._states: dict[str, str] = {}
        for publication in PUBLICATIONS.values():
            experiments = [
                one for one in EXPERIMENTS.values() if publication_of(one.key) is publication
            ]
            if experiments:
                heading = QListWidgetItem(publication.title)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                self.addItem(heading)
            for one in experiments:
                item = QListWidgetItem(one.title)
                item.setData(KEY, one.key)
                self.addItem(item)
        self.currentRowChanged.connect(self._on_row)
        self._show_icons()

    def show_folder(self, folder: Path | None) -> None:
        """Update which data are available."""
        for item in self._recipe_items():
            recipe = EXPERIMENTS[item.data(KEY)]
            item.setData(FACTS, _facts(recipe, folder))
            item.setToolTip(f"{recipe.help} {recipe.place}.")
            text = f"{recipe.title}. {recipe.help} {_facts(recipe, folder)}."
            item.setData(Qt.ItemDataRole.AccessibleTextRole, text)

    def fit(self, width: int) -> None:
        """As wide as the longest title, in a page of that width with room for it."""
        wanted = self.sizeHintForColumn(0) + self.verticalScrollBar().sizeHint().width()
        wanted += theme().px("icon")
        self.setFixedWidth(max(theme().px("left"), min(wanted, round(_LIST_FRACTION * width))))

    def show_states(self, states: dict[str, str]) -> None:
        """Set the icons of experiments that run or have a table."""
        if states != self._states:
            self._states = dict(states)
            self._show_icons()

    def _on_row(self, number: int) -> None:
        item = self.item(number)
        if item is not None and item.data(KEY) is not None:
            self.picked.emit(item.data(KEY))

    def _recipe_items(self) -> list[QListWidgetItem]:
        """The rows that are not the heading of a source."""
        return [item for item in self._items() if item.data(KEY) is not None]

    def _show_icons(self) -> None:
        for item in self._recipe_items():
            name = self._states.get(item.data(KEY), "flask")
            color = "accent" if name == "play-circle" else "text_secondary"
            item.setIcon(icon(name, color))


def _facts(recipe: Recipe | Study, folder: Path | None) -> str:
    if not recipe.sources:
        return f"{recipe.takes} · generates its data"
    there = "data not found" if absent_files(recipe, folder) else "data available"
    return f"{recipe.takes} · {there}"


_STATES = {
    JobState.RUNNING: "play-circle",
    JobState.CANCELLING: "play-circle",
    JobState.FINISHED: "check-circle",
    JobState.CANCELLED: "stop-circle",
    JobState.FAILED: "warning-circle",
}


class RecipePage(Page):
    """Page of the experiments; one runs at a time, and tables stay until the tab is closed."""

    fixed_title = "Experiments"
    icon_name = "flask"
    stands_alone = True

    def __init__(self, app: AppContext) -> None:
        super().__init__("recipes")
        self._app = app
        self._runs: dict[str, RecipeRun] = {}
        self._recipe: Recipe = next(iter(RECIPES.values()))
        self._shown: tuple[object, ...] = ()
        self._clock = QTimer(self)  # updates the elapsed time between messages
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._refresh)
        self.list = RecipeList()
        self.list.picked.connect(self._on_picked)
        self.run_button = button(
            "Run",
            self.start,
            role="primary",
            icon_name="play",
            name="recipeRun",
            tip="Run this experiment in the background, or continue after its finished trials.",
        )
        self.small_button = button(
            "Run small",
            self.start_small,
            name="recipeRunSmall",
            tip="Run with settings that take seconds; the numbers are rough.",
        )
        self.stop_button = button(
            "Stop",
            self.stop,
            icon_name="stop",
            name="recipeStop",
            tip="Stop; the trials so far are preserved, and Run continues after finished ones.",
        )
        self.more = button(
            "Settings",
            self._on_settings,
            icon_name="sliders-horizontal",
            name="recipeMore",
            tip="All parameters, with the authors' values as defaults.",
        )
        self.open_model_button = button(
            "Open model",
            self.open_model,
            name="recipeOpenModel",
            tip="Open the model of the selected trial in the project.",
        )
        self.open_data_button = button(
            "Open rows",
            self.open_data,
            name="recipeOpenData",
            tip="Open the rows of the selected trial as a data set.",
        )
        self.export_button = button(
            "Export…",
            self._on_export,
            icon_name="export",
            name="recipeExport",
            tip="Export the table as CSV with all digits.",
        )
        self._choose_folder = button(
            "Choose folder…",
            self._on_choose_folder,
            icon_name="folder-simple",
            name="recipeFolder",
            tip="Folder of the data sets, with the subfolders seeds and networks.",
        )
        self.view = RecipeView(
            (self.run_button, self.small_button, self.stop_button, self.more),
            (self.open_model_button, self.open_data_button, self.export_button),
        )
        self.view.note.add_button(self._choose_folder)
        self.view.where.changed.connect(self._refresh)
        self.study_view = StudyView(app, lambda: self._folder)
        self.study_view.state_changed.connect(self._refresh)
        self._views = QStackedWidget()
        self._views.addWidget(self.view)
        self._views.addWidget(self.study_view)
        hbox(self, self.list, (self._views, 1), spacing=0)
        theme().changed.connect(self._fit)
        self._refresh_folder()
        self.list.choose(self._recipe.key)
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.list.fit(self.width())

    def closed(self) -> None:
        self._clock.stop()
        for run in self._runs.values():
            run.stop()
        self.study_view.close_runs()

    # -- the experiment

    @property
    def run(self) -> RecipeRun | None:
        """The run of the selected experiment."""
        return self._runs.get(self._recipe.key)

    @property
    def _active(self) -> RecipeRun | None:
        return next((run for run in self._runs.values() if not run.state.is_end), None)

    def choose(self, key: str) -> None:
        """Select an experiment."""
        self.list.choose(named_in("experiment", key, EXPERIMENTS).key)

    def _on_picked(self, key: str) -> None:
        experiment = EXPERIMENTS[key]
        if isinstance(experiment, Study):
            self.study_view.show_study(experiment)
            self._views.setCurrentWidget(self.study_view)
        else:
            self._recipe = experiment
            self._views.setCurrentWidget(self.view)
            self._show()

    def _show(self) -> None:
        self.view.show_recipe(self._recipe)
        self._refresh()

    # -- its data

    @property
    def _folder(self) -> Path | None:
        return data_folder(self._app.preferences.recipe_folder or None)

    def _refresh_folder(self) -> None:
        self.list.show_folder(self._folder)

    def _on_choose_folder(self) -> None:
        folder = choose_folder(self, "data", "Folder of the data sets")
        if folder is not None:
            self.use_folder(folder)

    def use_folder(self, folder: Path) -> None:
        """Use this folder for the data sets."""
        app = self._app
        app.set_preferences(replace(app.preferences, recipe_folder=str(folder)))
        self._refresh_folder()
        self._refresh()

    # -- the run

    def start(self) -> None:
        """Start the selected experiment; its earlier run is replaced."""
        if self._why_not() is not None:
            return
        params = self.view.params()
        if params is not None:
            self.start_with(params)

    def start_small(self) -> None:
        """Start the selected experiment with its small settings; the form stays as it is."""
        if self._why_not() is None:
            self.start_with(parse_params(self._recipe.params_type, self._recipe.small))

    def start_with(self, params: Any) -> None:
        """Start the selected experiment with these parameters."""
        before = self._runs.pop(self._recipe.key, None)
        if before is not None:
            before.deleteLater()
        seed, where = self.view.seed.value(), self.view.where
        run = RecipeRun(self._recipe, params, seed, self._folder, where, self)
        self._runs[self._recipe.key] = run
        run.changed.connect(self._refresh)
        run.failed.connect(self._app.errors.report)
        self._app.workspace.background_runs.add(run)
        run.start()
        self._refresh()

    def stop(self) -> None:
        """Stop the run; the trials so far are preserved."""
        if self.run is not None:
            self.run.stop()

    def _why_not(self) -> str | None:
        active = self._active
        if active is not None:
            return f"{active.recipe.title} is running."
        return no_data_reason(self._recipe, self._folder) or self.view.where.problem

    def _on_settings(self) -> None:
        self.view.toggle_settings()

    # -- showing

    def _refresh(self) -> None:
        run, why = self.run, self._why_not()
        is_running = run is not None and not run.state.is_end
        states = {key: one.state for key, one in self._runs.items()} | self.study_view.running
        self.list.show_states({key: _STATES[state] for key, state in states.items()})
        no_data = no_data_reason(self._recipe, self._folder)
        self.view.note.show_text(no_data or self.view.where.problem or "")
        self._choose_folder.setVisible(no_data is not None)
        for start_button in (self.run_button, self.small_button):
            allow(start_button, why)
        self.stop_button.setEnabled(run is not None and run.state is JobState.RUNNING)
        self.view.set_locked(is_running)
        opened = [] if run is None else run.opened
        shown = (self._recipe.key, run, 0 if run is None else len(run.measured))
        if shown != self._shown:  # filling the table clears the selection
            self._shown = shown
            rows = table_of(self._recipe, ()) if run is None else run.table
            self.view.show_table(without_curve_points(self._recipe, rows))
            self.view.show_curves(sweep_of(self._recipe, () if run is None else run.measured))
            self.view.show_trials(opened)
        self.view.show_notes(() if run is None else run.notes)
        (self._clock.start if self._active is not None else self._clock.stop)()
        for made in (self.view.trials, self.open_model_button, self.open_data_button):
            made.setEnabled(bool(opened))
        self.export_button.setEnabled(run is not None and bool(run.measured))
        text, fraction = _progress_of(run)
        self.view.show_progress(text, fraction if is_running else None)

    # -- export

    @property
    def _trial(self) -> Measured | None:
        index, run = self.view.trials.currentIndex(), self.run
        return run.opened[index] if run is not None and 0 <= index < len(run.opened) else None

    def open_model(self) -> None:
        """Add the model of the selected trial to the project."""
        trial, run = self._trial, self.run
        if trial is None or trial.model is None or run is None:
            return
        entry = ModelEntry(self._name(trial), trial.model, provenance=self._provenance(run))
        add_and_show_model(self._app, entry, f"Open {entry.title}")

    def open_data(self) -> None:
        """Add the rows of the selected trial to the project."""
        trial, run = self._trial, self.run
        if trial is None or trial.rows is None or run is None:
            return
        data_id = self._app.project.next_data_id()
        entry = DataEntry(self._name(trial), trial.rows, provenance=self._provenance(run))
        if self._app.change(f"Open {entry.name}", partial(add_data, entry=entry)):
            open_data_page(self._app, data_id)

    def _name(self, trial: Measured) -> str:
        return f"{self._recipe.title}, {self.view.trials.currentText().lower()}"

    def _provenance(self, run: RecipeRun) -> dict[str, object]:
        provenance = {"made by": f"recipe {run.recipe.key}", "seed": run.seed}
        return {**provenance, **params_to_dict(run.params)}

    def _on_export(self) -> None:
        name = f"{self._recipe.key}.csv"
        ask_where(self, "Export the table", name, "Tables (*.csv)", self.export)

    def export(self, path: Path) -> None:
        """Write the current table."""
        if self.run is not None:
            self._app.export_file(path, table_csv(self.run.table).encode())


def _progress_of(run: RecipeRun | None) -> tuple[str, float]:
    """Progress of a run as text and as a fraction."""
    if run is None:
        return "", 0.0
    trials = counted(len({event.trial for event in run.measured if event.trial >= 0}), "trial")
    fraction = run.progress.fraction or 0.0
    if run.state is JobState.RUNNING:
        left = ""
        if run.seconds > 2 and fraction > 0.02:
            left = f" · about {run.seconds * (1 - fraction) / fraction:.0f} s left"
        return f"{run.progress.message} · {run.seconds:.0f} s{left}", fraction
    how = {
        JobState.CANCELLING: "Stopping …",
        JobState.FINISHED: f"Finished after {run.seconds:.0f} s with {trials}.",
        JobState.CANCELLED: f"Stopped after {run.seconds:.0f} s with {trials}.",
        JobState.FAILED: f"Failed after {run.seconds:.0f} s.",
    }
    return how.get(run.state, ""), fraction


def open_recipes(app: AppContext, key: str | None = None) -> RecipePage:
    """Open the page of the experiments, at the one with this key."""
    if key is not None:
        named_in("experiment", key, EXPERIMENTS)  # before a page is opened
    close_welcome(app)
    page = app.open_page("recipes", partial(RecipePage, app))
    assert isinstance(page, RecipePage)
    if key is not None:
        page.choose(key)
    return page
