"""Searches written as generators: run one to its value, or several in threads.

Compiled kernels release the GIL, so searches that spend their time in them need no processes. The
events of each search are held back until those before it have ended: they are the same whatever the
number of threads.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from pgmstudio.core.execution.events import CancelToken, StopSwitch

E = TypeVar("E")
T = TypeVar("T")
R = TypeVar("R")


def run_to_end(search: Generator[object, None, R]) -> R:
    """Run a search to its end and return its value; its events are discarded."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            result: R = end.value
            return result


def map_events(search: Generator[T, None, R], convert: Callable[[T], E]) -> Generator[E, None, R]:
    """The same search with its events converted."""
    while True:
        try:
            queues = next(search)
        except StopIteration as end:
            result: R = end.value
            return result
        yield convert(queues)


# How often the token is checked while the threads send nothing.
_POLL_SECONDS = 0.05

Search = Callable[[CancelToken], Generator[E, None, R]]


@dataclass(frozen=True)
class _End(Generic[R]):
    value: R


def run_in_threads(
    searches: Sequence[Search[E, R]], threads: int, cancel: CancelToken
) -> Generator[tuple[int, E], None, list[R]]:
    """The events of all searches, in their order, each with its number; then all their values."""
    if threads < 2 or len(searches) < 2:
        return (yield from _one_by_one(searches, cancel))
    switch = StopSwitch()
    queues: list[queue.SimpleQueue[object]] = [queue.SimpleQueue() for _ in searches]

    def run(number: int) -> None:
        try:
            value = yield_into(queues[number], searches[number](switch))
            queues[number].put(_End(value))
        except BaseException as error:  # re-raised in the calling thread
            queues[number].put(error)

    result: list[R] = []
    with ThreadPoolExecutor(threads) as pool:
        try:
            for number in range(len(searches)):
                pool.submit(run, number)
            for number, events in enumerate(queues):
                result.append((yield from _take(number, events, switch, cancel)))
        finally:
            switch.cancel()
            pool.shutdown(wait=True, cancel_futures=True)
    return result


def _take(
    number: int, events: queue.SimpleQueue[object], switch: StopSwitch, cancel: CancelToken
) -> Generator[tuple[int, Any], None, Any]:
    """The events that a search in a thread puts into its queue, and its value; `switch`, the token
    of that thread, follows `cancel`."""
    while True:
        if cancel.is_paused:
            switch.pause()
        cancel.raise_if_cancelled()  # waits here while paused
        switch.resume()
        try:
            event = events.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if isinstance(event, _End):
            return event.value
        if isinstance(event, BaseException):
            raise event
        yield number, event


def yield_into(queues: queue.SimpleQueue[object], search: Generator[E, None, R]) -> R:
    """Put the events of a search into a queue; return its value."""
    while True:
        try:
            queues.put(next(search))
        except StopIteration as end:
            return cast(R, end.value)


def send_from_thread(
    search: Callable[[CancelToken, Callable[[E], object]], object], cancel: CancelToken
) -> Iterator[E]:
    """What a search sends from a thread of its own, as soon as it does."""
    sent: queue.SimpleQueue[object] = queue.SimpleQueue()
    switch = StopSwitch()

    def run() -> None:
        try:
            sent.put(_End(search(switch, sent.put)))
        except BaseException as error:  # re-raised in the calling thread
            sent.put(error)

    with ThreadPoolExecutor(1) as pool:
        try:
            pool.submit(run)
            for _, event in _take(0, sent, switch, cancel):
                yield event
        finally:
            switch.cancel()


def _one_by_one(
    searches: Sequence[Search[E, R]], cancel: CancelToken
) -> Generator[tuple[int, E], None, list[R]]:
    result = []
    for number, search in enumerate(searches):
        running = search(cancel)
        while True:
            cancel.raise_if_cancelled()
            try:
                event = next(running)
            except StopIteration as end:
                result.append(cast(R, end.value))
                break
            yield number, event
    return result


Item = TypeVar("Item")


def map_in_threads(
    work: Callable[[Item], R], items: Iterable[Item], threads: int, cancel: CancelToken
) -> Iterator[R]:
    """The result for every item, in order; few more than `threads` are computed ahead.

    A stop request ends it at once: what the threads have begun, they finish in the background.
    """
    rest = iter(items)
    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[R]] = deque()
    try:
        while True:
            while len(waiting) <= threads and (item := next(rest, _NOTHING)) is not _NOTHING:
                waiting.append(pool.submit(work, cast(Item, item)))
            if not waiting:
                return
            cancel.raise_if_cancelled()
            try:
                result = waiting[0].result(timeout=_POLL_SECONDS)
            except TimeoutError:
                if waiting[0].done():  # the work itself ran out of time
                    raise
                continue
            waiting.popleft()
            yield result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_NOTHING = object()
