"""One sweep as the window sees it: points as they are found, runs that are done, remarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.core.experiments.plans.point_work import RunDone, RunProblem, SoFar, UnderWay
from pgmstudio.core.io.point_folder import KeptPlanTask
from pgmstudio.core.project.project import Project
from pgmstudio.core.running import CancelToken, Progress
from pgmstudio.gui.workers.background_run import BackgroundRun
from pgmstudio.gui.workers.curve_setup import CurveSetup, Loaded, load
from pgmstudio.gui.workers.job import JobState


class CurveRun(BackgroundRun):
    """Goes on with what stands in the folder; stopped, it leaves every point so far there."""

    loaded = Signal(object)  # Loaded: what earlier runs left
    found = Signal(list)  # of CurvePoint, without their models
    passed = Signal()  # other models stand for the runs that go on

    def __init__(self, setup: CurveSetup, project: Project, folder: Path, parent: QObject) -> None:
        super().__init__(self._events, Progress(None, "reading the rows"), parent)
        self.setup, self.folder = setup, folder
        self.problems: list[str] = []
        self.done: set[str] = set()
        self.begun: set[str] = set()
        self.new_points = 0
        self.share_before = 0.0  # of the plan, that earlier sweeps did
        self.passing: dict[str, dict[str, CurvePoint]] = {}  # by the key of their run and their own
        self._project = project

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        known = load(self.setup, self._project, self.folder)
        yield known
        rows = self.setup.plan_rows(self._project)
        for event in KeptPlanTask(self.folder, self.setup.plan, rows, self.setup.place)(cancel):
            if isinstance(event, CurvePoint):  # its model and answers are in the folder
                yield replace(event, model=None, query_values=None)
            else:
                yield event

    def _take(self, events: Sequence[object]) -> None:
        fresh: list[CurvePoint] = []
        before = self.passing
        for event in events:
            match event:
                case Loaded():
                    self.done |= event.done
                    self.share_before = len(event.done) / max(1, len(event.series or ()))
                    self.loaded.emit(event)
                case RunProblem(message):
                    self.problems.append(message)
                case CurvePoint():
                    fresh.append(event)
                case UnderWay(key):
                    self.begun.add(key)
                case SoFar(key, new, standing):
                    known = self.passing.get(key, {}) | {point.key: point for point in new}
                    self.passing = self.passing | {key: {name: known[name] for name in standing}}
                case RunDone(key, cut_after=cut):
                    self.passing = {k: own for k, own in self.passing.items() if k != key}
                    if cut is None or self.state is JobState.RUNNING:  # else Resume makes it again
                        self.done.add(key)
        if fresh:
            self.new_points += len(fresh)
            self.found.emit(fresh)
        if self.passing is not before:
            self.passed.emit()
