"""The runs of a plan on the workers of a Dask cluster; the same numbers as anywhere else."""

from __future__ import annotations

import math
import queue
import re
import socket
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from pgmstudio.core.errors import Cancelled, PgmStudioError, RunFailedError
from pgmstudio.core.execution.child_process import ChildError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.execution.process_pool import WorkEnded, WorkFailed
from pgmstudio.core.experiments.plans.expansion import PlanRows, code_version
from pgmstudio.core.experiments.plans.run_task import PointEvent, PointWork
from pgmstudio.core.experiments.plans.runner import ExecutorEvent

# How often a run on a cluster asks whether it should stop, and how often we look at our own token.
ASK_SECONDS = 1.0
LOOK_SECONDS = 0.1
# A run whose worker died is restarted on another; after so many deaths the run itself is at fault.
RETRIES = 3
CONNECT_SECONDS = 3.0
_ADDRESS = re.compile(r"(tcp|tls)://[^\s:/]+:\d{1,5}")


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask scheduler, e.g. tcp://10.0.0.1:8786; they need this program too.

    The rows are sent to each worker once. The run of a worker that dies is restarted on another.
    """

    address: str
    timeout_s: float = 10.0

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        if not works:
            return
        try:
            from distributed import Client
        except ImportError:
            raise PgmStudioError(
                "A cluster needs the packages dask and distributed. Install pgmstudio[cluster]."
            ) from None
        why_not = address_problem(self.address) or reach_problem(self.address)
        if why_not is not None:  # a client would try for half a minute
            raise RunFailedError(why_not)
        try:
            client = Client(self.address, timeout=self.timeout_s, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as problem:
            raise RunFailedError(
                f"There is no Dask scheduler at {self.address}. Start one with "
                "“dask scheduler” and workers with “dask worker ADDRESS”."
            ) from problem
        try:
            yield from _cluster_events(client, rows, works, cancel)
        finally:
            client.close()


def address_problem(address: str) -> str | None:
    """What is wrong with how the address of a scheduler is written; None when nothing is."""
    if _ADDRESS.fullmatch(address.strip()):
        return None
    return f"“{address.strip()}” is no address of a scheduler. Write it as tcp://HOST:8786."


def reach_problem(address: str, _cancel: object = None) -> str | None:
    """Whether a scheduler answers at the address; this may take some seconds."""
    host, _, port = address.strip().partition("://")[2].rpartition(":")
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError):
        return (
            f"No scheduler answers at {address.strip()}. Start “dask scheduler” there and workers "
            "with “dask worker ADDRESS”, or run on this computer."
        )
    return None


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
        result.extend(work(rows, _ClusterToken(stop_name)))
    except Cancelled:
        return _Outcome(result, WorkFailed(RunFailedError("It was stopped.")))
    except PgmStudioError as error:
        return _Outcome(result, WorkFailed(error))
    except Exception:
        return _Outcome(result, WorkFailed(ChildError(traceback.format_exc())))
    return _Outcome(result)


class _ClusterToken:
    """Asks the scheduler now and then whether the run should stop."""

    is_paused = False

    def __init__(self, stop_name: str) -> None:
        from distributed import Event

        self._stop = Event(stop_name)
        self._asked_at = time.monotonic()
        self._cancelled = False

    @property
    def is_cancelled(self) -> bool:
        now = time.monotonic()
        if not self._cancelled and now - self._asked_at >= ASK_SECONDS:
            self._asked_at = now
            self._cancelled = bool(self._stop.is_set())
        return self._cancelled

    def raise_if_cancelled(self) -> None:
        if self.is_cancelled:
            raise Cancelled
