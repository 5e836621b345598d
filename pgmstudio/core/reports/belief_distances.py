"""Distances of the beliefs of all models of a folder to those of the best one, as a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pgmstudio.core.analysis.query_benchmark import QueryPlan, random_queries
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import best_on_test, with_distances
from pgmstudio.core.io.experiments import PointFolder


@dataclass(frozen=True, eq=False)
class DistanceTask:
    """Yields every point with its distance to the model that is best on the test rows."""

    folder: Path
    points: tuple[CurvePoint, ...]
    test: DataSet
    queries: QueryPlan | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[Progress | CurvePoint]:
        best = best_on_test(self.points)
        if best is None:
            return
        point_folder = PointFolder(self.folder)
        evidence_size = min(3, len(self.test.domain) - 1)
        plan = self.queries or QueryPlan(targets=0, given=evidence_size)
        queries, reference = random_queries(self.test, plan), point_folder.model(best)
        for number, point in enumerate(self.points):
            cancel.raise_if_cancelled()
            yield Progress(number / len(self.points), "comparing beliefs")
            yield from with_distances((point,), point_folder.model, reference, queries, plan.timed)
