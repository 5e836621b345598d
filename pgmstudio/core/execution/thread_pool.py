"""The value of a search that is written as a generator of progress.

Searches side by side in threads, told one after another.

Compiled kernels let other threads run, so searches that spend their time in them need no processes.
What each tells is held back until those before it have ended: the events are the same whatever the
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


def value_of(search: Generator[object, None, R]) -> R:
    """What a search finds, without its progress."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            result: R = end.value
            return result


def map_events(search: Generator[T, None, R], tell: Callable[[T], E]) -> Generator[E, None, R]:
    """The same search; what it says on the way is said in other words."""
    while True:
        try:
            told = next(search)
        except StopIteration as end:
            result: R = end.value
            return result
        yield tell(told)


# How often the token is looked at while the threads are silent.
_POLL_SECONDS = 0.05

Search = Callable[[CancelToken], Generator[E, None, R]]


@dataclass(frozen=True)
class _End(Generic[R]):
    value: R


def side_by_side(
    searches: Sequence[Search[E, R]], threads: int, cancel: CancelToken
) -> Generator[tuple[int, E], None, list[R]]:
    """The events of all searches, in their order, each with its number; then all their values."""
    if threads < 2 or len(searches) < 2:
        return (yield from _one_by_one(searches, cancel))
    switch = StopSwitch()
    told: list[queue.SimpleQueue[object]] = [queue.SimpleQueue() for _ in searches]

    def run(number: int) -> None:
        try:
            value = yield_into(told[number], searches[number](switch))
            told[number].put(_End(value))
        except BaseException as error:  # handed on to the thread that asked
            told[number].put(error)

    result: list[R] = []
    with ThreadPoolExecutor(threads) as pool:
        try:
            for number in range(len(searches)):
                pool.submit(run, number)
            for number, events in enumerate(told):
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


def yield_into(told: queue.SimpleQueue[object], search: Generator[E, None, R]) -> R:
    """Put what a search yields into a queue; its value comes back."""
    while True:
        try:
            told.put(next(search))
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
