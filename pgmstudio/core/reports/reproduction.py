"""Reproduction: runs of a project and points of an experiment, repeated and compared.

The same rows, settings and seed give the same model bit for bit on one machine. Numbers of an
experiment count as equal when they agree to a billionth, to allow for rounding on another machine;
times are never compared.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, FileError, PgmStudioError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.runner import Executor
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.experiments import (
    PointFolder,
    SavedPlanTask,
    folder_facts,
    read_folder_plan,
    read_plan_rows,
)
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import parse_params
from pgmstudio.core.project.project import Outcome, Project, Run, restored_params

CLOSE = 1e-9
_COMPARED = (
    *("effective_size", "representation_size", "train_log2_likelihood_per_row"),
    *("test_log2_likelihood_per_row", "valid_log2_likelihood_per_row", "query_log2"),
)


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A repeated run or curve; `is_same` is None if it could not be repeated."""

    title: str
    is_same: bool | None
    summary: str

    def as_dict(self) -> dict[str, Any]:
        return {"title": self.title, "same": self.is_same, "words": self.summary}


@dataclass(frozen=True, eq=False)
class ReproduceProject:
    """Repeats every run of a project, as a task."""

    project: Project

    def __call__(self, cancel: CancelToken, /) -> Iterator[Progress | Reproduced]:
        runs = self.project.runs
        for number, run in enumerate(runs.values()):
            yield Progress(number / len(runs), run.title or run.learner)
            yield _again(self.project, run, cancel)


def rows_of_run(project: Project, run: Run) -> DataSet:
    """The rows that a run learned from; DataError if they have changed or were removed."""
    entry = project.data.get(run.data_id or "")
    if entry is None:
        raise DataError("The rows it learned from are not in the project.")
    if entry.data.fingerprint == run.data_fingerprint:
        return entry.data
    if entry.split is not None and run.data_fingerprint in entry.split.part_fingerprints:
        index = entry.split.part_fingerprints.index(run.data_fingerprint)
        return entry.split.parts(entry.data)[index]
    raise DataError(f"The rows of {entry.name} have changed since; the run cannot be repeated.")


def _again(project: Project, run: Run, cancel: CancelToken) -> Reproduced:
    title = run.title or run.learner
    entry = project.models.get(run.model_id or "")
    if run.outcome is not Outcome.FINISHED:
        return Reproduced(title, None, f"It was {run.outcome.value}, and its end is not recorded.")
    if entry is None or entry.is_edited:
        return Reproduced(title, None, "Its model was removed or edited.")
    try:
        models = {key: each.model for key, each in project.models.items()}
        params_type = learner_of(run.learner).params_type
        params: Any = parse_params(params_type, restored_params(run.params, models))
        task = LearnTask(run.learner, rows_of_run(project, run), params, run.seed)
        model = next((e.model for e in task(cancel) if isinstance(e, Finished)), None)
    except PgmStudioError as problem:
        cancel.raise_if_cancelled()
        return Reproduced(title, None, str(problem))
    if model is None:
        return Reproduced(title, False, "It ended without a model.")
    return Reproduced(title, *_compared(entry.model, model))


def _compared(first: Model, second: Model) -> tuple[bool, str]:
    one, other = document_of(ModelFile(first)), document_of(ModelFile(second))
    if one == other:
        return True, "The same model, bit for bit."
    if first.kind != second.kind:
        return False, f"It was {a_kind(first.kind)}, it is {a_kind(second.kind)} now."
    differ = [name for name in one if one.get(name) != other.get(name)]
    return False, f"Another model; {', '.join(differ)} differ."


# -- experiments -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ReproduceFolder:
    """Repeats all runs of an experiment in a temporary folder, as a task.

    `rows` are those of a plan that names no data, such as one of the window.
    """

    folder: Path
    executor: Executor | None = None
    rows: PlanRows | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[Progress | Reproduced]:
        plan = read_folder_plan(self.folder)
        rows = self.rows
        source = "The project"
        if plan is not None and plan.data is not None and rows is None:
            rows = read_plan_rows(plan.data)
            source = plan.data.file
        if plan is None or rows is None:
            raise FileError(self.folder, "holds no plan with its data, so nothing can be repeated.")
        if rows.fingerprint != folder_facts(self.folder).get("data"):
            raise FileError(source, "has other rows than when the points were computed.")
        recorded = PointFolder(self.folder)
        with tempfile.TemporaryDirectory(prefix="pgmstudio-") as folder_name:
            new_folder = Path(folder_name) / "points"
            for event in SavedPlanTask(new_folder, plan, rows, self.executor)(cancel):
                if isinstance(event, Progress):
                    yield event
            yield from compared_points(recorded.points, PointFolder(new_folder).points)


def compared_points(
    first: Mapping[str, CurvePoint], second: Mapping[str, CurvePoint]
) -> Iterator[Reproduced]:
    """Compare the points of two runs of one plan, matched by their settings, curve by curve.

    Their keys hold the version of the code, so the keys themselves may differ.
    """
    one, other = _by_setting(first), _by_setting(second)
    for series in dict.fromkeys(setting[0] for setting in (*one, *other)):
        settings = [setting for setting in one if setting[0] == series]
        absent = [setting for setting in settings if setting not in other]
        extra = [s for s in other if s[0] == series and s not in one]
        wrong = [
            difference
            for setting in settings
            if setting in other
            for difference in _differences(one[setting], other[setting])
        ]
        problems = wrong[:5] + ([f"and {len(wrong) - 5} more"] if len(wrong) > 5 else [])
        if absent:
            problems.append(f"{count_of(len(absent), 'point')} missing now")
        if extra:
            problems.append(f"{count_of(len(extra), 'point')} more than recorded")
        if problems:
            yield Reproduced(series, False, "; ".join(problems) + ".")
        else:
            summary_text = (
                f"{count_of(len(settings), 'point')}, all numbers but the times are equal."
            )
            yield Reproduced(series, True, summary_text)


def _by_setting(points: Mapping[str, CurvePoint]) -> dict[tuple[Any, ...], CurvePoint]:
    return {
        (
            p.series,
            p.learner,
            p.lambda_,
            p.seed,
            repr(sorted(p.parameters.items())),
            p.key.rpartition("-")[2],
        ): p
        for p in points.values()
    }


def _differences(one: CurvePoint, other: CurvePoint) -> Iterator[str]:
    for name in _COMPARED:
        before, after = getattr(one, name), getattr(other, name)
        if before is None and after is None:
            continue
        if before is None or after is None or not _is_close(float(before), float(after)):
            measure = name.replace("_", " ")
            yield f"{measure} of size {one.effective_size} was {before}, is {after}"


def _is_close(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
