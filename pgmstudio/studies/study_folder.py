"""Studies of SL-curves in a folder with a subfolder for each data set, so that they can be resumed.

NAME/direct         points of models learned from the rows
NAME/hybrid         points of graphs compiled from networks
NAME/answers.jsonl  answers of some models to random queries, a line for each
"""

from __future__ import annotations

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
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.experiments.plans.run_task import PointEvent
from pgmstudio.core.experiments.plans.runner import Executor, ceiling_of, planned_keys
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.atomic import append_line
from pgmstudio.core.io.experiments import PointFolder, SavedPlanTask
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
# Ranges of the progress of a data set: learning takes most of the time.
_PROGRESS_RANGES = {DIRECT: (0.0, 0.7), COMPILED: (0.7, 0.95)}


@dataclass(frozen=True, eq=False)
class StudyTask:
    """A study as a task, which resumes with the points in the folder. Queries run in this process,
    so that no other run disturbs their timing."""

    folder: Path
    study: Study
    params: StudyParams
    seed: int
    sources: Mapping[str, Any]
    executor: Executor | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[PointEvent]:
        sets = self.study.chosen
        for number, data_set in enumerate(sets):
            drawn = self.study.rows(data_set, self.sources, self.params, self.seed)
            for event in self._of_set(data_set, drawn, cancel):
                if isinstance(event, Progress):
                    done = (number + (event.fraction or 0.0)) / len(sets)
                    event = Progress(done, f"{data_set.title}: {event.message}", event.counters)
                yield event

    def _of_set(
        self, data_set: StudySet, drawn: StudyRows, cancel: CancelToken
    ) -> Iterator[PointEvent]:
        set_folder = SetFolder(self.folder / data_set.name, data_set, drawn, self.params, self.seed)
        yield from self._part(DIRECT, set_folder.direct_plan, drawn.rows, set_folder.folder, cancel)
        networks = set_folder.networks()
        if networks:
            plan = set_folder.hybrid_plan([model for _, model in networks])
            yield from self._part(COMPILED, plan, drawn.rows, set_folder.folder, cancel)
        if self.params.queries:
            yield from set_folder.ask(cancel)

    def _part(
        self, part: str, plan: Plan, rows: PlanRows, folder: Path, cancel: CancelToken
    ) -> Iterator[PointEvent]:
        low, high = _PROGRESS_RANGES[part]
        for event in SavedPlanTask(folder / part, plan, rows, self.executor)(cancel):
            if isinstance(event, Progress):
                fraction = low + (high - low) * (event.fraction or 0.0)
                event = Progress(fraction, event.message, event.counters)
            yield event

    def results(self) -> Iterator[SetResult]:
        """The results in the folder for each data set that has points."""
        for data_set in self.study.chosen:
            if (self.folder / data_set.name).is_dir():
                drawn = self.study.rows(data_set, self.sources, self.params, self.seed)
                set_folder = SetFolder(
                    self.folder / data_set.name, data_set, drawn, self.params, self.seed
                )
                result = set_folder.result()
                if result.points:
                    yield result


class SetFolder:
    """The folder of one data set."""

    def __init__(
        self, folder: Path, data_set: StudySet, drawn: StudyRows, params: StudyParams, seed: int
    ) -> None:
        self.folder = folder
        self._data_set = data_set
        self._drawn = drawn
        self._params = params
        self._seed = seed
        self.direct_plan = direct_plan(data_set, drawn, params, seed)

    def hybrid_plan(self, models: list[Any]) -> Plan:
        return hybrid_plan(self._data_set, models, self._params, self._seed)

    def networks(self) -> list[tuple[CurvePoint, Any]]:
        """The networks to compile, with their points."""
        direct = PointFolder(self.folder / DIRECT)
        points = direct.points_of(planned_keys(self.direct_plan, self._drawn.rows))
        chosen = to_compile(points, self._params.most_cells)
        return [(point, direct.model(point)) for point in chosen]

    # -- queries ----------------------------------------------------------------------------------

    def ask(self, cancel: CancelToken) -> Iterator[PointEvent]:
        """Run the same queries on models of every curve that have no answers yet."""
        params, rows = self._params, self._drawn.rows
        columns = len(rows.test.domain)
        targets = min(4, columns - 1)
        plan = QueryPlan(count=params.queries, targets=targets, given=min(3, columns - targets))
        queries = random_queries(rows.test, plan)
        everything = self._all_points()
        answered = self._answers([point for _, points in everything for point in points])
        waiting = [
            (point, folder)
            for folder, points in everything
            for language in LANGUAGES
            for point in to_ask(
                [p for p in points if p.series == language], params.most_cells, params.asked_models
            )
            if point.key not in answered
        ]
        for number, (point, folder) in enumerate(waiting):
            cancel.raise_if_cancelled()
            message = f"queries to {point.series}, size {point.effective_size}"
            yield Progress(0.95 + 0.05 * number / len(waiting), message)
            model = folder.model(point)
            answer = {
                "key": point.key,
                "test_bits": point.test_log2_likelihood_per_row,
                "query_log2": float(query_log2(model, queries).mean()),
                "seconds": inference_seconds(model, queries, plan.timed, time.thread_time),
            }
            append_line(self.folder / ANSWERS, json_line(answer))

    def _answers(self, points: Iterable[CurvePoint]) -> dict[str, Answers]:
        """The answers of the models of these points, by key.

        A run that was repeated with more time has other models under the same keys; they differ in
        their bits.
        """
        bits = {point.key: point.test_log2_likelihood_per_row for point in points}
        path = self.folder / ANSWERS
        if not path.is_file():
            return {}
        answers = {}
        for line in path.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            answer = read_json_line(line)
            key = answer["key"]
            if key in bits and bits[key] == answer.get("test_bits"):
                answers[key] = Answers(answer["query_log2"], answer["seconds"])
        return answers

    # -- reading ----------------------------------------------------------------------------------

    def _all_points(self) -> list[tuple[PointFolder, list[CurvePoint]]]:
        direct = PointFolder(self.folder / DIRECT)
        compiled = PointFolder(self.folder / COMPILED)
        points = direct.points_of(planned_keys(self.direct_plan, self._drawn.rows))
        return [(direct, points), (compiled, [p for t in self._trails() for p in t.graphs])]

    def _trails(self) -> list[Trail]:
        compiled = PointFolder(self.folder / COMPILED)
        networks = self.networks()
        if not networks or not compiled.points:
            return []
        plan = self.hybrid_plan([model for _, model in networks])
        keys = planned_keys(plan, self._drawn.rows)
        trails = []
        for key, (point, _) in zip(keys, networks, strict=True):
            if graphs := compiled.points_of([key]):
                trails.append(Trail(point, tuple(graphs)))
        return trails

    def result(self) -> SetResult:
        """The results in this folder."""
        rows = self._drawn.rows
        direct = PointFolder(self.folder / DIRECT)
        keys = planned_keys(self.direct_plan, rows)
        trails = self._trails()
        points = [*direct.points_of(keys), *(graph for t in trails for graph in t.graphs)]
        spent = [done.seconds for key, done in direct.done.items() if key in keys]
        spent += [graph.seconds for t in trails for graph in t.graphs]
        return SetResult(
            self._data_set,
            (rows.train.row_count, rows.test.row_count),
            ceiling_of(rows),
            self._drawn.truth,
            tuple(points),
            tuple(trails),
            self._answers(points),
            sum(spent),
        )
