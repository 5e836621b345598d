"""The page of what a run saved besides its model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.run_artifacts import write_artifacts
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import add_and_show_model, export_drawing
from pgmstudio.gui.runs.artifact_source import ArtifactSource, ResultSource, active_source
from pgmstudio.gui.runs.results.content import (
    Edge,
    ModelOpening,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import STEP, WIDGETS, ResultField, SliderField
from pgmstudio.gui.runs.results.run_result import RunResult
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, PushButton, button, label, row, wide_first
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import facts_label
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.image_file import Drawing
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Table

REFRESH_MS = 200  # after a new artifact of a run that goes on
REDRAW_MS = 60  # while a slider is moved
_MAX_BESIDE = 420  # px that a table may take from the view beside it


class RunResultPage(Page):
    """Facts, fields, a view and tables of one artifact; follows its run.

    The content comes from the `describe` function of the result. The page makes a widget for each
    part that appears in it for the first time and updates it afterwards.
    """

    def __init__(self, key: str, app: AppContext, source: ResultSource, result: RunResult) -> None:
        super().__init__(key)
        self._app, self._source, self._result = app, source, result
        self._describe = result.describe.load()
        source.setParent(self)
        self._content: ResultContent | None = None
        self._values: dict[str, Any] = {}
        self._fields: dict[str, Any] = {}
        self._views: dict[str, Any] = {}
        self.tables: dict[str, Table] = {}
        self._fitting = LatestTask(self, self._add_model, app.errors.report)
        self._refresh_soon = one_shot(self, self._refresh, REFRESH_MS)
        self._redraw_soon = one_shot(self, self._refresh, REDRAW_MS)
        self._lay_out()
        source.changed.connect(self._refresh_soon.start)
        self._refresh()

    # -- building

    def _name(self, key: str) -> str:
        return f"{self._result.name}{key[:1].upper()}{key[1:]}"

    def _button(self, key: str, text: str, run: Callable[[], object], tip: str) -> PushButton:
        return button(text, run, icon_name="export", name=self._name(key), tip=tip)

    def _label(self, key: str) -> QLabel:
        return label("", "secondary", size="dense", wrap=True, name=self._name(key))

    def _lay_out(self) -> None:
        result, is_long = self._result, self._result.has_long_facts
        self.facts = facts_label(self._name("facts"))
        self._opener = self._button("open", "Open model", self.open_model, "")
        self._picture = self._button(
            "picture", "Export picture…", self._on_export_picture, "As PNG, SVG or PDF."
        )
        tip = f"One line for each {result.unit} (.csv), or all of it (.json)."
        buttons = row(
            self._opener, self._picture, self._button("export", "Export…", self._on_export, tip)
        )
        self._field_row = QWidget()
        self._field_layout = QHBoxLayout(self._field_row)
        self._field_layout.setContentsMargins(0, 0, 0, 0)
        self._field_layout.addStretch(0)
        self.caption, self.details = self._label("caption"), self._label("details")
        self.note, self.foot = Note(name=self._name("note")), Note(name=self._name("foot"))
        splitter = QSplitter(result.orientation)
        splitter.setChildrenCollapsible(False)
        areas = QWidget(), QWidget()
        for index, area in enumerate(areas):
            layout = QVBoxLayout(area)
            is_lower = index == 1 and result.orientation is Qt.Orientation.Vertical
            layout.setContentsMargins(0, 8 if is_lower else 0, 0, 0)
            layout.setSpacing(4)
            splitter.addWidget(area)
            splitter.setStretchFactor(index, result.sizes[index])
        splitter.setSizes([100 * size for size in result.sizes])
        self._areas = [cast(QBoxLayout, area.layout()) for area in areas]
        self._areas[1].addWidget(self.details)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(row(self.facts) if is_long else wide_first(row(self.facts, buttons)))
        layout.addWidget(wide_first(row(self._field_row, buttons)) if is_long else self._field_row)
        layout.addWidget(self.caption)
        layout.addWidget(self.note)
        layout.addWidget(splitter, 1)
        layout.addWidget(self.foot)

    # -- the page of a tab

    @property
    def title(self) -> str:
        run, title = self._source.title, self._result.title
        return f"{title} of {run}" if title else run

    @property
    def short_title(self) -> str:
        """“Restarts”, without of what."""
        return self.title.partition(" of ")[0]

    def page_icon(self) -> QIcon:
        return icon(self._result.icon)

    @property
    def model_id(self) -> str | None:
        """The model of the run: the panels around go on to show it."""
        return self._source.model_id

    @property
    def canvas(self) -> Canvas:
        """The canvas of the view, for exports; AttributeError where it has none."""
        result = getattr(self.view, "canvas", None)
        if not isinstance(result, Canvas):
            raise AttributeError("canvas")
        return result

    def drawing(self) -> Drawing | None:
        view = None if self._content is None else self._content.view
        return None if view is None or view.drawing is None else view.drawing(self.view, self.title)

    def closed(self) -> None:
        self._refresh_soon.stop()
        self._redraw_soon.stop()
        self._fitting.forget()
        for view in self._views.values():
            if hasattr(view, "stop"):
                view.stop()

    # -- showing

    @property
    def artifact(self) -> Any:
        """What the run has saved so far."""
        return self._source.artifact

    @property
    def view(self) -> Any:
        """The plot or canvas that is shown; None on a page of tables."""
        view = None if self._content is None else self._content.view
        return None if view is None else self._views[view.key]

    @property
    def table(self) -> Table:
        """The first of the tables that are shown."""
        assert self._content is not None
        return self.tables[self._content.tables[0].key]

    def choose(self, **values: object) -> None:
        """Set fields."""
        self._values |= values
        self._refresh()

    def select_in(self, selection: Selection) -> None:
        """Set the fields to what is selected in the model."""
        if self._content is not None and self._content.select is not None:
            self.choose(**self._content.select(selection))

    @property
    def _state(self) -> ResultState:
        entry = self._app.project.models.get(self._source.model_id or "")
        return ResultState(
            self._source.title,
            self._source.data_id,
            None if entry is None else entry.model,
            self._values,
            None if self._content is None else self.table.current,
        )

    def _refresh(self, *, with_view: bool = True) -> None:
        artifact, state = self._source.artifact, self._state
        content = None if artifact is None else self._describe(artifact, state)
        if content is None:
            self.facts.setText("This run has no results yet.")
            self._show_buttons(None, None)
            return
        self._content = content
        if content.view is not None and with_view:
            self._show_view(content.view)
        self._show_tables(content)
        if self.table.current != state.row:  # the best one is selected now
            self._refresh(with_view=content.view is not None and content.view.follows_row)
            return
        self.facts.setText(content.facts)
        self.facts.setToolTip(content.facts)
        for line, text in ((self.caption, content.caption), (self.details, content.details)):
            line.setText(text)
            line.setVisible(bool(text))
        self.note.show_text(content.note, content.note_level)
        self._show_fields(content)
        self._show_buttons(content.opening, content.view)

    def _show_fields(self, content: ResultContent) -> None:
        self._field_row.setVisible(bool(content.fields))
        for field in content.fields:
            self._show_field(field, self._field_layout, self._field_layout.count() - 1)
        shown = {field.key for field in content.fields}
        foot = content.foot
        if foot is not None:
            shown.add(foot.field.key)
            is_new = foot.field.key not in self._fields
            layout = cast(QBoxLayout, self.foot.layout())
            self._show_field(foot.field, layout, layout.count())
            if is_new:
                link = button(
                    foot.link_text,
                    self._on_foot,
                    role="link",
                    name=self._name("again"),
                    tip=foot.tip,
                )
                self.foot.add_button(link)
        self.foot.show_text("" if foot is None else foot.text)
        for key, widget in self._fields.items():
            widget.setVisible(key in shown)

    def _show_field(self, field: ResultField, layout: QBoxLayout, index: int) -> None:
        if field.key not in self._fields:
            widget = self._fields[field.key] = WIDGETS[type(field)](self._name(field.key), field)
            widget.changed.connect(partial(self._on_field, field))
            layout.insertWidget(
                index, widget, int(isinstance(field, SliderField) and field.has_steps)
            )
        self._fields[field.key].show_field(field)

    def _show_view(self, view: ResultView) -> None:
        if view.key not in self._views:
            made = self._views[view.key] = view.make()
            self._areas[0].addWidget(made, 1)
            if view.signal is not None:
                view.signal(made).connect(self._on_view)
        for key, widget in self._views.items():
            widget.setVisible(key == view.key)
        view.draw(self._views[view.key])

    def _show_tables(self, content: ResultContent) -> None:
        """The first of several tables stands where there is no view."""
        shown = {table.key for table in content.tables}
        for table in content.tables:
            if table.key not in self.tables:
                is_upper = content.view is None and not self.tables and len(content.tables) > 1
                self._areas[0 if is_upper else 1].addWidget(self._new_table(table), 1)
            widget = self.tables[table.key]
            if list(table.rows) != list(widget.rows):
                number = table.best if widget.current is None else widget.current
                with QSignalBlocker(widget):  # `_refresh` looks at the selected row afterwards
                    widget.show_rows(table.rows)
                    if table.best is not None and number is not None:
                        widget.select(number)
                if self._result.orientation is Qt.Orientation.Horizontal:
                    room = round(_MAX_BESIDE * theme().scale)
                    widget.setMinimumWidth(min(widget.wanted_width, room))
            if table.steps:
                self._select_step(widget, table.steps, content)
        for key, widget in self.tables.items():
            widget.setVisible(key in shown)
        cast(QWidget, self._areas[0].parentWidget()).setVisible(self._areas[0].count() > 0)

    def _select_step(self, widget: Table, steps: Sequence[int], content: ResultContent) -> None:
        """Select the row of the current step; none where the result is shown."""
        step = next(field.value for field in content.fields if field.key == STEP)
        with QSignalBlocker(widget):
            if step in steps:
                widget.select(steps.index(step))
            else:
                widget.setCurrentIndex(QModelIndex())
                widget.scrollToBottom()

    def _new_table(self, table: ResultTable) -> Table:
        # Rows with a best one only grow in number; others are known by their first cell.
        key = itemgetter(0) if table.best is None else None
        made = self.tables[table.key] = Table(
            self._name(table.key), table.title, table.columns, key=key, gap=table.gap
        )
        made.selected.connect(partial(self._on_row, table.key))
        made.chosen.connect(self._on_activated)
        return made

    def _show_buttons(self, opening: ModelOpening | None, view: ResultView | None) -> None:
        self._picture.setVisible(view is not None and view.drawing is not None)
        self._opener.setVisible(opening is not None)
        if opening is not None:
            self._opener.setText(opening.text)
            self._opener.show_icon(opening.icon)
            self._opener.setEnabled(not opening.refusal)
            tip = f"Not now: {opening.refusal}" if opening.refusal else opening.tip
            self._opener.setToolTip(tip)
            self._opener.setAccessibleName(opening.tip)

    # -- what a person does

    def _on_field(self, field: ResultField, value: object) -> None:
        self._values[field.key] = value
        if not isinstance(field, SliderField) or field.has_steps:
            self._refresh()
        elif not self._redraw_soon.isActive():
            self._redraw_soon.start()

    def _on_row(self, key: str, number: int) -> None:
        content = self._content
        if content is None:
            return
        table = next(table for table in content.tables if table.key == key)
        if table.steps:
            self.choose(**{STEP: table.steps[number]})
            return
        edges = table.edges
        if edges and content.view is not None and content.view.show_edge is not None:
            content.view.show_edge(self.view, edges[number])
        follows = content.view is not None and content.view.follows_row
        if content.opening is not None or content.details or follows:
            self._refresh(with_view=follows)

    def _on_activated(self, number: int) -> None:
        opening = None if self._content is None else self._content.opening
        if opening is not None and opening.is_of_row:
            self.open_row(number)

    def _on_view(self, *values: Any) -> None:
        """The number of a row, an edge, its two ends, or None."""
        if isinstance(values[0], int):
            self.open_row(values[0])
        elif values[0] is not None and self._content is not None:
            edge: Edge = cast(Edge, values if len(values) == 2 else values[0])
            edges = list(self._content.tables[0].edges)
            for wanted in (edge, edge[::-1]):
                if wanted in edges:
                    self.table.select(edges.index(wanted))
                    return

    def _on_foot(self) -> None:
        task = self._task()
        if task is not None and self._content is not None and self._content.foot is not None:
            self._content.foot.run(self._app, task)

    # -- models

    def open_row(self, number: int) -> None:
        """The model of a row becomes a model of the project."""
        content = self._describe(self._source.artifact, replace(self._state, row=number))
        self._open(None if content is None else content.opening)

    def open_model(self) -> None:
        """The model of the selected row, or of the whole result, becomes one of the project."""
        self._open(None if self._content is None else self._content.opening)

    def _open(self, opening: ModelOpening | None) -> None:
        if opening is None:
            return
        if opening.refusal:
            self._app.notify(f"{opening.refusal[:1].upper()}{opening.refusal[1:]}")
        elif opening.entry is not None:
            self._add_model(opening.entry())
        elif opening.fit is not None and (task := self._task()) is not None:
            self._fitting.ask(partial(opening.fit, task))

    def _task(self) -> LearnTask | None:
        """The task of the run; None, and the reason reported, when its rows are gone."""
        try:
            return self._source.task()
        except PgmStudioError as error:
            self._app.errors.report(error)
            return None

    def _add_model(self, entry: ModelEntry) -> None:
        add_and_show_model(self._app, entry, f"Open {entry.title}")

    # -- files

    def _on_export_picture(self) -> None:
        drawing = self.drawing()
        if drawing is not None:
            export_drawing(self._app, drawing)

    def _on_export(self) -> None:
        kinds = f"One line for each {self._result.unit} (*.csv);;All (*.json)"
        ask_where(self, "Export", self._result.file_name, kinds, self.export)

    def export(self, path: Path) -> None:
        """Write the artifact as a table in a .csv, or everything as .json."""
        artifact = self._source.artifact
        if artifact is None:
            return
        try:
            quoted = self._app.preferences.quote_formulas
            write_artifacts(path, {artifact.kind: artifact}, quoted=quoted)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(f"{path.name} was written.")


def open_result(app: AppContext, result: RunResult, source: ArtifactSource | None = None) -> None:
    """Show the page of an artifact; without one, of the run behind the active model or the newest.

    Fields of the page are set to what is selected in the active model.
    """
    source = source or active_source(app, *result.artifacts)
    if source is None:
        return
    selection = app.workspace.selection  # another page in front forgets it
    key = f"{result.key}:{source.key}"
    make = partial(RunResultPage, key, app, source, result)
    page = app.open_page(key, make)
    assert isinstance(page, RunResultPage)
    page.select_in(selection)
