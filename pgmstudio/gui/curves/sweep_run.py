"""Run of a sweep of SL-curves: the folder of its points, the question before it, its progress.

A project may come from another person. A Dask scheduler that is connected to can run its own code
here, and a folder of points may be anywhere; so both are asked for.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.plans.run_task import InterimResult, RunDone, RunProblem, RunStarted
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.curve_setup import CurveSetup, Loaded, load
from pgmstudio.core.io.experiments import POINTS, SavedPlanTask
from pgmstudio.core.number_format import counted, duration
from pgmstudio.core.project.project import CurveEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.background_run import BackgroundRun
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.project import preferences
from pgmstudio.gui.widgets.question_box import Answer, Then, ask

ENDING = ".points"
# Up to this fraction of the runs, the time left is estimated from those that are done.
FORESEEN = 0.9


def new_folder(app: AppContext) -> Path:
    """One that does not exist yet; it is made with the first point."""
    return usual_folder(app) / secrets.token_hex(4)


def usual_folder(app: AppContext) -> Path:
    """Parent of the folders of points: that of the project file, else of the preferences."""
    if app.document.path is not None:
        return app.document.path.with_suffix(ENDING)
    return preferences.preferences_folder() / "points"


def points_size(folder: Path | None) -> int:
    """Bytes of the points in a folder; 0 when there are none."""
    try:
        return 0 if folder is None else (folder / POINTS).stat().st_size
    except OSError:
        return 0


def with_points(entry: CurveEntry, points: Sequence[CurvePoint], _cancel: object) -> CurveEntry:
    """The entry of the project with these points."""
    return replace(entry, points=tuple(point.as_dict() for point in points))


def with_distance(point: CurvePoint, before: CurvePoint | None) -> CurvePoint:
    """What was worked out meanwhile is not lost by reading the folder again."""
    if before is None or before.query_distance is None or point.query_distance is not None:
        return point
    return replace(point, query_distance=before.query_distance)


def when_allowed(app: AppContext, cluster: str, folder: Path | None, then: Then) -> None:
    """Call `then` if the sweep may connect to the scheduler and write into the folder; asked once
    for each."""
    asked: dict[str, str] = {}
    if cluster and cluster not in app.approved_locations:
        asked[cluster] = (
            f"connects to the Dask scheduler at {cluster}, which can run programs on this computer"
        )
    if folder is not None and not _is_expected(app, folder):
        asked[str(folder)] = f"writes into the folder {folder}"
    if not asked:
        then()
        return

    def on_allowed() -> None:
        app.approved_locations.update(asked)
        then()

    ask(
        app.window,
        "sweepBox",
        f"The sweep {' and '.join(asked.values())}.",
        {Answer.Yes: ("Go on", on_allowed)},
        more="This address comes from the project file. Continue only if you know and trust it.",
        default=Answer.Cancel,
    )


def _is_expected(app: AppContext, folder: Path) -> bool:
    """Chosen here, or where the program itself puts points, or with points in it already."""
    if str(folder) in app.approved_locations or folder.parent == usual_folder(app):
        return True
    return (folder / POINTS).is_file()


class CurveRun(BackgroundRun):
    """Goes on with what stands in the folder; stopped, it leaves every point so far there."""

    loaded = Signal(object)  # Loaded: what earlier runs left
    points_found = Signal(list)  # of CurvePoint, without their models
    passed = Signal()  # other models stand for the runs that go on

    def __init__(self, setup: CurveSetup, project: Project, folder: Path, parent: QObject) -> None:
        super().__init__(self._events, Progress(None, "reading the rows"), parent)
        self.setup, self.folder = setup, folder
        self.problems: list[str] = []
        self.done: set[str] = set()
        self.started: set[str] = set()
        self.new_points = 0
        self.fraction_before = 0.0  # of the plan, that earlier sweeps did
        self.passing: dict[str, dict[str, CurvePoint]] = {}  # by the key of their run and their own
        self._project = project

    def _events(self, cancel: CancelToken) -> Iterator[object]:
        known = load(self.setup, self._project, self.folder)
        yield known
        rows = self.setup.plan_rows(self._project)
        for event in SavedPlanTask(self.folder, self.setup.plan, rows, self.setup.executor)(cancel):
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
                    self.fraction_before = len(event.done) / max(1, len(event.series or ()))
                    self.loaded.emit(event)
                case RunProblem(message):
                    self.problems.append(message)
                case CurvePoint():
                    fresh.append(event)
                case RunStarted(key):
                    self.started.add(key)
                case InterimResult(key, new, standing):
                    known = self.passing.get(key, {}) | {point.key: point for point in new}
                    self.passing = self.passing | {key: {name: known[name] for name in standing}}
                case RunDone(key, cut_after=cut):
                    self.passing = {k: own for k, own in self.passing.items() if k != key}
                    if cut is None or self.state is JobState.RUNNING:  # else Resume makes it again
                        self.done.add(key)
        if fresh:
            self.new_points += len(fresh)
            self.points_found.emit(fresh)
        if self.passing is not before:
            self.passed.emit()


def progress_text(
    state: JobState,
    message: str,
    run: int,
    of: int,
    new: int,
    seconds: float,
    fraction: float,
    fraction_before: float = 0.0,
) -> str:
    """Progress of a sweep that started when `fraction_before` of all runs was done.

    The time left is shown while many runs are left: the last may take longer than all before.
    """
    points = counted(new, "new point")
    if state is JobState.CANCELLING:
        return "Stopping…"
    if state is JobState.FINISHED:
        if new == 0:
            return "All points were there already."
        return f"Finished after {duration(seconds)} with {points}."
    if state is JobState.CANCELLED:
        return f"Stopped after {duration(seconds)} with {points}. Resume continues from here."
    if state is JobState.FAILED:
        return f"Failed after {duration(seconds)}; the points so far are preserved."
    left = ""
    made = fraction - fraction_before
    if seconds > 3 and made > 0.03 and fraction < FORESEEN:
        rest = seconds * (1 - fraction) / made
        left = f" · {f'{rest:.0f} s' if rest < 120 else duration(rest)} left"
    runs = f"{run} of {of} runs · " if of else ""
    return f"{runs}{points}{left}" + (f" · {message}" if message else "")
