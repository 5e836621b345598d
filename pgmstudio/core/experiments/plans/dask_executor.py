"""The runs of a plan on the workers of a Dask cluster; the same numbers as anywhere else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from pgmstudio.core.execution.cluster import TIMEOUT_SECONDS, connect, work_on_cluster
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.execution.process_pool import WorkEnded, WorkFailed
from pgmstudio.core.experiments.plans.expansion import PlanRows, code_version
from pgmstudio.core.experiments.plans.run_task import PointEvent, PointWork
from pgmstudio.core.experiments.plans.runner import ExecutorEvent


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask scheduler, e.g. tcp://10.0.0.1:8786; they need this program too.

    The rows are sent to each worker once. The run of a worker that dies is restarted on another.
    """

    address: str
    timeout_s: float = TIMEOUT_SECONDS

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        if not works:
            return
        with closing(connect(self.address, self.timeout_s)) as client:
            for number in range(len(works)):  # Dask does not report which of them is running
                yield number, Progress(None, "")
            ends = work_on_cluster(
                client,
                _events,
                [replace(work, progress_s=math.inf) for work in works],
                cancel,
                shared=rows,
                names=[work.key or str(number) for number, work in enumerate(works)],
                version=code_version,
            )
            with closing(ends):
                for number, ended in ends:
                    for event in ended.values:
                        yield number, event
                    yield number, WorkEnded() if ended.error is None else WorkFailed(ended.error)


def _events(work: PointWork, rows: PlanRows, cancel: CancelToken) -> Iterator[PointEvent]:
    """Runs in a worker of the cluster."""
    return work(rows, cancel)
