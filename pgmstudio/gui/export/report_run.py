"""A report that repeats every run first and shows whether it was reproduced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject

from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.project.project import Project
from pgmstudio.core.reports.report import ReportInfo, ReportOptions, ReportTask
from pgmstudio.core.reports.reproduction import Reproduced, ReproduceFolder, ReproduceProject
from pgmstudio.gui.jobs.background_run import BackgroundRun


class ReportRun(BackgroundRun):
    """Of a project or of the folder of an experiment; stopped, it writes nothing."""

    def __init__(
        self,
        subject: Project | Path,
        target: Path,
        source: str,
        parent: QObject,
        find_rows: Callable[[], PlanRows | None],
        options: ReportOptions | None = None,
    ) -> None:
        super().__init__(self._events, Progress(None, "running everything again"), parent)
        self.done: list[Reproduced] = []
        self.written: Path | None = None
        self._subject, self._target, self._source = subject, target, source
        self._find_rows = find_rows
        self._options = options or ReportOptions()

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        subject, reproduced = self._subject, list[Reproduced]()
        rows = self._find_rows()
        task: ReproduceFolder | ReproduceProject
        if isinstance(subject, Path):  # the runs of an experiment have processes of their own
            task = ReproduceFolder(subject, rows=rows)
            events = task(cancel)
        else:
            task = ReproduceProject(subject)
            events = in_process(task, cancel)
        for event in events:
            if isinstance(event, Reproduced):
                reproduced.append(event)
            yield event
        text = ReportInfo(self._source, datetime.now(), tuple(reproduced), self._options)
        yield from in_process(ReportTask(subject, self._target, text, rows), cancel)

    def _take(self, events: Sequence[object]) -> None:
        for event in events:
            match event:
                case Reproduced():
                    self.done.append(event)
                case Path():
                    self.written = event
