"""The value of a search that is written as a generator of progress."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

R = TypeVar("R")


def value_of(search: Generator[object, None, R]) -> R:
    """What a search finds, without its progress."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            found: R = end.value
            return found
