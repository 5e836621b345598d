"""The workers of a Dask scheduler: connecting to them, and work that goes to each of many items."""

from __future__ import annotations

import re
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from pgmstudio.core.errors import Cancelled, PgmStudioError, RunFailedError
from pgmstudio.core.execution.child_process import ChildError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.version import __version__

# How often work on a cluster asks whether it should stop, and how often we look at our own token.
ASK_SECONDS = 1.0
LOOK_SECONDS = 0.1
# Work whose worker died is restarted on another; after so many deaths the work itself is at fault.
RETRIES = 3
CONNECT_SECONDS = 3.0
TIMEOUT_SECONDS = 10.0
_ADDRESS = re.compile(r"(tcp|tls)://[^\s:/]+:\d{1,5}")

T = TypeVar("T")
R = TypeVar("R")


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


def connect(address: str, timeout_s: float = TIMEOUT_SECONDS) -> Any:
    """A client of the scheduler, to be closed; RunFailedError where there is none."""
    try:
        from distributed import Client
    except ImportError:
        raise PgmStudioError(
            "A cluster needs the packages dask and distributed. Install pgmstudio[cluster]."
        ) from None
    why_not = address_problem(address) or reach_problem(address)
    if why_not is not None:  # a client would try for half a minute
        raise RunFailedError(why_not)
    try:
        return Client(address.strip(), timeout=timeout_s, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        raise RunFailedError(
            f"There is no Dask scheduler at {address}. Start one with "
            "“dask scheduler” and workers with “dask worker ADDRESS”."
        ) from problem


class ClusterToken:
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


@dataclass(frozen=True)
class _Result(Generic[R]):
    """A value or an error: an error travels as a value, so that it is not tried again."""

    value: R | None
    error: Exception | None = None


def _on_worker(work: Callable[[T, CancelToken], R], item: T, stop_name: str, code: str) -> Any:
    """Runs in a worker of the cluster."""
    if code != __version__:
        message = f"A worker has another version of the program: {__version__}, not {code}."
        return _Result(None, RunFailedError(message))
    try:
        return _Result(work(item, ClusterToken(stop_name)))
    except Cancelled:
        return _Result(None, RunFailedError("It was stopped."))
    except PgmStudioError as error:
        return _Result(None, error)
    except Exception:
        return _Result(None, ChildError(traceback.format_exc()))


def map_on_cluster(
    client: Any,
    work: Callable[[T, CancelToken], R],
    items: Sequence[T],
    cancel: CancelToken,
    done: Callable[[T], object] = lambda _item: None,
) -> Iterator[R]:
    """The result for every item, in order, from the workers of a cluster.

    Every time the same worker gets the same item, if it can, since it may still have what it has
    read for it. What a worker had when it died, another does again. `done` is called when a result
    has arrived, in any order.
    """
    from distributed import Event, KilledWorker

    stop_name = f"pgmstudio-stop-{uuid4().hex}"
    stop = Event(stop_name, client=client)
    arrived = threading.Event()
    waiting: dict[int, Any] = {}
    reported: set[int] = set()
    results: dict[int, R] = {}
    tries = [0] * len(items)

    # Not known for a moment after connecting; then the scheduler chooses.
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])

    def submit(number: int) -> None:
        home: dict[str, Any] = {}
        if workers:
            at = workers[number * len(workers) // len(items)]
            home = {"workers": [at], "allow_other_workers": True}
        tries[number] += 1
        waiting[number] = client.submit(
            _on_worker,
            work,
            items[number],
            stop_name,
            __version__,
            key=f"chunks-{stop_name[-12:]}-{number}-{tries[number]}",
            **home,
            retries=RETRIES,
            pure=False,
        )
        waiting[number].add_done_callback(lambda _future: arrived.set())

    for number in range(len(items)):
        submit(number)
    following = 0
    try:
        while following < len(items):
            if cancel.is_cancelled:
                raise Cancelled
            arrived.wait(LOOK_SECONDS)
            arrived.clear()
            for number, future in list(waiting.items()):
                if not future.done():
                    continue
                if future.status not in ("finished", "error") and tries[number] <= RETRIES:
                    submit(number)  # lost with its worker
                    continue
                del waiting[number]
                problem = future.exception() if future.status == "error" else None
                if isinstance(problem, KilledWorker):
                    raise RunFailedError(
                        "Its workers died, one after the other. They may need more memory."
                    )
                if future.status != "finished":
                    raise ChildError(f"{future.status}: {problem!r}")
                outcome: _Result[R] = future.result()
                future.release()
                if outcome.error is not None:
                    raise outcome.error
                results[number] = outcome.value  # type: ignore[assignment]
                if number not in reported:
                    reported.add(number)
                    done(items[number])
            while following in results:
                yield results.pop(following)
                following += 1
    finally:
        if waiting:
            stop.set()
            client.cancel(list(waiting.values()), force=True)
