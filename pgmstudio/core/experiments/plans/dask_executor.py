"""The runs of a plan on the workers of a Dask cluster; the same numbers as anywhere else."""

from __future__ import annotations

import math
import queue
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from pgmstudio.core.errors import Cancelled, PgmStudioError, RunFailedError
from pgmstudio.core.execution.child_process import ChildError
from pgmstudio.core.execution.cluster import (
    LOOK_SECONDS,
    RETRIES,
    TIMEOUT_SECONDS,
    ClusterToken,
    connect,
)
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
        client = connect(self.address, self.timeout_s)
        try:
            yield from _cluster_events(client, rows, works, cancel)
        finally:
            client.close()


def _cluster_events(
    client: Any, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
) -> Iterator[tuple[int, ExecutorEvent]]:
    from distributed import Event

    stop_name = f"pgmstudio-stop-{uuid4().hex}"
    stop = Event(stop_name, client=client)
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    futures: dict[Any, int] = {}
    tries = [0] * len(works)

    def submit(numbers: Sequence[int]) -> None:
        # Sent again with what is tried again: the worker that died may have held the only copy.
        (sent,) = client.scatter([rows], broadcast=True, hash=False)
        for number in numbers:
            work = works[number]
            tries[number] += 1
            future = client.submit(
                _on_worker,
                replace(work, progress_s=math.inf),
                sent,
                stop_name,
                code_version(),
                key=f"{work.key or number}-{stop_name[-8:]}-{tries[number]}",
                retries=RETRIES,
                pure=False,
            )
            futures[future] = number
            future.add_done_callback(ended.put)

    submit(range(len(works)))
    try:
        for number in range(len(works)):  # Dask does not report which of them is running
            yield number, Progress(None, "")
        while futures:
            if cancel.is_cancelled:
                raise Cancelled
            try:
                future = ended.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                continue
            number = futures.pop(future)
            if future.status not in ("finished", "error") and tries[number] <= RETRIES:
                submit([number])  # lost with its worker
                continue
            for event in _events_of(future):
                yield number, event
            future.release()
    finally:
        if futures:
            stop.set()
            client.cancel(list(futures), force=True)


def _events_of(future: Any) -> Iterator[ExecutorEvent]:
    """The events of a run that has ended, and how it ended."""
    from distributed import KilledWorker

    if future.status == "finished":
        outcome: _Outcome = future.result()
        yield from outcome.events
        yield WorkEnded() if outcome.failed is None else outcome.failed
        return
    problem = future.exception() if future.status == "error" else None
    if isinstance(problem, KilledWorker):
        message = "Its workers died, one after the other. They may need more memory."
        yield WorkFailed(RunFailedError(message))
    else:
        yield WorkFailed(ChildError(f"{future.status}: {problem!r}"))


@dataclass(frozen=True)
class _Outcome:
    """What comes back from a worker: an error travels as a value, so that it is not tried again."""

    events: list[PointEvent]
    failed: WorkFailed | None = None


def _on_worker(work: PointWork, rows: PlanRows, stop_name: str, code: str) -> _Outcome:
    """Runs in a worker of the cluster."""
    if code != code_version():
        message = f"A worker has another version of the program: {code_version()}, not {code}."
        return _Outcome([], WorkFailed(RunFailedError(message)))
    result: list[PointEvent] = []
    try:
        result.extend(work(rows, ClusterToken(stop_name)))
    except Cancelled:
        return _Outcome(result, WorkFailed(RunFailedError("It was stopped.")))
    except PgmStudioError as error:
        return _Outcome(result, WorkFailed(error))
    except Exception:
        return _Outcome(result, WorkFailed(ChildError(traceback.format_exc())))
    return _Outcome(result)
