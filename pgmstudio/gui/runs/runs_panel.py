"""The runs: a table of what waits, runs and ended, and the live plot of the selected one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QIcon, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.project.edits import remove_run
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.learning_run import LearningRun, score_text
from pgmstudio.gui.runs.recorded_run import (
    AnyRun,
    RecordedRun,
    model_of,
    record_of,
    runs_of,
)
from pgmstudio.gui.runs.run_summary import number_label, progress_text, shown_counters, state_text
from pgmstudio.gui.runs.score_plot import HELD, ScorePlot
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, row
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.grid_view import dress_head

Index = QModelIndex | QPersistentModelIndex
FRACTION = Qt.ItemDataRole.UserRole
BAR_WIDTH, BAR_HEIGHT = 58, 4  # px at 100 %
ADJACENCY = "adjacency"  # what a run of mixtures keeps
HEADERS = ("Run", "State", "Score ↑", "Time")
_STATE_ICONS = {
    JobState.QUEUED: ("hourglass", "text_secondary"),
    JobState.RUNNING: ("play-circle", "accent"),
    JobState.CANCELLING: ("hourglass", "warning_ink"),
    JobState.FINISHED: ("check-circle", "success_ink"),
    JobState.CANCELLED: ("stop-circle", "warning_ink"),
    JobState.FAILED: ("warning-circle", "danger_ink"),
}


class RunTable(QAbstractTableModel):
    """One row per run of the project: the recorded ones, then the queue in the order they start."""

    def __init__(self, app: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._queue = app, app.workspace.runs
        self._runs: list[AnyRun] = []
        self._queue.run_added.connect(self._refresh)
        self._queue.order_changed.connect(self._refresh)
        self._queue.run_changed.connect(self._on_changed)
        app.document.changed.connect(self._on_document_changed)
        self._refresh()

    @property
    def runs(self) -> tuple[AnyRun, ...]:
        return tuple(self._runs)

    def run_at(self, row_number: int) -> AnyRun | None:
        return self._runs[row_number] if 0 <= row_number < len(self._runs) else None

    def _on_document_changed(self, before: Project, after: Project) -> None:
        if before.runs is not after.runs:
            self._refresh()

    def _refresh(self, *_: object) -> None:
        self.beginResetModel()
        self._runs = runs_of(self._app.project, self._queue.runs)
        self.endResetModel()

    def _on_changed(self, run: LearningRun) -> None:
        if run in self._runs:
            number = self._runs.index(run)
            self.dataChanged.emit(self.index(number, 0), self.index(number, len(HEADERS) - 1))

    def tick(self) -> None:
        """Times go on also when a run is silent."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 1), self.index(self.rowCount() - 1, 3))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return len(self._runs)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return len(HEADERS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side_of(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        run = self.run_at(index.row())
        if run is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(run, index.column())
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0:
            return _state_icon(run)
        if role == FRACTION and index.column() == 1:
            is_busy = run.state is JobState.RUNNING and not run.is_paused
            return run.progress.fraction if is_busy else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{run.title}: {state_text(run)}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side_of(index.column())
        return None

    def _text(self, run: AnyRun, column: int) -> str:
        if column == 0:
            return run.title
        if column == 1:
            return progress_text(run)
        if column == 2:
            score = run.measures.get("score", run.progress.counters.get("score"))
            return "" if score is None else score_text(run.learner_key, score)
        minutes, seconds = divmod(round(run.seconds), 60)
        return f"{minutes}:{seconds:02d}" if run.seconds else ""


def _side_of(column: int) -> int:
    """Alignment of a column and its heading: text left, numbers right."""
    side = Qt.AlignmentFlag.AlignRight if column >= 2 else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)


def _state_icon(run: AnyRun) -> QIcon:
    name, color = _STATE_ICONS[run.state]
    return icon("pause", "warning_ink") if run.is_paused else icon(name, color)


class _ProgressDelegate(QStyledItemDelegate):
    """Draws a short progress bar before the percentage of a run."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        fraction = index.data(FRACTION)
        if fraction is None:
            super().paint(painter, option, index)
            return
        wide, high = (round(size * theme().scale) for size in (BAR_WIDTH, BAR_HEIGHT))
        shifted = QStyleOptionViewItem(option)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme().color("selection"))
        shifted.rect = option.rect.adjusted(wide + 8, 0, 0, 0)
        super().paint(painter, shifted, index)
        top = option.rect.center().y() - high // 2 + 1
        whole = QRectF(option.rect.left() + 4, top, wide, high)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("belief_track"))
        painter.drawRoundedRect(whole, high / 2, high / 2)
        painter.setBrush(theme().color("accent"))
        done = QRectF(whole.left(), whole.top(), max(high, whole.width() * fraction), high)
        painter.drawRoundedRect(done, high / 2, high / 2)
        painter.restore()


class _NameDelegate(QStyledItemDelegate):
    """Leaves a gap between a name and the state next to it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(theme().space(3), 0)


