"""A study of several languages in the page of experiments: its points are stored in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.plans.dask_executor import Cluster
from pgmstudio.core.experiments.plans.runner import Executor, ProcessExecutor
from pgmstudio.core.number_format import duration
from pgmstudio.core.params import parse_params
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.experiments.where_to_run import WhereToRun
from pgmstudio.gui.jobs.background_run import BackgroundRun
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    allow,
    button,
    label,
    named,
    progress_bar,
    row,
    scrolled,
    widening,
)
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import choose_folder
from pgmstudio.gui.widgets.number_box import whole_box
from pgmstudio.gui.widgets.param_form import ParamForm
from pgmstudio.gui.widgets.table import Column, Table
from pgmstudio.studies.recipe_data import no_data_reason, read_sources
from pgmstudio.studies.sl_shapes import tables_of
from pgmstudio.studies.sl_study import SMALL, Study, StudyParams, study_of
from pgmstudio.studies.sl_verdicts import StudyTable
from pgmstudio.studies.study_folder import StudyTask


@dataclass(frozen=True, eq=False)
class StudyTables:
    """The tables of the points that a folder holds."""

    tables: tuple[StudyTable, ...]


@dataclass(frozen=True, eq=False)
class StudyTablesTask:
    """Run a study, unless `is_read_only`, and read its tables from the folder of its points."""

    folder: Path
    study_key: str
    params: StudyParams
    seed: int
    sources: Mapping[str, Any]
    executor: Executor
    is_read_only: bool = False

    def __call__(self, cancel: CancelToken, /) -> Iterator[object]:
        study = study_of(self.study_key).only(self.params.only)  # its sets cannot be sent
        task = StudyTask(self.folder, study, self.params, self.seed, self.sources, self.executor)
        if not self.is_read_only:
            yield from (event for event in task(cancel) if isinstance(event, Progress))
        yield StudyTables(tuple(tables_of(list(task.results()))))


class StudyRun(BackgroundRun):
    """A study in a process of its own; `tables` when it has ended."""

    def __init__(self, task: Callable[[], StudyTablesTask], parent: QObject) -> None:
        super().__init__(self._events, Progress(0.0, "starting"), parent)
        self.tables: tuple[StudyTable, ...] | None = None
        self._task = task

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        yield from in_process(self._task(), cancel)

    def _take(self, events: Sequence[object]) -> None:
        for event in events:
            if isinstance(event, StudyTables):
                self.tables = event.tables


class StudyView(QWidget):
    """The selected study: folder, settings, run, and the tables of its points."""

    state_changed = Signal()

    def __init__(self, app: AppContext, data_folder: Callable[[], Path | None]) -> None:
        super().__init__()
        self._app = app
        self._data_folder = data_folder
        self._study: Study | None = None
        self._folders: dict[str, Path] = {}
        self._runs: dict[str, StudyRun] = {}
        self._tables: dict[str, tuple[StudyTable, ...]] = {}
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self.refresh)
        self._title = label("", "heading", size="title", name="studyTitle")
        self._source = label("", "tertiary", size="dense")
        self._help = label("", "secondary", wrap=True)
        self.note = Note(level="warning", name="studyNote")
        self._folder_label = named(
            ElidedLabel("", "secondary"), "studyFolder", "Folder", "Folder of the points."
        )
        self._choose = button(
            "Choose folder…",
            self._on_choose_folder,
            icon_name="folder-simple",
            name="studyChooseFolder",
            tip="Points are stored here; a study that was stopped continues with them.",
        )
        self.run_button = button(
            "Run",
            self.start,
            role="primary",
            icon_name="play",
            name="studyRun",
            tip="Run this study, or continue with the points in the folder.",
        )
        self.small_button = button(
            "Run small",
            self.start_small,
            name="studyRunSmall",
            tip="Run with settings that take minutes; the numbers are rough.",
        )
        self.stop_button = button(
            "Stop", self.stop, icon_name="stop", name="studyStop", tip="Stop; points are kept."
        )
        self._more = button(
            "Settings",
            self._on_settings,
            icon_name="sliders-horizontal",
            name="studyMore",
            tip="All parameters, the data sets and where it runs.",
        )
        self.form = ParamForm(StudyParams)
        self.seed = whole_box("studySeed", "Seed", "The same seed gives the same points.", 0, 10**9)
        self.where = WhereToRun("study")
        self.where.changed.connect(self.refresh)
        self.settings = self._settings()
        self.bar = progress_bar("studyBar", "Progress of the study", 160)
        self.progress_label = named(ElidedLabel("", "secondary"), "studyProgress")
        self.tables = named(QComboBox(), "studyTables", "Table", "Table of the points.")
        self.tables.currentIndexChanged.connect(self._show_table)
        self.table = Table("studyTable", "Published and obtained values", is_sortable=False)
        self._table_note = label("", "secondary", size="dense", wrap=True, name="studyTableNote")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 10)
        layout.setSpacing(8)
        layout.addWidget(row(self._title, self._source, None))
        folder = widening(row(self._choose, self._folder_label), 1)
        buttons = (self.run_button, self.small_button, self.stop_button, self._more)
        run = widening(row(*buttons, self.bar, self.progress_label), len(buttons) + 1)
        for part in (self._help, self.note, folder, run, self.settings):
            layout.addWidget(part)
        self._table_choice = row(label("Table", "secondary"), self.tables, None)
        layout.addWidget(self._table_choice)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._table_note)

    def _settings(self) -> QWidget:
        content = QWidget()
        inner = QVBoxLayout(content)
        inner.addWidget(row(label("Seed", "secondary"), self.seed, self.where, None))
        inner.addWidget(self.form)
        area = scrolled(content, "studySettings")
        area.setMaximumHeight(theme().px("row") * 8)
        area.hide()
        return area

    # -- what is shown

    def show_study(self, study: Study) -> None:
        """Show another study; settings are shared by all."""
        self._study = study
        self._title.setText(study.title)
        self._source.setText(study.place)
        self._help.setText(f"{study.help} Takes {study.takes}; it can be stopped and continued.")
        self._fill_tables()
        self.refresh()

    @property
    def run(self) -> StudyRun | None:
        """The latest run of the shown study."""
        return None if self._study is None else self._runs.get(self._study.key)

    @property
    def folder(self) -> Path | None:
        return None if self._study is None else self._folders.get(self._study.key)

    @property
    def running(self) -> dict[str, JobState]:
        """The state of the latest run of each study."""
        return {key: run.state for key, run in self._runs.items()}

    def refresh(self) -> None:
        """Update buttons and progress."""
        run, why = self.run, self._why_not()
        is_running = run is not None and run.is_running
        study = self._study
        self.note.show_text(
            "" if study is None else self._no_data_reason(study) or self.where.problem or ""
        )
        for start_button in (self.run_button, self.small_button):
            allow(start_button, why)
        self.stop_button.setEnabled(run is not None and run.state is JobState.RUNNING)
        self._choose.setEnabled(not is_running)
        self._folder_label.setText("No folder chosen." if self.folder is None else str(self.folder))
        self.form.set_locked(is_running)
        text = ""
        if run is not None:
            ended = {JobState.FINISHED: "Finished", JobState.CANCELLED: "Stopped"}
            text = f"{ended.get(run.state, 'Failed')} after {duration(run.seconds)}."
            if is_running:
                text = f"{run.progress.message} · {duration(run.seconds)}"
            self.bar.setValue(round(1000 * (run.progress.fraction or 0.0)))
        self.bar.setVisible(is_running)
        self.progress_label.setText(text)
        (self._clock.start if is_running else self._clock.stop)()

    def _no_data_reason(self, study: Study) -> str | None:
        params = self.form.params()
        try:
            chosen = study if params is None else study.only(params.only)
        except ParameterError:
            chosen = study  # the run reports it
        return no_data_reason(chosen, self._data_folder())

    def _why_not(self) -> str | None:
        if any(run.is_running for run in self._runs.values()):
            return "A study is running."
        if self.folder is None:
            return "Choose a folder for the points first."
        if self.where.problem is not None:
            return self.where.problem
        return None if self._study is None else self._no_data_reason(self._study)

    def _fill_tables(self) -> None:
        tables = () if self._study is None else self._tables.get(self._study.key, ())
        self.tables.clear()
        self.tables.addItems([table.title for table in tables])
        self._table_choice.setVisible(bool(tables))
        self._show_table()

    def _show_table(self) -> None:
        tables = () if self._study is None else self._tables.get(self._study.key, ())
        index = self.tables.currentIndex()
        if not 0 <= index < len(tables):
            self.table.show_columns(())
            self._table_note.setText("No points yet.")
            return
        shown = tables[index]
        sides = zip(shown.head, shown.sides, strict=True)
        self.table.show_columns([Column(head, is_number=side == ">") for head, side in sides])
        self.table.show_rows(shown.rows)
        self._table_note.setText(shown.note)

    # -- runs

    def use_folder(self, folder: Path) -> None:
        """Store the points of the shown study here, and show those that are there."""
        if self._study is not None:
            self._folders[self._study.key] = folder
            self._tables.pop(self._study.key, None)  # those of another folder
            self._fill_tables()
            if folder.is_dir() and any(folder.iterdir()):
                self._begin(self.form.params(), is_read_only=True)
            self.refresh()

    def _on_choose_folder(self) -> None:
        folder = choose_folder(self, "data", "Folder of the points")
        if folder is not None:
            self.use_folder(folder)

    def _on_settings(self) -> None:
        self.settings.setVisible(not self.settings.isVisibleTo(self))

    def start(self) -> None:
        """Run the study, or continue it."""
        params = self.form.params()
        if params is None:
            self.settings.show()
        elif self._why_not() is None:
            self._begin(params)

    def start_small(self) -> None:
        """Run the study with its small settings and the chosen data sets."""
        params = self.form.params()
        if params is not None and self._why_not() is None:
            small: StudyParams = parse_params(StudyParams, SMALL)
            self._begin(replace(small, only=params.only))

    def stop(self) -> None:
        """Stop the run; its points are kept."""
        if self.run is not None:
            self.run.stop()

    def close_runs(self) -> None:
        """Stop everything."""
        self._clock.stop()
        for run in self._runs.values():
            run.stop()

    def _executor(self) -> Executor:
        address = self.where.address
        return Cluster(address) if address else ProcessExecutor(self.where.processes.value())

    def _begin(self, params: StudyParams | None, *, is_read_only: bool = False) -> None:
        study, folder, data_folder = self._study, self.folder, self._data_folder()
        if study is None or folder is None or params is None:
            return
        seed, executor = self.seed.value(), self._executor()

        def task() -> StudyTablesTask:
            sources = read_sources(study.only(params.only), data_folder)
            return StudyTablesTask(folder, study.key, params, seed, sources, executor, is_read_only)

        before = self._runs.pop(study.key, None)
        if before is not None:
            before.deleteLater()
        run = StudyRun(task, self)
        self._runs[study.key] = run
        run.changed.connect(self.refresh)
        run.changed.connect(self.state_changed)
        run.ended.connect(lambda: self._on_ended(study.key, run))
        run.failed.connect(self._app.errors.report)
        self._app.workspace.background_runs.add(run)
        run.start()
        self.refresh()

    def _on_ended(self, key: str, run: StudyRun) -> None:
        if run.tables is not None:
            self._tables[key] = run.tables
        if self._study is not None and self._study.key == key:
            self._fill_tables()
