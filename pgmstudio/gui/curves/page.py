"""The SL-curves page: live plots, model selection by λ, tables, stop, resume and extend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from pgmstudio.core.experiments.curve_chart import Behind, Chart, chart_of
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, SizeName
from pgmstudio.core.io.curve_setup import CurveSetup, Loaded, curve_folder, load
from pgmstudio.core.io.experiments import POINTS, read_folder_plan
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import CurveEntry, Project
from pgmstudio.core.scores.local import lambda_bic
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.curves.controller import CurvesController
from pgmstudio.gui.curves.footer import CurvesFoot
from pgmstudio.gui.curves.inspector import CurvesSide
from pgmstudio.gui.curves.query_plot import VIEWS, QueryPlot
from pgmstudio.gui.curves.sweep_run import CurveRun, points_size, when_allowed, with_distance
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import close_welcome
from pgmstudio.gui.plots.model_scatter.hover_card import CardFacts, card_of
from pgmstudio.gui.plots.model_scatter.scatter import ModelScatter
from pgmstudio.gui.plots.model_scatter.sl_plot import SlPlot
from pgmstudio.gui.runs.size_choice import SizeChoice
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, Segments, button, hairline, row, tool_button, vbox
from pgmstudio.gui.widgets.combo_box import chooser, offer
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.image_file import Drawing
from pgmstudio.gui.widgets.page import Page

CURVES = "curves"
_SHORT, _LONG = 6, 20  # characters of the name of the view
PARTS = (
    ("both", "Both", "Test rows filled, training rows open."),
    ("test", "Test", "Test rows only."),
    ("training", "Training", "Training rows only."),
    ("side", "Apart", "Training rows and test rows in two plots, side by side."),
)


class CurvesBar(QWidget):
    """Toolbar of the SL-curves page; `changed` when another view is selected."""

    changed = Signal()
    table_requested = Signal()
    picture_requested = Signal()
    rows_requested = Signal()
    plan_requested = Signal()

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("curvesBar")
        tip = "SL-curves, or plots of random queries in the same models."
        self.view = chooser("curvesView", tip, _SHORT)
        offer(self.view, {CURVES: "SL-curves", **{key: view.title for key, view in VIEWS.items()}})
        self.view.currentIndexChanged.connect(self._on_changed)
        self.parts = Segments(PARTS, "curvesParts")
        self.parts.chosen.connect(self._on_part)
        tip = "Test rows filled, training rows hollow; one of them or both."
        self.part = chooser("curvesPart", tip, _SHORT)  # where the segments do not fit
        offer(self.part, {key: title for key, title, _ in PARTS})
        self.part.currentIndexChanged.connect(self._on_part_combo)
        self.size_choice = SizeChoice(app, "curvesSize")
        self.measure = self.size_choice.combo
        self.measure.currentIndexChanged.connect(self._on_changed)
        self.log = QCheckBox("Log")
        self.log.setObjectName("curvesLog")
        self.log.setAccessibleName("Logarithmic size axis")
        self.log.setToolTip("Logarithmic or linear size axis.")
        self.log.setChecked(True)
        self.log.clicked.connect(self._on_changed)
        self.table = tool_button(
            "table", "Show the points as a table.", self.table_requested.emit, name="curvesAsTable"
        )
        self.export = tool_button("export", "Export the plot or the points.", name="curvesExport")
        self.export.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.export)
        menu.setToolTipsVisible(True)
        for name, title, tip, signal in (
            ("curvesPicture", "Picture…", "the plot as SVG, PDF or PNG.", self.picture_requested),
            (
                "curvesCsv",
                "Points as a table…",
                "a line per point with all digits (.csv).",
                self.rows_requested,
            ),
            ("curvesPlan", "Plan…", "the plan for “pgmstudio sweep” (.json).", self.plan_requested),
        ):
            action = menu.addAction(title, signal.emit)
            action.setObjectName(name)
            action.setToolTip(f"Export {tip}")
        self.export.setMenu(menu)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 4, 10, 4)
        layout.setSpacing(8)
        for widget in (self.view, self.parts, self.part, self.measure, self.log):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addWidget(self.table)
        layout.addWidget(self.export)
        theme().changed.connect(self._restyle)
        self._restyle()

    @property
    def is_curves(self) -> bool:
        return bool(self.view.currentData() == CURVES)

    @property
    def size_name(self) -> SizeName:
        return self.size_choice.size_name

    def choose_view(self, key: str) -> None:
        """Plot something else."""
        self.view.setCurrentIndex(max(0, self.view.findData(key)))

    def _on_changed(self, *_: object) -> None:
        self.view.setMinimumContentsLength(_SHORT if self.is_curves else _LONG)
        self._fold()
        self.changed.emit()

    def _on_part(self, key: str) -> None:
        self.part.setCurrentIndex(self.part.findData(key))

    def _on_part_combo(self, *_: object) -> None:
        self.parts.choose(self.part.currentData())
        self._on_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        """Show segments where they fit, else a combo box."""
        always = (self.view, self.parts, self.measure, self.log, self.table, self.export)
        needed = sum(widget.sizeHint().width() + 8 for widget in always) + 20
        is_wide = self.width() >= needed
        self.parts.setVisible(self.is_curves and is_wide)
        self.part.setVisible(self.is_curves and not is_wide)
        self.measure.setVisible(self.is_curves)
        self.log.setVisible(self.is_curves)

    def _restyle(self) -> None:
        self.setFixedHeight(theme().px("view_bar"))
        self._fold()


class CurvesPlots(QStackedWidget):
    """The plots of the page: all show the same points and forward their requests."""

    chosen = Signal(object)  # CurvePoint
    pinned = Signal(object)
    lambda_moved = Signal(float)

    def __init__(self, show_text: Callable[[Behind], CardFacts]) -> None:
        super().__init__()
        self.plot, self.test_plot, self.queries = SlPlot(), SlPlot("slPlotTest"), QueryPlot()
        self.test_plot.has_legend = False
        self.test_plot.hide()
        self._chart = Chart()
        self._view = CURVES
        curves = QSplitter(Qt.Orientation.Horizontal)
        curves.setChildrenCollapsible(False)
        curves.addWidget(self.plot)
        curves.addWidget(self.test_plot)
        self.addWidget(curves)
        self.addWidget(self.queries)
        for plot in (self.plot, self.test_plot, self.queries):
            plot.make_card = show_text
            plot.chosen.connect(self.chosen)
            plot.pinned.connect(self.pinned)
        for each in self._curves:
            each.lambda_moved.connect(self.lambda_moved)
            each.moved.connect(self._on_moved)

    @property
    def _curves(self) -> tuple[SlPlot, SlPlot]:
        return self.plot, self.test_plot

    @property
    def in_front(self) -> list[ModelScatter]:
        """The plots that are written to a file, from left to right."""
        if self._view != CURVES:
            return [self.queries]
        return [plot for plot in self._curves if not plot.isHidden()]

    def show_chart(self, chart: Chart) -> None:
        self._chart = chart
        self.plot.show_chart(chart)
        if not self.test_plot.isHidden():
            self.test_plot.show_chart(chart)
            self.test_plot.follow(self.plot)
        if self._view != CURVES:
            self.queries.show_points(chart.points, self._view)

    def set_view(self, view: str, part: str, is_log: bool) -> None:
        """What is plotted; of the curves test rows, training rows, both, or each in a plot."""
        self._view = view
        self.setCurrentIndex(0 if view == CURVES else 1)
        is_apart = part == "side"
        self.test_plot.setVisible(is_apart)
        for plot in self._curves:
            plot.is_apart = is_apart
        self.plot.set_view(mode="training" if is_apart else part, is_log=is_log)
        if is_apart:
            self.test_plot.set_view(mode="test", is_log=is_log)
            self.test_plot.follow(self.plot)

    def _on_moved(self) -> None:
        """Side by side both show the same part: heights are to be compared across them."""
        moved = self.sender()
        for plot in self._curves:
            if plot is not moved and not plot.isHidden() and isinstance(moved, SlPlot):
                plot.follow(moved)

    def fit(self) -> None:
        """All that is in sight of them."""
        self.in_front[0].fit()  # the other plot follows

    def set_lambda(self, lambda_: float) -> None:
        for plot in self._curves:
            plot.set_lambda(lambda_)

    def set_truth(self, ceiling: float | None, truth: tuple[float, float] | None) -> None:
        for plot in self._curves:
            plot.set_truth(ceiling, truth)

    def set_pins(self, keys: Collection[str]) -> None:
        for plot in self._curves:
            plot.set_pins(keys)

    def mark_new(self, points: Iterable[CurvePoint]) -> None:
        """Highlight points that are new."""
        keys = [point.key for point in points]
        for plot in self._curves:
            plot.mark_new(keys)


REDRAW_MS, REDRAW_MANY_MS, MANY = 400, 600, 1000  # so many points take longer to work out
DETAILS_MS, TEXT_MS = 30, 250  # the plot first, and the window breathes between
LOOK_MS = 700  # how often a folder that others write to is looked at


class CurvesPage(Page):
    """One entry of the project; closing the tab stops its sweep, and nothing is lost by that."""

    icon_name = "chart-line"

    def __init__(self, app: AppContext, curve_id: str) -> None:
        super().__init__(f"curves:{curve_id}")
        self._app, self.curve_id = app, curve_id
        self._points: dict[str, CurvePoint] = {}
        self._known = Loaded()
        self._setup: tuple[object, CurveSetup | None] | None = None  # as it was last read
        self.run: CurveRun | None = None
        self._hidden: frozenset[str] = frozenset()
        self._seen_bytes = -1
        self._is_stale = False
        self.chart = Chart()
        self.commands = CurvesController(app, self)
        self.bar = CurvesBar(app)
        self.plots = CurvesPlots(self._card)
        self.plot, self.test_plot = self.plots.plot, self.plots.test_plot
        self.queries = self.plots.queries
        self.foot = CurvesFoot()
        self.side = CurvesSide()
        self.note = Note("", "warning", "curvesNote")
        self.compare = button(
            "Compare beliefs with the best model",
            self.commands.compare_beliefs,
            name="curvesCompare",
            tip="Compute the same queries in every model and measure the distance of the beliefs.",
        )
        self._charts = self._latest_task(self._on_chart)
        self._loads = self._latest_task(self._on_loaded)
        self._soon = one_shot(self, self._ask_chart, REDRAW_MS)
        self._then = one_shot(self, self._show_details, DETAILS_MS)
        self._text_timer = one_shot(self, self._refresh_text, TEXT_MS)
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self._on_look)
        self._clock = QTimer(self)  # the time is shown also while a run reports nothing
        self._clock.setInterval(500)
        self._clock.timeout.connect(self._on_clock)
        self._lay_out()
        self._connect()
        self.commands.refresh()
        self._look.start()
        self._load()
        self._soon.start()
        self._refresh_text()

    def _latest_task(self, on_answer: Callable[[Any], None]) -> LatestTask:
        return LatestTask(self, on_answer, self._app.errors.report)

    def _lay_out(self) -> None:
        upper = QWidget()
        upper.setProperty("role", "surface")
        vbox(
            upper, self.note, (self.plots, 1), row(None, self.compare, None), margins=(8, 8, 12, 6)
        )
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(upper)
        split.addWidget(self.foot)
        split.setStretchFactor(0, 1)
        split.setSizes([560, 200])
        vbox(self, self.bar, hairline(), (split, 1), spacing=0)

    def _connect(self) -> None:
        self.plots.chosen.connect(self.commands.open_model)
        self.plots.pinned.connect(self.commands.toggle_pin)
        self.plots.lambda_moved.connect(self.set_lambda)
        self.bar.changed.connect(self._on_view)
        self.bar.table_requested.connect(self.foot.turn_table)
        self.bar.picture_requested.connect(self.commands.export_picture)
        self.bar.rows_requested.connect(self.commands.ask_for_table)
        self.bar.plan_requested.connect(self.commands.ask_for_plan)
        self.foot.stop_requested.connect(self.stop)
        self.foot.resume_requested.connect(self.resume)
        self.foot.extend_requested.connect(self.commands.extend)
        self.foot.table_changed.connect(self._fill_table)
        self.foot.points.chosen.connect(self._on_row_chosen)
        self.side.hidden_changed.connect(self.hide_curves)
        self.side.lambda_chosen.connect(self.set_lambda)
        self.side.open_requested.connect(self.commands.open_model)
        self.commands.compared.connect(self.take_points)
        self._app.document.changed.connect(self._on_document)

    # -- what it is

    @property
    def entry(self) -> CurveEntry | None:
        return self._app.project.curves.get(self.curve_id)

    @property
    def setup(self) -> CurveSetup | None:
        entry = self.entry
        if entry is None:
            return None
        if self._setup is None or self._setup[0] is not entry.setup:
            self._setup = entry.setup, CurveSetup.of(entry.setup)
        return self._setup[1]

    @property
    def folder(self) -> Path | None:
        return None if self.entry is None else curve_folder(self.entry, self._app.document.path)

    @property
    def points(self) -> list[CurvePoint]:
        return list(self._points.values())

    @property
    def passing(self) -> list[CurvePoint]:
        """Interim results of the runs in progress; they are plotted and not saved."""
        if self.run is None or not self.run.is_running:
            return []
        return [point for own in self.run.passing.values() for point in own.values()]

    @property
    def is_settled(self) -> bool:
        """Whether all points there are stand on the plot and in the tables."""
        is_requested = self._charts.is_waiting or self.foot.is_filling
        is_soon = self._soon.isActive() or self._then.isActive()
        shown = len(self._points) + len(self.passing)
        return not is_requested and not is_soon and len(self.chart.points) == shown

    @property
    def title(self) -> str:
        return "SL-curves" if self.entry is None else self.entry.title

    def about_data(self) -> str | None:
        return None if self.entry is None else self.entry.data_id

    def inspector(self) -> QWidget | None:
        return self.side

    def drawing(self) -> Drawing | None:
        return self.commands.drawing()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Make 0 fit the plot, also before it was clicked."""
        if event.key() == Qt.Key.Key_0:
            self.plots.fit()
        else:
            super().keyPressEvent(event)

    def closed(self) -> None:
        self._look.stop()
        self._clock.stop()
        for asked in (self._charts, self._loads, self.foot, self.commands):
            asked.forget()
        if self.run is not None and self.run.is_running:
            self.run.stop()
            self._app.notify(f"The sweep of {self.title} stops; opened again it can be resumed.")
        self.side.deleteLater()

    def _on_document(self, before: Project, after: Project) -> None:
        if before.curves is after.curves:
            return
        if self.entry is None:
            self._app.center.close_page(self)
            return
        self.title_changed.emit()
        self._show_pins()

    # -- points

    def _load(self) -> None:
        folder = self.folder
        there = folder is not None and (folder / POINTS).is_file()
        self._seen_bytes = points_size(folder)
        entry = self.entry
        saved_points = () if entry is None else entry.points
        self._loads.ask(
            partial(load, self.setup, self._app.project, folder if there else None, saved_points)
        )

    def _on_loaded(self, known: Loaded) -> None:
        self._known = known
        if known.points or known.series is not None:
            fresh = [point for point in known.points if point.key not in self._points]
            if known.points:
                before = self._points
                self._points = {p.key: with_distance(p, before.get(p.key)) for p in known.points}
            if fresh and self.chart.points:
                self.plots.mark_new(fresh)
        self.plots.set_truth(known.ceiling, known.truth)
        if self.plot.lambda_ is None and known.train_rows:
            self.set_lambda(round(lambda_bic(max(2.0, float(known.train_rows))), 3))
        if self.run is not None and not self.run.is_running:
            self.commands.keep_points()
        self._soon.start()
        self._refresh_text()

    def _on_look(self) -> None:
        """Reload points that were added elsewhere: by the command line or a running comparison."""
        is_busy = self.run is not None and self.run.is_running
        if is_busy or self._loads.is_waiting:
            return
        if points_size(self.folder) != self._seen_bytes:
            self._load()

    def take_points(self, points: Sequence[CurvePoint]) -> None:
        """New points, or points that know more than before."""
        self._points |= {point.key: point for point in points}
        self._show_soon()

    def _show_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start(REDRAW_MS if len(self._points) < MANY else REDRAW_MANY_MS)

    def _on_points_found(self, points: list[CurvePoint]) -> None:
        self.take_points(points)
        self.plots.mark_new(points)

    # -- running

    def resume(self) -> None:
        """Make the runs that are not done."""
        setup, folder = self.setup, self.folder
        if self._why_not() is None and setup is not None and folder is not None:
            when_allowed(self._app, setup.cluster, folder, partial(self._run, setup, folder))

    def _run(self, setup: CurveSetup, folder: Path) -> None:
        self._loads.forget()  # the run reads the folder itself
        self.run = run = CurveRun(setup, self._app.project, folder, self)
        run.loaded.connect(self._on_loaded)
        run.points_found.connect(self._on_points_found)
        run.passed.connect(self._show_soon)
        run.changed.connect(self._on_run_changed)
        run.ended.connect(self._on_ended)
        run.failed.connect(self._on_failed)
        self._app.workspace.background_runs.add(run)
        run.start()
        self._clock.start()
        self._refresh_text()

    def stop(self) -> None:
        """Stop the sweep; Resume continues from there."""
        if self.run is not None:
            self.run.stop()
            self._refresh_text()

    def _on_run_changed(self) -> None:
        """Update the text with a delay: batches arrive thirty times a second."""
        if not self._text_timer.isActive():
            self._text_timer.start()

    def _why_not(self) -> str | None:
        if self.run is not None and self.run.is_running:
            return "the sweep is running."
        if self.setup is None:
            return "the plan of these curves is not known."
        return self._known.problem or None

    def _on_clock(self) -> None:
        self._refresh_text()
        if self.foot.which.current == "curves":
            self._fill_table()

    def _on_ended(self) -> None:
        self._clock.stop()
        self._load()  # a run that was made again may have left fewer points than it had before
        self._on_clock()

    def _on_failed(self, error: object) -> None:
        self.note.show_text(str(error), "danger")
        self._app.errors.report(error)  # type: ignore[arg-type]

    # -- what is shown

    def hide_curves(self, hidden: object) -> None:
        """Leave curves out of the plot, the front and what λ selects."""
        assert isinstance(hidden, set | frozenset)
        self._hidden = frozenset(hidden)
        self._ask_chart()

    def set_lambda(self, lambda_: float) -> None:
        """Let the line of equal score have another slope."""
        self.plots.set_lambda(lambda_)
        self.side.show_lambda(lambda_, self.plot.selected())

    @property
    def pinned(self) -> frozenset[str]:
        return frozenset() if self.entry is None else frozenset(self.entry.pinned)

    def _show_pins(self) -> None:
        self.plots.set_pins(self.pinned)
        entry = self.entry
        keys = () if entry is None else entry.pinned
        self.side.show_pins([self._points[key] for key in keys if key in self._points])
        self._fill_table()

    def _ask_chart(self) -> None:
        """Compute the details in the background; what arrives meanwhile is included the next
        time."""
        if self._charts.is_waiting:
            self._is_stale = True
            return
        self._is_stale = False
        points, hidden, size = self.points + self.passing, self._hidden, self.bar.size_name
        self._charts.ask(lambda _cancel: chart_of(points, size, hidden))

    def _on_chart(self, chart: Chart) -> None:
        self.chart = chart
        self.plots.show_chart(chart)
        self._then.start()
        if self._is_stale:
            self._soon.start()

    def _show_details(self) -> None:
        """What stands around the plot."""
        self.side.show_chart(self.chart, self._hidden, self._facts())
        self.side.show_lambda(self.plot.lambda_, self.plot.selected())
        self._show_pins()
        self.facts_changed.emit()

    def _facts(self) -> str:
        data = self._app.project.data.get(self.about_data() or "")
        train, test = self._known.train_rows, self._known.test_rows
        facts = ["" if data is None else data.name]
        if train is not None and test is not None:
            facts.append(f"{grouped(train)} training rows, {grouped(test)} test rows")
        return " · ".join(filter(None, facts)) or counted(len(self._points), "point")

    def data_facts(self) -> str | None:
        return f"{counted(len(self._points), 'model')} on this plot · {self._facts()}"

    def _on_view(self) -> None:
        bar = self.bar
        self.plots.set_view(bar.view.currentData(), bar.parts.current, bar.log.isChecked())
        self.commands.refresh()
        self._ask_chart()

    def _fill_table(self) -> None:
        self.foot.fill(self.points, self.chart, self.pinned, self._known, self.run)

    def _on_row_chosen(self, number: int) -> None:
        points = self.points
        if number < len(points):
            self.commands.open_model(points[number])

    def _card(self, behind: Behind) -> CardFacts:
        return card_of(behind, self.chart, self.pinned)

    def _refresh_text(self) -> None:
        can_extend = self.setup is not None and self.setup.rows is not None
        self.foot.show_state(
            self.run,
            self._known,
            len(self._points),
            disabled_reason=self._why_not(),
            can_extend=can_extend,
        )


def open_curves(app: AppContext, what: str | Path) -> CurvesPage:
    """The live plot of some curves: those of the project by their id, or those of a folder.

    A folder of points that the project does not know yet becomes curves of the project; points that
    are added to it, by whomever, appear as they come.
    """
    curve_id = what if isinstance(what, str) else _curves_of_folder(app, what)
    close_welcome(app)
    page = app.open_page(f"curves:{curve_id}", partial(CurvesPage, app, curve_id))
    assert isinstance(page, CurvesPage)
    return page


def _curves_of_folder(app: AppContext, folder: Path) -> str:
    folder = folder.resolve()
    for key, entry in app.project.curves.items():
        if entry.folder and Path(entry.folder).resolve() == folder:
            return key
    plan = read_folder_plan(folder)
    title = folder.stem if plan is None else plan.title or folder.stem
    setup = {} if plan is None else {"plan": plan.plain()}
    curve_id = app.project.next_curve_id()
    entry = CurveEntry(title, (), None, setup, str(folder))
    app.change(f"Open {title}", partial(edits.add_curve, entry=entry))
    return curve_id
