"""The workers of a Dask scheduler: connecting to them, and work that goes to each of many items."""

from __future__ import annotations

import queue
import re
import socket
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
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
class Ended(Generic[R]):
    """What some work has yielded, and the error that ended it: an error travels as a value, so that
    it is not tried again."""

    values: list[R]
    error: Exception | None = None


def program_version() -> str:
    """The version of the program, of which workers need the same."""
    return __version__


def _on_worker(
    work: Callable[[T, Any, CancelToken], Iterable[R]],
    item: T,
    shared: Any,
    stop_name: str,
    version: Callable[[], str],
    code: str,
) -> Ended[R]:
    """Runs in a worker of the cluster."""
    if code != version():
        message = f"A worker has another version of the program: {version()}, not {code}."
        return Ended([], RunFailedError(message))
    values: list[R] = []
    try:
        values.extend(work(item, shared, ClusterToken(stop_name)))
    except Cancelled:
        return Ended(values, RunFailedError("It was stopped."))
    except PgmStudioError as error:
        return Ended(values, error)
    except Exception:
        return Ended(values, ChildError(traceback.format_exc()))
    return Ended(values)


def work_on_cluster(
    client: Any,
    work: Callable[[T, Any, CancelToken], Iterable[R]],
    items: Sequence[T],
    cancel: CancelToken,
    *,
    shared: Any = None,
    names: Sequence[str] = (),
    stays: bool = False,
    version: Callable[[], str] = program_version,
) -> Generator[tuple[int, Ended[R]], None, None]:
    """The number of each item and how the work on it ended, in the order in which they end.

    `work(item, shared, token)` runs in the workers, to each of which `shared` is sent once. What a
    worker had when it died, another does again. With `stays` the same worker gets the same item
    every time, if it can, since it may still have what it has read for it.
    """
    from distributed import Event

    stop_name = f"pgmstudio-stop-{uuid4().hex}"
    stop = Event(stop_name, client=client)
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    futures: dict[Any, int] = {}
    tries = [0] * len(items)
    # Not known for a moment after connecting; then the scheduler chooses.
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"]) if stays else []

    def submit(numbers: Iterable[int]) -> None:
        sent = shared
        if shared is not None:
            # Sent again with what is tried again: the worker that died may have had the only copy.
            (sent,) = client.scatter([shared], broadcast=True, hash=False)
        for number in numbers:
            home: dict[str, Any] = {}
            if workers:
                at = workers[number * len(workers) // len(items)]
                home = {"workers": [at], "allow_other_workers": True}
            tries[number] += 1
            name = names[number] if names else number
            future = client.submit(
                _on_worker,
                work,
                items[number],
                sent,
                stop_name,
                version,
                version(),
                key=f"{name}-{stop_name[-12:]}-{tries[number]}",
                **home,
                retries=RETRIES,
                pure=False,
            )
            futures[future] = number
            future.add_done_callback(ended.put)

    submit(range(len(items)))
    try:
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
            yield number, _end_of(future)
            future.release()
    finally:
        if futures:
            stop.set()
            client.cancel(list(futures), force=True)


def _end_of(future: Any) -> Ended[Any]:
    from distributed import KilledWorker

    if future.status == "finished":
        ended: Ended[Any] = future.result()
        return ended
    problem = future.exception() if future.status == "error" else None
    if isinstance(problem, KilledWorker):
        message = "Its workers died, one after the other. They may need more memory."
        return Ended([], RunFailedError(message))
    return Ended([], ChildError(f"{future.status}: {problem!r}"))


def map_on_cluster(
    client: Any,
    work: Callable[[T, CancelToken], R],
    items: Sequence[T],
    cancel: CancelToken,
    done: Callable[[T], object] = lambda _item: None,
) -> Generator[R, None, None]:
    """The result for every item, in order, from workers that get the same items every time. `done`
    is called when a result has arrived, in any order."""
    results: dict[int, R] = {}
    following = 0
    # Closed at once, so that the others stop when one fails.
    with closing(work_on_cluster(client, _Once(work), items, cancel, stays=True)) as ends:
        for number, ended in ends:
            if ended.error is not None:
                raise ended.error
            (results[number],) = ended.values
            done(items[number])
            while following in results:
                yield results.pop(following)
                following += 1


@dataclass(frozen=True)
class _Once(Generic[T, R]):
    """Work that has one result."""

    work: Callable[[T, CancelToken], R]

    def __call__(self, item: T, _shared: None, cancel: CancelToken) -> Iterable[R]:
        yield self.work(item, cancel)