class RunsPanel(QWidget):
    """Table at the left, live plot at the right, what can be done with the selected run on top."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("runs")
        self._app = app
        self._table = RunTable(app, self)
        self._chosen: AnyRun | None = None  # while the table is made anew
        self._is_resetting = False
        self._view = QTableView()
        self._view.setObjectName("runTable")
        self._view.setAccessibleName("Runs")
        self._view.setToolTip("Runs in the order they start; the menu has more.")
        self._view.setModel(self._table)
        self._view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._view.setShowGrid(False)
        self._view.setItemDelegateForColumn(0, _NameDelegate(self._view))
        self._view.setItemDelegateForColumn(1, _ProgressDelegate(self._view))
        self._view.verticalHeader().hide()
        header = self._view.horizontalHeader()
        # The state text may be long; name, score and time are never elided.
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        for column in (0, 2, 3):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._view.customContextMenuRequested.connect(self._on_menu)
        self._plot = ScorePlot()
        self._status = ElidedLabel("", "secondary", size="dense")
        self._status.elide = Qt.TextElideMode.ElideRight  # a list, the first is what matters most
        self._status.setObjectName("runStatus")
        theme().changed.connect(self._restyle)
        self._restyle()
        self._open = button(
            "Open best",
            self._on_open,
            name="runOpenBest",
            tip="The best model so far, to look at, question and edit.",
        )
        self._pause = button(
            "Pause",
            self._on_pause,
            role="link",
            icon_name="pause",
            name="runPause",
            tip="Pause the run; press again to resume.",
        )
        self._stop = button(
            "Stop, keep best",
            self._on_stop,
            icon_name="stop",
            name="runStop",
            tip="End the run within a second; the best model so far is saved.",
        )
        splitter = QSplitter()
        splitter.addWidget(self._view)
        splitter.addWidget(self._plot)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([600, 400])  # the plot alone would ask for most of it
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 0)
        layout.setSpacing(2)
        head = row(self._status, self._open, self._pause, self._stop)
        head_layout = head.layout()
        assert isinstance(head_layout, QHBoxLayout)
        head_layout.setStretch(0, 1)
        layout.addWidget(head)
        layout.addWidget(splitter, 1)
        self._view.selectionModel().currentRowChanged.connect(self._on_selected)
        self._view.clicked.connect(self._on_clicked)
        runs = app.workspace.runs
        runs.run_added.connect(self._on_added)
        runs.run_changed.connect(self._on_changed)
        runs.order_changed.connect(self._refresh)
        self._table.modelAboutToBeReset.connect(self._on_resetting)
        self._table.modelReset.connect(self._on_reset)
        app.document.changed.connect(self._refresh)
        self._clock = QTimer(self)
        self._clock.setInterval(500)
        self._clock.timeout.connect(self._on_tick)
        self._refresh()

    @property
    def selected(self) -> AnyRun | None:
        return self._table.run_at(self._view.currentIndex().row())

    @property
    def _live(self) -> LearningRun | None:
        """The selected run, if it is one of the queue."""
        run = self.selected
        return run if isinstance(run, LearningRun) else None

    def _on_resetting(self) -> None:
        self._chosen, self._is_resetting = self.selected, True

    def _on_reset(self) -> None:
        """Keep the selection, else select the newest run; this does not show the panel."""
        runs = self._table.runs
        if runs:
            known = self._chosen in runs
            self._view.selectRow(runs.index(self._chosen) if known else len(runs) - 1)
        self._is_resetting = False
        if self.selected != self._chosen:
            self._plot.show_run(self.selected)
        self._refresh()

    def _restyle(self) -> None:
        self._view.setProperty("textSize", "dense")
        dress_head(self._view.horizontalHeader())
        self._view.verticalHeader().setDefaultSectionSize(theme().px("row"))

    def _on_added(self, run: LearningRun) -> None:
        self._view.selectRow(self._table.runs.index(run))
        self._on_selected()  # the table, made anew, has selected it already
        self._clock.start()
        self._refresh()

    def _on_changed(self, run: LearningRun) -> None:
        if run is self.selected:
            self._plot.refresh_soon()
        self._refresh()

    def _on_tick(self) -> None:
        self._table.tick()
        if not self._app.workspace.runs.running:
            self._clock.stop()

    def _on_selected(self, *_: object) -> None:
        if self._is_resetting:
            return
        self._plot.show_run(self.selected)
        self._app.workspace.runs.look_at(self._live)
        self._refresh()

    def _on_clicked(self, _index: QModelIndex) -> None:
        """Also a click on the run that was selected before wants to see it."""
        self._app.workspace.runs.look_at(self._live)

    def _refresh(self, *_: object) -> None:
        run = self.selected
        if run is None:
            self._status.setText("No runs yet. Learn ▸ Learn… starts one.")
        else:
            self._status.setText(" · ".join(_counters(run)))
        self._status.setToolTip(self._status.text())
        busy = run is not None and run.state is JobState.RUNNING
        self._open.setEnabled(run is not None and self._has_best(run))
        self._pause.setEnabled(busy)
        is_paused = run is not None and run.is_paused
        self._pause.setText("Go on" if is_paused else "Pause")
        self._pause.show_icon("play" if is_paused else "pause")
        self._stop.setEnabled(run is not None and not run.state.is_end)

    def _has_best(self, run: AnyRun) -> bool:
        """Of a recorded run there is only the model in the project."""
        is_live = isinstance(run, LearningRun) and run.best is not None
        return is_live or model_of(self._app.project, run) is not None

    def _on_open(self) -> None:
        from pgmstudio.gui.runs.live_model import open_best

        if self.selected is not None:
            open_best(self._app, self.selected)

    def _on_pause(self) -> None:
        run = self._live
        if run is not None:
            (run.resume if run.is_paused else run.pause)()

    def _on_stop(self) -> None:
        if self._live is not None:
            self._live.stop()

    def _on_menu(self, position: QPoint) -> None:
        run = self._table.run_at(self._view.indexAt(position).row())
        if run is None:
            return
        queue = self._app.workspace.runs
        menu = QMenu(self)
        if self._has_best(run):
            menu.addAction("Open best", self._on_open)
        if ADJACENCY in run.kept:
            menu.addAction("Edges of restarts", lambda: self._show_edges(run))
        menu.addAction("Run again with changes", lambda: self._again(run))
        if isinstance(run, LearningRun):
            if run.no_steps_reason is None:
                menu.addAction("Step through", lambda: self._walk(run))
            if run.state is JobState.QUEUED:
                menu.addAction("Start earlier", lambda: queue.move(run, queue.runs.index(run) - 1))
                menu.addAction("Start later", lambda: queue.move(run, queue.runs.index(run) + 1))
            if not run.state.is_end and run.state is not JobState.QUEUED:
                menu.addAction("Stop, keep best", run.stop)
        if run.state.is_end or run.state is JobState.QUEUED:
            menu.addAction("Remove", lambda: self._remove(run))
        menu.popup(self._view.viewport().mapToGlobal(position))

    def _remove(self, run: AnyRun) -> None:
        """Off the list and out of the project; its model stays."""
        project = self._app.project
        run_id = run.run_id if isinstance(run, RecordedRun) else record_of(project, run)
        if run_id is not None:
            self._app.change(f"Remove run {run.title}", partial(remove_run, run_id=run_id))
        if isinstance(run, LearningRun):
            self._app.workspace.runs.remove(run)

    def _show_edges(self, run: AnyRun) -> None:
        from pgmstudio.gui.navigation import open_run_result

        source = run.run_id if isinstance(run, RecordedRun) else run
        open_run_result(self._app, ADJACENCY, ArtifactSource(self._app, ADJACENCY, source))

    def _walk(self, run: LearningRun) -> None:
        from pgmstudio.gui.navigation import open_pdg_steps

        run.pause()
        open_pdg_steps(self._app, run)

    def _again(self, run: AnyRun) -> None:
        from pgmstudio.gui.navigation import open_learn_page
        from pgmstudio.gui.runs.run_recorder import run_recorder

        if isinstance(run, RecordedRun):
            request = run_recorder(self._app).request_of(run.run_id)
        else:
            request = run.request
        if request is not None:
            open_learn_page(self._app).fill(request)


def _counters(run: AnyRun) -> list[str]:
    """Counters of the run as text."""
    parts = [state_text(run)]
    for name, value in list(shown_counters(run).items())[:5]:
        is_score = "score" in name or name == HELD
        shown = score_text(run.learner_key, value) if is_score else number_label(value)
        parts.append(f"{name} {shown}")
    return parts
