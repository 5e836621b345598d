"""Plan files (JSON or TOML), and the rows that they name.

A folder that keeps the points of a plan as they come, so that a run can go on where it ended.

    plan.json       the plan, as it was last run
    points.jsonl    a line for every point and for every run that is done, only ever added to
    models/         the model of each point by its key
    queries/        log2 P(Q | E) of every query by key, where there were queries

A line is on the disk before the next is started, and the model before its line. A crash in between
leaves at most a part of the last line, which is cut off when the folder is opened again.
"""

from __future__ import annotations

import io
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import split
from pgmstudio.core.errors import DataError, FileError, ParameterError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.experiments.plans.expansion import PlanRows, code_version, point_key
from pgmstudio.core.experiments.plans.plan import DataPlan, Plan, plan_of
from pgmstudio.core.experiments.plans.run_task import PointEvent, RunDone
from pgmstudio.core.experiments.plans.runner import Earlier, Executor, run_plan
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, point_of
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_together
from pgmstudio.core.io.models.files import ModelFile, read_bytes, read_model, write_model
from pgmstudio.core.io.project.migrations import with_thesis_aic
from pgmstudio.core.json_documents import exported_json, json_line, parse_json, read_json_line
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import file_parameters, plain

ENDINGS = (".json", ".toml")
# tomllib takes quadratic time and memory for keys of many parts.
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){32}""")


def read_plan(path: Path | str) -> Plan:
    """The plan in a file; file names in it are meant from the folder of the plan."""
    path = Path(path)
    try:
        plan = plan_of(_entries(path))
    except ParameterError as problem:
        listed = "; ".join(f"{name} {text}" for name, text in problem.problems.items())
        raise FileError(path, f"{listed}.") from problem
    return plan if plan.data is None else replace(plan, data=_placed(plan.data, path.parent))


def _entries(path: Path) -> dict[str, Any]:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise FileError(path, "a plan ends in .json or .toml. Choose one of them.")
    content = read_bytes(path)
    if ending == ".json":
        return dict(parse_json(content, path, error=FileError).mapping())
    try:
        text = content.decode("utf-8-sig")
        if _LONG_KEY.search(text):
            raise FileError(path, "has a key of more than 32 parts, which no plan needs.")
        return tomllib.loads(text)
    except RecursionError as problem:
        raise FileError(path, "is nested too deeply.") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise FileError(path, f"is no TOML: {problem}.") from problem
    except ValueError as problem:
        raise FileError(path, "holds a number of thousands of digits.") from problem


def _placed(data: DataPlan, folder: Path) -> DataPlan:
    """With every file name as it is from here."""

    def placed(name: str | None) -> str | None:
        return None if name is None else str(folder / name)

    return replace(
        data,
        file=str(folder / data.file),
        test=placed(data.test),
        valid=placed(data.valid),
        reference=placed(data.reference),
    )


def read_plan_rows(data: DataPlan) -> PlanRows:
    """The rows for learning, for choosing and for the test, over one domain.

    Separate files come before fractions. Bin edges are computed from the first file only.
    """
    files = [name for name in (data.file, data.test, data.valid) if name is not None]
    parts = iter([imported.data for imported in import_together(files, _options(data))])
    first = next(parts)
    test = None if data.test is None else next(parts)
    valid = None if data.valid is None else next(parts)
    rows = split_rows(first, data, test=test, valid=valid)
    reference = None if data.reference is None else read_model(data.reference).model
    return replace(rows, reference=reference)


def split_rows(
    rows: DataSet,
    data: DataPlan,
    *,
    test: DataSet | None = None,
    valid: DataSet | None = None,
    reference: Model | None = None,
) -> PlanRows:
    """Rows in memory, split by the plan's fractions where no part is given."""
    if data.complete:
        rows = rows.complete_rows()
        test = None if test is None else test.complete_rows()
        valid = None if valid is None else valid.complete_rows()
    fractions = [
        0.0 if valid is not None else data.valid_share,
        0.0 if test is not None else data.test_share,
    ]
    if sum(fractions) >= 1:
        raise DataError("Validation and test fractions leave no training rows. Lower them.")
    if any(fractions):
        parts = split(
            rows, (1 - sum(fractions), *(s for s in fractions if s)), data.split_seed
        ).parts(rows)
        rows, rest = parts[0], list(parts[1:])
        valid = rest.pop(0) if fractions[0] else valid
        test = rest.pop(0) if fractions[1] else test
    if test is None:
        raise DataError("A plan needs test rows: a test file, or a test-share above 0.")
    return PlanRows(rows, test, valid, reference)


