"""Reports of the project and of experiments, and every run of the project done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices

from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import CurveEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.job import Job
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.file_dialog import choose_folder, choose_target

if TYPE_CHECKING:
    from pgmstudio.core.experiments.plans.expansion import PlanRows
    from pgmstudio.core.reports.report import ReportOptions
    from pgmstudio.core.reports.reproduction import Reproduced
    from pgmstudio.gui.export.report_run import ReportRun

ENDING = ".html"
KINDS = {ENDING: "Web page", ".pdf": "PDF"}
FindRows = Callable[[], "PlanRows | None"]


def show_page(path: Path) -> None:
    """Open a page in the browser."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


class ReportCommands(QObject):
    """Asks where a report goes, has it written in a process of its own, and shows it."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._run: ReportRun | None = None
        self._options: ReportOptions | None = None  # of the last report
        self._writer = LatestTask(self, self._on_written, self._on_failed)

    def no_content(self) -> str | None:
        project = self._app.project
        if project.data or project.models or project.curves:
            return None
        return "the project is empty. Import data or draw a model first."

    def no_runs(self) -> str | None:
        return None if self._app.project.runs else "nothing was learned here yet."

    def no_writer(self) -> str | None:
        is_busy = self._writer.is_waiting or self._run is not None
        return "a report is being written." if is_busy else None

    def of_project(self, *, again: bool = False) -> None:
        """Write a report; with `again` every run is repeated first and compared."""
        from pgmstudio.core.reports.report import project_title
        from pgmstudio.gui.export.report_dialog import ReportDialog

        project, path = self._app.project, self._app.document.path
        source = path.name if path is not None else ""
        title = project_title(project, source)
        target = self._app.workspace.target
        dialog = ReportDialog(project, title, target, self._options, self._app.window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def write(options: ReportOptions, ending: str) -> None:
            self._options = options
            path = self._target(title, ending)
            if path is not None:
                self._write(project, path, source, again)

        dialog.accepted_with.connect(write)
        dialog.open()

    def of_experiment(self, *, again: bool = False) -> None:
        """The folder of the current curves, or one that is chosen."""
        entry = self._curves_in_front()
        folder = self._folder_of(entry)
        if entry is None or folder is None:
            entry, folder = None, self._chosen_folder()
        if folder is None:
            return
        target = self._target(folder.stem if entry is None else entry.title or folder.stem)
        if target is not None:
            find_rows = partial(_rows_of, entry, self._app.project)
            self._write(folder, target, str(folder), again, find_rows)

    def _curves_in_front(self) -> CurveEntry | None:
        curve_id = getattr(self._app.center.current, "curve_id", None)
        return self._app.project.curves.get(curve_id or "")

    def _folder_of(self, entry: CurveEntry | None) -> Path | None:
        from pgmstudio.core.io.curve_setup import curve_folder

        folder = None if entry is None else curve_folder(entry, self._app.document.path)
        return folder if folder is not None and folder.is_dir() else None

    def _chosen_folder(self) -> Path | None:
        title = "Folder of an experiment"
        return choose_folder(self._app.window, "experiment", title, first=self._project_folder)

    def _target(self, name: str, ending: str = ENDING) -> Path | None:
        chosen = choose_target(
            self._app.window,
            "report",
            "Write report",
            f"{name}{ending}",
            f"{KINDS[ending]} (*{ending})",
            first=self._project_folder,
        )
        if chosen is None:
            return None
        path, _ = chosen
        is_known = path.suffix.lower() in (*KINDS, ".htm")
        return path if is_known else path.with_name(path.name + ending)

    @property
    def _project_folder(self) -> Path | None:
        path = self._app.document.path
        return None if path is None else path.parent

    def _write(
        self,
        subject: Project | Path,
        target: Path,
        source: str,
        again: bool,
        find_rows: FindRows = lambda: None,
    ) -> None:
        options = self._options if isinstance(subject, Project) else None
        if again:
            self._write_again(subject, target, source, find_rows, options)
            return
        self._writer.follow(partial(_written, subject, target, source, find_rows, options))
        self._app.log("info", f"Writing {target.name}.")

    def _write_again(
        self,
        subject: Project | Path,
        target: Path,
        source: str,
        find_rows: FindRows,
        options: ReportOptions | None,
    ) -> None:
        from pgmstudio.gui.export.report_run import ReportRun

        if self._run is not None:
            return
        self._run = run = ReportRun(subject, target, source, self, find_rows, options)
        run.failed.connect(self._on_failed)
        run.ended.connect(self._on_ended)
        self._app.workspace.background_runs.add(run)
        run.start()
        self._app.notify(f"Everything is run again for {target.name}; the run signal stops it.")

    def _on_ended(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        run.deleteLater()
        for one in run.done:
            level = "warning" if one.is_same is False else "info"
            self._app.log(level, f"{one.title}: {one.summary}")
        if run.written is not None:
            self._on_written(run.written)
        self._app.actions.refresh()

    def _on_written(self, path: object) -> None:
        assert isinstance(path, Path)
        self._app.notify(f"Wrote {path.name}.")
        show_page(path)

    def _on_failed(self, error: object) -> None:
        assert isinstance(error, BaseException)
        self._app.errors.report(error)


def _rows_of(entry: CurveEntry | None, project: Project) -> PlanRows | None:
    """The rows of some curves of the project; None for those of a folder, whose plan names them."""
    from pgmstudio.core.io.curve_setup import CurveSetup

    setup = None if entry is None else CurveSetup.of(entry.setup)
    return None if setup is None else setup.plan_rows(project)


def _written(
    subject: Project | Path,
    target: Path,
    source: str,
    find_rows: FindRows,
    options: ReportOptions | None,
    cancel: CancelToken,
) -> Iterator[Path]:
    from pgmstudio.core.reports.report import ReportInfo, ReportOptions, ReportTask

    text = ReportInfo(source, datetime.now(), None, options or ReportOptions())
    yield from in_process(ReportTask(subject, target, text, find_rows()), cancel)


class ReproduceCommands(QObject):
    """Has every run of the project done again in a process of its own, and compares."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._again: Job | None = None
        self._done: list[Reproduced] = []
        app.document.replaced.connect(self._on_replaced)

    def _on_replaced(self) -> None:
        """Nobody waits for the runs of a closed project."""
        job, self._again = self._again, None
        if job is not None:
            job.events_arrived.disconnect()
            job.failed.disconnect()
            job.cancel()

    def no_runs(self) -> str | None:
        if self._again is not None:
            return "the runs are being done again."
        return None if self._app.project.runs else "nothing was learned here yet."

    def reproduce_all(self) -> None:
        """Repeat every run; the log shows the result of each."""
        if self._again is not None:
            return
        from pgmstudio.core.reports.reproduction import ReproduceProject

        self._done = []
        self._again = Job(partial(in_process, ReproduceProject(self._app.project)), self)
        self._again.events_arrived.connect(self._on_events)
        self._again.failed.connect(self._on_failed)
        self._again.state_changed.connect(self._on_state)
        self._again.start()
        count = counted(len(self._app.project.runs), "run")
        self._app.notify(f"{count} of the project are done again.")

    def _on_events(self, events: list[object]) -> None:
        from pgmstudio.core.reports.reproduction import Reproduced

        for event in events:
            if isinstance(event, Reproduced):
                self._done.append(event)
                level = "warning" if event.is_same is False else "info"
                self._app.log(level, f"{event.title}: {event.summary}")

    def _on_state(self, _state: object) -> None:
        job = self.sender()
        assert isinstance(job, Job)
        if not job.state.is_end:
            return
        job.deleteLater()
        if job is not self._again:
            return
        self._again = None
        self._app.notify(summary_text(self._done))
        self._app.actions.refresh()

    def _on_failed(self, error: object) -> None:
        assert isinstance(error, BaseException)
        self._app.errors.report(error)


