"""Searches written as generators: run one to its value, or several in threads.

Compiled kernels release the GIL, so searches that spend their time in them need no processes. The
events of each search are held back until those before it have ended: they are the same whatever the
number of threads.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

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
                        result.append(event.value)
                        break
                    if isinstance(event, BaseException):
                        raise event
                    yield number, cast(E, event)
        finally:
            switch.cancel()
            pool.shutdown(wait=True, cancel_futures=True)
    return result


def yield_into(queues: queue.SimpleQueue[object], search: Generator[E, None, R]) -> R:
    """Put the events of a search into a queue; return its value."""
    while True:
        try:
            queues.put(next(search))
        except StopIteration as end:
            return cast(R, end.value)


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
