"""Footer of the SL-curves page: progress, stop and resume, and tables of curves and points."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QListWidget, QSizePolicy, QStackedWidget, QWidget

from pgmstudio.core.experiments.curve_chart import Chart
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.curve_setup import Loaded
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.curves.sweep_run import CurveRun, progress_text
from pgmstudio.gui.curves.tables import CURVE_COLUMNS, POINT_COLUMNS, curve_rows, point_rows
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.widgets.basic import (
    Segments,
    allow,
    button,
    named,
    progress_bar,
    row,
    vbox,
    widening,
)
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.table import Table


class FixedWidthLabel(QWidget):
    """Label that fills the available width and has the height of one line of text.

    A plain label announces a new size hint with every text, and the window would lay out all of
    its panels again, several times a second while something runs.
    """

    def __init__(self, name: str, role: str = "secondary") -> None:
        super().__init__()
        self.label = named(ElidedLabel("", role, parent=self), name)
        self.label.elide = Qt.TextElideMode.ElideRight
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """The text shown."""
        return self.label.text()

    def setText(self, status: str) -> None:
        """Set the text and, since it may be elided, the same tooltip."""
        if status != self.label.text():
            self.label.setText(status)
            self.label.setToolTip(status)

    def sizeHint(self) -> QSize:
        return QSize(24, self.label.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.label.setFixedSize(event.size())


TABLES = (
    ("curves", "Curves", "One line for each curve."),
    ("points", "Points", "One line for each model; double-click to open it."),
    ("notes", "Notes", "Notes on runs that failed or were stopped early."),
)


class CurvesFoot(QWidget):
    """Footer of the page; its buttons send requests as signals."""

    stop_requested = Signal()
    resume_requested = Signal()
    extend_requested = Signal()
    table_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("curvesFoot")
        self.which = Segments(TABLES, "curvesTables")
        self.which.chosen.connect(self.show_table)
        self.status = FixedWidthLabel("curvesStatus")
        self.bar = progress_bar("curvesProgress", "Progress of the sweep", 110)
        self.stop = button(
            "Stop",
            self.stop_requested.emit,
            icon_name="stop",
            name="curvesStop",
            tip="Stop; the points so far are preserved, and Resume continues.",
        )
        self.resume = button(
            "Resume",
            self.resume_requested.emit,
            role="primary",
            icon_name="play",
            name="curvesResume",
            tip="Continue with the runs that are not finished.",
        )
        self.extend = button(
            "Extend…",
            self.extend_requested.emit,
            icon_name="plus",
            name="curvesExtend",
            tip="Add learners, values or seeds to this plan; its points are preserved.",
        )
        self.curves = Table("curvesTable", "Curves of the plan", CURVE_COLUMNS, key=tuple)
        self.points = Table(
            "curvesPoints",
            "Points; a double-click opens",
            POINT_COLUMNS,
            key=tuple,
            rows_measured=24,
            has_room_for_help=False,
        )
        self.notes = QListWidget()
        self.notes.setObjectName("curvesNotes")
        self.notes.setAccessibleName("Notes on runs")
        self.notes.setToolTip("Notes on runs that failed or were stopped early.")
        self.notes.setWordWrap(True)
        self._pages = QStackedWidget()
        for page in (self.curves, self.points, self.notes):
            self._pages.addWidget(page)
        head = row(self.which, self.status, self.bar, self.stop, self.resume, self.extend)
        self._rows = LatestTask(self, self._on_rows)
        vbox(self, widening(head, 1), (self._pages, 1), margins=(10, 6, 10, 6), spacing=6)

    def show_table(self, key: str) -> None:
        """Show the curves, the points or the notes."""
        self.which.choose(key)
        self._pages.setCurrentIndex([name for name, _, _ in TABLES].index(key))
        self.table_changed.emit()

    def turn_table(self) -> None:
        """Switch between the tables of curves and points."""
        self.show_table("curves" if self.which.current == "points" else "points")

    def fill(
        self,
        points: Sequence[CurvePoint],
        chart: Chart,
        pinned: frozenset[str],
        known: Loaded,
        run: CurveRun | None,
    ) -> None:
        """Fill the table in front, in the background: thousands of points take long."""
        if self.which.current == "points":
            self._rows.ask(lambda _cancel: (self.points, point_rows(points, chart, pinned)))
        elif self.which.current == "curves":
            done = known.done if run is None else known.done | run.done
            started = frozenset() if run is None else frozenset(run.started)
            state = None if run is None else run.state
            self._rows.ask(
                lambda _cancel: (self.curves, curve_rows(points, known, done, started, state))
            )

    def _on_rows(self, made: tuple[Table, list[tuple[object, ...]]]) -> None:
        table, rows = made
        table.show_rows(rows)

    @property
    def is_filling(self) -> bool:
        return self._rows.is_waiting

    def forget(self) -> None:
        """The page is gone."""
        self._rows.forget()

    def show_state(
        self,
        run: CurveRun | None,
        known: Loaded,
        points: int,
        *,
        disabled_reason: str | None,
        can_extend: bool,
    ) -> None:
        """Show the state of the sweep; `disabled_reason` is why it cannot be resumed."""
        is_running = run is not None and run.is_running
        is_whole = known.is_whole or (run is not None and run.state is JobState.FINISHED)
        self.stop.setVisible(is_running)
        self.stop.setEnabled(run is not None and run.state is JobState.RUNNING)
        self.resume.setVisible(not is_running and not is_whole)
        self.resume.setText("Resume" if points else "Start")
        allow(self.resume, disabled_reason)
        self.extend.setVisible(not is_running)
        reason = None if can_extend and not is_running else "the plan is not one of this project."
        allow(self.extend, reason)
        if run is None:
            text = counted(points, "point") if points else "No point yet"
            if known.series and not is_whole:
                all_runs = counted(len(known.series), "run")
                text += f" · {grouped(len(known.done))} of {all_runs} done"
            self.show_text(text, None)
            return
        fraction, counters = run.progress.fraction or 0.0, run.progress.counters
        text = progress_text(
            run.state,
            run.progress.message,
            int(counters.get("run", 0)),
            int(counters.get("of", 0)),
            run.new_points,
            run.seconds,
            fraction,
            run.fraction_before,
        )
        self.show_text(text, fraction if is_running else None)
        self.show_notes(run.problems)

    def show_text(self, text: str, fraction: float | None) -> None:
        """Show the status text and the progress; None hides the bar."""
        self.status.setText(text)
        self.bar.setVisible(fraction is not None)
        if fraction is not None:
            self.bar.setValue(round(1000 * fraction))

    def show_notes(self, notes: Sequence[str]) -> None:
        title = f"Notes {grouped(len(notes))}" if notes else "Notes"
        self.which.button("notes").setText(title)
        if self.notes.count() != len(notes):
            self.notes.clear()
            self.notes.addItems(list(notes))
