"""Studies of SL-curves kept in a folder, a part of it for each data set, so that they can go on.

NAME/direct     points of what is learned from the rows, as `point_folder` keeps them
NAME/hybrid     points of the graphs that come from networks
NAME/answers.jsonl  what random queries said of some models, a line for each
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.core.analysis.query_benchmark import (
    QueryPlan,
    inference_seconds,
    query_log2,
    random_queries,
)
from pgmstudio.core.errors import FileError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.experiments.plans.run_task import PointEvent
from pgmstudio.core.experiments.plans.runner import Executor, ceiling_of, planned_keys
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.experiments import KeptPlanTask, PointFolder
from pgmstudio.core.json_documents import json_line, read_json_line
from pgmstudio.studies.sl_results import LANGUAGES, Answers, SetResult, Trail
from pgmstudio.studies.sl_sets import StudyRows, StudySet
from pgmstudio.studies.sl_study import (
    Study,
    StudyParams,
    direct_plan,
    hybrid_plan,
    to_ask,
    to_compile,
)

DIRECT, COMPILED, ANSWERS = "direct", "hybrid", "answers.jsonl"
# Learning takes most of the time; these are shares of a data set for the progress alone.
_SHARES = {DIRECT: (0.0, 0.7), COMPILED: (0.7, 0.95)}


@dataclass(frozen=True, eq=False)
class StudyTask:
    """A study as a task: it goes on with what stands in the folder. Models are asked in this
    process, so that nothing of ours runs beside them."""

    folder: Path
    study: Study
    params: StudyParams
    seed: int
    sources: Mapping[str, Any]
    place: Executor | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[PointEvent]:
        sets = self.study.chosen
        for number, own in enumerate(sets):
            found = self.study.rows(own, self.sources, self.params, self.seed)
            for event in self._of_set(own, found, cancel):
                if isinstance(event, Progress):
                    done = (number + (event.fraction or 0.0)) / len(sets)
                    event = Progress(done, f"{own.title}: {event.message}", event.counters)
                yield event

    def _of_set(self, own: StudySet, found: StudyRows, cancel: CancelToken) -> Iterator[PointEvent]:
        kept = SetFolder(self.folder / own.name, own, found, self.params, self.seed)
        yield from self._part(DIRECT, kept.direct_plan, found.rows, kept.folder, cancel)
        networks = kept.networks()
        if networks:
            plan = kept.hybrid_plan([model for _, model in networks])
            yield from self._part(COMPILED, plan, found.rows, kept.folder, cancel)
        if self.params.queries:
            yield from kept.ask(cancel)

    def _part(
        self, part: str, plan: Plan, rows: PlanRows, folder: Path, cancel: CancelToken
    ) -> Iterator[PointEvent]:
        low, high = _SHARES[part]
        for event in KeptPlanTask(folder / part, plan, rows, self.place)(cancel):
            if isinstance(event, Progress):
                share = low + (high - low) * (event.fraction or 0.0)
                event = Progress(share, event.message, event.counters)
            yield event

    def results(self) -> Iterator[SetResult]:
        """What stands in the folder, data set by data set; those without points are left out."""
        for own in self.study.chosen:
            if (self.folder / own.name).is_dir():
                found = self.study.rows(own, self.sources, self.params, self.seed)
                kept = SetFolder(self.folder / own.name, own, found, self.params, self.seed)
                result = kept.result()
                if result.points:
                    yield result


class SetFolder:
    """What is kept of one data set."""

    def __init__(
        self, folder: Path, own: StudySet, found: StudyRows, params: StudyParams, seed: int
    ) -> None:
        self.folder, self._own, self._found = folder, own, found
        self._params, self._seed = params, seed
        self.direct_plan = direct_plan(own, found, params, seed)

    def hybrid_plan(self, models: list[Any]) -> Plan:
        return hybrid_plan(self._own, models, self._params, self._seed)

    def networks(self) -> list[tuple[CurvePoint, Any]]:
        """The networks to compile, with their points."""
        direct = PointFolder(self.folder / DIRECT)
        points = direct.points_of(planned_keys(self.direct_plan, self._found.rows))
        chosen = to_compile(points, self._params.most_cells)
        return [(point, direct.model(point)) for point in chosen]

    # -- queries ----------------------------------------------------------------------------------

    def ask(self, cancel: CancelToken) -> Iterator[PointEvent]:
        """Ask models of every curve the same queries; those that were asked are not asked again."""
        params, rows = self._params, self._found.rows
        columns = len(rows.test.domain)
        targets = min(4, columns - 1)
        plan = QueryPlan(count=params.queries, targets=targets, given=min(3, columns - targets))
        queries = random_queries(rows.test, plan)
        everything = self._all_points()
        told = self._answers([point for _, points in everything for point in points])
        waiting = [
            (point, folder)
            for folder, points in everything
            for language in LANGUAGES
            for point in to_ask(
                [p for p in points if p.series == language], params.most_cells, params.asked_models
            )
            if point.key not in told
        ]
        for number, (point, folder) in enumerate(waiting):
            cancel.raise_if_cancelled()
            words = f"queries to {point.series}, size {point.effective_size}"
            yield Progress(0.95 + 0.05 * number / len(waiting), words)
            model = folder.model(point)
            answer = {
                "key": point.key,
                "test_bits": point.test_log2_likelihood_per_row,
                "query_log2": float(query_log2(model, queries).mean()),
                "seconds": inference_seconds(model, queries, plan.timed, time.thread_time),
            }
            _append(self.folder / ANSWERS, answer)

    def _answers(self, points: Iterable[CurvePoint]) -> dict[str, Answers]:
        """What the models of these points answered, by their keys.

        A run that was made again with more time has other models under the same keys, which are
        known by their bits.
        """
        bits = {point.key: point.test_log2_likelihood_per_row for point in points}
        path = self.folder / ANSWERS
        if not path.is_file():
            return {}
        found = {}
        for line in path.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            told = read_json_line(line)
            if told["key"] in bits and bits[told["key"]] == told.get("test_bits"):
                found[told["key"]] = Answers(told["query_log2"], told["seconds"])
        return found

    # -- reading ----------------------------------------------------------------------------------

    def _all_points(self) -> list[tuple[PointFolder, list[CurvePoint]]]:
        direct = PointFolder(self.folder / DIRECT)
        compiled = PointFolder(self.folder / COMPILED)
        own = direct.points_of(planned_keys(self.direct_plan, self._found.rows))
        return [(direct, own), (compiled, [p for t in self._trails() for p in t.graphs])]

    def _trails(self) -> list[Trail]:
        compiled = PointFolder(self.folder / COMPILED)
        networks = self.networks()
        if not networks or not compiled.points:
            return []
        plan = self.hybrid_plan([model for _, model in networks])
        keys = planned_keys(plan, self._found.rows)
        trails = []
        for key, (point, _) in zip(keys, networks, strict=True):
            if graphs := compiled.points_of([key]):
                trails.append(Trail(point, tuple(graphs)))
        return trails

    def result(self) -> SetResult:
        """All that stands here."""
        rows = self._found.rows
        direct = PointFolder(self.folder / DIRECT)
        keys = planned_keys(self.direct_plan, rows)
        trails = self._trails()
        points = [*direct.points_of(keys), *(graph for t in trails for graph in t.graphs)]
        spent = [done.seconds for key, done in direct.done.items() if key in keys]
        spent += [graph.seconds for t in trails for graph in t.graphs]
        return SetResult(
            self._own,
            (rows.train.row_count, rows.test.row_count),
            ceiling_of(rows),
            self._found.truth,
            tuple(points),
            tuple(trails),
            self._answers(points),
            sum(spent),
        )


def _append(path: Path, record: Mapping[str, Any]) -> None:
    """A line on the disk before the next is begun; a part that a kill left is cut off first."""
    line = json_line(record)
    try:
        with open(path, "ab+") as file:
            file.seek(0)
            whole = file.read()
            file.truncate(whole.rfind(b"\n") + 1)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FileError(path, f"cannot be written: {reason}.") from problem
