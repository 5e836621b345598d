"""The value of a search that is written as a generator of progress."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

E = TypeVar("E")
T = TypeVar("T")
R = TypeVar("R")


def value_of(search: Generator[object, None, R]) -> R:
    """What a search finds, without its progress."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            found: R = end.value
            return found


def retold(search: Generator[T, None, R], tell: Callable[[T], E]) -> Generator[E, None, R]:
    """The same search; what it says on the way is said in other words."""
    while True:
        try:
            told = next(search)
        except StopIteration as end:
            found: R = end.value
            return found
        yield tell(told)
