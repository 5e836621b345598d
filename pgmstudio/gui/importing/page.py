"""The import page: four steps from a file to a data set, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QLineEdit

from pgmstudio.core.data.discretization import Discretisation
from pgmstudio.core.data.resampling import SplitPlan
from pgmstudio.core.errors import Cancelled, PgmStudioError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.io.data.inspection import ColumnReport, Treatment
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.import_plan import (
    BY_HAND,
    DiscretisedColumn,
    Draft,
    ImportResult,
    Reading,
    discretise_column,
    import_rows,
    is_text_file,
    read,
    restored_draft,
)
from pgmstudio.core.number_format import counted, data_facts
from pgmstudio.core.project.edits import add_data, reimport_data
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.importing.hints import no_rows_text, problem_text
from pgmstudio.gui.importing.page_view import CUTS, FILE, ImportView, following_step
from pgmstudio.gui.jobs.job import Job, JobState
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import open_data_page
from pgmstudio.gui.widgets.basic import vbox
from pgmstudio.gui.widgets.page import Command, Page, UndoablePage


def name_of(path: Path, draft: Draft) -> str:
    """Name of the data set: that of its file, or of the folder of train/valid/test files."""
    stem = path.name.split(".")[0]
    is_part = draft.split.kind == "files" and stem in ("train", "valid", "test")
    return path.parent.name or stem if is_part else stem


def put_into_project(
    app: AppContext, entry: DataEntry, source: str, replaces: str | None
) -> str | None:
    """Add or replace the data set as one undoable change; its id, or None if it was refused.

    `replaces` is the data set that is imported again; if it was deleted, a new one is added.
    """
    project = app.project
    if replaces is not None and replaces in project.data:
        data_id, text = replaces, f"Change discretisation of {project.data[replaces].name}"
        changed = app.change(text, partial(reimport_data, data_id=replaces, entry=entry))
    else:
        data_id, text = project.next_data_id(), f"Import {source}"
        changed = app.change(text, partial(add_data, entry=entry))
    return data_id if changed else None


# Discretising fewer rows than this takes less than a frame.
ROWS_AT_ONCE = 20_000


class ImportPage(UndoablePage):
    """Import page of one file; reads in the background and changes the project at the end."""

    icon_name = "download-simple"
    stands_alone = True

    def __init__(
        self,
        app: AppContext,
        path: Path,
        *,
        draft: Draft | None = None,
        replaces: str | None = None,
        name: str | None = None,
        on_closed: Callable[[], object] | None = None,
    ) -> None:
        """`replaces`: the data set that is imported again; `name`: that of a pasted table."""
        super().__init__(f"import:{path}")
        self._app, self._path = app, path
        self._draft = draft or Draft()
        self._has_saved_draft = draft is not None
        self._replaces, self._name, self._on_closed = replaces, name, on_closed
        self._reading: Reading | None = None
        self._is_reading = False
        self._history: list[tuple[str, Draft]] = []
        self._undone: list[tuple[str, Draft]] = []
        self._column: str | None = None
        self._step = FILE
        self._job: Job | None = None
        self._reader, self._cutter = LatestTask(self), LatestTask(self)
        self._reader.answered.connect(self._on_read)
        self._reader.failed.connect(self._on_read_failed)
        self._cutter.answered.connect(self._show_cut_column)
        self._cutter.failed.connect(self._on_trouble)
        self.view = ImportView(f"Reading {name or path.name}…")
        self._build()
        self._read()

    @property
    def title(self) -> str:
        return f"Import {self.short_title}"

    @property
    def short_title(self) -> str:
        return self._name or self._path.name

    def data_facts(self) -> str:
        if self._reading is None:
            return f"{self.short_title} · {'reading…' if self._is_reading else 'cannot be read'}"
        report = self._reading.report
        used = self._draft.used(report)
        complete = self._reading.complete_rows(column.name for column in used)
        missing = sum(column.missing for column in used)
        return data_facts(self.short_title, report.row_count, len(used), missing, complete)

    def _build(self) -> None:
        view = self.view
        vbox(self, view)
        view.steps.chosen.connect(self.go_to)
        view.file.options_requested.connect(self._on_options_requested)
        view.columns.picked.connect(self._on_picked)
        view.columns.list.selectionModel().selectionChanged.connect(self._on_selection_changed)
        view.columns.ticked.connect(self._on_ticked)
        view.file.markers_requested.connect(self._on_markers_requested)
        view.columns.markers_requested.connect(self._on_markers_requested)
        view.columns.weights_requested.connect(self._on_weights_requested)
        view.detail.treatment_requested.connect(self._on_treatment_requested)
        view.detail.cuts_requested.connect(partial(self.go_to, CUTS))
        view.cuts.cutting_requested.connect(self._on_cutting_requested)
        view.cuts.moving.connect(self._on_cut_moving)
        view.cuts.undo_requested.connect(self.undo)
        view.cuts.use_as_numbers.connect(self._on_use_as_numbers)
        view.split.plan_requested.connect(self._on_plan_requested)
        view.foot.cancel.clicked.connect(self._on_cancel)
        view.foot.back.clicked.connect(self._on_back)
        view.foot.forward.clicked.connect(self._on_forward)
        view.foot.finish.clicked.connect(self.start_import)
        self._refresh()

    # -- reading

    def _read(self) -> None:
        self._is_reading = True
        self._reader.ask(partial(read, self._path, self._draft.reading))
        self._refresh_foot()

    def _on_read(self, reading: Reading) -> None:
        first = self._reading is None
        self._reading, self._is_reading = reading, False
        self.view.problem.show_text(
            no_rows_text(self._path.name, reading.report.row_count), "warning"
        )
        if first and reading.is_split and self._draft.split.kind == "none":
            self._draft = replace(self._draft, split=SplitPlan(kind="files"))
        if first and reading.counts and not self._draft.treatments:
            self._draft = self._draft.with_treatment(reading.counts, Treatment.WEIGHTS)
        if first and reading.report.set_cells and not self._has_saved_draft:
            options = replace(self._draft.reading, imprecise=True)
            self._show_draft(replace(self._draft, reading=options))
        names = [column.name for column in reading.report.columns]
        if self._column not in names:
            self._column = next(iter([*self._discretised(), *names]), None)
        column = self._column
        self._refresh()  # selects the first column of a new list
        if column is not None:
            self.view.columns.list.select_key(column)

    def _on_read_failed(self, error: BaseException) -> None:
        self._is_reading = False
        if self._reading is None:
            self.view.show_unread(self._draft.reading, is_text=is_text_file(self._path))
            self.facts_changed.emit()
        self._on_trouble(error)

    def _on_trouble(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.view.problem.show_text(problem_text(error), "danger")
        elif not isinstance(error, Cancelled):
            self._app.errors.report(error)
        self._refresh_foot()

    # -- settings

    @property
    def draft(self) -> Draft:
        """The current settings."""
        return self._draft

    @property
    def reading(self) -> Reading | None:
        return self._reading

    def _change(self, text: str, draft: Draft) -> None:
        if draft == self._draft:
            return
        self._history.append((text, self._draft))
        self._undone.clear()
        self._show_draft(draft)

    def undo(self) -> None:
        """Undo the last change on this page."""
        if self._history:
            text, draft = self._history.pop()
            self._undone.append((text, self._draft))
            self._show_draft(draft)

    def redo(self) -> None:
        """Redo the change that was undone last."""
        if self._undone:
            text, draft = self._undone.pop()
            self._history.append((text, self._draft))
            self._show_draft(draft)

    def _show_draft(self, draft: Draft) -> None:
        before, self._draft = self._draft, draft
        if draft.reading != before.reading:
            self._read()
        self._refresh()

    def _on_options_requested(self, options: ImportOptions) -> None:
        self._change("change reading options", replace(self._draft, reading=options))

    def _on_markers_requested(self, markers: tuple[str, ...]) -> None:
        known = tuple(dict.fromkeys((*self._draft.reading.markers, *markers)))
        text = f"treat {' and '.join(markers)} as missing"
        self._change(
            text, replace(self._draft, reading=replace(self._draft.reading, markers=known))
        )

    def _report(self, name: str | None) -> ColumnReport | None:
        columns = self._reading.report.columns if self._reading is not None else ()
        return next((column for column in columns if column.name == name), None)

    def _on_picked(self, name: str) -> None:
        self._column = name
        self._refresh_column()

    def _on_ticked(self, name: str, is_used: bool) -> None:
        column = self._report(name)
        if column is None:
            return
        treatment = Treatment.LEAVE_OUT
        if is_used:
            has_cuts = name in self._draft.cutting or column.treatment is Treatment.DISCRETISE
            treatment = Treatment.DISCRETISE if has_cuts else Treatment.STATES
        text = f"use {name}" if is_used else f"leave out {name}"
        self._change(text, self._draft.with_treatment(name, treatment))

    def _on_treatment_requested(self, name: str, treatment: Treatment) -> None:
        """For the column, and for the selected ones that can be used so."""
        names = [name]
        selected = self.view.columns.selected_names
        if name in selected and treatment is not Treatment.WEIGHTS:
            names += selected
        draft, needs_numbers = self._draft, treatment is Treatment.DISCRETISE
        for each in dict.fromkeys(names):
            column = self._report(each)
            if column is not None and (column.low is not None or not needs_numbers):
                draft = draft.with_treatment(each, treatment)
        self._change(f"use {name} as {treatment.value}", draft)

    def _on_weights_requested(self, name: str, is_weight: bool) -> None:
        treatment = Treatment.WEIGHTS if is_weight else Treatment.DISCRETISE
        self._on_treatment_requested(name, treatment)

    def _on_use_as_numbers(self) -> None:
        if self._column is not None:
            self._on_treatment_requested(self._column, Treatment.DISCRETISE)

    def _on_cutting_requested(self, text: str, how: Discretisation) -> None:
        if self._column is None:
            return
        names = [self._column]
        if how.method != BY_HAND:  # edges set by hand are those of one column
            names += [column.name for column in self._selected_numbers()]
        draft = self._draft
        for name in dict.fromkeys(names):
            draft = draft.with_cutting(name, how)
        self._change(text, draft)

    def _selected_numbers(self) -> list[ColumnReport]:
        """The selected columns that are discretised."""
        selected = map(self._report, self.view.columns.selected_names)
        return [
            column
            for column in selected
            if column is not None and self._draft.treatment(column) is Treatment.DISCRETISE
        ]

    def _on_selection_changed(self) -> None:
        """Of several selected columns one with bins is shown, whichever was clicked last."""
        numbers = [column.name for column in self._selected_numbers()]
        if self._step == CUTS and numbers and self._column not in numbers:
            self._column = numbers[0]
            self._refresh_column()
        self.view.cuts.show_count(len(numbers))

    def _on_cut_moving(self, points: tuple[float, ...]) -> None:
        self.view.preview.show_cuts(self._column, points)

    def _on_plan_requested(self, plan: SplitPlan) -> None:
        self._change("change split", replace(self._draft, split=plan))

    # -- showing

    def go_to(self, step: int) -> None:
        """Show a step, 0 to 3; a file that cannot be read has only the first."""
        self._step = step if self._is_reading or self._reading is not None else FILE
        if step == CUTS:
            self._pick_numbers()
        self._refresh()

    def _pick_numbers(self) -> None:
        """Select the first column with bins, unless the selected one has or can have bins."""
        column, first = self._report(self._column), next(iter(self._discretised()), None)
        if first is not None and (
            column is None
            or column.low is None
            or self._draft.treatment(column) is Treatment.LEAVE_OUT
        ):
            self._column = first
            self.view.columns.list.select_key(first)

    def _discretised(self) -> list[str]:
        columns = self._reading.report.columns if self._reading is not None else ()
        discretise = Treatment.DISCRETISE
        return [each.name for each in columns if self._draft.treatment(each) is discretise]

    def _refresh(self) -> None:
        undo = self._history[-1][0] if self._history else ""
        self.view.show_choices(self._step, self._reading, self._draft, undo)
        self._refresh_column()
        self._refresh_foot()
        self.facts_changed.emit()

    def _refresh_column(self) -> None:
        column, reading = self._report(self._column), self._reading
        if column is None or reading is None:
            return
        self.view.detail.show_column(column, self._draft)
        if self._draft.treatment(column) is not Treatment.DISCRETISE:
            self._cutter.forget()
            self.view.show_no_cuts(column, self._draft)
            return
        weights = [
            c.name for c in reading.report.columns if self._draft.treatment(c) is Treatment.WEIGHTS
        ]
        how = self._draft.cutting_of(column)
        ask = partial(discretise_column, reading, column.name, how, next(iter(weights), None))
        if reading.report.row_count <= ROWS_AT_ONCE:
            self._cutter.forget()
            try:
                self._show_cut_column(ask())
            except PgmStudioError as refusal:
                self._on_trouble(refusal)
        else:
            self._cutter.ask(lambda _cancel: ask())

    def _show_cut_column(self, shown: DiscretisedColumn) -> None:
        if shown.values.name == self._column:
            self.view.show_cuts(shown)
            self._on_selection_changed()

    def _refresh_foot(self) -> None:
        reason, busy = self._why_not(), self._job is not None
        self.view.show_footer(self._step, self._reading, self._draft, reason, busy=busy)

    def _why_not(self) -> str | None:
        if self._job is not None:
            return "the import is running."
        if self._is_reading:
            return "the file is being read."
        if self._reading is None:
            return "the file could not be read."
        if not self._reading.report.row_count:
            return "the file has no rows."
        if not self._draft.used(self._reading.report):
            return "no column is selected. Select at least one."
        return None

    # -- importing

    def start_import(self) -> None:
        """Encode the cells as a data set in the background."""
        reading, draft = self._reading, self._draft
        if reading is None or self._why_not() is not None:
            return
        name = self._name or name_of(self._path, self._draft)
        keep_path = self._name is None

        def task(cancel: CancelToken) -> Iterator[object]:
            return import_rows(reading, draft, name, cancel, keep_path=keep_path)

        self.view.problem.show_text("")
        self._job = Job(task, self)
        self._job.events_arrived.connect(self._on_events)
        self._job.state_changed.connect(self._on_job_state)
        self._job.failed.connect(self._on_trouble)
        self._job.start()
        self._refresh_foot()

    @property
    def _is_stopping(self) -> bool:
        return self._job is not None and self._job.state is JobState.CANCELLING

    def _on_events(self, events: list[object]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.view.foot.show_progress(event.message)
            elif isinstance(event, ImportResult) and not self._is_stopping:
                self._take(event)
                return

    def _on_job_state(self, state: JobState) -> None:
        if state is JobState.CANCELLING:
            self.view.foot.show_progress("Stopping…")
        elif state.is_end:
            self._job = None
            self.view.foot.show_progress("")
            self._refresh_foot()

    def _take(self, done: ImportResult) -> None:
        """Add the data set to the project and open its page."""
        app, entry = self._app, done.entry
        data_id = put_into_project(app, entry, self.short_title, self._replaces)
        if data_id is None:
            return
        for note in done.warnings:
            app.log("info", note)
        rows = counted(entry.data.row_count, "row")
        app.notify(f"{rows} × {counted(len(entry.data.domain), 'column')} imported.", undo=True)
        open_data_page(app, data_id)
        app.center.close_page(self)

    # -- closing

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
        else:
            self._app.center.close_page(self)

    def _on_back(self) -> None:
        before = following_step(self._step, self._reading, self._draft, by=-1)
        self.go_to(FILE if before is None else before)

    def _on_forward(self) -> None:
        after = following_step(self._step, self._reading, self._draft)
        if after is not None:
            self.go_to(after)

    def closed(self) -> None:
        self._reader.forget()
        self._cutter.forget()
        if self._job is not None:
            self._job.cancel()
        if self._on_closed is not None:
            self._on_closed()

    def _undoing(self) -> tuple[Command | None, Command | None]:
        return self.undo if self._history else None, self.redo if self._undone else None

    def _on_return(self) -> None:
        """Press the focused button, else go to the next step; in the last step, import."""
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton) and self.isAncestorOf(focused):
            focused.click()
        elif following_step(self._step, self._reading, self._draft) is None:
            self.start_import()
        elif self.view.foot.forward.isEnabled():
            self._on_forward()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, plain = (Qt.Key.Key_Return, Qt.Key.Key_Enter), event.modifiers()
        plain &= ~Qt.KeyboardModifier.KeypadModifier
        # In a field, Return only confirms what was typed.
        is_typing = isinstance(QApplication.focusWidget(), QLineEdit | QAbstractSpinBox)
        if Qt.Key(event.key()) in keys and not plain and not is_typing:
            self._on_return()
            return
        command = self._command(event)
        if command is None:
            super().keyPressEvent(event)
        else:
            command()


def open_import(
    app: AppContext,
    path: Path,
    *,
    replaces: str | None = None,
    name: str | None = None,
    on_closed: Callable[[], object] | None = None,
) -> Page:
    """Show the import page of a file; with `replaces` at its discretisation step, with the choices
    of that data set."""
    draft = None
    if replaces is not None:
        draft = restored_draft(app.project.data[replaces].provenance.get("choices", {}))

    def make() -> ImportPage:
        return ImportPage(app, path, draft=draft, replaces=replaces, name=name, on_closed=on_closed)

    page = app.open_page(f"import:{path}", make)
    if replaces is not None and isinstance(page, ImportPage):
        page.go_to(CUTS)
    return page
