"""How SL-curves of a project are made: a plan, a choice of rows, and where it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, FileError, PgmStudioError
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import DataPlan, Plan, plan_of
from pgmstudio.core.experiments.plans.runner import (
    Executor,
    ProcessExecutor,
    ceiling_of,
    planned_keys,
    truth_of,
)
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, point_of
from pgmstudio.core.io.experiments import PointFolder, read_plan_rows, split_rows
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.markers import marker_family
from pgmstudio.core.project.project import CurveEntry, Project

FRACTION, SPLIT, SETS = "share", "split", "sets"


@dataclass(frozen=True)
class RowChoice:
    """Rows of the project to learn from and to test on.

    `how`: a fraction of the rows is held out, or parts of the data set's split are taken (`train`,
    `test`, `valid` name them), or whole data sets (`test`, `valid` are their ids).
    """

    data_id: str
    how: str = FRACTION
    train: str | None = None
    test: str | None = None
    valid: str | None = None
    test_share: float = 0.1
    valid_share: float = 0.0
    split_seed: int = 0
    complete: bool = False
    reference: str | None = None  # the id of the model that the rows come from

    def rows(self, project: Project) -> PlanRows:
        """Training and test rows; raises DataError if a data set or part no longer exists."""
        entry = project.data_entry(self.data_id)
        reference = None
        if self.reference is not None:
            reference = project.model_entry(self.reference).model
        data = DataPlan(
            entry.name,
            test_share=self.test_share if self.how == FRACTION else 0.0,
            valid_share=self.valid_share if self.how == FRACTION else 0.0,
            split_seed=self.split_seed,
            complete=self.complete,
        )
        train, test, valid = entry.data, None, None
        if self.how == SPLIT:
            if entry.split is None or not entry.split.is_for(entry.data):
                raise DataError(f"{entry.name} has no split. Hold out a fraction of rows.")
            parts = dict(zip(entry.split.names, entry.split.parts(entry.data), strict=True))
            train, test = _part(parts, self.train), _part(parts, self.test)
            valid = None if self.valid is None else _part(parts, self.valid)
        elif self.how == SETS:
            test = _same_columns(project, self.test, train)
            valid = None if self.valid is None else _same_columns(project, self.valid, train)
        rows = split_rows(train, data, test=test, valid=valid, reference=reference)
        if rows.train.row_count == 0 or rows.test.row_count == 0:
            raise DataError("There must be rows to learn from and rows to test on.")
        return rows


def _part(parts: Mapping[str, DataSet], name: str | None) -> DataSet:
    part = parts.get(name or "")
    if part is None:
        raise DataError(f"The split has no part called {name}; it has {', '.join(parts)}.")
    return part


def _same_columns(project: Project, data_id: str | None, train: DataSet) -> DataSet:
    entry = project.data_entry(data_id or "")
    if entry.data.domain != train.domain:
        raise DataError(
            f"{entry.name} has other columns or states than the rows to learn from. "
            "Import both files together, or hold out a fraction of one."
        )
    return entry.data


@dataclass(frozen=True)
class CurveSetup:
    """A plan over rows of the project, or over those that the plan itself names.

    `processes` is None for one on each core; `cluster` is the address of a Dask scheduler.
    """

    plan: Plan
    rows: RowChoice | None = None
    processes: int | None = None
    cluster: str = ""

    def plain(self) -> dict[str, Any]:
        """For the project file."""
        payload: dict[str, Any] = {"plan": self.plan.plain()}
        payload |= {} if self.rows is None else {"rows": asdict(self.rows)}
        payload |= {} if self.processes is None else {"processes": self.processes}
        return payload | ({"cluster": self.cluster} if self.cluster else {})

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> CurveSetup | None:
        """Setup from the document of `plain`; None if its plan is absent or not supported."""
        try:
            plan = plan_of(payload["plan"])
        except (KeyError, TypeError, PgmStudioError):
            return None
        rows = payload.get("rows")
        known = {declared.name for declared in fields(RowChoice)}
        choice = None
        if isinstance(rows, Mapping) and "data_id" in rows:
            choice = RowChoice(**{name: value for name, value in rows.items() if name in known})
        return cls(plan, choice, payload.get("processes"), str(payload.get("cluster", "")))

    def plan_rows(self, project: Project) -> PlanRows:
        """All rows of the experiment."""
        if self.rows is not None:
            return self.rows.rows(project)
        if self.plan.data is None:
            raise DataError("The plan names no rows, so it cannot go on.")
        return read_plan_rows(self.plan.data)

    @property
    def executor(self) -> Executor:
        """Where its runs are made."""
        if self.cluster:
            from pgmstudio.core.experiments.plans.dask_executor import Cluster

            return Cluster(self.cluster)
        return ProcessExecutor(self.processes, reports_interim=True)


@dataclass(frozen=True, eq=False)
class Loaded:
    """What is known of some curves: the points so far, and the runs they come from by key."""

    points: tuple[CurvePoint, ...] = ()
    series: Mapping[str, str] | None = None  # of each planned run; None when it cannot be known
    families: Mapping[str, str] = field(default_factory=dict)  # of the markers, by curve
    done: frozenset[str] = frozenset()  # runs that have given all their points
    train_rows: int | None = None
    test_rows: int | None = None
    ceiling: float | None = None
    truth: tuple[float, float] | None = None
    problem: str = ""  # why it cannot go on

    @cached_property
    def planned(self) -> Mapping[str, Sequence[str]]:
        """The runs of each curve."""
        result: dict[str, list[str]] = {}
        for key, series in (self.series or {}).items():
            result.setdefault(series, []).append(key)
        return result

    @property
    def is_whole(self) -> bool:
        """Whether every planned run is done."""
        return self.series is not None and self.done.issuperset(self.series)


def load(
    setup: CurveSetup | None,
    project: Project,
    folder: Path | None,
    payload: Sequence[Mapping[str, Any]] = (),
    _cancel: object = None,
) -> Loaded:
    """The points that stand in the folder; those of another plan or program are left out.

    Without the rows all points are shown, and nothing can be added to them. Where the folder is
    gone, `payload` are the points saved in the project.
    """
    points_folder = None if folder is None else PointFolder(folder)
    every = (
        tuple(map(point_of, payload))
        if points_folder is None
        else tuple(points_folder.points.values())
    )
    if setup is None:
        return Loaded(every, problem="The plan of these curves is not known.")
    try:
        rows = setup.plan_rows(project)
        runs = planned_keys(setup.plan, rows)
    except (PgmStudioError, FileError) as problem:
        return Loaded(every, problem=str(problem))
    own = every if points_folder is None else tuple(points_folder.points_of(runs))
    done = (
        frozenset()
        if points_folder is None
        else frozenset(
            key for key, run in runs.items() if points_folder.earlier.covers(key, run.time_limit)
        )
    )
    return Loaded(
        own,
        {key: run.name or run.learner for key, run in runs.items()},
        {
            run.name or run.learner: marker_family(learner_of(run.learner).kind, run.learner)
            for run in runs.values()
        },
        done,
        rows.train.row_count,
        rows.test.row_count,
        ceiling_of(rows),
        truth_of(rows),
    )


def curve_folder(entry: CurveEntry, project_path: Path | None) -> Path | None:
    """The folder of some curves; one that was moved with its project file is next to it."""
    if not entry.folder:
        return None
    folder = Path(entry.folder)
    if not folder.is_dir() and project_path is not None:
        moved = project_path.parent / folder.parent.name / folder.name
        if moved.is_dir():
            return moved
    return folder
