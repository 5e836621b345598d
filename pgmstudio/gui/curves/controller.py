"""Commands of the SL-curves page: open and pin models, export, compare beliefs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.curve_chart import point_title
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, points_csv
from pgmstudio.core.io.curve_setup import CurveSetup
from pgmstudio.core.io.experiments import PointFolder
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import CurveEntry, ModelEntry, Project, file_parameters, plain
from pgmstudio.core.reports.belief_distances import DistanceTask
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.curves.sweep_run import with_points
from pgmstudio.gui.jobs.job import Job, JobState
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import add_and_show_model, open_curve_plan, open_model_page
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.widgets.basic import allow
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.image_file import Drawing

if TYPE_CHECKING:
    from pgmstudio.gui.curves.page import CurvesPage


class CurvesController(QObject):
    """Commands of one SL-curves page; models are read in the background."""

    compared = Signal(list)  # points with their distances

    def __init__(self, app: AppContext, page: CurvesPage) -> None:
        super().__init__(page)
        self._app, self._page = app, page
        self._waiting: list[CurvePoint] = []
        self._reading: CurvePoint | None = None
        self._models = LatestTask(self, self._on_model, self._on_unreadable)
        self._save_task = LatestTask(self, self._on_points_saved, app.errors.report)
        self._comparing: Job | None = None

    def forget(self) -> None:
        """The page is gone."""
        self._waiting.clear()
        self._models.forget()
        self._save_task.forget()
        if self._comparing is not None:
            self._comparing.cancel()

    # -- points

    def keep_points(self) -> None:
        """Store the points in the project, so that they survive a deleted folder."""
        entry = self._page.entry
        if entry is not None:
            self._save_task.ask(partial(with_points, entry, self._page.points))

    def _on_points_saved(self, saved: CurveEntry) -> None:
        entry = self._page.entry
        if entry is None or entry.points == saved.points:
            return
        saved = replace(entry, points=saved.points)
        edit = partial(edits.set_curve, curve_id=self._page.curve_id, entry=saved)
        text = f"{counted(len(saved.points), 'point')} of {entry.title}"
        self._app.change(text, edit, merge=f"points:{self._page.curve_id}")

    # -- models

    def open_model(self, point: CurvePoint) -> None:
        """Add the model of a point to the project and open it."""
        for model_id, entry in self._app.project.models.items():
            # A point of a run in progress includes its model; its key may be reused later.
            is_same = point.model is None or point.model is entry.model
            if is_same and point.key and entry.provenance.get("point") == point.key:
                open_model_page(self._app, model_id)
                return
        self._waiting.append(point)
        self._read_next()

    def _read_next(self) -> None:
        if self._reading is not None or not self._waiting:
            return
        self._reading = point = self._waiting.pop(0)
        self._models.ask(partial(_model_of, self._page.folder, point))

    def _on_model(self, model: Model) -> None:
        point, self._reading = self._reading, None
        if point is not None:
            entry = ModelEntry(
                point_title(point),
                model,
                data_id=self._page.about_data(),
                provenance=_origin(point, self._page.title),
            )
            add_and_show_model(self._app, entry, f"Open {entry.title}")
        self._read_next()

    def _on_unreadable(self, error: BaseException) -> None:
        self._reading = None
        self._app.errors.report(error)
        self._read_next()

    def toggle_pin(self, point: CurvePoint) -> None:
        """Pin or unpin a model."""
        page, entry = self._page, self._page.entry
        if entry is None:
            return
        if point.model is not None:
            self._app.notify("This model is still being learned; pin it when its run is done.")
            return
        is_off = point.key in entry.pinned
        others = tuple(key for key in entry.pinned if key != point.key)
        pinned = others if is_off else (*others, point.key)
        edit = partial(edits.set_curve, curve_id=page.curve_id, entry=replace(entry, pinned=pinned))
        self._app.change("Unpin a model" if is_off else "Pin a model", edit)

    # -- files

    def drawing(self) -> Drawing | None:
        """The plots in sight."""
        plots = self._page.plots.in_front
        is_drawn = any(plot.canvas is not None for plot in plots)
        return PlotDrawing(plots, self._page.title) if is_drawn else None

    def export_picture(self) -> None:
        """As File ▸ Export picture does."""
        if self.drawing() is None:
            self._app.notify("There is no plot yet. It is shown with the first point.")
            return
        self._app.actions.refresh("file.export")
        self._app.actions["file.export"].trigger()

    def ask_for_table(self) -> None:
        self._ask("Export the points", ".csv", "Tables (*.csv)", self.export_table)

    def ask_for_plan(self) -> None:
        self._ask("Export the plan", ".json", "Plans (*.json)", self.export_plan)

    def _ask(self, title: str, ending: str, kinds: str, write: Callable[[Path], bool]) -> None:
        name = f"{self._page.title}{ending}"
        ask_where(self._page, title, name, kinds, write)

    def export_table(self, path: Path) -> bool:
        """Write a line per point with all digits."""
        return self._app.export_file(path, points_csv(self._page.points).encode())

    def export_plan(self, path: Path) -> bool:
        """The plan as the command line reads it; the file of its rows is to be filled in."""
        setup = self._page.setup
        if setup is None:
            self._app.notify("The plan of these curves is not known.")
            return False
        payload = setup.plan.plain()
        if setup.rows is not None:
            rows = setup.rows
            data = self._app.project.data.get(rows.data_id)
            payload["data"] = {
                "file": "rows.csv" if data is None else data.source or f"{data.name}.csv",
                "test-share": rows.test_share,
                "split-seed": rows.split_seed,
            }
        return self._app.export_file(
            path, (json.dumps(plain(payload), indent=1, ensure_ascii=False)).encode()
        )

    # -- the plan

    def extend(self) -> None:
        """The sheet of the plan, to be added to."""
        open_curve_plan(self._app, self._page.curve_id)

    # -- beliefs

    def not_compare_reason(self) -> str | None:
        """Why beliefs cannot be compared with the best model's now; None when they can."""
        page = self._page
        if self._comparing is not None and not self._comparing.state.is_end:
            return "beliefs are being compared."
        if not page.points:
            return "there is no point yet."
        return "the data set of these curves was deleted." if page.setup is None else None

    def compare_beliefs(self) -> None:
        """How far the beliefs of every model are from those of the best on the test rows."""
        page, setup, folder = self._page, self._page.setup, self._page.folder
        if self.not_compare_reason() is not None or setup is None or folder is None:
            return
        task = partial(_distances, setup, self._app.project, folder, tuple(page.points))
        self._comparing = job = Job(task, self)
        job.events_arrived.connect(self._on_distances)
        job.failed.connect(self._app.errors.report)
        job.state_changed.connect(self._on_compare_state)
        job.start()
        self.refresh()

    def _on_distances(self, events: list[object]) -> None:
        points = [event for event in events if isinstance(event, CurvePoint)]
        if points:
            self.compared.emit(points)
        for event in events:
            if isinstance(event, Progress) and event.fraction is not None:
                self._page.compare.setText(f"Comparing… {100 * event.fraction:.0f} %")

    def _on_compare_state(self, state: JobState) -> None:
        if state.is_end:
            self.refresh()

    def refresh(self) -> None:
        """The button that compares: there where distances are shown."""
        page = self._page
        page.compare.setVisible(page.bar.view.currentData() == "distance")
        page.compare.setText("Compare beliefs with the best model")
        allow(page.compare, self.not_compare_reason())


def _model_of(folder: Path | None, point: CurvePoint, _cancel: CancelToken) -> Model:
    if point.model is not None:
        return point.model
    if folder is None:
        raise PgmStudioError("The folder with the models of these curves is not known.")
    return PointFolder(folder).model(point)


def _distances(
    setup: CurveSetup,
    project: Project,
    folder: Path,
    points: tuple[CurvePoint, ...],
    cancel: CancelToken,
) -> Iterator[object]:
    rows = setup.plan_rows(project)
    yield from in_process(DistanceTask(folder, points, rows.test, setup.plan.queries), cancel)


def _origin(point: CurvePoint, title: str) -> dict[str, Any]:
    return {
        "made by": f"{point.learner}, of {title}",
        "learner": point.learner,
        "seed": point.seed,
        "point": point.key,
        **file_parameters(point.parameters),
    }