def summary_text(done: list[Reproduced]) -> str:
    """A summary of repeated runs."""
    same = [one for one in done if one.is_same]
    differ = [one.title for one in done if one.is_same is False]
    left = [one for one in done if one.is_same is None]
    text = f"{counted(len(same), 'run')} gave the same model, bit for bit."
    if differ:
        text += f" Not reproduced: {', '.join(differ)}."
    if left:
        text += f" {counted(len(left), 'run')} could not be compared; see the log."
    return text


def report_actions(app: AppContext) -> list[ActionSpec]:
    commands = ReportCommands(app)
    return [
        ActionSpec(
            "file.report",
            "Report of the project…",
            "File",
            "Data, models, scenarios, comparisons and how to make them again, as HTML or PDF.",
            commands.of_project,
            icon="article",
            needs=[commands.no_content, commands.no_writer],
        ),
        ActionSpec(
            "file.report-experiment",
            "Report of an experiment…",
            "File",
            "Write one web page with the curves and models of an experiment in a folder.",
            commands.of_experiment,
        ),
        ActionSpec(
            "file.report-again",
            "Report with all runs reproduced…",
            "File",
            "Repeat every run of the project and report whether the models are the same.",
            partial(commands.of_project, again=True),
            needs=[commands.no_content, commands.no_writer, commands.no_runs],
        ),
        ActionSpec(
            "file.report-experiment-again",
            "Report of an experiment, reproduced…",
            "File",
            "Repeat the experiment of a folder and report whether the results are the same.",
            partial(commands.of_experiment, again=True),
            needs=[commands.no_writer],
        ),
    ]


def reproduce_actions(app: AppContext) -> list[ActionSpec]:
    commands = ReproduceCommands(app)
    return [
        ActionSpec(
            "learn.reproduce-all",
            "Reproduce all runs",
            "Learn",
            "Run every learner of the project again with its rows, settings and seed, and compare.",
            commands.reproduce_all,
            needs=[commands.no_runs],
        )
    ]