def _options(data: DataPlan) -> ImportOptions:
    payload: dict[str, Any] = {
        name.replace("-", "_"): value for name, value in data.reading.items() if value is not None
    }
    return ImportOptions(**payload)


POINTS, PLAN, MODELS, QUERIES = "points.jsonl", "plan.json", "models", "queries"
# Of plan.json and of a line; those without a number are of the time when `aic` was L − k bits.
FORMAT = 2


class PointFolder:
    """The points of one folder; open it for writing in one process at a time.

    `points` are those that stand there, by key, in the order they came, without their models.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.points: dict[str, CurvePoint] = {}
        self.done: dict[str, RunDone] = {}
        self._file: int | None = None
        self._read()

    @property
    def earlier(self) -> Earlier:
        """What a run of a plan need not do again."""
        return Earlier(self.done, frozenset(self.points))

    def points_of(self, keys: Iterable[str]) -> list[CurvePoint]:
        """The points of these runs, in the order of the runs whatever the order they came in."""
        index = {key: number for number, key in enumerate(keys)}
        own = [point for key, point in self.points.items() if key.rpartition("-")[0] in index]
        return sorted(own, key=lambda p: (index[p.key.rpartition("-")[0]], p.key))

    def model(self, point: CurvePoint) -> Model:
        """The model of a point."""
        if point.model is not None:
            return point.model
        if point.model_file is None:
            raise FileError(self.folder, f"holds no model for {point.key}.")
        return read_model(self.folder / point.model_file).model

    def query_values(self, point: CurvePoint) -> Floats | None:
        """log2 P(Q | E) of every query, None where there were none."""
        path = self.folder / QUERIES / f"{point.key}.npy"
        if not path.is_file():
            return None
        values: Floats = np.load(path, allow_pickle=False)
        return values

    # -- writing ----------------------------------------------------------------------------------

    def __enter__(self) -> PointFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self, plan: Plan, rows: PlanRows) -> None:
        """Make the folder ready to be added to; FileError when another process is at it."""
        try:
            for part in ("", MODELS, QUERIES):
                (self.folder / part).mkdir(parents=True, exist_ok=True)
            how = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            file = os.open(self.folder / POINTS, how, 0o666)
        except OSError as problem:
            reason = problem.strerror or str(problem)
            raise FileError(self.folder, f"cannot be written: {reason}.") from problem
        _lock(file, self.folder)
        self._file = file
        self._read()  # what another process added before we had it
        os.ftruncate(file, self._whole_bytes)
        payload = {
            "format": FORMAT,
            "plan": plan.plain(),
            "data": rows.fingerprint,
            "rows": [rows.train.row_count, rows.test.row_count],
            "code": code_version(),
        }
        replace_file(self.folder / PLAN, exported_json(plain(payload)).encode())

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def add(self, point: CurvePoint) -> CurvePoint:
        """Save a point with its model, replacing one with the same key; returns it as it will be
        read again, with the model."""
        if point.query_values is not None:
            content = io.BytesIO()
            np.save(content, point.query_values, allow_pickle=False)
            replace_file(self.folder / QUERIES / f"{point.key}.npy", content.getvalue())
        if point.model is not None:
            name = f"{MODELS}/{point.key}.json"
            title = f"{point.series}, size {point.effective_size}"
            origin = {
                "learner": point.learner,
                "parameters": file_parameters(point.parameters),
                "seed": point.seed,
                "version": code_version(),
            }
            write_model(self.folder / name, ModelFile(point.model, title=title, provenance=origin))
            point = replace(point, model_file=name)
        payload = point.as_dict() | {"parameters": file_parameters(point.parameters)}
        self._append({"point": plain(payload), "format": FORMAT})
        self.points[point.key] = replace(point, model=None, query_values=None)
        return point

    def finish(self, done: RunDone) -> None:
        """Record that a run has given all its points."""
        self._append({"done": asdict(done)})
        self._take_done(done)

    def saved(self, events: Iterator[PointEvent]) -> Iterator[PointEvent]:
        """Pass events on; save each point before it is passed on."""
        for event in events:
            match event:
                case CurvePoint():
                    yield self.add(event)
                case RunDone():
                    self.finish(event)
                    yield event
                case _:
                    yield event

    def _append(self, record: Mapping[str, Any]) -> None:
        if self._file is None:
            raise FileError(self.folder, "is not open for writing.")
        content = json_line(record)
        try:
            while content:
                content = content[os.write(self._file, content) :]
            os.fsync(self._file)
        except OSError as problem:  # a full disk; the part of a line is cut off on reading
            reason = problem.strerror or str(problem)
            raise FileError(self.folder / POINTS, f"cannot be written: {reason}.") from problem

    # -- reading ----------------------------------------------------------------------------------

    def _read(self) -> None:
        path = self.folder / POINTS
        self.points.clear()
        self.done.clear()
        self._whole_bytes = 0
        if not path.is_file():
            return
        for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
            if not line.endswith(b"\n"):
                break  # the writer was killed; the point is computed again
            try:
                self._take(read_json_line(line))
            except (ValueError, KeyError, TypeError, RecursionError) as problem:
                message = f"line {number} is damaged. Delete it to compute the point again."
                raise FileError(path, message) from problem
            self._whole_bytes += len(line)

    def _take(self, record: Mapping[str, Any]) -> None:
        if "point" in record:
            payload = record["point"]
            point = point_of(payload if "format" in record else with_thesis_aic(payload))
            self.points[point.key] = point
        elif "done" in record:
            payload = record["done"]
            self._take_done(RunDone(**(payload | {"problems": tuple(payload.get("problems", ()))})))

    def _take_done(self, done: RunDone) -> None:
        """Points beyond those of the run are of an earlier one that its time ended elsewhere."""
        self.done[done.key] = done
        index = done.points
        while self.points.pop(point_key(done.key, index), None) is not None:
            index += 1


@dataclass(frozen=True, eq=False)
class SavedPlanTask:
    """Task that runs a plan and saves its points in a folder; saved points are not computed again.

    The files are written by the process that consumes the events.
    """

    folder: Path
    plan: Plan
    rows: PlanRows
    executor: Executor | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[PointEvent]:
        with PointFolder(self.folder) as saved:
            saved.open(self.plan, self.rows)
            yield from saved.saved(
                run_plan(
                    self.plan,
                    self.rows,
                    cancel=cancel,
                    earlier=saved.earlier,
                    executor=self.executor,
                )
            )


def read_folder_plan(folder: Path | str) -> Plan | None:
    """The plan that the points of a folder belong to; None when there is none."""
    payload = folder_facts(folder)
    if not payload:
        return None
    return plan_of(payload["plan"] if "format" in payload else with_thesis_aic(payload["plan"]))


def folder_facts(folder: Path | str) -> Mapping[str, Any]:
    """Contents of plan.json: the plan, the fingerprint of the rows (`data`), how many there are to
    learn from and to test on (`rows`), the version of the code; nothing without the file."""
    path = Path(folder) / PLAN
    if not path.is_file():
        return {}
    return parse_json(read_bytes(path), path, error=FileError).mapping()


def _lock(file: int, folder: Path) -> None:
    """One writer at a time; the lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # no locks on Windows; points of two writers are still whole lines
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        os.close(file)
        raise FileError(folder, "another run is adding points to it. Stop that one first.") from (
            problem
        )
